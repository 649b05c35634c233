# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that move elements and sum them up, with their gradients.

Axes are an integer or several, negative ones count from the end, None means
all.
"""

from __future__ import annotations

from typing import Any, Sequence, Tuple

import numpy as np

from ...array.array import Array
from ...array_api import elementwise, linear, manipulation, reductions
from ...arrays import Shape
from ...positions import make_error
from ..autograd import Tensor, TensorOp, TensorTuple, TensorTupleOp
from .operands import find_axes, keep_rank


class Transpose(TensorOp):
    """Two axes exchanged, the last two by default."""

    def __init__(self, axes: Any = None) -> None:
        self.axes = axes

    def _forward(self, a: Array) -> Array:
        if a.ndim < 2:
            raise make_error("expected a tensor of at least 2 dimensions, got "
                             f"{list(a.shape)}")
        axes = find_axes((-2, -1) if self.axes is None else self.axes, a.ndim)
        if len(axes) != 2:
            raise make_error(f"expected two axes to exchange, got {self.axes}")
        order = list(range(a.ndim))
        order[axes[0]], order[axes[1]] = axes[1], axes[0]
        return manipulation.permute_dims(a, order)

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return transpose(out_grad, self.axes)


def transpose(a: Tensor, axes: Any = None) -> Tensor:
    """Two axes exchanged, the last two by default."""
    return Transpose(axes)(a)


def _as_shape(shape: Any) -> Shape:
    return (int(shape),) if isinstance(shape, (int, np.integer)) else \
        tuple([int(size) for size in shape])


class Reshape(TensorOp):
    """The elements, row-major, in another shape; one size may be -1."""

    def __init__(self, shape: Any) -> None:
        self.shape = _as_shape(shape)

    def _forward(self, a: Array) -> Array:
        return manipulation.reshape(a, self.shape)

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return reshape(out_grad, node.inputs[0].shape)


def reshape(a: Tensor, shape: Any) -> Tensor:
    """The elements, row-major, in another shape; one size may be -1."""
    return Reshape(shape)(a)


class BroadcastTo(TensorOp):
    """The elements repeated to a shape, by numpy's rule."""

    def __init__(self, shape: Any) -> None:
        self.shape = _as_shape(shape)

    def _forward(self, a: Array) -> Array:
        return manipulation.broadcast_to(a, self.shape)

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return sum_to(out_grad, node.inputs[0].shape)


def sum_to(x: Tensor, shape: Shape) -> Tensor:
    """The sum over the dimensions that were repeated from ``shape``."""
    if x.shape == shape:
        return x
    added = x.ndim - len(shape)
    axes = tuple(i for i in range(x.ndim)
                 if i < added or shape[i - added] != x.shape[i])
    total = summation(x, axes) if axes else x
    return reshape(total, shape)


def broadcast_to(a: Tensor, shape: Any) -> Tensor:
    """The elements repeated to a shape, by numpy's rule."""
    return BroadcastTo(shape)(a)


class Summation(TensorOp):
    """The sum over axes, which the result has not."""

    def __init__(self, axes: Any = None) -> None:
        self.axes = axes

    def _forward(self, a: Array) -> Array:
        axes = find_axes(self.axes, a.ndim)
        return keep_rank(reductions.sum(a, axis=axes), self.axes)

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        shape = node.inputs[0].shape
        axes = find_axes(self.axes, len(shape))
        kept = tuple(1 if i in axes else size for i, size in enumerate(shape))
        return broadcast_to(reshape(out_grad, kept), shape)


def summation(a: Tensor, axes: Any = None) -> Tensor:
    """The sum over axes, which the result has not."""
    return Summation(axes)(a)


class MatMul(TensorOp):
    """The product of matrices; the dimensions before them are broadcast."""

    _is_heavy = True
    _row = "matmul"

    def _forward(self, a: Array, b: Array) -> Array:
        if a._type[0] != b._type[0]:
            name = np.result_type(a.dtype, b.dtype)
            a, b = elementwise.astype(a, name), elementwise.astype(b, name)
        return linear.matmul(a, b)  # type: ignore[no-any-return]

    def gradient(self, out_grad: Any, node: Any) -> Tuple[Tensor, Tensor]:
        a, b = node.inputs
        if min(a.ndim, b.ndim) < 2:
            raise make_error("expected matrices for a gradient, got "
                             f"{list(a.shape)} and {list(b.shape)}")
        if b.ndim == 2 and a.ndim > 2:
            # One product for all rows.
            rows = reshape(a, (-1, a.shape[-1]))
            grads = reshape(out_grad, (-1, out_grad.shape[-1]))
            return (matmul(out_grad, transpose(b)),
                    matmul(transpose(rows), grads))
        return (sum_to(matmul(out_grad, transpose(b)), a.shape),
                sum_to(matmul(transpose(a), out_grad), b.shape))


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """The product of matrices; the dimensions before them are broadcast."""
    return MatMul()(a, b)


class Stack(TensorOp):
    """Tensors of one shape along a new axis."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def _forward(self, args: Sequence[Array]) -> Array:
        if not args or any(one.shape != args[0].shape for one in args):
            raise make_error("expected tensors of one shape, got the shapes "
                             f"{[list(one.shape) for one in args]}")
        return manipulation.stack(  # type: ignore[no-any-return]
            list(args), axis=self.axis)

    def gradient(self, out_grad: Any, node: Any) -> TensorTuple:
        return split(out_grad, self.axis)


def stack(args: Any, axis: int) -> Tensor:
    """Tensors of one shape, a list or a tuple, along a new axis."""
    from .ops_tuple import make_tuple
    given = args if isinstance(args, TensorTuple) else make_tuple(*args)
    return Stack(axis)(given)


class Split(TensorTupleOp):
    """The slices along an axis, which they have not."""

    def __init__(self, axis: int) -> None:
        self.axis = axis

    def _forward(self, a: Array) -> Tuple[Array, ...]:
        axis, = find_axes(self.axis, a.ndim)
        return tuple(manipulation.unstack(a, axis=axis))

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        axis, = find_axes(self.axis, node.inputs[0].ndim)
        return stack(out_grad, axis)


def split(a: Tensor, axis: int) -> TensorTuple:
    """The slices along an axis, which they have not."""
    return Split(axis)(a)


class Flip(TensorOp):
    """The elements in reverse along axes."""

    def __init__(self, axes: Any = None) -> None:
        self.axes = axes

    def _forward(self, a: Array) -> Array:
        return manipulation.flip(a, axis=find_axes(self.axes, a.ndim))

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return flip(out_grad, self.axes)


def flip(a: Tensor, axes: Any = None) -> Tensor:
    """The elements in reverse along axes."""
    return Flip(axes)(a)
