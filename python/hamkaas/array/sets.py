# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions whose results have shapes that depend on values.

They look at the array; numpy computes them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple

import numpy as np

from ..positions import make_error
from .array import Array


class UniqueAll(NamedTuple):
    """Different values, ascending, and where they are."""

    values: Array
    indices: Array
    """The first place of each value."""
    inverse_indices: Array
    """The place in ``values`` of each element."""
    counts: Array
    """The number of elements of each value."""


class UniqueCounts(NamedTuple):
    """Different values, ascending, and how often they are there."""

    values: Array
    counts: Array


class UniqueInverse(NamedTuple):
    """Different values, ascending, and the place in them of each element."""

    values: Array
    inverse_indices: Array


def _check(x: Any) -> Array:
    if not isinstance(x, Array):
        raise TypeError(f"expected an array, got {type(x).__name__}")
    return x


def nonzero(x: Array, /) -> Tuple[Array, ...]:
    """The indices of the elements that are true, or not 0, by dimension.

    An error if there are none, as no array is empty.
    """
    if not _check(x).shape:
        raise make_error("expected an array with dimensions, got a scalar")
    return tuple(Array._of_elements(indices.astype(np.int64))
                 for indices in np.nonzero(x._elements()))


def unique_all(x: Array, /) -> UniqueAll:
    """The different values, their places and their numbers."""
    # Each NaN is a value of its own.
    values, indices, inverse, counts = np.unique(
        _check(x)._elements(), return_index=True, return_inverse=True,
        return_counts=True, equal_nan=False)
    return UniqueAll(
        Array._of_elements(values), Array._of_elements(indices),
        Array._of_elements(inverse.reshape(x.shape)),
        Array._of_elements(counts))


def unique_counts(x: Array, /) -> UniqueCounts:
    """The different values and their numbers."""
    found = unique_all(x)
    return UniqueCounts(found.values, found.counts)


def unique_inverse(x: Array, /) -> UniqueInverse:
    """The different values and the place of each element in them."""
    found = unique_all(x)
    return UniqueInverse(found.values, found.inverse_indices)


def unique_values(x: Array, /) -> Array:
    """The different values, ascending."""
    return unique_all(x).values
