# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes of operands made to fit, by the standard's rules.

The operations of the table repeat dimensions of their right operand only, and
want operands of one rank.
"""

from __future__ import annotations

from typing import Mapping, Sequence, Tuple

from ..arrays import Shape
from ..positions import make_error
from ..tensor import Attribute, T, make


def broadcast_shapes(*shapes: Shape) -> Shape:
    """The shape to which all can be broadcast.

    >>> broadcast_shapes((8, 1, 3), (2, 1))
    (8, 2, 3)
    """
    rank = max(map(len, shapes))
    result = [1] * rank
    for shape in shapes:
        for i, size in enumerate(shape, rank - len(shape)):
            if size == 1 or size == result[i]:
                continue
            if result[i] != 1:
                texts = " and ".join(str(list(shape)) for shape in shapes)
                raise make_error(
                    "expected shapes whose dimensions, counted from the last, "
                    f"are equal or 1, got {texts}")
            result[i] = size
    return tuple(result)


def reshape_to(x: T, shape: Shape) -> T:
    """The elements in a shape of as many."""
    if x._type[1] == shape:
        return x
    return make("reshape", [x], {"shape": shape})


def broadcast_to(x: T, shape: Shape) -> T:
    """``x`` repeated to ``shape``, to which it can be broadcast."""
    if x._type[1] == shape:
        return x
    x = add_dimensions(x, len(shape))
    return x if x._type[1] == shape else make("broadcast", [x],
                                              {"shape": shape})


def add_dimensions(x: T, rank: int) -> T:
    """``x`` with dimensions of 1 before its own, up to ``rank``."""
    missing = rank - len(x._type[1])
    return x if missing <= 0 else reshape_to(x, (1,) * missing + x._type[1])


def fit(left: T, right: T) -> Tuple[T, T, bool]:
    """Operands of one rank, of which the left one has the shape of the result.

    True with them if they are exchanged.
    """
    if left._type[1] == right._type[1]:
        return left, right, False
    shape = broadcast_shapes(left._type[1], right._type[1])
    left = add_dimensions(left, len(shape))
    right = add_dimensions(right, len(shape))
    if left._type[1] == shape:
        return left, right, False
    if right._type[1] == shape:
        return right, left, True
    return broadcast_to(left, shape), right, False


_NO_ATTRIBUTES: Mapping[str, Attribute] = {}

# The result is the same with exchanged operands.
_COMMUTATIVE = frozenset(["add", "mul", "max", "min", "and", "or", "xor"])


def make_binary(row: str, left: T, right: T,
                attributes: Mapping[str, Attribute] = _NO_ATTRIBUTES) -> T:
    """An operation on two operands of one element type, broadcast."""
    first, second, is_exchanged = fit(left, right)
    if is_exchanged and row not in _COMMUTATIVE:
        first, second = broadcast_to(left, first._type[1]), first
        second = add_dimensions(right, len(first._type[1]))
    return make(row, [first, second], attributes)


def broadcast_all(*tensors: T) -> Sequence[T]:
    """All in the shape to which they can be broadcast."""
    shape = broadcast_shapes(*(x._type[1] for x in tensors))
    return [broadcast_to(x, shape) for x in tensors]
