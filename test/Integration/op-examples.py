# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the documented example of every operation and compares with numpy.

usage: op-examples.py REFERENCE [--device=reference,cpu] [--script]

The files *Ops.md of the folder REFERENCE are the generated reference. Each
example becomes the body of @main, several times with different numbers, and is
run by hamkaas-run; with --script, as a script of version 3 that calls it. An
operation of GRAPH without an example, or without a formula here, fails.
"""

import argparse
import dataclasses
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).with_name("Inputs")))
from formulas import (  # noqa: E402
    argsort_descending, complex_mul, convolve, dequantize_q4_0, erf, gelu,
    gelu_tanh, hard_swish, log_sum_exp, rms_norm, saturate, shift_left,
    shift_right, silu, sliced_softmax, windows, winograd_gradient,
    winograd_input, winograd_output)
from philox import random_bits  # noqa: E402

WINDOWS = {"strides": (2, 1), "dilations": (1, 2), "low": (1, 0)}


def magnitude_of_complex_mul(x, r):
    a, b, c, d = (np.abs(v) for v in (x[..., 0], x[..., 1], r[..., 0],
                                      r[..., 1]))
    return np.stack([a * c + b * d, a * d + b * c], axis=-1)


def replace_slice(x, r, begin, end):
    y = x.copy()
    y[begin[0]:end[0]] = r
    return y


def strided_slice(x):
    return x[[0, 2]][:, [3, 2]]


def pad(x):
    y = np.full([5, 4], 5.0)
    y[0:3:2, 1:] = x
    return y


def scatter(x, indices, updates):
    y = x.copy()
    np.add.at(y, indices % len(y), updates)
    return y


def cumsum(x):
    return np.cumsum(np.pad(x, [(0, 0), (1, 0)]), axis=1)[:, :-1]


def max_pool(x):
    taps = windows(x, (3, 2), {**WINDOWS, "high": (1, 1)}, -np.inf)
    return np.max(taps, axis=(4, 5))


def conv(x, w):
    return convolve(x, w, {**WINDOWS, "high": (0, 2), "groups": 2})


def attention(q, k, v, scale=0.5, mask=None, bias=0, product=np.asarray):
    scores = scale * q @ np.swapaxes(k, 1, 2) + bias
    if mask is not None:
        scores = np.where(mask, -1e9, scores)
    weights = np.exp(scores - np.max(scores, axis=-1, keepdims=True))
    weights /= np.sum(weights, axis=-1, keepdims=True)
    return weights @ product(v)


def layer_norm(x):
    centered = x - np.mean(x, axis=-1, keepdims=True)
    return centered / deviation(x)


def deviation(x):
    return np.sqrt(np.var(x, axis=-1, keepdims=True) + 1e-5)


# The formula of each statement of an example, in double, of the operands in
# textual order.
FORMULAS = {
    "abs": [np.abs],
    "acos": [np.arccos],
    "acosh": [np.arccosh],
    "and": [lambda x, b: x & b],
    "asin": [np.arcsin],
    "asinh": [np.arcsinh],
    "atan": [np.arctan],
    "atanh": [np.arctanh],
    "bitcast": [lambda x: x.astype(np.float32).view(np.int32)],
    "broadcast": [lambda x: np.broadcast_to(x, [2, 3])],
    "cast": [lambda x: saturate(x, np.int32)],
    "ceil": [np.ceil],
    "compare": [lambda x, b: x < b],
    "cos": [np.cos],
    "cosh": [np.cosh],
    "div": [lambda x, b: x / b],
    "erf": [erf],
    "exp": [np.exp],
    "floor": [np.floor],
    "iota": [lambda: np.broadcast_to(np.arange(3), [2, 3])],
    "log": [np.log],
    "max": [np.maximum],
    "min": [np.minimum],
    "mod": [np.mod],
    "neg": [np.negative],
    "not": [np.invert],
    "or": [lambda x, b: x | b],
    "pow": [np.power],
    "random_bits": [lambda g: random_bits(g, [2, 3], 4)],
    "rem": [np.fmod],
    "round": [np.rint],
    "select": [np.where],
    "shift_left": [shift_left],
    "shift_right": [shift_right],
    "sigmoid": [lambda x: 1 / (1 + np.exp(-x))],
    "sign": [lambda x: np.where(x == 0, x, np.sign(x))],
    "sin": [np.sin],
    "sinh": [np.sinh],
    "sqrt": [np.sqrt],
    "sub": [lambda x, b: x - b],
    "tan": [np.tan],
    "tanh": [np.tanh],
    "xor": [lambda x, b: x ^ b],
    "add": [lambda x, b: x + b],
    "argsort": [argsort_descending],
    "attention": [attention,
                  lambda q, k, v, mask, bias: attention(q, k, v, 0.5, mask, bias)],
    "concat": [lambda a, b: np.concatenate([a, b], axis=1)],
    "cumsum": [cumsum],
    "dequantize_blocks": [dequantize_q4_0],
    "flatten_indices": [lambda i: np.ravel_multi_index(
        tuple(np.moveaxis(i % [4, 3], -1, 0)), [4, 3])],
    "gather": [lambda x, i: np.take(x, i % 4, axis=1)],
    "pad": [pad],
    "scatter": [scatter],
    "strided_slice": [strided_slice],
    "complex_mul": [complex_mul],
    "conv": [conv],
    "gelu": [gelu, gelu_tanh],
    "hard_swish": [hard_swish],
    "layer_norm": [layer_norm],
    "log_sum_exp": [log_sum_exp],
    "matmul": [lambda x, w: x @ w],
    "mul": [lambda x, s: x * s],
    "permute": [lambda x: np.transpose(x, [2, 0, 1])],
    "pool": [max_pool],
    "winograd_gradient": [winograd_gradient],
    "winograd_input": [winograd_input],
    "winograd_output": [winograd_output],
    "reduce": [lambda x: np.sum(x, axis=(0, 2)), lambda x: np.max(x, axis=1)],
    "relu": [lambda x: np.where(x < 0, 0, x)],
    "replace_slice": [replace_slice],
    "reshape": [lambda x: x.reshape(24)],
    "rms_norm": [rms_norm, lambda x, w: rms_norm(x, w, 1e-6)],
    "silu": [silu],
    "slice": [lambda x: x[1:3]],
    "sliced_softmax": [lambda x: sliced_softmax(x, 3),
                       lambda x, p: sliced_softmax(x, p[0])],
}

# Sums of products lose digits to cancellation: what the error is relative to.
MAGNITUDES = {
    "add": lambda x, b: np.abs(x) + np.abs(b),
    "attention": lambda q, k, v, mask=None, bias=0: attention(
        q, k, v, 0.5, mask, bias, np.abs),
    "cumsum": lambda x: cumsum(np.abs(x)),
    "scatter": lambda x, i, u: scatter(np.abs(x), i, np.abs(u)),
    # Near their zeros, by the error of the argument.
    "cos": lambda x: 1 + np.abs(x),
    "sin": lambda x: 1 + np.abs(x),
    "log": lambda x: 1 + np.abs(np.log(x)),
    "log_sum_exp": lambda x: 1 + np.max(np.abs(x), axis=-1),
    "sub": lambda x, b: np.abs(x) + np.abs(b),
    "tan": lambda x: 1 + np.abs(np.tan(x)),
    "complex_mul": magnitude_of_complex_mul,
    "winograd_gradient": lambda x: winograd_gradient(np.abs(x), np.abs),
    "winograd_input": lambda x: winograd_input(np.abs(x), np.abs),
    "winograd_output": lambda x: winograd_output(np.abs(x), np.abs),
    "conv": lambda x, w: conv(np.abs(x), np.abs(w)),
    "gelu": np.abs,
    "hard_swish": np.abs,
    "layer_norm": lambda x: (np.abs(x) + np.mean(np.abs(x), axis=-1,
                                                 keepdims=True)) / deviation(x),
    "matmul": lambda x, w: np.abs(x) @ np.abs(w),
}

# Operations that move elements or round once: every bit is known, also the sign
# of a zero. A NaN is any NaN.
EXACT = {"abs", "add", "and", "argsort", "bitcast", "broadcast", "cast",
         "ceil", "compare", "concat", "dequantize_blocks", "div",
         "flatten_indices", "floor", "gather", "iota", "max", "min", "mul",
         "neg", "not", "or", "pad", "permute", "random_bits", "relu", "rem",
         "replace_slice", "reshape", "round", "select", "shift_left",
         "shift_right", "sign", "slice", "sqrt", "strided_slice", "sub", "xor"}

# exp of a large negative number may underflow earlier in float32. Elsewhere
# denormal numbers are kept.
UNDERFLOW = {"silu": 1e-37, "sliced_softmax": 1e-37}

# Values of run-time positions, one entry a case.
POSITIONS = {
    "flatten_indices": [{"i": [0, 2]}, {"i": [3, -1]}, {"i": [-4, -3]}],
    "gather": [{"i": [0, 3, -1, -4]}, {"i": 2}],
    "scatter": [{"i": [3, 0]}, {"i": [-4, -1]}, {"i": 1}],
    "replace_slice": [{"b": b, "e": b + 1} for b in (0, 1, 3)],
    "sliced_softmax": [{"p": p} for p in (0, 1, 2, 4)],
}

# Positions that the run must refuse, and what it must say.
REFUSED = {
    "flatten_indices": [
        ({"i": i}, f"expected component {c} of the indices to mean one of the "
         f"{(4, 3)[c]} elements of dimension {c}, got {i[c]}")
        for c, i in ((0, [4, 0]), (0, [-5, 3]), (1, [0, 3]), (1, [-1, -4]),
                     (1, [3, 2**63 - 1]), (0, [-2**63, 0]))],
    **{op: [({"i": i}, f"expected indices from -4 to 3, got {i}")
            for i in (4, -5, 2**63 - 1, -2**63)]
       for op in ("gather", "scatter")},
    "replace_slice": [
        ({"b": b, "e": e},
         "expected 0 <= begin, end <= 4 and end - begin = 1, "
         f"got begin {b} and end {e}")
        for b, e in ((3, 5), (-1, 0), (1, 1), (4, 5),
                     (2**63 - 1, -2**63), (1, -2**63))],
    "sliced_softmax": [
        ({"p": p}, f"expected a prefix from 0 to 4, got {p}")
        for p in (5, -1, 2**63 - 1)],
}

# The array that has the shape of the result, if not the first operand.
SHAPES = {"flatten_indices": lambda i: i[..., 0]}

# Operations that stand in no GRAPH: their examples are parsed. The one of
# hamkaas.group shows hamkaas.yield; hamkaas.repeat needs a function.
PARSED = {"constant": "", "check": "%ok: i1, %p: i64",
          "check_nan": "%x: tensor<4xf32>",
          "dequantize_panels": "%c: tensor<2x4x8x4xui8>, %s: tensor<2x1x8xf16>",
          "dequantize_rows": "%c: tensor<2x64xi8>, %s: tensor<2x2xf32>, "
                             "%n: tensor<2x4xi32>",
          "engine_call": "%x: tensor<8x4xf32>, %empty: tensor<8x4xf32>",
          "group": "%x: tensor<4xf32>", "has_cpu_feature": "",
          "scan": "%zero: tensor<4xf32>, %x: tensor<3x4xf32>",
          "custom_gradient": "%y: tensor<2xf32>, %g: tensor<2xf32>, "
                             "%x: tensor<3xf32>, %dx: tensor<3xf32>",
          "repeat": None, "yield": None}

# Products of two of the large numbers, and sums of these, must not overflow:
# there double and single precision differ by design.
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-40,
                    -1e-45, 1e18, -1e18, 88.0, -88.0, -104.0, 0.5],
                   dtype=np.float32)


# Products of weights with zeros outside of an image may be left out.
FINITE = {("conv", "w")}


INTEGERS = np.array([0, 1, 2, 7, 31, 32, 33, -1, -2, -100, 2**31 - 1, -2**31],
                    dtype=np.int32)


def read_examples(folder):
    """Maps each operation to its example and whether it is one of GRAPH."""
    operations = {}
    text = "".join(path.read_text() for path in folder.glob("*Ops.md"))
    for section in re.split(r"^### ", text, flags=re.M)[1:]:
        title = re.match(r"`hamkaas\.(\w+)`", section)
        if title:
            code = re.search(r"^```mlir\n(.*?)^```", section, re.M | re.S)
            operations[title[1]] = (code and code[1],
                                    "`KernelOpInterface`" in section)
    return operations


def parse_statement(line):
    """The operands of a statement with their shapes and types, in order."""
    left, types = line.split("=", 1)[1].split(" : ", 1)
    names = re.findall(r"%(\w+)", left)
    if "->" in types or names:
        types = types.split("->")[0]
    types = re.findall(r"tensor<([\dx]*?)x?(f32|ui64|i64|i32|ui8|i1)>", types)
    # A position has no type in the text.
    types += [("1", "i64")] * (len(names) - len(types))
    return [(name, [int(d) for d in dims.split("x") if d], element)
            for name, (dims, element) in zip(names, types)]


ELEMENTS = {np.dtype(np.float32): "f32", np.dtype(np.int64): "i64",
            np.dtype(np.int32): "i32", np.dtype(np.bool_): "i1",
            np.dtype(np.uint8): "ui8", np.dtype(np.uint32): "ui32",
            np.dtype(np.uint64): "ui64"}


def type_text(array):
    element = ELEMENTS[array.dtype]
    return "tensor<" + "x".join([*map(str, array.shape), element]) + ">"


def make_cases(op, rng):
    """Yields a function from (name, shape, element) to an array a case."""
    positions = POSITIONS.get(op, [{}])
    for i in range(4 * len(positions)):
        at = positions[i % len(positions)]

        def make(name, shape, element, i=i, at=at):
            if element == "i64":
                return np.full(shape, at[name], dtype=np.int64)
            if element == "ui64":
                return rng.integers(0, 2**64 - 1, shape, "uint64", endpoint=True)
            if element == "ui8":
                return rng.integers(0, 256, shape, "uint8")
            if element == "i1":
                return rng.random(shape) < 0.5
            if element == "i32":
                return rng.choice(INTEGERS, size=shape)
            if i < len(positions):
                return rng.standard_normal(shape).astype(np.float32)
            if i < 2 * len(positions):
                return (rng.standard_normal(shape) * 20).astype(np.float32)
            special = SPECIAL
            if (op, name) in FINITE:
                special = SPECIAL[np.isfinite(SPECIAL)]
            return rng.choice(special, size=shape)

        yield make


class Module:
    """@main with many statements, its inputs and the results it should have."""

    def __init__(self, op):
        self.op = op
        self.arguments, self.body = [], []
        self.inputs, self.expected = {}, []

    def add(self, line, formula, make):
        suffix = f"_{len(self.expected)}"
        operands = {}
        for name, shape, element in parse_statement(line):
            array = make(name, shape, element)
            operands[name] = array
            self.inputs[name + suffix] = array
            self.arguments.append(
                f'%{name}{suffix}: {type_text(array)} '
                f'{{hamkaas.name = "{name}{suffix}"}}')
        wide = [a.astype(np.float64) if a.dtype == np.float32 else a
                for a in operands.values()]
        with np.errstate(all="ignore"):
            value = formula(*wide)
            scale = MAGNITUDES.get(self.op, lambda *_: np.abs(value))(*wide)
            single = (value.astype(np.float32) if value.dtype == np.float64
                      else value)
        text = re.sub(r"%(\w+)", rf"%\1{suffix}", line.split("=", 1)[1])
        self.body.append(f"  %result{suffix} ={text}")
        self.expected.append((single, scale, operands))

    def text(self):
        results = range(len(self.expected))
        types = [type_text(value) for value, _, _ in self.expected]
        named = [f'{t} {{hamkaas.name = "y{i}"}}' for i, t in enumerate(types)]
        return "\n".join([
            f"func.func @main({', '.join(self.arguments)})",
            f"    -> ({', '.join(named)}) {{", *self.body,
            f"  return {', '.join(f'%result_{i}' for i in results)}"
            f" : {', '.join(types)}", "}", ""])


@dataclasses.dataclass
class Runner:
    device: str
    folder: pathlib.Path
    is_script: bool

    def write(self, module):
        """Returns the file of a model."""
        model = self.folder / "model.mlir"
        model.write_text(module.text())
        if not self.is_script:
            return model
        script = self.folder / "model.hk"
        subprocess.run(["hamkaas-translate", "--export-script",
                        "--script-version=3", model, "-o", script], check=True)
        calls = re.findall(rf"^\$\d+ = {module.op}\(", script.read_text(), re.M)
        assert len(calls) == len(module.expected), f"not called: {module.op}"
        return script

    def run(self, module, *options):
        """Returns the outputs, or the error text of a run that failed."""
        folder = self.folder
        command = ["hamkaas-run", self.write(module),
                   f"--device={self.device}", *options]
        for name, array in module.inputs.items():
            np.save(folder / f"{name}.npy", array)
            command.append(f"--input={name}={folder / name}.npy")
        for i in range(len(module.expected)):
            command.append(f"--output=y{i}={folder}/y{i}.npy")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            return None, f"exit status {done.returncode}\n{done.stderr}"
        return [np.load(folder / f"y{i}.npy")
                for i in range(len(module.expected))], ""


def find_difference(op, got, expected, scale):
    """The error about `got`, or an empty text."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        return f"expected {type_text(expected)}, got {type_text(got)}"
    if op in EXACT:
        return describe_first(~(same_bits(got, expected)
                                | ((got != got) & (expected != expected))),
                              got, expected)
    with np.errstate(all="ignore"):
        allowed = 4e-6 * scale + UNDERFLOW.get(op, 1e-44)
        close = np.abs(got.astype(np.float64) - expected) <= allowed
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    return describe_first(~(close & np.isfinite(expected)) & ~same, got,
                          expected)


def same_bits(a, b):
    bits = np.dtype(f"int{8 * a.itemsize}")
    return a.view(bits) == b.view(bits)


def describe_first(is_wrong, got, expected):
    wrong = np.argwhere(is_wrong)
    if wrong.size == 0:
        return ""
    at = tuple(wrong[0])
    return f"at {[int(i) for i in at]} expected {expected[at]}, got {got[at]}"


def check_op(op, example, runner):
    """Returns a list of errors."""
    lines = [line for line in example.splitlines() if line.strip()]
    if len(lines) != len(FORMULAS[op]):
        return [f"{op}: expected {len(FORMULAS[op])} statements in the "
                f"example, got {len(lines)}"]
    module = Module(op)
    rng = np.random.default_rng(1)
    for make in make_cases(op, rng):
        for line, formula in zip(lines, FORMULAS[op]):
            module.add(line, formula, make)
    # And no pass changes what it means.
    options = [] if runner.device == "reference" else ["--check-each-pass"]
    outputs, error = runner.run(module, *options)
    if outputs is None:
        return [f"{op}: on {runner.device}: {error}"]
    errors = []
    for got, (expected, scale, operands) in zip(outputs, module.expected):
        difference = find_difference(op, got, expected, scale)
        if difference:
            errors.append(f"{op}: on {runner.device}: {difference}\n"
                          f"operands {operands}")
    return errors


def check_refused(op, example, runner):
    errors = []
    line = example.splitlines()[-1]
    for positions, message in REFUSED.get(op, []):
        def make(name, shape, element):
            if element == "i64":
                return np.full(shape, positions[name], dtype=np.int64)
            return np.zeros(shape, dtype=np.float32)

        module = Module(op)
        # The value is of no interest, its shape is.
        module.add(line, SHAPES.get(op, lambda x, *_: x), make)
        outputs, error = runner.run(module)
        if outputs is not None or message not in error or (
                not error.startswith("exit status 1\n")):
            errors.append(f"{op}: on {runner.device}: expected exit status 1 "
                          f"and '{message}', got {error or 'success'}")
    return errors


def check_parsed(op, example):
    text = f"func.func @f({PARSED[op]}) {{\n{example}  return\n}}\n"
    done = subprocess.run(["hamkaas-opt"], input=text, capture_output=True,
                          text=True)
    return [f"{op}: {done.stderr}"] if done.returncode else []


# Those that are no call with operands and attributes but a statement of its own
# in a script, or no kernel. The numbers are those of the example.
X = np.arange(12, dtype=np.float32).reshape(3, 4)
STATEMENTS = {
    "constant": ('$1 = constant(uint8, [2], [1, 2]); output("y0", $1);',
                 [np.uint8([1, 2])]),
    "custom_gradient": ("""$1 = input("x", float32, [3, 4]); $2 = neg($1);
        $3 = custom_gradient($1, $2, $1, $2); output("y0", $3);""", [X]),
    "scan": ("""$1 = full(shape=[4], value=0, type=float32);
        $2 = input("x", float32, [3, 4]);
        $3, $4 = scan(steps=3) { $5 = init($1); $6 = row($2);
                                 $7 = add($5, $6); yield($7, $7); }
        output("y0", $3); output("y1", $4);""",
             [X.sum(0), X.cumsum(0)])}
STATEMENTS["yield"] = STATEMENTS["scan"]


def check_statement(op, runner):
    text, expected = STATEMENTS[op]
    script, values = runner.folder / "model.hk", runner.folder / "x.npy"
    script.write_text(f"version = 3;\n{text}\n")
    np.save(values, X)
    done = subprocess.run(
        ["hamkaas-run", script, f"--device={runner.device}",
         *([f"--input=x={values}"] if "input" in text else []),
         *(f"--output=y{i}={runner.folder}/y{i}.npy"
           for i in range(len(expected)))], capture_output=True, text=True)
    if done.returncode != 0:
        return [f"{op}: on {runner.device}: {done.stderr}"]
    got = [np.load(runner.folder / f"y{i}.npy") for i in range(len(expected))]
    return [f"{op}: on {runner.device}: expected {y}, got {x}"
            for x, y in zip(got, expected)
            if x.dtype != y.dtype or not np.array_equal(x, y)]


def check_closed(op):
    """A script that calls it is told why that is not possible."""
    done = subprocess.run(
        ["hamkaas-translate", "--import-script"], capture_output=True,
        input=f"version = 3;\n$1 = {op}();\n", text=True)
    reason = f"'{op}': expected an operation that can be added by its name, " \
        "got one that cannot: "
    return [] if reason in done.stderr else [f"{op}: {done.stderr}"]


def check_unnamed(op, example, runners):
    """Of an operation that is not called by its name."""
    if not runners[0].is_script:
        return check_parsed(op, example) if PARSED[op] else []
    if op not in STATEMENTS:
        return check_closed(op)
    return [error for runner in runners for error in check_statement(op, runner)]


def check(op, example, is_graph, runners):
    if op in PARSED:
        return check_unnamed(op, example, runners)
    if not example:
        return [f"{op}: no example"]
    if op not in FORMULAS or not is_graph:
        return [f"{op}: no formula in {pathlib.Path(__file__).name}"]
    return [error for runner in runners
            for error in (check_op(op, example, runner)
                          + check_refused(op, example, runner))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("reference", type=pathlib.Path)
    parser.add_argument("--device", default="reference,cpu")
    parser.add_argument("--script", action="store_true")
    options = parser.parse_args()
    operations = read_examples(options.reference)
    errors = [f"{op}: a formula, but no such operation"
              for op in {*FORMULAS, *PARSED} - {*operations}]
    with tempfile.TemporaryDirectory() as folder:
        runners = [Runner(device, pathlib.Path(folder), options.script)
                   for device in options.device.split(",")]
        for op, (example, is_graph) in operations.items():
            errors += check(op, example, is_graph, runners)
    print("\n".join(errors[:10]))
    print(f"{len(operations)} operations, {len(errors)} errors")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
