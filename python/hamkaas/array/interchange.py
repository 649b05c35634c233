# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements from and for other libraries."""

from __future__ import annotations

import functools
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ..array_api.promotion import check_dtype
from ..arrays import Array as NumpyArray
from ..arrays import dtype_of, encode
from ..errors import HamKaasError
from ..graph import check_shape
from ..positions import make_error

CPU = "cpu"

_DLPACK_CPU = (1, 0)


def check_device(device: object) -> None:
    """Raises an error unless the device is the one that arrays are on."""
    if device not in (None, CPU):
        raise make_error(f"expected the device 'cpu', got {device!r}; a model "
                         "runs on others, see hamkaas.compile")


@functools.lru_cache(maxsize=256)
def _name_of(dtype: "np.dtype[Any]") -> str:
    return check_dtype(dtype)


def as_elements(data: NumpyArray) -> Tuple[NumpyArray, str]:
    """An array that programs can be given, and the name of its type."""
    name = _name_of(data.dtype)
    if name == "bfloat16" and data.dtype.kind == "V":
        dtype = dtype_of(name)
        if isinstance(dtype, str):
            raise make_error("expected the package ml_dtypes, which gives "
                             "numpy bfloat16, got none")
        data = data.view(dtype)
    if data.ndim > 1:
        try:
            check_shape(tuple(size or 1 for size in data.shape))
        except HamKaasError as error:
            raise make_error(str(error)) from None
    return data, name


@functools.lru_cache(maxsize=1024, typed=True)
def _make_number(value: Any, zero: str, name: str, rank: int) -> NumpyArray:
    data, _ = as_elements(encode(value, name).reshape((1,) * rank))
    data.flags.writeable = False
    return data


def make_number(value: Any, name: str, rank: int) -> NumpyArray:
    """A number as an array of one element, which is read-only."""
    # Zeros are equal, whatever their sign.
    return _make_number(value, "" if value else str(value), name, rank)


def _dlpack_options(max_version: Optional[Tuple[int, int]]) -> Dict[str, Any]:
    """numpy knows versions of DLPack since 2.1."""
    is_new = tuple(map(int, np.__version__.split(".")[:2])) >= (2, 1)
    return {"max_version": max_version} if is_new and max_version else {}


def export(data: NumpyArray, stream: None,
           max_version: Optional[Tuple[int, int]],
           dl_device: Optional[Tuple[int, int]],
           copy: Optional[bool]) -> Any:
    """A capsule of DLPack with the elements."""
    if stream is not None:
        raise BufferError(f"expected no stream on the CPU, got {stream!r}")
    if dl_device is not None and tuple(dl_device) != _DLPACK_CPU:
        raise BufferError(f"expected the device {_DLPACK_CPU}, got "
                          f"{dl_device}")
    options = _dlpack_options(max_version)
    if not data.flags.writeable and not options and copy is not False:
        copy = True  # Older capsules cannot say that.
    return (data.copy() if copy else data).__dlpack__(**options)
