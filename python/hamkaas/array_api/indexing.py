# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""``x[...]`` as numpy has it.

Basic indices, slices and integers, are one slice with strides. Arrays of
integers gather: static ones are checked here, others when a model runs. Masks
of booleans are arrays, as the size of the result must be known.
"""

from __future__ import annotations

import operator
from typing import Any, List, NamedTuple, Tuple

import numpy as np

from ..arrays import Array, Shape, as_dense, is_array
from ..positions import make_error
from ..tensor import T, Tensor, literal, make
from .broadcasting import broadcast_all, reshape_to
from .manipulation import moveaxis, permute_dims
from .ordering import check_indices, gather_points
from .promotion import kind_of


class _Parsed(NamedTuple):
    """An index, taken apart."""

    offsets: List[int]
    sizes: List[int]
    strides: List[int]
    """For each dimension of the tensor."""
    shape: List[int]
    """Of the result of the slice, with new dimensions and without those of
    integers."""
    gathers: List[Tuple[int, Any]]
    """Dimensions of ``shape`` and the integers that choose along them."""


def _dimensions_of(index: Any) -> int:
    """The dimensions of the tensor that an index is for."""
    if index is None or index is Ellipsis:
        return 0
    if isinstance(index, (bool, np.bool_)):
        raise make_error("expected an index that is no boolean, got "
                         f"{index}; a mask is an array")
    is_mask = isinstance(index, np.ndarray) and index.dtype == bool
    return index.ndim if is_mask else 1


def _as_index(index: Any) -> Any:
    """An index whose arrays are those of numpy, or tensors."""
    if isinstance(index, Tensor):
        if kind_of(index._type[0]) == "b":
            raise make_error(
                "expected a mask whose elements are known, an array, got a "
                "tensor; the size of the result would not be known, see where")
        return index
    if isinstance(index, list):
        # numpy takes an empty list for floats.
        index = np.asarray(index, None if index else np.int64)
    if isinstance(index, np.generic):
        return index.item()
    if is_array(index):
        index = as_dense(index)
        if index.dtype != bool and index.dtype.kind not in "iu":
            raise make_error("expected integers or booleans as indices, got "
                             f"{index.dtype}")
        return int(index) if index.ndim == 0 and index.dtype != bool else index
    return index


def _complete(key: Any, rank: int) -> List[Any]:
    """The indices for all dimensions, with slices for an Ellipsis."""
    indices = [_as_index(one)
               for one in (key if isinstance(key, tuple) else (key,))]
    places = [i for i, one in enumerate(indices) if one is Ellipsis]
    if len(places) > 1:
        raise make_error("expected at most one Ellipsis, got several")
    given = sum(map(_dimensions_of, indices))
    if given > rank:
        raise make_error(f"expected indices of at most {rank} dimensions, "
                         f"got {given} dimensions")
    place = places[0] if places else len(indices)
    return [*indices[:place], *[slice(None)] * (rank - given),
            *indices[place + 1:]]


def _add_slice(parsed: _Parsed, index: slice, size: int) -> None:
    if index.step == 0:
        raise make_error("expected a step other than 0, got 0")
    begin, end, stride = index.indices(size)
    number = len(range(begin, end, stride))
    parsed.offsets.append(max(begin, 0))
    parsed.sizes.append(number)
    # The stride of a single entry, or of none, has no effect.
    parsed.strides.append(stride if number > 1 else 1)
    parsed.shape.append(number)


def _add_integer(parsed: _Parsed, index: int, size: int) -> None:
    if not -size <= index < size:
        raise make_error(f"expected an index from {-size} to {size - 1}, got "
                         f"{index}")
    parsed.offsets.append(index % size)
    parsed.sizes.append(1)
    parsed.strides.append(1)


def _add_gather(parsed: _Parsed, index: Any, shape: Shape) -> None:
    """Arrays of integers along one dimension, or a mask along several."""
    is_mask = isinstance(index, np.ndarray) and index.dtype == bool
    if is_mask and index.shape != shape:
        raise make_error("expected a mask of the shape of what it chooses "
                         f"from, {list(shape)}, got {list(index.shape)}")
    chosen = np.nonzero(index) if is_mask else (index,)
    for one, size in zip(chosen, shape):
        if isinstance(one, np.ndarray):
            one = _check_integers(one, size)
        parsed.gathers.append((len(parsed.shape), one))
        _add_slice(parsed, slice(None), size)


def _check_integers(index: Array, size: int) -> Array:
    if index.size == 0:
        return index.astype(np.int64)
    low, high = int(index.min()), int(index.max())
    if low < -size or high >= size:
        raise make_error(f"expected indices from {-size} to {size - 1}, got "
                         f"{low if low < -size else high}")
    integers = index.astype(np.int64)
    return np.where(integers < 0, integers + size, integers)


def _parse(indices: List[Any], shape: Shape) -> _Parsed:
    parsed = _Parsed([], [], [], [], [])
    dimension = 0
    for index in indices:
        if index is None:
            parsed.shape.append(1)
            continue
        covered = _dimensions_of(index)
        if isinstance(index, slice):
            _add_slice(parsed, index, shape[dimension])
        elif isinstance(index, (Tensor, np.ndarray)):
            _add_gather(parsed, index, shape[dimension:dimension + covered])
        else:
            _add_integer(parsed, operator.index(index), shape[dimension])
        dimension += covered
    return parsed


def _slice(x: T, parsed: _Parsed) -> T:
    """Slices with strides; rows of the first dimension are a view."""
    shape = x._type[1]
    begin, size = parsed.offsets[:1], parsed.sizes[:1]
    is_whole = all(number == length
                   for number, length in zip(parsed.sizes[1:], shape[1:]))
    if not any(stride != 1 for stride in parsed.strides) and is_whole:
        if size != list(shape[:1]):
            x = make("slice", [x], {"begin": begin[0],
                                    "end": begin[0] + size[0]})
    else:
        x = make("strided_slice", [x], {
            "offsets": tuple(parsed.offsets), "sizes": tuple(parsed.sizes),
            "strides": tuple(parsed.strides)})
    return reshape_to(x, tuple(parsed.shape))


def _gather(x: T, gathers: List[Tuple[int, Any]], is_split: bool) -> T:
    """The entries at points; their dimensions come where those of the indices
    were, or first if these were apart."""
    axes = [axis for axis, _ in gathers]
    points = broadcast_all(*(
        literal(x, index) if isinstance(index, np.ndarray) else
        check_indices(index, x) for _, index in gathers))
    if len(points) == 1:
        return make("gather", [x, points[0]], {"dim": axes[0]})
    rank = len(x._type[1])
    others = [axis for axis in range(rank) if axis not in axes]
    chosen = gather_points(permute_dims(x, axes + others), points)
    if is_split:
        return chosen
    new = len(points[0]._type[1])
    return moveaxis(chosen, range(new), range(axes[0], axes[0] + new))


def _is_split(key: Any) -> bool:
    """True if something stands between indices that gather.

    As numpy has it, also an Ellipsis for no dimensions.
    """
    kinds = ["-" if index is None or index is Ellipsis or
             isinstance(index, slice) else "x"
             for index in (key if isinstance(key, tuple) else ())]
    return "-" in "".join(kinds).strip("-")


def get_item(x: T, key: Any) -> T:
    """``x[key]``."""
    if isinstance(key, str):
        raise TypeError(f"expected slices, integers or arrays as indices, got "
                        f"{key!r}")
    indices = _complete(key, len(x._type[1]))
    has_arrays = any(isinstance(one, (Tensor, np.ndarray)) for one in indices)
    if has_arrays:
        # As numpy has it, integers are then arrays as well.
        indices = [np.asarray(one) if isinstance(one, int) else one
                   for one in indices]
    parsed = _parse(indices, x._type[1])
    x = _slice(x, parsed)
    if not parsed.gathers:
        return x
    return _gather(x, parsed.gathers, _is_split(key))
