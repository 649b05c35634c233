# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on tuples of tensors."""

from __future__ import annotations

from typing import Any, Dict, Sequence, Tuple

import numpy as np

from ...array.array import Array
from ...array_api import elementwise
from ...positions import make_error
from ..autograd import Tensor, TensorOp, TensorTuple, TensorTupleOp, Value
from ..elements import Data
from ..memory import Memory


class MakeTensorTuple(TensorTupleOp):
    """A tuple of its inputs."""

    @staticmethod
    def _forward(*args: Array) -> Tuple[Array, ...]:
        return args

    @staticmethod
    def _take(data: Sequence[Any]) -> Tuple[Any, ...]:
        return tuple(data)

    def gradient(self, out_grad: Any, node: Any) -> Tuple[Value, ...]:
        return tuple([out_grad[i] for i in range(len(out_grad))])


def make_tuple(*args: Tensor) -> TensorTuple:
    """A tuple of tensors."""
    return MakeTensorTuple()(*args)


class _OnePart(TensorTuple):
    """The gradient of a tuple of which one part has a gradient.

    The others are zeros, which are made where somebody looks: a tuple of many
    parts has as many such gradients.
    """

    _index: int
    _gradient: Tensor
    _like: Tuple[Data, ...]

    def __len__(self) -> int:
        return len(self._like)

    def _whole(self) -> TensorTuple:
        return _gather(self._like, {self._index: self._gradient})

    def _parts(self) -> Any:
        if self._data is None:
            self._data = self._whole()._parts()
        return self._data

    def __getitem__(self, index: int) -> Tensor:
        return self._whole()[index]


def _gather(like: Sequence[Data], parts: Dict[int, Tensor]) -> TensorTuple:
    """A tuple of gradients, with zeros where there is none."""
    return _TupleGradient()(*[parts[i] if i in parts else _zeros_like(one)
                              for i, one in enumerate(like)])


def _zeros_like(value: Data) -> Tensor:
    zeros = np.zeros(value.shape, value.memory.name)
    made: Tensor = Tensor.__new__(Tensor)
    made._data = value._replace(memory=Memory.of_elements(zeros))
    return made


class TupleGetItem(TensorOp):
    """One part of a tuple."""

    def __init__(self, index: int) -> None:
        self.index = index

    def __call__(self, *args: Any) -> Tensor:
        a, = args
        if not isinstance(a, TensorTuple):
            raise make_error("expected a tuple of tensors, got "
                             f"{type(a).__name__}")
        count = len(a)
        if not -count <= self.index < count:
            raise IndexError(f"expected an index below {count}, got "
                             f"{self.index}")
        self.index %= count
        if isinstance(a.op, MakeTensorTuple):
            return a.inputs[self.index]  # type: ignore[return-value]
        return Tensor.make_from_op(self, args)

    def _forward(self, a: Tuple[Array, ...]) -> Array:
        return a[self.index]

    def _take(self, data: Sequence[Any]) -> Any:
        return data[0][self.index]

    def gradient(self, out_grad: Any, node: Any) -> TensorTuple:
        made: _OnePart = _OnePart.__new__(_OnePart)
        made._index, made._gradient = self.index, out_grad
        made._like = node.inputs[0]._each()
        made.requires_grad = out_grad.requires_grad
        return made


class _TupleGradient(MakeTensorTuple):
    """A tuple of gradients, whose parts are known also without a graph."""

    def __call__(self, *args: Any) -> TensorTuple:
        made = super().__call__(*args)
        made.op, made.inputs = self, args
        return made


def add_tuples(tuples: Sequence[TensorTuple]) -> TensorTuple:
    """The sum of tuples of one length, without adding zeros."""
    if not all(isinstance(one, _OnePart) for one in tuples):
        total = tuples[0]
        for one in tuples[1:]:
            total = total + one
        return total
    parts: Dict[int, Tensor] = {}
    first: Any = tuples[0]
    for one in tuples:
        assert isinstance(one, _OnePart)
        before = parts.get(one._index)
        parts[one._index] = one._gradient if before is None else \
            before + one._gradient
    return _gather(first._like, parts)


def tuple_get_item(value: TensorTuple, index: int) -> Tensor:
    """One part of a tuple."""
    return TupleGetItem(index)(value)


class FusedAddScalars(TensorTupleOp):
    """``(x + c0, x + c1)``."""

    def __init__(self, c0: float, c1: float) -> None:
        self.c0, self.c1 = c0, c1

    def _forward(self, a: Array) -> Tuple[Array, ...]:
        return elementwise.add(a, self.c0), elementwise.add(a, self.c1)

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        total: Tensor = out_grad[0] + out_grad[1]
        return total


def fused_add_scalars(x: Tensor, c0: float, c1: float) -> TensorTuple:
    """``(x + c0, x + c1)``."""
    return FusedAddScalars(c0, c1)(x)
