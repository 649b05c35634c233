# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types of results, inferred by the compiler."""

from __future__ import annotations

import functools
from typing import Callable, Optional, Sequence, Tuple

from . import _native
from .errors import HamKaasError
from .positions import Position, format_position
from .tensor import Attributes, TensorType

_Operands = Tuple[Optional[TensorType], ...]

_Inference = Callable[[str, _Operands, Attributes], Tuple[TensorType, ...]]

# Messages name the places of at most so many operands.
_NOTES = 4


@functools.lru_cache(maxsize=1 << 16, typed=True)
def infer_types(row: str, operands: _Operands,
                attributes: Attributes) -> Tuple[TensorType, ...]:
    """The types of the results; errors have no positions."""
    return _native.infer_operation(row, operands, attributes)


def infer(row: str, operands: _Operands, attributes: Attributes,
          positions: Sequence[Position],
          position: Position,
          by: _Inference = infer_types) -> Tuple[TensorType, ...]:
    """The types of the results of an operation of the table.

    ``positions`` are those of the operands. Raises HamKaasError with the
    compiler's text at ``position``.
    """
    try:
        return by(row, operands, attributes)
    except (HamKaasError, OverflowError, RuntimeError) as error:
        text = str(error) if isinstance(error, HamKaasError) else \
            f"'{row}': expected attributes of 64 bits, got {attributes}"
        lines = [f"{format_position(position)}: error: {text}"]
        types = [one for one in operands if one is not None]
        for (name, shape), place in list(zip(types, positions))[:_NOTES]:
            lines.append(f"{format_position(place)}: note: defined here: "
                         f"{name} {list(shape)}")
        raise HamKaasError("\n".join(lines)) from None
