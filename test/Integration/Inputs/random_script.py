# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random scripts of version 1, which numpy can evaluate; those of version 2 are
in random_script2.py.

Views and assignments of numpy have the in-place semantics of the language: a
slice or a reshape shares its storage, a replacement writes into it.
"""

import random

import numpy as np

from formulas import complex_mul, rms_norm, sliced_softmax

# Values beyond it would make a comparison one of overflows.
LARGEST = 1e4


class Statement:
    """One line of a script: `compute` gets the operands' values, in order."""

    def __init__(self, op, operands, extra="", compute=None, name=None):
        self.op, self.operands, self.extra = op, operands, extra
        self.compute, self.name = compute, name
        self.is_finite = True

    def text(self, number):
        arguments = ", ".join([*(f"${o}" for o in self.operands),
                               *([self.extra] if self.extra else [])])
        return f"${number} = {self.op}({arguments});"


def replace_slice(x, replacement, begin, end):
    # The copy matters where both are views of one storage.
    x[begin[0]:end[0]] = replacement.copy()
    return x


class Script:
    """A random script, its inputs and its constants.

    A subclass for another version adds kinds of statements.

    `values[i]` is what the first run gives statement i while the script is
    being made: it tells shapes, types and magnitudes.
    """

    header = ""
    buffer_types = ["float32"] * 9 + ["int64"]

    def __init__(self, rng, large):
        self.rng, self.large = rng, large
        self.numbers = np.random.default_rng(rng.getrandbits(32))
        self.statements, self.values = [], []
        self.inputs, self.constants, self.buffers = {}, {}, {}
        self.make_input(self.random_shape())
        while len(self.statements) < rng.randint(4, 24):
            self.add_random()
        self.result = self.choose_result()

    # Leaves.

    def random_shape(self, rank=None):
        rank = rank or self.rng.choice([1, 2, 2, 3])
        if self.large:
            sizes = {1: [40000, 65537], 2: [1, 96, 257, 300],
                     3: [1, 7, 33, 130]}[rank]
        else:
            sizes = [1, 2, 3, 4, 5, 8, 16, 17, 33]
        return [self.rng.choice(sizes) for _ in range(rank)]

    def add(self, statement, value):
        self.statements.append(statement)
        self.values.append(value)
        return len(self.statements) - 1

    def make_leaf(self, array):
        shape = "[" + ", ".join(map(str, array.shape)) + "]"
        # The format npy lacks bfloat16.
        if array.dtype.name != "bfloat16" and self.rng.random() < 0.5:
            name = f"x{len(self.inputs)}"
            self.inputs[name] = array
            op = "InputTensor"
        else:
            name = f"c{len(self.constants)}"
            self.constants[name] = array
            op = "ConstantTensor"
        statement = Statement(op, [], f"{name}, {array.dtype.name}, {shape}",
                              name=name)
        return self.add(statement, array.copy())

    def random_array(self, shape, scale=1.0, dtype=np.float32):
        if dtype == np.int64:
            return self.numbers.integers(-5, 5, size=shape)
        if self.rng.random() < 0.02:
            scale *= 30
        return (self.numbers.standard_normal(shape) * scale).astype(np.float32)

    def make_input(self, shape, scale=1.0):
        return self.make_leaf(self.random_array(shape, scale))

    def make_position(self, value):
        """A node of one int64: a leaf, or part of one."""
        if self.rng.random() < 0.7:
            return self.make_leaf(np.array([value], dtype=np.int64))
        array = self.numbers.integers(-5, 5, size=3)
        row = self.rng.randrange(3)
        array[row] = value
        return self.make_slice(self.make_leaf(array), row, row + 1)

    def make_buffer(self):
        shape = self.random_shape()
        dtype = np.dtype(self.rng.choice(self.buffer_types))
        name = f"b{len(self.buffers)}"
        self.buffers[name] = np.zeros(shape, dtype)
        text = "[" + ", ".join(map(str, shape)) + "]"
        prefix = f"{name}, " if self.rng.random() < 0.5 else ""
        return self.add(Statement("BufferTensor", [],
                                  f"{prefix}{dtype.name}, {text}", name=name),
                        self.buffers[name].copy())

    # Operations. Each takes operands that fit, or makes them.

    def takes(self, i):
        """Whether node `i` may be an operand at all."""
        return True

    def pick(self, accept=lambda v: True):
        """A node that `accept` takes, later ones more often, or None."""
        fitting = [i for i, v in enumerate(self.values)
                   if self.takes(i) and accept(v)]
        if not fitting:
            return None
        if self.rng.random() < 0.5:
            return fitting[-1]
        return self.rng.choice(fitting)

    def pick_float(self, accept=lambda v: True):
        return self.pick(lambda v: v.dtype == np.float32 and accept(v))

    def apply(self, op, operands, compute, extra=""):
        value = compute(*(self.values[o] for o in operands))
        return self.add(Statement(op, operands, extra, compute), value)

    def write(self, op, operands, compute, extra=""):
        """Applies an operation that writes to its first operand."""
        return self.apply(op, operands, compute, extra)

    def add_unary(self):
        x = self.pick_float()
        if self.rng.random() < 0.5:
            self.apply("ReLUNode", [x], lambda v: np.maximum(v, 0))
        else:
            self.apply("SiLUNode", [x], lambda v: v / (1 + np.exp(-v)))

    def pick_broadcast(self, shape, last=None):
        """A node that broadcasts to `shape`; its last dimension is `last`."""
        def fits(v):
            return (v.ndim == len(shape) and (last is None or
                                              v.shape[-1] == last)
                    and all(r in (1, l) for r, l in zip(v.shape, shape)))

        rhs = self.pick_float(fits)
        if rhs is not None and self.rng.random() < 0.5:
            return rhs
        wanted = [self.rng.choice([1, d, d]) for d in shape]
        if last is not None:
            wanted[-1] = last
        return self.make_input(wanted)

    def add_binary(self):
        x = self.pick_float()
        rhs = self.pick_broadcast(self.values[x].shape)
        if self.rng.random() < 0.6:
            self.apply("SumNode", [x, rhs], lambda l, r: l + r)
        else:
            self.apply("HadamardProductNode", [x, rhs], lambda l, r: l * r)

    def add_complex(self):
        x = self.pick_float(lambda v: v.shape[-1] == 2)
        if x is None:
            x = self.make_input(self.random_shape(2)[:1] + [2])
        rhs = self.pick_broadcast(self.values[x].shape, last=2)
        self.apply("ComplexHadamardProductNode", [x, rhs], complex_mul)

    def add_matmul(self):
        x = self.pick_float(lambda v: v.shape[-1] <= 4096)
        if x is None:
            return
        shape = self.values[x].shape
        batch = list(shape[:1]) if len(shape) == 3 else []
        head = [*batch, shape[-1]]
        rhs = self.pick_float(lambda v: v.ndim == len(head) + 1
                              and list(v.shape[:-1]) == head)
        if rhs is None or self.rng.random() < 0.5:
            columns = self.rng.choice([1, 64, 100] if self.large else
                                      [1, 3, 8, 16, 47, 48, 50])
            rhs = self.make_input([*head, columns], shape[-1] ** -0.5)
        self.apply("MatMulNode", [x, rhs], lambda l, r: l @ r)

    def make_slice(self, x, begin, end):
        return self.apply("SliceNode", [x], lambda v: v[begin:end],
                          f"{begin}, {end}")

    def add_slice(self):
        x = self.pick()
        rows = self.values[x].shape[0]
        begin = self.rng.randrange(rows)
        self.make_slice(x, begin, self.rng.randint(begin + 1, rows))

    def add_reshape(self):
        x = self.pick()
        count = self.values[x].size
        shape = []
        for _ in range(self.rng.randint(0, 2)):
            divisors = [d for d in range(1, min(count, 400) + 1)
                        if count % d == 0]
            shape.append(self.rng.choice(divisors))
            count //= shape[-1]
        shape.insert(self.rng.randint(0, len(shape)), count)
        self.apply("ReshapeNode", [x], lambda v: v.reshape(shape),
                   "[" + ", ".join(map(str, shape)) + "]")

    def add_permute(self):
        x = self.pick()
        axes = list(range(self.values[x].ndim))
        self.rng.shuffle(axes)
        # A new tensor, also where no element moves: later writes into `x`
        # leave it alone.
        self.apply("PermuteNode", [x],
                   lambda v: np.transpose(v, axes).copy(),
                   "[" + ", ".join(map(str, axes)) + "]")

    def add_replace(self):
        """Preferably into a buffer, a part of one, or what was read before."""
        buffers = [i for i, s in enumerate(self.statements)
                   if s.op in ("BufferTensor", "ReplaceSliceNode",
                               "SliceNode", "ReshapeNode") and self.takes(i)]
        x = (self.rng.choice(buffers) if buffers and self.rng.random() < 0.7
             else self.pick())
        target = self.values[x]

        def fits(v):
            return (v.dtype == target.dtype and v.ndim == target.ndim
                    and v.shape[1:] == target.shape[1:]
                    and v.shape[0] <= target.shape[0])

        replacement = self.pick(fits)
        if replacement is None or self.rng.random() < 0.3:
            shape = [self.rng.randint(1, target.shape[0]), *target.shape[1:]]
            replacement = self.make_leaf(
                self.random_array(shape, dtype=target.dtype))
        rows = self.values[replacement].shape[0]
        begin = self.rng.randint(0, target.shape[0] - rows)
        operands = [x, replacement, self.make_position(begin),
                    self.make_position(begin + rows)]
        # A position may lie in the very storage that is written.
        if [self.values[o][0] for o in operands[2:]] == [begin, begin + rows]:
            self.write("ReplaceSliceNode", operands, replace_slice)

    def add_accumulation(self):
        """Adds to rows of a buffer, so that every run gives another value."""
        buffers = [i for i, s in enumerate(self.statements)
                   if s.op == "BufferTensor" and self.takes(i)
                   and self.values[i].dtype == np.float32]
        x = self.rng.choice(buffers) if buffers else self.make_buffer()
        if self.values[x].dtype != np.float32:
            return
        rows = self.values[x].shape[0]
        begin = self.rng.randrange(rows)
        end = self.rng.randint(begin + 1, rows)
        part = self.make_slice(x, begin, end)
        other = self.pick_broadcast(self.values[part].shape)
        total = self.apply("SumNode", [part, other], lambda l, r: l + r)
        self.write("ReplaceSliceNode",
                   [x, total, self.make_position(begin),
                    self.make_position(end)], replace_slice)

    def add_rms_norm(self):
        x = self.pick_float(lambda v: v.ndim == 1)
        if x is None:
            return
        shape = self.values[x].shape
        w = self.pick_float(lambda v: v.shape == shape)
        if w is None or self.rng.random() < 0.5:
            w = self.make_input(shape)
        op = self.rng.choice(["RMSNormNode", "RmsNormNode"])
        self.apply(op, [x, w], rms_norm)

    def add_softmax(self):
        x = self.pick_float()
        prefix = self.rng.randint(0, self.values[x].shape[-1])
        if self.rng.random() < 0.5:
            self.apply("SlicedSoftmaxNode", [x],
                       lambda v: sliced_softmax(v, prefix), str(prefix))
        else:
            self.apply("SlicedSoftmaxNode", [x, self.make_position(prefix)],
                       lambda v, p: sliced_softmax(v, p[0]))

    def kinds(self):
        """How often each kind of statement is added."""
        return {self.add_unary: 3, self.add_binary: 5, self.add_complex: 1,
                self.add_matmul: 3, self.add_slice: 2, self.add_reshape: 2,
                self.add_permute: 2, self.add_replace: 4,
                self.add_rms_norm: 1, self.add_softmax: 2,
                self.make_buffer: 1, self.add_accumulation: 1}

    def add_random(self):
        kinds = self.kinds()
        if all(v.dtype != np.float32 for v in self.values):
            kinds = {self.make_buffer: 1}
        self.rng.choices(list(kinds), list(kinds.values()))[0]()

    def choose_result(self):
        """Mostly the last node, or the last that depends on a buffer; now and
        then any, or a leaf."""
        leaves = [i for i, s in enumerate(self.statements) if s.name]
        stateful = set()
        for i, s in enumerate(self.statements):
            if s.op == "BufferTensor" or stateful.intersection(s.operands):
                stateful.add(i)
        kind = self.rng.random()
        if stateful and kind > 0.5:
            return max(stateful)
        if kind < 0.08:
            return self.rng.choice(leaves)
        if kind < 0.2:
            return self.rng.randrange(len(self.statements))
        return len(self.statements) - 1

    # The finished script.

    def text(self):
        order = {i: i + 1 for i in range(len(self.statements))}
        lines = [Statement(s.op, [order[o] for o in s.operands], s.extra
                           ).text(order[i])
                 for i, s in enumerate(self.statements)]
        return self.header + "\n".join(
            [*lines, f"result = ${order[self.result]};", ""])

    def find_used(self, node):
        """The numbers of the statements that a node is computed with, writes
        only if read."""
        used, pending = set(), [node]
        while pending:
            i = pending.pop()
            if i not in used:
                used.add(i)
                pending += self.statements[i].operands
        return used

    def describe_used(self):
        return {self.statements[i].op for i in self.find_used(self.result)}

    def convert(self, array, dtype):
        """The expression, as it is evaluated in floats of that type."""
        return array.astype(np.int64 if array.dtype == np.int64 else dtype)

    def magnitude(self, value):
        return float(np.max(np.abs(value)))

    def find_parts(self):
        """Parts of the result that are computed apart, each with the error of a
        rounding, relative to its largest element."""
        return [(slice(None), 2e-5)]

    def evaluate(self, runs, dtype):
        """The result of the last of `runs` runs, and the largest value."""
        cast = lambda array: self.convert(array, dtype)
        state = {name: cast(array) for name, array in self.buffers.items()}
        given = {**self.inputs, **self.constants}
        largest = 0.0
        for _ in range(runs):
            values = []
            for s in self.statements:
                if s.op == "BufferTensor":
                    values.append(state[s.name])
                elif s.name:
                    values.append(cast(given[s.name]))
                else:
                    values.append(s.compute(*(values[o] for o in s.operands)))
                if s.is_finite:
                    largest = np.maximum(largest, self.magnitude(values[-1]))
        return values[self.result].copy(), largest


def make_script(seed, kind=Script):
    """The first script of the seed whose values stay within bounds."""
    attempt = 0
    while True:
        rng = random.Random(f"{seed}/{attempt}")
        with np.errstate(all="ignore"):
            script = kind(rng, large=rng.random() < 0.2)
            _, largest = script.evaluate(3, np.float64)
        if largest <= LARGEST:
            return script
        attempt += 1
