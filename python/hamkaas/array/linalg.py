# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The extension ``linalg`` of the array API standard.

Products, norms, `diagonal`, `trace`, `cross` and `matrix_power` are recorded.
Decompositions and what follows from them look at the array, and numpy computes
them with LAPACK.
"""

from __future__ import annotations

import operator
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from ..array_api import elementwise, manipulation, reductions
from ..array_api.axes import Axis, normalize_axis
from ..array_api.linear import matmul, outer, tensordot, vecdot
from ..array_api.manipulation import matrix_transpose
from ..array_api.ordering import take
from ..array_api.promotion import as_float, promote
from ..arrays import Array as NumpyArray
from ..arrays import DTypeLike
from ..positions import make_error
from .array import Array
from .creation import eye

__all__ = [
    "cholesky", "cross", "det", "diagonal", "eigh", "eigvalsh", "inv",
    "matmul", "matrix_norm", "matrix_power", "matrix_rank",
    "matrix_transpose", "outer", "pinv", "qr", "slogdet", "solve", "svd",
    "svdvals", "tensordot", "trace", "vecdot", "vector_norm"
]

Order = Union[int, float, str]


class EighResult(NamedTuple):
    """Ascending eigenvalues, and eigenvectors as columns."""

    eigenvalues: Array
    eigenvectors: Array


class QRResult(NamedTuple):
    """An orthogonal matrix and an upper triangular one."""

    Q: Array
    R: Array


class SlogdetResult(NamedTuple):
    """The sign of a determinant and the logarithm of its absolute value."""

    sign: Array
    logabsdet: Array


class SVDResult(NamedTuple):
    """Singular vectors and values: ``x = U @ diag(S) @ Vh``."""

    U: Array
    S: Array
    Vh: Array


#===------------------------------------------------------------------------===#
# Decompositions, by numpy
#===------------------------------------------------------------------------===#


def _matrices(x: Array) -> NumpyArray:
    """The elements of floating-point matrices."""
    if len(x.shape) < 2 or x.dtype not in (np.float32, np.float64):
        raise make_error("expected matrices of float32 or float64, got "
                         f"{x._type[0]} {list(x.shape)}")
    return x._elements()


def _call(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        return function(*arguments, **options)
    except np.linalg.LinAlgError as error:
        raise make_error(f"{error}") from None


def _array(data: Any) -> Array:
    return Array._of_elements(np.asarray(data))


def cholesky(x: Array, /, *, upper: bool = False) -> Array:
    """The triangular factor of symmetric positive definite matrices."""
    lower = _call(np.linalg.cholesky, _matrices(x))
    return _array(np.swapaxes(lower, -1, -2) if upper else lower)


def det(x: Array, /) -> Array:
    """The determinants of square matrices."""
    return _array(_call(np.linalg.det, _matrices(x)))


def eigh(x: Array, /) -> EighResult:
    """The eigenvalues and eigenvectors of symmetric matrices."""
    values, vectors = _call(np.linalg.eigh, _matrices(x))
    return EighResult(_array(values), _array(vectors))


def eigvalsh(x: Array, /) -> Array:
    """The ascending eigenvalues of symmetric matrices."""
    return _array(_call(np.linalg.eigvalsh, _matrices(x)))


def inv(x: Array, /) -> Array:
    """The inverses of square matrices."""
    return _array(_call(np.linalg.inv, _matrices(x)))


def pinv(x: Array, /, *, rtol: Union[None, float, Array] = None) -> Array:
    """The pseudo-inverses of matrices.

    Singular values below ``rtol`` times the largest one count as zero; by
    default that is the larger dimension times the type's `eps`.
    """
    data = _matrices(x)
    limit = _tolerance(data) if rtol is None else np.asarray(rtol)
    return _array(_call(np.linalg.pinv, data, limit))


def _tolerance(data: NumpyArray) -> float:
    return float(max(data.shape[-2:]) * np.finfo(data.dtype).eps)


def matrix_rank(x: Array, /, *,
                rtol: Union[None, float, Array] = None) -> Array:
    """The number of singular values above ``rtol`` times the largest."""
    data = _matrices(x)
    values = _call(np.linalg.svd, data, compute_uv=False)
    limit = np.asarray(_tolerance(data) if rtol is None else rtol)
    largest = values.max(axis=-1, keepdims=True)
    return _array(np.count_nonzero(values > limit[..., None] * largest,
                                   axis=-1))


def qr(x: Array, /, *, mode: str = "reduced") -> QRResult:
    """An orthogonal and an upper triangular factor.

    ``mode`` is "reduced" or "complete".
    """
    if mode not in ("reduced", "complete"):
        raise make_error("expected the mode 'reduced' or 'complete', got "
                         f"{mode!r}")
    left, right = _call(np.linalg.qr, _matrices(x), mode=mode)
    return QRResult(_array(left), _array(right))


def slogdet(x: Array, /) -> SlogdetResult:
    """Signs and logarithms of the determinants of square matrices."""
    sign, logarithm = _call(np.linalg.slogdet, _matrices(x))
    return SlogdetResult(_array(sign), _array(logarithm))


def solve(x1: Array, x2: Any, /) -> Array:
    """The solutions of ``x1 @ x = x2``."""
    left, right = promote(x1, x2)
    if len(right.shape) == 1:
        solved = solve(left, right[:, None])
        return solved[..., 0]
    return _array(_call(np.linalg.solve, _matrices(left), _matrices(right)))


def svd(x: Array, /, *, full_matrices: bool = True) -> SVDResult:
    """The singular values, descending, and vectors of matrices."""
    left, values, right = _call(np.linalg.svd, _matrices(x),
                                full_matrices=full_matrices)
    return SVDResult(_array(left), _array(values), _array(right))


def svdvals(x: Array, /) -> Array:
    """The singular values of matrices, descending."""
    return _array(_call(np.linalg.svd, _matrices(x), compute_uv=False))


#===------------------------------------------------------------------------===#
# Recorded
#===------------------------------------------------------------------------===#


def cross(x1: Any, x2: Any, /, *, axis: int = -1) -> Array:
    """The cross product of vectors of three elements along ``axis``."""
    left, right = manipulation.broadcast_arrays(*promote(x1, x2))
    axis = normalize_axis(axis, len(left.shape))
    if left.shape[axis] != 3:
        raise make_error(f"expected vectors of 3 elements, got "
                         f"{left.shape[axis]}")
    a, b = (manipulation.unstack(x, axis=axis) for x in (left, right))
    result: Array = manipulation.stack(
        [a[i - 2] * b[i - 1] - a[i - 1] * b[i - 2] for i in range(3)],
        axis=axis)
    return result


def diagonal(x: Array, /, *, offset: int = 0) -> Array:
    """The elements of a diagonal of matrices, as the last dimension."""
    offset = operator.index(offset)
    if len(x.shape) < 2:
        raise make_error(f"expected matrices, got {list(x.shape)}")
    rows, columns = x.shape[-2:]
    first = (0, offset) if offset >= 0 else (-offset, 0)
    length = max(0, min(rows - first[0], columns - first[1]))
    places = (first[0] + np.arange(length)) * columns + first[1] + \
        np.arange(length)
    flat = manipulation.reshape(x, (*x.shape[:-2], rows * columns))
    return take(flat, places, axis=-1)


def trace(x: Array, /, *, offset: int = 0,
          dtype: Optional[DTypeLike] = None) -> Array:
    """The sum of a diagonal of matrices."""
    return reductions.sum(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def matrix_power(x: Array, n: int, /) -> Array:
    """Square matrices to a whole power, of their inverses if it is negative."""
    n = operator.index(n)
    if len(x.shape) < 2 or x.shape[-1] != x.shape[-2]:
        raise make_error(f"expected square matrices, got {list(x.shape)}")
    if n == 0:
        return manipulation.broadcast_to(
            eye(x.shape[-1], dtype=x.dtype), x.shape)
    if n < 0:
        x, n = inv(x), -n
    result: Optional[Array] = None
    while n:
        if n & 1:
            result = x if result is None else result @ x
        n >>= 1
        x = x @ x if n else x
    assert result is not None
    return result


def vector_norm(x: Array, /, *, axis: Axis = None, keepdims: bool = False,
                ord: Union[int, float] = 2) -> Array:
    """The norm of order ``ord`` over the axes, as of one vector."""
    sizes = elementwise.abs(as_float(x))
    options: Any = {"axis": axis, "keepdims": keepdims}
    if ord == np.inf:
        return reductions.max(sizes, **options)
    if ord == -np.inf:
        return reductions.min(sizes, **options)
    if ord == 0:
        return elementwise.astype(
            reductions.count_nonzero(sizes, **options), sizes.dtype)
    if ord == 1:
        return reductions.sum(sizes, **options)
    if ord == 2:
        return elementwise.sqrt(reductions.sum(sizes * sizes, **options))
    return reductions.sum(sizes ** float(ord), **options) ** (1 / ord)


def matrix_norm(x: Array, /, *, keepdims: bool = False,
                ord: Order = "fro") -> Array:
    """The norm of order ``ord`` of matrices.

    "fro", 1, -1, `inf` and `-inf` are recorded; "nuc", 2 and -2 need singular
    values.
    """
    if len(x.shape) < 2:
        raise make_error(f"expected matrices, got {list(x.shape)}")
    if ord == "fro":
        return vector_norm(x, axis=(-2, -1), keepdims=keepdims)
    sizes = elementwise.abs(as_float(x))
    choose = reductions.max if ord in (1, 2, np.inf) else reductions.min
    if ord in ("nuc", 2, -2):
        values = svdvals(x)
        result = reductions.sum(values, axis=-1) if ord == "nuc" else \
            choose(values, axis=-1)
        return manipulation.expand_dims(result, axis=(-2, -1)) if keepdims \
            else result
    if ord not in (1, -1, np.inf, -np.inf):
        raise make_error("expected the order 'fro', 'nuc', 1, -1, 2, -2, inf "
                         f"or -inf, got {ord!r}")
    along, over = (-2, -1) if ord in (1, -1) else (-1, -2)
    sums = reductions.sum(sizes, axis=along, keepdims=True)
    result = choose(sums, axis=over, keepdims=True)
    return result if keepdims else manipulation.squeeze(result, axis=(-2, -1))
