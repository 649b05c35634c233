# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writing through views, against numpy's basic slicing."""

import copy

import numpy as np
import pytest

import hamkaas.array as xp


def make_pair(is_pending):
    a = np.arange(24.0, dtype="float32").reshape(2, 3, 4)
    return (xp.asarray(a - 1) + 1 if is_pending else xp.asarray(a)), a.copy()


def swap(x):
    return x.swapaxes(-1, -2) if isinstance(x, np.ndarray) else x.mT


def turn(x):
    return x.transpose(2, 0, 1) if isinstance(x, np.ndarray) else \
        xp.permute_dims(x, (2, 0, 1))


VIEWS = {
    "rows": lambda x: x[1:], "one": lambda x: x[1],
    "steps": lambda x: x[:, ::2, ::-1], "new": lambda x: x[None, ..., 1:3],
    "transposed": turn, "swapped": swap,
    "reshaped": lambda x: x.reshape((6, 4)),
    "of a view": lambda x: x[:, 1:][0].T[1:3],
    "reshaped view": lambda x: x[1].reshape((12,))[::3],
}

WRITES = {
    "all": "v[...] = 7", "first": "v[0] = -1", "add": "v += 2",
    "self": "v[...] = v * 2 + 1", "mask": "v[v > 5] = 0",
    "integers": "v[[0, -1]] = 3", "whole": "x *= 2", "of whole": "x[1] = 9",
}


@pytest.mark.parametrize("is_pending", [False, True])
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("view", VIEWS)
def test_writes(view, write, is_pending):
    x, a = make_pair(is_pending)
    v, w = VIEWS[view](x), VIEWS[view](a)
    before, others = x * 2, [x[0], turn(x)]
    exec(WRITES[write], {"x": x, "v": v})
    exec(WRITES[write], {"x": a, "v": w})
    for mine, expected in [(x, a), (v, w), (others[0], a[0]),
                           (others[1], turn(a))]:
        np.testing.assert_array_equal(mine.numpy(), expected)
    # An operation has the elements of when it was recorded.
    assert before[1, 2, 3] == 46


def test_what_is_no_view():
    a = np.arange(12.0).reshape(3, 4)
    for make in (lambda x: x[[0, 1]], lambda x: x[x >= 0], lambda x: x * 1,
                 lambda x: x.T.reshape((12,)), copy.copy, copy.deepcopy,
                 xp.asarray, lambda x: xp.astype(x, "float64"),
                 lambda x: xp.reshape(x, (12,), copy=True),
                 lambda x: xp.tile(x, (1, 1, 1)), lambda x: xp.roll(x, 0),
                 lambda x: xp.repeat(x, 1, axis=0), lambda x: +x,
                 lambda x: xp.sum(x, axis=()), lambda x: xp.diff(x, n=0)):
        x = xp.asarray(a)
        y = make(x)
        y[...] = 5
        assert x.tolist() == a.tolist()
        x[...] = 6
        assert np.all(y.numpy() == 5)


def test_results_may_be_dropped():
    def make():
        x = xp.asarray([[1.0, 2.0], [3.0, 4.0]]) + 1
        return x[1], x[1, ::-1]

    v, w = make()
    v += 1
    v[0] = 0
    assert v.tolist() == [0, 6] and w.tolist() == [6, 0]
    y = xp.sum(xp.ones((2, 2)), axis=0, keepdims=True)
    y += 1
    assert y._record.data is None and y.tolist() == [[3, 3]]


def test_many_views():
    x = v = xp.asarray(np.zeros(3000, "float32"))
    for _ in range(2990):
        v = v[1:]
    v[...] = 1
    assert float(xp.sum(x)) == 10 and x[2990] == 1 and x[2989] == 0


def test_writing_to_a_view_is_in_place():
    x = xp.asarray(np.zeros((100, 100), "float32"))
    v = x[1:]
    v[0, 0] = 1
    address = v._shared.record.data.ctypes.data
    for i in range(99):
        v[i, i] = 1
    assert v._shared.record.data.ctypes.data == address
    assert float(xp.sum(x)) == 99


class Pairs:
    """Arrays and views of them, beside those of numpy."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        x, a = make_pair(seed % 2)
        self.pairs = [(x, a)]

    def pick(self):
        return self.pairs[self.rng.integers(len(self.pairs))]

    def key_of(self, size):
        begin, end = self.rng.integers(-size, size + 1, 2)
        return [slice(None), slice(int(begin), int(end)),
                slice(None, None, -1), slice(int(begin), None, 2)][
                    self.rng.integers(4)]

    def view(self):
        x, a = self.pick()
        kind = self.rng.integers(4)
        key = tuple(map(self.key_of, a.shape))
        if kind == 0 and a.ndim > 1:
            order = [int(i) for i in self.rng.permutation(a.ndim)]
            made = xp.permute_dims(x, order), a.transpose(order)
        elif kind == 1 and a.flags.c_contiguous:
            made = x.reshape((-1,)), a.reshape(-1)
        elif kind == 2 and a.ndim and a.shape[0]:
            made = x[0], a[0, ...]
        else:
            made = x[key], a[(*key, ...)]
        if made[1].size:
            self.pairs.append(made)

    def write(self):
        x, a = self.pick()
        value = int(self.rng.integers(100))
        kind = self.rng.integers(4)
        if kind == 0:
            x += value
            a += value
            return
        key = tuple(map(self.key_of, a.shape))
        y, b = self.pick()
        if kind == 1 and b.shape == a[key].shape:
            x[key], a[key] = y, b
        elif kind == 2:
            x[x > value], a[a > value] = value, value
        else:
            x[key], a[key] = value, value

    def drop(self):
        if len(self.pairs) > 6:
            del self.pairs[self.rng.integers(len(self.pairs))]

    def compare(self):
        for x, a in self.pairs:
            np.testing.assert_array_equal(x.numpy(), a)


@pytest.mark.parametrize("seed", range(200))
def test_random_writes(seed):
    pairs = Pairs(seed)
    for _ in range(25):
        [pairs.view, pairs.write, pairs.write, pairs.drop][
            pairs.rng.integers(4)]()
        if pairs.rng.integers(4) == 0:
            pairs.compare()
    pairs.compare()
