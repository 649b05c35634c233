# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statements of the script language, and the types of their results."""

from __future__ import annotations

import functools
import re
from typing import Sequence, Tuple, Union

from . import _native
from .errors import HamKaasError
from .positions import Position, format_position
from .tensor import TensorType

Argument = Union[int, str, Tuple[int, ...]]
"""An argument behind the operands of a statement: a number, name or list."""

_DIAGNOSTIC = re.compile(r".*?:(\d+):\d+: (error|warning|note): (.*)")
_VERSION_2 = "version = 2;\n"


def format_arguments(operands: Sequence[int],
                     arguments: Sequence[Argument]) -> str:
    """The arguments of a statement: nodes by their ids, then the others.

    >>> format_arguments([1, 7], [3, (4, 5)])
    '$1, $7, 3, [4, 5]'
    """
    texts = [f"${operand}" for operand in operands]
    for argument in arguments:
        texts.append(str(list(argument)) if isinstance(argument, tuple)
                     else str(argument))
    return ", ".join(texts)


@functools.lru_cache(maxsize=4096)
def _infer(version: int, op: str, operands: Tuple[TensorType, ...],
           arguments: Tuple[Argument, ...]) -> TensorType:
    lines = [
        f"${i} = InputTensor(x{i}, {dtype}, {list(shape)});"
        for i, (dtype, shape) in enumerate(operands)
    ]
    result = len(operands)
    text = format_arguments(range(result), arguments)
    lines += [f"${result} = {op}({text});", f"result = ${result};"]
    header = _VERSION_2 if version == 2 else ""
    return _native.infer_result(header + "\n".join(lines))


def infer_statement(version: int, op: str, operands: Tuple[TensorType, ...],
                    arguments: Tuple[Argument, ...],
                    positions: Sequence[Position],
                    position: Position) -> TensorType:
    """The type of what ``op`` makes, by the rules of a version of the script.

    ``positions`` are those of the operands. Raises HamKaasError with the
    compiler's text at ``position``.
    """
    try:
        return _infer(version, op, operands, arguments)
    except HamKaasError as error:
        # The first line is the version, or the first operand.
        places = ([position] if version == 2 else []) + [*positions, position]
        raise HamKaasError(_translate(str(error), places, position)) from None


def _translate(text: str, places: Sequence[Position],
               position: Position) -> str:
    """The messages in ``text`` at places of the user's program.

    Leaves out what the compiler quotes of the script, which nobody wrote.
    """
    lines = []
    for match in filter(None, map(_DIAGNOSTIC.fullmatch, text.splitlines())):
        number, severity, message = match.groups()
        place = places[int(number) - 1] if int(number) <= len(places) \
            else position
        lines.append(f"{format_position(place)}: {severity}: {message}")
    return "\n".join(lines) or f"{format_position(position)}: error: {text}"
