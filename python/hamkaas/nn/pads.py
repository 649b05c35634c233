# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules that put elements around the spatial dimensions."""

from __future__ import annotations

from typing import Sequence, Union

from ..graph import Node
from ..positions import make_error
from . import padding as functions
from .arguments import check_rank, check_tensor
from .module import Module


class _Pad(Module):
    """`pad` on both sides of the last dimensions, with one number for all or
    two for each."""

    spatial = 0
    mode = "constant"

    def __init__(self, padding: Union[int, Sequence[int]]) -> None:
        count = 2 * self.spatial
        self.padding = [padding] * count if isinstance(padding, int) else list(
            padding)
        self.value = 0.0
        if len(self.padding) != count:
            raise make_error(f"'{type(self).__name__}': expected 'padding' to "
                             f"be one number or {count}, got {padding!r}")

    def forward(self, input: Node) -> Node:
        name = type(self).__name__
        check_tensor(name, input)
        check_rank(name, input, self.spatial + 1, self.spatial + 2)
        value = self.value if self.mode == "constant" else None
        return functions.pad(input, self.padding, self.mode, value)


class _ConstantPad(_Pad):
    """Elements that are ``value``."""

    def __init__(self, padding: Union[int, Sequence[int]],
                 value: float) -> None:
        super().__init__(padding)
        self.value = value


class ConstantPad1d(_ConstantPad):
    """`pad` of the last dimension with ``value``."""

    spatial = 1


class ConstantPad2d(_ConstantPad):
    """`pad` of the last two dimensions with ``value``."""

    spatial = 2


class ConstantPad3d(_ConstantPad):
    """`pad` of the last three dimensions with ``value``."""

    spatial = 3


class ZeroPad1d(_Pad):
    """`pad` of the last dimension with zeros."""

    spatial = 1


class ZeroPad2d(_Pad):
    """`pad` of the last two dimensions with zeros."""

    spatial = 2


class ZeroPad3d(_Pad):
    """`pad` of the last three dimensions with zeros."""

    spatial = 3


class ReflectionPad1d(ZeroPad1d):
    """`pad` of the last dimension by what a mirror gives."""

    mode = "reflect"


class ReflectionPad2d(ZeroPad2d):
    """`pad` of the last two dimensions by what mirrors give."""

    mode = "reflect"


class ReplicationPad1d(ZeroPad1d):
    """`pad` of the last dimension by its ends."""

    mode = "replicate"


class ReplicationPad2d(ZeroPad2d):
    """`pad` of the last two dimensions by the border."""

    mode = "replicate"
