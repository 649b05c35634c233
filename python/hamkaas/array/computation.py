# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes what is recorded."""

from __future__ import annotations

from typing import Dict, List, Optional, Sequence

from ..arrays import Array as NumpyArray
from .programs import PROGRAMS, Recording, Step, number_of_type
from .records import Place, Record, user_place
from .views import known_elements

LARGEST_DEPTH = 1000
"""Longer chains of operations are computed in parts, by one program each."""


def _is_held(record: Record) -> bool:
    """Tells whether the user has an array of these elements.

    Not of repeated ones: a program that needs them does not store them.
    """
    holder = record.holder
    return (holder is not None and holder() is not None and
            record.form is not None and record.form.row != "broadcast")


class _Recorder:
    """Lists records, operands first."""

    def __init__(self, wanted: Sequence[Record]) -> None:
        self.steps: List[Step] = []
        self.inputs: List[NumpyArray] = []
        self.key: List[int] = []
        self.numbers: Dict[int, int] = {}
        self.records = list(wanted)
        self.wanted = {id(record) for record in wanted}

    def visit(self) -> None:
        """Depth first, left operand first; linear, however much is shared."""
        numbers = self.numbers
        stack = self.records[::-1]
        while stack:
            record = stack[-1]
            if id(record) not in numbers:
                waiting = [one for one in record.operands
                           if one is not None and id(one) not in numbers]
                if waiting:
                    stack.extend(waiting[::-1])
                    continue
                self.add(record)
            stack.pop()

    def add(self, record: Record) -> None:
        """One more step."""
        self.numbers[id(record)] = len(self.steps)
        if record.data is not None:
            self.inputs.append(record.data)
            self.key.append(number_of_type(record.type))
            self.steps.append(Step(record.type, None, 0, (), record.place))
            return
        operands = tuple([None if one is None else self.numbers[id(one)]
                          for one in record.operands])
        form = record.form
        assert form is not None
        self.key.append(form.number)
        self.key.append(record.number)
        self.key.extend([one for one in operands if one is not None])
        self.steps.append(Step(record.type, form, record.number, operands,
                               record.place))
        if id(record) not in self.wanted and _is_held(record):
            self.records.append(record)
        for one in record.siblings:
            if id(one) not in self.numbers and _is_held(one):
                self.add(one)

    def finish(self) -> Recording:
        results = [self.numbers[id(record)] for record in self.records]
        self.key.extend(results)
        self.key.append(len(results))
        return Recording(tuple(self.key), self.steps, self.inputs,
                         self.records, results)


def _record(wanted: Sequence[Record]) -> Recording:
    with PROGRAMS.lock:
        recorder = _Recorder(wanted)
        recorder.visit()
        return recorder.finish()


def _select(records: Sequence[Record]) -> List[Record]:
    """Those that need a program, each once."""
    selected: Dict[int, Record] = {}
    for record in records:
        if record.data is None:
            data = known_elements(record)
            if data is None:
                selected[id(record)] = record
            else:
                record.set_data(data)
    return list(selected.values())


def compute_records(records: Sequence[Record],
                    place: Optional[Place] = None) -> None:
    """Computes the elements of all, by one program."""
    wanted = _select(records)
    if not wanted:
        return
    recording = _record(wanted)
    results = PROGRAMS.run(recording, place or user_place())
    with PROGRAMS.lock:
        for record, data in zip(recording.records, results):
            record.set_data(data)
