# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of vectors, matrices and tensors."""

from __future__ import annotations

import operator
from typing import Any, Sequence, Tuple, Union

from ..positions import make_error
from ..tensor import T, make
from . import elementwise, reductions
from .axes import count, normalize_axis
from .broadcasting import (broadcast_shapes, broadcast_to, make_binary,
                           reshape_to)
from .manipulation import permute_dims, promote_all
from .promotion import promote


def matmul(x1: Any, x2: Any, /) -> Any:
    """The product of matrices, the last two dimensions of both.

    A vector is one row on the left, one column on the right; its dimension is
    not in the result. Other dimensions are broadcast.
    """
    left, right = promote(x1, x2)
    ranks = len(left._type[1]), len(right._type[1])
    if 0 in ranks:
        raise make_error("expected vectors or matrices, got a scalar")
    if ranks in ((1, 2), (2, 2)) or (
            ranks == (3, 3) and left._type[1][0] == right._type[1][0]):
        return make("matmul", [left, right])
    rows, columns = left._type[1][:-1], right._type[1][1:]
    if ranks[1] == 1:
        columns = ()
        right = reshape_to(right, (*right._type[1], 1))
    if ranks[1] <= 2:
        # One matrix for all rows of the left side.
        depth = left._type[1][-1]
        product = make("matmul",
                       [reshape_to(left, (count(rows), depth)), right])
        return reshape_to(product, (*rows, *columns))
    if ranks[0] == 1:
        left = reshape_to(left, (1, *left._type[1]))
    product = _multiply_batches(left, right)
    if ranks[0] > 1:
        return product
    shape = product._type[1]
    return reshape_to(product, (*shape[:-2], shape[-1]))


def _multiply_batches(left: T, right: T) -> T:
    batch = broadcast_shapes(left._type[1][:-2], right._type[1][:-2])
    operands = []
    for x in (left, right):
        matrix = x._type[1][-2:]
        whole = broadcast_to(x, (*batch, *matrix))
        operands.append(reshape_to(whole, (count(batch), *matrix)))
    product = make("matmul", operands)
    return reshape_to(product, (*batch, *product._type[1][-2:]))


def vecdot(x1: Any, x2: Any, /, *, axis: int = -1) -> Any:
    """The sum of ``x1 * x2`` along ``axis``, counted from the last."""
    left, right = promote(x1, x2)
    rank = min(len(left._type[1]), len(right._type[1]))
    if not -rank <= axis < 0:
        raise make_error(f"expected an axis from {-rank} to -1, got {axis}")
    if left._type[1][axis] != right._type[1][axis]:
        raise make_error(
            f"expected vectors of one length, got {left._type[1][axis]} and "
            f"{right._type[1][axis]}")
    product = make_binary("mul", left, right)
    return reductions.sum(product, axis=axis, dtype=left._type[0])


def tensordot(x1: Any, x2: Any, /, *,
              axes: Union[int, Tuple[Sequence[int], Sequence[int]]] = 2) -> Any:
    """The sum of products over axes of both.

    ``axes`` are lists of them, or a number: of the last ones of ``x1`` and the
    first ones of ``x2``.
    """
    left, right = promote(x1, x2)
    ranks = len(left._type[1]), len(right._type[1])
    if isinstance(axes, int):
        if not 0 <= axes <= min(ranks):
            raise make_error(f"expected 0 to {min(ranks)} axes, got {axes}")
        pairs: Any = (range(ranks[0] - axes, ranks[0]), range(axes))
    else:
        pairs = axes
    first, second = ([normalize_axis(operator.index(axis), rank)
                      for axis in one] for one, rank in zip(pairs, ranks))
    shapes = left._type[1], right._type[1]
    if [shapes[0][axis] for axis in first] != [shapes[1][axis]
                                               for axis in second]:
        raise make_error("expected axes of the same sizes, got "
                         f"{first} of {list(shapes[0])} and {second} of "
                         f"{list(shapes[1])}")
    rows = [axis for axis in range(ranks[0]) if axis not in first]
    columns = [axis for axis in range(ranks[1]) if axis not in second]
    depth = count(shapes[0], first)
    product = make("matmul", [
        reshape_to(permute_dims(left, rows + first),
                   (count(shapes[0], rows), depth)),
        reshape_to(permute_dims(right, second + columns),
                   (depth, count(shapes[1], columns)))])
    return reshape_to(product, (*(shapes[0][axis] for axis in rows),
                                *(shapes[1][axis] for axis in columns)))


def einsum(equation: str, /, *operands: Any) -> Any:
    """The sum of products that Einstein's summation asks for.

    ``equation`` as that of ``numpy.einsum``: a letter for each dimension.

    >>> import hamkaas as hk
    >>> rows, columns = hk.input("rows", [2, 3]), hk.input("columns", [4, 3])
    >>> hk.einsum("ij,kj->ik", rows, columns).shape
    (2, 4)
    """
    if not isinstance(equation, str):
        raise make_error(f"'einsum': expected an equation, got {equation!r}")
    return make("einsum", promote_all(operands), {"equation": equation})


def outer(x1: Any, x2: Any, /) -> Any:
    """The product of each element of ``x1`` with each of ``x2``, vectors."""
    left, right = promote(x1, x2)
    return elementwise.multiply(
        reshape_to(left, (count(left._type[1]), 1)),
        reshape_to(right, (1, count(right._type[1]))))
