# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of float32: memory, seen through shape, strides and offset.

Arithmetic is recorded, as that of `hamkaas.array` is, and computed when
somebody looks. Views share memory, and what is written through one is seen
through all.
"""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, ClassVar, Optional, Sequence, Tuple, Union

import numpy as np

from ...array.array import Array
from ...array_api import elementwise, linear, manipulation, reductions
from ...arrays import Array as NumpyArray
from ...arrays import Shape
from ..memory import Memory, copy_elements
from . import functions
from .devices import BackendDevice, default_device

Axis = Union[None, int, Sequence[int]]
Number = (bool, int, float, np.generic)


class NDArray:
    """An array of float32.

    ``NDArray(other, device=None)`` copies an NDArray or what numpy takes for an
    array. ``shape`` and ``strides``, the latter in elements, are tuples;
    ``_offset`` is the place of the first element in ``_handle``, the memory.
    """

    shape: Shape
    strides: Shape
    _offset: int
    _handle: Memory
    device: BackendDevice

    __array_ufunc__: ClassVar[None] = None
    __hash__: ClassVar[None]  # type: ignore[assignment]

    def __init__(self, other: Any,
                 device: Optional[BackendDevice] = None) -> None:
        if isinstance(other, NDArray):
            device = other.device if device is None else device
            data = other.numpy()
        else:
            device = default_device() if device is None else device
            data = copy_elements(other, np.float32)
        device.check()
        self._init(data.shape, None, device, Memory.of_elements(data), 0)

    def _init(self, shape: Shape, strides: Optional[Shape],
              device: BackendDevice, handle: Memory, offset: int) -> None:
        self.shape = shape
        self.strides = NDArray.compact_strides(shape) if strides is None \
            else strides
        self.device, self._handle, self._offset = device, handle, offset

    @staticmethod
    def compact_strides(shape: Sequence[int]) -> Shape:
        """The strides of row-major elements."""
        strides, stride = [], 1
        for size in reversed(tuple(shape)):
            strides.append(stride)
            stride *= size
        return tuple(reversed(strides))

    @staticmethod
    def make(shape: Sequence[int], strides: Optional[Sequence[int]] = None,
             device: Optional[BackendDevice] = None,
             handle: Optional[Memory] = None, offset: int = 0) -> "NDArray":
        """An array over a handle, or over memory of its own."""
        made: NDArray = NDArray.__new__(NDArray)
        where = default_device() if device is None else device
        where.check()
        sizes = tuple(map(operator.index, shape))
        memory = Memory.of_elements(np.zeros(math.prod(sizes), np.float32)) \
            if handle is None else handle
        made._init(sizes, None if strides is None else tuple(strides), where,
                   memory, offset)
        return made

    # Properties.

    @property
    def dtype(self) -> str:
        """``"float32"``."""
        return "float32"

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def flat(self) -> "NDArray":
        """A view with one dimension."""
        return self.reshape((self.size,))

    def __repr__(self) -> str:
        return f"NDArray({self.numpy()}, device={self.device})"

    def __str__(self) -> str:
        return str(self.numpy())

    def numpy(self) -> NumpyArray:
        """A copy of the elements."""
        return functions.to_numpy(self._handle, self.shape, self.strides,
                                  self._offset)

    def __array__(self, dtype: Any = None) -> NumpyArray:
        data = self.numpy()
        return data if dtype is None else data.astype(dtype)

    def __float__(self) -> float:
        return float(self.numpy().item())

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("expected an array with a dimension, got none")
        return self.shape[0]

    # Memory.

    def is_compact(self) -> bool:
        """Tells whether the elements are row-major and all of the memory."""
        return (self.strides == NDArray.compact_strides(self.shape) and
                self._handle.size == self.size)

    def compact(self) -> "NDArray":
        """The array itself if it is compact, and else a copy."""
        return self if self.is_compact() else self._wrap(self._array())

    def fill(self, value: float) -> None:
        """Sets all of the memory."""
        functions.fill(self._handle, value)

    def to(self, device: BackendDevice) -> "NDArray":
        """The array itself if it is on a device, and else a copy there."""
        return self if device == self.device else NDArray(self, device)

    def _array(self) -> Array:
        """For one operation."""
        if self.is_compact() and self._offset == 0:
            return self._handle.array(self.shape)
        return Memory.of_elements(self.numpy()).array(self.shape)

    def _wrap(self, array: Array) -> "NDArray":
        memory = Memory.of(array)
        memory.want()
        return NDArray.make(array.shape, None, self.device, memory)

    # Views.

    def as_strided(self, shape: Sequence[int],
                   strides: Sequence[int]) -> "NDArray":
        """A view of the same memory with other strides."""
        if len(shape) != len(strides):
            raise ValueError("expected a stride for each dimension, got the "
                             f"shape {tuple(shape)} and {tuple(strides)}")
        return NDArray.make(shape, strides, self.device, self._handle,
                            self._offset)

    def reshape(self, new_shape: Sequence[int]) -> "NDArray":
        """A view of a compact array in another shape.

        ValueError for another number of elements; an array that is not compact
        is copied.
        """
        sizes = (new_shape,) if isinstance(new_shape, int) else \
            tuple(new_shape)
        if math.prod(sizes) != self.size or any(size < 0 for size in sizes):
            raise ValueError(f"expected a shape of {self.size} elements, as "
                             f"{self.shape} has, got {sizes}")
        x = self.compact()
        return NDArray.make(sizes, None, x.device, x._handle, x._offset)

    def permute(self, new_axes: Sequence[int]) -> "NDArray":
        """A view with the dimensions in the order of ``new_axes``."""
        if sorted(new_axes) != list(range(self.ndim)):
            raise ValueError(f"expected all {self.ndim} axes, got "
                             f"{tuple(new_axes)}")
        return self.as_strided([self.shape[axis] for axis in new_axes],
                               [self.strides[axis] for axis in new_axes])

    def broadcast_to(self, new_shape: Sequence[int]) -> "NDArray":
        """A view that repeats dimensions of 1, and the array in new ones."""
        added = len(new_shape) - self.ndim
        assert added >= 0 and all(
            old in (1, new) for old, new in zip(self.shape,
                                                new_shape[added:])), \
            f"expected a shape to repeat {self.shape} to, got {new_shape}"
        strides = [0 if old != new else stride for old, new, stride in zip(
            self.shape, new_shape[added:], self.strides)]
        return self.as_strided(new_shape, [0] * added + strides)

    # Parts.

    def process_slice(self, sl: slice, dim: int) -> slice:
        """The slice with numbers for start, stop and step.

        AssertionError for steps below 1, and where it has no element.
        """
        start, stop, step = sl.indices(self.shape[dim])
        assert step > 0 and start < stop, \
            f"expected elements of {self.shape[dim]} in order, got {sl}"
        return slice(start, stop, step)

    def __getitem__(self, idxs: Any) -> "NDArray":
        parts = idxs if isinstance(idxs, tuple) else (idxs,)
        assert len(parts) == self.ndim, \
            f"expected an index for each of {self.ndim} axes, got {parts}"
        slices = [self.process_slice(part if isinstance(part, slice) else
                                     self._at(part, dim), dim)
                  for dim, part in enumerate(parts)]
        shape = [-(-(one.stop - one.start) // one.step) for one in slices]
        offset = self._offset + sum_of(
            one.start * stride for one, stride in zip(slices, self.strides))
        return NDArray.make(shape, [one.step * stride for one, stride in zip(
            slices, self.strides)], self.device, self._handle, offset)

    def _at(self, index: Any, dim: int) -> slice:
        size = self.shape[dim]
        place = operator.index(index)
        if not -size <= place < size:
            raise IndexError(f"expected an index of axis {dim} below {size}, "
                             f"got {place}")
        return slice(place % size, place % size + 1)

    def __setitem__(self, idxs: Any, other: Any) -> None:
        view = NDArray.__getitem__(self, idxs) if type(self) is NDArray \
            else self.__getitem__(idxs)
        if isinstance(other, NDArray):
            assert other.size == view.size, \
                f"expected {view.size} elements, got {other.size}"
            values = other.numpy()
            functions.ewise_setitem(Memory.of_elements(values), view._handle,
                                    view.shape, view.strides, view._offset)
            return
        functions.scalar_setitem(view.size, float(other), view._handle,
                                 view.shape, view.strides, view._offset)

    # Arithmetic.

    def _binary(self, other: Any, function: Callable[[Any, Any], Any],
                is_reflected: bool = False) -> "NDArray":
        right = self._operand(other)
        if right is NotImplemented:
            return right  # type: ignore[no-any-return]
        operands = (right, self._array()) if is_reflected else \
            (self._array(), right)
        return self._wrap(function(*operands))

    def _operand(self, other: Any) -> Any:
        if isinstance(other, NDArray):
            assert other.shape == self.shape, \
                f"expected arrays of one shape, got {self.shape} and " \
                f"{other.shape}"
            return other._array()
        if isinstance(other, Number):
            return float(other)  # type: ignore[arg-type]
        return NotImplemented

    def _compare(self, other: Any, function: Callable[[Any, Any], Any]) \
            -> "NDArray":
        right = self._operand(other)
        if right is NotImplemented:
            return right  # type: ignore[no-any-return]
        return self._wrap(elementwise.astype(function(self._array(), right),
                                             "float32"))

    def __add__(self, other: Any) -> "NDArray":
        return self._binary(other, elementwise.add)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "NDArray":
        return self._binary(other, elementwise.subtract)

    def __rsub__(self, other: Any) -> "NDArray":
        return self._binary(other, elementwise.subtract, True)

    def __mul__(self, other: Any) -> "NDArray":
        return self._binary(other, elementwise.multiply)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "NDArray":
        return self._binary(other, elementwise.divide)

    def __pow__(self, other: Any) -> "NDArray":
        return self._binary(other, elementwise.pow)

    def __neg__(self) -> "NDArray":
        return self._wrap(elementwise.negative(self._array()))

    def maximum(self, other: Any) -> "NDArray":
        """The larger one of each two numbers."""
        return self._binary(other, elementwise.maximum)

    def __eq__(self, other: Any) -> "NDArray":  # type: ignore[override]
        return self._compare(other, elementwise.equal)

    def __ne__(self, other: Any) -> "NDArray":  # type: ignore[override]
        return self._compare(other, elementwise.not_equal)

    def __ge__(self, other: Any) -> "NDArray":
        return self._compare(other, elementwise.greater_equal)

    def __gt__(self, other: Any) -> "NDArray":
        return self._compare(other, elementwise.greater)

    def __le__(self, other: Any) -> "NDArray":
        return self._compare(other, elementwise.less_equal)

    def __lt__(self, other: Any) -> "NDArray":
        return self._compare(other, elementwise.less)

    def log(self) -> "NDArray":
        """The natural logarithm of each number."""
        return self._wrap(elementwise.log(self._array()))

    def exp(self) -> "NDArray":
        """The exponential of each number."""
        return self._wrap(elementwise.exp(self._array()))

    def tanh(self) -> "NDArray":
        """The hyperbolic tangent of each number."""
        return self._wrap(elementwise.tanh(self._array()))

    def __matmul__(self, other: Any) -> "NDArray":
        if not isinstance(other, NDArray):
            return NotImplemented
        assert self.ndim == other.ndim == 2 and \
            self.shape[1] == other.shape[0], \
            f"expected two matrices that fit, got {self.shape} and " \
            f"{other.shape}"
        return self._wrap(linear.matmul(self._array(), other._array()))

    # Reductions.

    def _reduce(self, function: Callable[..., Any], axis: Axis,
                keepdims: bool) -> "NDArray":
        if isinstance(axis, (tuple, list)) and not axis:
            raise ValueError("expected an axis or more, got none")
        if axis is None:
            result = function(self._array(), axis=None, keepdims=keepdims)
            shape = (1,) * self.ndim if keepdims else (1,)
            return self._wrap(manipulation.reshape(result, shape))
        axes = (axis,) if isinstance(axis, int) else tuple(axis)
        return self._wrap(function(self._array(), axis=axes,
                                   keepdims=keepdims))

    def sum(self, axis: Axis = None, keepdims: bool = False) -> "NDArray":
        """The sum over axes; of all numbers, of shape ``(1,)``, if None."""
        return self._reduce(reductions.sum, axis, keepdims)

    def max(self, axis: Axis = None, keepdims: bool = False) -> "NDArray":
        """The largest number over axes; of all, of shape ``(1,)``, if None."""
        return self._reduce(reductions.max, axis, keepdims)

    # Copies in other orders.

    def flip(self, axes: Axis) -> "NDArray":
        """A copy with axes reversed."""
        chosen = (axes,) if isinstance(axes, int) else tuple(axes or ())
        return self._wrap(manipulation.flip(self._array(), axis=chosen))

    def pad(self, axes: Sequence[Tuple[int, int]]) -> "NDArray":
        """A copy with zeros before and after each dimension."""
        if len(axes) != self.ndim:
            raise ValueError(f"expected {self.ndim} pairs, got {tuple(axes)}")
        return self._wrap(pad_zeros(self._array(), axes))


def sum_of(numbers: Any) -> int:
    """The sum of integers; ``sum`` is a function of arrays here."""
    total = 0
    for number in numbers:
        total += number
    return total


def pad_zeros(x: Array, pairs: Sequence[Tuple[int, int]]) -> Array:
    """An array with zeros before and after each dimension."""
    if not any(low or high for low, high in pairs):
        return x
    made = Array._make("pad", [x], (
        ("low", tuple(low for low, _ in pairs)),
        ("high", tuple(high for _, high in pairs))))
    return made[0]  # type: ignore[return-value]


def array(a: Any, dtype: Any = "float32",
          device: Optional[BackendDevice] = None) -> NDArray:
    """An array of float32; AssertionError for another type."""
    assert dtype in (None, "float32"), f"expected float32, got {dtype}"
    return NDArray(a, device=device)


def empty(shape: Any, dtype: Any = "float32",
          device: Optional[BackendDevice] = None) -> NDArray:
    """An array of any numbers."""
    where = device or default_device()
    return where.empty(shape, dtype)  # type: ignore[no-any-return]


def full(shape: Any, fill_value: float, dtype: Any = "float32",
         device: Optional[BackendDevice] = None) -> NDArray:
    """An array of one number."""
    where = device or default_device()
    return where.full(shape, fill_value, dtype)  # type: ignore[no-any-return]


def broadcast_to(array: NDArray, new_shape: Sequence[int]) -> NDArray:
    """`NDArray.broadcast_to`."""
    return array.broadcast_to(new_shape)


def reshape(array: NDArray, new_shape: Sequence[int]) -> NDArray:
    """`NDArray.reshape`."""
    return array.reshape(new_shape)


def maximum(a: NDArray, b: Any) -> NDArray:
    """`NDArray.maximum`."""
    return a.maximum(b)


def log(a: NDArray) -> NDArray:
    """`NDArray.log`."""
    return a.log()


def exp(a: NDArray) -> NDArray:
    """`NDArray.exp`."""
    return a.exp()


def tanh(a: NDArray) -> NDArray:
    """`NDArray.tanh`."""
    return a.tanh()


def sum(a: NDArray, axis: Axis = None, keepdims: bool = False) -> NDArray:
    """`NDArray.sum`."""
    return a.sum(axis, keepdims)


def flip(a: NDArray, axes: Axis) -> NDArray:
    """`NDArray.flip`."""
    return a.flip(axes)
