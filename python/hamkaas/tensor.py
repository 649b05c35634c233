# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors as the functions of `hamkaas.array_api` see them.

These functions know a tensor by its type, and compute by `make` alone: by rows
of the table of operations (docs/reference). So they serve each class of
tensors.
"""

from __future__ import annotations

from typing import (Any, Mapping, Optional, Sequence, Tuple, Type,
                    TypeVar, Union, cast)

import numpy as np

from .arrays import Array, Shape, dtype_of

TensorType = Tuple[str, Shape]
"""The name of the element type and the shape."""


class ElementType(str):
    """The name of an element type as the value of an attribute."""

    __slots__ = ()


Attribute = Union[int, float, str, ElementType, Tuple[int, ...]]
"""The value of an attribute; a plain ``str`` is a word of an enumeration."""

Attributes = Tuple[Tuple[str, Attribute], ...]


class Tensor:
    """A tensor of known type, whose elements need not be known."""

    __slots__ = ()

    _type: TensorType

    @property
    def shape(self) -> Shape:
        """The dimensions; those of a node are at least 1."""
        return self._type[1]

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The type of the elements.

        For bfloat16 that of the package ml_dtypes, or its name without it.
        """
        return cast("np.dtype[Any]", dtype_of(self._type[0]))

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._type[1])

    @property
    def size(self) -> int:
        """The number of elements."""
        count = 1
        for length in self._type[1]:
            count *= length
        return count

    @classmethod
    def _make(cls, row: str, operands: Sequence[Optional[Tensor]],
              attributes: Attributes) -> Tuple[Tensor, ...]:
        """The results of an operation of the table."""
        raise NotImplementedError

    @classmethod
    def _make_splat(cls, value: Any, tensor_type: TensorType) -> Tensor:
        """A tensor of one number, which becomes part of the program."""
        raise NotImplementedError

    @classmethod
    def _make_constant(cls, array: Array, is_literal: bool) -> Tensor:
        """The elements of an array; a literal becomes part of the program."""
        raise NotImplementedError


T = TypeVar("T", bound=Tensor)

_NO_ATTRIBUTES: Mapping[str, Attribute] = {}


def make_all(row: str, operands: Sequence[Optional[T]],
             attributes: Mapping[str, Attribute] = _NO_ATTRIBUTES) \
        -> Tuple[T, ...]:
    """The results of an operation of the table on at least one operand."""
    for operand in operands:
        if operand is not None:
            return cast(Tuple[T, ...], operand._make(
                row, operands, tuple(attributes.items())))
    raise TypeError(f"expected an operand of '{row}', got none")


def make(row: str, operands: Sequence[Optional[T]],
         attributes: Mapping[str, Attribute] = _NO_ATTRIBUTES) -> T:
    """The result of an operation of the table on at least one operand."""
    return make_all(row, operands, attributes)[0]


def make_in(space: Type[T], row: str,
            attributes: Mapping[str, Attribute]) -> T:
    """The result of an operation without operands, a tensor of ``space``."""
    return cast(T, space._make(row, (), tuple(attributes.items()))[0])


def splat(like: T, value: Any, name: str, shape: Shape) -> T:
    """A tensor of one number, of the class of ``like``."""
    return cast(T, like._make_splat(value, (name, shape)))


def literal(like: T, array: Array) -> T:
    """A small array that becomes part of the program."""
    return cast(T, like._make_constant(array, True))
