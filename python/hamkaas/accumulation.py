# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of batches that are computed part by part."""

from __future__ import annotations

import operator
from typing import Any, Callable, Dict, List, Optional, Sequence, Set

from .array_api.creation import Creation
from .gradients import custom_gradient, gradient
from .graph import AFTER, ARGUMENT, STATE, Node, visit
from .loops import make_body_nodes, scan
from .positions import format_position, make_error, user_position
from .structure import Structure, flatten, unflatten

Loss = Callable[..., Node]
"""Makes the loss of a part of the batch."""


def accumulate(loss: Loss, batch: Structure, parts: int,
               states: Sequence[Node]) -> Node:
    """The mean of the losses of parts, in a loop that adds up the gradients.

    The gradients of the result are those sums, so that no more than the
    activations of one part are in memory. They are known for ``states``, or for
    all of floats that the loss depends on.
    """
    count = operator.index(parts)
    inputs = [node for _, node in flatten(batch)]
    rows = [_cut(node, count) for node in inputs]
    arguments = [Node._record(ARGUMENT, (), (),
                              (node._type[0], node._type[1][1:]),
                              user_position()) for node in rows]
    with make_body_nodes():
        part = call_loss(loss, unflatten(batch, arguments))
    _check_loss(part)
    trained = list(states) or _find_states(part)
    if not trained:
        raise make_error("expected a loss that depends on a state of floats, "
                         "got one that depends on none")
    total, sums = _loop(part, arguments, rows, trained, count)

    def attach(*_: Node) -> Any:
        return total, lambda g: tuple([
            g.reshape([]).astype(x._type[0]) * slope.astype(x._type[0])
            for x, slope in zip(trained, sums)])

    return custom_gradient(attach)(*trained)


def _cut(node: Node, count: int) -> Node:
    """The parts of an input, as rows."""
    shape = node._type[1]
    if count < 1:
        raise make_error(f"expected at least one micro-batch, got {count}")
    if not shape or shape[0] % count:
        rows = f"rows that {count} micro-batches divide"
        raise make_error(
            f"expected a batch of {rows}, got {node._type[0]} {list(shape)}"
            f"{' without rows' if not shape else ''}\n"
            f"{format_position(node._position)}: note: defined here")
    return node.reshape([count, shape[0] // count, *shape[1:]])


def call_loss(loss: Loss, parts: Structure) -> Node:
    """The loss of a batch, or of a part of it."""
    if isinstance(parts, dict):
        return loss(**parts)
    if isinstance(parts, (tuple, list)):
        return loss(*parts)
    return loss(parts)


def _check_loss(part: object) -> None:
    if not isinstance(part, Node):
        raise TypeError("expected the loss of a micro-batch to be a node, got "
                        f"{type(part).__name__}")
    dtype, shape = part._type
    if "float" not in dtype or part.size != 1:
        raise make_error("expected the loss of a micro-batch to be one float, "
                         f"got {dtype} {list(shape)}")


def _differentiable_operands(node: Node) -> Sequence[Optional[Node]]:
    """The operands that a gradient may pass to."""
    if node._row == "stop_gradient":
        return ()
    if node._row == "custom_gradient":
        return node._operands[2:2 + (len(node._operands) - 2) // 2]
    return node._operands[:1] if node._row == AFTER else node._operands


def _find_states(loss: Node) -> List[Node]:
    """The states that the loss depends on by floats, in the graph's order."""
    found: Set[int] = set()
    stack = [loss]
    while stack:
        node = stack.pop()
        if id(node) not in found and "float" in node._type[0]:
            found.add(id(node))
            stack.extend([operand for operand in _differentiable_operands(node)
                          if operand is not None])
    return [node for node in visit([loss])
            if node._row == STATE and id(node) in found]


def _accumulated_type(dtype: str) -> str:
    return dtype if dtype == "float64" else "float32"


def _loop(part: Node, arguments: Sequence[Node], rows: Sequence[Node],
          states: Sequence[Node], count: int) -> Any:
    """The mean loss, and the gradients of it by the states."""
    def step(carry: Any, given: Any) -> Any:
        total, sums = carry
        inside = [_bring_in(state, given[0]) for state in states]
        stands = dict(zip(map(id, [*arguments, *states]), [*given, *inside]))
        mean = _substitute(part, stands) / count
        slopes = gradient(mean, inside)
        added = [old + new.astype(old._type[0])
                 for old, new in zip(sums, slopes)]
        return (total + mean, added), None

    creation = Creation(Node)
    init = (creation.zeros(part.shape, dtype=part._type[0]),
            [creation.zeros(state.shape,
                            dtype=_accumulated_type(state._type[0]))
             for state in states])
    (total, sums), _ = scan(step, init, list(rows))
    return total, sums


def _bring_in(state: Node, row: Node) -> Node:
    """The state as a node of the loop's body.

    What is made of it alone is in the body then, too; gradients would not see
    it outside.
    """
    return Node._record(AFTER, (state, row), (), state._type, state._position)


def _substitute(result: Node, stands: Dict[int, Node]) -> Node:
    """``result`` of other nodes in place of those that ``stands`` has."""
    for node in visit([result]):
        if id(node) not in stands and any(id(operand) in stands
                                          for operand in node._operands):
            operands = tuple([None if operand is None
                              else stands.get(id(operand), operand)
                              for operand in node._operands])
            stands[id(node)] = Node._record(
                node._row, operands, node._attributes, node._type,
                node._position, node._name, node._data)
    return stands.get(id(result), result)
