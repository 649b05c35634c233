# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements that a program stores as bytes: floats of 8 and 4 bits, integers of
4 and 2."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Union

import numpy as np

from ..arrays import Array

# The types of the package ml_dtypes, by ONNX's names.
_NAMES = {
    "FLOAT8E4M3FN": "float8_e4m3fn",
    "FLOAT8E4M3FNUZ": "float8_e4m3fnuz",
    "FLOAT8E5M2": "float8_e5m2",
    "FLOAT8E5M2FNUZ": "float8_e5m2fnuz",
    "FLOAT8E8M0": "float8_e8m0fnu",
    "FLOAT4E2M1": "float4_e2m1fn",
    "INT4": "int4",
    "UINT4": "uint4",
    "INT2": "int2",
    "UINT2": "uint2",
}

_DTypeOrName = Union["np.dtype[Any]", str, None]


def dtype_of_format(name: str, storage: _DTypeOrName) -> _DTypeOrName:
    """The dtype of a format in the package ml_dtypes.

    Without that, or the type, it is ``storage``, that of the bytes.
    """
    try:
        return np.dtype(getattr(import_module("ml_dtypes"), _NAMES[name]))
    except (ImportError, AttributeError):
        return storage


def has_format(dtype: _DTypeOrName) -> bool:
    """Whether a program has bytes for elements of that type."""
    return isinstance(dtype, np.dtype) and dtype.name in _NAMES.values()


def to_bytes(array: Array) -> Array:
    """The bytes that a program takes for an array of such elements.

    The bits of a float, the number of an integer.
    """
    if "float" in array.dtype.name:
        return array.view(np.uint8)
    return array.astype(
        np.uint8 if array.dtype.name.startswith("u") else np.int8)


def from_bytes(array: Array, dtype: "np.dtype[Any]") -> Array:
    """The elements that a program gives as bytes."""
    if "float" in dtype.name:
        return array.view(dtype)
    return array.astype(dtype)
