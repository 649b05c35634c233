# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The class of arrays that compute when they are looked at."""

from __future__ import annotations

import operator
import weakref
from typing import Any, Iterator, Optional, Sequence, Tuple

import numpy as np

from ..array_api import indexing
from ..arrays import Array as NumpyArray
from ..positions import make_error
from ..tensor import Attributes, Tensor, TensorType
from .assignment import assign, pick
from .computation import LARGEST_DEPTH, compute_records
from .empty import answer
from .inplace import InPlaceOperators
from .interchange import (CPU, as_elements, check_device, export,
                          make_number)
from .records import (Operands, Record, find_form, make_leaf, make_results,
                      user_place)
from .sharing import (Shared, Steps, look_again, release, replace, share)
from .views import VIEWS, make_view

VERSION = "2024.12"
"""Of the standard."""


def _record_of(operand: Optional[Tensor]) -> Optional[Record]:
    if operand is None:
        return None
    if isinstance(operand, Array):
        return operand._record
    raise TypeError(f"expected an array, got {operand!r}, which has no "
                    "elements; hamkaas.constant makes a node of an array")


class Array(InPlaceOperators):
    """An array whose operations are recorded and computed when it is looked at.

    Made by `asarray`, `zeros` and so on. It has the operators and methods of
    the Python array API standard. Operations check shapes and types, and record
    themselves. Looking at elements (printing, `numpy`, ``float(x)``, ``if x:``)
    computes all that is recorded for them by one program, which serves each
    computation of its structure.

    >>> import hamkaas.array as xp
    >>> x = xp.asarray([[1.0, 2.0], [3.0, 4.0]])
    >>> y = (x - xp.mean(x)) * 2
    >>> y
    Array([[-3., -1.],
           [ 1.,  3.]], dtype=float32)
    >>> if y[1, 1] > 2:
    ...     print(f"{y[1, 1]:.2f}")
    3.00
    """

    __slots__ = ("_own", "_type", "_shared", "_seen", "_steps", "__weakref__")

    # numpy leaves `array + Array` to us.
    __array_ufunc__ = None

    _own: Record
    _shared: Optional[Shared]
    _seen: Optional[Record]
    """The record of what is shared of which `_own` was made."""
    _steps: Steps

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("arrays are made by hamkaas.array.asarray, zeros and "
                        "the other functions")

    # How arrays are made.

    @classmethod
    def _of(cls, record: Record) -> "Array":
        array: Array = object.__new__(cls)
        array._shared = None
        array._set(record)
        return array

    @property
    def _record(self) -> Record:
        shared = self._shared
        if shared is None or shared.record is self._seen:
            return self._own
        return look_again(self, shared)

    def _set(self, record: Record) -> None:
        self._own, self._type = record, record.type
        if record.data is None:
            record.holder = weakref.ref(self)

    def _replace(self, result: Any) -> "Array":
        if result is NotImplemented:
            return result  # type: ignore[no-any-return]
        self._check(result)
        self._record.holder = None
        if release(self) is not None and self._steps is not None:
            assign(self, ..., result)
        else:
            replace(self, result._record)
        return self

    @classmethod
    def _of_elements(cls, data: NumpyArray) -> "Array":
        """An array of elements that nobody changes."""
        data, name = as_elements(data)
        return cls._of(make_leaf(data, (name, data.shape), user_place()))

    @classmethod
    def _make(cls, row: str, operands: Sequence[Optional[Tensor]],
              attributes: Attributes) -> Tuple[Tensor, ...]:
        records: Operands = tuple([_record_of(one) for one in operands])
        form = find_form(row, records, attributes)
        place = user_place()
        if form.lacks_elements:
            return tuple([cls._of(one)
                          for one in answer(form, records, place)])
        view = make_view(row, records, attributes, form.types[0], place)
        made = [view] if view else make_results(form, records, place)
        if made[0].depth > LARGEST_DEPTH:
            compute_records([one for one in records if one is not None], place)
            made = make_results(form, records, place)
        arrays = tuple([cls._of(record) for record in made])
        if row in VIEWS:
            whole: Any = operands[0]
            share(arrays[0], whole, row, attributes)
        return arrays

    @classmethod
    def _make_splat(cls, value: Any, tensor_type: TensorType) -> "Array":
        name, shape = tensor_type
        few = (1,) * len(shape)
        data = make_number(value, name, len(shape))
        x = cls._of(make_leaf(data, (name, few), user_place()))
        if shape == few:
            return x
        made = cls._make("broadcast", [x], (("shape", shape),))
        return made[0]  # type: ignore[return-value]

    @classmethod
    def _make_constant(cls, array: NumpyArray, is_literal: bool) -> "Array":
        # Copied if others may change it, as it is read later.
        if not is_literal and array.flags.writeable:
            array = array.copy()
        return cls._of_elements(array)

    # Elements.

    def _elements(self) -> NumpyArray:
        """The elements, which nobody may change."""
        record = self._record
        if record.data is None:
            release(self)
            compute_records([record])
            assert record.data is not None
        return record.data

    def numpy(self) -> NumpyArray:
        """The elements as an array of numpy.

        It shares the memory of this one, and cannot be written to:
        ``numpy.array(x)`` makes a copy that can.
        """
        data = self._elements().view()
        data.flags.writeable = False
        return data

    def __array__(self, dtype: Any = None,
                  copy: Optional[bool] = None) -> NumpyArray:
        data = self.numpy()
        if dtype is not None and np.dtype(dtype) != data.dtype:
            if copy is False:
                raise ValueError(f"expected the type {data.dtype}, as no copy "
                                 f"shall be made, got {np.dtype(dtype)}")
            return data.astype(dtype)
        return data.copy() if copy else data

    def item(self) -> Any:
        """The element of an array of one, as a number of Python."""
        if self.size != 1:
            raise make_error("expected an array of one element, got "
                             f"{list(self.shape)}")
        return self._elements().item()

    def tolist(self) -> Any:
        """The elements as numbers of Python, in lists of lists."""
        return self._elements().tolist()

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        if self.dtype.kind not in "iu" or self.shape:
            raise TypeError(f"expected an integer, got {self._type[0]} "
                            f"{list(self.shape)}")
        return operator.index(self.item())

    def __iter__(self) -> Iterator["Array"]:
        length = len(self)
        compute_records([self._record])
        return (self[i] for i in range(length))

    def __repr__(self) -> str:
        text = np.array2string(self._elements(), separator=", ",
                               prefix="Array(")
        # Brackets alone do not tell it.
        shape = f"shape={self.shape}, " if self.ndim > 1 and \
            0 in self.shape else ""
        return f"Array({text}, {shape}dtype={self.dtype})"

    def __str__(self) -> str:
        return str(self._elements())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    # Elements by index.

    def __getitem__(self, key: Any) -> "Array":
        if (chosen := pick(self, key)) is not None:
            return chosen
        return indexing.get_item(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        assign(self, key, value)

    # Devices and other libraries.

    @property
    def device(self) -> str:
        """Where the elements are: "cpu"."""
        return CPU

    def to_device(self, device: str, /, *, stream: None = None) -> "Array":
        """The array on a device, which is "cpu"."""
        check_device(device)
        return self

    def __array_namespace__(self, /, *,
                            api_version: Optional[str] = None) -> Any:
        if api_version not in (None, VERSION, "2023.12", "2022.12", "2021.12"):
            raise ValueError(f"expected a version of the standard up to "
                             f"{VERSION}, got {api_version!r}")
        import hamkaas.array
        return hamkaas.array

    def __dlpack__(self, *, stream: None = None,
                   max_version: Optional[Tuple[int, int]] = None,
                   dl_device: Optional[Tuple[int, int]] = None,
                   copy: Optional[bool] = None) -> Any:
        return export(self._elements(), stream, max_version, dl_device, copy)

    def __dlpack_device__(self) -> Tuple[int, int]:
        return 1, 0

    # Copies.

    def __copy__(self) -> "Array":
        return Array._of(self._record)

    def __deepcopy__(self, memo: Any) -> "Array":
        return Array._of(self._record)

    def __reduce__(self) -> Tuple[Any, ...]:
        return Array._of_elements, (np.array(self._elements()),)


def compute(*arrays: Array) -> Tuple[Array, ...]:
    """Computes what is recorded for all of them, by one program.

    Returns the arrays.

    >>> import hamkaas.array as xp
    >>> x = xp.asarray([3.0, 4.0])
    >>> low, high = xp.compute(xp.min(x), xp.max(x))
    """
    for array in arrays:
        if not isinstance(array, Array):
            raise TypeError("expected arrays, got "
                            f"{type(array).__name__}")
    compute_records([array._record for array in arrays])
    return arrays
