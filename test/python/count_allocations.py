# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts what runs of a model ask of libc, with allocation-counter.c preloaded.

Objects of Python that live for a moment come from memory that the interpreter
has, and are not counted; tracemalloc shows that none stays.
"""

import ctypes
import gc
import tracemalloc

import numpy as np

import hamkaas as hk

RUNS = 100
counter = ctypes.c_int.in_dll(ctypes.CDLL(None), "allocationRequests")


def count(model, inputs, out):
    before = counter.value
    for _ in range(RUNS):
        model.run(inputs, out=out)
    return counter.value - before


def kept(model, inputs, out):
    tracemalloc.start()
    try:
        model.run(inputs, out=out)
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(RUNS):
            model.run(inputs, out=out)
        # Without the number that was just read.
        return tracemalloc.get_traced_memory()[0] - before - 32
    finally:
        tracemalloc.stop()


def show(name, model, inputs, out):
    count(model, inputs, out)
    requests = count(model, inputs, out)
    print(f"{name}: {requests} requests in {RUNS} runs, "
          f"{max(0, kept(model, inputs, out))} bytes kept")


def make_many():
    """A model with 12 inputs and 12 outputs, which no script can have."""
    types = ", ".join(["tensor<4xf32>"] * 12)
    arguments = ", ".join(f'%x{i}: tensor<4xf32> {{hamkaas.name = "x{i}"}}'
                          for i in range(12))
    results = ", ".join('tensor<4xf32> {hamkaas.name = "y%d"}' % i
                        for i in range(12))
    body = "\n".join(f"%y{i} = hamkaas.relu %x{i} : tensor<4xf32>"
                     for i in range(12))
    values = ", ".join(f"%y{i}" for i in range(12))
    return (f"func.func @main({arguments}) -> ({results}) {{\n{body}\n"
            f"return {values} : {types}\n}}\n")


def main():
    gc.disable()
    node = (hk.input("x", [64, 64]) @ np.eye(64, dtype="float32")).relu()
    model = hk.compile(node, threads=1)
    inputs = {"x": np.ones([64, 64], "float32")}
    out = {"result": np.empty([64, 64], "float32")}
    print("without out:", "more than 0" if count(model, inputs, None) else 0,
          "requests")
    show("one input, 1 thread", model, inputs, out)
    show("one input, 2 threads", model.new_instance(threads=2), inputs, out)

    import os
    import tempfile
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(make_many())
        file.flush()
        many = hk.load(os.fspath(file.name))
    array = np.ones(4, "float32")
    show("12 inputs, 12 outputs", many, {f"x{i}": array for i in range(12)},
         {f"y{i}": np.empty(4, "float32") for i in range(12)})

    try:
        model.run({"x": 3}, out=out)
    except hk.HamKaasError:
        pass
    show("after an error", model, inputs, out)


main()
