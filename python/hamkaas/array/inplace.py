# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``x += y`` and the other operators that change an array."""

from __future__ import annotations

from typing import Any, TypeVar

from ..operators import Operators
from ..positions import make_error

Self = TypeVar("Self", bound="InPlaceOperators")


class InPlaceOperators(Operators):
    """Operators that give an array other elements of its type and shape.

    Its views, and what it is a view of, change with it.
    """

    __slots__ = ()

    def _replace(self: Self, result: Any) -> Self:
        raise NotImplementedError

    def _check(self, result: Any) -> None:
        if result is not NotImplemented and result._type != self._type:
            name, shape = result._type
            raise make_error(
                f"expected a result of the type of the array, {self._type[0]} "
                f"{list(self._type[1])}, got {name} {list(shape)}")

    def __iadd__(self: Self, other: Any) -> Self:
        return self._replace(self.__add__(other))

    def __isub__(self: Self, other: Any) -> Self:
        return self._replace(self.__sub__(other))

    def __imul__(self: Self, other: Any) -> Self:
        return self._replace(self.__mul__(other))

    def __itruediv__(self: Self, other: Any) -> Self:
        return self._replace(self.__truediv__(other))

    def __ifloordiv__(self: Self, other: Any) -> Self:
        return self._replace(self.__floordiv__(other))

    def __imod__(self: Self, other: Any) -> Self:
        return self._replace(self.__mod__(other))

    def __ipow__(self: Self, other: Any) -> Self:
        return self._replace(self.__pow__(other))

    def __imatmul__(self: Self, other: Any) -> Self:
        return self._replace(self.__matmul__(other))

    def __iand__(self: Self, other: Any) -> Self:
        return self._replace(self.__and__(other))

    def __ior__(self: Self, other: Any) -> Self:
        return self._replace(self.__or__(other))

    def __ixor__(self: Self, other: Any) -> Self:
        return self._replace(self.__xor__(other))

    def __ilshift__(self: Self, other: Any) -> Self:
        return self._replace(self.__lshift__(other))

    def __irshift__(self: Self, other: Any) -> Self:
        return self._replace(self.__rshift__(other))
