# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Memory stays flat, however many models are made and runs done.

Short by default. HAMKAAS_SOAK=1 makes it the whole of what is promised: 100,000
models and 10 million runs, which takes half an hour of processor time.
"""

import gc
import os
import weakref

import numpy as np
import pytest

import hamkaas as hk

LONG = os.environ.get("HAMKAAS_SOAK") == "1"
MODELS = 100_000 if LONG else 300
RUNS = 10_000_000 if LONG else 200_000
# Memory that libc's allocator keeps and returns at its own time.
SLACK = 16 << 20  # bytes


def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(count, work):
    """By how many bytes the process grows in all but the first tenth."""
    for i in range(count // 10):
        work(i)
    before = resident()
    for i in range(count - count // 10):
        work(i)
    return resident() - before


def test_models():
    def work(i):
        model = hk.compile((hk.input("x", [1 + i % 3, 4]) + 1.0).relu())
        model.run({"x": np.ones([1 + i % 3, 4], "float32")})

    assert growth(MODELS, work) < SLACK


def test_nodes_and_errors():
    def work(i):
        x = hk.input("x", [1 + i, 4])
        with pytest.raises(hk.HamKaasError):
            x + hk.input("y", [2 + i, 5])
        with pytest.raises(hk.HamKaasError):
            hk.compile(x + hk.input("x", [1, 4]))

    assert growth(MODELS * 5, work) < SLACK


def test_runs():
    model = hk.compile((hk.input("x", [2, 4]) + hk.state([2, 4])).relu())
    x = {"x": np.ones([2, 4], "float32")}
    transposed = {"x": np.ones([4, 2], "float32").T}
    place = {"result": np.zeros([2, 4], "float32")}

    def work(i):
        model.run(transposed if i % 3 else x, out=place if i % 2 else None)

    assert growth(RUNS, work) < SLACK // 4


def test_wrong_runs():
    model = hk.compile(hk.input("x", [2]).relu())

    def work(i):
        with pytest.raises(hk.HamKaasError):
            model.run({"x": np.ones(3, "float32"), "y": i})

    assert growth(RUNS // 10, work) < SLACK // 4


def test_weights_that_are_not_kept():
    """They go when nobody else has them, without the garbage collector."""
    weights = [np.full([4, 4], number, "float32") for number in (1, 2)]
    x = hk.input("x", [1, 4])
    state = hk.state([1, 4]).replace(x, 0, 1)  # whose graph has views
    model = hk.compile((state @ weights[0] @ weights[1]).reshape([2, 2]),
                       keep_weights=False)
    kept = [weakref.ref(array) for array in weights]
    gc.disable()
    try:
        del weights, state
        assert [array() for array in kept] == [None, None]
    finally:
        gc.enable()
    ones = np.ones([1, 4], "float32")
    np.testing.assert_array_equal(model.run({"x": ones}), np.full([2, 2], 32.0))
