# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``x[key] = value``, and keys that are masks.

Both need the elements, but for a number where a mask holds, which is recorded.
numpy moves them: a program for each index would be compiled again and again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

import numpy as np

from ..array_api import elementwise, promotion
from ..array_api.broadcasting import reshape_to
from ..arrays import Array as NumpyArray
from ..arrays import encode, is_array
from ..positions import make_error
from ..tensor import Tensor
from .sharing import elements_to_change

if TYPE_CHECKING:
    from .array import Array


def _is_mask(index: Any) -> bool:
    if isinstance(index, Tensor):
        return index._type[0] == "bool"
    if isinstance(index, list):
        index = np.asarray(index)
    return isinstance(index, np.ndarray) and index.dtype == bool


def _parts(key: Any) -> Any:
    return key if isinstance(key, tuple) else (key,)


def _known(index: Any) -> Any:
    """An index for numpy."""
    if isinstance(index, Tensor) or is_array(index):
        index = np.asarray(index)
        if index.dtype != bool and index.dtype.kind not in "iu":
            raise make_error("expected integers or booleans as indices, got "
                             f"{index.dtype}")
    return index


def pick(x: "Array", key: Any) -> "Optional[Array]":
    """The elements that a key with masks chooses; None for other keys.

    Their number depends on values.
    """
    if not any(map(_is_mask, _parts(key))):
        return None
    indices = tuple(map(_known, _parts(key)))
    try:
        chosen = x._elements()[indices]
    except IndexError as error:
        raise make_error(str(error)) from None
    return type(x)._of_elements(chosen)


def _as_value(x: "Array", value: Any) -> NumpyArray:
    """The assigned value, in the type of ``x``."""
    name = x._type[0]
    if promotion.is_scalar(value) or isinstance(value, (list, tuple)):
        # Numbers of Python have no type of their own.
        numbers = np.asarray(value)
        if numbers.size:
            promotion.check_scalar(numbers.reshape(-1)[0], name)
        return encode(numbers, name).view(x._elements().dtype)
    from .creation import asarray
    given = asarray(value)
    if promotion.promote_names(given._type[0], name) != name:
        raise make_error(f"expected a value that becomes {name}, as the array "
                         f"is, got {given._type[0]}; convert it, such as by "
                         f".astype('{name}')")
    return elementwise.astype(given, name)._elements()


def _record_masked(x: "Array", key: Any, value: Any) -> bool:
    """Records a number for the elements that a mask chooses."""
    from .array import Array
    if not (isinstance(key, Array) and key._type[0] == "bool" and
            promotion.is_scalar(value)):
        return False
    shape, rank = key._type[1], len(x._type[1])
    if x._type[1][:len(shape)] != shape:
        raise make_error("expected a mask of the shape of what it chooses "
                         f"from, {list(x._type[1])}, got {list(shape)}")
    promotion.check_scalar(value, x._type[0])
    mask = reshape_to(key, (*shape, *(1,) * (rank - len(shape))))
    x._replace(elementwise.where(mask, value, x))
    return True


def assign(x: "Array", key: Any, value: Any) -> None:
    """``x[key] = value``."""
    if _record_masked(x, key, value):
        return
    given = _as_value(x, value)
    indices = tuple(map(_known, _parts(key)))
    try:
        elements_to_change(x)[indices] = given
    except (IndexError, ValueError) as error:
        raise make_error(str(error)) from None
