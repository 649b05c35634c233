# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The programs of recorded operations, found again by their structure.

A structure is the forms of the operations and how they hang together, the types
of the arrays that they begin with, and which results are wanted. Values are
inputs of the program. The least recently used programs are dropped; their code
stays in the cache of compiled code.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import threading
from collections import OrderedDict
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple

from ..arrays import Array as NumpyArray
from ..compilation import compile_shared
from ..errors import HamKaasError
from ..graph import INPUT, RESULT, Node
from ..model import Model
from ..positions import format_position
from ..tensor import TensorType
from .records import Form, Place, Record, position_of
from .sites import count_compilation

_MOST_PROGRAMS = 1024

# The file of programs whose line 1 + n is their step n.
_FILE = "<array>"


class Step(NamedTuple):
    """An array that a program begins with, or one of its operations."""

    type: TensorType
    form: Optional[Form]
    number: int
    """Which result of the form."""
    operands: Tuple[Optional[int], ...]
    """Earlier steps."""
    place: Place


class Recording(NamedTuple):
    """The pending operations at one moment."""

    key: Tuple[int, ...]
    model: Optional[Model]
    """If it is compiled."""
    steps: List[Step]
    """If it is not."""
    inputs: List[NumpyArray]
    records: List[Record]
    """Those of the steps."""
    results: List[int]
    """The steps whose elements are wanted."""


_numbers = itertools.count(1)


@functools.lru_cache(maxsize=1 << 16)
def number_of_type(tensor_type: TensorType) -> int:
    """Below zero, unlike the numbers of forms."""
    return -next(_numbers)


@functools.lru_cache(maxsize=64)
def _input_names(count: int) -> Tuple[str, ...]:
    return tuple(f"x{i}" for i in range(count))


def _make_nodes(recording: Recording) -> List[Node]:
    """The graph that a recording is."""
    nodes: List[Node] = []
    names = iter(_input_names(len(recording.inputs)))
    firsts: dict[Tuple[int, Tuple[Optional[int], ...]], Node] = {}
    for line, step in enumerate(recording.steps, 1):
        position = _FILE, line
        if step.form is None:
            nodes.append(Node._record(INPUT, (), (), step.type, position,
                                      next(names)))
            continue
        # Several results of one operation.
        identity = id(step.form), step.operands
        first = firsts.get(identity) if len(step.form.types) > 1 else None
        if first is None:
            operands = tuple([None if one is None else nodes[one]
                              for one in step.operands])
            first = Node._record(step.form.row, operands, step.form.attributes,
                                 step.form.types[0], position)
            firsts[identity] = first
        nodes.append(first if step.number == 0 else Node._record(
            RESULT, (first,), (("number", step.number),), step.type, position))
    return nodes


def _translate(error: HamKaasError, records: Sequence[Record]) -> HamKaasError:
    """An error with the lines of the user in place of steps."""
    def line_of(match: "re.Match[str]") -> str:
        number = int(match.group(1)) - 1
        place = records[number].place if number < len(records) else None
        return format_position(position_of(place))

    return HamKaasError(re.sub(rf"{re.escape(_FILE)}:(\d+)", line_of,
                               str(error)))


class Programs:
    """Models by their structures."""

    def __init__(self) -> None:
        self._models: OrderedDict[Tuple[int, ...], Model] = OrderedDict()
        self.lock = threading.RLock()
        os.register_at_fork(after_in_child=self._renew_lock)

    def _renew_lock(self) -> None:
        self.lock = threading.RLock()

    def find(self, key: Tuple[int, ...]) -> Optional[Model]:
        """The model of a structure, if there is one."""
        model = self._models.get(key)
        if model is not None:
            self._models.move_to_end(key)
        return model

    def _compile(self, recording: Recording, place: Place) -> Model:
        count_compilation(place, recording.steps)
        nodes = _make_nodes(recording)
        model = compile_shared([nodes[result] for result in recording.results],
                               "array")
        with self.lock:
            self._models[recording.key] = model
            if len(self._models) > _MOST_PROGRAMS:
                self._models.popitem(last=False)
        return model

    def run(self, recording: Recording, place: Place) -> Sequence[Any]:
        """The elements that are wanted."""
        try:
            model = recording.model or self._compile(recording, place)
            names = _input_names(len(recording.inputs))
            results: Sequence[Any] = model._run_all(
                0, dict(zip(names, recording.inputs)), None)
        except HamKaasError as error:
            raise _translate(error, recording.records) from None
        return results

    def clear(self) -> None:
        """Forgets all programs."""
        with self.lock:
            self._models.clear()


PROGRAMS = Programs()
