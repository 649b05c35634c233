# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators and methods that the standard gives its arrays."""

from __future__ import annotations

from typing import Any, ClassVar, Sequence, TypeVar, cast

from .array_api import (elementwise, indexing, linear, manipulation,
                        promotion, reductions)
from .array_api.axes import Axis
from .arrays import DTypeLike, is_array
from .positions import make_error
from .tensor import Tensor

Self = TypeVar("Self", bound="Operators")


def _is_operand(value: Any) -> bool:
    if isinstance(value, (Tensor, *promotion.SCALARS)) or is_array(value):
        return True
    if isinstance(value, (list, tuple)):
        raise TypeError(f"expected a node or an array, got a "
                        f"{type(value).__name__}; make it an array, such "
                        "as np.float32([...])")
    return False


class Operators(Tensor):
    """A tensor with operators.

    Their other side is a tensor, a number or an array.
    """

    __slots__ = ()

    # Without this Python would take entries until one is refused.
    __iter__: ClassVar[Any] = None

    def __hash__(self) -> int:
        return id(self)

    # Arithmetic.

    def __add__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.add(self, other))

    def __radd__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.add(other, self))

    def __sub__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.subtract(self, other))

    def __rsub__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.subtract(other, self))

    def __mul__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.multiply(self, other))

    def __rmul__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.multiply(other, self))

    def __truediv__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.divide(self, other))

    def __rtruediv__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.divide(other, self))

    def __floordiv__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.floor_divide(self, other))

    def __rfloordiv__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.floor_divide(other, self))

    def __mod__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.remainder(self, other))

    def __rmod__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.remainder(other, self))

    def __pow__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.pow(self, other))

    def __rpow__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.pow(other, self))

    def __matmul__(self: Self, other: Any) -> Self:
        if not is_array(other) and not isinstance(other, Tensor):
            return NotImplemented
        return cast(Self, linear.matmul(self, other))

    def __rmatmul__(self: Self, other: Any) -> Self:
        if not is_array(other):
            return NotImplemented
        return cast(Self, linear.matmul(other, self))

    def __neg__(self: Self) -> Self:
        return elementwise.negative(self)

    def __pos__(self: Self) -> Self:
        return elementwise.positive(self)

    def __abs__(self: Self) -> Self:
        return elementwise.abs(self)

    # Bits and logic.

    def __invert__(self: Self) -> Self:
        return elementwise.bitwise_invert(self)

    def __and__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.bitwise_and(self, other))

    def __rand__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.bitwise_and(other, self))

    def __or__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.bitwise_or(self, other))

    def __ror__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.bitwise_or(other, self))

    def __xor__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.bitwise_xor(self, other))

    def __rxor__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.bitwise_xor(other, self))

    def __lshift__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.bitwise_left_shift(self, other))

    def __rlshift__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.bitwise_left_shift(other, self))

    def __rshift__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.bitwise_right_shift(self, other))

    def __rrshift__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.bitwise_right_shift(other, self))

    # Comparisons.

    def __eq__(self: Self, other: Any) -> Self:  # type: ignore[override]
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.equal(self, other))

    def __ne__(self: Self, other: Any) -> Self:  # type: ignore[override]
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.not_equal(self, other))

    def __lt__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.less(self, other))

    def __le__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.less_equal(self, other))

    def __gt__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.greater(self, other))

    def __ge__(self: Self, other: Any) -> Self:
        if not _is_operand(other):
            return NotImplemented
        return cast(Self, elementwise.greater_equal(self, other))

    # Elements and shapes.

    def __getitem__(self: Self, key: Any) -> Self:
        return indexing.get_item(self, key)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor of no dimension has no length")
        return self.shape[0]

    @property
    def T(self: Self) -> Self:
        """A matrix with its rows as columns."""
        if len(self.shape) != 2:
            raise make_error("expected a matrix, got "
                             f"{len(self.shape)} dimensions; see mT")
        return manipulation.matrix_transpose(self)

    @property
    def mT(self: Self) -> Self:
        """The last two dimensions exchanged."""
        return manipulation.matrix_transpose(self)

    def reshape(self: Self, shape: Sequence[int]) -> Self:
        """The same elements, row-major, in another shape of as many.

        One dimension may be -1: what the others leave.
        """
        return manipulation.reshape(self, shape)

    def astype(self: Self, dtype: DTypeLike) -> Self:
        """The elements converted to another type; see `hamkaas.astype`."""
        return elementwise.astype(self, dtype)

    def sum(self: Self, axis: Axis = None, keepdims: bool = False) -> Self:
        """The sum over axes; see `hamkaas.sum`."""
        return reductions.sum(self, axis=axis, keepdims=keepdims)

    def mean(self: Self, axis: Axis = None, keepdims: bool = False) -> Self:
        """The mean over axes; see `hamkaas.mean`."""
        return reductions.mean(self, axis=axis, keepdims=keepdims)

    def max(self: Self, axis: Axis = None, keepdims: bool = False) -> Self:
        """The largest element over axes; see `hamkaas.max`."""
        return reductions.max(self, axis=axis, keepdims=keepdims)

    def min(self: Self, axis: Axis = None, keepdims: bool = False) -> Self:
        """The least element over axes; see `hamkaas.min`."""
        return reductions.min(self, axis=axis, keepdims=keepdims)
