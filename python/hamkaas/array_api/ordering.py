# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Order, and elements by their places."""

from __future__ import annotations

from typing import Any, Optional

from ..positions import make_error
from ..tensor import T, make
from . import elementwise, reductions
from .axes import count, normalize_axis
from .broadcasting import reshape_to
from .manipulation import concat, expand_dims, moveaxis
from .promotion import as_tensor, cast, kind_of


def argsort(x: T, /, *, axis: int = -1, descending: bool = False,
            stable: bool = True) -> T:
    """The places of the elements along ``axis`` in ascending order, as int64.

    Equal elements stay in their order; NaN comes last.
    """
    last = len(x._type[1]) - 1
    axis = normalize_axis(axis, last + 1)
    order = make("argsort", [moveaxis(x, axis, last)],
                 {"descending": bool(descending)})
    return moveaxis(order, last, axis)


def sort(x: T, /, *, axis: int = -1, descending: bool = False,
         stable: bool = True) -> T:
    """The elements along ``axis`` in ascending order."""
    return make("sort", [x], {"axis": normalize_axis(axis, len(x._type[1])),
                              "descending": bool(descending)})


def check_indices(indices: Any, like: T) -> T:
    """``indices`` as a tensor of int64 or int32."""
    tensor = as_tensor(indices, like)
    if kind_of(tensor._type[0]) not in "iu":
        raise make_error(f"expected integers as indices, got "
                         f"{tensor._type[0]}")
    return tensor if tensor._type[0] in ("int32", "int64") else cast(tensor,
                                                                     "int64")


def take(x: T, indices: Any, /, *, axis: Optional[int] = None) -> T:
    """The entries along ``axis`` at ``indices``, integers of any shape.

    Negative ones count from the last. A run ends with an error if one is
    outside. ``axis`` may be left out for a vector.
    """
    rank = len(x._type[1])
    if axis is None and rank != 1:
        raise make_error(f"'take': expected an axis of a tensor of {rank} "
                         "dimensions, got none")
    axis = normalize_axis(0 if axis is None else axis, rank)
    return make("take", [x, check_indices(indices, x)], {"axis": axis})


def take_along_axis(x: T, indices: Any, /, *, axis: int = -1) -> T:
    """For each place the entry along ``axis`` that ``indices`` has there.

    ``indices`` has as many dimensions as ``x``; the others are broadcast.
    """
    return make("take_along_axis", [x, check_indices(indices, x)],
                {"axis": normalize_axis(axis, len(x._type[1]))})


def gather_points(x: T, components: Any) -> T:
    """The entries at points of the first dimensions of ``x``.

    ``components`` are integers of one shape, a tensor for each of these
    dimensions; the result has that shape, then the other dimensions of ``x``.
    """
    if len(components) == 1:
        chosen: T = make("take", [x, components[0]], {"axis": 0})
        return chosen
    points = concat([expand_dims(cast(one, "int64"), axis=-1)
                     for one in components], axis=-1)
    chosen = make("gather_nd", [x, points])
    return chosen


def searchsorted(x1: T, x2: Any, /, *, side: str = "left") -> T:
    """The places at which to insert ``x2`` into the ascending vector ``x1``."""
    if side not in ("left", "right"):
        raise make_error(f"expected the side 'left' or 'right', got {side!r}")
    if len(x1._type[1]) != 1:
        raise make_error("expected a vector to search, got "
                         f"{list(x1._type[1])}")
    values = expand_dims(as_tensor(x2, x1), axis=-1)
    is_before = elementwise.less(x1, values) if side == "left" else \
        elementwise.less_equal(x1, values)
    result: T = reductions.sum(is_before, axis=-1)
    return result


def isin(x1: T, x2: Any, /, *, invert: bool = False) -> T:
    """True where ``x2`` has the element of ``x1``."""
    values = as_tensor(x2, x1)
    flat = reshape_to(values, (count(values._type[1]),))
    found: T = reductions.any(
        elementwise.equal(expand_dims(x1, axis=-1), flat), axis=-1)
    return elementwise.logical_not(found) if invert else found
