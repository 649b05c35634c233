# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Loops over rows: nodes with a body."""

from __future__ import annotations

import contextlib
import dataclasses
import operator
import threading
from typing import (Any, Callable, Dict, Iterator, List, Optional, Sequence,
                    Set, Tuple, cast)

from .arrays import as_dense, is_array
from .errors import HamKaasError
from .graph import (ARGUMENT, RESULT, SCAN, WRITE, Node, Record, check_shape,
                    record, restore, visit)
from .positions import Position, format_position, make_error, user_position
from .structure import Structure, check_nesting, flatten, skeleton, unflatten
from .tensor import Attributes, TensorType


@dataclasses.dataclass(frozen=True, eq=False)
class Body:
    """One step of a loop, apart from the graph around it.

    The first operands of its node are handed on from step to step, then come
    those that have rows, then those that all steps use.
    """

    carry_count: int
    row_count: int
    steps: int
    is_reversed: bool
    records: Tuple[Record, ...]
    """Arguments, one for each operand, then what is made of them."""
    results: Tuple[int, ...]
    """The numbers of the next carry, then of rows."""


def body_of(node: Node) -> Body:
    """The body of a loop."""
    body = dict(node._attributes)["body"]
    assert isinstance(body, Body)
    return body


class _Bodies(threading.local):
    """How many bodies of loops are being made, one in the other."""

    depth = 0


_bodies = _Bodies()


def is_in_body() -> bool:
    """True while the body of a loop is made."""
    return _bodies.depth > 0


@contextlib.contextmanager
def make_body_nodes() -> Iterator[None]:
    """Nodes that are made meanwhile belong to the body of a loop."""
    _bodies.depth += 1
    try:
        yield
    finally:
        _bodies.depth -= 1


def scan(f: Callable[[Any, Any], Tuple[Any, Any]], init: Structure,
         xs: Structure = None, length: Optional[int] = None,
         reverse: bool = False) -> Tuple[Any, Any]:
    """A loop over the rows of tensors, by the rules of ``jax.lax.scan``.

    ``f(carry, x)`` is one step, and is called once. It returns the carry of the
    next step, with the types of ``init``, and a row of each further result.
    ``x`` is a row of each node of ``xs``: a slice at one index of its first
    dimension. The rows are those of the ``length`` steps from the first to the
    last, or from the last to the first with ``reverse``.

    ``init``, ``xs`` and what ``f`` returns are nodes, arrays, or tuples, lists
    and dictionaries of them, or None for nothing. The body may use nodes from
    outside; its own end with it. Returns the last carry, and the rows of all
    steps.

    >>> import hamkaas as hk, numpy as np
    >>> x = hk.input("x", [4, 2])
    >>> def step(total, row):
    ...     total = total + row
    ...     return total, total
    >>> total, sums = hk.scan(step, np.zeros(2, "float32"), x)
    >>> total.shape, sums.shape
    ((2,), (4, 2))
    """
    position = user_position()
    init, xs = _convert(init), _convert(xs)
    inits, inputs = _list(init), _list(xs)
    steps = _count_steps(inputs, length)
    types = [node._type for node in inits] + [
        (node._type[0], node._type[1][1:]) for node in inputs]
    arguments = [Node._record(ARGUMENT, (), (), kind, position)
                 for kind in types]
    with make_body_nodes():
        returned = f(_fill(init, arguments[:len(inits)]),
                     _fill(xs, arguments[len(inits):]))
    carry, ys = _split(returned)
    _check_carry(init, carry)
    results = _list(carry) + _list(ys)
    inside, captured = _separate(arguments, results)
    stands = arguments + captured + inside
    numbers = {id(node): number for number, node in enumerate(stands)}
    records = [record(Node._record(ARGUMENT, (), (), node._type, position), {})
               for node in arguments + captured]
    body = Body(len(inits), len(inputs), steps, bool(reverse),
                tuple(records + [record(node, numbers) for node in inside]),
                tuple([numbers[id(node)] for node in results]))
    made = _make(body, inits + inputs + captured, results, position)
    return (_fill(carry, made[:len(inits)]), _fill(ys, made[len(inits):]))


def _convert(structure: Structure) -> Structure:
    """With constants in place of arrays."""
    check_nesting(structure)
    return _with_constants(structure)


def _with_constants(structure: Structure) -> Structure:
    if isinstance(structure, dict):
        return {key: _with_constants(value)
                for key, value in structure.items()}
    if isinstance(structure, (tuple, list)):
        return unflatten(structure, [
            node for part in structure
            for node in _list(_with_constants(part))])
    if is_array(structure):
        return Node._make_constant(as_dense(structure), True)
    return structure


def _list(structure: Structure) -> List[Node]:
    return [] if structure is None else [node for _, node in flatten(structure)]


def _fill(structure: Structure, nodes: Sequence[Node]) -> Structure:
    return None if structure is None else unflatten(structure, nodes)


def _format(kind: TensorType) -> str:
    return f"{kind[0]} {list(kind[1])}"


def _count_steps(inputs: Sequence[Node], length: Optional[int]) -> int:
    steps = None if length is None else operator.index(length)
    for node in inputs:
        if not node.shape or steps not in (None, node.shape[0]):
            rows = "rows" if steps is None else f"{steps} rows"
            raise make_error(f"expected tensors of {rows} in xs, got "
                             f"{_format(node._type)}")
        steps = node.shape[0]
    if steps is None or steps < 1:
        raise make_error("expected a length of at least 1, or xs, got "
                         f"{length}")
    return steps


def _split(returned: object) -> Tuple[Structure, Structure]:
    """The carry and the rows, with constants in place of arrays."""
    if not isinstance(returned, tuple) or len(returned) != 2:
        raise make_error("expected f to return a tuple of the next carry and "
                         f"rows of results, got {type(returned).__name__}")
    return _convert(returned[0]), _convert(returned[1])


def _check_carry(init: Structure, carry: Structure) -> None:
    expected, got = _list(init), _list(carry)
    if (init is None) != (carry is None) or \
            skeleton(init) != skeleton(carry):
        raise make_error("expected f to return a carry of the structure of "
                         f"init, {_describe(init)}, got {_describe(carry)}")
    for first, node in zip(expected, got):
        if first._type != node._type:
            raise make_error(
                f"expected f to return a carry of {_format(first._type)}, as "
                f"init has it, got {_format(node._type)}\n"
                f"{format_position(node._position)}: note: defined here")


def _describe(structure: Structure) -> str:
    """E.g. ``(float32 [2], None)``."""
    if isinstance(structure, Node):
        return _format(structure._type)
    if isinstance(structure, dict):
        return "{" + ", ".join(f"{key!r}: {_describe(value)}"
                               for key, value in structure.items()) + "}"
    if isinstance(structure, (tuple, list)):
        parts = ", ".join(_describe(part) for part in structure)
        return f"[{parts}]" if isinstance(structure, list) else f"({parts})"
    return str(structure)


def _separate(arguments: Sequence[Node], results: Sequence[Node]) \
        -> Tuple[List[Node], List[Node]]:
    """The nodes that depend on arguments, and those that they use."""
    known: Set[int] = {id(node) for node in arguments}
    inside: List[Node] = []
    for node in visit(results):
        if any(id(operand) in known for operand in node._operands):
            inside.append(node)
            known.add(id(node))
    outside: Dict[int, Node] = {}
    used = [operand for node in inside for operand in node._operands
            if operand is not None]
    for node in used + list(results):
        if id(node) not in known:
            outside[id(node)] = node
    for node in inside:
        _check_write(node, known)
    return inside, list(outside.values())


def _check_write(node: Node, inside: Set[int]) -> None:
    """Raises an error for a write to what is outside."""
    if node._row != WRITE:
        return
    target = node
    while target._row in (WRITE, "reshape", "slice"):
        assert target._operands[0] is not None
        target = target._operands[0]
    if id(target) not in inside:
        raise HamKaasError(
            f"{format_position(node._position)}: error: expected rows of a "
            "value of the loop's body to be replaced, got one from outside, "
            "which may be a part of the carry\n"
            f"{format_position(target._position)}: note: defined here")


def _make(body: Body, operands: List[Node], results: Sequence[Node],
          position: Position) -> List[Node]:
    """The results of the loop."""
    types = [node._type for node in results[:body.carry_count]] + [
        (node._type[0], (body.steps, *node._type[1]))
        for node in results[body.carry_count:]]
    if not types:
        raise make_error("expected a carry or rows of results, got none")
    for kind in types:
        try:
            check_shape(kind[1])
        except HamKaasError as error:
            raise make_error(str(error)) from None
    first = Node._record(SCAN, tuple(operands),
                         cast(Attributes, (("body", body),)), types[0],
                         position)
    return [first] + [
        Node._record(RESULT, (first,), (("number", number),), kind, position)
        for number, kind in enumerate(types) if number > 0]


def restore_body(body: Body) -> Tuple[List[Node], List[Node], List[Node]]:
    """The arguments, the other nodes in order, and the results."""
    nodes = restore(body.records)
    count = sum(node._row == ARGUMENT for node in nodes)
    return nodes[:count], nodes[count:], [nodes[i] for i in body.results]
