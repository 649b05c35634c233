# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random scripts with views and writes in place.

Each is run statement by statement on numpy arrays, whose reshapes and slices
share storage as those of a script do. The graph it is read as, which has
values only, must give the same result and leave the same in the buffers. Then
the graph is printed and read again: it must be the same.

    random_scripts.py COUNT SEED
"""

import random
import re
import sys

import numpy as np

from translation import translate

COUNT = 24  # elements of most tensors
SHAPES = [[24], [4, 6], [6, 4], [2, 3, 4], [3, 8], [12, 2], [1, 24], [2, 2, 6]]


def log_sum_exp(x):
    largest = np.max(x, axis=-1)
    shift = np.where(np.isfinite(largest), largest, 0)
    return shift + np.log(np.sum(np.exp(x - shift[..., None]), axis=-1))


def softmax_prefix(x, prefix):
    result = x.copy()
    if prefix:
        e = np.exp(x[..., :prefix] - x[..., :prefix].max(axis=-1, keepdims=True))
        result[..., :prefix] = e / e.sum(axis=-1, keepdims=True)
    return result


def rms_norm(x, w):
    return w * x / np.sqrt(np.mean(x * x, axis=-1, keepdims=True) + 1e-5)


def layer_norm(x, epsilon):
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(np.square(centred), axis=-1, keepdims=True)
    return centred / np.sqrt(variance + epsilon)


COMBINERS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}
PREDICATES = {"eq": np.equal, "ne": np.not_equal, "lt": np.less,
              "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


def complex_mul(l, r):
    real = l[..., 0] * r[..., 0] - l[..., 1] * r[..., 1]
    imaginary = l[..., 0] * r[..., 1] + l[..., 1] * r[..., 0]
    return np.stack([real, imaginary], axis=-1)


class Generator:
    """Writes a script and runs it at the same time."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.nodes = {}  # id -> array, a view of its storage
        self.positions = []
        self.inputs = {}
        self.constants = {}
        self.buffers = {}
        self.written = np.zeros(1)
        self.version = rng.choice([1, 2])
        if self.version == 2:
            self.lines.append("version = 2;")
        for _ in range(3):
            self.add_tensor(rng.choice(["InputTensor", "ConstantTensor",
                                        "BufferTensor"]))
        for _ in range(rng.randrange(3, 25)):
            self.add_operator()
        # Mistakes would show in what was written last.
        sharing = [i for i, array in self.nodes.items()
                   if np.shares_memory(array, self.written)]
        result = rng.choice(sharing or list(self.nodes))
        self.lines.append(f"result = ${result};")
        self.result = self.nodes[result]

    def values(self, shape):
        generator = np.random.default_rng(self.rng.randrange(1 << 30))
        return generator.normal(size=shape)

    def define(self, text, array):
        number = self.rng.randrange(1 << 62)
        self.lines.append(f"${number} = {text};")
        self.nodes[number] = array
        return number

    def add_tensor(self, kind, shape=None):
        shape = shape or self.rng.choice(SHAPES)
        tensors = {"InputTensor": self.inputs, "ConstantTensor": self.constants,
                   "BufferTensor": self.buffers}[kind]
        name = f"t{len(self.lines)}"
        tensors[name] = self.values(shape)
        return self.define(f"{kind}({name}, float32, {shape})",
                           tensors[name].copy())

    def position(self, value):
        name = f"p{len(self.lines)}"
        self.inputs[name] = np.array([value])
        number = self.rng.randrange(1 << 62)
        self.lines.append(f"${number} = InputTensor({name}, int64, [1]);")
        return number

    def pick(self, wanted=lambda array: True):
        ids = [i for i, array in self.nodes.items() if wanted(array)]
        if self.rng.random() < 0.5:
            ids = ids[-3:]
        return self.rng.choice(ids) if ids else None

    def add_operator(self):
        rng = self.rng
        if self.version == 2 and rng.random() < 0.3:
            self.add_operator_of_version2()
            return
        kind = rng.choice(["sum", "mul", "relu", "silu", "permute", "matmul",
                           "rms", "complex", "softmax", "tensor"] +
                          ["reshape"] * 4 + ["slice"] * 4 + ["replace"] * 6)
        x = self.pick()
        array = self.nodes[x]
        if kind in ("sum", "mul"):
            shape = [size if rng.random() < 0.7 else 1 for size in array.shape]
            y = self.pick(lambda other: list(other.shape) == shape)
            y = y or self.add_tensor("InputTensor", shape)
            other = self.nodes[y]
            name, value = (("SumNode", array + other) if kind == "sum" else
                           ("HadamardProductNode", array * other))
            self.define(f"{name}(${x}, ${y})", value)
        elif kind == "relu":
            self.define(f"ReLUNode(${x})", np.maximum(array, 0))
        elif kind == "silu":
            self.define(f"SiLUNode(${x})", array / (1 + np.exp(-array)))
        elif kind == "permute":
            axes = list(range(array.ndim))
            rng.shuffle(axes)
            self.define(f"PermuteNode(${x}, {axes})",
                        np.transpose(array, axes).copy())
        elif kind == "matmul" and array.ndim <= 2:
            y = self.add_tensor("ConstantTensor", [array.shape[-1], 4])
            # The scale keeps the numbers of long chains small.
            self.define(f"MatMulNode(${x}, ${y})", array @ self.nodes[y])
        elif kind == "rms":
            y = self.pick(lambda other: array.ndim == 1 and
                          other.shape == array.shape)
            if y is not None:
                self.define(f"RMSNormNode(${x}, ${y})",
                            rms_norm(array, self.nodes[y]))
        elif kind == "complex":
            if array.shape[-1] == 2:
                self.define(f"ComplexHadamardProductNode(${x}, ${x})",
                            complex_mul(array, array))
        elif kind == "softmax":
            prefix = rng.randrange(array.shape[-1] + 1)
            p = prefix if rng.random() < 0.5 else f"${self.position(prefix)}"
            self.define(f"SlicedSoftmaxNode(${x}, {p})",
                        softmax_prefix(array, prefix))
        elif kind == "tensor":
            self.add_tensor(rng.choice(["ConstantTensor", "BufferTensor"]))
        elif kind == "reshape":
            shapes = [s for s in SHAPES if np.prod(s) == array.size]
            shapes.append([array.size])
            shape = rng.choice(shapes)
            view = array.reshape(shape)
            assert np.shares_memory(view, array)
            self.define(f"ReshapeNode(${x}, {shape})", view)
        elif kind == "slice":
            end = rng.randrange(1, array.shape[0] + 1)
            begin = rng.randrange(end)
            self.define(f"SliceNode(${x}, {begin}, {end})", array[begin:end])
        elif kind == "replace":
            if rng.random() < 0.7:
                rows = rng.randrange(1, array.shape[0] + 1)
                y = self.add_tensor("InputTensor", [rows, *array.shape[1:]])
            else:
                y = self.pick(lambda other: other.ndim == array.ndim and
                              other.shape[1:] == array.shape[1:] and
                              other.shape[0] <= array.shape[0])
                y = y or x
            other = self.nodes[y]
            begin = rng.randrange(array.shape[0] - other.shape[0] + 1)
            end = begin + other.shape[0]
            b, e = self.position(begin), self.position(end)
            array[begin:end] = other.copy()
            self.written = array
            self.define(f"ReplaceSliceNode(${x}, ${y}, ${b}, ${e})", array)


    def add_operator_of_version2(self):
        """One with attributes that are numbers or words, or with other types
        in between."""
        rng = self.rng
        x = self.pick()
        array = self.nodes[x]
        kind = rng.choice(["norm", "sum of exp", "compare", "cast", "reduce", "pad"])
        if kind == "norm":
            epsilon = rng.choice(["1", "0.5", "1e-05", "1.25E+2"])
            self.define(f"LayerNormNode(${x}, epsilon = {epsilon})",
                        layer_norm(array, float(epsilon)))
        elif kind == "sum of exp" and array.ndim > 1:
            self.define(f"LogSumExpNode(${x})", log_sum_exp(array))
        elif kind == "compare":
            word = rng.choice(list(PREDICATES))
            value = PREDICATES[word](array, array)
            y = self.define(f"CompareNode(${x}, ${x}, predicate = {word})",
                            value)
            del self.nodes[y]
            self.define(f"CastNode(${y}, type = float32)", value.astype(float))
        elif kind == "cast":
            y = self.define(f"CastNode(${x}, type = float64)", array)
            del self.nodes[y]
            self.define(f"CastNode(${y}, type = float32)", array.copy())
        elif kind == "reduce" and array.ndim > 1:
            word = rng.choice(list(COMBINERS))
            dim = rng.randrange(array.ndim)
            self.define(f"ReduceNode(${x}, combiner = {word}, dims = [{dim}])",
                        COMBINERS[word](array, axis=dim))
        elif kind == "pad" and array.size < 10 * COUNT:
            low, high = ([rng.randrange(2) for _ in array.shape]
                         for _ in range(2))
            value = rng.choice(["0", "-0.5", "3", "inf"])
            self.define(
                f"PadNode(${x}, low = {low}, high = {high}, "
                f"interior = {[0] * array.ndim}, value = {value})",
                np.pad(array, list(zip(low, high)),
                       constant_values=float(value)))


def number(text):
    """A number as MLIR prints it: infinity by its bits."""
    return float("inf") if text.startswith("0x") else float(text)


def evaluate(graph, program):
    """Runs the text of a graph; returns its result and the buffers after it."""
    values = {}
    buffers = {name: array.copy() for name, array in program.buffers.items()}
    # NOTE: the generator wrote to the arrays of the nodes, not to these.
    header = re.search(r"func\.func @main\((.*)\) -> ", graph).group(1)
    for name, label in re.findall(
            r'(%\w+): tensor<[^>]*> \{hamkaas\.name = "(\w+)"\}', header):
        values[name] = program.inputs[label]
    result = None
    for line in graph.splitlines():
        line = line.strip()
        operands = [values.get(name) for name in
                    re.findall(r"%\w+", line.split(" = ", 1)[-1])]
        numbers = re.search(r"\[([\d, ]*)\]", line)
        numbers = ([int(n) for n in numbers.group(1).split(", ")]
                   if numbers else None)
        if line.startswith("return"):
            result = operands[0]
            continue
        store = re.match(r"ml_program\.global_store @(\w+) = (%\w+)", line)
        if store:
            buffers[store.group(1)] = values[store.group(2)]
            continue
        match = re.match(r"(%\w+) = (\S+)", line)
        if not match:
            continue
        target, op = match.groups()
        last_shape = [int(n) for n in
                      re.findall(r"tensor<((?:\d+x)+)[fi]", line)[-1]
                      .strip("x").split("x")]
        symbol = re.search(r"@(\w+)", line)
        if op == "ml_program.global_load_const":
            value = program.constants[symbol.group(1)]
        elif op == "ml_program.global_load":
            value = program.buffers[symbol.group(1)]
        elif op == "arith.constant":
            value = np.array([int(re.search(r"dense<(\d+)>", line).group(1))])
        elif op == "hamkaas.add":
            value = operands[0] + operands[1]
        elif op == "hamkaas.mul":
            value = operands[0] * operands[1]
        elif op == "hamkaas.relu":
            value = np.maximum(operands[0], 0)
        elif op == "hamkaas.silu":
            value = operands[0] / (1 + np.exp(-operands[0]))
        elif op == "hamkaas.permute":
            value = np.transpose(operands[0], numbers)
        elif op == "hamkaas.matmul":
            value = operands[0] @ operands[1]
        elif op == "hamkaas.rms_norm":
            value = rms_norm(*operands)
        elif op == "hamkaas.complex_mul":
            value = complex_mul(*operands)
        elif op == "hamkaas.sliced_softmax":
            static = re.search(r"static_prefix (\d+)", line)
            value = softmax_prefix(operands[0], int(static.group(1)) if static
                                   else operands[1][0])
        elif op == "hamkaas.layer_norm":
            epsilon = re.search(r"epsilon (\S+)", line).group(1)
            value = layer_norm(operands[0], number(epsilon))
        elif op == "hamkaas.log_sum_exp":
            value = log_sum_exp(operands[0])
        elif op == "hamkaas.compare":
            word = re.search(r"compare\s+(\w+)", line).group(1)
            value = PREDICATES[word](*operands)
        elif op == "hamkaas.cast":
            value = operands[0].astype(float)
        elif op == "hamkaas.reduce":
            word = re.search(r"reduce\s+(\w+)", line).group(1)
            value = COMBINERS[word](operands[0], axis=numbers[0])
        elif op == "hamkaas.pad":
            low, high = ([int(n) for n in re.search(
                rf"{side} \[([\d, ]*)\]", line).group(1).split(", ")]
                         for side in ("low", "high"))
            fill = number(re.search(r"value (\S+)", line).group(1))
            value = np.pad(operands[0], list(zip(low, high)),
                           constant_values=fill)
        elif op == "hamkaas.reshape":
            value = operands[0].reshape(last_shape)
        elif op == "hamkaas.slice":
            value = operands[0][numbers[0]:numbers[1]]
        elif op == "hamkaas.replace_slice":
            value = operands[0].copy()
            begin, end = operands[2][0], operands[3][0]
            assert end - begin == len(operands[1]) and end <= len(value)
            value[begin:end] = operands[1]
        else:
            raise ValueError(line)
        values[target] = value
    return result, buffers


def close(a, b):
    with np.errstate(all="ignore"):
        return np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True)


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    print(f"{count} scripts from seed {seed}")
    np.seterr(all="ignore")
    programs = [Generator(random.Random(f"{seed} {i}")) for i in range(count)]
    scripts = ["\n".join(program.lines) + "\n" for program in programs]
    # The values that the buffers start with are those before all writes.
    graphs = translate(scripts, "--import-script")
    for script, graph, program in zip(scripts, graphs, programs):
        result, buffers = evaluate(graph, program)
        after = {name: program.nodes[int(re.search(
            rf"\$(\d+) = BufferTensor\({name},", script).group(1))]
            for name in program.buffers}
        if not close(result, program.result) or not all(
                close(buffers[name], after[name]) for name in after):
            sys.exit(f"another result than the script:\n{script}{graph}")
    printed = translate(graphs, "--export-script")
    for script, graph, text, again in zip(
            scripts, graphs, printed, translate(printed, "--import-script")):
        if graph != again:
            sys.exit(f"another graph:\n{script}{graph}{text}{again}")
    if translate(graphs, "--export-script") != printed:
        sys.exit("printing is not canonical")


main()
