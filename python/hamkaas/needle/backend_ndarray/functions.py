# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the host on memory: the last array is the one written to.

``a``, ``b`` and ``out`` are handles of compact arrays.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Sequence

import numpy as np

from ...arrays import Array as NumpyArray
from ..memory import Memory

__tile_size__ = 8


def Array(size: int) -> Memory:
    """Memory of ``size`` numbers."""
    return Memory.of_elements(np.zeros(size, np.float32))


def from_numpy(a: Any, out: Memory) -> None:
    """Copies an array of numpy."""
    _flat(out)[:] = np.asarray(a, np.float32).reshape(-1)


def strided(a: Memory, shape: Sequence[int], strides: Sequence[int],
            offset: int) -> NumpyArray:
    """A view of memory by strides in elements, to be read."""
    data = a.elements().reshape(-1)
    return np.lib.stride_tricks.as_strided(
        data[offset:] if math.prod(shape) else data, tuple(shape),
        [stride * data.itemsize for stride in strides], writeable=False)


def to_numpy(a: Memory, shape: Sequence[int], strides: Sequence[int],
             offset: int) -> NumpyArray:
    """A copy of a view."""
    return np.array(strided(a, shape, strides, offset), order="C")


def fill(out: Memory, value: float) -> None:
    """Sets all numbers."""
    _flat(out)[:] = value


def compact(a: Memory, out: Memory, shape: Sequence[int],
            strides: Sequence[int], offset: int) -> None:
    """Copies a view in row-major order."""
    _flat(out)[:] = strided(a, shape, strides, offset).reshape(-1)


def _view_to_write(out: Memory, shape: Sequence[int], strides: Sequence[int],
                   offset: int) -> NumpyArray:
    data = _flat(out)
    return np.lib.stride_tricks.as_strided(
        data[offset:], tuple(shape),
        [stride * data.itemsize for stride in strides])


def ewise_setitem(a: Memory, out: Memory, shape: Sequence[int],
                  strides: Sequence[int], offset: int) -> None:
    """Writes compact numbers to a view."""
    values = a.elements().reshape(shape)
    if values.base is out._own or a is out:
        values = values.copy()
    _view_to_write(out, shape, strides, offset)[...] = values


def scalar_setitem(size: int, value: float, out: Memory, shape: Sequence[int],
                   strides: Sequence[int], offset: int) -> None:
    """Writes one number to a view of ``size`` numbers."""
    _view_to_write(out, shape, strides, offset)[...] = value


def _flat(memory: Memory) -> NumpyArray:
    return memory.expose().reshape(-1)


def _binary(function: Any) -> Callable[[Memory, Any, Memory], None]:
    def apply(a: Memory, b: Any, out: Memory) -> None:
        right = b.elements().reshape(-1) if isinstance(b, Memory) else \
            np.float32(b)
        _flat(out)[:] = function(a.elements().reshape(-1), right)
    apply.__doc__ = f"``{function.__name__}`` of each number of ``a``."
    return apply


def _unary(function: Any) -> Callable[[Memory, Memory], None]:
    def apply(a: Memory, out: Memory) -> None:
        _flat(out)[:] = function(a.elements().reshape(-1))
    apply.__doc__ = f"``{function.__name__}`` of each number of ``a``."
    return apply


ewise_add = scalar_add = _binary(np.add)
ewise_mul = scalar_mul = _binary(np.multiply)
ewise_div = scalar_div = _binary(np.divide)
scalar_power = _binary(np.power)
ewise_maximum = scalar_maximum = _binary(np.maximum)
ewise_eq = scalar_eq = _binary(np.equal)
ewise_ge = scalar_ge = _binary(np.greater_equal)
ewise_log, ewise_exp, ewise_tanh = map(_unary, (np.log, np.exp, np.tanh))


def matmul(a: Memory, b: Memory, out: Memory, m: int, n: int, p: int) -> None:
    """The product of ``m`` x ``n`` and ``n`` x ``p``."""
    product = a.elements().reshape(m, n) @ b.elements().reshape(n, p)
    _flat(out)[:] = product.reshape(-1)


def matmul_tiled(a: Memory, b: Memory, out: Memory, m: int, n: int,
                 p: int) -> None:
    """The product of ``[m/8][n/8][8][8]`` and ``[n/8][p/8][8][8]``, in the same
    order."""
    t = __tile_size__
    left = a.elements().reshape(m // t, n // t, t, t)
    right = b.elements().reshape(n // t, p // t, t, t)
    tiles = np.einsum("ikab,kjbc->ijac", left, right, optimize=True)
    _flat(out)[:] = tiles.reshape(-1)


def reduce_max(a: Memory, out: Memory, reduce_size: int) -> None:
    """The largest of each ``reduce_size`` numbers."""
    _flat(out)[:] = a.elements().reshape(-1, reduce_size).max(axis=1)


def reduce_sum(a: Memory, out: Memory, reduce_size: int) -> None:
    """The sum of each ``reduce_size`` numbers."""
    _flat(out)[:] = a.elements().reshape(-1, reduce_size).sum(axis=1)
