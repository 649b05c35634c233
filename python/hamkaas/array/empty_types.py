# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of operations on empty arrays, or with such a result.

The compiler takes no dimensions of 0, so other sizes stand in for them.
"""

from __future__ import annotations

import re
from typing import Any, Mapping, Optional, Sequence, Tuple

from .. import inference
from ..array_api.axes import count
from ..arrays import Shape
from ..errors import HamKaasError
from ..positions import Position
from ..tensor import Attributes, TensorType

OperandTypes = Tuple[Optional[TensorType], ...]

_STAND_INS = (47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
              113, 127, 131)
"""Sizes in place of 0; primes, which fit to no other size by chance."""


def lacks_elements(types: Sequence[Optional[TensorType]]) -> bool:
    """Tells whether one of the tensors is empty."""
    return any(one is not None and 0 in one[1] for one in types)


def infer(row: str, operands: OperandTypes, attributes: Attributes,
          positions: Sequence[Position],
          position: Position) -> Tuple[TensorType, ...]:
    """As `inference.infer`, also of empty tensors."""
    given = dict(attributes)
    if row in _VIEWS and operands and (
            lacks_elements(operands) or _asks_for_nothing(row, given)):
        by = _infer_view
    elif lacks_elements(operands) or 0 in _shape_of(given):
        by = _infer_with_stand_ins
    else:
        by = inference.infer_types
    return inference.infer(row, operands, attributes, positions, position, by)


def _shape_of(attributes: Mapping[str, Any]) -> Shape:
    shape = attributes.get("shape", ())
    return shape if isinstance(shape, tuple) else ()


def _asks_for_nothing(row: str, given: Mapping[str, Any]) -> bool:
    if row == "slice":
        return "begin" in given and given["begin"] == given.get("end")
    return 0 in given.get("sizes", ())


def _reshaped(shape: Shape, given: Mapping[str, Any]) -> Shape:
    new: Shape = given["shape"]
    if min(new, default=0) < 0 or count(new) != count(shape):
        raise HamKaasError("'reshape': expected a shape of as many elements "
                           f"as {list(shape)}, got {list(new)}")
    return new


def _sliced(shape: Shape, given: Mapping[str, Any]) -> Shape:
    begin, end = given["begin"], given["end"]
    if not shape or not 0 <= begin <= end <= shape[0]:
        raise HamKaasError(f"'slice': expected rows of {list(shape)}, got "
                           f"begin {begin} and end {end}")
    return (end - begin, *shape[1:])


def _is_inside(offset: int, size: int, stride: int, length: int) -> bool:
    last = offset + (size - 1) * stride
    return size == 0 or (size > 0 and stride != 0 and
                         0 <= offset < length and 0 <= last < length)


def _strided(shape: Shape, given: Mapping[str, Any]) -> Shape:
    lists = given["offsets"], given["sizes"], given["strides"]
    if any(len(one) != len(shape) for one in lists) or \
            not all(map(_is_inside, *lists, shape)):
        raise HamKaasError(f"'strided_slice': expected a part of "
                           f"{list(shape)}, got {dict(given)}")
    return tuple(given["sizes"])


# Their attributes are sizes, which stand-ins would not fit.
_VIEWS = {"reshape": _reshaped, "slice": _sliced, "strided_slice": _strided}


def _infer_view(row: str, operands: OperandTypes,
                attributes: Attributes) -> Tuple[TensorType, ...]:
    operand = operands[0]
    assert operand is not None
    name, shape = operand
    return ((name, _VIEWS[row](shape, dict(attributes))),)


def _choose_stand_ins(numbers: Sequence[int]) -> Tuple[int, int]:
    first, second, *_ = [one for one in _STAND_INS if one not in numbers]
    return first, second


def _infer_with_stand_ins(row: str, operands: OperandTypes,
                          attributes: Attributes) -> Tuple[TensorType, ...]:
    """Sizes at 0, by those at two stand-ins: they grow evenly."""
    shapes = [one[1] for one in operands if one is not None]
    first, second = _choose_stand_ins(
        [size for shape in (*shapes, _shape_of(dict(attributes)))
         for size in shape])
    types = []
    for (name, low), (_, high) in zip(
            _infer_with(first, row, operands, attributes),
            _infer_with(second, row, operands, attributes)):
        pairs = [divmod(b - a, second - first) for a, b in zip(low, high)]
        sizes = tuple(a - growth * first
                      for a, (growth, _) in zip(low, pairs))
        if any(rest for _, rest in pairs) or min(sizes, default=0) < 0:
            raise HamKaasError(f"'{row}': expected operands with elements, got "
                               f"{' and '.join(str(list(s)) for s in shapes)}")
        types.append((name, sizes))
    return tuple(types)


def _infer_with(size: int, row: str, operands: OperandTypes,
                attributes: Attributes) -> Tuple[TensorType, ...]:
    def fill(shape: Shape) -> Shape:
        return tuple(one or size for one in shape)

    try:
        return inference.infer_types(
            row, tuple([one and (one[0], fill(one[1])) for one in operands]),
            tuple([(name, fill(value) if name == "shape" and
                    isinstance(value, tuple) else value)
                   for name, value in attributes]))
    except HamKaasError as error:
        raise HamKaasError(re.sub(rf"\b{size}\b", "0", str(error))) from None
