# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on tuples of tensors."""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

import numpy as np

from ...array.array import Array
from ...array_api import elementwise
from ...positions import make_error
from ..autograd import Tensor, TensorOp, TensorTuple, TensorTupleOp, Value
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


class _Zeros(Tensor):
    """A part of a tuple that has no gradient."""


def _zeros_like(value: Any) -> Tensor:
    zeros = np.zeros(value.shape, value.memory.name)
    made: Tensor = _Zeros.__new__(_Zeros)
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
        parts = [out_grad if i == self.index else _zeros_like(one)
                 for i, one in enumerate(node.inputs[0]._each())]
        return _TupleGradient()(*parts)


class _TupleGradient(MakeTensorTuple):
    """A tuple of gradients, whose parts are known also without a graph."""

    def __call__(self, *args: Any) -> TensorTuple:
        made = super().__call__(*args)
        made.op, made.inputs = self, args
        return made


def add_tuples(tuples: Sequence[TensorTuple]) -> TensorTuple:
    """The sum of tuples of one length, without adding zeros."""
    if not all(isinstance(one.op, MakeTensorTuple) for one in tuples):
        total = tuples[0]
        for one in tuples[1:]:
            total = total + one
        return total
    parts = [_add([one.inputs[i] for one in tuples])
             for i in range(len(tuples[0]))]
    return _TupleGradient()(*parts)


def _add(parts: List[Any]) -> Tensor:
    present = [one for one in parts if not isinstance(one, _Zeros)]
    total: Tensor = (present or parts)[0]
    for one in present[1:]:
        total = total + one
    return total


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
