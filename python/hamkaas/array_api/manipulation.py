# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions that move elements."""

from __future__ import annotations

import copy as copying
import operator
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np

from ..arrays import Shape, shape_of
from ..positions import make_error
from ..tensor import ElementType, T, make, make_in
from . import broadcasting, elementwise
from .axes import Axis, count, normalize_axes, normalize_axis
from .broadcasting import broadcast_shapes, reshape_to
from .promotion import as_tensor, cast, find_tensor, promote_names

#===------------------------------------------------------------------------===#
# Shapes
#===------------------------------------------------------------------------===#


def reshape(x: T, shape: Sequence[int], *, copy: Optional[bool] = None) -> T:
    """The same elements, row-major, in another shape of as many.

    One dimension may be -1: what the others leave.
    """
    sizes = shape_of(shape)
    if sizes.count(-1) == 1:
        others = -count(sizes)
        total = count(x._type[1])
        if others > 0 and total % others != 0:
            raise make_error(f"'reshape': expected a number of elements that "
                             f"{others} divides, got {total} for "
                             f"{list(sizes)}")
        if others > 0:
            sizes = tuple(total // others if size == -1 else size
                          for size in sizes)
    result = make("reshape", [x], {"shape": sizes})
    return copying.copy(result) if copy else result


def expand_dims(x: T, /, *, axis: Axis = 0) -> T:
    """``x`` with new dimensions of size 1 at ``axis`` of the result."""
    new = 1 if isinstance(axis, int) else len(axis or ())
    rank = len(x._type[1]) + new
    axes = normalize_axes(axis, rank)
    sizes = iter(x._type[1])
    return reshape_to(x, tuple(1 if i in axes else next(sizes)
                               for i in range(rank)))


def squeeze(x: T, /, axis: Axis) -> T:
    """``x`` without the dimensions ``axis``, which have size 1."""
    shape = x._type[1]
    axes = normalize_axes(axis, len(shape))
    for i in axes:
        if shape[i] != 1:
            raise make_error(f"expected axis {i} to have size 1, got "
                             f"{list(shape)}")
    return reshape_to(x, tuple(size for i, size in enumerate(shape)
                               if i not in axes))


def permute_dims(x: T, /, axes: Sequence[int]) -> T:
    """The dimensions in another order: that of ``axes``."""
    rank = len(x._type[1])
    order = tuple(normalize_axis(axis, rank) for axis in axes)
    if order == tuple(range(rank)):
        return x
    return make("permute", [x], {"permutation": order})


def matrix_transpose(x: T, /) -> T:
    """``x`` with its last two dimensions exchanged."""
    rank = len(x._type[1])
    if rank < 2:
        raise make_error(f"expected at least 2 dimensions, got {rank}")
    return permute_dims(x, (*range(rank - 2), rank - 1, rank - 2))


def moveaxis(x: T, source: Union[int, Sequence[int]],
             destination: Union[int, Sequence[int]], /) -> T:
    """``x`` with the dimensions ``source`` at ``destination``."""
    rank = len(x._type[1])
    sources, places = (
        [normalize_axis(axis, rank) for axis in
         ([axes] if isinstance(axes, int) else axes)]
        for axes in (source, destination))
    if len(sources) != len(places) or len(set(sources)) != len(sources) or \
            len(set(places)) != len(places):
        raise make_error("expected as many axes to move as places, all "
                         f"different, got {source} and {destination}")
    order = [axis for axis in range(rank) if axis not in sources]
    for place, axis in sorted(zip(places, sources)):
        order.insert(place, axis)
    return permute_dims(x, order)


def broadcast_to(x: T, /, shape: Sequence[int]) -> T:
    """``x`` repeated to ``shape``."""
    sizes = shape_of(shape)
    if broadcast_shapes(x._type[1], sizes) != sizes:
        raise make_error(f"expected a shape to which {list(x._type[1])} can "
                         f"be broadcast, got {list(sizes)}")
    return broadcasting.broadcast_to(x, sizes)


def broadcast_arrays(*tensors: T) -> List[T]:
    """All in the shape to which they can be broadcast."""
    return list(broadcasting.broadcast_all(*tensors))


#===------------------------------------------------------------------------===#
# Joining and cutting
#===------------------------------------------------------------------------===#


def promote_all(arrays: Sequence[Any]) -> List[Any]:
    """Tensors of one element type."""
    like = find_tensor(arrays)
    tensors = [as_tensor(array, like) for array in arrays]
    name = tensors[0]._type[0]
    for tensor in tensors[1:]:
        name = promote_names(name, tensor._type[0])
    return [cast(tensor, name) for tensor in tensors]


def concat(arrays: Sequence[Any], /, *, axis: Optional[int] = 0) -> Any:
    """Tensors one after the other along ``axis``; flattened if that is None."""
    tensors = promote_all(arrays)
    if axis is None:
        tensors = [reshape_to(x, (count(x._type[1]),)) for x in tensors]
        axis = 0
    return make("concat", tensors,
                {"dim": normalize_axis(axis, len(tensors[0]._type[1]))})


def stack(arrays: Sequence[Any], /, *, axis: int = 0) -> Any:
    """Tensors of one shape along a new axis."""
    tensors = promote_all(arrays)
    axis = normalize_axis(axis, len(tensors[0]._type[1]) + 1)
    return concat([expand_dims(x, axis=axis) for x in tensors], axis=axis)


def take_range(x: T, axis: int, begin: int, end: int) -> T:
    """The entries ``begin`` to ``end - 1`` along ``axis``."""
    shape = x._type[1]
    if (begin, end) == (0, shape[axis]):
        return x
    if axis == 0:
        return make("slice", [x], {"begin": begin, "end": end})
    return make("strided_slice", [x], {
        "offsets": tuple(begin if i == axis else 0 for i in range(len(shape))),
        "sizes": tuple(end - begin if i == axis else size
                       for i, size in enumerate(shape)),
        "strides": (1,) * len(shape)})


def unstack(x: T, /, *, axis: int = 0) -> Tuple[T, ...]:
    """The entries along ``axis``, as tensors without it."""
    axis = normalize_axis(axis, len(x._type[1]))
    return tuple(squeeze(take_range(x, axis, i, i + 1), axis)
                 for i in range(x._type[1][axis]))


def split(x: T, /, indices_or_sections: Union[int, Sequence[int]], *,
          axis: int = 0) -> Tuple[T, ...]:
    """``x`` cut along ``axis`` into equal sections, or before each index.

    As ``numpy.split``; a node has no empty parts.
    """
    axis = normalize_axis(axis, len(x._type[1]))
    size = x._type[1][axis]
    if isinstance(indices_or_sections, Sequence):
        cuts = [0, *map(operator.index, indices_or_sections), size]
    else:
        sections = operator.index(indices_or_sections)
        if sections < 1 or size % sections:
            raise make_error(f"expected a number of sections that divides "
                             f"{size}, got {sections}")
        cuts = [i * (size // sections) for i in range(sections + 1)]
    if any(begin > end for begin, end in zip(cuts, cuts[1:])):
        raise make_error("expected ascending indices between 0 and "
                         f"{size}, got {indices_or_sections}")
    return tuple(take_range(x, axis, begin, end)
                 for begin, end in zip(cuts, cuts[1:]))


def diff(x: T, /, *, axis: int = -1, n: int = 1) -> T:
    """The differences of neighbours along ``axis``, taken ``n`` times."""
    axis = normalize_axis(axis, len(x._type[1]))
    size = x._type[1][axis]
    if n < 0:
        raise make_error(f"expected 0 differences or more, got {n}")
    for last in range(size, max(size - n, 0), -1):
        x = elementwise.subtract(take_range(x, axis, 1, last),
                                 take_range(x, axis, 0, last - 1))
    return x if n else copying.copy(x)


#===------------------------------------------------------------------------===#
# Order and repetition
#===------------------------------------------------------------------------===#


def flip(x: T, /, *, axis: Axis = None) -> T:
    """``x`` with the elements along the axes in reverse order."""
    shape = x._type[1]
    axes = normalize_axes(axis, len(shape))
    if not axes:
        return x
    return make("strided_slice", [x], {
        "offsets": tuple(size - 1 if i in axes else 0
                         for i, size in enumerate(shape)),
        "sizes": shape,
        "strides": tuple(-1 if i in axes else 1 for i in range(len(shape)))})


def roll(x: T, /, shift: Union[int, Sequence[int]], *, axis: Axis = None) -> T:
    """``x`` shifted along the axes; what leaves at an end enters at the other.

    Without ``axis``, all elements in a row are shifted.
    """
    if axis is None:
        flat = reshape_to(x, (count(x._type[1]),))
        return copying.copy(
            reshape_to(roll(flat, shift, axis=0), x._type[1]))
    axes = axis if isinstance(axis, Sequence) else [axis]
    shifts = shift if isinstance(shift, Sequence) else [shift] * len(axes)
    if len(shifts) != len(axes):
        raise make_error(f"expected a shift for each of {len(axes)} axes, got "
                         f"{len(shifts)}")
    for by, one in zip(shifts, axes):
        one = normalize_axis(one, len(x._type[1]))
        size = x._type[1][one]
        if cut := -operator.index(by) % max(size, 1):
            x = make("concat", [take_range(x, one, cut, size),
                                take_range(x, one, 0, cut)], {"dim": one})
    return copying.copy(x)


def tile(x: T, /, repetitions: Sequence[int]) -> T:
    """``x`` as often along each axis as ``repetitions`` say."""
    repeats = shape_of(repetitions)
    rank = max(len(repeats), len(x._type[1]))
    repeats = (1,) * (rank - len(repeats)) + repeats
    shape = (1,) * (rank - len(x._type[1])) + x._type[1]
    _check_repeats(repeats)
    for axis, (size, times) in enumerate(zip(shape, repeats)):
        if times != 1:
            x = _repeat_blocks(reshape_to(x, shape), axis, times)
            shape = x._type[1]
    return copying.copy(reshape_to(x, shape))


def _check_repeats(repeats: Shape) -> None:
    if any(times < 0 for times in repeats):
        raise make_error("expected repetitions of at least 0, got "
                         f"{list(repeats)}")


def _repeat_blocks(x: T, axis: int, times: int) -> T:
    """Repeats the dimensions from ``axis`` on ``times`` times, as a block."""
    shape = x._type[1]
    outer, inner = count(shape[:axis]), count(shape[axis:])
    x = broadcasting.broadcast_to(reshape_to(x, (outer, 1, inner)),
                                  (outer, times, inner))
    return reshape_to(x, (*shape[:axis], shape[axis] * times,
                          *shape[axis + 1:]))


def repeat(x: T, repeats: Union[int, Sequence[int]], /, *,
           axis: Optional[int] = None) -> T:
    """Each entry along ``axis`` as often as ``repeats`` says.

    Without ``axis``, each of all elements in a row. ``repeats`` is a number or
    one for each entry.
    """
    if axis is None:
        x, axis = reshape_to(x, (count(x._type[1]),)), 0
    axis = normalize_axis(axis, len(x._type[1]))
    size = x._type[1][axis]
    if not isinstance(repeats, (Sequence, np.ndarray)):
        times = operator.index(repeats)
        _check_repeats((times,))
        blocks = _repeat_blocks(reshape_to(
            x, (*x._type[1][:axis + 1], 1, *x._type[1][axis + 1:])), axis + 1,
            times)
        return copying.copy(reshape_to(
            blocks, (*x._type[1][:axis], size * times,
                     *x._type[1][axis + 1:])))
    numbers = shape_of(repeats)
    _check_repeats(numbers)
    if len(numbers) != size:
        raise make_error(f"expected {size} numbers of repetitions, got "
                         f"{list(numbers)}")
    if not any(numbers):
        return take_range(x, axis, 0, 0)
    return make("concat", [
        _repeat_blocks(take_range(x, axis, i, i + 1), axis, times)
        for i, times in enumerate(numbers) if times], {"dim": axis})


#===------------------------------------------------------------------------===#
# Triangles
#===------------------------------------------------------------------------===#


def tril(x: T, /, *, k: int = 0) -> T:
    """The last two dimensions with 0 above diagonal ``k``."""
    return make("tril", [x], {"diagonal": operator.index(k)})


def triu(x: T, /, *, k: int = 0) -> T:
    """The last two dimensions with 0 below diagonal ``k``."""
    return make("triu", [x], {"diagonal": operator.index(k)})


#===------------------------------------------------------------------------===#
# Places
#===------------------------------------------------------------------------===#


def make_places(x: T, axis: int) -> T:
    """The places along ``axis``, to be broadcast to the shape of ``x``."""
    rank = len(x._type[1])
    axis = normalize_axis(axis, rank)
    size = x._type[1][axis]
    return make_in(type(x), "iota", {
        "dim": axis, "type": ElementType("int64"),
        "shape": tuple(size if i == axis else 1 for i in range(rank))})
