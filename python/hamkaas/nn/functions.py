# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules without parameters, of functions of this package."""

from __future__ import annotations

import math
from typing import Any, Callable, Sequence, Type

from ..graph import Node
from ..positions import make_error
from . import activations, interpolation, padding, pooling
from .module import Module


class _Function(Module):
    """A function with arguments."""

    function: Callable[..., Any]

    def __init__(self, *args: Any, **named: Any) -> None:
        self.args, self.named = args, named

    def forward(self, input: Node) -> Node:
        result: Node = type(self).function(input, *self.args, **self.named)
        return result


def _wrap(name: str, function: Callable[..., Any]) -> Type[_Function]:
    return type(name, (_Function,), {
        "function": staticmethod(function), "__module__": __name__,
        "__doc__": f"`{function.__name__}` as a module; takes its arguments "
                   "behind the first."})


ReLU = _wrap("ReLU", activations.relu)
ReLU6 = _wrap("ReLU6", activations.relu6)
LeakyReLU = _wrap("LeakyReLU", activations.leaky_relu)
ELU = _wrap("ELU", activations.elu)
SELU = _wrap("SELU", activations.selu)
GELU = _wrap("GELU", activations.gelu)
SiLU = _wrap("SiLU", activations.silu)
CELU = _wrap("CELU", activations.celu)
GLU = _wrap("GLU", activations.glu)
Hardshrink = _wrap("Hardshrink", activations.hardshrink)
Hardsigmoid = _wrap("Hardsigmoid", activations.hardsigmoid)
Hardtanh = _wrap("Hardtanh", activations.hardtanh)
LogSigmoid = _wrap("LogSigmoid", activations.logsigmoid)
Softmin = _wrap("Softmin", activations.softmin)
Softshrink = _wrap("Softshrink", activations.softshrink)
Softsign = _wrap("Softsign", activations.softsign)
Tanhshrink = _wrap("Tanhshrink", activations.tanhshrink)
Threshold = _wrap("Threshold", activations.threshold)
Mish = _wrap("Mish", activations.mish)
Hardswish = _wrap("Hardswish", activations.hardswish)
Softplus = _wrap("Softplus", activations.softplus)
Sigmoid = _wrap("Sigmoid", activations.sigmoid)
Tanh = _wrap("Tanh", activations.tanh)
Softmax = _wrap("Softmax", activations.softmax)
LogSoftmax = _wrap("LogSoftmax", activations.log_softmax)
MaxPool1d = _wrap("MaxPool1d", pooling.max_pool1d)
MaxPool2d = _wrap("MaxPool2d", pooling.max_pool2d)
MaxPool3d = _wrap("MaxPool3d", pooling.max_pool3d)
AvgPool1d = _wrap("AvgPool1d", pooling.avg_pool1d)
AvgPool2d = _wrap("AvgPool2d", pooling.avg_pool2d)
AvgPool3d = _wrap("AvgPool3d", pooling.avg_pool3d)
AdaptiveAvgPool1d = _wrap("AdaptiveAvgPool1d", pooling.adaptive_avg_pool1d)
AdaptiveAvgPool2d = _wrap("AdaptiveAvgPool2d", pooling.adaptive_avg_pool2d)
AdaptiveAvgPool3d = _wrap("AdaptiveAvgPool3d", pooling.adaptive_avg_pool3d)
AdaptiveMaxPool1d = _wrap("AdaptiveMaxPool1d", pooling.adaptive_max_pool1d)
AdaptiveMaxPool2d = _wrap("AdaptiveMaxPool2d", pooling.adaptive_max_pool2d)
AdaptiveMaxPool3d = _wrap("AdaptiveMaxPool3d", pooling.adaptive_max_pool3d)
ChannelShuffle = _wrap("ChannelShuffle", padding.channel_shuffle)
PixelShuffle = _wrap("PixelShuffle", padding.pixel_shuffle)
PixelUnshuffle = _wrap("PixelUnshuffle", padding.pixel_unshuffle)
Upsample = _wrap("Upsample", interpolation.interpolate)


class Identity(Module):
    """Its input."""

    def forward(self, input: Any) -> Any:
        return input


class Flatten(Module):
    """The dimensions ``start_dim`` to ``end_dim`` as one."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input: Node) -> Node:
        for name, dim in (("start_dim", self.start_dim),
                          ("end_dim", self.end_dim)):
            if not -input.ndim <= dim < input.ndim:
                raise make_error(f"'Flatten': expected '{name}' from "
                                 f"{-input.ndim} to {input.ndim - 1}, got "
                                 f"{dim}")
        begin, end = self.start_dim % input.ndim, self.end_dim % input.ndim
        shape = input.shape
        return input.reshape([*shape[:begin], math.prod(shape[begin:end + 1]),
                              *shape[end + 1:]])


class Unflatten(Module):
    """The dimension ``dim`` as several, ``unflattened_size``."""

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        self.dim, self.unflattened_size = dim, list(unflattened_size)

    def forward(self, input: Node) -> Node:
        if not -input.ndim <= self.dim < input.ndim:
            raise make_error(f"'Unflatten': expected 'dim' from {-input.ndim} "
                             f"to {input.ndim - 1}, got {self.dim}")
        shape, dim = input.shape, self.dim % input.ndim
        sizes = list(self.unflattened_size)
        if sizes.count(-1) == 1:
            known = math.prod(size for size in sizes if size != -1)
            sizes[sizes.index(-1)] = shape[dim] // known if known > 0 else -1
        if math.prod(sizes) != shape[dim]:
            raise make_error("'Unflatten': expected sizes whose product is "
                             f"{shape[dim]}, got {self.unflattened_size}")
        return input.reshape([*shape[:dim], *sizes, *shape[dim + 1:]])
