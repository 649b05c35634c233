# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records operations on floats that need no conversion.

Most operations are such. The functions of the array API check more and take
longer.
"""

from __future__ import annotations

from typing import Any, List, Optional, Sequence

from ..array.interchange import make_number
from ..array.records import (Record, find_form, make_leaf, make_results,
                             user_place)
from .elements import Data
from .memory import Memory

_FLOATS = frozenset(["float32", "float64"])


def record_row(row: str, data: Sequence[Any],
               scalar: Any = None) -> Optional[Data]:
    """The result of an operation of the table on tensors and a number.

    None where an operand has to be converted or repeated, is empty or wrong.
    """
    first: Data = data[0]
    name, rank = first.memory.name, len(first.shape)
    if name not in _FLOATS or (row == "matmul" and rank != 2):
        return None
    records: List[Record] = []
    for one in data:
        record = one.memory.record()
        if record.type[0] != name or record.type[1] != one.shape:
            return None
        if one.shape != first.shape and (row != "matmul" or
                                         len(one.shape) != 2):
            return None
        records.append(record)
    place = user_place()
    if scalar is not None:
        records.append(make_leaf(make_number(scalar, name, rank),
                                 (name, (1,) * rank), place))
    form = find_form(row, tuple(records), ())
    if form.lacks_elements:
        return None
    made = make_results(form, tuple(records), place)[0]
    return Data(Memory(made), made.type[1], first.device)
