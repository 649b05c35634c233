# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python array API standard on nodes, against numpy."""

import numpy as np
import pytest

import hamkaas as hk
from array_expressions import NAMES, grow

RNG = np.random.default_rng(7)
A = RNG.standard_normal([3, 4], np.float32)
B = RNG.standard_normal([4], np.float32)
C = RNG.standard_normal([2, 3, 4], np.float32)
POSITIVE = np.abs(A) + np.float32(0.1)
UNIT = np.tanh(A)
I = RNG.integers(-9, 9, [3, 4])
J = RNG.integers(1, 9, [4])
M = RNG.integers(0, 2, [3, 4]).astype(bool)
SMALL = RNG.integers(-100, 100, [3, 4]).astype("int8")
BYTES = RNG.integers(0, 255, [3, 4]).astype("uint8")
SPECIAL = np.float32([[0.0, -0.0, np.inf, -np.inf, np.nan, 1e-7, -1e-7, 3e38]])


class Numpy:
    """numpy under the names of the standard."""

    def __getattr__(self, name):
        return getattr(np, NAMES.get(name, name))

    def astype(self, x, dtype):
        return x.astype(dtype)

    def unstack(self, x, axis=0):
        return tuple(np.moveaxis(x, axis, 0))

    def cumulative_prod(self, x, axis, include_initial=False):
        products = np.cumprod(x, axis=axis)
        if include_initial:
            products = np.insert(products, 0, 1, axis=axis)
        return products

    def cumulative_sum(self, x, axis, include_initial=False):
        sums = np.cumsum(x, axis=axis)
        if include_initial:
            sums = np.insert(sums, 0, 0, axis=axis)
        return sums

    def matrix_transpose(self, x):
        return np.swapaxes(x, -1, -2)

    def vecdot(self, x, y):
        return np.sum(x * y, axis=-1)

    def std(self, x, axis=None, correction=0, keepdims=False):
        return np.std(x, axis=axis, ddof=correction, keepdims=keepdims)

    def var(self, x, axis=None, correction=0, keepdims=False):
        return np.var(x, axis=axis, ddof=correction, keepdims=keepdims)

    def concat(self, arrays, axis=0):
        return np.concatenate(arrays, axis=axis)

    def permute_dims(self, x, axes):
        return np.transpose(x, axes)


def sort_down(m, x):
    return m.sort(x, axis=0, descending=True) if m._functions is hk else \
        -np.sort(-x, axis=0)


# Calls of each function, by its name.
CASES = {
    "abs": [lambda m: m.abs(m.x(A)), lambda m: m.abs(m.x(SMALL))],
    "acos": [lambda m: m.acos(m.x(UNIT))],
    "acosh": [lambda m: m.acosh(m.x(POSITIVE + 1))],
    "add": [lambda m: m.add(m.x(A), B), lambda m: 1 + m.x(SMALL),
            lambda m: m.x(B) + m.x(C)],
    "all": [lambda m: m.all(m.x(M), axis=0), lambda m: m.all(m.x(I))],
    "any": [lambda m: m.any(m.x(M), axis=(0, 1), keepdims=True)],
    "argmax": [lambda m: m.argmax(m.x(A), axis=1), lambda m: m.argmax(m.x(A)),
               lambda m: m.argmax(m.x(SPECIAL), axis=-1, keepdims=True)],
    "argmin": [lambda m: m.argmin(m.x(I), axis=0), lambda m: m.argmin(m.x(A))],
    "argsort": [lambda m: m.argsort(m.x(A), axis=0)],
    "asin": [lambda m: m.asin(m.x(UNIT))],
    "asinh": [lambda m: m.asinh(m.x(A))],
    "astype": [lambda m: m.astype(m.x(I), "float16"),
               lambda m: m.astype(m.x(A * 10), "int32"),
               lambda m: m.astype(m.x(A), "bool")],
    "atan": [lambda m: m.atan(m.x(A))],
    "atan2": [lambda m: m.atan2(m.x(A), B),
              lambda m: m.atan2(m.x(SPECIAL), SPECIAL.T)],
    "atanh": [lambda m: m.atanh(m.x(UNIT))],
    "bitwise_and": [lambda m: m.x(I) & 5, lambda m: m.x(M) & M[::-1]],
    "bitwise_invert": [lambda m: ~m.x(SMALL), lambda m: ~m.x(M)],
    "bitwise_left_shift": [lambda m: m.x(I) << J % 5],
    "bitwise_or": [lambda m: m.x(I) | J, lambda m: 1 | m.x(I)],
    "bitwise_right_shift": [lambda m: m.x(I) >> 1],
    "bitwise_xor": [lambda m: m.x(I) ^ J],
    "broadcast_arrays": [lambda m: m.broadcast_arrays(m.x(A), m.x(B))[1]],
    "broadcast_to": [lambda m: m.broadcast_to(m.x(B), (2, 3, 4))],
    "ceil": [lambda m: m.ceil(m.x(A))],
    "clip": [lambda m: m.clip(m.x(A), -0.5, 0.25),
             lambda m: m.clip(m.x(I), 0, None)],
    "concat": [lambda m: m.concat([m.x(A), A], axis=1),
               lambda m: m.concat([m.x(A), m.x(B)], axis=None)],
    "conj": [lambda m: m.conj(m.x(A))],
    "copysign": [lambda m: m.copysign(m.x(A), -0.0)],
    "cos": [lambda m: m.cos(m.x(A))],
    "cosh": [lambda m: m.cosh(m.x(A))],
    "count_nonzero": [lambda m: m.count_nonzero(m.x(I), axis=1)],
    "cumulative_prod": [lambda m: m.cumulative_prod(m.x(A), axis=1),
                        lambda m: m.cumulative_prod(m.x(SMALL), axis=0),
                        lambda m: m.cumulative_prod(m.x(I), axis=0,
                                                    include_initial=True)],
    "cumulative_sum": [lambda m: m.cumulative_sum(m.x(A), axis=1),
                       lambda m: m.cumulative_sum(m.x(I), axis=0,
                                                  include_initial=True)],
    "diff": [lambda m: m.diff(m.x(A)), lambda m: m.diff(m.x(I), n=2, axis=0)],
    "divide": [lambda m: m.x(A) / B, lambda m: 1 / m.x(POSITIVE)],
    "einsum": [lambda m: m.einsum("ij,kij->k", m.x(A), C),
               lambda m: m.einsum("...ii", m.x(C[:, :, :3])),
               lambda m: m.einsum("...i,j->j...", m.x(A), m.x(A[0]))],
    "equal": [lambda m: m.x(I) == J, lambda m: m.x(SPECIAL) == SPECIAL],
    "exp": [lambda m: m.exp(m.x(A))],
    "expand_dims": [lambda m: m.expand_dims(m.x(A), axis=1)],
    "expm1": [lambda m: m.expm1(m.x(A)), lambda m: m.expm1(m.x(SPECIAL))],
    "flip": [lambda m: m.flip(m.x(A)), lambda m: m.flip(m.x(A), axis=1)],
    "floor": [lambda m: m.floor(m.x(A))],
    "floor_divide": [lambda m: m.x(I) // J, lambda m: m.x(A) // 0.25,
                     lambda m: 7 // m.x(J), lambda m: m.x(I) // 0],
    "greater": [lambda m: m.x(A) > 0, lambda m: 0.5 > m.x(A)],
    "greater_equal": [lambda m: m.x(I) >= J],
    "hypot": [lambda m: m.hypot(m.x(A), B),
              lambda m: m.hypot(m.x(np.float32([3e38, 0, np.inf])), 1.0)],
    "imag": [lambda m: m.imag(m.x(A))],
    "isfinite": [lambda m: m.isfinite(m.x(SPECIAL)),
                 lambda m: m.isfinite(m.x(I))],
    "isinf": [lambda m: m.isinf(m.x(SPECIAL)), lambda m: m.isinf(m.x(I))],
    "isin": [lambda m: m.isin(m.x(I), J)],
    "isnan": [lambda m: m.isnan(m.x(SPECIAL))],
    "less": [lambda m: m.x(B) < m.x(A), lambda m: m.less(0, m.x(I))],
    "less_equal": [lambda m: m.x(I) <= 3],
    "log": [lambda m: m.log(m.x(POSITIVE)), lambda m: m.log(m.x(SPECIAL))],
    "log10": [lambda m: m.log10(m.x(POSITIVE))],
    "log1p": [lambda m: m.log1p(m.x(POSITIVE)), lambda m: m.log1p(
        m.x(SPECIAL))],
    "log2": [lambda m: m.log2(m.x(POSITIVE))],
    "logaddexp": [lambda m: m.logaddexp(m.x(A), B),
                  lambda m: m.logaddexp(m.x(SPECIAL), SPECIAL)],
    "logical_and": [lambda m: m.logical_and(m.x(I), M)],
    "logical_not": [lambda m: m.logical_not(m.x(I))],
    "logical_or": [lambda m: m.logical_or(m.x(M), I)],
    "logical_xor": [lambda m: m.logical_xor(m.x(M), True)],
    "matmul": [lambda m: m.x(A) @ B, lambda m: B @ m.x(A).T,
               lambda m: m.x(B) @ m.x(B), lambda m: m.x(C) @ A.T,
               lambda m: m.matmul(m.x(A), m.x(np.swapaxes(C, 1, 2))),
               lambda m: m.x(B) @ m.x(np.swapaxes(C, 1, 2)),
               lambda m: m.x(I) @ J],
    "matrix_transpose": [lambda m: m.matrix_transpose(m.x(C))],
    "max": [lambda m: m.max(m.x(A), axis=-1), lambda m: m.max(m.x(SPECIAL))],
    "maximum": [lambda m: m.maximum(m.x(A), 0), lambda m: m.maximum(
        m.x(SMALL), BYTES)],
    "mean": [lambda m: m.mean(m.x(A), axis=0, keepdims=True),
             lambda m: m.mean(m.x(I))],
    "meshgrid": [lambda m: m.meshgrid(m.x(B), m.x(J))[0],
                 lambda m: m.meshgrid(m.x(B), m.x(J), indexing="ij")[1]],
    "min": [lambda m: m.min(m.x(I), axis=(0, 1))],
    "minimum": [lambda m: m.minimum(m.x(A), B)],
    "moveaxis": [lambda m: m.moveaxis(m.x(C), 0, -1),
                 lambda m: m.moveaxis(m.x(C), [0, 1], [2, 0])],
    "multiply": [lambda m: m.x(I) * J, lambda m: 0.5 * m.x(A)],
    "negative": [lambda m: -m.x(A)],
    "nextafter": [lambda m: m.nextafter(m.x(A), B),
                  lambda m: m.nextafter(m.x(SPECIAL.T), SPECIAL)],
    "not_equal": [lambda m: m.x(SPECIAL) != SPECIAL],
    "outer": [lambda m: m.outer(m.x(B), J.astype("float32"))],
    "permute_dims": [lambda m: m.permute_dims(m.x(C), (2, 0, 1))],
    "positive": [lambda m: +m.x(A)],
    "pow": [lambda m: m.x(POSITIVE) ** B, lambda m: m.x(A) ** 2,
            lambda m: m.x(I) ** 5, lambda m: m.x(I) ** J,
            lambda m: 2 ** m.x(J), lambda m: m.x(POSITIVE) ** 0.5],
    "prod": [lambda m: m.prod(m.x(A), axis=1), lambda m: m.prod(m.x(SMALL % 3))],
    "real": [lambda m: m.real(m.x(A))],
    "reciprocal": [lambda m: m.reciprocal(m.x(POSITIVE))],
    "remainder": [lambda m: m.x(I) % J, lambda m: m.x(A) % -0.75],
    "repeat": [lambda m: m.repeat(m.x(A), 2), lambda m: m.repeat(
        m.x(A), 3, axis=0), lambda m: m.repeat(m.x(A), [1, 0, 2], axis=0)],
    "reshape": [lambda m: m.reshape(m.x(A), (-1, 6))],
    "roll": [lambda m: m.roll(m.x(A), 5), lambda m: m.roll(
        m.x(A), (1, -1), axis=(0, 1))],
    "round": [lambda m: m.round(m.x(A * 2))],
    "searchsorted": [lambda m: m.searchsorted(m.x(np.sort(B)), A, side=side)
                     for side in ("left", "right")],
    "sign": [lambda m: m.sign(m.x(I)), lambda m: m.sign(m.x(SPECIAL))],
    "signbit": [lambda m: m.signbit(m.x(SPECIAL))],
    "sin": [lambda m: m.sin(m.x(A))],
    "sinh": [lambda m: m.sinh(m.x(A))],
    "sort": [lambda m: m.sort(m.x(A), axis=0), lambda m: m.sort(m.x(BYTES)),
             lambda m: sort_down(m, m.x(A))],
    "split": [lambda m: m.split(m.x(A), 2, axis=1)[1],
              lambda m: m.split(m.x(A), [1], axis=0)[1]],
    "sqrt": [lambda m: m.sqrt(m.x(POSITIVE))],
    "square": [lambda m: m.square(m.x(A))],
    "squeeze": [lambda m: m.squeeze(m.x(A[:1]), axis=0)],
    "stack": [lambda m: m.stack([m.x(A), A], axis=1)],
    "std": [lambda m: m.std(m.x(A), axis=1, correction=1)],
    "subtract": [lambda m: m.x(A) - B, lambda m: 1 - m.x(I)],
    "sum": [lambda m: m.sum(m.x(A), axis=(0,)), lambda m: m.sum(m.x(BYTES)),
            lambda m: m.sum(m.x(M), axis=1, keepdims=True)],
    "take": [lambda m: m.take(m.x(A), np.array([[2, 0], [1, -1]]), axis=1)],
    "take_along_axis": [lambda m: m.take_along_axis(
        m.x(A), np.argsort(A, axis=0), axis=0)],
    "tan": [lambda m: m.tan(m.x(A))],
    "tanh": [lambda m: m.tanh(m.x(A))],
    "tensordot": [lambda m: m.tensordot(m.x(C), A, axes=2),
                  lambda m: m.tensordot(m.x(C), C, axes=([0, 2], [0, 2]))],
    "tile": [lambda m: m.tile(m.x(A), (2, 1, 3))],
    "tril": [lambda m: m.tril(m.x(A), k=-1)],
    "triu": [lambda m: m.triu(m.x(C), k=1)],
    "trunc": [lambda m: m.trunc(m.x(A * 3))],
    "unstack": [lambda m: m.unstack(m.x(C), axis=1)[2]],
    "var": [lambda m: m.var(m.x(A)), lambda m: m.var(m.x(C), axis=(0, 2))],
    "vecdot": [lambda m: m.vecdot(m.x(C), B)],
    "where": [lambda m: m.where(m.x(A) > 0, A, 0), lambda m: m.where(
        m.x(M), 1.0, 2.0).astype("float32")],
    "arange": [lambda m: m.arange(3), lambda m: m.arange(1, 9, 3),
               lambda m: m.arange(5, 0, -2, dtype="int8")],
    "asarray": [lambda m: m.asarray([[1, 2]]), lambda m: m.asarray(3), lambda m: m.asarray(A)],
    "empty": [lambda m: m.empty([2, 3]) * 0],
    "empty_like": [lambda m: m.empty_like(m.x(I)) * 0],
    "eye": [lambda m: m.eye(3, 4, k=1, dtype="float32")],
    "full": [lambda m: m.full([2], 7, dtype="int16"), lambda m: m.full(2, 7)],
    "full_like": [lambda m: m.full_like(m.x(A), 3)],
    "linspace": [lambda m: m.linspace(0, 1, 5, dtype="float64")],
    "ones": [lambda m: m.ones([2, 1], dtype="bool")],
    "ones_like": [lambda m: m.ones_like(m.x(A), dtype="int64")],
    "zeros": [lambda m: m.zeros(3, dtype="float32")],
    "zeros_like": [lambda m: m.zeros_like(m.x(A))],
}


class Space:
    """hamkaas or numpy; `x` makes an input, or is the array."""

    def __init__(self, functions):
        self._functions = functions
        self.inputs = {}

    def __getattr__(self, name):
        return getattr(self._functions, name)

    def x(self, array):
        if self._functions is not hk:
            return array
        name = f"x{len(self.inputs)}"
        self.inputs[name] = array
        return hk.input(name, array.shape, array.dtype)


@pytest.mark.parametrize("device", ["cpu", "reference"])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_negative_powers_of_integers_are_rounded(dtype, device):
    info = np.iinfo(dtype)
    base = np.array([info.min, -127, -2, -1, 0, 1, 2, 127, info.max], dtype)
    exponent = np.array([[info.min], [-3], [-2], [-1], [0], [1], [3]], dtype)
    x, y = (hk.input(name, array.shape, dtype)
            for name, array in (("x", base), ("y", exponent)))
    model = hk.compile((x ** y, x ** exponent, base ** y), device=device)
    expected = base ** np.maximum(exponent, 0)
    for row, power in enumerate(exponent[:, 0]):
        if power < 0:
            units = {-1: -1 if power % 2 else 1, 1: 1}
            expected[row] = [units.get(number, 0) for number in base.tolist()]
    for got in model.run({"x": base, "y": exponent}):
        np.testing.assert_array_equal(got, expected)
    with pytest.raises(hk.HamKaasError, match="'pow': expected an exponent of "
                       "at least 0 for integers, got -1"):
        x ** -1
    with pytest.raises(ValueError):
        base ** -1


def test_negative_powers_of_arrays_are_rounded():
    x = hk.array.asarray([2, 1, -1, 0, 3])
    y = hk.array.asarray([-1, -5, -3, -1, 2])
    np.testing.assert_array_equal(np.asarray(x ** y), [0, 1, -1, 0, 9])
    with pytest.raises(hk.HamKaasError, match="exponent of at least 0"):
        x ** -2


def test_each_function_is_tested():
    """Also those to come."""
    public = {name for name in hk.__all__
              if callable(getattr(hk, name)) and name.islower() and
              (getattr(hk, name).__module__ or "").startswith(
                  "hamkaas.array_api") and
              not getattr(hk, name).__module__.endswith("data_types")}
    assert public == set(CASES)


@pytest.mark.parametrize("name", CASES)
def test_function(name):
    space = Space(hk)
    nodes = [case(space) for case in CASES[name]]
    with np.errstate(all="ignore"):
        expected = [np.asarray(case(Space(Numpy()))) for case in CASES[name]]
    model = hk.compile(nodes)
    results = model.run({one.name: space.inputs[one.name]
                         for one in model.inputs})
    for node, result, value in zip(nodes, results, expected):
        assert result.shape == node.shape == value.shape
        assert result.dtype == node.dtype
        if value.dtype != np.float64 and name not in ("isinf", "empty"):
            assert result.dtype == value.dtype
        np.testing.assert_allclose(result.astype(float), value.astype(float),
                                   rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(24))
def test_random_expressions(seed):
    grow(seed).check("reference" if seed % 3 else "cpu")


@pytest.mark.parametrize("left, right, result", [
    ("int8", "int64", "int64"), ("int8", "uint8", "int16"),
    ("uint32", "int8", "int64"), ("uint8", "uint16", "uint16"),
    ("float16", "float32", "float32"), ("float32", "float64", "float64"),
    ("float16", "bfloat16", "float32"), ("bool", "int8", "int8"),
    ("int64", "uint64", None), ("int32", "float32", None),
])
def test_promotion(left, right, result):
    x, y = hk.input("x", [2], left), hk.input("y", [2], right)
    if result is None:
        with pytest.raises(hk.HamKaasError, match="have a common one, got"):
            x * y
    else:
        assert str((x * y).dtype) == str((y * x).dtype) == result


def test_data_types():
    assert hk.finfo(hk.float32).max == np.finfo("float32").max
    assert hk.finfo(hk.input("x", [1], "float16")).bits == 16
    assert hk.finfo("bfloat16").smallest_normal == 2.0**-126
    assert hk.iinfo(hk.uint16) == (16, 65535, 0, hk.uint16)
    assert hk.isdtype(hk.int8, "signed integer")
    assert not hk.isdtype(hk.bool, "numeric") and hk.isdtype("bool", hk.bool)
    assert hk.result_type(hk.input("x", [1], "int8"), "uint8") == hk.int16
    assert hk.can_cast("int8", "int16") and not hk.can_cast("int16", "int8")
    for wrong in (lambda: hk.finfo("int8"), lambda: hk.iinfo("float32"),
                  lambda: hk.result_type(), lambda: hk.isdtype("int8", "word")):
        with pytest.raises(hk.HamKaasError, match="expected "):
            wrong()


def test_numbers_keep_the_type():
    for name in ("float16", "bfloat16", "float64"):
        x = hk.input("x", [2], name)
        assert str((2 * x + 0.5).dtype) == name
    assert str((hk.input("x", [2], "bool") * 2).dtype) == "int64"


def test_properties():
    x = hk.input("x", [2, 3, 4])
    assert (x.ndim, x.size, len(x)) == (3, 24, 2)
    assert x.mT.shape == (2, 4, 3) and x[0].T.shape == (4, 3)
    assert isinstance(hash(x), int) and x in {x}


INDICES = [
    np.s_[0], np.s_[-1, 1], np.s_[..., 0], np.s_[:, None, ::2], np.s_[::-1],
    np.s_[1:, ::-2, 1:3], np.s_[[0, 1, 1]], np.s_[:, [2, 0]],
    np.s_[:, [[2], [0]], [1, 3]], np.s_[[0, 1], :, [1, 2]], np.s_[0, :, [1, 2]],
    np.s_[np.array([True, False])], np.s_[:, np.array([True, False, True]), 1],
    np.s_[C > 0], np.s_[:, A > 0], np.s_[None, ..., None], np.s_[()],
    np.s_[-9:9], np.s_[..., np.array(2)], np.s_[np.int64(1), 2],
    np.s_[[0, 1], [2, 1], [3, 0]], np.s_[1:2, [0], 3], np.s_[:, 1, ..., [0, 2]],
]


def test_indices():
    x = hk.input("x", C.shape)
    results = hk.compile([x[key] for key in INDICES]).run({"x": C})
    for key, result in zip(INDICES, results):
        np.testing.assert_array_equal(result, C[key], err_msg=str(key))


def test_wrong_sizes():
    x = hk.input("x", [2, 3])
    with pytest.raises(hk.HamKaasError, match="that 5 divides, got 6"):
        hk.reshape(x, (5, -1))
    with pytest.raises(hk.HamKaasError, match="a step other than 0"):
        hk.arange(0, 5, 0)


def test_indices_of_a_run():
    x = hk.input("x", C.shape)
    i, j = hk.input("i", [2], "int64"), hk.input("j", [3, 1], "int32")
    nodes = [x[i], x[:, i], x[:, j, i], x[0, j], x[i, ..., i], x[None, i, :, 0]]
    given = {"x": C, "i": np.int64([1, -2]), "j": np.int32([[2], [0], [-1]])}
    a, b = given["i"], given["j"]
    expected = [C[a], C[:, a], C[:, b, a], C[0, b], C[a, ..., a],
                C[None, a, :, 0]]
    model = hk.compile(nodes)
    for result, value in zip(model.run(given), expected):
        np.testing.assert_array_equal(result, value)
    with pytest.raises(hk.HamKaasError, match="test_array_api.py:"):
        model.run({**given, "i": np.int64([0, 2])})


def test_results_have_their_structure():
    x = hk.input("x", [2])
    a = np.float32([1, 2])
    model = hk.compile({"a": x, "b": [x + 1, (x * 2, {"c": -x})]}, name="many")
    assert [output.name for output in model.outputs] == [
        "a", "b.0", "b.1.0", "b.1.1.c"]
    for one in (model, model.new_instance()):
        result = one.run({"x": a})
        assert isinstance(result["b"], list)
        assert isinstance(result["b"][1], tuple)
        np.testing.assert_array_equal(result["b"][1][1]["c"], -a)
    assert isinstance(hk.compile((x,)).run({"x": a}), tuple)
    assert isinstance(hk.compile(x).run({"x": a}), np.ndarray)


def test_errors_of_nested_functions_are_the_users():
    x = hk.input("x", [2, 3])
    with pytest.raises(hk.HamKaasError) as info:
        hk.var(x, axis=2)
    assert str(info.value).startswith(f"{__file__}:")

