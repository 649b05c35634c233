# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Networks as workloads: one for digits, two for images, two for text."""

from __future__ import annotations

import math
from typing import Any, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from workloads import Workload


def build(name: str) -> Workload:
    if name.startswith("mlp"):
        return build_mlp(name, batch=int(name[len("mlp"):]))
    if name == "bert_mini":
        return build_bert(name)
    if name == "gpt2_prefill":
        return build_gpt2(name)
    return build_cnn(name)


def build_mlp(name: str, batch: int) -> Workload:
    module = nn.Sequential(nn.Flatten(), nn.Linear(784, 1000), nn.ReLU(),
                           nn.Linear(1000, 10))
    return Workload(name, module.eval(), {"x": torch.randn(batch, 28, 28)},
                    ["y"])


def build_cnn(name: str) -> Workload:
    import torchvision
    module = getattr(torchvision.models, name)(weights=None)
    # Other statistics than 0 and 1, so that folding the norms is real work.
    generator = torch.Generator().manual_seed(1)
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            count = part.num_features
            part.running_mean.copy_(
                0.1 * torch.randn(count, generator=generator))
            part.running_var.copy_(0.5 +
                                   torch.rand(count, generator=generator))
    return Workload(name, module.eval(), {"x": torch.randn(1, 3, 224, 224)},
                    ["y"])


def attention(q: Tensor, k: Tensor, v: Tensor, mask: Optional[Tensor],
              fused: bool) -> Tensor:
    """Of [1, heads, length, head size]. `fused` is what a PyTorch user writes,
    otherwise it is the plain graph for ONNX, of the same values."""
    if fused:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    scores = q @ k.transpose(-1, -2) * (1.0 / math.sqrt(q.shape[-1]))
    if mask is not None:
        scores = scores + mask
    return torch.softmax(scores, -1) @ v


def split_heads(x: Tensor, heads: int) -> Tensor:
    return x.view(1, x.shape[1], heads, -1).transpose(1, 2)


def merge_heads(x: Tensor) -> Tensor:
    return x.transpose(1, 2).reshape(1, x.shape[2], -1)


#===------------------------------------------------------------------------===#
# A small BERT
#===------------------------------------------------------------------------===#


class BertBlock(nn.Module):

    def __init__(self, dim: int, hidden: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim)
                                          for _ in range(4))
        self.up, self.down = nn.Linear(dim, hidden), nn.Linear(hidden, dim)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x: Tensor, fused: bool) -> Tensor:
        q, k, v = (split_heads(linear(x), self.heads)
                   for linear in (self.q, self.k, self.v))
        mixed = merge_heads(attention(q, k, v, None, fused))
        x = self.norm1(x + self.o(mixed))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class Bert(nn.Module):
    fused_attention = True

    def __init__(self, layers: int, dim: int, heads: int, hidden: int,
                 length: int, vocab: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab, dim)
        self.positions = nn.Parameter(torch.randn(1, length, dim))
        self.norm = nn.LayerNorm(dim)
        self.blocks = nn.ModuleList(
            BertBlock(dim, hidden, heads) for _ in range(layers))

    def forward(self, ids: Tensor) -> Tensor:
        x = self.norm(self.tokens(ids) + self.positions)
        for block in self.blocks:
            x = block(x, self.fused_attention)
        return x


def build_bert(name: str) -> Workload:
    dim, length, vocab = 384, 128, 30522
    module = Bert(6, dim, 12, 1536, length, vocab).eval()
    return Workload(name, module,
                    {"ids": torch.randint(0, vocab, (1, length))}, ["hidden"],
                    unused_weight_bytes=(vocab - length) * dim * 4)


#===------------------------------------------------------------------------===#
# GPT-2, reading a prompt
#===------------------------------------------------------------------------===#


class Gpt2Block(nn.Module):

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv, self.o = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.up, self.down = nn.Linear(dim, 4 * dim), nn.Linear(4 * dim, dim)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x: Tensor, mask: Tensor, fused: bool) -> Tensor:
        parts = self.qkv(self.norm1(x)).split(x.shape[-1], -1)
        q, k, v = (split_heads(part, self.heads) for part in parts)
        x = x + self.o(merge_heads(attention(q, k, v, mask, fused)))
        hidden = F.gelu(self.up(self.norm2(x)), approximate="tanh")
        return x + self.down(hidden)


class Gpt2(nn.Module):
    fused_attention = True

    def __init__(self, layers: int, dim: int, heads: int, length: int,
                 vocab: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(vocab, dim)
        self.positions = nn.Parameter(0.02 * torch.randn(1, length, dim))
        self.norm = nn.LayerNorm(dim)
        self.tokens.weight.data.mul_(0.02)
        self.blocks = nn.ModuleList(
            Gpt2Block(dim, heads) for _ in range(layers))
        self.register_buffer(
            "mask",
            torch.full((1, 1, length, length), -1e9).triu(1))
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight.data.normal_(0, 0.02)

    def forward(self, ids: Tensor) -> Any:
        x = self.tokens(ids) + self.positions
        for block in self.blocks:
            x = block(x, self.mask, self.fused_attention)
        return self.head(self.norm(x[:, -1]))  # Of the last position alone.


def build_gpt2(name: str) -> Workload:
    dim, length, vocab = 768, 128, 50257
    module = Gpt2(12, dim, 12, length, vocab).eval()
    return Workload(name, module,
                    {"ids": torch.randint(0, vocab, (1, length))}, ["logits"],
                    unused_weight_bytes=(vocab - length) * dim * 4)
