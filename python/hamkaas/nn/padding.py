# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Padding, and functions that rearrange channels and pixels."""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ..array_api.broadcasting import reshape_to
from ..array_api.manipulation import permute_dims, take_range
from ..array_api.ordering import take
from ..array_api.promotion import kind_of
from ..positions import make_error
from ..tensor import T, make
from .arguments import check_integer, check_real, check_tensor, check_word


def _read_whole(x: T, value: float) -> int:
    if value != value // 1:
        raise make_error(f"'pad': expected a whole value beside {x._type[0]}, "
                         f"got {value}")
    return int(value)


def _pad(x: T, low: Sequence[int], high: Sequence[int],
         interior: Sequence[int], value: float) -> T:
    """``x`` padded; negative entries of ``low`` and ``high`` cut off."""
    number = value if kind_of(x._type[0]) == "f" else _read_whole(x, value)
    rank = len(x._type[1])
    attributes = {"low": tuple(max(n, 0) for n in low),
                  "high": tuple(max(n, 0) for n in high),
                  "interior": tuple(interior), "value": number}
    if any(max(n, 0) for n in (*low, *high, *interior)):
        x = make("pad", [x], attributes)
    for axis in range(rank):
        if min(low[axis], high[axis]) >= 0:
            continue
        size = x._type[1][axis]
        begin, end = max(-low[axis], 0), size - max(-high[axis], 0)
        if begin >= end:
            raise make_error(f"expected padding that leaves an element of "
                             f"dimension {axis}, got {low[axis]} and "
                             f"{high[axis]} of {list(x._type[1])}")
        x = take_range(x, axis, begin, end)
    return x


def pad_spatial(x: T, low: Tuple[int, ...], high: Tuple[int, ...],
                interior: Optional[Tuple[int, ...]] = None) -> T:
    """``x``, batch x channels x others, with zeros around the others."""
    none = (0,) * len(low)
    return _pad(x, (0, 0, *low), (0, 0, *high), (0, 0, *(interior or none)),
                0.0)


_MODES = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def _repeat_border(x: T, axis: int, low: int, high: int, mode: str) -> T:
    """``x`` padded along ``axis`` with elements of its own."""
    size = x._type[1][axis]
    most = {"reflect": size - 1, "circular": size}.get(mode)
    if min(low, high) < 0 or most is not None and max(low, high) > most:
        text = "" if most is None else f" to {most}"
        raise make_error(f"'pad': expected padding of dimension {axis} by "
                         f"{mode} from 0{text}, got {low} and {high}")
    if low == high == 0:
        return x
    places = np.pad(np.arange(size), (low, high),
                    mode=_MODES[mode])  # type: ignore[call-overload]
    return take(x, places, axis=axis)


def pad(input: T, pad: Sequence[int], mode: str = "constant",
        value: Optional[float] = None) -> T:
    """``input`` with elements before and after its last dimensions.

    ``pad`` has two numbers for each dimension, those of the last one first. The
    new elements are ``value``, by default 0; with ``mode`` "reflect",
    "replicate" or "circular" those that a mirror, the border or the other end
    gives. Negative numbers cut off elements with mode "constant".

    >>> import hamkaas as hk
    >>> pad(hk.input("x", [2, 3]), (1, 2)).shape
    (2, 6)
    """
    check_tensor("pad", input)
    check_word("pad", "mode", mode, "constant", *_MODES)
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
    if mode == "constant":
        number = 0.0 if value is None else check_real("pad", "value", value)
        return _pad(input, low, high, (0,) * rank, number)
    if value:
        raise make_error(f"'pad': expected no value with mode='{mode}', got "
                         f"{value!r}")
    for axis in range(rank):
        input = _repeat_border(input, axis, low[axis], high[axis], mode)
    return input


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
