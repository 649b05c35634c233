# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes in place as new values.

`Node.replace` writes to the storage of its first operand. Reshapes and slices
of rows are views of the storage of theirs. A read sees what was written before
it in the order in which a graph is visited, as in the script language.
"""

from __future__ import annotations

import dataclasses
from typing import List, Tuple

import numpy as np

from . import _native
from .arrays import Shape
from .positions import Position
from .tensor import Attributes


@dataclasses.dataclass
class Storage:
    """A tensor that is no view of another."""

    contents: int
    """The value of the compiler's graph that it has now."""
    shape: Shape
    position: Position
    version: int = 0


class View:
    """A node, as elements of a storage in a row."""

    __slots__ = ("storage", "offset", "shape", "value", "version", "position")

    def __init__(self, storage: Storage, offset: int, shape: Shape, value: int,
                 position: Position) -> None:
        self.storage = storage
        self.offset = offset
        self.shape = shape
        self.value = value
        self.version = storage.version
        self.position = position


def _count(shape: Shape) -> int:
    number = 1
    for size in shape:
        number *= size
    return number


def _row_shape(view: View) -> Shape:
    """The shape of the storage if the view is some of its rows, else flat."""
    shape = view.storage.shape
    row = _count(shape[1:])
    if shape and view.offset % row == 0 and _count(view.shape) % row == 0:
        return shape
    return (_count(shape),)


class Storages:
    """Reads and writes views by operations of the compiler's graph."""

    def __init__(self, graph: _native.Graph) -> None:
        self._graph = graph

    def apply(self, row: str, operands: List[int], attributes: Attributes,
              position: Position) -> int:
        """Adds an operation with one result."""
        result = self._graph.add_operation(row, operands, attributes, position,
                                           1)
        assert isinstance(result, int)
        return result

    def _make_position(self, number: int, position: Position) -> int:
        """Adds a constant, a row's number."""
        return self._graph.add_constant(
            ("int64", (1,)), np.array([number], np.int64).tobytes(), position)

    def read(self, view: View) -> int:
        """The value of a view now."""
        storage = view.storage
        if view.version == storage.version:
            return view.value
        value, count = storage.contents, _count(view.shape)
        shape = storage.shape
        if count != _count(shape):
            rows = _row_shape(view)
            value = self._reshape(value, shape, rows, view.position)
            row = _count(rows[1:])
            begin, end = view.offset // row, (view.offset + count) // row
            value = self.apply("slice", [value],
                               (("begin", begin), ("end", end)),
                               view.position)
            shape = (end - begin, *rows[1:])
        view.value = self._reshape(value, shape, view.shape, view.position)
        view.version = storage.version
        return view.value

    def write(self, view: View, value: int, position: Position) -> None:
        """Sets the elements of a view, also for the other ones."""
        storage, count = view.storage, _count(view.shape)
        view.value = value
        shape = view.shape
        if count != _count(storage.shape):
            value, shape = self._write_rows(view, value, position)
        storage.contents = self._reshape(value, shape, storage.shape, position)
        storage.version += 1
        view.version = storage.version

    def _write_rows(self, view: View, value: int,
                    position: Position) -> Tuple[int, Shape]:
        storage, rows = view.storage, _row_shape(view)
        target = self._reshape(storage.contents, storage.shape, rows, position)
        row = _count(rows[1:])
        begin, number = view.offset // row, _count(view.shape) // row
        value = self._reshape(value, view.shape, (number, *rows[1:]), position)
        # The places are right by construction.
        written = self.apply(
            "replace_slice",
            [target, value, self._make_position(begin, position),
             self._make_position(begin + number, position)],
            (("unchecked", True),), position)
        return written, rows

    def _reshape(self, value: int, given: Shape, shape: Shape,
                 position: Position) -> int:
        if given == shape:
            return value
        return self.apply("reshape", [value], (("shape", shape),), position)
