# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images in other sizes."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from ..array_api import linear as products
from ..array_api.manipulation import moveaxis
from ..array_api.ordering import take
from ..array_api.promotion import as_tensor, cast
from ..arrays import Array
from ..positions import make_error
from ..tensor import T
from .arguments import (Sizes, check_float, check_rank, check_real,
                        check_sizes, check_tensor, check_word, refuse)

_NAME = "interpolate"

# Modes for each number of spatial dimensions.
_LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}


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


def _nearest_places(old: int, new: int, scale: float, offset: float,
                    dtype: str) -> Array:
    """The place in the input for each one of the result, rounded as torch
    does."""
    places = np.floor((np.arange(new) + np.asarray(offset, dtype)).astype(
        dtype) * np.asarray(scale, dtype))
    result: Array = np.minimum(places, old - 1).astype("int64")
    return result


def _linear_weights(old: int, new: int, scale: float,
                    align_corners: bool) -> Array:
    """A matrix with two neighbours' weights in each row."""
    if align_corners:
        places = np.arange(new) * ((old - 1) / (new - 1) if new > 1 else 0.0)
    else:
        places = np.maximum((np.arange(new) + 0.5) * scale - 0.5, 0)
    low = np.minimum(np.floor(places).astype(int), old - 1)
    share = np.clip(places - low, 0, 1)
    matrix = np.zeros([new, old])
    np.add.at(matrix, (np.arange(new), low), 1 - share)
    np.add.at(matrix, (np.arange(new), np.minimum(low + 1, old - 1)), share)
    return matrix


def _resize_linear(x: T, axis: int, weights: Array) -> T:
    matrix = as_tensor(weights.astype(x._type[0]), x)
    product = products.tensordot(x, matrix, axes=([axis], [1]))
    result: T = moveaxis(product, -1, axis)
    return result


def interpolate(input: T, size: Optional[Sizes] = None,
                scale_factor: Union[None, float, Sequence[float]] = None,
                mode: str = "nearest", align_corners: Optional[bool] = None,
                recompute_scale_factor: Optional[bool] = None,
                antialias: bool = False) -> T:
    """An image, N x C x spatial dimensions, of another size.

    ``size`` is that of the spatial dimensions, or ``scale_factor`` times the
    old one. ``mode`` is "nearest", "nearest-exact", or "linear", "bilinear" or
    "trilinear" for 1, 2 or 3 spatial dimensions; with ``align_corners`` the
    elements at the ends stay.

    >>> import hamkaas as hk
    >>> x = hk.input("x", [1, 3, 8, 8])
    >>> interpolate(x, scale_factor=2, mode="bilinear").shape
    (1, 3, 16, 16)
    """
    check_float(_NAME, check_tensor(_NAME, input))
    check_rank(_NAME, input, 3, 4, 5)
    refuse(_NAME, "antialias", antialias, False, "images are not smoothed")
    linear = _LINEAR[input.ndim - 2]
    check_word(_NAME, "mode", mode, "nearest", "nearest-exact", linear)
    if mode != linear and align_corners is not None:
        raise make_error(f"'{_NAME}': expected no 'align_corners' with "
                         f"mode='{mode}', got {align_corners!r}")
    name = input._type[0]
    computed = "float64" if name == "float64" else "float32"
    x = cast(input, computed) if mode == linear else input
    scales = _read_scales(input.shape[2:], size, scale_factor,
                          bool(recompute_scale_factor))
    for axis, (new, scale) in enumerate(scales, 2):
        old = input.shape[axis]
        # As in torch 2, these sizes count, and not the factor that gave them:
        # with mode "nearest" of two dimensions alone.
        by_size = input.ndim == 4 and mode == "nearest"
        if new == old and (by_size or mode == linear):
            continue
        if new == 2 * old and by_size:
            scale = 0.5
        if mode == linear:
            x = _resize_linear(x, axis, _linear_weights(
                old, new, scale, bool(align_corners)))
        else:
            offset = 0.5 if mode == "nearest-exact" else 0.0
            x = take(x, _nearest_places(old, new, scale, offset, computed),
                     axis=axis)
    return cast(x, name)
