# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that make arrays."""

from __future__ import annotations

import functools
from typing import Any, Callable, Optional, TypeVar, cast

import numpy as np

from ..array_api import elementwise, promotion
from ..array_api.creation import Creation
from ..arrays import DTypeLike, as_input, encode, is_array
from ..graph import Node
from ..positions import make_error
from .array import Array
from .interchange import check_device

_F = TypeVar("_F", bound=Callable[..., Any])


def _on_device(function: _F) -> _F:
    """The function with the parameter ``device``, which is "cpu"."""
    @functools.wraps(function)
    def make(*arguments: Any, device: Optional[str] = None,
             **options: Any) -> Any:
        check_device(device)
        return function(*arguments, **options)

    return cast(_F, make)


_creation = Creation(Array)
arange = _on_device(_creation.arange)
empty = _on_device(_creation.empty)
empty_like = _on_device(_creation.empty_like)
eye = _on_device(_creation.eye)
full = _on_device(_creation.full)
full_like = _on_device(_creation.full_like)
linspace = _on_device(_creation.linspace)
ones = _on_device(_creation.ones)
ones_like = _on_device(_creation.ones_like)
zeros = _on_device(_creation.zeros)
zeros_like = _on_device(_creation.zeros_like)

_DEFAULTS = {"b": "bool", "i": promotion.DEFAULT_INTEGER,
             "u": promotion.DEFAULT_INTEGER, "f": promotion.DEFAULT_FLOAT}


def _of_numbers(value: Any, name: Optional[str]) -> Array:
    """Of a number, or lists of numbers."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise make_error(str(error)) from None
    if array.dtype.kind not in _DEFAULTS:
        raise TypeError(f"expected numbers or an array, got {value!r}")
    return Array._of_elements(encode(array, name or
                                     _DEFAULTS[array.dtype.kind]))


def asarray(obj: Any, /, *, dtype: Optional[DTypeLike] = None,
            device: Optional[str] = None,
            copy: Optional[bool] = None) -> Array:
    """An array of the elements of another one, of numbers or lists of numbers.

    Elements that something else could change are copied, because they may be
    read later. With ``copy=False`` they are shared: change them only after what
    is recorded of them is computed. Floats are float32 and integers int64 where
    lists have them and ``dtype`` is None.

    >>> import hamkaas.array as xp
    >>> xp.asarray([1, 2.5])
    Array([1. , 2.5], dtype=float32)
    """
    check_device(device)
    name = None if dtype is None else promotion.check_dtype(dtype)
    if isinstance(obj, Node):
        raise TypeError(f"expected an array, got {obj!r}, which has no "
                        "elements")
    if isinstance(obj, Array):
        x = Array._of(obj._record)
    elif not is_array(obj):
        if copy is False:
            raise ValueError("expected an array to share the elements of, got "
                             f"{type(obj).__name__}")
        return _of_numbers(obj, name)
    else:
        data = as_input(obj)
        x = Array._of_elements(data if copy is False or (
            copy is None and not data.flags.writeable) else data.copy())
    if name is None or name == x._type[0]:
        return x
    if copy is False:
        raise ValueError(f"expected an array of {name}, as no copy shall be "
                         f"made, got {x._type[0]}")
    return elementwise.astype(x, name)


def from_dlpack(x: Any, /, *, device: Optional[str] = None,
                copy: Optional[bool] = None) -> Array:
    """An array that shares the elements of one of another library.

    Change them only after what is recorded of them is computed, or use
    ``copy=True``.
    """
    check_device(device)
    if not hasattr(x, "__dlpack__"):
        raise TypeError("expected an array that offers DLPack, got "
                        f"{type(x).__name__}")
    return asarray(x, copy=bool(copy))
