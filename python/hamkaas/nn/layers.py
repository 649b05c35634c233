# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers with parameters: those of torch.nn, with its names and defaults."""

from __future__ import annotations

import math
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np

from ..arrays import Array, DTypeLike
from ..array_api import elementwise, reductions
from ..gradients import stop_gradient
from ..graph import AFTER, Node
from ..positions import make_error, user_position
from ..random import Generator
from . import (activations, attention, convolutions, dropouts, init,
               normalization)
from .arguments import (Sizes, check_integer, check_rank, check_real,
                        check_sizes, check_tensor)
from .module import Buffer, Module, Parameter, find_generator, get_rng


def draw(shape: Sequence[int], limit: float, dtype: DTypeLike) -> Parameter:
    """A parameter that is uniform on both sides of 0."""
    values = init.uniform(shape, -limit, limit, rng=get_rng())
    return Parameter(values, dtype)


class Linear(Module):
    """``x @ weight^T + bias``."""

    def __init__(self, in_features: int, out_features: int, bias: bool = True,
                 dtype: DTypeLike = "float32") -> None:
        for name, size in (("in_features", in_features),
                           ("out_features", out_features)):
            if check_integer("Linear", name, size) < 1:
                raise make_error(f"'Linear': expected '{name}' to be at least "
                                 f"1, got {size}")
        self.in_features, self.out_features = in_features, out_features
        limit = 1 / math.sqrt(in_features)
        self.weight = draw([out_features, in_features], limit, dtype)
        self.bias = draw([out_features], limit, dtype) if bias else None

    def forward(self, input: Node) -> Node:
        check_tensor("Linear", input)
        outputs, inputs = self.weight.shape[0], self.weight.shape[-1]
        if input.ndim and input.shape[-1] != inputs:
            raise make_error(
                f"Linear({inputs}, {outputs}): expected {inputs} features in "
                f"the last dimension, got {input.shape[-1]} (shape "
                f"{list(input.shape)})")
        return convolutions.linear(input, self.weight, self.bias)


def _check_channels(name: str, inputs: int, outputs: int, groups: int) -> None:
    if groups < 1 or inputs % groups or outputs % groups:
        raise make_error(f"'{name}': expected channels that groups divides, got "
                         f"{inputs}, {outputs} and {groups}")


# By the number of spatial dimensions, for messages.
_LAYOUTS = {1: ("sequences", "L"), 2: ("images", "H, W"),
            3: ("volumes", "D, H, W")}


class _Convolution(Module):
    """Convolutions of 1 to 3 spatial dimensions, transposed or not."""

    spatial = 0
    function = "conv"

    def _set(self, in_channels: int, out_channels: int, kernel_size: Sizes,
             groups: int, bias: bool, dtype: DTypeLike,
             **options: Any) -> None:
        name = type(self).__name__
        window = check_sizes(name, "kernel_size", kernel_size, self.spatial, 1)
        _check_channels(name, in_channels, out_channels, groups)
        self.options: Dict[str, Any] = {"groups": groups, **options}
        first, second = out_channels, in_channels // groups
        if self.function == "conv_transpose":
            first, second = in_channels, out_channels // groups
        limit = 1 / math.sqrt(second * math.prod(window))
        self.weight = draw([first, second, *window], limit, dtype)
        self.bias = draw([out_channels], limit, dtype) if bias else None

    def _check_input(self, x: Node) -> None:
        """Raises an error for another number of channels, such as of images
        whose channels are last."""
        check_tensor(type(self).__name__, x)
        first, second = self.weight.shape[:2]
        inputs, outputs = second * self.options["groups"], first
        if self.function == "conv_transpose":
            inputs, outputs = first, second * self.options["groups"]
        dim = x.ndim - self.spatial - 1
        if dim in (0, 1) and x.shape[dim] != inputs:
            kind, sizes = _LAYOUTS[self.spatial]
            layout = f"[{'N, ' * dim}C, {sizes}]"
            raise make_error(
                f"{type(self).__name__}({inputs}, {outputs}): expected "
                f"{inputs} channels in dimension {dim}, got {x.shape[dim]} "
                f"(shape {list(x.shape)}); {kind} are {layout}")

    def forward(self, input: Node) -> Node:
        self._check_input(input)
        convolve = getattr(convolutions, f"{self.function}{self.spatial}d")
        result: Node = convolve(input, self.weight, self.bias, **self.options)
        return result


class _Conv(_Convolution):
    """Convolutions of 1 to 3 spatial dimensions."""

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Sizes,
                 stride: Sizes = 1, padding: Union[str, Sizes] = 0,
                 dilation: Sizes = 1, groups: int = 1, bias: bool = True,
                 dtype: DTypeLike = "float32") -> None:
        self._set(in_channels, out_channels, kernel_size, groups, bias, dtype,
                  stride=stride, padding=padding, dilation=dilation)


class Conv1d(_Conv):
    """A convolution of ``n x channels x length``."""

    spatial = 1


class Conv2d(_Conv):
    """A convolution of ``n x channels x height x width``."""

    spatial = 2


class Conv3d(_Conv):
    """A convolution of ``n x channels x depth x height x width``."""

    spatial = 3


class _ConvTranspose(_Convolution):
    """Transposed convolutions of 1 to 3 spatial dimensions."""

    function = "conv_transpose"

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Sizes,
                 stride: Sizes = 1, padding: Sizes = 0,
                 output_padding: Sizes = 0, groups: int = 1, bias: bool = True,
                 dilation: Sizes = 1, dtype: DTypeLike = "float32") -> None:
        self._set(in_channels, out_channels, kernel_size, groups, bias, dtype,
                  stride=stride, padding=padding, dilation=dilation,
                  output_padding=output_padding)


class ConvTranspose1d(_ConvTranspose):
    """The transpose of `Conv1d`."""

    spatial = 1


class ConvTranspose2d(_ConvTranspose):
    """The transpose of `Conv2d`."""

    spatial = 2


class ConvTranspose3d(_ConvTranspose):
    """The transpose of `Conv3d`."""

    spatial = 3


class Bilinear(Module):
    """``x1 @ weight[o] @ x2 + bias[o]``."""

    def __init__(self, in1_features: int, in2_features: int, out_features: int,
                 bias: bool = True, dtype: DTypeLike = "float32") -> None:
        limit = 1 / math.sqrt(in1_features)
        self.weight = draw([out_features, in1_features, in2_features], limit,
                           dtype)
        self.bias = draw([out_features], limit, dtype) if bias else None

    def forward(self, input1: Node, input2: Node) -> Node:
        return convolutions.bilinear(input1, input2, self.weight, self.bias)


class PReLU(Module):
    """``x`` where ``x >= 0``, otherwise ``weight * x``."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25,
                 dtype: DTypeLike = "float32") -> None:
        self.weight = Parameter(np.full(num_parameters, init), dtype)

    def forward(self, input: Node) -> Node:
        return activations.prelu(input, self.weight)


class _BatchNorm(Module):
    """Normalization of channels: by the batch in training, which moves the
    running averages; by these in use."""

    ranks: Tuple[int, ...] = ()

    def __init__(self, num_features: int, eps: float = 1e-5,
                 momentum: Optional[float] = 0.1, affine: bool = True,
                 track_running_stats: bool = True,
                 dtype: DTypeLike = "float32") -> None:
        self.eps, self.momentum = eps, momentum
        self.num_features = num_features
        zeros, ones = np.zeros(num_features), np.ones(num_features)
        self.weight = Parameter(ones, dtype) if affine else None
        self.bias = Parameter(zeros, dtype) if affine else None
        is_tracked = track_running_stats
        self.running_mean = Buffer(zeros, dtype) if is_tracked else None
        self.running_var = Buffer(ones, dtype) if is_tracked else None
        self.num_batches_tracked = Buffer(np.zeros([]), "int64")             if is_tracked else None

    def forward(self, input: Node) -> Node:
        check_tensor(type(self).__name__, input)
        check_rank(type(self).__name__, input, *self.ranks)
        if input.shape[1] != self.num_features:
            raise make_error(
                f"'{type(self).__name__}': expected {self.num_features} "
                f"channels, dimension 1, got {list(input.shape)}")
        if not self.training and self.running_mean is not None:
            assert self.running_var is not None
            return normalization.batch_norm(
                input, stop_gradient(self.running_mean),
                stop_gradient(self.running_var), self.weight, self.bias,
                eps=self.eps)
        return self._normalize(input)

    def _normalize(self, x: Node) -> Node:
        """By the statistics of the batch."""
        axes = (0, *range(2, x.ndim))
        number = x.size // x.shape[1]
        if number < 2 and self.training:
            raise make_error("expected more than one value for each channel in "
                             f"training, got {list(x.shape)}")
        mean = reductions.mean(x, axis=axes, keepdims=True)
        variance = reductions.mean((x - mean) ** 2, axis=axes, keepdims=True)
        y = (x - mean) / elementwise.sqrt(variance + self.eps)
        shape = (1, -1, *[1] * (x.ndim - 2))
        if self.weight is not None and self.bias is not None:
            y = y * self.weight.reshape(shape) + self.bias.reshape(shape)
        if self.running_mean is None or not self.training:
            return y
        # In use, the variance of all that was seen: unbiased.
        updates = self._move(mean.reshape([-1]),
                             variance.reshape([-1]) * (number / (number - 1)))
        return Node._record(AFTER, (y, *updates), (), y._type, user_position())

    def _move(self, mean: Node, variance: Node) -> Tuple[Node, ...]:
        """Writes the running averages."""
        old_mean, old_var, count = (self.running_mean, self.running_var,
                                    self.num_batches_tracked)
        assert old_mean is not None and old_var is not None and count is not None
        places = count.reshape([1])
        counted = places.replace(places + 1, 0, 1)
        part: Any = self.momentum
        if part is None:
            part = 1 / elementwise.astype(counted, old_mean.dtype)
        moved = [old + part * (stop_gradient(new) - old) for old, new in
                 ((old_mean, mean), (old_var, variance))]
        size = old_mean.shape[0]
        return (counted, old_mean.replace(moved[0], 0, size),
                old_var.replace(moved[1], 0, size))


class BatchNorm1d(_BatchNorm):
    """`_BatchNorm` of ``n x channels`` or ``n x channels x length``."""

    ranks = (2, 3)


class BatchNorm2d(_BatchNorm):
    """`_BatchNorm` of images."""

    ranks = (4,)


class BatchNorm3d(_BatchNorm):
    """`_BatchNorm` of volumes."""

    ranks = (5,)


class LayerNorm(Module):
    """Normalization over the last dimensions."""

    def __init__(self, normalized_shape: Sizes, eps: float = 1e-5,
                 elementwise_affine: bool = True,
                 dtype: DTypeLike = "float32") -> None:
        self.shape = [normalized_shape] if isinstance(
            normalized_shape, int) else list(normalized_shape)
        self.eps = eps
        is_affine = elementwise_affine
        self.weight = Parameter(np.ones(self.shape), dtype) if is_affine             else None
        self.bias = Parameter(np.zeros(self.shape), dtype) if is_affine             else None

    def forward(self, input: Node) -> Node:
        return normalization.layer_norm(input, self.shape, self.weight,
                                        self.bias, self.eps)


class RMSNorm(Module):
    """Division by the root of the mean square of the last dimensions."""

    def __init__(self, normalized_shape: Sizes, eps: Optional[float] = None,
                 elementwise_affine: bool = True,
                 dtype: DTypeLike = "float32") -> None:
        self.shape = [normalized_shape] if isinstance(
            normalized_shape, int) else list(normalized_shape)
        self.eps = eps
        self.weight = Parameter(np.ones(self.shape), dtype)             if elementwise_affine else None

    def forward(self, input: Node) -> Node:
        return normalization.rms_norm(input, self.shape, self.weight, self.eps)


class GroupNorm(Module):
    """Normalization of groups of channels."""

    def __init__(self, num_groups: int, num_channels: int, eps: float = 1e-5,
                 affine: bool = True, dtype: DTypeLike = "float32") -> None:
        self.num_groups, self.eps = num_groups, eps
        self.weight = Parameter(np.ones(num_channels), dtype) if affine else None
        self.bias = Parameter(np.zeros(num_channels), dtype) if affine else None

    def forward(self, input: Node) -> Node:
        return normalization.group_norm(input, self.num_groups, self.weight,
                                        self.bias, self.eps)


class _InstanceNorm(Module):
    """Normalization of each channel of each example by its own statistics."""

    ranks: Tuple[int, ...] = ()

    def __init__(self, num_features: int, eps: float = 1e-5,
                 momentum: float = 0.1, affine: bool = False,
                 dtype: DTypeLike = "float32") -> None:
        self.num_features, self.eps = num_features, eps
        ones, zeros = np.ones(num_features), np.zeros(num_features)
        self.weight = Parameter(ones, dtype) if affine else None
        self.bias = Parameter(zeros, dtype) if affine else None

    def forward(self, input: Node) -> Node:
        check_tensor(type(self).__name__, input)
        check_rank(type(self).__name__, input, *self.ranks)
        if input.shape[1] != self.num_features:
            raise make_error(
                f"'{type(self).__name__}': expected {self.num_features} "
                f"channels, dimension 1, got {list(input.shape)}")
        return normalization.instance_norm(input, weight=self.weight,
                                           bias=self.bias, eps=self.eps)


class InstanceNorm1d(_InstanceNorm):
    """`_InstanceNorm` of ``n x channels x length``."""

    ranks = (3,)


class InstanceNorm2d(_InstanceNorm):
    """`_InstanceNorm` of images."""

    ranks = (4,)


class InstanceNorm3d(_InstanceNorm):
    """`_InstanceNorm` of volumes."""

    ranks = (5,)


class Embedding(Module):
    """The rows of a table.

    The row ``padding_idx`` is zero at first and gets no gradient.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int,
                 padding_idx: Optional[int] = None,
                 dtype: DTypeLike = "float32") -> None:
        values: Array = init.normal([num_embeddings, embedding_dim],
                                    rng=get_rng())
        if padding_idx is not None:
            padding_idx = attention.check_padding(padding_idx, num_embeddings)
            values[padding_idx] = 0
        self.padding_idx = padding_idx
        self.weight = Parameter(values, dtype)

    def forward(self, input: Node) -> Node:
        return attention.embedding(input, self.weight, self.padding_idx)


class Dropout(Module):
    """In training 0 with the probability ``p``, and otherwise x / (1 - p).

    Draws from ``generator``, or from one of the module that is called, whose
    state is ``generator``.
    """

    function = staticmethod(dropouts.dropout)

    def __init__(self, p: float = 0.5,
                 generator: Optional[Generator] = None) -> None:
        name = type(self).__name__
        if not 0 <= check_real(name, "p", p) <= 1:
            raise make_error(f"'{name}': expected 'p' from 0 to 1, got {p!r}")
        self.p, self.generator = p, generator

    def forward(self, input: Node) -> Node:
        if not self.training or self.p == 0:
            return input
        return self.function(input, self.p,
                             generator=find_generator(self.generator))


class Dropout1d(Dropout):
    """`Dropout` of whole channels of ``n x channels x length``."""

    function = staticmethod(dropouts.dropout1d)


class Dropout2d(Dropout):
    """`Dropout` of whole channels of images."""

    function = staticmethod(dropouts.dropout2d)


class Dropout3d(Dropout):
    """`Dropout` of whole channels of volumes."""

    function = staticmethod(dropouts.dropout3d)
