# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random scripts of version 3: all element types, contents of random bits,
names of random characters, loops in loops. Each is read, printed and read again:
the graph must be the same, and be printed the same again.

    random_scripts3.py COUNT SEED
"""

import random
import sys

import numpy as np

from translation import translate

FLOATS = {"float64": 64, "float32": 32, "float16": 16, "bfloat16": 16}
SIGNED = {"int64": 64, "int32": 32, "int16": 16, "int8": 8}
UNSIGNED = {f"u{name}": bits for name, bits in SIGNED.items()}
WIDTHS = {**FLOATS, **SIGNED, **UNSIGNED, "bool": 1}
UNARY = ["abs", "exp", "floor", "neg", "relu", "sigmoid", "sqrt", "tanh"]
BINARY = ["add", "sub", "mul", "max", "min"]


class Generator:
    """Writes a script, and knows the types of the nodes."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = ["version = 3;"]
        self.scope = {}  # id -> (type, shape), of the innermost body
        self.names = set()
        self.states = []
        self.indent = ""
        for _ in range(rng.randrange(1, 4)):
            self.add_tensor()
        for _ in range(rng.randrange(1, 20)):
            self.add_node()
        for state in self.states:
            same = [i for i, t in self.scope.items() if t == self.scope[state]]
            self.write(f"store(${state}, ${rng.choice(same)});")
        for i in rng.sample(list(self.scope), rng.randrange(
                1, min(4, len(self.scope)) + 1)):
            self.write(f"output({self.name()}, ${i});")

    def write(self, line):
        space = self.rng.choice(["", "  ", "\n", " # a comment\n", "\t"])
        self.lines.append(f"{self.indent}{line}{space}")

    def name(self):
        while True:
            name = "".join(self.rng.choice('ab,()[]{}"\\ #;$=ä語')
                           for _ in range(self.rng.randrange(1, 12)))
            if name not in self.names:
                self.names.add(name)
                escaped = name.replace("\\", "\\\\").replace('"', '\\"')
                return f'"{escaped}"'

    def define(self, text, *types):
        ids = []
        for tensor in types:
            number = self.rng.randrange(1 << 62)
            self.scope[number] = tensor
            ids.append(f"${number}")
        self.write(f"{', '.join(ids)} = {text}" +
                   ("" if text.endswith("{") else ";"))
        return number

    def shape(self):
        return [self.rng.randrange(1, 4)
                for _ in range(self.rng.randrange(0, 4))]

    def number(self, kind):
        """One of a few, or any bits."""
        rng = self.rng
        if kind == "bool":
            return rng.choice(["true", "false"])
        if kind in FLOATS:
            width = FLOATS[kind]
            bits = f"0x{rng.getrandbits(width):0{width // 4}x}"
            return rng.choice(["0", "-0.0", "1.5e-3", "inf", "-inf", "nan",
                               bits, bits])
        width = WIDTHS[kind]
        low = 0 if kind in UNSIGNED else -(1 << (width - 1))
        return str(rng.choice([low, low + (1 << width) - 1,
                               low + rng.getrandbits(width)]))

    def contents(self, kind, shape):
        if self.rng.random() < 0.4:
            return self.number(kind)
        return "[" + ", ".join(self.number(kind)
                               for _ in range(int(np.prod(shape)))) + "]"

    def add_tensor(self):
        rng = self.rng
        kind, shape = rng.choice(list(WIDTHS)), self.shape()
        word = rng.choice(["input", "parameter", "state"])
        more = ""
        if word != "input":
            more = rng.choice(["", ", extern", f", {self.contents(kind, shape)}"])
        number = self.define(f"{word}({self.name()}, {kind}, {shape}{more})",
                             (kind, shape))
        if word == "state":
            self.states.append(number)

    def add_node(self):
        rng = self.rng
        x = rng.choice(list(self.scope))
        kind, shape = self.scope[x]
        choice = rng.choice(["tensor", "constant", "unary", "binary", "cast",
                             "concat", "pad", "iota", "reduce", "reshape",
                             "softmax", "scan"])
        if choice == "tensor" and not self.indent:
            self.add_tensor()
        elif choice == "constant":
            kind, shape = rng.choice(list(WIDTHS)), self.shape()
            self.define(f"constant({kind}, {shape}, "
                        f"{self.contents(kind, shape)})", (kind, shape))
        elif choice == "unary" and kind in FLOATS:
            self.define(f"{rng.choice(UNARY)}(${x})", (kind, shape))
        elif choice == "binary" and kind != "bool":
            self.define(f"{rng.choice(BINARY)}(${x}, ${x})", (kind, shape))
        elif choice == "cast":
            kind = rng.choice(list(WIDTHS))
            self.define(f"cast(${x}, type={kind})", (kind, shape))
        elif choice == "concat" and shape:
            dim = rng.randrange(len(shape))
            count = rng.randrange(1, 4)
            self.define(f"concat({', '.join([f'${x}'] * count)}, dim={dim})",
                        (kind, [size * count if i == dim else size
                                for i, size in enumerate(shape)]))
        elif choice == "pad":
            low, high = ([rng.randrange(3) for _ in shape] for _ in range(2))
            self.define(f"pad(${x}, value={self.number(kind)}, low={low}, "
                        f"high={high}, interior={[0] * len(shape)})",
                        (kind, [a + b + c for a, b, c in
                                zip(shape, low, high)]))
        elif choice == "iota" and kind != "bool":
            shape = self.shape() + [2]
            self.define(f"iota(dim=0, shape={shape}, type={kind})",
                        (kind, shape))
        elif choice == "reduce" and shape and kind != "bool":
            word = rng.choice(["sum", "prod", "max", "min"])
            self.define(f"reduce(${x}, combiner={word}, dims=[0])",
                        (kind, shape[1:]))
        elif choice == "reshape" and len(shape) < 7:
            self.define(f"reshape(${x}, shape={shape + [1]})",
                        (kind, shape + [1]))
        elif choice == "softmax" and kind == "float32" and shape:
            flag = rng.choice(["", ", unchecked=true", ", unchecked=false"])
            self.define(f"sliced_softmax(${x}, none, static_prefix=0{flag})",
                        (kind, shape))
        elif choice == "scan" and len(self.indent) < 6:
            self.add_scan(x)

    def add_scan(self, x):
        """A loop over the rows of `x`; what each step hands on is another
        node."""
        rng = self.rng
        kind, shape = self.scope[x]
        outside, self.scope = self.scope, {}
        initial = rng.choice(list(outside))
        lines, self.lines = self.lines, []
        self.indent += "  "
        self.define(f"init(${initial})", outside[initial])
        if shape:
            self.define(f"row(${x})", (kind, shape[1:]))
        value = rng.choice(list(outside))
        self.define(f"value(${value})", outside[value])
        for _ in range(rng.randrange(5)):
            self.add_node()
        next_one = rng.choice([i for i, t in self.scope.items()
                               if t == outside[initial]])
        rows = [i for i in rng.sample(list(self.scope), 1)
                if len(self.scope[i][1]) < 6]
        self.write(f"yield({', '.join(f'${i}' for i in [next_one, *rows])});")
        self.indent = self.indent[2:]
        self.write("}")
        steps = shape[0] if shape else rng.randrange(1, 5)
        results = [outside[initial]] + [
            (self.scope[i][0], [steps, *self.scope[i][1]]) for i in rows]
        body, self.lines, self.scope = self.lines, lines, outside
        flag = rng.choice(["", ", reversed=true", ", reversed=false"])
        self.define(f"scan(steps={steps}{flag}) {{", *results)
        self.lines += body


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    scripts = ["\n".join(Generator(random.Random(f"{seed} {i}")).lines) + "\n"
               for i in range(count)]
    print(f"{count} scripts of {sum(s.count(';') for s in scripts)} statements "
          f"from seed {seed}")
    graphs = translate(scripts, "--import-script")
    export = ["--export-script", "--script-version=3"]
    printed = translate(graphs, *export)
    again = translate(printed, "--import-script")
    for script, graph, text, other in zip(scripts, graphs, printed, again):
        if graph != other:
            sys.exit(f"another graph:\n{script}{graph}{text}{other}")
    if translate(again, *export) != printed:
        sys.exit("printing is not canonical")


main()
