# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of the compiler, built from the records that nodes are."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _native
from .arrays import Array
from .errors import HamKaasError
from .functions import Function
from .graph import (AFTER, ARGUMENT, CONSTANT, DRAW, GRADIENT, INPUT, NUMBER,
                    RESULT, LARGEST_LITERAL, SCAN, STATE, TRAINING, WRITE, Node,
                    visit)
from .inference import infer
from .loops import body_of, restore_body
from .positions import format_position
from .storage import Storage, Storages, View


def integer_attribute(node: Node, name: str) -> int:
    """The value of an attribute that is an integer."""
    value = dict(node._attributes)[name]
    assert isinstance(value, int)
    return value


def _text_attribute(node: Node, name: str) -> str:
    value = dict(node._attributes)[name]
    assert isinstance(value, str)
    return value


# Kinds of tensors for messages.
_KINDS = {INPUT: "inputs", CONSTANT: "constants", STATE: "states"}


def _check_names(nodes: Sequence[Node]) -> None:
    """Raises an error if two tensors of a kind have one name."""
    known: Dict[Tuple[str, str], Node] = {}
    for node in nodes:
        if node._name is None:
            continue
        other = known.setdefault((node._row, node._name), node)
        if other is not node:
            raise HamKaasError(
                f"{format_position(node._position)}: error: expected "
                f"{_KINDS[node._row]} of different names, got two called "
                f"{node._name!r}{node._name_hint}\n"
                f"{format_position(other._position)}: note: named here")


def name_tensors(nodes: Sequence[Node], prefix: str) -> Dict[int, str]:
    """The names of nodes of one kind, by their ids.

    Those without one are called ``prefix_0``, ``prefix_1``, ...
    """
    taken = {node._name for node in nodes}
    names: Dict[int, str] = {}
    number = 0
    for node in nodes:
        name = node._name
        if name is None:
            while f"{prefix}_{number}" in taken:
                number += 1
            name = f"{prefix}_{number}"
            number += 1
        names[id(node)] = name
    return names


@dataclasses.dataclass(frozen=True)
class Replay:
    """A graph of the compiler, and the data that it does not contain."""

    graph: _native.Graph
    constants: Dict[str, Array]
    """The contents of the parameters, by name."""


class _Tensors:
    """Constants and states, which the functions of a graph share."""

    def __init__(self, graph: _native.Graph, nodes: Sequence[Node],
                 same: Dict[int, Node]) -> None:
        """``same``: the nodes of which one among ``nodes`` is another one."""
        self.constants: Dict[str, Array] = {}
        self._graph = graph
        self._same = same
        self._values: Dict[int, int] = {}
        self._names: Dict[int, str] = {}
        for row, prefix in ((CONSTANT, "constant"), (STATE, "buffer")):
            of_kind = [node for node in nodes if node._row == row]
            self._names.update(name_tensors(of_kind, prefix))

    def add(self, node: Node) -> int:
        """The value of a constant or state, added once."""
        node = self._same.get(id(node), node)
        value = self._values.get(id(node))
        if value is None:
            value = self._values[id(node)] = self._add(node)
        return value

    def _add(self, node: Node) -> int:
        name, kind, position = self._names[id(node)], node._type, node._position
        if node._row == STATE:
            return self._add_state(name, node)
        assert node._data is not None
        self.constants[name] = node._data
        return self._graph.add_parameter(name, kind, position)

    def _add_state(self, name: str, node: Node) -> int:
        """With its contents, or how many bytes an instance is given."""
        contents: Union[None, bytes, int] = None
        if node._data is not None and node._data.size > LARGEST_LITERAL:
            self.constants[name] = node._data
            contents = node._data.nbytes
        elif node._data is not None:
            contents = node._data.tobytes()
        return self._graph.add_state(name, node._type, contents,
                                     node._position)


class _Builder:
    """Adds the nodes of a function in the order in which they are visited."""

    def __init__(self, graph: _native.Graph, nodes: Sequence[Node],
                 tensors: _Tensors) -> None:
        self.graph = graph
        self._nodes = nodes
        self._tensors = tensors
        self._views: Dict[int, View] = {}
        self._results: Dict[int, Tuple[int, ...]] = {}
        self._states: List[Tuple[Node, Storage, int]] = []
        self._storages = Storages(graph)
        # The blocks that are drawn of states, by the ids of their nodes.
        self._drawn: Dict[int, int] = {}

    def build(self) -> None:
        """Adds all nodes, and what states are at the end of a run."""
        for node in self._nodes:
            self._add(node)
        for node, storage, initial in self._states:
            if id(node) in self._drawn:
                self._advance(node, storage, initial)
            elif storage.contents != initial:
                self.graph.store_state(initial, storage.contents,
                                       node._position)

    def _advance(self, node: Node, storage: Storage, initial: int) -> None:
        """Stores a generator behind the blocks that are drawn of it."""
        position = node._position
        if storage.contents != initial:
            raise HamKaasError(
                f"{format_position(position)}: error: expected a generator of "
                "random numbers to be changed by draws alone, got rows that "
                "replace it")
        contents = self.graph.add_operation(
            "random_advance", [initial],
            (("blocks", self._drawn[id(node)]),), position, 1)
        assert isinstance(contents, int)
        self.graph.store_state(initial, contents, position)

    def read(self, node: Node) -> int:
        """The value of a node now."""
        return self._storages.read(self._views[id(node)])

    def _own(self, node: Node, value: int) -> Storage:
        storage = Storage(value, node._type[1], node._position)
        self._views[id(node)] = View(storage, 0, node._type[1], value,
                                     node._position)
        return storage

    def _add(self, node: Node) -> None:
        row = node._row
        if row in (INPUT, CONSTANT, STATE, NUMBER):
            self._own_tensor(node)
        elif row == RESULT:
            first = node._operands[0]
            number = integer_attribute(node, "number")
            self._own(node, self._results[id(first)][number])
        elif row == WRITE:
            self._write(node)
        elif row == SCAN:
            self._add_loop(node)
        elif row == GRADIENT:
            self._add_gradient(node)
        elif row == TRAINING:
            self._add_training_step(node)
        elif row == DRAW:
            self._add_draw(node)
        elif row == AFTER:
            assert node._operands[0] is not None
            self._own(node, self.read(node._operands[0]))
        elif row == ARGUMENT:
            raise HamKaasError(
                f"{format_position(node._position)}: error: expected the "
                "results of this loop, got a node of its body, which ends with "
                "it")
        else:
            self._add_operation(node)

    def _own_tensor(self, node: Node) -> None:
        kind, position = node._type, node._position
        if node._row == INPUT:
            self._own(node, self.graph.add_input(str(node._name), kind,
                                                 position))
        elif node._row == CONSTANT:
            self._own(node, self._tensors.add(node))
        elif node._row == STATE:
            value = self._tensors.add(node)
            self._states.append((node, self._own(node, value), value))
        else:
            assert node._data is not None
            self._own(node, self.graph.add_constant(
                kind, node._data.tobytes(), position))

    def _add_operation(self, node: Node) -> None:
        operands = [0 if operand is None else self.read(operand)
                    for operand in node._operands]
        types = infer(node._row, tuple([None if operand is None else
                                        operand._type
                                        for operand in node._operands]),
                      node._attributes, [], node._position)
        result = self.graph.add_operation(node._row, operands,
                                          node._attributes, node._position,
                                          len(types))
        if isinstance(result, tuple):
            self._results[id(node)] = result
            result = result[0]
        if node._row in ("reshape", "slice"):
            self._add_view(node, result)
        else:
            self._own(node, result)

    def _add_draw(self, node: Node) -> None:
        generator = node._operands[0]
        assert generator is not None
        end = integer_attribute(node, "offset") + integer_attribute(node,
                                                                    "blocks")
        self._drawn[id(generator)] = max(end, self._drawn.get(id(generator), 0))
        self._views[id(node)] = self._views[id(generator)]

    def _add_gradient(self, node: Node) -> None:
        y, seed, *xs = [0 if operand is None else self.read(operand)
                        for operand in node._operands]
        values = self.graph.add_gradient(y, seed, xs, node._position)
        self._results[id(node)] = tuple(values)
        self._own(node, values[0])

    def _add_training_step(self, node: Node) -> None:
        loss, rate, *states = [0 if operand is None else self.read(operand)
                               for operand in node._operands]
        self.graph.add_training_step(
            loss, _text_attribute(node, "optimizer"), rate, states,
            _text_attribute(node, "frozen"), node._position)
        self._own(node, loss)

    def _add_loop(self, node: Node) -> None:
        body = body_of(node)
        operands = [self.read(operand) for operand in node._operands
                    if operand is not None]
        given = body.carry_count + body.row_count
        values = self.graph.begin_scan(
            operands[:body.carry_count], operands[body.carry_count:given],
            body.steps, body.is_reversed, node._position)
        arguments, nodes, results = restore_body(body)
        inner = _Builder(self.graph, nodes, self._tensors)
        for argument, value in zip(arguments, values + operands[given:]):
            inner._own(argument, value)
        inner.build()
        values = self.graph.end_scan([inner.read(result) for result in results],
                                     node._position)
        self._results[id(node)] = tuple(values)
        self._own(node, values[0])

    def _add_view(self, node: Node, value: int) -> None:
        operand = node._operands[0]
        assert operand is not None
        whole = self._views[id(operand)]
        offset = whole.offset
        if node._row == "slice":
            row = node.size // node._type[1][0]
            offset += integer_attribute(node, "begin") * row
        self._views[id(node)] = View(whole.storage, offset, node._type[1],
                                     value, node._position)

    def _write(self, node: Node) -> None:
        operands = [self.read(operand) for operand in node._operands
                    if operand is not None]
        value = self._storages.apply("replace_slice", operands,
                                     node._attributes, node._position)
        target = node._operands[0]
        assert target is not None
        view = self._views[id(node)] = self._views[id(target)]
        self._storages.write(view, value, node._position)


Results = Sequence[Tuple[str, Node]]
"""Nodes, with the names that they get as outputs."""


def replay(results: Results) -> Replay:
    """The graph that ends in ``results``."""
    nodes = visit([node for _, node in results])
    _check_names(nodes)
    graph = _native.Graph()
    tensors = _Tensors(graph, nodes, {})
    _build(graph, nodes, tensors, results)
    return Replay(graph, tensors.constants)


def replay_functions(functions: Mapping[str, Function]) -> Replay:
    """The graph of several functions, by their names."""
    visited = []
    for function in functions.values():
        visited.append(visit([node for _, node in function.results]))
        _check_names(visited[-1])
    same = _find_same(visited)
    graph = _native.Graph()
    tensors = _Tensors(graph, list({
        id(node): node for nodes in visited for node in nodes
        if id(node) not in same}.values()), same)
    for (name, function), nodes in zip(functions.items(), visited):
        try:
            graph.begin_function(name)
        except HamKaasError as error:
            raise HamKaasError(f"{format_position(function.position)}: error: "
                               f"{error}") from None
        _build(graph, nodes, tensors, function.results)
    return Replay(graph, tensors.constants)


def _build(graph: _native.Graph, nodes: Sequence[Node], tensors: _Tensors,
           results: Results) -> None:
    builder = _Builder(graph, nodes, tensors)
    builder.build()
    graph.set_outputs([(name, builder.read(node)) for name, node in results])


#===------------------------------------------------------------------------===#
# Shared tensors
#===------------------------------------------------------------------------===#


def _find_same(functions: Sequence[Sequence[Node]]) -> Dict[int, Node]:
    """The constants and states that an earlier node is, too, by their ids."""
    known: Dict[object, Node] = {}
    same: Dict[int, Node] = {}
    for node in (node for nodes in functions for node in nodes):
        if node._row not in (CONSTANT, STATE):
            continue
        other = known.setdefault(_identify(node), node)
        if other is not node:
            _check_same(node, other)
            same[id(node)] = other
    return same


def _identify(node: Node) -> object:
    """Equal for nodes of one tensor."""
    if node._name is not None:
        return node._row, node._name
    if node._row == STATE or node._data is None:
        return id(node)
    return _address(node._data), node._type


def _address(data: Array) -> int:
    address: int = data.__array_interface__["data"][0]
    return address


def _check_same(node: Node, other: Node) -> None:
    """Raises an error if nodes of one name differ."""
    dtype, shape = node._type
    if node._type != other._type:
        expected = f"to be {other._type[0]} {list(other._type[1])}"
        got = f"{dtype} {list(shape)}"
    elif not _is_equal(node._data, other._data):
        expected, got = "to have the same elements", "others"
    else:
        return
    raise HamKaasError(
        f"{format_position(node._position)}: error: expected {node._name!r} "
        f"{expected} in all functions, got {got}\n"
        f"{format_position(other._position)}: note: named here")


def _is_equal(data: Optional[Array], other: Optional[Array]) -> bool:
    if data is None or other is None or _address(data) == _address(other):
        return (data is None) == (other is None)
    # By their bits: NaN equals itself.
    return bool(np.array_equal(data.reshape(-1).view(np.uint8),
                               other.reshape(-1).view(np.uint8)))
