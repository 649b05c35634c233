# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs random graphs with and without optimizations and compares the results.

usage: optimized-graphs.py [--seed=S] [--count=N] [--only=I] [--print]

The graphs hold what the optimizer looks for: permutes around pointwise
operations and reductions, neutral operands, chains of limits, casts and scales,
and normalizations and activations taken apart. Of each,

* no pass changes what the interpreter makes of the graph,
* the optimized program agrees with the interpreter, which runs the graph as it
  is, within the error of single precision,
* the program that exact optimizations alone have worked on agrees bit for bit
  with the one that none has, unless rounding depends on the order of a sum; of
  limits, but for the sign of a zero.

At least a third of the graphs must lose a node to the optimizer.
"""

import argparse
import concurrent.futures
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

INEXACT = "fold-constants,raise,fold-affine"


class Graph:
    """A random graph as text, of values (name, shape) in float32."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines, self.values, self.count = [], [], 0
        self.globals = []
        self.sums = self.jumps = False
        self.inputs = [self.shape() for _ in range(self.rng.randint(1, 2))]
        for i, shape in enumerate(self.inputs):
            self.values.append((f"%x{i}", shape))
        steps = [self.unary, self.unary, self.binary, self.permute,
                 self.permute, self.between_permutes, self.limits, self.neutral,
                 self.affine, self.affine, self.reduce, self.casts,
                 self.layer_norm, self.log_sum_exp, self.silu, self.matmul,
                 self.constants, self.softmax, self.rms_norm, self.gelu,
                 self.hard_swish, self.cut, self.cut, self.concat]
        for _ in range(self.rng.randint(4, 20)):
            self.rng.choice(steps)()
        self.result = self.values[-1]

    def shape(self):
        rank = self.rng.choice([2, 3, 4, 4])
        return tuple(self.rng.choice([1, 2, 3, 4, 5, 8]) for _ in range(rank))

    @staticmethod
    def type(shape, element="f32"):
        return f"tensor<{'x'.join(map(str, shape))}x{element}>"

    def pick(self):
        if self.rng.random() < 0.85:
            return self.values[-1]
        return self.rng.choice(self.values)

    def add(self, text, shape):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        self.values.append((name, tuple(shape)))
        return self.values[-1]

    def constant(self, number, shape):
        value = self.add(f"hamkaas.constant dense<{float(number):.6e}> : "
                         f"{self.type(shape)}", shape)
        self.values.pop()
        return value

    def parameter(self, shape):
        name = f"@p{len(self.globals)}"
        numbers = np.array([self.rng.choice([-2.0, -1.0, 0.5, 1.5, 3.0])
                            for _ in range(int(np.prod(shape)))])
        text = json.dumps(numbers.reshape(shape).tolist())
        self.globals.append(
            f"ml_program.global private {name}(dense<{text}> : "
            f"{self.type(shape)}) : {self.type(shape)}")
        value = self.add(f"ml_program.global_load_const {name} : "
                         f"{self.type(shape)}", shape)
        self.values.pop()
        return value

    def repeated(self, shape):
        return tuple(self.rng.choice([1, d]) for d in shape)

    def apply(self, op, x, y=None):
        if y is None:
            return self.add(f"hamkaas.{op} {x[0]} : {self.type(x[1])}", x[1])
        return self.add(f"hamkaas.{op} {x[0]}, {y[0]} : {self.type(x[1])}, "
                        f"{self.type(y[1])}", x[1])

    # Patterns that the optimizer looks for.

    def unary(self):
        self.apply(self.rng.choice(["relu", "neg", "abs", "sigmoid"]),
                   self.pick())

    def binary(self):
        x = self.pick()
        same = [v for v in self.values if v[1] == x[1]]
        op = self.rng.choice(["add", "sub", "max", "min"])
        if self.rng.random() < 0.3:
            small = self.parameter(self.repeated(x[1]))
            y = self.add(f"hamkaas.broadcast {small[0]} : "
                         f"{self.type(small[1])} -> {self.type(x[1])}", x[1])
            x, y = self.rng.choice([(x, y), (y, x)])
        else:
            y = self.rng.choice(same)
        self.apply(op, x, y)

    def permute(self, x=None, order=None):
        x = x or self.pick()
        order = order or self.rng.sample(range(len(x[1])), len(x[1]))
        return self.add(f"hamkaas.permute {x[0]}{list(order)} : "
                        f"{self.type(x[1])}", [x[1][i] for i in order])

    def between_permutes(self):
        x = self.pick()
        order = self.rng.sample(range(len(x[1])), len(x[1]))
        value = self.permute(x, order)
        for _ in range(self.rng.randint(1, 4)):
            same = value[1] == tuple(x[1][i] for i in order)
            if same and self.rng.random() < 0.3:
                value = self.apply("add", value, self.permute(x, order))
            elif self.rng.random() < 0.3:
                value = self.apply("mul", value,
                                   self.parameter(self.repeated(value[1])))
            elif self.rng.random() < 0.5:
                value = self.rng.choice([self.pad, self.cut, self.gather,
                                         self.concat, self.cumsum])(value)
            else:
                value = self.apply(self.rng.choice(["relu", "neg", "sigmoid"]),
                                   value)
        self.permute(value, list(np.argsort(order)))

    def pad(self, x=None):
        x = x or self.pick()
        low, high, interior = ([self.rng.choice([0, 0, 0, 1]) for _ in x[1]]
                               for _ in range(3))
        return self.add(f"hamkaas.pad {x[0]} low {low} high {high} interior "
                        f"{interior} value 0.5 : f32 : {self.type(x[1])}",
                        [l + d + (d - 1) * i + h for l, d, i, h
                         in zip(low, x[1], interior, high)])

    def cut(self, x=None):
        x = x or self.pick()
        offsets = [self.rng.randrange(d) if self.rng.random() < 0.4 else 0
                   for d in x[1]]
        strides = [1 if o == 0 else self.rng.choice([1, 2, -1])
                   for o in offsets]
        room = [o if s < 0 else d - 1 - o
                for d, o, s in zip(x[1], offsets, strides)]
        sizes = [r // abs(s) + 1 for r, s in zip(room, strides)]
        return self.add(f"hamkaas.strided_slice {x[0]} offsets {offsets} sizes "
                        f"{sizes} strides {strides} : {self.type(x[1])}", sizes)

    def gather(self, x=None):
        x = x or self.pick()
        dim = self.rng.randrange(len(x[1]))
        size = x[1][dim]
        indices = [self.rng.randrange(-size, size)
                   for _ in range(self.rng.choice([1, 2, 5]))]
        c = self.add(f"hamkaas.constant dense<{indices}> : "
                     f"tensor<{len(indices)}xi64>", [len(indices)])[0]
        self.values.pop()
        shape = list(x[1])
        shape[dim] = len(indices)
        return self.add(f"hamkaas.gather {x[0]}, {c} dim {dim} : "
                        f"{self.type(x[1])}, tensor<{len(indices)}xi64>", shape)

    def concat(self, x=None):
        x = x or self.pick()
        dim = self.rng.randrange(len(x[1]))
        pieces = [x] + [self.rng.choice([v for v in self.values
                                         if v[1] == x[1]])
                        for _ in range(self.rng.randint(1, 2))]
        self.rng.shuffle(pieces)
        shape = list(x[1])
        shape[dim] *= len(pieces)
        return self.add(f"hamkaas.concat {', '.join(p[0] for p in pieces)} dim "
                        f"{dim} : "
                        f"{', '.join(self.type(p[1]) for p in pieces)}", shape)

    def cumsum(self, x=None):
        x = x or self.pick()
        self.sums = True
        return self.add(f"hamkaas.cumsum {x[0]} dim "
                        f"{self.rng.randrange(len(x[1]))} : {self.type(x[1])}",
                        x[1])

    def limits(self):
        x = self.pick()
        for _ in range(self.rng.randint(2, 4)):
            limit = self.constant(self.rng.choice([-1, -0.0, 0, 1, 6]),
                                  [1] * len(x[1]))
            x = self.apply(self.rng.choice(["max", "min"]), x, limit)
            if self.rng.random() < 0.2:
                x = self.apply("relu", x)

    def neutral(self):
        x = self.pick()
        op, number = self.rng.choice([("mul", 1), ("div", 1), ("add", -0.0),
                                      ("sub", 0), ("mul", -1), ("div", 4),
                                      ("add", 0.0)])
        self.apply(op, x, self.constant(number, [1] * len(x[1])))

    def affine(self):
        x = self.pick()
        channels = (1,) * (len(x[1]) - 1) + x[1][-1:]
        for _ in range(self.rng.randint(1, 4)):
            op = self.rng.choice(["mul", "add", "sub", "div"])
            x = self.apply(op, x, self.parameter(channels))

    def reduce(self, x=None, kind=None, dims=None):
        x = x or self.pick()
        if dims is None and len(x[1]) < 3:
            return None
        dims = dims or sorted(self.rng.sample(range(len(x[1])),
                                              self.rng.randint(1, 2)))
        kind = kind or self.rng.choice(["max", "min", "sum"])
        self.sums |= kind == "sum"
        shape = [d for i, d in enumerate(x[1]) if i not in dims]
        if not shape:
            return None
        value = self.add(f"hamkaas.reduce {kind} {x[0]} over {dims} : "
                         f"{self.type(x[1])}", shape)
        if len(shape) == 1:
            value = self.reshape(value, [1, *shape])
        return value

    def reshape(self, x, shape):
        return self.add(f"hamkaas.reshape {x[0]} : {self.type(x[1])} -> "
                        f"{self.type(shape)}", shape)

    def casts(self):
        x = self.pick()
        over = self.rng.choice(["f64", "f64", "f16"])
        # The next number of 16 bits is far away.
        self.jumps |= over == "f16"
        name = self.add(f"hamkaas.cast {x[0]} : {self.type(x[1])} -> "
                        f"{self.type(x[1], over)}", x[1])[0]
        self.values.pop()
        self.add(f"hamkaas.cast {name} : {self.type(x[1], over)} -> "
                 f"{self.type(x[1])}", x[1])

    def row_reduce(self, kind, x):
        last = len(x[1]) - 1
        self.sums |= kind == "sum"
        name = self.add(f"hamkaas.reduce {kind} {x[0]} over [{last}] : "
                        f"{self.type(x[1])}", x[1][:-1])
        self.values.pop()
        return self.reshape(name, (*x[1][:-1], 1))

    def mean(self, x):
        total = self.row_reduce("sum", x)
        return self.apply("div", total,
                          self.constant(x[1][-1], [1] * len(x[1])))

    def layer_norm(self):
        x = self.pick()
        centered = self.apply("sub", x, self.mean(x))
        square = self.apply("mul", centered, centered)
        sum = self.apply("add", self.mean(square),
                         self.constant(0.25, [1] * len(x[1])))
        self.apply("div", centered, self.apply("sqrt", sum))

    def rms_norm(self):
        x = self.pick()
        square = self.mean(self.apply("mul", x, x))
        sum = self.apply("add", square, self.constant(0.25, [1] * len(x[1])))
        x = self.apply("div", x, self.apply("sqrt", sum))
        if self.rng.random() < 0.7:
            gain = (1,) * (len(x[1]) - 1) + x[1][-1:]
            self.apply("mul", x, self.parameter(gain))

    def product(self, *factors):
        """Of values and numbers, in any order."""
        factors = list(factors)
        self.rng.shuffle(factors)
        if not isinstance(factors[0], tuple):
            factors.reverse()
        product, *others = factors
        for factor in others:
            if not isinstance(factor, tuple):
                factor = self.constant(factor, [1] * len(product[1]))
            product = self.apply("mul", product, factor)
        return product

    def sum(self, x, number):
        return self.apply("add", x, self.constant(number, [1] * len(x[1])))

    def gelu(self):
        x = self.pick()
        if self.rng.random() < 0.5:
            inner = self.apply("erf", self.product(x, np.sqrt(0.5)))
        else:
            slope = np.sqrt(2 / np.pi)
            cube = self.product(x, self.product(x, x), 0.044715)
            inner = self.apply("add", x, cube)
            inner = self.apply("tanh", self.product(inner, slope))
        self.product(x, 0.5, self.sum(inner, 1))

    def hard_swish(self):
        x = self.pick()
        scale = self.rng.choice([1, 1 / 6])
        y = self.sum(self.product(x, 1 / (6 * scale)), 0.5 / scale)
        for op, limit in (("max", 0), ("min", 1 / scale)):
            y = self.apply(op, y, self.constant(limit, [1] * len(x[1])))
        self.product(x, y, scale)

    def softmax(self):
        x = self.pick()
        shifted = self.apply("sub", x, self.row_reduce("max", x))
        exponential = self.apply("exp", shifted)
        self.apply("div", exponential, self.row_reduce("sum", exponential))

    def log_sum_exp(self):
        """One result a row: of what is computed on the way, too."""
        x = self.pick()
        if self.rng.random() < 0.5:
            x = self.product(x, 0.5)
        name = self.add(f"hamkaas.log_sum_exp {x[0]} : {self.type(x[1])}",
                        x[1][:-1])
        self.values.pop()
        result = self.reshape(name, (*x[1][:-1], 1))
        self.apply(self.rng.choice(["sub", "add"]), x, result)

    def silu(self):
        x = self.pick()
        self.apply("mul", x, self.apply("sigmoid", x))

    def matmul(self):
        x = self.pick()
        rows = self.reshape(x, (int(np.prod(x[1][:-1])), x[1][-1]))
        w = self.parameter((x[1][-1], self.rng.choice([1, 3, 16])))
        self.sums = True
        self.add(f"hamkaas.matmul {rows[0]}, {w[0]} : {self.type(rows[1])}, "
                 f"{self.type(w[1])}", (rows[1][0], w[1][1]))
        if self.rng.random() < 0.5:
            self.reshape(self.values[-1], (*x[1][:-1], w[1][1]))
        self.affine()

    def constants(self):
        x = self.pick()
        c = self.constant(self.rng.choice([0.5, 2, 3]), x[1])
        c = self.apply(self.rng.choice(["sqrt", "neg", "exp"]), c)
        c = self.permute(c, range(len(x[1])))
        self.apply("mul", x, c)

    def limits_zero(self):
        """Of 0.0 and -0.0, a kernel takes either for the larger one."""
        return any(f"hamkaas.{op}" in line for line in self.lines
                   for op in ("max", "min", "reduce max", "reduce min"))

    def text(self):
        inputs = ", ".join(f'%x{i}: {self.type(s)} {{hamkaas.name = "x{i}"}}'
                           for i, s in enumerate(self.inputs))
        name, shape = self.result
        return "\n".join([
            *self.globals,
            f"func.func @main({inputs}) -> ({self.type(shape)} "
            '{hamkaas.name = "result"}) {',
            *self.lines, f"  return {name} : {self.type(shape)}", "}", ""])


class Failure(Exception):
    pass


def execute(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True,
                          text=True)
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode} of "
                      f"{' '.join(map(str, command))}\n{done.stderr}")
    return done.stdout


def run(folder, model, inputs, *options):
    output = folder / "out.npy"
    execute("hamkaas-run", model, *inputs, f"--output=result={output}",
            *options)
    return np.load(output)


def expect_close(got, expected):
    scale = float(np.max(np.abs(expected), initial=0,
                         where=np.isfinite(expected)))
    same = (got == expected) | (np.isnan(got) & np.isnan(expected))
    with np.errstate(all="ignore"):
        if not np.all(same | (np.abs(got - expected) <= 1e-4 * scale + 1e-5)):
            raise Failure(f"expected {expected.ravel()[:8]}, "
                          f"got {got.ravel()[:8]}")


def check(seed):
    """The error about a graph, and whether the optimizer changed it."""
    graph = Graph(seed)
    numbers = np.random.default_rng(graph.rng.getrandbits(32))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        model = folder / "model.mlir"
        model.write_text(graph.text())
        inputs = []
        for i, shape in enumerate(graph.inputs):
            array = numbers.standard_normal(shape).astype(np.float32)
            array.ravel()[0] = graph.rng.choice([-0.0, 0.0, 1.0])
            np.save(folder / f"x{i}.npy", array)
            inputs.append(f"--input=x{i}={folder}/x{i}.npy")
        try:
            plain = run(folder, model, inputs, "--no-optimize=all")
            exact = run(folder, model, inputs, f"--no-optimize={INEXACT}")
            # No pass changes what the graph means.
            optimized = run(folder, model, inputs, *(
                [] if graph.jumps else ["--check-each-pass"]))
            if not graph.jumps:
                expect_close(optimized, run(folder, model, inputs,
                                            "--device=reference"))
            if graph.limits_zero():
                exact, plain = exact + 0.0, plain + 0.0
            if not graph.sums and exact.tobytes() != plain.tobytes():
                raise Failure("exact optimizations changed the bits")
            report = json.loads(execute("hamkaas-compile", model,
                                        "--report=json"))
        except Failure as failure:
            return (f"graph {seed}: {failure}\n{graph.text()}", False)
    changed = any(o["removed"] for o in report["optimizations"]
                  if o["name"] not in ("canonicalize", "cse"))
    return ("", changed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--only", type=int, help="the one graph to run")
    parser.add_argument("--print", action="store_true")
    options = parser.parse_args()
    indices = ([options.only] if options.only is not None
               else range(options.count))
    seeds = [f"{options.seed}/{i}" for i in indices]
    if options.print:
        print("\n".join(Graph(seed).text() for seed in seeds))
        return False
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = list(pool.map(check, seeds))
    failures = [text for text, _ in results if text]
    changed = sum(was_changed for _, was_changed in results)
    print("\n".join(failures[:3]))
    print(f"{len(seeds)} graphs, {changed} changed, {len(failures)} failures")
    return bool(failures) or (options.only is None and 3 * changed < len(seeds))


if __name__ == "__main__":
    sys.exit(main())
