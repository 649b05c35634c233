# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, and networks of it: ``(batch, length, features)``."""

from __future__ import annotations

import math
from typing import Any, Optional, Tuple

import numpy as np

from ...positions import make_error
from .. import init, ops
from ..autograd import Tensor
from .nn_basic import (Dropout, LayerNorm1d, Linear, Module, ReLU, Residual,
                       Sequential)
from .nn_sequence import Embedding


class MultiHeadAttention(Module):
    """``softmax(q @ k^T / sqrt(dim)) @ v`` of each head.

    All are ``(batch, head, length, dim)``. With ``causal``, a place sees none
    behind it.
    """

    def __init__(self, *, dropout: float = 0.0, causal: bool = False,
                 device: Any = None, dtype: Any = "float32") -> None:
        super().__init__()
        self.device, self.dtype, self.causal = device, dtype, causal
        self.dropout = Dropout(dropout)

    def create_causal_mask(self, i: int, j: int, device: Any) -> Any:
        """An array ``(1, 1, i, j)`` of the least float32 where a place of ``j``
        is behind that of ``i``, and 0 elsewhere."""
        least = -np.finfo(np.float32).max
        mask = np.triu(np.full((1, 1, i, j), least, np.float32), j - i + 1)
        return Tensor(mask, device=device, requires_grad=False).cached_data

    def matmul(self, a: Tensor, b_transpose: Tensor) -> Tensor:
        """The product of ``a`` and the transpose of ``b_transpose``."""
        return ops.matmul(a, ops.transpose(b_transpose))

    def softmax(self, logit: Tensor) -> Tensor:
        """Softmax over the last axis."""
        shape = logit.shape
        total = ops.logsumexp(logit, axes=(len(shape) - 1,))
        return ops.exp(logit - ops.broadcast_to(
            ops.reshape(total, (*shape[:-1], 1)), shape))

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tuple[Tensor, Tensor]:
        """The result and the probabilities ``(batch, head, len_q, len_k)``."""
        if len(q.shape) != 4 or len(k.shape) != 4 or len(v.shape) != 4:
            raise make_error("expected batch x head x length x dim, got "
                             f"{list(q.shape)}, {list(k.shape)} and "
                             f"{list(v.shape)}")
        scores = self.matmul(q, k) / math.sqrt(q.shape[-1])
        if self.causal:
            mask = Tensor(self.create_causal_mask(
                q.shape[2], k.shape[2], q.device), device=q.device,
                requires_grad=False)
            scores = scores + ops.broadcast_to(mask, scores.shape)
        probs = self.dropout(self.softmax(scores))
        return ops.matmul(probs, v), probs


class AttentionLayer(Module):
    """Attention of normalized and projected inputs: ``(batch, length,
    features)``. ``k`` and ``v`` are ``q`` where None."""

    def __init__(self, q_features: int, num_head: int, dim_head: int, *,
                 k_features: Optional[int] = None,
                 v_features: Optional[int] = None,
                 out_features: Optional[int] = None, dropout: float = 0.0,
                 causal: bool = True, device: Any = None,
                 dtype: Any = "float32") -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        k_features = q_features if k_features is None else k_features
        v_features = q_features if v_features is None else v_features
        inner = num_head * dim_head
        self.num_head, self.dim_head = num_head, dim_head
        self.prenorm_q = LayerNorm1d(q_features, **where)
        self.prenorm_k = LayerNorm1d(k_features, **where)
        self.prenorm_v = LayerNorm1d(v_features, **where)
        self.q_projection = Linear(q_features, inner, bias=False, **where)
        self.k_projection = Linear(k_features, inner, bias=False, **where)
        self.v_projection = Linear(v_features, inner, bias=False, **where)
        self.attn = MultiHeadAttention(dropout=dropout, causal=causal, **where)
        self.out_projection = Linear(
            inner, q_features if out_features is None else out_features,
            bias=False, **where)

    def _heads(self, x: Tensor, norm: Module, projection: Module) -> Tensor:
        batch, length, features = x.shape
        rows = ops.reshape(x, (batch * length, features))
        y = ops.reshape(projection(norm(rows)),
                        (batch, length, self.num_head, self.dim_head))
        return ops.transpose(y, (1, 2))

    def forward(self, q: Tensor, k: Optional[Tensor] = None,
                v: Optional[Tensor] = None) -> Tensor:
        k, v = q if k is None else k, q if v is None else v
        result, _ = self.attn(
            self._heads(q, self.prenorm_q, self.q_projection),
            self._heads(k, self.prenorm_k, self.k_projection),
            self._heads(v, self.prenorm_v, self.v_projection))
        batch, length, _ = q.shape
        rows = ops.reshape(ops.transpose(result, (1, 2)),
                           (batch * length, self.num_head * self.dim_head))
        projected = self.out_projection(rows)
        return ops.reshape(projected, (batch, length, projected.shape[1]))


class _Rows(Module):
    """A module of ``(rows, features)`` on ``(batch, length, features)``."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module = module

    def forward(self, x: Tensor) -> Tensor:
        batch, length, features = x.shape
        y = self.module(ops.reshape(x, (batch * length, features)))
        return ops.reshape(y, (batch, length, y.shape[1]))


class TransformerLayer(Module):
    """``x + dropout(attention(x))``, then ``x + dropout(mlp(norm(x)))``."""

    def __init__(self, q_features: int, num_head: int, dim_head: int,
                 hidden_size: int, *, dropout: float = 0.0, causal: bool = True,
                 device: Any = None, dtype: Any = "float32") -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        self.attention = Residual(Sequential(
            AttentionLayer(q_features, num_head, dim_head, dropout=dropout,
                           causal=causal, **where), Dropout(dropout)))
        self.mlp = Residual(_Rows(Sequential(
            LayerNorm1d(q_features, **where),
            Linear(q_features, hidden_size, **where), ReLU(), Dropout(dropout),
            Linear(hidden_size, q_features, **where), Dropout(dropout))))

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.mlp(self.attention(x))
        return y


class Transformer(Module):
    """Layers of `TransformerLayer` with learned positions.

    ``(length, batch, embedding_size)``, or batches first with
    ``batch_first``, and at most ``sequence_len`` places. ``h`` is taken and
    returned as `RNN` does, and not used.
    """

    def __init__(self, embedding_size: int, hidden_size: int, num_layers: int,
                 *, num_head: int = 8, dim_head: int = 32, dropout: float = 0.0,
                 causal: bool = True, device: Any = None,
                 dtype: Any = "float32", batch_first: bool = False,
                 sequence_len: int = 2048) -> None:
        super().__init__()
        self.batch_first, self.sequence_len = batch_first, sequence_len
        self.positions = Embedding(sequence_len, embedding_size, device=device,
                                   dtype=dtype)
        self.layers = [
            TransformerLayer(embedding_size, num_head, dim_head, hidden_size,
                             dropout=dropout, causal=causal, device=device,
                             dtype=dtype) for _ in range(num_layers)]

    def forward(self, x: Tensor, h: Any = None) -> Tuple[Tensor, Tensor]:
        if not self.batch_first:
            x = ops.transpose(x, (0, 1))
        batch, length, features = x.shape
        if length > self.sequence_len:
            raise make_error(f"expected at most {self.sequence_len} places, "
                             f"got {length}")
        numbers = Tensor(np.arange(length, dtype=np.float32)[:, None],
                         device=x.device, requires_grad=False)
        places = ops.reshape(self.positions(numbers), (1, length, features))
        x = x + ops.broadcast_to(places, x.shape)
        for layer in self.layers:
            x = layer(x)
        if not self.batch_first:
            x = ops.transpose(x, (0, 1))
        return x, init.zeros_like(x)
