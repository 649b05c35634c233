# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations of the table by their names, for `hamkaas.ops`."""

from __future__ import annotations

import operator
from typing import Any, Dict, Optional, Sequence, Tuple

from .array_api.promotion import check_dtype
from .arrays import shape_of
from .graph import Node
from .tensor import Attribute, ElementType, T, Tensor, make_all, make_in

Given = Tuple[Tuple[str, str, Any], ...]
"""Name, kind and value of each attribute; None for one that is left out."""


def _read(name: str, kind: str, value: Any) -> Attribute:
    """The value of an attribute as the compiler takes it."""
    try:
        if kind == "integer":
            return operator.index(value)
        if kind == "flag":
            return bool(value)
        if kind == "real":
            return float(value)
        if kind == "number":
            return value if isinstance(value, float) else operator.index(value)
    except (OverflowError, TypeError, ValueError):
        raise TypeError(f"expected '{name}' to be a number, got "
                        f"{value!r}") from None
    if kind == "integers":
        return shape_of(value)
    if kind == "type":
        return ElementType(check_dtype(value))
    if not isinstance(value, str):
        raise TypeError(f"expected '{name}' to be a {kind}, got {value!r}")
    return value


def _read_all(given: Given) -> Dict[str, Attribute]:
    return {name: _read(name, kind, value) for name, kind, value in given
            if value is not None and not (kind == "flag" and not value)}


def apply_all(row: str, operands: Sequence[Optional[T]],
              given: Given) -> Tuple[T, ...]:
    """The results of an operation."""
    for operand in operands:
        if operand is not None and not isinstance(operand, Tensor):
            raise TypeError(f"expected the operands of '{row}' to be tensors, "
                            f"got {type(operand).__name__}; see "
                            "hamkaas.constant")
    return make_all(row, operands, _read_all(given))


def apply(row: str, operands: Sequence[Optional[T]], given: Given) -> T:
    """The result of an operation that has one."""
    return apply_all(row, operands, given)[0]


def create(row: str, given: Given) -> Node:
    """The result of an operation without operands."""
    return make_in(Node, row, _read_all(given))
