# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logarithms of sums of exponentials, which do not overflow."""

from __future__ import annotations

from typing import Any

from ...array.array import Array
from ...array_api import elementwise, reductions
from ...positions import make_error
from ..autograd import Tensor, TensorOp
from .operands import as_floats, find_axes, keep_rank
from .ops_elementwise import exp
from .ops_shapes import broadcast_to, reshape, summation


def _log_sum_exp(x: Array, axes: Any, keepdims: bool) -> Array:
    largest = reductions.max(x, axis=axes, keepdims=True)
    total = reductions.sum(elementwise.exp(x - largest), axis=axes,
                           keepdims=True)
    result: Array = elementwise.log(total) + largest
    return result if keepdims else reductions.max(result, axis=axes)


class LogSumExp(TensorOp):
    """``log(sum(exp(x)))`` over axes, all if None, which the result has not."""

    def __init__(self, axes: Any = None) -> None:
        self.axes = axes

    def _forward(self, a: Array) -> Array:
        axes = find_axes(self.axes, a.ndim)
        return keep_rank(_log_sum_exp(as_floats(a), axes, False), self.axes)

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        a, = node.inputs
        axes = find_axes(self.axes, a.ndim)
        kept = tuple(1 if i in axes else size
                     for i, size in enumerate(a.shape))
        def widen(x: Tensor) -> Tensor:
            return broadcast_to(reshape(x, kept), a.shape)
        return widen(out_grad) * exp(a - widen(node))


def logsumexp(a: Tensor, axes: Any = None) -> Tensor:
    """``log(sum(exp(x)))`` over axes, all if None, which the result has not."""
    return LogSumExp(axes=axes)(a)


class LogSoftmax(TensorOp):
    """``x - log(sum(exp(x)))`` of each row of a matrix."""

    def _forward(self, a: Array) -> Array:
        if a.ndim != 2:
            raise make_error("expected a matrix, got a tensor of "
                             f"{list(a.shape)}")
        x = as_floats(a)
        result: Array = x - _log_sum_exp(x, (1,), True)
        return result

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        total = reshape(summation(out_grad, 1), (node.shape[0], 1))
        widened = broadcast_to(total, node.shape)
        result: Tensor = out_grad - exp(node) * widened
        return result


def logsoftmax(a: Tensor) -> Tensor:
    """``x - log(sum(exp(x)))`` of each row of a matrix."""
    return LogSoftmax()(a)
