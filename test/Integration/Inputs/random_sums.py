# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements of version 2 that combine elements: sums and products."""

import numpy as np

import formulas
from elements import FLOAT32, FLOATS, INT64, NUMBERS, TYPES, is_float
from philox import random_bits

COMBINERS = {"sum": np.sum, "prod": np.prod, "max": np.max, "min": np.min}


def sum_along(x, dim, exclusive, reverse):
    order = -1 if reverse else 1
    x = np.moveaxis(x, dim, 0)[::order]
    sums = np.cumsum(x, axis=0)
    if exclusive:
        sums = np.concatenate([np.zeros_like(sums[:1]), sums[:-1]])
    return np.moveaxis(sums[::order], 0, dim)


def layer_norm(x, epsilon):
    centered = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(np.square(centered), axis=-1, keepdims=True)
    return centered / np.sqrt(variance + epsilon)


class Sums:
    """A part of Script2."""

    def add_cumsum(self):
        x = self.pick_of(NUMBERS, least=1)
        dim = self.rng.randrange(self.values[x].ndim)
        flags = {flag: True for flag in ("exclusive", "reverse")
                 if self.rng.random() < 0.4}
        self.compute("Cumsum", [x], lambda v: sum_along(
            v, dim, "exclusive" in flags, "reverse" in flags), dim=dim, **flags)

    def add_random_bits(self):
        generator = self.make_leaf(np.array(
            [self.rng.getrandbits(64) for _ in range(3)], np.uint64))
        shape = [self.rng.randint(1, 9) for _ in range(self.rng.randint(0, 3))]
        offset = self.rng.choice([0, 1, 2**40])
        self.compute("RandomBits", [generator],
                     lambda v: random_bits(v, shape, offset), np.dtype("uint32"),
                     exact=True, shape=shape, offset=offset)

    def add_argsort(self):
        x = self.pick_of(TYPES, least=1, exact=True)
        if self.rng.random() < 0.5:
            self.compute("Argsort", [x], formulas.argsort_descending, INT64,
                         descending=True)
        else:
            self.compute("Argsort", [x], lambda v: np.argsort(
                v, axis=-1, kind="stable"), INT64)

    def add_reduction(self):
        word = self.rng.choice(list(COMBINERS))
        types = TYPES if word in ("max", "min") else NUMBERS
        if word == "prod":
            x = self.pick_of(types, least=1, accept=lambda v: v.size <= 64 and
                             np.all(np.abs(v) < 3))
        else:
            x = self.pick_of(types, least=1)
        rank = self.values[x].ndim
        dims = sorted(self.rng.sample(range(rank), self.rng.randint(1, rank)))
        self.compute("Reduce", [x],
                     lambda v: COMBINERS[word](v, axis=tuple(dims)),
                     exact=word in ("max", "min"), combiner=word, dims=dims)

    def random_windows(self, spatial):
        """Strides and such for windows that fit, and their size."""
        draw = lambda low, high: [self.rng.randint(low, high) for _ in spatial]
        case = {"strides": draw(1, 2), "dilations": draw(1, 2)}
        size = draw(1, 3)
        # Less padding than window, so that none lies outside.
        case["low"], case["high"] = ([self.rng.randrange(s) for s in size]
                                     for _ in range(2))
        for i, length in enumerate(spatial):
            extent = (size[i] - 1) * case["dilations"][i] + 1
            if extent > length:
                size[i], case["low"][i], case["high"][i] = 1, 0, 0
        return size, case

    @staticmethod
    def spell_windows(case):
        return {"strides": case["strides"], "dilations": case["dilations"],
                "pad_low": case["low"], "pad_high": case["high"]}

    def add_pool(self):
        x = self.pick_of(NUMBERS, least=3, most=5)
        v = self.values[x]
        size, case = self.random_windows(v.shape[1:-1])
        word = self.rng.choice(["max", "sum"])
        outside = (0 if word == "sum" else -np.inf if is_float(v.dtype)
                   else np.iinfo(v.dtype).min)
        axes = tuple(range(v.ndim, 2 * v.ndim - 2))
        self.compute("Pool", [x], lambda v: COMBINERS[word](
            formulas.windows(v, size, case, outside), axis=axes),
            exact=word == "max", combiner=word, window=size,
            **self.spell_windows(case))

    def add_conv(self):
        x = self.pick_of(NUMBERS, least=3, most=5)
        v = self.values[x]
        size, case = self.random_windows(v.shape[1:-1])
        groups = case["groups"] = self.rng.choice(
            [g for g in (1, 1, 2, 3, v.shape[-1]) if v.shape[-1] % g == 0])
        w = self.random_leaf([*size, v.shape[-1] // groups,
                              groups * self.rng.choice([1, 2, 5])], v.dtype)
        self.compute("Conv", [x, w],
                     lambda v, w: formulas.convolve(v, w, case), groups=groups,
                     **self.spell_windows(case))

    def add_winograd(self):
        """Of tiles of 2 x 2: the others differ in their matrices alone."""
        draw = lambda: self.rng.randint(1, 3)
        kind = self.rng.choice(["Input", "Output", "Gradient"])
        if kind == "Output":
            shape = [4, 4, *(draw() for _ in range(4))]
            self.compute("WinogradOutput", [self.random_leaf(shape, FLOAT32)],
                         formulas.winograd_output)
            return
        around = 2 if kind == "Input" else 0
        shape = [draw(), 2 * draw() + around, 2 * draw() + around, draw()]
        self.compute(f"Winograd{kind}", [self.random_leaf(shape, FLOAT32)],
                     {"Input": formulas.winograd_input,
                      "Gradient": formulas.winograd_gradient}[kind], tile=2)

    def add_product(self):
        x = self.pick_of(NUMBERS, least=1, most=3)
        v = self.values[x]
        batch = v.shape[:-2] if v.ndim == 3 else ()
        w = self.random_leaf([*batch, v.shape[-1],
                              self.rng.choice([1, 3, 8, 17])], v.dtype)
        self.compute("Matmul", [x, w], np.matmul)

    def add_complex_product(self):
        x = self.pick(lambda v: v.dtype == FLOAT32 and v.ndim
                      and v.shape[-1] == 2)
        if x is None:
            x = self.random_leaf([*self.random_shape(2), 2], FLOAT32)
        shape = self.values[x].shape
        rhs = self.random_leaf(
            [*(self.rng.choice([1, d]) for d in shape[:-1]), 2], FLOAT32)
        self.compute("ComplexMul", [x, rhs], formulas.complex_mul)

    def add_attention(self):
        q = self.pick_of([FLOAT32], least=3, most=3)
        b, m, d = self.values[q].shape
        n, e = self.rng.randint(1, 9), self.rng.choice([1, 4, 9])
        operands = [q, self.random_leaf([b, n, d], FLOAT32),
                    self.random_leaf([b, n, e], FLOAT32)]
        draw = lambda: [self.rng.choice([1, size]) for size in (b, m, n)]
        has_mask, has_bias = self.rng.random() < 0.5, self.rng.random() < 0.5
        attributes = {"scale": self.rng.choice([0.5, 0.125, 1e-05])}
        score = -np.inf
        if has_mask:
            # The first key is seen by all.
            mask = self.numbers.random(draw()) < 0.4
            mask[..., 0] = False
            operands.append(self.make_leaf(mask))
            if self.rng.random() < 0.5:
                score = attributes["masked_score"] = -1e9
        if has_bias:
            operands.append(self.random_leaf(draw(), FLOAT32))
        scale = attributes["scale"]

        def compute(q, k, v, *rest):
            mask = rest[0] if has_mask else None
            bias = rest[-1] if has_bias else None
            return formulas.attention(q, k, v, scale, mask, score, bias)

        self.compute("Attention", operands, compute, **attributes)

    def add_row(self):
        kind = self.rng.choice(["layer", "sum", "root", "softmax"])
        if kind == "layer":
            epsilon = self.rng.choice([1.0, 0.25, 1e-02])
            self.compute("LayerNorm", [self.pick_of(FLOATS, least=1)],
                         lambda v: layer_norm(v, epsilon), epsilon=epsilon)
            return
        if kind == "sum":
            self.compute("LogSumExp", [self.pick_of(FLOATS, least=1)],
                         formulas.log_sum_exp)
            return
        x = self.pick_of([FLOAT32], least=1)
        length = self.values[x].shape[-1]
        if kind == "root":
            epsilon = self.rng.choice([1.0, 0.25, 1e-03])
            w = self.random_leaf([length], FLOAT32)
            op = self.rng.choice(["RmsNorm", "RMSNorm"])
            self.compute(op, [x, w], lambda v, w: formulas.rms_norm(
                v, w, epsilon), epsilon=epsilon)
            return
        prefix = self.rng.randint(0, length)
        if self.rng.random() < 0.5:
            self.compute("SlicedSoftmax", [x], lambda v:
                         formulas.sliced_softmax(v, prefix),
                         static_prefix=prefix)
        else:
            self.compute("SlicedSoftmax", [x, self.make_position(prefix)],
                         lambda v, p: formulas.sliced_softmax(v, p[0]),
                         **self.vouch())
