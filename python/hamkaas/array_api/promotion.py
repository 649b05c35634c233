# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types: kinds, promotion, Python scalars."""

from __future__ import annotations

import functools
from typing import Any, Dict, List, Sequence, Tuple, TypeVar, Union

import numpy as np

from ..arrays import (Array, DTypeLike, Shape, as_dense, element_type_name,
                      is_array)
from ..errors import HamKaasError, PromotionError
from ..positions import make_error
from ..tensor import ElementType, T, Tensor, make, splat

Scalar = Union[bool, int, float]

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
ELEMENT_TYPES = ("bool", *SIGNED, *UNSIGNED, *FLOATS)

DEFAULT_FLOAT = "float32"
DEFAULT_INTEGER = "int64"

_BITS = {"float16": 16, "bfloat16": 16, "float32": 32, "float64": 64,
         **{name: 8 << i for i, name in enumerate(SIGNED)},
         **{name: 8 << i for i, name in enumerate(UNSIGNED)}}

# Python's numbers, and those of numpy, which have no type of their own beside a
# tensor.
SCALARS = (bool, int, float, np.integer, np.floating, np.bool_)


def kind_of(name: str) -> str:
    """``"b"``, ``"i"``, ``"u"`` or ``"f"`` for the name of an element type."""
    return "b" if name == "bool" else name[0].replace("b", "f")


def bits_of(name: str) -> int:
    """The size of a number that is no boolean."""
    return _BITS[name]


def check_dtype(dtype: DTypeLike) -> str:
    """The name of an element type that tensors may have."""
    try:
        name = element_type_name(dtype)
    except HamKaasError as error:
        raise make_error(str(error)) from None
    if name not in ELEMENT_TYPES:
        raise make_error(f"expected one of the types "
                         f"{', '.join(ELEMENT_TYPES)}, got '{name}'")
    return name


@functools.lru_cache(maxsize=None)
def promote_names(left: str, right: str) -> str:
    """The type of a computation on two, as the standard's tables have it.

    Beyond the standard, booleans become what stands beside them, and float16
    with bfloat16 becomes float32.

    >>> promote_names("int8", "uint8"), promote_names("bool", "float32")
    ('int16', 'float32')
    """
    if left == right:
        return left
    kinds = kind_of(left) + kind_of(right)
    if "b" in kinds:
        return right if kinds[0] == "b" else left
    if kinds[0] == kinds[1]:
        if bits_of(left) == bits_of(right):
            return "float32"
        return left if bits_of(left) > bits_of(right) else right
    if "f" not in kinds:
        signed, unsigned = (left, right) if kinds[0] == "i" else (right, left)
        bits = max(bits_of(signed), 2 * bits_of(unsigned))
        if bits <= 64:
            return f"int{bits}"
    # The one that loses least of the other.
    wide = max(left, right, key=lambda name: (kind_of(name) == "f",
                                              bits_of(name)))
    raise make_error(f"expected types that have a common one, got {left} and "
                     f"{right}; convert one, such as by .astype('{wide}')",
                     PromotionError)


def cast(x: T, name: str) -> T:
    """``x`` with elements of the type ``name``."""
    if x._type[0] == name:
        return x
    return make("cast", [x], {"type": ElementType(name)})


def scalar_name(value: Any, beside: str) -> str:
    """The type of a scalar in a computation with elements of type ``beside``."""
    kind = kind_of(beside)
    if isinstance(value, (bool, np.bool_)):
        return beside
    if isinstance(value, (int, np.integer)):
        return DEFAULT_INTEGER if kind == "b" else beside
    if kind == "f":
        return beside
    if kind == "b":
        return DEFAULT_FLOAT
    raise make_error(f"expected a whole number beside {beside}, got {value}; "
                     "convert the tensor, such as by .astype('float32')",
                     PromotionError)


def check_scalar(value: Any, name: str) -> None:
    """Raises an error unless a scalar is of the type beside such elements."""
    if (given := scalar_name(value, name)) != name:
        raise make_error(f"expected a {name}, got {value!r}, which is "
                         f"{given}")


def scalar_like(value: Any, x: T, name: str) -> T:
    """A scalar as a tensor of the rank of ``x``."""
    return splat(x, value, name, (1,) * len(x._type[1]))


def as_tensor(value: Any, like: T) -> T:
    """``value``, a tensor or an array, as a tensor of the class of ``like``.

    An array becomes a constant. Raises TypeError for anything else.
    """
    if isinstance(value, Tensor):
        return value  # type: ignore[return-value]
    if not is_array(value):
        raise TypeError(f"expected a tensor or an array, got "
                        f"{type(value).__name__}; make it an array, such as "
                        "np.float32([...])")
    array: Array = as_dense(value)
    return like._make_constant(array, False)  # type: ignore[return-value]


def find_tensor(values: Sequence[Any]) -> Tensor:
    """The first tensor among operands."""
    for value in values:
        if isinstance(value, Tensor):
            return value
    names = ", ".join(type(value).__name__ for value in values)
    raise TypeError("expected a tensor among the operands, got "
                    f"{names or 'none'}")


def is_scalar(value: Any) -> bool:
    """Tells numbers from tensors and arrays; also arrays of no dimension."""
    return isinstance(value, SCALARS) or (isinstance(value, np.ndarray) and
                                          value.ndim == 0)


def promote(left: Any, right: Any) -> Tuple[Any, Any]:
    """Two operands, at least one of them a tensor, with elements of one type."""
    like = find_tensor((left, right))
    if is_scalar(right):
        name = scalar_name(_item(right), like._type[0])
        return cast(like, name), scalar_like(_item(right), like, name)
    if is_scalar(left):
        name = scalar_name(_item(left), like._type[0])
        return scalar_like(_item(left), like, name), cast(like, name)
    left, right = as_tensor(left, like), as_tensor(right, like)
    if left._type[0] == right._type[0]:
        return left, right
    name = promote_names(left._type[0], right._type[0])
    return cast(left, name), cast(right, name)


def _item(value: Any) -> Any:
    return value[()] if isinstance(value, np.ndarray) else value


def as_float(x: T) -> T:
    """``x``, whose elements become floats if they are integers or booleans."""
    return x if kind_of(x._type[0]) == "f" else cast(x, DEFAULT_FLOAT)
