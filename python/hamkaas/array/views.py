# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views of elements that are known.

They are made at once and share their memory, as numpy's do. So a loop over
``x[i]`` computes with one program, whose input is the view.
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from ..arrays import Array as NumpyArray
from ..tensor import Attributes, TensorType
from .records import Place, Record, find_form, make_leaf, make_results

VIEWS = frozenset(["slice", "strided_slice", "reshape", "permute"])
"""Operations whose results are views."""


def known_elements(record: Record) -> Optional[NumpyArray]:
    """The elements of a record that need no computation."""
    if record.data is not None:
        return record.data
    form = record.form
    if form is None or form.row != "broadcast":
        return None
    operand = record.operands[0]
    if operand is None or operand.data is None:
        return None
    return np.broadcast_to(operand.data, record.type[1])


def _slice_of(offset: int, size: int, stride: int) -> slice:
    end = offset + size * stride
    return slice(offset, None if end < 0 else end, stride)


def view_of(row: str, data: NumpyArray,
            attributes: Dict[str, Any]) -> NumpyArray:
    """The result of an operation of `VIEWS` on elements."""
    if row == "slice":
        return data[attributes["begin"]:attributes["end"]]
    if row == "reshape":
        return data.reshape(attributes["shape"])
    if row == "permute":
        return data.transpose(attributes["permutation"])
    return data[tuple(map(_slice_of, attributes["offsets"],
                          attributes["sizes"], attributes["strides"]))]


def _repeated(data: NumpyArray) -> Tuple[int, ...]:
    """The dimensions along which all elements are one in memory."""
    return tuple(i for i, (size, stride) in enumerate(
        zip(data.shape, data.strides)) if size > 1 and stride == 0)


def make_known(data: NumpyArray, tensor_type: TensorType,
               place: Place) -> Record:
    """A record of elements; repeated ones are not stored for a program."""
    if 0 not in data.strides or not (dims := _repeated(data)):
        return make_leaf(data, tensor_type, place)
    name, shape = tensor_type
    few = data[tuple(slice(1) if i in dims else slice(None)
                     for i in range(data.ndim))]
    operands = (make_leaf(few, (name, few.shape), place),)
    form = find_form("broadcast", operands, (("shape", shape),))
    return make_results(form, operands, place)[0]


def make_view(row: str, operands: Sequence[Optional[Record]],
              attributes: Attributes, result: TensorType,
              place: Place) -> Optional[Record]:
    """The result of an operation that is a view of what is known."""
    operand = operands[0] if row in VIEWS and operands else None
    if operand is None:
        return None
    data = known_elements(operand)
    if data is None or (row == "reshape" and operand.data is None):
        return None
    return make_known(view_of(row, data, dict(attributes)), result, place)
