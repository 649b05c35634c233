# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution, and the operations that its gradient is made of."""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

from ...array.array import Array
from ...arrays import Shape
from ...positions import make_error
from ..autograd import Tensor, TensorOp
from .ops_shapes import flip, transpose


def _axes_within(axes: Any, rank: int) -> Tuple[int, ...]:
    given = axes if isinstance(axes, (tuple, list)) else (axes,)
    return tuple(axis % rank for axis in given if -rank <= axis < rank)


def _pad(x: Array, attributes: Dict[str, Sequence[int]]) -> Array:
    made = Array._make("pad", [x], tuple(
        [(key, tuple(value)) for key, value in attributes.items()]))
    return made[0]  # type: ignore[return-value]


class Dilate(TensorOp):
    """``dilation`` zeros behind each element along axes."""

    def __init__(self, axes: Any, dilation: int) -> None:
        self.axes, self.dilation = axes, dilation

    def _forward(self, a: Array) -> Array:
        axes = _axes_within(self.axes, a.ndim)
        if self.dilation == 0 or not axes:
            return a
        between = [self.dilation if i in axes else 0 for i in range(a.ndim)]
        return _pad(a, {"low": [0] * a.ndim, "high": between,
                        "interior": between})

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return undilate(out_grad, self.axes, self.dilation)


def dilate(a: Tensor, axes: Any, dilation: int) -> Tensor:
    """``dilation`` zeros behind each element along axes."""
    return Dilate(axes, dilation)(a)


class UnDilate(TensorOp):
    """Each element with a number ``dilation + 1`` divides, along axes."""

    def __init__(self, axes: Any, dilation: int) -> None:
        self.axes, self.dilation = axes, dilation

    def _forward(self, a: Array) -> Array:
        axes = _axes_within(self.axes, a.ndim)
        if self.dilation == 0 or not axes:
            return a
        return a[tuple(slice(None, None, self.dilation + 1) if i in axes else
                       slice(None) for i in range(a.ndim))]

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        shape = node.inputs[0].shape
        made = dilate(out_grad, self.axes, self.dilation)
        return made if made.shape == shape else _Crop(shape)(made)


def undilate(a: Tensor, axes: Any, dilation: int) -> Tensor:
    """Each element with a number ``dilation + 1`` divides, along axes."""
    return UnDilate(axes, dilation)(a)


class _Crop(TensorOp):
    """The first elements of each dimension, or zeros behind them."""

    def __init__(self, shape: Shape, begin: int = 0,
                 axes: Tuple[int, ...] = ()) -> None:
        self.shape, self.begin, self.axes = shape, begin, axes

    def _low(self, rank: int) -> List[int]:
        return [self.begin if i in self.axes else 0 for i in range(rank)]

    def _forward(self, a: Array) -> Array:
        """``begin`` is below zero for zeros in front."""
        low = self._low(a.ndim)
        x = a[tuple(slice(max(0, one), max(0, one + size))
                    for one, size in zip(low, self.shape))]
        front = [max(0, -one) for one in low]
        behind = [size - one - got for size, one, got in zip(
            self.shape, front, x.shape)]
        if not any(front) and not any(behind):
            return x
        return _pad(x, {"low": front, "high": behind})

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return _Crop(node.inputs[0].shape, -self.begin, self.axes)(out_grad)


class Conv(TensorOp):
    """The cross-correlation of images N x H x W x C and windows k x k x C x O,
    with ``padding`` zeros around the images."""

    _is_heavy = True

    def __init__(self, stride: int = 1, padding: int = 0) -> None:
        self.stride, self.padding = int(stride), int(padding)

    def _forward(self, a: Array, b: Array) -> Array:
        if a.ndim != 4 or b.ndim != 4 or a.shape[3] != b.shape[2]:
            raise make_error(
                "expected images N x H x W x C and windows k x k x C x O, got "
                f"{list(a.shape)} and {list(b.shape)}")
        pad = (self.padding,) * 2
        made = Array._make("conv", [a, b], (
            ("strides", (self.stride,) * 2), ("dilations", (1, 1)),
            ("pad_low", pad), ("pad_high", pad), ("groups", 1)))
        return made[0]  # type: ignore[return-value]

    def gradient(self, out_grad: Any, node: Any) -> Tuple[Tensor, Tensor]:
        a, b = node.inputs
        window, sides = b.shape[0], (1, 2)
        grads = dilate(out_grad, sides, self.stride - 1)
        turned = transpose(flip(b, (0, 1)), (2, 3))
        # The gradient of the image with its padding, and without.
        whole = conv(grads, turned, padding=window - 1)
        images = _Crop(a.shape, self.padding, sides)(whole)
        # Batches take the place of channels.
        wide = tuple(size + 2 * self.padding if i in sides else size
                     for i, size in enumerate(a.shape))
        padded = _Crop(wide, -self.padding, sides)(a)
        places = tuple(size - window + 1 if i in sides else size
                       for i, size in enumerate(wide))
        fitting = _Crop((grads.shape[0], places[1], places[2],
                         grads.shape[3]))(grads)
        product = conv(transpose(padded, (0, 3)),
                       transpose(transpose(fitting, (0, 1)), (1, 2)),
                       padding=0)
        windows = transpose(transpose(product, (0, 1)), (1, 2))
        return images, windows


def conv(a: Tensor, b: Tensor, stride: int = 1, padding: int = 1) -> Tensor:
    """The cross-correlation of images N x H x W x C and windows k x k x C x O,
    with ``padding`` zeros around the images."""
    return Conv(stride, padding)(a, b)
