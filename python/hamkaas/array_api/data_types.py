# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types as the standard lets a program ask about them."""

from __future__ import annotations

import functools
from typing import Any, NamedTuple, Tuple, Union, cast

import numpy as np

from ..arrays import DTypeLike, dtype_of
from ..errors import HamKaasError
from ..positions import make_error
from ..tensor import Tensor
from .promotion import (FLOATS, SCALARS, SIGNED, UNSIGNED, Scalar, bits_of,
                        check_dtype, kind_of, promote_names, scalar_name)

_KINDS = {
    "bool": ("bool",),
    "signed integer": SIGNED,
    "unsigned integer": UNSIGNED,
    "integral": SIGNED + UNSIGNED,
    "real floating": FLOATS,
    "complex floating": (),
    "numeric": SIGNED + UNSIGNED + FLOATS,
}


class FloatInfo(NamedTuple):
    """The limits of a type of floats."""

    bits: int
    eps: float
    """The distance from 1 to the next number."""
    max: float
    min: float
    smallest_normal: float
    dtype: "np.dtype[Any]"


class IntegerInfo(NamedTuple):
    """The limits of a type of integers."""

    bits: int
    max: int
    min: int
    dtype: "np.dtype[Any]"


def _name_of(value: Union[DTypeLike, Tensor]) -> str:
    return value._type[0] if isinstance(value, Tensor) else check_dtype(value)


def _dtype(name: str) -> "np.dtype[Any]":
    return cast("np.dtype[Any]", dtype_of(name))


def finfo(dtype: Union[DTypeLike, Tensor]) -> FloatInfo:
    """The limits of a type of floats, or of that of a tensor.

    >>> finfo("bfloat16").eps
    0.0078125
    """
    name = _name_of(dtype)
    if kind_of(name) != "f":
        raise make_error(f"expected a type of floats, got {name}")
    if name == "bfloat16":
        largest = (2 - 2.0**-7) * 2.0**127
        return FloatInfo(16, 2.0**-7, largest, -largest, 2.0**-126,
                         _dtype(name))
    info = np.finfo(name)
    return FloatInfo(info.bits, float(info.eps), float(info.max),
                     float(info.min), float(info.smallest_normal),
                     _dtype(name))


def iinfo(dtype: Union[DTypeLike, Tensor]) -> IntegerInfo:
    """The limits of a type of integers, or of that of a tensor.

    >>> iinfo("int8").min
    -128
    """
    name = _name_of(dtype)
    if kind_of(name) not in "iu":
        raise make_error(f"expected a type of integers, got {name}")
    info = np.iinfo(name)
    return IntegerInfo(bits_of(name), int(info.max), int(info.min),
                       _dtype(name))


def isdtype(dtype: DTypeLike,
            kind: Union[str, DTypeLike, Tuple[Any, ...]]) -> bool:
    """Tells whether a type is of a kind, another type, or one of several.

    Kinds are "bool", "signed integer", "unsigned integer", "integral", "real
    floating", "complex floating" and "numeric".

    >>> isdtype("int8", ("bool", "integral"))
    True
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if isinstance(kind, str) and kind in _KINDS:
        return check_dtype(dtype) in _KINDS[kind]
    return check_dtype(dtype) == check_dtype(kind)


def result_type(*values: Union[DTypeLike, Tensor, Scalar]) \
        -> "np.dtype[Any]":
    """The type of a computation on tensors, types and numbers.

    >>> str(result_type("int8", "uint8")), str(result_type("float64", 1))
    ('int16', 'float64')
    """
    numbers = [value for value in values if isinstance(value, SCALARS)]
    names = [_name_of(value) for value in values
             if not isinstance(value, SCALARS)]
    if not names:
        raise make_error("expected at least one tensor or type, got none")
    name = functools.reduce(promote_names, names)
    for number in numbers:
        name = scalar_name(number, name)
    return _dtype(name)


def can_cast(from_: Union[DTypeLike, Tensor], to: DTypeLike, /) -> bool:
    """Tells whether promotion with the type ``to`` gives that type.

    >>> can_cast("float32", "float64"), can_cast("float32", "int64")
    (True, False)
    """
    name = check_dtype(to)
    try:
        return promote_names(_name_of(from_), name) == name
    except HamKaasError:
        return False
