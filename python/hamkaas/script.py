# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs as text of the script language."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Tuple, Union

from . import ops
from .arrays import Array, Shape
from .functions import Function, name_functions
from .graph import (CONSTANT, INPUT, NUMBER, RESULT, SCAN, STATE, WRITE, Node,
                    visit)
from .positions import Position
from .replay import name_tensors, replay, replay_functions
from .statements import Argument, format_arguments
from .tensor import Attribute


@dataclasses.dataclass(frozen=True)
class Script:
    """A graph as a script, and the data that scripts do not contain."""

    text: str
    """The statements, each on a line."""
    positions: List[Position]
    """For each line of the text the line of the user's program.

    That of the result for all, if the graph has compositions of operations.
    """
    constants: Dict[str, Array]
    """The contents of the constants, by name."""
    inputs: Dict[str, Tuple[str, Shape]]
    """Element type and shape of the inputs, by name.

    Those of one of several functions begin with its name: ``decode.x``.
    """


# The operators of version 1, whose attributes have no names. Elements are
# float32 where the second entry is true.
_OPERATORS = {
    "add": ("SumNode", True),
    "mul": ("HadamardProductNode", True),
    "matmul": ("MatMulNode", True),
    "relu": ("ReLUNode", True),
    "silu": ("SiLUNode", True),
    "complex_mul": ("ComplexHadamardProductNode", True),
    "rms_norm": ("RMSNormNode", True),
    "sliced_softmax": ("SlicedSoftmaxNode", True),
    "slice": ("SliceNode", False),
    "reshape": ("ReshapeNode", False),
    "permute": ("PermuteNode", False),
    WRITE: ("ReplaceSliceNode", False),
}

# In a script these write to their first operand; as operations they do not.
_WRITES = ("replace_slice", "scatter")


def write_script(result: Union[Node, Dict[str, Function]]) -> Script:
    """The script of the graph that ends in ``result``.

    Held to version 1 of the language where the graph fits it. A dictionary of
    `hamkaas.function` becomes a script of version 3.

    >>> import hamkaas as hk
    >>> print(write_script(hk.input("x", [2, 3]).relu()).text, end="")
    $1 = InputTensor(x, float32, [2, 3]);
    $2 = ReLUNode($1);
    result = $2;
    """
    functions = name_functions(result, taken=())
    if functions is not None:
        return _describe_functions(functions)
    if not isinstance(result, Node):
        raise TypeError("expected a hamkaas.Node, or functions by their names, "
                        f"got {type(result).__name__}")
    nodes = visit([result])
    if any(map(_is_beyond_version_2, nodes)):
        return _describe(result, nodes)
    return _Writer(nodes).write()


def _is_beyond_version_2(node: Node) -> bool:
    """A composition, contents of a state, or what one line cannot hold."""
    return (node._row in ops.COMPOSITIONS or node._row in (RESULT, SCAN) or
            (node._row == STATE and node._data is not None) or
            any(operand is None for operand in node._operands))


def _describe(result: Node, nodes: List[Node]) -> Script:
    """The script of the compiler, in which compositions are operations."""
    built = replay([("result", result)])
    text = built.graph.describe()
    inputs = {str(node._name): node._type for node in nodes
              if node._row == INPUT}
    return Script(text, [result._position] * text.count("\n"),
                  built.constants, inputs)


def _describe_functions(functions: Dict[str, Function]) -> Script:
    built = replay_functions(functions)
    text = built.graph.describe()
    inputs = {f"{name}.{node._name}": node._type
              for name, function in functions.items()
              for node in visit([result for _, result in function.results])
              if node._row == INPUT}
    position = next(iter(functions.values())).position
    return Script(text, [position] * text.count("\n"), built.constants, inputs)


def _is_parameter(node: Node) -> bool:
    """Scripts hold numbers, but no lists of elements."""
    return node._row == CONSTANT or (
        node._row == NUMBER and node._data is not None and
        node._data.size != 1)


def _has_operator(node: Node) -> bool:
    """Whether version 1 has an operator for the node."""
    known = _OPERATORS.get(node._row)
    if known is None:
        return False
    names = {attribute for attribute, _ in node._attributes}
    return (not names & {"unchecked", "epsilon", "type"} and
            (not known[1] or node._type[0] == "float32"))


def _needs_version_2(node: Node) -> bool:
    name, shape = node._type
    if not 1 <= len(shape) <= 3 or name not in ("float32", "int64"):
        return True
    if node._row in (INPUT, STATE) or _is_parameter(node):
        return False
    return not _has_operator(node) or (node._row == "rms_norm" and
                                       len(shape) != 1)


def _format(value: Attribute) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(list(value)) if isinstance(value, tuple) else str(value)


class _Writer:

    def __init__(self, nodes: List[Node]) -> None:
        self._nodes = nodes
        self._lines: List[str] = []
        self._positions: List[Position] = []
        self._ids: Dict[int, int] = {}
        self._next = 1
        self._parameters = name_tensors(
            list(filter(_is_parameter, nodes)), "constant")

    def write(self) -> Script:
        result = self._nodes[-1]
        if any(map(_needs_version_2, self._nodes)):
            self._lines.append("version = 2;")
            self._positions.append(result._position)
        for node in self._nodes:
            self._ids[id(node)] = self._add(self._write(node), node._position)
        self._lines.append(f"result = ${self._ids[id(result)]};")
        self._positions.append(result._position)
        constants = {self._parameters[id(node)]: node._data
                     for node in self._nodes
                     if _is_parameter(node) and node._data is not None}
        inputs = {str(node._name): node._type for node in self._nodes
                  if node._row == INPUT}
        return Script("\n".join(self._lines) + "\n", self._positions,
                      constants, inputs)

    def _add(self, text: str, position: Position) -> int:
        self._lines.append(f"${self._next} = {text};")
        self._positions.append(position)
        self._next += 1
        return self._next - 1

    def _write(self, node: Node) -> str:
        if not node._operands and node._row in (INPUT, STATE, CONSTANT, NUMBER):
            return self._write_tensor(node)
        operands = [self._ids[id(operand)] for operand in node._operands]
        if _has_operator(node):
            values: List[Argument] = [value  # type: ignore[misc]
                                      for _, value in node._attributes]
            operator = _OPERATORS[node._row][0]
            if operator == "RMSNormNode" and len(node._type[1]) != 1 and \
                    node._version == 2:
                operator = "RmsNormNode"  # Not held to one dimension.
            return f"{operator}({format_arguments(operands, values)})"
        if node._row in _WRITES:
            operands[0] = self._copy(node)
        texts = [f"${operand}" for operand in operands]
        texts += [f"{name} = {_format(value)}"
                  for name, value in node._attributes]
        camel = "".join(part.capitalize() for part in node._row.split("_"))
        return f"{camel}Node({', '.join(texts)})"

    def _write_tensor(self, node: Node) -> str:
        dtype, shape = node._type
        kind, name = node._row, node._name
        if kind == NUMBER and not _is_parameter(node):
            assert node._data is not None
            number = _format_number(node._data, dtype)
            return f"{NUMBER}({number}, {dtype}, {list(shape)})"
        if _is_parameter(node):
            kind, name = CONSTANT, self._parameters[id(node)]
        known = f"{name}, " if name is not None else ""
        return f"{kind}({known}{dtype}, {list(shape)})"

    def _copy(self, node: Node) -> int:
        """The first operand in storage of its own."""
        target = node._operands[0]
        assert target is not None
        order = list(range(len(target._type[1])))
        return self._add(f"PermuteNode(${self._ids[id(target)]}, {order})",
                         node._position)


def _format_number(data: Array, dtype: str) -> str:
    if dtype == "bfloat16":
        bits = data.view("<u2").astype("<u4") << 16
        data = bits.view("<f4")
    value = data.reshape(-1)[0]
    return str(bool(value)).lower() if dtype == "bool" else str(value)
