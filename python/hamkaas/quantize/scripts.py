# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scripts whose parameters become blocks of few bits."""

from __future__ import annotations

import dataclasses
import re
from typing import Dict, List, Match, Sequence

from ..compilation import load
from ..state import PathLike
from .files import Outputs
from .report import Report
from .weights import Choice, write_weights

__all__ = ["narrow_script"]

# Statements as the compiler prints them, each on a line. A name of version 3
# has its quotes and backslashes.
_PARAMETER = re.compile(
    r'( *)\$(\d+) = (?:ConstantTensor\((\w+)|parameter\("((?:[^"\\]|\\.)+)"), '
    r"float32, \[(\d+), (\d+)\]\);")
_PRODUCT = re.compile(r"(?:MatMulNode|matmul)\(\$\d+, \$(\d+)\)")
_ID = re.compile(r"\$(\d+)")
_NAME_OR_ID = re.compile(r'"(?:[^"\\]|\\.)*"|\$(\d+)')


def narrow_script(source: PathLike, weights: PathLike, output: PathLike,
                  data: PathLike, choice: Choice, report: Report) -> None:
    """Writes a script, and its weights to the GGUF file ``data``."""
    lines = load(source, weights=weights).graph.script.splitlines()
    parameters: Dict[str, Match[str]] = {}
    for line in lines:
        found = _PARAMETER.fullmatch(line)
        if found:
            parameters[_name_of(found)] = found
    rights = {id_ for line in lines for id_ in _PRODUCT.findall(line)}
    # Rows of blocks are columns of the right side of a product.
    by_columns = {name: found[2] in rights
                  for name, found in parameters.items()}
    with Outputs() as outputs:
        shapes = write_weights(weights, outputs, data, choice, report,
                               by_columns)
        narrow = [_Narrow(found, shapes[name], by_columns[name])
                  for name, found in parameters.items() if name in shapes]
        text = "\n".join(_rewrite(lines, narrow, choice.format)) + "\n"
        outputs.open(output).write(text.encode())


@dataclasses.dataclass
class _Narrow:
    """A parameter that becomes bytes."""

    found: Match[str]
    shape: List[int]
    is_transposed: bool


def _rewrite(lines: Sequence[str], narrow: Sequence[_Narrow],
             format: str) -> List[str]:
    """The script that decodes parameters.

    In a script of several functions, each one decodes those that it uses.
    """
    free = 1 + max(int(id_) for line in lines for id_ in _ID.findall(line))
    has_functions = any(line.startswith("function ") for line in lines)
    by_line = {parameter.found[0]: parameter for parameter in narrow}
    written = [] if lines[0].startswith("version") else ["version = 2;"]
    numbers: Dict[str, str] = {}
    for index, line in enumerate(lines):
        used: List[_Narrow] = []
        if line in by_line:
            used = [by_line[line]]
            written.append(_parameter(used[0]))
        else:
            written.append(_replace(line, numbers))
        if line.startswith("function "):
            end = lines.index("}", index)
            ids = {id_ for inner in lines[index:end]
                   for id_ in _ID.findall(inner)}
            used = [parameter for parameter in narrow
                    if parameter.found[2] in ids]
        elif has_functions:
            continue
        for parameter in used:
            indent = "  " if has_functions else ""
            for statement in _decode(parameter, format, free):
                written.append(indent + statement)
            free += parameter.is_transposed + 1
            numbers[parameter.found[2]] = str(free - 1)
    return written


def _replace(line: str, numbers: Dict[str, str]) -> str:
    """A statement with other ids, which are not in its names."""
    return _NAME_OR_ID.sub(
        lambda found: f"${numbers.get(found[1], found[1])}" if found[1] else
        found[0], line)


def _parameter(parameter: _Narrow) -> str:
    found = parameter.found
    call = f"ConstantTensor({found[3]}" if found[3] else \
        f'parameter("{found[4]}"'
    return f"{found[1]}${found[2]} = {call}, uint8, {parameter.shape});"


def _decode(parameter: _Narrow, format: str, free: int) -> List[str]:
    """Statements of which the last is what the parameter was."""
    id_, is_old = parameter.found[2], bool(parameter.found[3])
    decode = f"DequantizeBlocksNode(${id_}, format = {format});" if is_old \
        else f"dequantize_blocks(${id_}, format={format});"
    permute = f"PermuteNode(${free}, [1, 0]);" if is_old else \
        f"permute(${free}, permutation=[1, 0]);"
    statements = [f"${free} = {decode}"]
    if parameter.is_transposed:
        statements.append(f"${free + 1} = {permute}")
    return statements


def _name_of(found: Match[str]) -> str:
    return found[3] or re.sub(r"\\(.)", r"\1", found[4])
