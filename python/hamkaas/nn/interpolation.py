# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images in other sizes."""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from ..positions import make_error
from ..tensor import Attribute, T, make
from .arguments import (Sizes, check_float, check_rank, check_real,
                        check_sizes, check_tensor, check_word, refuse)

_NAME = "interpolate"

_NEAREST = {"nearest": "nearest", "nearest-exact": "nearest_exact"}

# Modes for each number of spatial dimensions, and what the compiler calls them.
_MODES = {1: {**_NEAREST, "linear": "linear"},
          2: {**_NEAREST, "bilinear": "linear", "bicubic": "cubic"},
          3: {**_NEAREST, "trilinear": "linear"}}


def _read_factors(given: Any, spatial: int) -> List[float]:
    factors = list(given) if isinstance(given, (list, tuple)) else \
        [given] * spatial
    values = [check_real(_NAME, "scale_factor", one) for one in factors]
    if len(values) != spatial or not all(0 < one < math.inf for one in values):
        raise make_error(f"'{_NAME}': expected 'scale_factor' to be 1 or "
                         f"{spatial} numbers greater than 0, got {given!r}")
    return values


def _read_scales(shape: Sequence[int], size: Any, scale_factor: Any,
                 is_recomputed: bool) -> List[Tuple[int, float]]:
    """For each spatial dimension its new size, and the elements of the input
    that one of the result stands for."""
    if (size is None) == (scale_factor is None):
        raise make_error(f"'{_NAME}': expected 'size' or 'scale_factor', got "
                         f"{size!r} and {scale_factor!r}")
    if size is not None:
        given = size if isinstance(size, (list, tuple)) else \
            [size] * len(shape)
        sizes = check_sizes(_NAME, "size", given, len(shape), 1)
        if len(given) != len(shape):
            raise make_error(f"'{_NAME}': expected 'size' to be {len(shape)} "
                             f"numbers, got {size!r}")
        return [(new, old / new) for old, new in zip(shape, sizes)]
    factors = _read_factors(scale_factor, len(shape))
    sizes = check_sizes(_NAME, "the size of the result", [
        math.floor(old * factor) for old, factor in zip(shape, factors)],
        len(shape), 1)
    return [(new, old / new if is_recomputed else 1 / factor)
            for old, new, factor in zip(shape, sizes, factors)]


def interpolate(input: T, size: Optional[Sizes] = None,
                scale_factor: Union[None, float, Sequence[float]] = None,
                mode: str = "nearest", align_corners: Optional[bool] = None,
                recompute_scale_factor: Optional[bool] = None,
                antialias: bool = False) -> T:
    """An image, N x C x spatial dimensions, of another size.

    ``size`` is that of the spatial dimensions, or ``scale_factor`` times the
    old one. ``mode`` is "nearest", "nearest-exact", or "linear", "bilinear" or
    "trilinear" for 1, 2 or 3 spatial dimensions, or "bicubic" for 2; with
    ``align_corners`` the elements at the ends stay.

    >>> import hamkaas as hk
    >>> x = hk.input("x", [1, 3, 8, 8])
    >>> interpolate(x, scale_factor=2, mode="bilinear").shape
    (1, 3, 16, 16)
    """
    check_float(_NAME, check_tensor(_NAME, input))
    check_rank(_NAME, input, 3, 4, 5)
    refuse(_NAME, "antialias", antialias, False, "images are not smoothed")
    words = _MODES[input.ndim - 2]
    check_word(_NAME, "mode", mode, *words)
    is_nearest = mode in _NEAREST
    if is_nearest and align_corners is not None:
        raise make_error(f"'{_NAME}': expected no 'align_corners' with "
                         f"mode='{mode}', got {align_corners!r}")
    attributes: Dict[str, Attribute] = {
        "mode": words[mode], "align_corners": bool(align_corners)}
    scales = _read_scales(input.shape[2:], size, scale_factor,
                          bool(recompute_scale_factor))
    x = input
    for axis, (new, scale) in enumerate(scales, 2):
        old = x.shape[axis]
        # As in torch 2, these sizes count, and not the factor that gave them:
        # with mode "nearest" of two dimensions alone.
        by_size = input.ndim == 4 and mode == "nearest"
        if new == old and (by_size or not is_nearest):
            continue
        if new == 2 * old and by_size:
            scale = 0.5
        x = make(_NAME, [x], {**attributes, "size": (new,), "axes": (axis,),
                              "scale": scale})
    return x
