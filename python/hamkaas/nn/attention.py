# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, and tables looked up by indices."""

from __future__ import annotations

import math
from typing import Any, Optional, Tuple

from ..array_api import elementwise, reductions
from ..array_api.axes import count
from ..array_api.broadcasting import (add_dimensions, broadcast_shapes,
                                      broadcast_to, reshape_to)
from ..array_api.manipulation import make_places
from ..array_api.promotion import cast, kind_of
from ..arrays import Shape
from ..gradients import stop_gradient
from ..graph import Node
from ..positions import make_error
from ..tensor import ElementType, T, make
from .arguments import (check_float, check_integer, check_operand, check_real,
                        check_tensor, refuse)

_NAME = "scaled_dot_product_attention"


def _flatten_batch(x: T, batch: Shape) -> T:
    """``x`` with all of its batch as one dimension."""
    whole = broadcast_to(x, (*batch, *x._type[1][-2:]))
    return reshape_to(whole, (count(batch), *x._type[1][-2:]))


def _causal_mask(query: T, key: T) -> T:
    """True at the places that a query does not see, those after it."""
    rows = make_places(reshape_to(query, (1, *query._type[1][-2:]))
                       if query.ndim == 2 else query, -2)
    columns = make_places(key, -2)
    rows = reshape_to(rows, (1, query._type[1][-2], 1))
    columns = reshape_to(columns, (1, 1, key._type[1][-2]))
    result: T = elementwise.greater(columns, rows)
    return result


def _flatten_mask(mask: T, batch: Shape, scores: Tuple[int, int]) -> T:
    """``mask`` with one dimension for the batch, of size 1 where it can."""
    mask = add_dimensions(mask, len(batch) + 2)
    shape = mask._type[1]
    if broadcast_shapes(shape, (*batch, *scores)) != (*batch, *scores):
        raise make_error(f"'{_NAME}': expected 'attn_mask' of a shape that can "
                         f"be broadcast to {[*batch, *scores]}, got "
                         f"{list(shape)}")
    if count(shape[:-2]) == 1:
        return reshape_to(mask, (1, *shape[-2:]))
    return _flatten_batch(mask, batch)


def _repeat_heads(query: T, x: T) -> T:
    """``x`` with each head as often as there are queries for it."""
    if min(query.ndim, x.ndim) < 3 or query.shape[-3] % x.shape[-3]:
        raise make_error(f"'{_NAME}': expected with enable_gqa heads in "
                         "dimension -3, those of the query a multiple, got "
                         f"{list(query.shape)} and {list(x.shape)}")
    times = query.shape[-3] // x.shape[-3]
    return x if times == 1 else make("repeat_elements", [x], {
        "count": times, "axis": x.ndim - 3})


def _check_shapes(query: T, key: T, value: T) -> None:
    if min(query.ndim, key.ndim, value.ndim) < 2 or \
            query.shape[-1] != key.shape[-1] or \
            key.shape[-2] != value.shape[-2]:
        raise make_error(f"'{_NAME}': expected ... x L x E, ... x S x E and "
                         f"... x S x EV, got {list(query.shape)}, "
                         f"{list(key.shape)} and {list(value.shape)}")
    names = [x._type[0] for x in (query, key, value)]
    if len(set(names)) != 1:
        raise make_error(f"'{_NAME}': expected operands of one type, got "
                         f"{', '.join(names)}")


def _read_mask(mask: Any, query: T, batch: Shape, scores: Tuple[int, int]) \
        -> Tuple[Optional[T], Optional[T]]:
    """The mask of excluded scores, and the addend of the scores."""
    if mask is None:
        return None, None
    flat = _flatten_mask(check_operand(_NAME, "attn_mask", mask, query), batch,
                         scores)
    if flat._type[0] == "bool":
        return make("not", [flat]), None
    if flat._type[0] != query._type[0]:
        raise make_error(f"'{_NAME}': expected 'attn_mask' of bool or "
                         f"{query._type[0]}, got {flat._type[0]}")
    return None, flat


def _sees_a_key(mask: Optional[T], bias: Optional[T]) -> Any:
    """Where a query has a score; None if each one has."""
    if mask is not None:
        return elementwise.logical_not(
            reductions.all(mask, axis=-1, keepdims=True))
    if bias is not None:
        return elementwise.greater(
            reductions.max(bias, axis=-1, keepdims=True), -math.inf)
    return None


def _attend(q: T, k: T, v: T, mask: Optional[T], bias: Optional[T],
            scale: float) -> T:
    """Attention of three dimensions, in float32 for floats of 16 bits."""
    name = q._type[0]
    if name != "float64":
        q, k, v = (cast(x, "float32") for x in (q, k, v))
        bias = None if bias is None else cast(bias, "float32")
        return cast(make("attention", [q, k, v, mask, bias],
                         {"scale": scale}), name)
    scores: T = elementwise.multiply(
        make("matmul", [q, make("permute", [k], {"permutation": (0, 2, 1)})]),
        scale)
    if bias is not None:
        scores = elementwise.add(scores, bias)
    if mask is not None:
        scores = elementwise.where(mask, -math.inf, scores)
    return make("matmul", [make("softmax", [scores], {"axes": (2,)}), v])


def scaled_dot_product_attention(
        query: T, key: Any, value: Any, attn_mask: Any = None,
        dropout_p: float = 0.0, is_causal: bool = False,
        scale: Optional[float] = None, enable_gqa: bool = False) -> T:
    """``softmax(scale * query @ key^T + mask) @ value``.

    ``query``: ... x L x E, ``key``: ... x S x E, ``value``: ... x S x EV.
    ``attn_mask`` can be broadcast to ... x L x S: booleans, True where a query
    sees a key, or floats that are added. With ``is_causal`` query ``i`` sees
    the keys 0 to ``i``. ``scale`` defaults to ``1 / sqrt(E)``. With
    ``enable_gqa`` the heads, dimension -3, of ``key`` and ``value`` serve
    several of ``query``. The result of a query that sees no key is 0.
    """
    check_float(_NAME, check_tensor(_NAME, query, "query"))
    key = check_operand(_NAME, "key", key, query)
    value = check_operand(_NAME, "value", value, query)
    _check_shapes(query, key, value)
    if check_real(_NAME, "dropout_p", dropout_p) != 0:
        raise make_error(f"'{_NAME}': expected dropout_p=0, got "
                         f"{dropout_p!r}: a run drops nothing")
    if is_causal and attn_mask is not None:
        raise make_error(f"'{_NAME}': expected no 'attn_mask' with is_causal")
    if enable_gqa:
        key, value = (_repeat_heads(query, x) for x in (key, value))
    batch = broadcast_shapes(*(x.shape[:-2] or (1,)
                               for x in (query, key, value)))
    mask, bias = _read_mask(attn_mask, query, batch,
                            (query.shape[-2], key.shape[-2]))
    if is_causal:
        mask = _causal_mask(query, key)
    factor = 1 / math.sqrt(query.shape[-1]) if scale is None else \
        check_real(_NAME, "scale", scale)
    q, k, v = (_flatten_batch(x, batch) for x in (query, key, value))
    sees = None if is_causal else _sees_a_key(mask, bias)
    if sees is not None and bias is not None:
        # Weights of NaN would reach the gradients of all keys.
        bias = elementwise.where(sees, bias, 0.0)
    result: T = _attend(q, k, v, mask, bias, factor)
    if sees is not None:
        result = elementwise.where(sees, result, 0.0)
    rank = max(query.ndim, key.ndim, value.ndim)
    return reshape_to(result, (*(batch if rank > 2 else ()),
                               query.shape[-2], value.shape[-1]))


def embedding(input: T, weight: Any, padding_idx: Optional[int] = None,
              max_norm: Optional[float] = None, norm_type: float = 2.0,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> T:
    """The rows ``weight[input]``: ``input.shape`` x E.

    ``input``: integers, ``weight``: V x E. The row ``padding_idx`` gets no
    gradient; the last three arguments concern gradients, too, and change
    nothing. A run ends with an error if an index is outside of the table;
    unlike torch's, negative ones count from its end.
    """
    check_tensor("embedding", input)
    refuse("embedding", "max_norm", max_norm, None, "weights do not change")
    if kind_of(input._type[0]) not in "iu":
        raise make_error("'embedding': expected integers as input, got "
                         f"{input._type[0]}")
    table = check_operand("embedding", "weight", weight, input)
    rows: T = make("embedding", [input, table])
    if padding_idx is None or not isinstance(rows, Node):
        return rows
    size = table._type[1][0]
    row = check_padding(padding_idx, size)
    is_padding = elementwise.logical_or(elementwise.equal(input, row),
                                        elementwise.equal(input, row - size))
    shape = (*input._type[1], 1)
    result: T = elementwise.where(reshape_to(is_padding, shape),
                                  stop_gradient(rows), rows)
    return result


def check_padding(index: Any, size: int) -> int:
    """The row of a table of ``size`` rows that ``padding_idx`` says."""
    row = check_integer("embedding", "padding_idx", index)
    if not -size <= row < size:
        raise make_error(f"'embedding': expected 'padding_idx' from {-size} to "
                         f"{size - 1}, got {row}")
    return row % size


def one_hot(tensor: T, num_classes: int = -1) -> T:
    """int64: 1 where the place in the new last dimension is the index.

    ``num_classes`` must be given, as shapes do not depend on values. An index
    outside has zeros only.
    """
    check_tensor("one_hot", tensor, "tensor")
    classes = check_integer("one_hot", "num_classes", num_classes)
    if classes < 1:
        raise make_error("'one_hot': expected 'num_classes' of at least 1, got "
                         f"{classes}")
    return make("one_hot", [tensor], {"classes": classes,
                                      "type": ElementType("int64")})
