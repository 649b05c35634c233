# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions of arrays that compute when they are looked at, and numpy.

    PYTHONPATH=build/python python test/python/random_arrays.py 1000

compares that many groups of a dozen expressions each. An array is looked at
when it is made, as an operand of others, or with all at the end.
"""

import copy
import operator
import sys
import time
import warnings

import numpy as np

import hamkaas.array as xp
from array_expressions import Expressions, numpy_function

DTYPES = ["float32", "float64", "int8", "int16", "int32", "int64", "uint8",
          "uint16", "uint32", "uint64", "bool"]

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul,
             "/": operator.truediv, "//": operator.floordiv,
             "%": operator.mod, "==": operator.eq, "!=": operator.ne,
             "<": operator.lt, "<=": operator.le, ">": operator.gt,
             ">=": operator.ge, "&": operator.and_, "|": operator.or_,
             "^": operator.xor}
BITS, CHANGES = "&|^", ["+", "-", "*", "&", "|", "^", "//", "%"]


def number_dtype(a, value):
    """The type of an array of numpy beside a number of Python."""
    if a.dtype == bool and not isinstance(value, bool):
        return np.dtype("float32" if isinstance(value, float) else "int64")
    return a.dtype


class ArrayExpressions(Expressions):
    """Arrays, with the values that numpy has for them."""

    xp, dtypes = xp, DTYPES
    fewest = 0

    def __init__(self, seed):
        self.followed = set()
        self.has_empty = seed % 3 == 0
        super().__init__(seed)

    def leaf(self, name, value):
        return xp.asarray(value)

    def shape(self):
        shape = super().shape()
        if self.has_empty and shape and self.rng.integers(2):
            shape[self.rng.integers(len(shape))] = 0
        return shape

    def keep(self, node, value, text):
        super().keep(node, value, text)
        if self.rng.integers(6) == 0:
            node.numpy()
        self.follow()

    def follow(self):
        """Compares what is computed; numpy goes on with its rounding."""
        known = {i: node.numpy() for i, node in enumerate(self.nodes)
                 if node._record.data is not None and i not in self.followed}
        self.compare(known)
        for i, elements in known.items():
            self.values[i] = np.array(elements)
        self.followed.update(known)

    def has_floats(self):
        """Whose rounding may also be seen in what is float64 again."""
        return any(value.dtype == np.float32 for value in self.values)

    def compare(self, results):
        for i, result in results.items():
            value = self.values[i]
            known = "\n".join(f"${j} = {text}"
                              for j, text in enumerate(self.texts[:i + 1]))
            assert result.shape == value.shape, known
            assert result.dtype == value.dtype, (known, result.dtype,
                                                 value.dtype)
            if value.dtype.kind != "f" or not value.size:
                np.testing.assert_array_equal(result, value, known)
                continue
            scale = max(1.0, float(np.abs(value).max()))
            error = 1e-4 if self.has_floats() else 1e-9
            np.testing.assert_allclose(result, value, rtol=error,
                                       atol=error * scale, err_msg=known)

    def check(self, device="cpu"):
        xp.compute(*self.nodes)
        self.compare({i: node.numpy() for i, node in enumerate(self.nodes)})

    def makers(self):
        return super().makers() + [
            self.operate, self.operate, self.operate, self.change, self.assign,
            self.mask, self.sets, self.positions, self.cut, self.clip,
            self.contract, self.statistics, self.create, self.shape_again,
            self.view, self.shift]

    # Operators and promotion, also of numbers.

    def other_number(self, a):
        kind = self.rng.integers(4)
        if kind == 0 and a.dtype == bool:
            return bool(self.rng.integers(2))
        if kind == 1 and a.dtype.kind in "fb":
            return float(self.rng.integers(1, 12)) / 4
        return int(self.rng.integers(1, 9))

    def operate(self):
        sign = self.one_of(list(OPERATORS))
        function = OPERATORS[sign]
        if self.rng.integers(2):
            return self.operate_on_pair(sign, function)
        x, a, text = self.pick()
        value = self.other_number(a)
        dtype = number_dtype(a, value)
        if not self.fits(sign, dtype):
            return None
        left, right = a.astype(dtype), np.asarray(value, dtype)
        if sign == "/" and dtype.kind != "f":
            left, right = left.astype("float32"), right.astype("float32")
        if self.rng.integers(2):
            return lambda: (lambda: function(x, value), function(left, right),
                            f"{text} {sign} {value}")
        if sign in "//%" and np.any(left == 0):
            return None
        return lambda: (lambda: function(value, x), function(right, left),
                        f"{value} {sign} {text}")

    def fits(self, sign, dtype):
        return not (dtype == bool and sign in ("-", "/", "//", "%", "+", "*") or
                    dtype.kind == "f" and sign in BITS)

    def operate_on_pair(self, sign, function):
        pair = self.pair("biuf")
        if pair is None or not self.fits(sign, pair[2].dtype):
            return None
        x, y, a, b, left, right = pair
        if sign in ("/", "//", "%") and np.any(b == 0):
            return None
        if sign == "/" and a.dtype.kind != "f":
            a, b = a.astype("float32"), b.astype("float32")
        if self.rng.integers(4) == 0 and b.ndim:
            y = np.array(y)  # An array of numpy beside one of ours.
        return lambda: (lambda: function(x, y), function(a, b),
                        f"{left} {sign} {right}")

    def shift(self):
        x, a, text = self.pick()
        if a.dtype.kind not in "iu":
            return None
        by = int(self.rng.integers(8))
        if self.rng.integers(2):
            return lambda: (lambda: x << by, a << a.dtype.type(by),
                            f"{text} << {by}")
        return lambda: (lambda: x >> by, a >> a.dtype.type(by),
                        f"{text} >> {by}")

    # Arrays that change, and those that do not.

    def change(self):
        sign = self.one_of(CHANGES)
        pair = self.pair("biuf")
        if pair is None or not self.fits(sign, pair[2].dtype):
            return None
        x, y, a, b, left, right = pair
        function = OPERATORS[sign]
        if x.dtype != a.dtype or (sign in ("//", "%") and np.any(b == 0)) or \
                np.broadcast_shapes(a.shape, b.shape) != a.shape:
            return None

        def made():
            z = same = copy.copy(x)
            names = {"z": z, "y": y}
            exec(f"z {sign}= y", names)
            assert names["z"] is same
            return same

        return lambda: (made, function(a, b), f"{left} {sign}= {right}")

    def assign(self):
        x, a, text = self.pick()
        key = tuple(self.index_of(size) for size in a.shape)
        key = key[:self.rng.integers(len(key) + 1)]
        if sum(not isinstance(one, (int, slice)) for one in key) > 1:
            return None
        if a.ndim and self.rng.integers(3) == 0:
            key = self.rng.integers(0, 2, a.shape).astype(bool)
        value = self.other_number(a)
        if number_dtype(a, value) != a.dtype or np.any(a[key] == value):
            return None
        expected = a.copy()
        expected[key] = value

        def made():
            z = copy.copy(x)
            z[xp.asarray(key) if isinstance(key, np.ndarray) and
              self.rng.integers(2) else key] = value
            return z

        return lambda: (made, expected, f"{text}[{key}] = {value}")

    # Shapes that depend on values.

    def mask(self):
        x, a, text = self.pick()
        chosen = self.rng.integers(0, 2, a.shape).astype(bool)
        key = self.one_of([chosen, xp.asarray(chosen)]) if a.ndim else ...
        return lambda: (lambda: x[key], a[chosen] if a.ndim else a,
                        f"{text}[{chosen}]")

    def sets(self):
        x, a, text = self.pick()
        if a.ndim == 0:
            return None
        if self.rng.integers(2):
            return lambda: (lambda: xp.nonzero(x)[-1], np.nonzero(a)[-1],
                            f"nonzero({text})")
        inverse = np.unique(a, return_inverse=True)[1].reshape(a.shape)
        return lambda: (lambda: xp.unique_inverse(x).inverse_indices, inverse,
                        f"unique_inverse({text})")

    # Functions that nodes are not compared by.

    def positions(self):
        x, a, text = self.pick()
        if a.ndim == 0:
            return None
        axis, name = self.axis(a), self.one_of(["argsort", "along", "down",
                                                "search"])
        if name == "argsort" and a.dtype != bool:
            return lambda: (lambda: xp.argsort(x, axis=axis),
                            np.argsort(a, axis=axis, kind="stable"),
                            f"argsort({text}, {axis})")
        if name == "down" and a.dtype != bool:
            return lambda: (lambda: xp.sort(x, axis=axis, descending=True),
                            np.flip(np.sort(a, axis=axis), axis),
                            f"sort({text}, {axis}, descending)")
        if name == "search" and a.ndim == 1 and a.dtype != bool:
            side = self.one_of(["left", "right"])
            order = np.sort(a)
            return lambda: (lambda: xp.searchsorted(xp.sort(x), x, side=side),
                            np.searchsorted(order, a, side=side),
                            f"searchsorted({text}, {side})")
        if not a.size:
            return None
        places = self.rng.integers(-a.shape[axis], a.shape[axis], a.shape)
        return lambda: (lambda: xp.take_along_axis(x, xp.asarray(places),
                                                   axis=axis),
                        np.take_along_axis(a, places, axis),
                        f"take_along_axis({text}, {places.tolist()}, {axis})")

    def cut(self):
        x, a, text = self.pick()
        if a.ndim == 0:
            return None
        axis, name = self.axis(a), self.one_of(["unstack", "split", "diff",
                                                "triu", "initial"])
        if name == "unstack" and a.shape[axis]:
            return lambda: (lambda: xp.unstack(x, axis=axis)[-1],
                            np.moveaxis(a, axis, 0)[-1],
                            f"unstack({text}, {axis})[-1]")
        if name == "triu" and a.ndim > 1:
            return lambda: (lambda: xp.triu(x, k=-1), np.triu(a, -1),
                            f"triu({text})")
        if name == "initial":
            dtype = {"b": "int64", "i": "int64", "u": "uint64"}.get(
                a.dtype.kind, a.dtype)
            sums = np.cumsum(a, axis=axis, dtype=dtype)
            initial = np.zeros_like(sums.sum(axis, keepdims=True), sums.dtype)
            return lambda: (lambda: xp.cumulative_sum(
                x, axis=axis, include_initial=True), np.concatenate(
                    [initial, sums], axis),
                            f"cumulative_sum({text}, {axis}, initial)")
        if a.shape[axis] < 2 or a.dtype == bool:
            return None
        if name == "split":
            return lambda: (lambda: xp.split(x, [1], axis=axis)[1],
                            np.split(a, [1], axis)[1], f"split({text}, {axis})")
        return lambda: (lambda: xp.diff(x, axis=axis), np.diff(a, axis=axis),
                        f"diff({text}, {axis})")

    def clip(self):
        x, a, text = self.pick()
        if a.dtype == bool:
            return None
        low = int(self.rng.integers(0, 3))
        high = low + int(self.rng.integers(1, 4))
        number = a.dtype.type
        return lambda: (lambda: xp.clip(x, low, high),
                        np.clip(a, number(low), number(high)),
                        f"clip({text}, {low}, {high})")

    def contract(self):
        pair = self.pair("iuf")
        if pair is None:
            return None
        x, y, a, b, left, right = pair
        name = self.one_of(["vecdot", "tensordot", "outer"])
        if name == "vecdot" and a.ndim and b.ndim and \
                a.shape[-1] == b.shape[-1]:
            return lambda: (lambda: xp.vecdot(x, y),
                            (a * b).sum(-1, dtype=a.dtype),
                            f"vecdot({left}, {right})")
        if name == "tensordot" and a.ndim and b.ndim and \
                a.shape[-1] == b.shape[0]:
            return lambda: (lambda: xp.tensordot(x, y, axes=1),
                            np.tensordot(a, b, 1),
                            f"tensordot({left}, {right}, 1)")
        if name == "outer" and a.ndim == b.ndim == 1:
            return lambda: (lambda: xp.outer(x, y), np.outer(a, b),
                            f"outer({left}, {right})")
        return None

    def statistics(self):
        x, a, text = self.pick()
        if a.dtype.kind != "f" or a.ndim < 2:
            return None
        axes = tuple(int(i) for i in self.rng.permutation(a.ndim)[:2])
        name = self.one_of(["sum", "mean", "max", "var", "std"])
        options = {"axis": axes, "keepdims": bool(self.rng.integers(2))}
        known = dict(options)
        if name in ("var", "std"):
            options["correction"], known["ddof"] = 0.5, 0.5
        if a.shape[axes[0]] * a.shape[axes[1]] < 2:
            return None
        expected = numpy_function(name)(a.astype("float64"), **known)
        return lambda: (lambda: getattr(xp, name)(x, **options),
                        expected.astype(a.dtype), f"{name}({text}, {options})")

    def create(self):
        dtype = self.one_of(DTYPES[:-1])
        number, shape = int(self.rng.integers(1, 9)), self.shape()
        x, a, text = self.pick()
        return self.one_of([
            lambda: (lambda: xp.full(shape, number, dtype=dtype),
                     np.full(shape, number, dtype), f"full({shape}, {number})"),
            lambda: (lambda: xp.arange(number, dtype=dtype),
                     np.arange(number, dtype=dtype), f"arange({number})"),
            lambda: (lambda: xp.linspace(0, number, 5),
                     np.linspace(0, number, 5, dtype="float32"),
                     f"linspace(0, {number}, 5)"),
            lambda: (lambda: xp.eye(3, number, k=1, dtype=dtype),
                     np.eye(3, number, 1, dtype), f"eye(3, {number})"),
            lambda: (lambda: xp.ones_like(x), np.ones_like(a),
                     f"ones_like({text})")])

    def shape_again(self):
        x, a, text = self.pick()
        shape = [int(size) for size in self.rng.permutation(
            [*(size for size in a.shape if size != 1), 1])]
        if a.size and self.rng.integers(2):
            shape[self.rng.integers(len(shape))] = -1
        return lambda: (lambda: x.reshape(shape), a.reshape(shape),
                        f"{text}.reshape({shape})")

    def view(self):
        """Views of views, some of them of what is known."""
        x, a, text = self.pick()
        if a.ndim < 2:
            return None
        if self.rng.integers(2):
            x.numpy()
        return lambda: (lambda: xp.flip(x.mT[..., ::2])[1:, None],
                        np.flip(np.swapaxes(a, -1, -2)[..., ::2])[1:, None],
                        f"flip({text}.mT[..., ::2])[1:, None]")


def grow(seed, count=12):
    expressions = ArrayExpressions(seed)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*(empty slice|freedom)")
        while len(expressions.nodes) < count + 4:
            expressions.grow()
    return expressions


def main(groups, first):
    begin, count, wrong = time.time(), 0, 0
    for seed in range(first, first + groups):
        try:
            expressions = grow(seed)
            expressions.check()
            count += len(expressions.nodes) - 4
        except Exception as error:
            wrong += 1
            print(f"seed {seed}: {error}", flush=True)
        if seed % 100 == 99 or seed == first + groups - 1:
            print(f"{count} expressions agree, {wrong} groups do not, "
                  f"{time.time() - begin:.0f} s", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]),
                  int(sys.argv[2]) if len(sys.argv) > 2 else 0))
