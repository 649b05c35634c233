# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements of version 2 that compute element by element."""

import numpy as np

import formulas
from elements import BOOL, FLOAT32, FLOATS, INTEGERS, NUMBERS, TYPES, is_float

# Formulas of floats, and what their operand must be for it.
FUNCTIONS = {
    "Silu": formulas.silu, "Sin": np.sin, "Cos": np.cos, "Tan": np.tan,
    "Asin": np.arcsin, "Acos": np.arccos, "Atan": np.arctan, "Sinh": np.sinh,
    "Cosh": np.cosh, "Tanh": np.tanh, "Asinh": np.arcsinh,
    "Acosh": np.arccosh, "Atanh": np.arctanh, "Erf": formulas.erf,
    "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt,
    "Sigmoid": lambda x: 1 / (1 + np.exp(-x))}
DOMAINS = {
    **dict.fromkeys(("Log", "Sqrt", "Acosh"), "positive"),
    **dict.fromkeys(("Asin", "Acos", "Atanh", "Tan"), "inside"),
    **dict.fromkeys(("Exp", "Sinh", "Cosh"), "bounded")}
STEPS = {"Floor": np.floor, "Ceil": np.ceil, "Round": np.rint}
PREDICATES = {"eq": np.equal, "ne": np.not_equal, "lt": np.less,
              "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


def divide(l, r):
    if l.dtype.kind == "f":
        return l / r
    safe = np.where(r == 0, 1, r).astype(l.dtype)
    quotient, rest = l // safe, l % safe
    is_lower = (rest != 0) & ((l < 0) != (safe < 0))
    quotient = quotient + is_lower.astype(l.dtype)
    return np.where(r == 0, 0, quotient)


def remainder(function):
    def compute(l, r):
        safe = np.where(r == 0, 1, r).astype(r.dtype)
        return np.where(r == 0, 0, function(l, safe))
    return compute


class Elementwise:
    """A part of Script2."""

    def add_function(self):
        op = self.rng.choice(list(FUNCTIONS))
        x = self.prepare(self.pick_of(FLOATS), DOMAINS.get(op))
        self.compute(op, [x], FUNCTIONS[op])

    def add_step(self):
        op = self.rng.choice(list(STEPS))
        self.compute(op, [self.pick_of(FLOATS, exact=True)], STEPS[op],
                     exact=True)

    def add_sign(self):
        kind = self.rng.randrange(4)
        if kind == 0:
            self.compute("Sign", [self.pick_of(NUMBERS, exact=True)],
                         np.sign, exact=True)
        elif kind == 1:
            self.compute("Relu", [self.pick_of(FLOATS)],
                         lambda x: np.maximum(x, 0), exact=True)
        else:
            op, formula = [("Abs", np.abs), ("Neg", np.negative)][kind - 2]
            self.compute(op, [self.pick_of(NUMBERS)], formula, exact=True)

    def add_activation(self):
        x = self.pick_of([FLOAT32])
        op, formula, attributes = self.rng.choice([
            ("Gelu", formulas.gelu, {}),
            ("Gelu", formulas.gelu, {"approximate": "none"}),
            ("Gelu", formulas.gelu_tanh, {"approximate": "tanh"}),
            ("HardSwish", formulas.hard_swish, {})])
        self.compute(op, [x], formula, **attributes)

    def add_arithmetic(self):
        x = self.pick_of(NUMBERS)
        rhs = self.pick_like(x, self.values[x].shape)
        op, formula, exact = self.rng.choice([
            ("Add", np.add, False), ("Sub", np.subtract, False),
            ("Mul", np.multiply, False), ("Max", np.maximum, True),
            ("Min", np.minimum, True)])
        self.compute(op, [x, rhs], formula, exact=exact)

    def add_division(self):
        op, formula = self.rng.choice([
            ("Div", divide), ("Rem", remainder(np.fmod)),
            ("Mod", remainder(np.mod))])
        x = self.pick_of(NUMBERS, exact=op != "Div")
        v = self.values[x]
        shape = [self.rng.choice([1, d, d]) for d in v.shape]
        divisors = np.asarray(self.random_array(shape, dtype=v.dtype))
        if is_float(v.dtype):
            signs = np.where(self.numbers.random(shape) < 0.5, -1.0, 1.0)
            divisors = signs * self.numbers.uniform(0.5, 2, shape)
        self.compute(op, [x, self.make_leaf(divisors.astype(v.dtype))], formula)

    def add_power(self):
        x = self.prepare(self.pick_of(
            FLOATS, accept=lambda v: np.max(np.abs(v)) < 30), "positive")
        v = self.values[x]
        exponent = (self.number(self.rng.choice([2.0, 0.5, -1.0]), v.dtype,
                                [1] * v.ndim)
                    if self.rng.random() < 0.5 else
                    self.random_leaf(v.shape, v.dtype))
        self.compute("Pow", [x, exponent], np.power)

    def add_bits(self):
        x = self.pick_of([*INTEGERS, BOOL])
        v = self.values[x]
        op, formula = self.rng.choice([
            ("And", np.bitwise_and), ("Or", np.bitwise_or),
            ("Xor", np.bitwise_xor), ("Not", None)])
        if op == "Not":
            self.compute(op, [x], np.invert)
        else:
            self.compute(op, [x, self.pick_like(x, v.shape)], formula)

    def add_shift(self):
        x = self.pick_of(INTEGERS)
        v = self.values[x]
        least = 0 if v.dtype.kind == "u" else -2
        by = self.numbers.integers(least, 8 * v.itemsize + 2, v.shape)
        by = self.make_leaf(np.asarray(by).astype(v.dtype))
        op, formula = self.rng.choice([
            ("ShiftLeft", formulas.shift_left),
            ("ShiftRight", formulas.shift_right)])
        self.compute(op, [x, by], formula)

    def add_comparison(self):
        x = self.pick_of(TYPES, exact=True)
        rhs = (x if self.rng.random() < 0.2 else
               self.pick_like(x, self.values[x].shape, exact=True))
        word = self.rng.choice(list(PREDICATES))
        self.compute("Compare", [x, rhs], PREDICATES[word], BOOL,
                     predicate=word)

    def add_choice(self):
        a = self.pick_of(TYPES)
        shape = self.values[a].shape
        condition = self.pick(lambda v: v.dtype == BOOL and v.shape == shape)
        if condition is None:
            condition = self.random_leaf(shape, BOOL)
        self.compute("Select", [condition, a, self.pick_same(a)], np.where,
                     self.values[a].dtype, exact=True)

    def add_cast(self):
        dtype = self.rng.choice(TYPES)
        x = self.pick_of(TYPES, exact=not is_float(dtype))
        v = self.values[x]
        if self.rng.random() < 0.15:
            self.cast(x, v.dtype, shape=list(v.shape))
        else:
            self.cast(x, dtype)

    def add_blocks(self):
        rows, count = self.rng.randint(1, 4), self.rng.randint(1, 3)
        blocks = self.numbers.integers(0, 256, [rows, count, 18], "uint8")
        blocks[..., 1] &= 0xbf  # Scales below 2.
        x = self.make_leaf(blocks.reshape(rows, -1))
        self.compute("DequantizeBlocks", [x], formulas.dequantize_q4_0,
                     FLOAT32, exact=True, format="q4_0")

    def add_bitcast(self):
        x = self.pick_of([*FLOATS, *INTEGERS], exact=True)
        source = self.values[x].dtype
        dtype = self.rng.choice([t for t in INTEGERS
                                 if t.itemsize == source.itemsize])
        y = self.compute("Bitcast", [x],
                         lambda v: v.astype(source).view(dtype), dtype,
                         type=dtype)
        # Any bits would be NaN now and then, and numbers of all sizes.
        if is_float(source):
            self.compute("Bitcast", [y], lambda v: v.view(source), source,
                         exact=True, type=source)
