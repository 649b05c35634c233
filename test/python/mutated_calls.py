# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of each operation with something wrong: types, shapes, attributes.

The documented example of an operation is changed in a few places, to sizes of
2^62, not-a-numbers, other kinds of attributes and the like. Such a call is an
error that says what was expected, or it is right: then the compiled program
computes the same as the interpreter.

    mutated_calls.py COUNT SEED
"""

import math
import pathlib
import random
import sys
import tempfile

import numpy as np

import hamkaas as hk
from hamkaas import _native
from test_operations import (OPERATIONS, ROWS, make_example, read_example,
                             values_for)

NAMES = ["float16", "bfloat16", "float32", "float64", "bool", "int8", "int32",
         "int64", "uint8", "uint64"]
SIZES = [1, 2, 3, 4, 7, 64, 2**20, 2**31, 2**40, 2**62, 2**63 - 1]
INTEGERS = [0, 1, -1, 2, 3, -2, 63, 64, 65, 65537, 2**31 - 1, 2**31, -2**31,
            2**40, 2**62, 2**63 - 1, -2**63]
REALS = [0.0, -0.0, 1.0, -1.0, math.nan, math.inf, -math.inf, 1e308, 5e-324]
WORDS = ["", "none", "sum", "MEAN", "constant", "ä", "%s%n", "a" * 9999]
POSITION = ("calls.py", 1)
MAX_ELEMENTS = 1 << 16


def collect_calls():
    """The rows, types of operands and attributes of all examples."""
    calls = []
    infer = _native.infer_operation

    def record(*call):
        types = infer(*call)
        calls.append(call)
        return types

    _native.infer_operation = record
    with tempfile.TemporaryDirectory() as folder:
        for name, statement in OPERATIONS:
            make_example(pathlib.Path(folder), name, statement)
    for row in ROWS.values():
        if "example" in row:
            read_example(row)
    _native.infer_operation = infer
    assert {row for row, _, _ in calls} == set(ROWS)
    return calls


def mutate_type(rng, given):
    if given is None:
        return "float32", (2, 3)
    name, shape = given
    sizes = list(shape)
    action = rng.randrange(4) if sizes else 3
    if action == 0:
        sizes[rng.randrange(len(sizes))] = rng.choice(SIZES)
    elif action == 1:
        del sizes[rng.randrange(len(sizes))]
    elif action == 2:
        name = rng.choice(NAMES)
    elif len(sizes) < 8:
        sizes.insert(rng.randrange(len(sizes) + 1), rng.choice(SIZES))
    return name, tuple(sizes)


def mutate_value(rng, value):
    if rng.random() < 0.2:
        return rng.choice([rng.choice(INTEGERS), rng.choice(REALS),
                           rng.choice(WORDS), (), (rng.choice(INTEGERS),)])
    if isinstance(value, tuple):
        entries = list(value)
        place = rng.randrange(len(entries) + 1)
        entries[place:place + rng.randrange(2)] = rng.choices(
            INTEGERS, k=rng.choice([0, 1, 1, 1, 9]))
        return tuple(entries)
    if isinstance(value, float):
        return rng.choice(REALS)
    return rng.choice(WORDS if isinstance(value, str) else INTEGERS)


def mutate(rng, call):
    row, operands, attributes = call
    operands, attributes = list(operands), list(attributes)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        action = rng.random()
        if action < 0.4 and operands:
            place = rng.randrange(len(operands))
            operands[place] = mutate_type(rng, operands[place])
        elif action < 0.5:
            place = rng.randrange(len(operands) + 1)
            operands[place:place + rng.randrange(2)] = rng.choices(
                [*operands, None], k=rng.randrange(2))
        elif action < 0.85 and attributes:
            place = rng.randrange(len(attributes))
            name, value = attributes[place]
            attributes[place] = name, mutate_value(rng, value)
        elif action < 0.9 and attributes:
            del attributes[rng.randrange(len(attributes))]
        else:
            names = [one["name"] for one in ROWS[row]["attributes"]]
            name = rng.choice([*names, "shape", "type", "nothing"])
            attributes.append((name, mutate_value(rng, 0)))
    return row, tuple(operands), tuple(attributes)


def infer(call):
    """The types of the results; nothing after an error that says enough."""
    try:
        return _native.infer_operation(*call)
    except hk.HamKaasError as error:
        text = str(error)
        assert ("expected" in text or "unknown attribute" in text or
                "not supported" in text), text
        return None


def build(call, count, folder):
    """A script of the call."""
    row, operands, attributes = call
    graph = _native.Graph()
    values = [0 if kind is None else graph.add_input(f"x{i}", kind, POSITION)
              for i, kind in enumerate(operands)]
    results = graph.add_operation(row, values, attributes, POSITION, count)
    results = results if count > 1 else [results]
    graph.set_outputs([(f"y{i}", one) for i, one in enumerate(results)])
    path = folder / "call.hk"
    path.write_text(graph.describe(), encoding="utf-8")
    return path


def run(path, device, number):
    """The outputs by name, or the error of the run."""
    model = hk.load(path, device=device, cache=False)
    inputs = {one.name: values_for(one, number) for one in model.inputs}
    try:
        outputs = model.run(inputs)
    except hk.HamKaasError as error:
        assert "expected" in str(error), error
        return {"error": str(error)}
    names = [one.name for one in model.outputs]
    return dict(zip(names, outputs if len(names) > 1 else [outputs]))


def check(call, types, number, folder):
    sizes = [math.prod(kind[1]) for kind in (*call[1], *types) if kind]
    path = build(call, len(types), folder)
    if max(sizes) > MAX_ELEMENTS:
        return False
    expected = run(path, "reference", number)
    if "error" in expected and dict(call[2]).get("unchecked"):
        return False  # The caller vouches for what a program does not check.
    for name, got in run(path, "cpu", number).items():
        if name == "error":
            assert got == expected[name]
        elif got.dtype.kind in "biu":
            np.testing.assert_array_equal(got, expected[name])
        else:
            tolerance = 1e-4 if got.dtype.itemsize >= 4 else 2e-2
            np.testing.assert_allclose(
                got.astype("float64"), expected[name].astype("float64"),
                tolerance, tolerance)
    return True


def main():
    count, seed = map(int, sys.argv[1:])
    calls = collect_calls()
    right = ran = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            rng = random.Random(f"{seed} {number}")
            call = mutate(rng, rng.choice(calls))
            try:
                types = infer(call)
                if types is None:
                    continue
                right += 1
                if right % 8 == 0:
                    ran += check(call, types, number, pathlib.Path(folder))
            except BaseException:
                print(f"{number}: {call}"[:2000], file=sys.stderr)
                raise
    print(f"{count} calls, {right} of them right, {ran} of these run")


main()
