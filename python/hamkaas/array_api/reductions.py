# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions over axes: sums, extremes, their places.

``axis`` is one axis or several, by default all. With ``keepdims`` the axes
stay, with size 1.
"""

from __future__ import annotations

from typing import Optional

from ..arrays import DTypeLike
from ..positions import make_error
from ..tensor import T, make, splat
from . import elementwise
from .axes import Axis, count, normalize_axes, normalize_axis
from .broadcasting import reshape_to
from .manipulation import make_places
from .promotion import as_float, cast, check_dtype, kind_of


def _reduce(combiner: str, x: T, axis: Axis, keepdims: bool) -> T:
    axes = normalize_axes(axis, len(x._type[1]))
    shape = x._type[1]
    result = make("reduce", [x], {"combiner": combiner, "dims": axes}) \
        if axes else x
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


def mean(x: T, *, axis: Axis = None, keepdims: bool = False) -> T:
    """The mean; integers are converted to float32 first."""
    x = as_float(x)
    number = count(x._type[1], normalize_axes(axis, len(x._type[1])))
    total = _reduce("sum", x, axis, keepdims)
    result: T = elementwise.divide(total, number)
    return result


def var(x: T, *, axis: Axis = None, correction: float = 0.0,
        keepdims: bool = False) -> T:
    """The variance: squared distances to the mean, summed and divided by their
    number less ``correction``."""
    x = as_float(x)
    number = count(x._type[1], normalize_axes(axis, len(x._type[1])))
    distance = elementwise.subtract(x, mean(x, axis=axis, keepdims=True))
    total = _reduce("sum", elementwise.square(distance), axis, keepdims)
    if number <= correction:
        raise make_error(f"expected a correction of less than the {number} "
                         f"elements, got {correction}")
    result: T = elementwise.divide(total, number - correction)
    return result


def std(x: T, *, axis: Axis = None, correction: float = 0.0,
        keepdims: bool = False) -> T:
    """The standard deviation, the square root of `var`."""
    return elementwise.sqrt(var(x, axis=axis, correction=correction,
                                keepdims=keepdims))


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
    if not include_initial:
        return result
    name, shape = result._type
    zeros = splat(x, 0, name, (*shape[:axis], 1, *shape[axis + 1:]))
    return make("concat", [zeros, result], {"dim": axis})


def _position(combiner: str, x: T, axis: Optional[int], keepdims: bool) -> T:
    """The first place of the extreme element."""
    if axis is None:
        rank = len(x._type[1])
        flat = _position(combiner, reshape_to(x, (count(x._type[1]),)), 0,
                         False)
        return reshape_to(flat, (1,) * rank) if keepdims else flat
    axis = normalize_axis(axis, len(x._type[1]))
    shape = x._type[1]
    extreme = _reduce(combiner, x, axis, keepdims=True)
    is_extreme = elementwise.equal(x, extreme)
    if kind_of(x._type[0]) == "f":
        is_extreme = elementwise.logical_or(is_extreme, elementwise.isnan(x))
    first: T = elementwise.where(is_extreme, make_places(x, axis), shape[axis])
    return _reduce("min", first, axis, keepdims)


def argmax(x: T, *, axis: Optional[int] = None, keepdims: bool = False) -> T:
    """The place of the largest element, the first one of several, as int64.

    Without ``axis``, of all elements in a row.
    """
    return _position("max", x, axis, keepdims)


def argmin(x: T, *, axis: Optional[int] = None, keepdims: bool = False) -> T:
    """The place of the least element, the first one of several, as int64.

    Without ``axis``, of all elements in a row.
    """
    return _position("min", x, axis, keepdims)
