# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Padding, and functions that rearrange channels and pixels."""

from __future__ import annotations

from typing import Any, Dict, Optional, Sequence, Tuple, Union

import numpy as np

from ..array_api.broadcasting import reshape_to
from ..array_api.manipulation import permute_dims
from ..array_api.promotion import kind_of
from ..positions import make_error
from ..tensor import Attribute, T, make
from .arguments import check_integer, check_real, check_tensor, check_word


_MODES = ("constant", "reflect", "replicate", "circular")


def pad_spatial(x: T, low: Tuple[int, ...], high: Tuple[int, ...]) -> T:
    """``x``, batch x channels x others, with zeros around the others."""
    return make("pad", [x], {"low": (0, 0, *low), "high": (0, 0, *high)})


def _read_value(x: T, value: Any) -> Union[int, float]:
    """The number beside the elements of ``x``."""
    number = check_real("pad", "value", value)
    if kind_of(x._type[0]) == "f":
        return number
    if not number.is_integer():
        raise make_error(f"'pad': expected a whole value beside {x._type[0]}, "
                         f"got {number}")
    return int(number)


def pad(input: T, pad: Sequence[int], mode: str = "constant",
        value: Optional[float] = None) -> T:
    """``input`` with elements before and after its last dimensions.

    ``pad`` has two numbers for each dimension, those of the last one first. The
    new elements are ``value``, by default 0; with ``mode`` "reflect",
    "replicate" or "circular" those that a mirror, the border or the other end
    gives. Negative numbers cut off elements.

    >>> import hamkaas as hk
    >>> pad(hk.input("x", [2, 3]), (1, 2)).shape
    (2, 6)
    """
    check_tensor("pad", input)
    check_word("pad", "mode", mode, *_MODES)
    if not isinstance(pad, (list, tuple)):
        raise make_error(f"'pad': expected 'pad' to be a list, got {pad!r}")
    sizes = [check_integer("pad", "pad", one) for one in pad]
    rank = input.ndim
    if len(sizes) % 2 or len(sizes) > 2 * rank:
        raise make_error(f"'pad': expected 2 numbers for each of at most "
                         f"{rank} dimensions, got {list(pad)}")
    low, high = [0] * rank, [0] * rank
    for i in range(len(sizes) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = sizes[2 * i:2 * i + 2]
    attributes: Dict[str, Attribute] = {"low": tuple(low), "high": tuple(high),
                                        "mode": mode}
    if mode == "constant" and value is not None:
        attributes["value"] = _read_value(input, value)
    elif value:
        raise make_error(f"'pad': expected no value with mode='{mode}', got "
                         f"{value!r}")
    return make("pad", [input], attributes)


def _split_channels(function: str, x: T, factor: Any) -> int:
    check_tensor(function, x)
    number = check_integer(function, "factor", factor)
    if x.ndim < 3 or number < 1:
        raise make_error(f"'{function}': expected an input of at least 3 "
                         "dimensions and a factor of at least 1, got "
                         f"{list(x.shape)} and {number}")
    return number


def pixel_shuffle(input: T, upscale_factor: int) -> T:
    """``... x C * r * r x H x W`` to ``... x C x H * r x W * r``."""
    r = _split_channels("pixel_shuffle", input, upscale_factor)
    *batch, channels, height, width = input.shape
    if channels % (r * r):
        raise make_error(f"'pixel_shuffle': expected a multiple of {r * r} "
                         f"channels, got {channels}")
    outer = int(np.prod(batch, dtype=int))
    x = reshape_to(input, (outer, channels // r ** 2, r, r, height, width))
    x = permute_dims(x, (0, 1, 4, 2, 5, 3))
    return reshape_to(x, (*batch, channels // r ** 2, height * r, width * r))


def pixel_unshuffle(input: T, downscale_factor: int) -> T:
    """The inverse of `pixel_shuffle`."""
    r = _split_channels("pixel_unshuffle", input, downscale_factor)
    *batch, channels, height, width = input.shape
    if height % r or width % r:
        raise make_error(f"'pixel_unshuffle': expected height and width that "
                         f"{r} divides, got {height} and {width}")
    outer = int(np.prod(batch, dtype=int))
    x = reshape_to(input, (outer, channels, height // r, r, width // r, r))
    x = permute_dims(x, (0, 1, 3, 5, 2, 4))
    return reshape_to(x, (*batch, channels * r ** 2, height // r, width // r))


def channel_shuffle(input: T, groups: int) -> T:
    """Channels, dimension 1, of ``groups`` groups taken in turns."""
    count = _split_channels("channel_shuffle", input, groups)
    batch, channels, *others = input.shape
    if channels % count:
        raise make_error(f"'channel_shuffle': expected a multiple of {count} "
                         f"channels, got {channels}")
    x = reshape_to(input, (batch, count, channels // count,
                           int(np.prod(others, dtype=int))))
    return reshape_to(permute_dims(x, (0, 2, 1, 3)), input.shape)
