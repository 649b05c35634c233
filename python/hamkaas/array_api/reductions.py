# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions over axes: sums, extremes, their places.

``axis`` is one axis or several, by default all. With ``keepdims`` the axes
stay, with size 1.
"""

from __future__ import annotations

import copy as copying
from typing import Optional, Tuple

from ..arrays import DTypeLike
from ..positions import make_error
from ..tensor import T, make, splat
from . import elementwise
from .axes import Axis, normalize_axes, normalize_axis
from .broadcasting import reshape_to
from .promotion import as_float, cast, check_dtype, kind_of


def _reduce(combiner: str, x: T, axis: Axis, keepdims: bool) -> T:
    axes = normalize_axes(axis, len(x._type[1]))
    shape = x._type[1]
    result = make("reduce", [x], {"combiner": combiner, "dims": axes}) \
        if axes else copying.copy(x)
    if not keepdims:
        return result
    return reshape_to(result, tuple(1 if i in axes else size
                                    for i, size in enumerate(shape)))


def _accumulator(x: T, dtype: Optional[DTypeLike]) -> T:
    """``x`` with the elements that its sums have."""
    if dtype is not None:
        return cast(x, check_dtype(dtype))
    kind = kind_of(x._type[0])
    if kind == "f":
        return x
    return cast(x, "uint64" if kind == "u" else "int64")


def sum(x: T, *, axis: Axis = None, dtype: Optional[DTypeLike] = None,
        keepdims: bool = False) -> T:
    """The sum; of small integers and booleans in 64 bits."""
    return _reduce("sum", _accumulator(x, dtype), axis, keepdims)


def prod(x: T, *, axis: Axis = None, dtype: Optional[DTypeLike] = None,
         keepdims: bool = False) -> T:
    """The product; of small integers and booleans in 64 bits."""
    return _reduce("prod", _accumulator(x, dtype), axis, keepdims)


def max(x: T, *, axis: Axis = None, keepdims: bool = False) -> T:
    """The largest element; NaN if one is NaN."""
    return _reduce("max", x, axis, keepdims)


def min(x: T, *, axis: Axis = None, keepdims: bool = False) -> T:
    """The least element; NaN if one is NaN."""
    return _reduce("min", x, axis, keepdims)


def all(x: T, *, axis: Axis = None, keepdims: bool = False) -> T:
    """True where all elements are true, or not 0."""
    return _reduce("min", cast(x, "bool"), axis, keepdims)


def any(x: T, *, axis: Axis = None, keepdims: bool = False) -> T:
    """True where an element is true, or not 0."""
    return _reduce("max", cast(x, "bool"), axis, keepdims)


def count_nonzero(x: T, *, axis: Axis = None, keepdims: bool = False) -> T:
    """The number of elements that are true, or not 0, as int64."""
    return sum(cast(x, "bool"), axis=axis, keepdims=keepdims)


def _axes(x: T, axis: Axis) -> Tuple[int, ...]:
    return normalize_axes(axis, len(x._type[1]))


def mean(x: T, *, axis: Axis = None, keepdims: bool = False) -> T:
    """The mean; integers are converted to float32 first."""
    return make("mean", [as_float(x)],
                {"axes": _axes(x, axis), "keepdims": bool(keepdims)})


def var(x: T, *, axis: Axis = None, correction: float = 0.0,
        keepdims: bool = False) -> T:
    """The variance: squared distances to the mean, summed and divided by their
    number less ``correction``."""
    return make("var", [as_float(x)],
                {"axes": _axes(x, axis), "keepdims": bool(keepdims),
                 "correction": float(correction)})


def std(x: T, *, axis: Axis = None, correction: float = 0.0,
        keepdims: bool = False) -> T:
    """The standard deviation, the square root of `var`."""
    return make("std", [as_float(x)],
                {"axes": _axes(x, axis), "keepdims": bool(keepdims),
                 "correction": float(correction)})


def _one_axis(x: T, axis: Optional[int], name: str) -> int:
    if axis is None and len(x._type[1]) != 1:
        raise make_error(f"'{name}': expected an axis of a tensor of "
                         f"{len(x._type[1])} dimensions, got none")
    return normalize_axis(0 if axis is None else axis, len(x._type[1]))


def cumulative_sum(x: T, *, axis: Optional[int] = None,
                   dtype: Optional[DTypeLike] = None,
                   include_initial: bool = False) -> T:
    """The sums of the elements up to each one along ``axis``.

    With ``include_initial`` a 0 comes first.
    """
    axis = _one_axis(x, axis, "cumulative_sum")
    result = make("cumsum", [_accumulator(x, dtype)], {"dim": axis})
    return _put_first(0, result, axis) if include_initial else result


def cumulative_prod(x: T, *, axis: Optional[int] = None,
                    dtype: Optional[DTypeLike] = None,
                    include_initial: bool = False) -> T:
    """The products of the elements up to each one along ``axis``.

    With ``include_initial`` a 1 comes first.
    """
    axis = _one_axis(x, axis, "cumulative_prod")
    result = make("cumprod", [_accumulator(x, dtype)], {"axis": axis})
    return _put_first(1, result, axis) if include_initial else result


def _put_first(value: int, x: T, axis: int) -> T:
    name, shape = x._type
    first = splat(x, value, name, (*shape[:axis], 1, *shape[axis + 1:]))
    return make("concat", [first, x], {"dim": axis})


def _position(row: str, x: T, axis: Optional[int], keepdims: bool) -> T:
    """The first place of the extreme element."""
    if axis is None:
        return make(row, [x], {"keepdims": bool(keepdims)})
    return make(row, [x], {"axis": normalize_axis(axis, len(x._type[1])),
                           "keepdims": bool(keepdims)})


def argmax(x: T, *, axis: Optional[int] = None, keepdims: bool = False) -> T:
    """The place of the largest element, the first one of several, as int64.

    Without ``axis``, of all elements in a row.
    """
    return _position("argmax", x, axis, keepdims)


def argmin(x: T, *, axis: Optional[int] = None, keepdims: bool = False) -> T:
    """The place of the least element, the first one of several, as int64.

    Without ``axis``, of all elements in a row.
    """
    return _position("argmin", x, axis, keepdims)
