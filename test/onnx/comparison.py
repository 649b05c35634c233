# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Comparison of computed with expected values."""

from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

# A bfloat16 keeps 8 bits: two units in the last place.
BFLOAT16_TOLERANCE = 2.0**-6

# Types of the package ml_dtypes that models store numbers in.
STORED_TYPES = {
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",
    "float8_e8m0fnu", "float4_e2m1fn", "int4", "uint4", "int2", "uint2"
}


def find_difference(expected: Sequence[Any], found: Sequence[Any],
                    relative: float, absolute: float) -> Optional[str]:
    """The first difference in words, or None.

    Types and shapes must be the same; integers and bools exactly, floats within
    ``absolute + relative * |expected|``, where NaN is equal to NaN.

    >>> ones = np.ones(2, "float32")
    >>> find_difference([ones], [ones + 1e-5], 1e-3, 0)
    >>> find_difference([ones], [ones + 1], 1e-3, 0)
    'output 0: 2 of 2 elements differ, expected 1.0 at [0], got 2.0'
    >>> find_difference([ones], [ones.astype("int64")], 0, 0)
    'output 0: expected float32 [2], got int64 [2]'
    """
    return _compare_lists("output", expected, found, relative, absolute)


def find_random_difference(expected: Sequence[Any], found: Sequence[Any],
                           relative: float, absolute: float) -> Optional[str]:
    """The same of outputs of which a generator decided which elements are zero.

    Types and shapes must be the same, and the elements where neither is zero.

    >>> drawn = np.float32([0, 2, 2])
    >>> find_random_difference([drawn], [np.float32([2, 0, 2])], 0, 0)
    >>> find_random_difference([drawn], [np.float32([2, 0, 1])], 0, 0)
    'output 0: 1 of 3 elements differ, expected 2.0 at [2], got 1.0'
    """
    wanted = [_take_zeros(*pair) for pair in zip(expected, found)]
    return find_difference([*wanted, *expected[len(wanted):]], found, relative,
                           absolute)


def _take_zeros(expected: Any, found: Any) -> Any:
    """`expected`, but `found` where exactly one of both is zero."""
    expected = np.asarray(expected)
    if (expected.dtype, expected.shape) != (found.dtype, found.shape):
        return expected
    return np.where((expected == 0) | (found == 0), found, expected)


def _compare_lists(what: str, expected: Sequence[Any], found: Sequence[Any],
                   relative: float, absolute: float) -> Optional[str]:
    if len(expected) != len(found):
        return f"expected {len(expected)} {what}s, got {len(found)}"
    for i, (wanted, value) in enumerate(zip(expected, found)):
        difference = _compare(wanted, value, relative, absolute)
        if difference:
            return f"{what} {i}: {difference}"
    return None


def _compare(expected: Any, found: Any, relative: float,
             absolute: float) -> Optional[str]:
    if isinstance(expected, list) and isinstance(found, list):
        return _compare_lists("element", expected, found, relative, absolute)
    if not all(isinstance(value, (np.ndarray, np.generic))
               for value in (expected, found)):
        return f"expected {type(expected).__name__}, got {type(found).__name__}"
    expected, got = np.asarray(expected), np.asarray(found)
    if (expected.dtype, expected.shape) != (found.dtype, found.shape):
        return f"expected {_type(expected)}, got {_type(found)}"
    is_near = _find_near(expected, found, relative, absolute)
    if is_near.all():
        return None
    place = tuple(int(i) for i in np.argwhere(~is_near)[0])
    return (f"{np.count_nonzero(~is_near)} of {expected.size} elements differ, "
            f"expected {expected[place].item()!r} at {list(place)}, got "
            f"{found[place].item()!r}")


def _type(array: np.ndarray) -> str:
    return f"{array.dtype} {list(array.shape)}"


def _find_near(expected: np.ndarray, found: np.ndarray, relative: float,
               absolute: float) -> np.ndarray:
    if expected.dtype.name in STORED_TYPES:
        # A cast is exact, and numpy compares no NaN of these.
        relative = absolute = 0
        expected, got = expected.astype("float32"), found.astype("float32")
    if expected.dtype.name == "bfloat16":
        relative = max(relative, BFLOAT16_TOLERANCE)
        expected, got = expected.astype("float32"), found.astype("float32")
    if expected.dtype.kind == "f":
        # Differences of the largest numbers may overflow in their own type.
        return np.isclose(found.astype("float64"), expected.astype("float64"),
                          rtol=relative, atol=absolute, equal_nan=True)
    return np.asarray(expected == found)
