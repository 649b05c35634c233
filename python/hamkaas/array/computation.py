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
        self.order: List[Record] = []
        self.inputs: List[NumpyArray] = []
        self.key: List[int] = []
        self.numbers: Dict[int, int] = {}
        self.results = list(wanted)
        self.wanted = {id(record) for record in wanted}

    def visit(self) -> None:
        """Depth first, left operand first; linear, however much is shared."""
        numbers, stack = self.numbers, self.results[::-1]
        while stack:
            record = stack[-1]
            if id(record) in numbers:
                stack.pop()
                continue
            waiting = len(stack)
            for one in reversed(record.operands):
                if one is not None and id(one) not in numbers:
                    stack.append(one)
            if len(stack) == waiting:
                stack.pop()
                self.add(record)

    def add(self, record: Record) -> None:
        """One more step."""
        numbers, key = self.numbers, self.key
        numbers[id(record)] = len(self.order)
        self.order.append(record)
        if record.data is not None:
            self.inputs.append(record.data)
            key.append(number_of_type(record.type))
            return
        form = record.form
        assert form is not None
        key.append(form.number)
        key.append(record.number)
        for one in record.operands:
            if one is not None:
                key.append(numbers[id(one)])
        if _is_held(record) and id(record) not in self.wanted:
            self.results.append(record)
        for one in record.siblings:
            if id(one) not in numbers and _is_held(one):
                self.add(one)

    def finish(self) -> Recording:
        """With the steps if a program is to be compiled of them."""
        results = [self.numbers[id(record)] for record in self.results]
        key = (*self.key, *results, len(results))
        model = PROGRAMS.find(key)
        steps = [] if model else [self.describe(one) for one in self.order]
        return Recording(key, model, steps, self.inputs, self.order, results)

    def describe(self, record: Record) -> Step:
        """A record as a step, by itself."""
        operands = tuple([None if one is None else self.numbers[id(one)]
                          for one in record.operands])
        return Step(record.type, record.form, record.number, operands,
                    record.place)


def _record(wanted: Sequence[Record]) -> Recording:
    """The pending operations, at one moment for all threads."""
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
        for step, data in zip(recording.results, results):
            recording.records[step].set_data(data)
