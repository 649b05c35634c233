# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Records of operations on arrays."""

from __future__ import annotations

import functools
import itertools
import sys
import threading
import weakref
from types import CodeType, FrameType
from typing import (Any, Callable, Dict, List, Optional, Tuple, TypeVar,
                    cast)

from ..arrays import Array as NumpyArray
from ..positions import Position, printable
from ..tensor import Attributes, TensorType
from .empty_types import infer, lacks_elements

Place = Optional[Tuple[CodeType, int]]
"""Code and instruction of the user. Taken at each operation, unlike the line,
which takes a microsecond to find."""

_F = TypeVar("_F", bound=Callable[..., Any])

Holder = Optional["weakref.ref[Any]"]
Operands = Tuple[Optional["Record"], ...]


class Form:
    """A row of the table with attributes and types of operands.

    One object for each, so that programs are found by their forms' numbers.
    """

    __slots__ = ("number", "row", "attributes", "types", "lacks_elements")

    _numbers = itertools.count()

    def __init__(self, row: str, attributes: Attributes,
                 types: Tuple[TensorType, ...],
                 lacks_elements: bool = False) -> None:
        self.number = next(Form._numbers)
        self.row = row
        self.attributes = attributes
        self.types = types
        """Of the results."""
        self.lacks_elements = lacks_elements
        """An operand or a result is empty."""


_NOBODY: List["Record"] = []


class Record:
    """Elements, or the operation that computes them.

    ``form`` and ``operands`` go when ``data`` is computed.
    """

    __slots__ = ("form", "operands", "data", "type", "place", "depth", "holder",
                 "number", "siblings")

    form: Optional[Form]
    operands: Operands
    data: Optional[NumpyArray]
    type: TensorType
    place: Place
    depth: int
    """The most operations in a row that end here."""
    holder: Holder
    """The array of the user that this is for."""
    number: int
    """Which of the results of the form."""
    siblings: List["Record"]
    """All results of a form that has several."""

    def set_data(self, data: NumpyArray) -> None:
        """Forgets how the elements were computed."""
        self.data = data
        self.form, self.operands, self.depth = None, (), 0
        self.siblings = _NOBODY


def make_leaf(data: NumpyArray, tensor_type: TensorType,
              place: Place) -> Record:
    """A record of elements."""
    record = Record()
    record.form, record.operands, record.data = None, (), data
    record.type, record.place = tensor_type, place
    record.depth, record.number, record.holder = 0, 0, None
    record.siblings = _NOBODY
    return record


_is_ours: Dict[Any, bool] = {}
"""By the names of modules."""


def _check_module(name: Any) -> bool:
    ours = isinstance(name, str) and (name == "hamkaas" or
                                      name.startswith("hamkaas."))
    _is_ours[name] = ours
    return ours


class _Known(threading.local):
    place: Place = None


_known = _Known()


def at_one_place(function: _F) -> _F:
    """A function whose operations are all at the place of its call.

    So it is found once: it takes microseconds where calls are nested.
    """
    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        before = _known.place
        _known.place = before or user_place()
        try:
            return function(*arguments, **named)
        finally:
            _known.place = before

    return cast(_F, call)


def user_place() -> Place:
    """Where the user's program is now."""
    if _known.place is not None:
        return _known.place
    frame: Optional[FrameType] = sys._getframe(2)
    known = _is_ours
    while frame is not None:
        name = frame.f_globals.get("__name__")
        ours = known.get(name)
        if not (_check_module(name) if ours is None else ours):
            return frame.f_code, frame.f_lasti
        frame = frame.f_back
    return None


def position_of(place: Place) -> Position:
    """File and line of a place."""
    if place is None:
        return "<unknown>", 1
    code, instruction = place
    line = code.co_firstlineno
    for begin, end, number in code.co_lines():
        if begin <= instruction < end and number is not None:
            line = number
    return printable(code.co_filename), line


_Key = Tuple[Any, ...]


def _key(attributes: Attributes) -> _Key:
    """Tells apart what Python takes for equal: 0.0 and -0.0, 1 and 1.0."""
    return tuple([value.hex() if type(value) is float else type(value)
                  for _, value in attributes])


@functools.lru_cache(maxsize=1 << 16)
def _make_form(row: str, attributes: Attributes, key: _Key,
               operands: Tuple[Optional[TensorType], ...]) -> Form:
    types = infer(row, operands, attributes, [], ("<array>", 1))
    return Form(row, attributes, types, lacks_elements((*operands, *types)))


def find_form(row: str, operands: Operands,
              attributes: Attributes) -> Form:
    """The form of an operation, whose types are checked."""
    types = tuple([None if one is None else one.type for one in operands])
    try:
        return _make_form(row, attributes,
                          _key(attributes) if attributes else (), types)
    except ValueError:
        # The same again, for a message with positions.
        infer(row, types, attributes,
              [position_of(one.place) for one in operands if one is not None],
              position_of(user_place()))
        raise


def make_results(form: Form, operands: Operands,
                 place: Place) -> List[Record]:
    """The results of an operation."""
    depth = 0
    for operand in operands:
        if operand is not None and operand.depth > depth:
            depth = operand.depth
    results: List[Record] = []
    for number, tensor_type in enumerate(form.types):
        record = Record()
        record.form, record.operands, record.data = form, operands, None
        record.type, record.place = tensor_type, place
        record.depth, record.number, record.holder = depth + 1, number, None
        record.siblings = results if len(form.types) > 1 else _NOBODY
        results.append(record)
    return results
