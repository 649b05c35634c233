# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on empty arrays, or with such a result.

The compiler takes no tensors without elements, so these operations never get
into a program: their results are known when they are recorded.
"""

from __future__ import annotations

import math
from typing import Dict, List

import numpy as np

from ..positions import make_error
from ..tensor import TensorType
from .interchange import make_number
from .records import (Form, Operands, Place, Record, find_form, make_leaf,
                      make_results)
from .views import make_known

_OF_NOTHING: Dict[str, float] = {
    "mean": math.nan, "var": math.nan, "std": math.nan, "matmul": 0,
    "einsum": 0}

_COMBINED: Dict[str, float] = {"sum": 0, "prod": 1}


def _of_nothing(form: Form, operands: Operands) -> float:
    """Each element of a result that is computed of none."""
    combiner = str(dict(form.attributes).get("combiner"))
    is_reduction = form.row == "reduce"
    if is_reduction and combiner in _COMBINED:
        return _COMBINED[combiner]
    if is_reduction and form.types[0][0] == "bool":
        return combiner == "min"  # All of them are true, and not any.
    if form.row in _OF_NOTHING:
        return _OF_NOTHING[form.row]
    got = " and ".join(f"{one.type[0]} {list(one.type[1])}"
                       for one in operands if one is not None)
    raise make_error(f"'{combiner if is_reduction else form.row}': expected "
                     f"operands with elements, got {got}")


def _fill(value: float, tensor_type: TensorType, place: Place) -> Record:
    name, shape = tensor_type
    few = make_number(value, name, len(shape))
    if 0 in shape:
        return make_leaf(np.empty(shape, few.dtype), tensor_type, place)
    return make_known(np.broadcast_to(few, shape), tensor_type, place)


def _join(form: Form, operands: Operands, place: Place) -> Record:
    """The concatenation of the operands that have elements."""
    parts = tuple([one for one in operands
                   if one is not None and 0 not in one.type[1]])
    if len(parts) == 1 and parts[0].type == form.types[0]:
        return parts[0]
    rest = find_form(form.row, parts, form.attributes)
    return make_results(rest, parts, place)[0]


def answer(form: Form, operands: Operands, place: Place) -> List[Record]:
    """The results of an operation with an empty operand or result."""
    if all(0 in shape for _, shape in form.types):
        return [_fill(0, one, place) for one in form.types]
    if form.row == "concat":
        return [_join(form, operands, place)]
    value = _of_nothing(form, operands)
    return [_fill(value, one, place) for one in form.types]
