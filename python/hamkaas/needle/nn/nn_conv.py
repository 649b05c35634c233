# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutional layers."""

from __future__ import annotations

import math
from typing import Any, Tuple, Union

from .. import init, ops
from ..autograd import Tensor
from .nn_basic import Module, Parameter, widen

Size = Union[int, Tuple[int, ...]]


def _first(size: Size) -> int:
    return size[0] if isinstance(size, tuple) else size


class Conv(Module):
    """The convolution of images ``(n, c, h, w)`` with square windows, and
    ``kernel_size // 2`` zeros around the images.

    ``weight`` is ``(k, k, in_channels, out_channels)``.
    """

    def __init__(self, in_channels: int, out_channels: int, kernel_size: Size,
                 stride: Size = 1, bias: bool = True, device: Any = None,
                 dtype: Any = "float32") -> None:
        super().__init__()
        k = _first(kernel_size)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.padding = k, _first(stride), k // 2
        area = k * k
        self.weight = Parameter(init.kaiming_uniform(
            in_channels * area, out_channels * area,
            shape=(k, k, in_channels, out_channels), device=device,
            dtype=dtype))
        bound = 1 / math.sqrt(in_channels * area)
        self.bias = Parameter(init.rand(
            out_channels, low=-bound, high=bound, device=device,
            dtype=dtype)) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        last = ops.transpose(ops.transpose(x, (1, 2)), (2, 3))
        y = ops.conv(last, self.weight, stride=self.stride,
                     padding=self.padding)
        if self.bias is not None:
            y = y + widen(self.bias, y.shape)
        return ops.transpose(ops.transpose(y, (2, 3)), (1, 2))
