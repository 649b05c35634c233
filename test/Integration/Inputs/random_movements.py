# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random statements of version 2 that move elements."""

import numpy as np

from elements import BOOL, INT64, NUMBERS, TYPES, is_float, widen
from random_script import replace_slice

REDUCTIONS = {"none": lambda x, u: u, "add": np.add, "mul": np.multiply,
              "max": np.maximum, "min": np.minimum}


def pad(x, low, high, interior, value):
    shape = [l + h + n + (n - 1) * i
             for l, h, n, i in zip(low, high, x.shape, interior)]
    result = np.full(shape, value, dtype=x.dtype)
    result[tuple(slice(l, l + n + (n - 1) * i, i + 1)
                 for l, n, i in zip(low, x.shape, interior))] = x
    return result


def scatter(x, indices, updates, combine):
    for i, row in zip(indices, updates.copy()):
        x[i] = combine(widen(x[i]), widen(row))
    return x


class Movements:
    """A part of Script2."""

    def add_view(self):
        x = self.pick_of(TYPES)
        v = self.values[x]
        if v.ndim and self.rng.random() < 0.5:
            begin = self.rng.randrange(v.shape[0])
            end = self.rng.randint(begin + 1, v.shape[0])
            self.apply("SliceNode", [x], lambda v: v[begin:end],
                       f"begin = {begin}, end = {end}")
            return
        shape = [v.size] if v.size > 1 or self.rng.random() < 0.5 else []
        for _ in range(self.rng.randint(0, 4)):
            factor = self.rng.choice([d for d in (1, 2, 3, 4) if not shape or
                                      shape[-1] % d == 0])
            if shape or factor == 1:
                shape = [*shape[:-1], factor,
                         *(s // factor for s in shape[-1:])]
        self.apply("ReshapeNode", [x], lambda v: v.reshape(shape),
                   f"shape = {shape}")

    def add_permutation(self):
        x = self.pick_of(TYPES, least=1)
        axes = list(range(self.values[x].ndim))
        self.rng.shuffle(axes)
        self.compute("Permute", [x], lambda v: np.transpose(v, axes),
                     exact=True, permutation=axes)

    def add_broadcast(self):
        x = self.pick_of(TYPES, accept=lambda v: v.size <= 64)
        shape = [self.rng.choice([1, 2, 5]) if d == 1 else d
                 for d in self.values[x].shape]
        self.compute("Broadcast", [x], lambda v: np.broadcast_to(v, shape),
                     exact=True, shape=shape)

    def add_iota(self):
        shape = self.random_shape(least=1)
        dim = self.rng.randrange(len(shape))
        along = [-1 if i == dim else 1 for i in range(len(shape))]
        value = np.broadcast_to(np.arange(shape[dim]).reshape(along), shape)
        dtype = self.rng.choice(NUMBERS)
        self.compute("Iota", [], lambda: value, dtype, exact=True, dim=dim,
                     type=dtype, shape=shape)

    def add_strided_slice(self):
        x = self.pick_of(TYPES, least=1)
        cuts = []
        for size in self.values[x].shape:
            offset = self.rng.randrange(size)
            stride = self.rng.choice([1, 1, 2, 3, -1, -2])
            room = offset if stride < 0 else size - 1 - offset
            cuts.append((offset, self.rng.randint(0, room // abs(stride)) + 1,
                         stride))
        offsets, sizes, strides = map(list, zip(*cuts))
        index = np.ix_(*(o + s * np.arange(n) for o, n, s in cuts))
        self.compute("StridedSlice", [x], lambda v: v[index], exact=True,
                     offsets=offsets, sizes=sizes, strides=strides)

    def add_pad(self):
        x = self.pick_of(TYPES, least=1, most=4)
        v = self.values[x]
        low, high, interior = ([self.rng.choice([0, 0, 1, 2]) for _ in v.shape]
                               for _ in range(3))
        value = (self.rng.choice([0.0, -0.5, 3.0, -np.inf]) if is_float(v.dtype)
                 else self.rng.random() < 0.5 if v.dtype == BOOL
                 else self.rng.choice([0, 7, int(np.iinfo(v.dtype).max)]))
        y = self.compute("Pad", [x],
                         lambda v: pad(v, low, high, interior, value),
                         exact=True, low=low, high=high, interior=interior,
                         value=value)
        # Infinities would spread.
        if value == -np.inf:
            self.statements[y].is_finite = False
            self.compute("Max", [y, self.number(-2.0, v.dtype, [1] * v.ndim)],
                         np.maximum, exact=True)

    def add_concat(self):
        x = self.pick_of(TYPES, least=1)
        dim = self.rng.randrange(self.values[x].ndim)
        pieces = [x, *(self.pick_same(x)
                       for _ in range(self.rng.randint(0, 2)))]
        self.rng.shuffle(pieces)
        self.compute("Concat", pieces, lambda *v: np.concatenate(v, axis=dim),
                     exact=True, dim=dim)

    def random_indices(self, size, shape):
        indices = self.numbers.integers(-size, size, shape)
        return self.make_leaf(np.asarray(indices).astype(
            self.rng.choice([np.int64, np.int32])))

    def vouch(self):
        return {"unchecked": True} if self.rng.random() < 0.3 else {}

    def add_gather(self):
        x = self.pick_of(TYPES, least=1, most=4)
        v = self.values[x]
        dim = self.rng.randrange(v.ndim)
        size = v.shape[dim]
        indices = self.random_indices(
            size, [self.rng.choice([1, 3, 5])
                   for _ in range(self.rng.randint(0, 2))])
        self.compute("Gather", [x, indices],
                     lambda v, i: np.take(v, i % size, axis=dim), exact=True,
                     dim=dim, **self.vouch())

    def add_flatten_indices(self):
        sizes = [self.rng.randint(1, 5) for _ in range(self.rng.randint(1, 3))]
        shape = [*self.random_shape(self.rng.randint(0, 2)), len(sizes)]
        is_natural = self.rng.random() < 0.4
        least = 0 if is_natural else -np.array(sizes)
        indices = self.make_leaf(self.numbers.integers(least, sizes, shape)
                                 .astype(self.rng.choice([np.int64, np.int32])))
        flags = {"nonnegative": True} if is_natural else {}
        self.compute("FlattenIndices", [indices], lambda i: np.asarray(
            np.ravel_multi_index(tuple(np.moveaxis(i % sizes, -1, 0)), sizes)),
            INT64, dim=self.rng.randrange(3), sizes=sizes, **flags,
            **self.vouch())

    def add_scatter(self):
        x = self.pick_of(TYPES, least=1, accept=lambda v: np.all(v < 100))
        v = self.values[x]
        indices = self.random_indices(v.shape[0], [self.rng.randint(1, 5)])
        updates = self.random_leaf([*self.values[indices].shape, *v.shape[1:]],
                                   v.dtype)
        word = ("none" if v.dtype == BOOL else
                self.rng.choice(list(REDUCTIONS)))
        extra = ", ".join([f"reduction = {word}",
                           *(["unchecked = true"] if self.vouch() else [])])
        if is_float(v.dtype) and word in ("add", "mul"):
            self.exact.discard(self.find_storage(v))
        self.write("ScatterNode", [x, indices, updates],
                   lambda v, i, u: scatter(v, i, u, REDUCTIONS[word]), extra)

    def add_replacement(self):
        x = self.pick_of(TYPES, least=1)
        v = self.values[x]
        shape = (self.rng.randint(1, v.shape[0]), *v.shape[1:])
        replacement = self.pick(
            lambda other: other.dtype == v.dtype and other.shape == shape)
        if replacement is None:
            replacement = self.random_leaf(shape, v.dtype)
        begin = self.rng.randint(0, v.shape[0] - shape[0])
        positions = [self.make_position(p)
                     for p in (begin, begin + shape[0])]
        self.write("ReplaceSliceNode", [x, replacement, *positions],
                   replace_slice)
