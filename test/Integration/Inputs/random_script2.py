# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random scripts of version 2, which numpy can evaluate: all operations, types
of elements and ranks.

A small error of an operand is a small one of the result, unless the operation
jumps, as a comparison does. Such operations take nodes that are exact: each
device computes the same bits.
"""

import re

import ml_dtypes
import numpy as np

import formulas
from elements import (BOOL, DIGITS, FLOAT32, FLOATS, INT64, INTEGERS, ROUNDING,
                      TYPES, is_float, widen)
from random_elementwise import Elementwise
from random_movements import Movements
from random_script import Script, Statement
from random_sums import Sums

# Operations on tensors that are larger would take long.
LARGE = 4096


def convert(x, dtype):
    """As CastNode does."""
    if dtype == BOOL:
        return x != 0
    if dtype in INTEGERS and x.dtype.kind == "f":
        return formulas.saturate(x, dtype)
    return x


def spell(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, np.dtype):
        return value.name
    if isinstance(value, list):
        return "[" + ", ".join(map(str, value)) + "]"
    return str(value)


def describe(statement):
    """The features of a statement of version 2: its operator, attributes, their
    words, and types of elements."""
    match = re.search(r"= (\w+)\((.*)\);", statement)
    if not match:
        return set()
    op, arguments = match.groups()
    if op.endswith("Tensor"):
        return {op, *(t.name for t in TYPES
                      if re.search(rf"\b{t.name}\b", arguments))}
    found = {op}
    for name, value in re.findall(r"(\w+) = ([^\s,)]+)", arguments):
        found.add(f"{op} {name}")
        if name not in ("type", "value") and re.fullmatch(r"[a-z]+", value):
            found.add(f"{op} {name} = {value}")
    return found


class Script2(Elementwise, Movements, Sums, Script):
    """A random script of version 2."""

    header = "version = 2;\n"

    def __init__(self, rng, large):
        self.exact = set()  # storages: the arrays that own them, by id
        self.is_version1 = False
        self.is_wide = False
        super().__init__(rng, large)
        self.parts = []
        if rng.random() < 0.7:
            self.result = self.join()
        elif not self.statements[self.result].is_finite:
            self.result += 1
        if self.values[self.result].dtype == ml_dtypes.bfloat16:
            self.result = self.cast(self.result, FLOAT32)

    @property
    def buffer_types(self):
        return [FLOAT32] if self.is_version1 else TYPES

    # Nodes and what is known of them.

    def random_shape(self, rank=None, least=0):
        if self.is_version1:
            return super().random_shape(rank)
        if rank is None:
            rank = max(least,
                       self.rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 8]))
        sizes = [1, 2, 3, 4, 5, 8, 17] if rank <= 3 else [1, 1, 2, 3]
        return [self.rng.choice(sizes) for _ in range(rank)]

    def random_array(self, shape, scale=1.0, dtype=FLOAT32):
        dtype = np.dtype(dtype)
        if dtype == BOOL:
            return self.numbers.random(shape) < 0.5
        if dtype in INTEGERS:
            limits = np.iinfo(dtype)
            bounds = ((limits.min, limits.max) if self.rng.random() < 0.2
                      else (max(limits.min, -9), 9))
            return self.numbers.integers(*bounds, size=shape, dtype=dtype,
                                         endpoint=True)
        return np.asarray(super().random_array(shape, scale)).astype(dtype)

    def random_leaf(self, shape, dtype):
        return self.make_leaf(np.asarray(self.random_array(shape, dtype=dtype)))

    def make_leaf(self, array):
        node = super().make_leaf(array)
        self.exact.add(id(self.values[node]))
        return node

    def number(self, value, dtype, shape):
        """A NumberTensor. Its value has no more digits than the type."""
        array = np.full(shape, value).astype(dtype)
        node = self.add(
            Statement("NumberTensor", [],
                      f"{spell(value)}, {dtype.name}, {spell(list(shape))}",
                      lambda: self.finish(array, dtype)), array.copy())
        self.exact.add(id(self.values[node]))
        return node

    @staticmethod
    def find_storage(value):
        while value.base is not None:
            value = value.base
        return id(value)

    def is_exact(self, i):
        value = self.values[i]
        return (not is_float(value.dtype)
                or self.find_storage(value) in self.exact)

    def takes(self, i):
        v = self.values[i]
        if self.is_version1:
            return 1 <= v.ndim <= 3 and v.dtype in (FLOAT32, INT64)
        return self.statements[i].is_finite

    def pick_of(self, types, least=0, most=8, exact=False,
                accept=lambda v: True):
        """A node of one of the types and of a rank within bounds; a new leaf
        now and then."""
        of_size = [i for i, v in enumerate(self.values)
                   if self.takes(i) and v.size <= LARGE
                   and least <= v.ndim <= most and accept(v)]
        fitting = [i for i in of_size if self.values[i].dtype in types
                   and (not exact or self.is_exact(i))]
        if fitting and self.rng.random() < 0.9:
            return self.rng.choice([fitting[-1], fitting[-1],
                                    self.rng.choice(fitting)])
        dtype = self.rng.choice(types)
        if of_size and is_float(dtype) and not exact:
            return self.cast(of_size[-1], dtype)
        rank = self.rng.randint(least, min(most, max(least, 3)))
        return self.random_leaf(self.random_shape(rank), dtype)

    def pick_like(self, x, shape, exact=False):
        """A node of the type of `x` that broadcasts to `shape`."""
        dtype = self.values[x].dtype

        def fits(i, v):
            return (self.takes(i) and v.dtype == dtype and v.ndim == len(shape)
                    and all(r in (1, l) for r, l in zip(v.shape, shape))
                    and (not exact or self.is_exact(i)))

        fitting = [i for i, v in enumerate(self.values) if fits(i, v)]
        if fitting and self.rng.random() < 0.6:
            return self.rng.choice(fitting)
        return self.random_leaf([self.rng.choice([1, d, d]) for d in shape],
                                dtype)

    def pick_same(self, x):
        v = self.values[x]
        return self.rng.choice([
            i for i, other in enumerate(self.values)
            if self.takes(i) and other.dtype == v.dtype
            and other.shape == v.shape])

    # Applying operations.

    def finish(self, value, dtype):
        if self.is_wide and is_float(dtype):
            dtype = np.float64
        return np.array(value, dtype=dtype, order="C")

    def compute(self, op, operands, formula, dtype=None, exact=False,
                **attributes):
        """Applies an operation whose result is a tensor of its own; it is exact
        if the operation does not round and the operands are exact."""
        if dtype is None:
            dtype = self.values[operands[0]].dtype
        exact = exact and all(map(self.is_exact, operands))
        extra = ", ".join(f"{name} = {spell(value)}"
                          for name, value in attributes.items())
        node = self.apply(
            op + "Node", operands,
            lambda *v: self.finish(formula(*map(widen, v)), dtype), extra)
        if exact:
            self.exact.add(id(self.values[node]))
        return node

    def write(self, op, operands, compute, extra=""):
        if not all(map(self.is_exact, operands)):
            self.exact.discard(self.find_storage(self.values[operands[0]]))
        if not extra and self.rng.random() < 0.2:
            extra = "unchecked = true"
        return super().write(op, operands, compute, extra)

    def cast(self, x, dtype, **attributes):
        source = self.values[x].dtype
        digits = DIGITS.get(source.name, 8 * source.itemsize)
        is_kept = (not is_float(dtype) or source == dtype
                   or (digits <= DIGITS[dtype.name] and dtype.itemsize > 2))
        attributes = attributes or {"type": dtype}
        return self.compute("Cast", [x], lambda v: convert(v, dtype), dtype,
                            exact=is_kept, **attributes)

    def prepare(self, x, domain):
        """Moves elements to where a function is defined and flat enough."""
        v = self.values[x]
        is_small = np.max(np.abs(widen(v))) < 6
        if domain is None or (domain == "bounded" and is_small):
            return x
        small = [1] * v.ndim
        if domain == "positive":
            x = self.compute("Abs", [x], np.abs, exact=True)
            return self.compute("Add", [x, self.number(1.5, v.dtype, small)],
                                np.add)
        x = self.compute("Tanh", [x], np.tanh)
        return self.compute("Mul", [x, self.number(0.75, v.dtype, small)],
                            np.multiply)

    # Statements.

    def add_version1(self):
        self.is_version1 = True
        if self.pick_float() is None:
            self.make_input(self.random_shape())
        kinds = super().kinds()
        self.rng.choices(list(kinds), list(kinds.values()))[0]()
        self.is_version1 = False

    def kinds(self):
        once = [getattr(self, name) for name in dir(self)
                if name.startswith("add_") and not hasattr(Script, name)]
        return {**dict.fromkeys(once, 1), self.add_version1: 3,
                self.add_function: 3, self.add_replacement: 2,
                self.make_buffer: 1}

    def join(self):
        """All that nothing needs yet, one after the other."""
        needed = set().union(*(s.operands for s in self.statements))
        dtype = self.rng.choice(FLOATS[:2])
        for i in sorted(set(range(len(self.statements))) - needed):
            v = self.values[i]
            if v.dtype in INTEGERS and np.any(v.astype(float) ** 2 > 1e6):
                i = self.cast(i, BOOL)
            if v.dtype != dtype:
                i = self.cast(i, dtype)
            size = v.size
            self.parts.append(self.apply(
                "ReshapeNode", [i], lambda v, size=size: v.reshape(size),
                f"shape = [{size}]"))
        return self.compute("Concat", self.parts,
                            lambda *v: np.concatenate(v), dim=0)

    # Evaluation.

    def convert(self, array, dtype):
        return array.astype(np.float64 if self.is_wide and is_float(array.dtype)
                            else array.dtype)

    def magnitude(self, value):
        if not is_float(value.dtype):
            return 0.0
        return float(np.max(np.abs(value.astype(np.float64))))

    def evaluate(self, runs, dtype):
        self.is_wide = dtype == np.float64
        result = super().evaluate(runs, dtype)
        self.is_wide = False
        return result

    def find_parts(self):
        ends = np.cumsum([self.values[i].size for i in self.parts])
        nodes = self.parts or [self.result]
        ends = [int(end) for end in ends] or [self.values[self.result].size]
        return [(slice(begin, end), self.find_rounding(node))
                for node, begin, end in zip(nodes, [0, *ends], ends)]

    def find_rounding(self, node):
        return max(ROUNDING.get(self.values[i].dtype.name, 0)
                   for i in self.find_used(node))

    def describe_used(self):
        return set().union(*(describe(self.statements[i].text(0))
                             for i in self.find_used(self.result)))
