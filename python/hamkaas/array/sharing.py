# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views, through which the array that they are of is changed.

An array and its views refer to one `Shared`: the record of the whole. Each has
a record of its own too, and makes it again when the whole is another one than
it saw. So nobody has to know the views, and a view that is not looked at costs
nothing. A view is a view as for row-major elements: a reshape that needs a
copy of these is an array of its own.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Optional, Tuple

import numpy as np

from ..arrays import Array as NumpyArray
from ..tensor import Attributes
from .computation import compute_records
from .records import Record, make_leaf, user_place
from .views import view_of

if TYPE_CHECKING:
    from .array import Array

Steps = Optional[Tuple["Steps", str, Attributes]]
"""The operations that make a view of the whole, the last one first."""


class Shared:
    """The whole that an array and its views are of."""

    __slots__ = ("record",)

    def __init__(self, record: Record) -> None:
        self.record = record


def _count_references() -> int:
    """Those of an object with one owner, to a function with a variable of it.

    Python 3.14 counts fewer of them than others.
    """
    owner = [object()]
    owned = owner[0]
    return sys.getrefcount(owned)


_OF_ONE_OWNER = _count_references()


def share(view: "Array", x: "Array", row: str, attributes: Attributes) -> None:
    """Makes ``view``, the result of an operation on ``x``, a view of it."""
    if x._shared is None:
        x._shared, x._seen, x._steps = Shared(x._own), x._own, None
    view._shared, view._seen = x._shared, x._shared.record
    view._steps = x._steps, row, attributes


def release(x: "Array") -> Optional[Shared]:
    """The whole that ``x`` shares; None if nobody else does, now or before."""
    shared = x._shared
    if shared is not None and sys.getrefcount(shared) == _OF_ONE_OWNER:
        x._own = x._record
        x._shared = shared = None
    return shared


def _part(steps: Steps, data: NumpyArray) -> Optional[NumpyArray]:
    """The view of a whole; None if it takes a copy."""
    chain = []
    while steps is not None:
        chain.append(steps[1:])
        steps = steps[0]
    for row, attributes in reversed(chain):
        part = view_of(row, data, dict(attributes))
        if row == "reshape" and not np.may_share_memory(part, data):
            return None
        data = part
    return data


def _whole(shared: Shared) -> NumpyArray:
    compute_records([shared.record])
    data = shared.record.data
    assert data is not None
    return data


def look_again(x: "Array", shared: Shared) -> Record:
    """The record of ``x`` after a change of what it shares."""
    if x._steps is None:
        x._set(shared.record)
    else:
        part = _part(x._steps, np.ascontiguousarray(_whole(shared)))
        if part is None:
            x._shared = None
            return x._own
        x._set(make_leaf(part, x._type, user_place()))
    x._seen = shared.record
    return x._own


def _own(shared: Shared) -> NumpyArray:
    """The elements of the whole, in memory that nothing else refers to."""
    data = _whole(shared)
    record = shared.record
    is_alone = (data.base is None and data.flags.writeable and
                data.flags.owndata and data.flags.c_contiguous and
                sys.getrefcount(data) == _OF_ONE_OWNER and
                sys.getrefcount(record) == _OF_ONE_OWNER)
    if not is_alone:
        data = data.copy()
        shared.record = make_leaf(data, record.type, user_place())
    return data


def elements_to_change(x: "Array") -> NumpyArray:
    """Memory to write to, which changes ``x`` and what shares its elements."""
    current = x._record
    shared = release(x)
    if shared is not None and _part(x._steps, np.ascontiguousarray(
            _whole(shared))) is None:
        shared = None
    if shared is None:
        shared = x._shared = Shared(current)
        x._steps = None
    # It is made again when somebody looks at it.
    x._seen = None
    del x._own, current
    part = _part(x._steps, _own(shared))
    assert part is not None
    return part


def replace(x: "Array", record: Record) -> None:
    """Gives an array that is no view, and its views, other elements."""
    if release(x) is not None:
        assert x._shared is not None
        x._shared.record = x._seen = record
    x._set(record)
