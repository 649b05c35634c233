# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Axes as users give them."""

from __future__ import annotations

import operator
from typing import Optional, Sequence, Tuple, Union

from ..positions import make_error

Axis = Union[None, int, Sequence[int]]
"""One axis, several, or None for all. Negative ones count from the last."""


def normalize_axis(axis: int, rank: int) -> int:
    """An axis from 0 to ``rank - 1``."""
    given = operator.index(axis)
    if not -rank <= given < rank:
        raise make_error(f"expected an axis from {-rank} to {rank - 1}, got "
                         f"{given}" if rank else
                         f"expected a tensor with an axis {given}, got a "
                         "scalar")
    return given % rank


def normalize_axes(axis: Axis, rank: int) -> Tuple[int, ...]:
    """Ascending axes that differ."""
    if axis is None:
        return tuple(range(rank))
    if not isinstance(axis, Sequence):
        return (normalize_axis(axis, rank),)
    given = [operator.index(one) for one in axis]
    axes = sorted(one % rank if -rank <= one < rank else one for one in given)
    if len(set(axes)) != len(axes) or any(not 0 <= one < rank for one in axes):
        raise make_error("expected axes that differ, from "
                         f"{-rank} to {rank - 1}, got {list(given)}")
    return tuple(axes)


def count(shape: Sequence[int], axes: Optional[Sequence[int]] = None) -> int:
    """The number of elements, or of those along ``axes``."""
    number = 1
    for axis in range(len(shape)) if axes is None else axes:
        number *= shape[axis]
    return number
