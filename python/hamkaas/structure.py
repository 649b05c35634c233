# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tuples, lists and dictionaries of results, nested."""

from __future__ import annotations

import itertools
from typing import Any, Iterable, Iterator, List, Sequence, Tuple

from .graph import Node
from .positions import make_error

Structure = Any
"""A node, or a tuple, list or dictionary of structures."""


_MOST_LEVELS = 64


def check_nesting(structure: Structure) -> None:
    """Raises an error if a structure is nested deeper than the limit."""
    level = [structure]
    for _ in range(_MOST_LEVELS + 1):
        level = [part for one in level
                 if isinstance(one, (dict, tuple, list))
                 for part in (one.values() if isinstance(one, dict) else one)]
        if not level:
            return
    raise make_error("expected tuples, lists and dictionaries nested at most "
                     f"{_MOST_LEVELS} deep, got deeper ones")


def flatten(structure: Structure) -> Iterator[Tuple[str, Node]]:
    """The nodes and their names: keys and places, with dots between them.

    >>> import hamkaas as hk
    >>> x = hk.input("x", [2])
    >>> [name for name, _ in flatten({"y": x, "z": (x, x)})]
    ['y', 'z.0', 'z.1']
    """
    check_nesting(structure)
    return _flatten(structure, "")


def _flatten(structure: Structure, path: str) -> Iterator[Tuple[str, Node]]:
    if isinstance(structure, Node):
        yield path or "result", structure
        return
    if isinstance(structure, dict):
        for key, value in structure.items():
            if not isinstance(key, str):
                raise TypeError("expected names as keys of results, got "
                                f"{key!r}")
            yield from _flatten(value, f"{path}.{key}" if path else key)
    elif isinstance(structure, (tuple, list)):
        for i, value in enumerate(structure):
            yield from _flatten(value, f"{path or 'result'}.{i}")
    else:
        raise TypeError("expected a hamkaas.Node, or a tuple, list or "
                        "dictionary of nodes, got "
                        f"{type(structure).__name__}")


def is_part(outputs: Sequence[Tuple[Any, ...]]) -> bool:
    """True for one output that `flatten` named in a tuple or list."""
    return len(outputs) == 1 and str(outputs[0][0]).startswith("result.0")


def name_results(structure: Structure) -> List[Tuple[str, Node]]:
    """The nodes and their names. Raises an error if there are none."""
    results = list(flatten(structure))
    if not results:
        raise make_error(f"expected a result or more, got {structure!r}")
    return results


def skeleton(structure: Structure) -> Structure:
    """The structure without its nodes; None for one node."""
    return None if isinstance(structure, Node) else _rebuild(
        structure, itertools.repeat(None))


def unflatten(structure: Structure, values: Iterable[Any]) -> Structure:
    """``values`` in the places of the nodes."""
    return _rebuild(structure, iter(values))


def _rebuild(structure: Structure, values: Iterator[Any]) -> Structure:
    if isinstance(structure, dict):
        return {key: _rebuild(value, values)
                for key, value in structure.items()}
    if isinstance(structure, (tuple, list)):
        parts = [_rebuild(value, values) for value in structure]
        if isinstance(structure, list):
            return parts
        if hasattr(structure, "_fields"):
            return type(structure)(*parts)
        return tuple(parts)
    return next(values)
