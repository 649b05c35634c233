# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random convolutions and products of matrices by an engine, on several numbers
of threads, against the interpreter.

    random-products.py ENGINE SEED COUNT LEAST FOLDER

Of COUNT results at least LEAST must be the engine's. Some of the right sides and
of the operands of steps are weights.
"""

import json
import random
import re
import struct
import subprocess
import sys


class Model:
    def __init__(self):
        self.arguments = []
        self.body = []
        self.results = []
        self.weights = {}
        self.count = 0

    def value(self):
        self.count += 1
        return f"%v{self.count}"

    def input(self, shape):
        name = f"x{len(self.arguments)}"
        self.arguments.append(f'%{name}: {show(shape)} {{hamkaas.name = "{name}"}}')
        return f"%{name}"

    def weight(self, shape):
        name = f"w{len(self.weights)}"
        self.weights[name] = shape
        value = self.value()
        self.body.append(
            f"{value} = ml_program.global_load_const @{name} : {show(shape)}"
        )
        return value

    def operand(self, shape):
        return self.weight(shape) if random.random() < 0.5 else self.input(shape)

    def add(self, text):
        value = self.value()
        self.body.append(f"{value} = {text}")
        return value

    def print(self):
        lines = [
            f'ml_program.global private @{name}(#ml_program.extern : {show(shape)}) : '
            f"{show(shape)}"
            for name, shape in self.weights.items()
        ]
        types = ", ".join(
            f'{show(shape)} {{hamkaas.name = "y{i}"}}'
            for i, (_, shape) in enumerate(self.results)
        )
        lines.append(f"func.func @main({', '.join(self.arguments)}) -> ({types}) {{")
        lines += [f"  {line}" for line in self.body]
        values = ", ".join(value for value, _ in self.results)
        shapes = ", ".join(show(shape) for _, shape in self.results)
        lines += [f"  return {values} : {shapes}", "}"]
        return "\n".join(lines) + "\n"


def show(shape):
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


def make_convolution(model):
    spatial = random.choice([1, 2, 2, 2, 3])
    most = {1: 60, 2: 20, 3: 9}[spatial]
    groups = random.choice([1, 1, 1, 2, 3, 8])
    channels = groups * random.choice([1, 1, 3, 4, 8])
    # The comparison is relative to the largest value of a row.
    filters = groups * random.choice([1, 2, 16] if groups > 4 else [5, 8, 16])
    window = [random.randint(1, 4) for _ in range(spatial)]
    strides = [random.choice([1, 1, 2, 3]) for _ in range(spatial)]
    dilations = [random.choice([1, 1, 1, 2]) for _ in range(spatial)]
    low = [random.choice([0, 0, 1, 2]) for _ in range(spatial)]
    high = [random.choice([0, 0, 1, 2]) for _ in range(spatial)]
    sizes, out = [], []
    for w, s, d, l, h in zip(window, strides, dilations, low, high):
        extent = (w - 1) * d + 1
        size = random.randint(max(1, extent - l - h), most)
        sizes.append(size)
        out.append((size + l + h - extent) // s + 1)
    batch = random.choice([1, 1, 2, 5])
    x, w = [batch, *sizes, channels], [*window, channels // groups, filters]
    value = model.add(
        f"hamkaas.conv {model.input(x)}, {model.operand(w)} strides {strides} "
        f"dilations {dilations} pad {low} to {high} groups {groups} : "
        f"{show(x)}, {show(w)}"
    )
    return value, [batch, *out, filters]


def make_matmul(model):
    rows, depth, columns = (random.choice([1, 3, 17, 64, 130]) for _ in range(3))
    columns = max(columns, 5)
    batch = random.choice([[], [], [3], [40]])
    # Large enough to be cut along the columns.
    if not batch and rows < 4:
        depth, columns = 700, 1100
    left, right = [*batch, rows, depth], [*batch, depth, columns]
    value = model.add(
        f"hamkaas.matmul {model.input(left)}, {model.operand(right)} : "
        f"{show(left)}, {show(right)}"
    )
    return value, [*batch, rows, columns]


def add_step(model, value, shape):
    operation = random.choice(
        ["add", "add", "add", "mul", "mul", "relu", "relu", "abs", "hard_swish"]
        + ["sigmoid", "tanh"]
    )
    if operation not in ("add", "mul"):
        return model.add(f"hamkaas.{operation} {value} : {show(shape)}")
    other = [1] * (len(shape) - 1) + shape[-1:] if random.random() < 0.6 else shape
    return model.add(
        f"hamkaas.{operation} {value}, {model.operand(other)} : "
        f"{show(shape)}, {show(other)}"
    )


def make_model(count):
    model = Model()
    for _ in range(count):
        make = make_convolution if random.random() < 0.7 else make_matmul
        value, shape = make(model)
        for _ in range(random.choice([0, 1, 1, 2, 3])):
            value = add_step(model, value, shape)
        model.results.append((value, shape))
    return model


def write_weights(model, path):
    header, data = {}, b""
    for name, shape in model.weights.items():
        size = 1
        for each in shape:
            size *= each
        begin = len(data)
        data += struct.pack(f"<{size}f", *(random.uniform(-1, 1) for _ in range(size)))
        header[name] = {
            "dtype": "F32",
            "shape": shape,
            "data_offsets": [begin, len(data)],
        }
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def run(model, folder, engine, knobs, threads):
    """The digests of the results, and the number of calls of the engine."""
    done = subprocess.run(
        [
            "hamkaas-run",
            f"{folder}/random.mlir",
            f"--weights={folder}/random.safetensors",
            f"--engine={engine}{knobs}",
            f"--threads={threads}",
            "--check-against=reference",
            "--emit-report",
            "--digest",
        ]
        + [f"--input=x{i}=random" for i in range(len(model.arguments))],
        capture_output=True,
        text=True,
    )
    agrees = done.stdout.count("agrees with reference")
    if done.returncode or agrees != len(model.results):
        sys.exit(f"{knobs}: {done.stdout}\n{done.stderr}")
    return (
        re.findall("^digest of .*$", done.stdout, re.MULTILINE),
        done.stdout.count(f"({engine})"),
    )


def main():
    engine, seed, count, least, folder = sys.argv[1:]
    random.seed(int(seed))
    model = make_model(int(count))
    with open(f"{folder}/random.mlir", "w") as file:
        file.write(model.print())
    write_weights(model, f"{folder}/random.safetensors")
    for knobs in "", ":tiles=1", ":tiles=7", ":layout=blocked", ":winograd=on":
        first, calls = run(model, folder, engine, knobs, 1)
        if len(first) != int(count):
            sys.exit(f"expected {count} digests, got {first}")
        if calls < int(least):
            sys.exit(f"{knobs}: expected {least} calls of {engine}, got {calls}")
        for threads in 2, 3:
            if run(model, folder, engine, knobs, threads)[0] != first:
                sys.exit(f"{knobs}: other bits on {threads} threads")
        print(f"{engine}{knobs}: {calls} calls, equal bits")


main()
