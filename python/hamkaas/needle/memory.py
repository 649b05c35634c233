# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elements of tensors: known, or recorded and computed when looked at.

What is recorded belongs to `hamkaas.array`, which finds the program of a
structure again. Here it is decided which elements are computed together: those
that somebody looks at, and with them all that the program is going to need and
that a step would compute again otherwise.
"""

from __future__ import annotations

import itertools
import sys
import weakref
from typing import Any, Iterable, List, Optional

import numpy as np

from ..array.array import Array
from ..array.computation import compute_records
from ..array.interchange import as_elements
from ..array.records import Record, make_leaf, user_place
from ..array_api.manipulation import reshape
from ..arrays import Array as NumpyArray
from ..arrays import Shape

_DEEPEST = 600
"""The most operations in a row that wait; then all tensors are computed."""

_numbers = itertools.count()


class Memory:
    """The elements of a tensor, shared by all tensors and views of them.

    A record of elements never changes. Whoever writes gets memory of their own,
    of which operations take a copy as long as somebody else has it.
    """

    __slots__ = ("_record", "_own", "_is_pinned", "_keeper", "_number",
                 "__weakref__")

    _record: Record
    _own: Optional[NumpyArray]
    """The elements, if they may be written to."""
    _is_pinned: bool
    """Somebody knows the address."""
    _keeper: Optional[Array]
    """Present as long as programs that pass by store the elements."""

    def __init__(self, record: Record) -> None:
        self._record, self._own, self._is_pinned = record, None, False
        self._keeper = None
        self._number = next(_numbers)
        if record.data is None:
            _alive[self._number] = self
            if record.depth > _DEEPEST:
                compute(_list(_alive))

    @staticmethod
    def of(array: Array) -> "Memory":
        """The elements that an array records."""
        return Memory(array._record)

    @staticmethod
    def of_elements(data: NumpyArray) -> "Memory":
        """Elements that nobody else changes."""
        data, name = as_elements(data)
        return Memory(make_leaf(data, (name, data.shape), user_place()))

    # For operations.

    def record(self) -> Record:
        """The record of the elements as they are now."""
        if self._own is not None:
            data = self._own
            if self._is_pinned or sys.getrefcount(data) > _OF_TWO_OWNERS:
                return make_leaf(data.copy(), self._record.type, user_place())
            self._record = make_leaf(data, self._record.type, user_place())
            self._own = None
        return self._record

    def array(self, shape: Shape) -> Array:
        """The elements as an array of a shape, for one operation."""
        array = borrow(self.record())
        return array if array._type[1] == shape else reshape(array, shape)

    @property
    def name(self) -> str:
        """The name of the element type."""
        return self._record.type[0]

    @property
    def size(self) -> int:
        """The number of elements."""
        count = 1
        for length in self._record.type[1]:
            count *= length
        return count

    @property
    def is_known(self) -> bool:
        """No computation is due."""
        return self._own is not None or self._record.data is not None

    # For readers and writers.

    def elements(self) -> NumpyArray:
        """The elements, for reading."""
        if self._own is not None:
            return self._own
        if self._record.data is None:
            compute([self])
        data = self._record.data
        assert data is not None
        return data

    def expose(self) -> NumpyArray:
        """The elements, to be written to by whoever has them."""
        if self._own is None:
            self._own = np.array(self.elements(), order="C")
        return self._own

    def ptr(self) -> int:
        """The address of the elements."""
        self._is_pinned = True
        return self.expose().ctypes.data

    # Elements that programs store.

    def end(self) -> None:
        """Lets the next program compute the elements, unless an operation takes
        them before."""
        if not self.is_known:
            _ends[self._number] = self

    def go_on(self) -> None:
        """Takes `end` back."""
        _ends.pop(self._number, None)

    def keep(self) -> None:
        """Lets programs that compute the elements on their way store them."""
        if not self.is_known:
            self._keeper = Array._of(self._record)

    def drop(self) -> None:
        """Takes `keep`, `want` and `end` back."""
        self._keeper = None
        self.go_on()
        _wanted.pop(self._number, None)
        _gradients.pop(self._number, None)

    def want_gradient(self) -> None:
        """As `want`, but for programs of steps: they use gradients up."""
        if not self.is_known:
            _gradients[self._number] = self

    def want(self) -> None:
        """Lets the next program compute the elements."""
        if not self.is_known:
            _wanted[self._number] = self


_alive: "weakref.WeakValueDictionary[int, Memory]" = \
    weakref.WeakValueDictionary()
"""All that is not computed, from the last step on."""
_wanted: "weakref.WeakValueDictionary[int, Memory]" = \
    weakref.WeakValueDictionary()


_gradients: "weakref.WeakValueDictionary[int, Memory]" = \
    weakref.WeakValueDictionary()
"""Those of tensors that no operation made."""
_ends: "weakref.WeakValueDictionary[int, Memory]" = \
    weakref.WeakValueDictionary()
"""Of which nothing is made yet; whoever has them is going to look."""


class _Owner:
    """Counts references as `Memory.record` does."""

    __slots__ = ("data",)

    def __init__(self) -> None:
        self.data = object()

    def count(self) -> int:
        data = self.data
        return sys.getrefcount(data)


_OF_TWO_OWNERS = _Owner().count()


def borrow(record: Record) -> Array:
    """An array that does not make programs store its elements."""
    array: Array = object.__new__(Array)
    array._shared = None
    array._own, array._type = record, record.type
    return array


def _list(registry: "weakref.WeakValueDictionary[int, Memory]") \
        -> List[Memory]:
    """All of them, also where others come and go meanwhile."""
    found = [reference() for reference in registry.valuerefs()]
    return [memory for memory in found if memory is not None]


def compute(memories: Iterable[Memory], is_step: bool = False) -> None:
    """Computes elements, and all that is wanted, by one program."""
    chosen = {memory._number: memory for memory in memories}
    registries = (_wanted, _ends) if is_step else (_wanted, _ends, _gradients)
    for registry in registries:
        chosen.update({memory._number: memory for memory in _list(registry)})
    ordered: List[Memory] = [chosen[number] for number in sorted(chosen)]
    compute_records([memory._record for memory in ordered])
    for registry in (_wanted, _ends, _gradients):
        registry.clear()
    for memory in ordered:
        memory._keeper = None
        _alive.pop(memory._number, None)
    if is_step:
        # Nobody is going to need the rest of the step.
        _alive.clear()


def copy_elements(value: Any, dtype: Any = None) -> NumpyArray:
    """A row-major copy of what numpy takes for an array."""
    return np.array(value, dtype=dtype, order="C")
