# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention with parameters, and layers of transformers."""

from __future__ import annotations

import copy
import math
from typing import Any, Callable, List, Optional, Sequence, Tuple

import numpy as np

from ..arrays import DTypeLike
from ..array_api import elementwise, manipulation, reductions
from ..array_api.promotion import cast
from ..graph import Node
from ..positions import make_error
from . import activations, init
from .arguments import check_integer
from .attention import scaled_dot_product_attention
from .convolutions import linear
from .layers import Dropout, LayerNorm, Linear
from .module import Module, Parameter, get_rng


class MultiheadAttention(Module):
    """Attention of several heads, with projections.

    A call takes query, key and value, and returns the result and the mean
    weights of the heads, or None without ``need_weights``. Masks of booleans
    are True where a key is not seen; others are added. ``is_causal`` is the
    mask of later keys.
    """

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0,
                 bias: bool = True, batch_first: bool = False,
                 dtype: DTypeLike = "float32") -> None:
        if num_heads < 1 or embed_dim % num_heads:
            raise make_error("expected heads that divide embed_dim, got "
                             f"{num_heads} and {embed_dim}")
        self.num_heads, self.batch_first = num_heads, batch_first
        self.dropout = Dropout(dropout)
        self.in_proj_weight = Parameter(init.xavier_uniform(
            [3 * embed_dim, embed_dim], rng=get_rng()), dtype)
        self.in_proj_bias = Parameter(np.zeros(3 * embed_dim), dtype) \
            if bias else None
        self.out_proj = Linear(embed_dim, embed_dim, bias, dtype)
        if self.out_proj.bias is not None:
            self.out_proj.bias._fill(np.zeros(embed_dim))

    def _project(self, inputs: Tuple[Node, ...]) -> Tuple[Node, ...]:
        """n x heads x length x width of each."""
        if inputs[0] is inputs[1] is inputs[2]:
            joint = linear(inputs[0], self.in_proj_weight, self.in_proj_bias)
            parts = manipulation.split(joint, 3, axis=-1)
        else:
            weights = manipulation.split(self.in_proj_weight, 3, axis=0)
            biases = [None] * 3 if self.in_proj_bias is None else \
                manipulation.split(self.in_proj_bias, 3, axis=0)
            parts = tuple(linear(x, w, b)
                          for x, w, b in zip(inputs, weights, biases))
        return tuple(manipulation.permute_dims(part.reshape(
            [*part.shape[:2], self.num_heads, -1]), (0, 2, 1, 3))
            for part in parts)

    def forward(self, query: Node, key: Node, value: Node,
                key_padding_mask: Any = None, need_weights: bool = True,
                attn_mask: Any = None, is_causal: bool = False) -> Any:
        inputs = (query, key, value)
        if any(x.ndim != 3 for x in inputs):
            raise make_error("expected inputs of 3 dimensions, got " + ", ".join(
                str(list(x.shape)) for x in inputs))
        if not self.batch_first:
            swapped = {id(x): manipulation.permute_dims(x, (1, 0, 2))
                       for x in inputs}
            inputs = (swapped[id(query)], swapped[id(key)], swapped[id(value)])
        q, k, v = self._project(inputs)
        mask = _join(attn_mask, key_padding_mask, is_causal, q, k)
        drops = self.training and self.dropout.p > 0
        weights = None
        if need_weights or drops:
            result, weights = self._weigh(q, k, v, mask)
        else:
            result = scaled_dot_product_attention(q, k, v, mask)
        result = manipulation.permute_dims(result, (0, 2, 1, 3))
        result = self.out_proj(result.reshape([*result.shape[:2], -1]))
        if not self.batch_first:
            result = manipulation.permute_dims(result, (1, 0, 2))
        return result, weights if need_weights else None

    def _weigh(self, q: Node, k: Node, v: Node,
               mask: Optional[Node]) -> Tuple[Node, Node]:
        scores = (q / math.sqrt(q.shape[-1])) @ manipulation.matrix_transpose(k)
        if mask is not None:
            scores = scores + mask
        weights = activations.softmax(scores, -1)
        if self.training and self.dropout.p > 0:
            weights = self.dropout(weights)
        return weights @ v, reductions.mean(weights, axis=1)


def _as_addend(mask: Any, like: Node) -> Node:
    node = mask if isinstance(mask, Node) else Node._make_constant(
        np.ascontiguousarray(mask), True)
    if node._type[0] != "bool":
        return node
    zeros = cast(node, like._type[0]) * 0.0
    result: Node = elementwise.where(node, -math.inf, zeros)
    return result


def _join(attn_mask: Any, padding: Any, is_causal: bool, q: Node,
          k: Node) -> Optional[Node]:
    """The addends of the scores, n x heads x L x S."""
    addends = []
    if is_causal:
        shape = (q.shape[2], k.shape[2])
        later = np.triu(np.full(shape, -np.inf, q.dtype), 1)
        addends.append(Node._make_constant(later, True))
    if attn_mask is not None:
        addend = _as_addend(attn_mask, q)
        if addend.ndim == 3:
            addend = addend.reshape([*q.shape[:2], *addend.shape[1:]])
        addends.append(addend)
    if padding is not None:
        addend = _as_addend(padding, q)
        addends.append(addend.reshape([addend.shape[0], 1, 1, -1]))
    total = None
    for addend in addends:
        total = addend if total is None else total + addend
    return total


def _find_activation(name: str) -> Any:
    if name not in ("relu", "gelu"):
        raise make_error("expected an activation of 'relu' and 'gelu', got "
                         f"{name!r}")
    return getattr(activations, name)


class _TransformerLayer(Module):
    """Attentions and a network of two layers."""

    def __init__(self, attentions: Sequence[str], d_model: int, nhead: int,
                 dim_feedforward: int, dropout: float, activation: str,
                 layer_norm_eps: float, batch_first: bool, norm_first: bool,
                 dtype: DTypeLike) -> None:
        self.norm_first = norm_first
        self.activation = _find_activation(activation)
        for name in attentions:
            setattr(self, name, MultiheadAttention(
                d_model, nhead, dropout, True, batch_first, dtype))
        self.linear1 = Linear(d_model, dim_feedforward, True, dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, True, dtype)
        for number in range(1, len(attentions) + 2):
            setattr(self, f"norm{number}",
                    LayerNorm(d_model, layer_norm_eps, dtype=dtype))
            setattr(self, f"dropout{number}", Dropout(dropout))

    def _add(self, number: int, x: Node,
             compute: Callable[[Node], Node]) -> Node:
        """Adds what `compute` makes of `x`, with a norm before or behind."""
        norm = getattr(self, f"norm{number}")
        dropout = getattr(self, f"dropout{number}")
        if self.norm_first:
            before: Node = x + dropout(compute(norm(x)))
            return before
        behind: Node = norm(x + dropout(compute(x)))
        return behind

    def _feed(self, x: Node) -> Node:
        result: Node = self.linear2(
            self.dropout(self.activation(self.linear1(x))))
        return result


class TransformerEncoderLayer(_TransformerLayer):
    """Attention to itself and a network of two layers, each with a residual
    and a normalization."""

    self_attn: MultiheadAttention

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048,
                 dropout: float = 0.1, activation: str = "relu",
                 layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False,
                 dtype: DTypeLike = "float32") -> None:
        super().__init__(["self_attn"], d_model, nhead, dim_feedforward,
                         dropout, activation, layer_norm_eps, batch_first,
                         norm_first, dtype)

    def forward(self, src: Node, src_mask: Any = None,
                src_key_padding_mask: Any = None,
                is_causal: bool = False) -> Node:
        x = self._add(1, src, lambda x: self.self_attn(
            x, x, x, src_key_padding_mask, False, src_mask, is_causal)[0])
        return self._add(2, x, self._feed)


def _copy(name: str, layer: Module, count: int) -> List[Any]:
    if check_integer(name, "num_layers", count) < 1:
        raise make_error(f"'{name}': expected 'num_layers' to be at least 1, "
                         f"got {count}")
    return [copy.deepcopy(layer) for _ in range(count)]


class TransformerEncoder(Module):
    """Copies of a layer, one behind the other."""

    def __init__(self, encoder_layer: Module, num_layers: int,
                 norm: Optional[Module] = None) -> None:
        self.layers = _copy("TransformerEncoder", encoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src: Node, mask: Any = None,
                src_key_padding_mask: Any = None,
                is_causal: bool = False) -> Node:
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, is_causal)
        return src if self.norm is None else self.norm(src)


class TransformerDecoderLayer(_TransformerLayer):
    """Attention to itself, attention to the result of an encoder, and a network
    of two layers, each with a residual and a normalization."""

    self_attn: MultiheadAttention
    multihead_attn: MultiheadAttention

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048,
                 dropout: float = 0.1, activation: str = "relu",
                 layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False,
                 dtype: DTypeLike = "float32") -> None:
        super().__init__(["self_attn", "multihead_attn"], d_model, nhead,
                         dim_feedforward, dropout, activation, layer_norm_eps,
                         batch_first, norm_first, dtype)

    def forward(self, tgt: Node, memory: Node, tgt_mask: Any = None,
                memory_mask: Any = None, tgt_key_padding_mask: Any = None,
                memory_key_padding_mask: Any = None,
                tgt_is_causal: bool = False,
                memory_is_causal: bool = False) -> Node:
        x = self._add(1, tgt, lambda x: self.self_attn(
            x, x, x, tgt_key_padding_mask, False, tgt_mask, tgt_is_causal)[0])
        x = self._add(2, x, lambda x: self.multihead_attn(
            x, memory, memory, memory_key_padding_mask, False, memory_mask,
            memory_is_causal)[0])
        return self._add(3, x, self._feed)


class TransformerDecoder(Module):
    """Copies of a layer, one behind the other, that look at one memory."""

    def __init__(self, decoder_layer: Module, num_layers: int,
                 norm: Optional[Module] = None) -> None:
        self.layers = _copy("TransformerDecoder", decoder_layer, num_layers)
        self.num_layers, self.norm = num_layers, norm

    def forward(self, tgt: Node, memory: Node, tgt_mask: Any = None,
                memory_mask: Any = None, tgt_key_padding_mask: Any = None,
                memory_key_padding_mask: Any = None,
                tgt_is_causal: bool = False,
                memory_is_causal: bool = False) -> Node:
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask, memory_mask,
                        tgt_key_padding_mask, memory_key_padding_mask,
                        tgt_is_causal, memory_is_causal)
        return tgt if self.norm is None else self.norm(tgt)
