# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each operation of the compiler, called from Python as in its example."""

import inspect
import json
import re

import numpy as np
import pytest

import hamkaas as hk
from hamkaas import _native

ROWS = {row["name"]: row
        for row in json.loads(_native.describe_operations())["operations"]}


def function_of(name):
    return getattr(hk.ops, name, None) or getattr(hk.ops, name + "_")


def test_each_operation_has_a_function():
    assert {name.rstrip("_") for name in hk.ops.__all__} == set(ROWS)


def test_any_number_of_results():
    rows = hk.ops.unstack(hk.input("x", [300, 2]))
    assert len(rows) == 300
    assert rows[-1].shape == (2,)


@pytest.mark.parametrize("name", ROWS)
def test_signature(name):
    """The operands in their order, then each attribute by its name."""
    parameters = list(inspect.signature(function_of(name)).parameters.values())
    names = [parameter.name.rstrip("_") for parameter in parameters]
    operands = [operand["name"] for operand in ROWS[name]["operands"]]
    assert names[:len(operands)] == operands
    assert set(names[len(operands):]) == {
        attribute["name"] for attribute in ROWS[name]["attributes"]}
    assert all(parameter.kind == parameter.KEYWORD_ONLY
               for parameter in parameters[len(operands):])
    assert function_of(name).__doc__


class Call:
    """The text of a call, `conv($1, $2, strides=[2, 2])`, made in Python."""

    def __init__(self, text, tensors):
        self.name, arguments = re.fullmatch(r"(\w+)\((.*)\)", text).groups()
        words = {word: word for attribute in ROWS[self.name]["attributes"]
                 for word in attribute.get("words", [])}
        types = {name: name for name in (
            "float16", "bfloat16", "float32", "float64", "bool", "int8",
            "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")}
        # A script calls a tensor $1, and has words as they are.
        arguments = re.sub(r"\$(\d+)", r"t\1", arguments)
        names = {**words, **types, **tensors, "true": True, "false": False,
                 "none": "none" if "none" in words else None,
                 "inf": float("inf"), "nan": float("nan"), "f": self.call}
        self.result = eval(f"f({arguments})", names)

    def call(self, *operands, **attributes):
        row = ROWS[self.name]
        if row["operands"] and row["operands"][0]["count"] == "variadic":
            operands = [operands]
        function = function_of(self.name)
        known = inspect.signature(function).parameters
        return function(*operands, **{
            name if name in known else name + "_": value
            for name, value in attributes.items()})


def statements_of(row):
    code = row["document"].split("```mlir\n")[1].split("```")[0]
    return [line.strip() for line in code.split("\n") if line.strip()]


def make_function(statement):
    """The statement in a function, whose arguments are its operands."""
    right = statement.split("=", 1)[1]
    names = re.findall(r"%[a-z_0-9]+", right) or ["%unused"]
    types = re.findall(r"tensor<[^>]*>", right)
    types += ["tensor<1xi64>"] * (len(names) - len(types))
    arguments = ", ".join(f'{name}: {kind} {{hamkaas.name = "{name[1:]}"}}'
                          for name, kind in zip(names, types))
    return (f"func.func @main({arguments}) -> ({types[0]} "
            '{hamkaas.name = "first"}) {\n'
            f"  {statement}\n  return {names[0]} : {types[0]}\n}}\n")


def values_for(tensor, number):
    """Numbers for which each operation has a result."""
    rng = np.random.default_rng(number)
    if tensor.dtype.kind == "f":
        return rng.uniform(0.1, 0.9, tensor.shape).astype(tensor.dtype)
    if tensor.shape == (1,):
        return np.full([1], number, tensor.dtype)  # Rows to replace.
    return rng.integers(0, 2, tensor.shape).astype(tensor.dtype)


OPERATIONS = [(name, statement) for name, row in ROWS.items()
              if "example" not in row for statement in statements_of(row)]


def make_example(folder, name, statement):
    """The documented example as a model, and the result of its call in Python."""
    (folder / "example.mlir").write_text(make_function(statement))
    text = hk.load(folder / "example.mlir", device="reference").graph.script
    number, call = re.search(rf"(\$\d+) = ({name}\(.*\));", text).groups()
    text = re.sub(r"(?m)^output\(.*", f'output("result", {number});', text)
    (folder / "example.hk").write_text(text)
    nodes = {f"t{place}": hk.input(input_name, json.loads(sizes), dtype)
             for place, input_name, dtype, sizes in re.findall(
                 r'\$(\d+) = input\("(\w+)", (\w+), (\[.*?\])\);', text)}
    return (hk.load(folder / "example.hk", device="reference"),
            Call(call, nodes).result)


@pytest.mark.parametrize("name, statement", OPERATIONS,
                         ids=[f"{name}-{i}" for i, (name, _) in
                              enumerate(OPERATIONS)])
def test_operation(tmp_path, name, statement):
    """The function makes what the documented example says, bit by bit."""
    documented, result = make_example(tmp_path, name, statement)
    made = hk.compile(result, device="reference")
    inputs = {tensor.name: values_for(tensor, place)
              for place, tensor in enumerate(documented.inputs)}
    result = made.run({one.name: inputs[one.name] for one in made.inputs})
    expected = documented.run(inputs)
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


def read_tensor(line):
    """The name and the elements of a line `x: float32 [2] = 1 2`."""
    name, dtype, shape, numbers = re.fullmatch(
        r"(\w+): (\w+) (\[.*?\]) = (.*)", line).groups()
    words = {"true": 1, "false": 0}
    values = [float(words.get(one, one)) for one in numbers.split()]
    shape = json.loads(shape)
    if len(values) == 1:
        return name, np.full(shape, values[0], dtype)
    return name, np.array(values).astype(dtype).reshape(shape)


def read_example(row):
    """Inputs, results of calls, and the elements that these have, by name."""
    known, inputs, results, outputs = {}, {}, {}, {}
    for line in row["example"].strip().split("\n"):
        line = line.strip()
        if "(" in line.split("=")[1]:
            targets, call = line.split(" = ", 1)
            made = Call(call, known).result
            made = made if isinstance(made, tuple) else (made,)
            results.update(zip(targets.split(", "), made))
            known.update(results)
            continue
        tensor, array = read_tensor(line)
        if tensor in results:
            outputs[tensor] = array
        else:
            inputs[tensor] = array
            known[tensor] = hk.input(tensor, array.shape, array.dtype)
    return inputs, results, outputs


@pytest.mark.parametrize("name", [name for name, row in ROWS.items()
                                  if "example" in row])
def test_composition(name):
    inputs, results, outputs = read_example(ROWS[name])
    assert outputs
    model = hk.compile({tensor: results[tensor] for tensor in outputs})
    got = model.run({one.name: inputs[one.name] for one in model.inputs})
    for tensor, array in outputs.items():
        assert got[tensor].dtype == array.dtype
        np.testing.assert_allclose(got[tensor], array, rtol=1e-5, atol=1e-6)
