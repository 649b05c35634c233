# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that make tensors of nothing."""

from __future__ import annotations

from typing import Any, Generic, List, Optional, Sequence, Type, Union

import numpy as np

from ..arrays import (Array, DTypeLike, Shape, as_dense, encode, is_array,
                      shape_of)
from ..positions import make_error
from ..tensor import T, Tensor, splat
from . import manipulation
from .promotion import DEFAULT_FLOAT, DEFAULT_INTEGER, cast, check_dtype

Sizes = Union[int, Sequence[int]]


def _sizes(shape: Sizes) -> Shape:
    return (shape,) if isinstance(shape, int) else shape_of(shape)


def _default_dtype(*values: Any) -> str:
    if any(isinstance(value, (float, np.floating)) for value in values):
        return DEFAULT_FLOAT
    if all(isinstance(value, (bool, np.bool_)) for value in values):
        return "bool"
    return DEFAULT_INTEGER


class Creation(Generic[T]):
    """The functions of the standard that make tensors of one class.

    Their elements are part of the program. Floats are float32 and integers
    int64 where ``dtype`` is None.
    """

    def __init__(self, space: Type[T]) -> None:
        self._space = space

    def _splat(self, value: Any, shape: Sizes, name: str) -> T:
        return self._space._make_splat(  # type: ignore[return-value]
            value, (name, _sizes(shape)))

    def _literal(self, array: Array, name: str) -> T:
        return self._space._make_constant(  # type: ignore[return-value]
            encode(array, name), True)

    def zeros(self, shape: Sizes, *, dtype: Optional[DTypeLike] = None) -> T:
        """A tensor of zeros."""
        return self.full(shape, 0, dtype=DEFAULT_FLOAT if dtype is None
                         else dtype)

    def ones(self, shape: Sizes, *, dtype: Optional[DTypeLike] = None) -> T:
        """A tensor of ones."""
        return self.full(shape, 1, dtype=DEFAULT_FLOAT if dtype is None
                         else dtype)

    def empty(self, shape: Sizes, *, dtype: Optional[DTypeLike] = None) -> T:
        """A tensor of zeros: no program reads memory that nobody wrote."""
        return self.zeros(shape, dtype=dtype)

    def full(self, shape: Sizes, fill_value: Any, *,
             dtype: Optional[DTypeLike] = None) -> T:
        """A tensor of one number."""
        name = _default_dtype(fill_value) if dtype is None else check_dtype(
            dtype)
        return self._splat(fill_value, shape, name)

    def zeros_like(self, x: T, *, dtype: Optional[DTypeLike] = None) -> T:
        """Zeros in the shape and type of ``x``."""
        return self.full_like(x, 0, dtype=dtype)

    def ones_like(self, x: T, *, dtype: Optional[DTypeLike] = None) -> T:
        """Ones in the shape and type of ``x``."""
        return self.full_like(x, 1, dtype=dtype)

    def empty_like(self, x: T, *, dtype: Optional[DTypeLike] = None) -> T:
        """As `zeros_like`."""
        return self.full_like(x, 0, dtype=dtype)

    def full_like(self, x: T, fill_value: Any, *,
                  dtype: Optional[DTypeLike] = None) -> T:
        """One number in the shape and type of ``x``."""
        name, shape = x._type
        return splat(x, fill_value,
                     name if dtype is None else check_dtype(dtype), shape)

    def arange(self, start: Union[int, float],
               stop: Union[None, int, float] = None, /,
               step: Union[int, float] = 1, *,
               dtype: Optional[DTypeLike] = None) -> T:
        """Numbers from ``start`` by ``step`` to before ``stop``.

        With one argument from 0 to before it.
        """
        name = _default_dtype(start, stop, step) if dtype is None else \
            check_dtype(dtype)
        if step == 0:
            raise make_error("'arange': expected a step other than 0")
        begin, end = (0, start) if stop is None else (start, stop)
        return self._literal(np.arange(begin, end, step), name)

    def linspace(self, start: float, stop: float, /, num: int, *,
                 dtype: Optional[DTypeLike] = None,
                 endpoint: bool = True) -> T:
        """``num`` numbers from ``start`` to ``stop``, evenly spaced."""
        name = DEFAULT_FLOAT if dtype is None else check_dtype(dtype)
        return self._literal(
            np.linspace(start, stop, num, endpoint=endpoint), name)

    def eye(self, n_rows: int, n_cols: Optional[int] = None, /, *, k: int = 0,
            dtype: Optional[DTypeLike] = None) -> T:
        """A matrix with ones on diagonal ``k``, and zeros elsewhere."""
        name = DEFAULT_FLOAT if dtype is None else check_dtype(dtype)
        return self._literal(np.eye(n_rows, n_cols, k), name)

    def asarray(self, value: Any, /, *,
                dtype: Optional[DTypeLike] = None) -> T:
        """A tensor, an array, a number or lists of numbers, as a tensor.

        Arrays become constants, numbers and lists part of the program.
        """
        name = None if dtype is None else check_dtype(dtype)
        if isinstance(value, Tensor):
            x: T = value  # type: ignore[assignment]
        elif is_array(value):
            x = self._space._make_constant(  # type: ignore[assignment]
                as_dense(value), False)
        else:
            array = np.asarray(value)
            given = _default_dtype(*array.reshape(-1).tolist())
            return self._literal(array, name or given)
        return x if name is None else cast(x, name)


def meshgrid(*tensors: T, indexing: str = "xy") -> List[T]:
    """Vectors repeated along the axes of the others.

    ``indexing`` is "xy", in which the first two axes are exchanged, or "ij".
    """
    if indexing not in ("xy", "ij"):
        raise make_error(f"expected the indexing 'xy' or 'ij', got "
                         f"{indexing!r}")
    rank = len(tensors)
    order = list(range(rank))
    if indexing == "xy" and rank > 1:
        order[:2] = [1, 0]
    placed = []
    for axis, x in zip(order, tensors):
        shape = [1] * rank
        shape[axis] = x.size
        placed.append(manipulation.reshape(x, shape))
    return manipulation.broadcast_arrays(*placed)
