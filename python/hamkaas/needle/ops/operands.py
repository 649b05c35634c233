# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operands of operations: numbers, axes, common types."""

from __future__ import annotations

from typing import Any, Tuple, Union

import numpy as np

from ...array.array import Array
from ...array_api import elementwise, manipulation
from ...positions import make_error
from ..backend_selection import IS_NUMPY

Scalar = Union[int, float]


def check_scalar(value: Any) -> Scalar:
    """A number of Python; TypeError for what is none."""
    if isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, np.generic) or (
            hasattr(value, "numpy") or isinstance(value, np.ndarray)):
        data = np.asarray(value.numpy() if hasattr(value, "numpy") else value)
        if data.size == 1 and data.dtype.kind in "biuf":
            number: Scalar = data.item()
            return number
    raise TypeError("expected a tensor or a number, got "
                    f"{type(value).__name__}")


def find_axes(axes: Any, rank: int) -> Tuple[int, ...]:
    """Axes counted from the first; all if None."""
    if axes is None:
        return tuple(range(rank))
    given = axes if isinstance(axes, (tuple, list)) else (axes,)
    for axis in given:
        if not -rank <= axis < rank:
            raise make_error(f"expected an axis from {-rank} to {rank - 1}, "
                             f"got {axis}")
    return tuple(axis % rank for axis in given)


def keep_rank(x: Array, axes: Any) -> Array:
    """A sum of all elements, which has a dimension in float32 arrays."""
    if IS_NUMPY or axes is not None or x.ndim:
        return x
    return manipulation.reshape(x, (1,))


def as_floats(x: Array) -> Array:
    """Integers become float64, as in numpy."""
    return x if x.dtype.kind == "f" else elementwise.astype(x, "float64")


def promote(a: Array, b: Array) -> Tuple[Array, Array]:
    """Operands of one shape, in the type that numpy computes them in."""
    if a._type[1] != b._type[1]:
        raise make_error(f"expected operands of one shape, got "
                         f"{list(a.shape)} and {list(b.shape)}; use "
                         "broadcast_to")
    if a._type[0] == b._type[0]:
        return a, b
    name = np.result_type(a.dtype, b.dtype)
    return elementwise.astype(a, name), elementwise.astype(b, name)


def beside(a: Array, scalar: Scalar) -> Array:
    """An array in the type that it has beside a number."""
    if a.dtype.kind == "f" or not isinstance(scalar, float):
        return a
    return elementwise.astype(a, "float64")
