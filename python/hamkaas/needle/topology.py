# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The order of values in a graph, and which of them somebody has."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Dict, List, Sequence, Set

if TYPE_CHECKING:
    from .autograd import Value


def find_topo_sort(node_list: Sequence[Value]) -> List[Value]:
    """The values and all that they are made of: depth first, inputs first."""
    visited: Set[Value] = set()
    order: List[Value] = []
    for node in node_list:
        topo_sort_dfs(node, visited, order)
    return order


def topo_sort_dfs(node: Value, visited: Set[Value],
                  topo_order: List[Value]) -> None:
    """Appends what is not in ``visited`` to ``topo_order``."""
    if node in visited:
        return
    visited.add(node)
    stack = [(node, iter(node.inputs))]
    while stack:
        current, inputs = stack[-1]
        for one in inputs:
            if one not in visited:
                visited.add(one)
                stack.append((one, iter(one.inputs)))
                break
        else:
            stack.pop()
            topo_order.append(current)


def want_held(order: List[Value]) -> None:
    """Lets programs store the values that not only others are made of.

    Somebody has them and may look at them after a step.
    """
    uses: Dict[int, int] = {}
    for node in order:
        for one in node.inputs:
            uses[id(one)] = uses.get(id(one), 0) + 1
    for node in order:
        if node.op is not None and node._data is not None and \
                sys.getrefcount(node) > _OF_LISTED + uses.get(id(node), 0):
            for part in node._each():
                part.memory.want()


def _count_listed() -> int:
    """References to an object that only a list has, in a loop over that."""
    for one in [object()]:
        return sys.getrefcount(one)
    raise AssertionError


_OF_LISTED = _count_listed()
