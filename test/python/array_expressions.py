# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random expressions of the array API, on nodes and in numpy.

    PYTHONPATH=build/python python test/python/array_expressions.py 1000

compares that many graphs of a dozen expressions each.
"""

import re
import sys

import numpy as np

import hamkaas as hk

DTYPES = ["float32", "float64", "int64", "int32", "int8", "uint8", "bool"]

UNARY = ["abs", "negative", "square", "sign", "floor", "ceil", "trunc", "round",
         "positive", "logical_not", "isnan", "isfinite", "isinf", "bitwise_invert"]
FUNCTIONS = ["exp", "expm1", "log1p", "sqrt", "sin", "cos", "tanh", "atan",
             "asinh", "log"]
ARITHMETIC = ["add", "subtract", "multiply", "maximum", "minimum",
              "floor_divide", "remainder", "divide", "hypot", "atan2",
              "logaddexp", "copysign"]
COMPARISONS = ["equal", "not_equal", "less", "less_equal", "greater",
               "greater_equal", "logical_and", "logical_or", "logical_xor"]
BITS = ["bitwise_and", "bitwise_or", "bitwise_xor"]
REDUCTIONS = ["sum", "prod", "max", "min", "mean", "std", "var", "any", "all",
              "count_nonzero", "argmax", "argmin"]

# Where numpy has another name for a function of the standard.
NAMES = {"acos": "arccos", "asin": "arcsin", "atan": "arctan",
         "atan2": "arctan2", "asinh": "arcsinh", "acosh": "arccosh",
         "atanh": "arctanh", "pow": "power", "bitwise_invert": "invert",
         "bitwise_left_shift": "left_shift",
         "bitwise_right_shift": "right_shift", "concat": "concatenate",
         "permute_dims": "transpose"}

# More would only take time.
MOST_ELEMENTS = 400


def numpy_function(name):
    return getattr(np, NAMES.get(name, name))


class Expressions:
    """A graph that grows, with the values that numpy has for its nodes."""

    xp, dtypes = hk, DTYPES
    fewest = 1
    """The elements that a node has at least."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.inputs, self.nodes, self.values, self.texts = {}, [], [], []
        for i in range(4):
            dtype = self.one_of(self.dtypes)
            shape = self.shape()
            value = self.array(dtype, shape)
            self.inputs[f"x{i}"] = value
            self.keep(self.leaf(f"x{i}", value), value,
                      f"x{i}: {dtype} {shape}")

    def leaf(self, name, value):
        return hk.input(name, value.shape, value.dtype)

    def shape(self):
        return [int(size) for size in self.rng.integers(
            1, 5, self.rng.integers(0, 4))]

    def array(self, dtype, shape):
        if dtype == "bool":
            return np.asarray(self.rng.integers(0, 2, shape), bool)
        if dtype.startswith("float"):
            return np.asarray(self.rng.standard_normal(shape) * 3, dtype)
        low = 0 if dtype.startswith("u") else -9
        return np.asarray(self.rng.integers(low, 10, shape), dtype)

    def keep(self, node, value, text):
        value = np.asarray(value)
        self.nodes.append(node)
        self.values.append(value)
        self.texts.append(text)

    def pick(self):
        number = int(self.rng.integers(len(self.nodes)))
        return self.nodes[number], self.values[number], f"${number}"

    def one_of(self, values):
        return values[int(self.rng.integers(len(values)))]

    def axis(self, value):
        return int(self.rng.integers(-value.ndim, value.ndim))

    def makers(self):
        return [self.unary, self.function, self.binary, self.binary,
                self.number, self.reduce, self.index, self.index, self.move,
                self.product, self.order, self.choose, self.convert]

    def grow(self):
        """One more node, unless numpy has no value for it that is a number."""
        try:
            made = self.one_of(self.makers())()
            if made is None:
                return
            node, value, text = made()
        except (ValueError, IndexError) as error:
            if re.search("zero-size|empty (sequence|axes)", str(error)):
                return  # The largest element of none, and the like.
            raise
        value = np.asarray(value)
        if value.size < self.fewest or value.size > MOST_ELEMENTS or \
                value.ndim > 5:
            return
        if value.size == 0:
            self.keep(node(), value, text)
            return
        if value.dtype.kind == "f" and (not np.isfinite(value).all() or
                                        np.abs(value).max() > 1e4):
            return
        if value.dtype.kind in "iu" and np.abs(value.astype(float)).max() > 1e9:
            return
        made = node()
        known = "\n".join((*self.texts, text))
        assert made.shape == value.shape, (known, made.shape, value.shape)
        self.keep(made, value, text)

    def unary(self):
        name, (x, a, text) = self.one_of(UNARY), self.pick()
        if a.dtype == bool and name not in ("logical_not", "bitwise_invert",
                                            "isnan", "isinf", "isfinite"):
            return None
        if a.dtype.kind == "f" and name == "bitwise_invert":
            return None
        if a.dtype.kind != "f" and name in ("floor", "ceil", "trunc", "round"):
            a, name = a.astype("float64"), "floor"
            return lambda: (lambda: self.xp.floor(x), a.astype(
                x.dtype), f"floor({text})")
        return lambda: (lambda: getattr(self.xp, name)(x),
                        numpy_function(name)(a), f"{name}({text})")

    def function(self):
        name, (x, a, text) = self.one_of(FUNCTIONS), self.pick()
        if a.dtype.kind != "f":
            a = a.astype("float32")
        return lambda: (lambda: getattr(self.xp, name)(x),
                        numpy_function(name)(a), f"{name}({text})")

    def pair(self, kinds):
        (x, a, left), (y, b, right) = self.pick(), self.pick()
        try:
            np.broadcast_shapes(a.shape, b.shape)
        except ValueError:
            return None
        mixed = {a.dtype.kind, b.dtype.kind} - {"b"}
        if not set(a.dtype.kind + b.dtype.kind) <= set(kinds) or (
                "f" in mixed and len(mixed) > 1):
            return None
        # numpy promotes an array without dimensions by its value.
        dtype = np.promote_types(a.dtype, b.dtype)
        if dtype.kind == "f" and "f" not in mixed:
            return None  # Of int64 and uint64.
        return x, y, a.astype(dtype), b.astype(dtype), left, right

    def binary(self):
        name = self.one_of(ARITHMETIC + COMPARISONS + BITS)
        kinds = "biu" if name in BITS else "biuf" if name in COMPARISONS \
            else "iuf"
        pair = self.pair(kinds)
        if pair is None:
            return None
        x, y, a, b, left, right = pair
        if name in ("divide", "hypot", "atan2", "logaddexp", "copysign") and \
                a.dtype.kind != "f":
            a, b = a.astype("float32"), b.astype("float32")
        if name in ("remainder", "floor_divide") and a.dtype.kind == "f" and \
                np.any(b == 0):
            return None
        return lambda: (lambda: getattr(self.xp, name)(x, y),
                        numpy_function(name)(a, b), f"{name}({left}, {right})")

    def number(self):
        name, (x, a, text) = self.one_of(["add", "multiply", "subtract",
                                          "maximum", "less", "remainder",
                                          "pow"]), self.pick()
        if a.dtype == bool:
            return None
        value = int(self.rng.integers(1, 4))
        if a.dtype.kind == "f" and name != "pow":
            value += 0.5
        other = np.asarray(value, a.dtype)
        if self.rng.integers(2) and name != "pow":
            return lambda: (lambda: getattr(self.xp, name)(value, x),
                            numpy_function(name)(other, a).astype(
                                bool if name == "less" else a.dtype),
                            f"{name}({value}, {text})")
        return lambda: (lambda: getattr(self.xp, name)(x, value),
                        numpy_function(name)(a, other).astype(
                            bool if name == "less" else a.dtype),
                        f"{name}({text}, {value})")

    def reduce(self):
        name, (x, a, text) = self.one_of(REDUCTIONS), self.pick()
        if a.dtype == bool and name in ("max", "min", "argmax", "argmin"):
            return None
        axis = None if self.rng.integers(2) or not a.ndim else self.axis(a)
        keepdims = bool(self.rng.integers(2))
        if a.dtype.kind == "f" and name in ("argmax", "argmin"):
            a = a.astype("float64")
        source = a
        if name in ("mean", "std", "var"):
            source = a.astype("float64")
        expected = numpy_function(name)(source, axis=axis, keepdims=keepdims)
        if name in ("mean", "std", "var"):
            expected = expected.astype(a.dtype if a.dtype.kind == "f"
                                       else "float32")
        return lambda: (lambda: getattr(self.xp, name)(x, axis=axis,
                                                  keepdims=keepdims),
                        expected, f"{name}({text}, {axis}, {keepdims})")

    def index_of(self, size):
        kind = self.rng.integers(6) if size else 5
        if kind == 0:
            return int(self.rng.integers(-size, size))
        if kind == 1:
            return [int(i) for i in self.rng.integers(-size, size, 2)]
        if kind == 2:
            mask = self.rng.integers(0, 2, size).astype(bool)
            return mask if mask.any() else slice(None)
        ends = [None if self.rng.integers(3) == 0 else
                int(i) for i in self.rng.integers(-size - 1, size + 2, 2)]
        return slice(*ends, self.one_of([None, 1, 2, -1, -2]))

    def index(self):
        x, a, text = self.pick()
        key = [self.index_of(size) for size in a.shape]
        first, last = sorted(self.rng.integers(0, len(key) + 1, 2))
        if self.rng.integers(3) == 0:
            key[first:last] = [Ellipsis]
        else:
            key = key[:last]
        if self.rng.integers(3) == 0:
            key.insert(self.rng.integers(len(key) + 1), None)
        lists = [len(one) if isinstance(one, list) else int(one.sum())
                 for one in key if isinstance(one, (list, np.ndarray))]
        if len(set(lists) - {1}) > 1:
            return None
        key = tuple(key)
        return lambda: (lambda: x[key], a[key], f"{text}[{key}]")

    def move(self):
        x, a, text = self.pick()
        name = self.one_of(["flip", "roll", "reshape", "expand_dims", "tile",
                            "repeat", "permute_dims", "broadcast_to", "stack",
                            "concat", "moveaxis", "tril", "cumulative_sum"])
        if name == "reshape":
            return lambda: (lambda: self.xp.reshape(x, [-1]), a.reshape(-1),
                            f"reshape({text})")
        if name == "broadcast_to":
            shape = (2, *a.shape)
            return lambda: (lambda: self.xp.broadcast_to(x, shape),
                            np.broadcast_to(a, shape), f"broadcast_to({text})")
        if name == "tile":
            return lambda: (lambda: self.xp.tile(x, [2, 1]), np.tile(a, [2, 1]),
                            f"tile({text})")
        if name == "stack":
            return lambda: (lambda: self.xp.stack([x, x], axis=-1),
                            np.stack([a, a], axis=-1), f"stack({text})")
        if a.ndim == 0 or (name == "tril" and a.ndim < 2):
            return None
        axis = self.axis(a)
        if name == "cumulative_sum":
            return lambda: (lambda: self.xp.cumulative_sum(x, axis=axis),
                            np.cumsum(a, axis=axis), f"cumsum({text}, {axis})")
        if name == "concat":
            return lambda: (lambda: self.xp.concat([x, x], axis=axis),
                            np.concatenate([a, a], axis=axis),
                            f"concat({text}, {axis})")
        if name == "repeat":
            return lambda: (lambda: self.xp.repeat(x, 2, axis=axis),
                            np.repeat(a, 2, axis=axis),
                            f"repeat({text}, {axis})")
        if name == "moveaxis":
            return lambda: (lambda: self.xp.moveaxis(x, axis, 0),
                            np.moveaxis(a, axis, 0), f"moveaxis({text})")
        if name == "permute_dims":
            order = [int(i) for i in self.rng.permutation(a.ndim)]
            return lambda: (lambda: self.xp.permute_dims(x, order),
                            a.transpose(order), f"permute_dims({text})")
        if name == "tril":
            return lambda: (lambda: self.xp.tril(x, k=1), np.tril(a, 1),
                            f"tril({text})")
        if name == "roll":
            return lambda: (lambda: self.xp.roll(x, 3, axis=axis),
                            np.roll(a, 3, axis=axis), f"roll({text}, {axis})")
        if name == "flip":
            return lambda: (lambda: self.xp.flip(x, axis=axis),
                            np.flip(a, axis=axis), f"flip({text}, {axis})")
        return lambda: (lambda: self.xp.expand_dims(x, axis=axis),
                        np.expand_dims(a, axis), f"expand_dims({text})")

    def product(self):
        (x, a, left), (y, b, right) = self.pick(), self.pick()
        kinds = {a.dtype.kind, b.dtype.kind}
        if "b" in kinds or ("f" in kinds and len(kinds) > 1):
            return None
        if "f" not in kinds and np.promote_types(a.dtype,
                                                 b.dtype).kind == "f":
            return None
        try:
            expected = np.matmul(a, b)
        except ValueError:
            return None
        return lambda: (lambda: x @ y, expected, f"{left} @ {right}")

    def order(self):
        x, a, text = self.pick()
        if a.ndim == 0 or a.dtype == bool:
            return None
        axis = self.axis(a)
        if self.rng.integers(2) or not a.shape[axis]:
            return lambda: (lambda: self.xp.sort(x, axis=axis),
                            np.sort(a, axis=axis), f"sort({text}, {axis})")
        return lambda: (lambda: self.xp.take(x, np.array([0, -1]), axis=axis),
                        np.take(a, [0, -1], axis=axis), f"take({text}, {axis})")

    def choose(self):
        pair = self.pair("biuf")
        c, condition, text = self.pick()
        if pair is None:
            return None
        x, y, a, b, left, right = pair
        try:
            np.broadcast_shapes(a.shape, b.shape, condition.shape)
        except ValueError:
            return None
        return lambda: (lambda: self.xp.where(c, x, y),
                        np.where(condition.astype(bool), a, b),
                        f"where({text}, {left}, {right})")

    def convert(self):
        x, a, text = self.pick()
        dtype = self.one_of(self.dtypes)
        if a.dtype.kind == "f" and dtype.startswith(("u", "int8")):
            return None
        return lambda: (lambda: self.xp.astype(x, dtype), a.astype(dtype),
                        f"astype({text}, {dtype})")

    def check(self, device="cpu"):
        """Runs the graph and compares each node with numpy."""
        results = hk.compile(self.nodes, device=device).run(self.inputs)
        self.compare(results)

    def compare(self, results):
        for i, (result, value) in enumerate(zip(results, self.values)):
            known = "\n".join(f"${j} = {text}"
                              for j, text in enumerate(self.texts[:i + 1]))
            assert result.shape == value.shape, known
            # numpy computes some functions of integers in float64.
            assert result.dtype == value.dtype, (result.dtype, value.dtype,
                                                 known)
            scale = max(1.0, float(np.abs(value.astype(float)).max()))
            tolerance = 0 if value.dtype.kind in "biu" else 1e-3 * scale
            np.testing.assert_allclose(
                result.astype(float), value.astype(float), rtol=1e-3,
                atol=tolerance, err_msg=known)


def grow(seed, count=12):
    expressions = Expressions(seed)
    with np.errstate(all="ignore"):
        while len(expressions.nodes) < count + 4:
            expressions.grow()
    return expressions


if __name__ == "__main__":
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for seed in range(first, first + int(sys.argv[1])):
        try:
            grow(seed).check("reference" if seed % 4 else "cpu")
        except BaseException:
            print("seed", seed)
            raise
    print("all agree")
