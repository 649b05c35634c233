# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of given shapes, which are separate arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...array import creation
from ...array_api import elementwise, manipulation
from ...arrays import Array as NumpyArray
from ..autograd import Tensor, cpu
from ..backend_selection import IS_NUMPY
from ..memory import Memory


def _make(data: NumpyArray, device: Any, dtype: Any,
          requires_grad: bool) -> Tensor:
    """A tensor of elements that nobody else has."""
    device = cpu() if device is None else device
    if not IS_NUMPY:
        assert dtype in (None, "float32"), \
            f"expected the type float32, got {dtype}"
        device.check()
    made = Tensor._of(Memory.of_elements(np.ascontiguousarray(
        data, dtype).reshape(data.shape)).array(data.shape), device)
    made.requires_grad = requires_grad
    return made


def rand(*shape: int, low: float = 0.0, high: float = 1.0, device: Any = None,
         dtype: Any = "float32", requires_grad: bool = False) -> Tensor:
    """Uniform numbers from ``low`` to ``high``."""
    numbers = np.random.rand(*shape) * (high - low) + low
    return _make(np.asarray(numbers), device, dtype, requires_grad)


def randn(*shape: int, mean: float = 0.0, std: float = 1.0, device: Any = None,
          dtype: Any = "float32", requires_grad: bool = False) -> Tensor:
    """Normal numbers."""
    numbers = np.random.randn(*shape) * std + mean
    return _make(np.asarray(numbers), device, dtype, requires_grad)


def constant(*shape: int, c: float = 1.0, device: Any = None,
             dtype: Any = "float32", requires_grad: bool = False) -> Tensor:
    """One number."""
    return _make(np.full(shape, c, dtype), device, dtype, requires_grad)


def ones(*shape: int, device: Any = None, dtype: Any = "float32",
         requires_grad: bool = False) -> Tensor:
    """Ones."""
    return constant(*shape, c=1.0, device=device, dtype=dtype,
                    requires_grad=requires_grad)


def zeros(*shape: int, device: Any = None, dtype: Any = "float32",
          requires_grad: bool = False) -> Tensor:
    """Zeros."""
    return constant(*shape, c=0.0, device=device, dtype=dtype,
                    requires_grad=requires_grad)


def ones_like(array: Tensor, *, device: Any = None,
              requires_grad: bool = False) -> Tensor:
    """Ones of the shape, type and device of a tensor."""
    return ones(*array.shape, device=array.device if device is None else device,
                dtype=array.dtype, requires_grad=requires_grad)


def zeros_like(array: Tensor, *, device: Any = None,
               requires_grad: bool = False) -> Tensor:
    """Zeros of the shape, type and device of a tensor."""
    return zeros(*array.shape,
                 device=array.device if device is None else device,
                 dtype=array.dtype, requires_grad=requires_grad)


def randb(*shape: int, p: float = 0.5, device: Any = None, dtype: Any = "bool",
          requires_grad: bool = False) -> Tensor:
    """True, or 1, with probability ``p``."""
    return _make(np.asarray(np.random.rand(*shape) <= p), device, dtype,
                 requires_grad)


def one_hot(n: int, i: Tensor, device: Any = None, dtype: Any = "float32",
            requires_grad: bool = False) -> Tensor:
    """Rows of ``n`` numbers that are 1 at the place ``i`` and 0 elsewhere.

    ``i`` has any shape, its numbers are read as int32. IndexError for a place
    that there is not.
    """
    places = i.numpy().astype(np.int32)
    if places.size and not (-n <= places.min() and places.max() < n):
        raise IndexError(f"expected places below {n}, got {places.min()} to "
                         f"{places.max()}")
    name = np.dtype(dtype).name
    if not IS_NUMPY:
        assert name == "float32", f"expected the type float32, got {dtype}"
    column = Memory.of_elements((places % n)[..., None])
    row = creation.asarray(np.arange(n, dtype=np.int32), copy=False)
    same = elementwise.equal(
        column.array((*places.shape, 1)),
        manipulation.reshape(row, (1,) * places.ndim + (n,)))
    made = Tensor._of(elementwise.astype(same, name),
                      cpu() if device is None else device)
    made.requires_grad = requires_grad
    return made
