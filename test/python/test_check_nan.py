# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs that end where an operation makes a NaN."""

import numpy as np
import pytest

import hamkaas as hk


def test_a_step_names_the_line_and_changes_nothing():
    x, w = hk.input("x", [2, 3]), hk.state([3], "w", initial=1.0)
    product = w * x
    loss = hk.sum(
        hk.log(product))  # this line
    step = hk.train_step(loss, hk.optim.Adam(lr=0.5))
    model = hk.compile({"step": step}, check_nan=True)
    good = np.float32([[1, 2, 3], [4, 5, 6]])
    assert np.isfinite(model.step.run({"x": good})["loss"])
    before = {name: np.array(model.state[name]) for name in model.state}
    assert before["adam.step"] == 1
    bad = np.where(good == 5, -5, good).astype("float32")
    with pytest.raises(hk.HamKaasError, match=(
            r"test_check_nan.py:\d+: error: expected numbers in the result of "
            r"'log', got NaN as element 4$")) as info:
        model.step.run({"x": bad})
    with open(__file__) as file:
        line = next(number for number, text in enumerate(file, 1)
                    if text.rstrip().endswith("# this line"))
    assert int(str(info.value).split(":")[1]) in (line - 1, line)
    for name, value in before.items():
        assert np.array_equal(model.state[name], value), name
    unchecked = hk.compile({"step": step})
    assert np.isnan(unchecked.step.run({"x": bad})["loss"])


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_types(dtype):
    x = hk.input("x", [3], dtype)
    model = hk.compile(hk.sqrt(x), check_nan=True)
    assert model.run({"x": np.array([1, 4, 0], dtype)}).tolist() == [1, 2, 0]
    with pytest.raises(hk.HamKaasError, match="'sqrt', got NaN as element 2$"):
        model.run({"x": np.array([1, 4, -1], dtype)})
    with pytest.raises(hk.HamKaasError, match="input 'x', got NaN as element 0"):
        model.run({"x": np.array([np.nan, 4, -1], dtype)})


def test_infinities_are_numbers():
    model = hk.compile(hk.log(hk.input("x", [2])), check_nan=True)
    assert model.run({"x": np.float32([0, np.inf])}).tolist() == [-np.inf,
                                                                  np.inf]


def test_loops():
    def step(total, row):
        total = total + hk.sqrt(row)
        return total, total

    x = hk.input("x", [4, 2])
    model = hk.compile(hk.scan(step, np.zeros(2, "float32"), x)[1],
                       check_nan=True)
    rows = np.ones([4, 2], "float32")
    assert model.run({"x": rows})[:, 0].tolist() == [1, 2, 3, 4]
    rows[2, 1] = -1
    with pytest.raises(hk.HamKaasError, match="result of 'sqrt', got NaN as "
                       "element 1$"):
        model.run({"x": rows})


def test_parameters_are_not_checked():
    w = np.float32([1, np.nan])
    model = hk.compile(hk.input("x", [2]) < w, check_nan=True)
    assert model.run({"x": np.float32([0, 0])}).tolist() == [True, False]
