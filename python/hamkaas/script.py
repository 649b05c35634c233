# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs as text of the script language."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Tuple

from .arrays import Array, Shape
from .graph import CONSTANT, INPUT, NUMBER, Node, visit
from .inference import format_arguments
from .positions import Position


@dataclasses.dataclass(frozen=True)
class Script:
    """A graph as a script, and the data that scripts do not contain."""

    text: str
    """The statements, each on a line."""
    positions: List[Position]
    """For each line of the text the line of the user's program."""
    constants: Dict[str, Array]
    """The contents of the constants, by name."""
    inputs: Dict[str, Tuple[str, Shape]]
    """Element type and shape of the inputs, by name."""


def write_script(result: Node) -> Script:
    """The script of the graph that ends in ``result``.

    Held to version 1 of the language where the graph fits it.

    >>> import hamkaas as hk
    >>> print(write_script(hk.input("x", [2, 3]).relu()).text, end="")
    $1 = InputTensor(x, float32, [2, 3]);
    $2 = ReLUNode($1);
    result = $2;
    """
    if not isinstance(result, Node):
        raise TypeError(
            f"expected a hamkaas.Node, got {type(result).__name__}")
    nodes = visit(result)
    lines: List[str] = []
    positions = [node._position for node in nodes]
    if any(map(_needs_version_2, nodes)):
        lines.append("version = 2;")
        positions.insert(0, result._position)
    names = _name_tensors(nodes)
    ids: Dict[int, int] = {}
    for number, node in enumerate(nodes, 1):
        ids[id(node)] = number
        arguments = node._arguments
        if id(node) in names:
            arguments = (names[id(node)], *arguments)
        operands = [ids[id(operand)] for operand in node._operands]
        lines.append(f"${number} = {node._op}"
                     f"({format_arguments(operands, arguments)});")
    lines.append(f"result = ${len(nodes)};")
    positions.append(result._position)
    constants, inputs = {}, {}
    for node in nodes:
        if node._op == CONSTANT and node._data is not None:
            constants[names[id(node)]] = node._data
        elif node._op == INPUT:
            inputs[names[id(node)]] = (str(node._dtype), node._shape)
    return Script("\n".join(lines) + "\n", positions, constants, inputs)


def _needs_version_2(node: Node) -> bool:
    return (not 1 <= len(node._shape) <= 3 or
            node._op in ("RmsNormNode", NUMBER))


def _name_tensors(nodes: List[Node]) -> Dict[int, str]:
    """Names of inputs, constants and states by the ids of their nodes.

    Numbers the constants that were given none. States can do without.
    """
    names = {
        id(node): node._name for node in nodes if node._name is not None
    }
    taken = {node._name for node in nodes if node._op == CONSTANT}
    count = 0
    for node in nodes:
        if node._op != CONSTANT or node._name is not None:
            continue
        while f"constant_{count}" in taken:
            count += 1
        names[id(node)] = f"constant_{count}"
        count += 1
    return names
