# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of decoding with a language model like LLaMA, as a workload."""

from __future__ import annotations

import dataclasses

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from workloads import Workload, tensor_bytes


@dataclasses.dataclass
class Config:
    dim: int
    hidden: int
    layers: int
    heads: int
    vocab: int
    length: int  # positions that the caches have room for
    position: int  # of the step: the caches hold all before it
    # True if the step returns whole new caches. Otherwise it returns the rows
    # of its position, which the caller writes into the caches.
    returns_caches: bool
    groups: int  # heads that share keys and values

    @property
    def head_size(self) -> int:
        return self.dim // self.heads

    @property
    def key_heads(self) -> int:
        return self.heads // self.groups


def config_of(name: str) -> Config:
    groups = 1
    if "smollm2" in name:
        sizes, groups = (576, 1536, 30, 9, 49152, 1024, 511), 3
    elif "110m" in name:
        sizes = (768, 2048, 12, 12, 32000, 1024, 511)
    else:
        sizes = (288, 768, 6, 6, 32000, 256, 127)
    return Config(*sizes, returns_caches=name.endswith("_kvio"), groups=groups)


class RmsNorm(nn.Module):

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(1 + 0.1 * torch.randn(dim))

    def forward(self, x: Tensor) -> Tensor:
        mean = (x * x).mean(-1, keepdim=True)
        return x * torch.rsqrt(mean + 1e-5) * self.weight


class Block(nn.Module):

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.config = config
        dim, hidden = config.dim, config.hidden

        def linear(rows: int, columns: int) -> nn.Linear:
            return nn.Linear(rows, columns, bias=False)

        narrow = dim // config.groups
        self.q, self.k, self.v, self.o = (
            linear(*sizes) for sizes in ((dim, dim), (dim, narrow),
                                         (dim, narrow), (dim, dim)))
        self.gate, self.down = linear(dim, hidden), linear(hidden, dim)
        self.up = linear(dim, hidden)
        self.norm1, self.norm2 = RmsNorm(dim), RmsNorm(dim)

    def rotate(self, x: Tensor, heads: int, cos: Tensor,
               sin: Tensor) -> Tensor:
        pairs = x.view(heads, -1, 2)
        a, b = pairs[:, :, 0], pairs[:, :, 1]
        rotated = torch.stack([a * cos - b * sin, a * sin + b * cos], -1)
        return rotated.view(self.config.key_heads,
                            heads // self.config.key_heads, -1)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, here: Tensor,
                later: Tensor, keys: Tensor,
                values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        normed = self.norm1(x)
        q = self.rotate(self.q(normed), self.config.heads, cos, sin)
        k = self.rotate(self.k(normed), self.config.key_heads, cos, sin)
        v = self.v(normed).view(self.config.key_heads, 1, -1)
        if self.config.returns_caches:
            column = here.view(1, -1, 1)
            k = torch.where(column, k, keys)
            v = torch.where(column, v, values)
            mixed = self.shares(q @ k.transpose(1, 2), later) @ v
        else:
            # The caches' own rows `here` hold anything finite.
            scores = torch.where(here, (q * k).sum(-1, keepdim=True),
                                 q @ keys.transpose(1, 2))
            shares = self.shares(scores, later)
            mixed = torch.where(here, 0.0, shares) @ values + torch.where(
                here, shares, 0.0).sum(-1, keepdim=True) * v
        x = x + self.o(mixed.view(1, -1))
        normed = self.norm2(x)
        x = x + self.down(F.silu(self.gate(normed)) * self.up(normed))
        return x, k, v

    def shares(self, scores: Tensor, later: Tensor) -> Tensor:
        scores = scores * self.config.head_size**-0.5
        return torch.softmax(torch.where(later, -1e9, scores), -1)


class Llama(nn.Module):

    def __init__(self, config: Config) -> None:
        super().__init__()
        self.embedding = nn.Parameter(
            0.5 * torch.randn(config.vocab, config.dim))
        self.norm = RmsNorm(config.dim)
        self.blocks = nn.ModuleList(
            Block(config) for _ in range(config.layers))
        head_size = config.head_size
        exponents = torch.arange(0, head_size, 2).double() / head_size
        angles = torch.outer(
            torch.arange(config.length).double(), 1.0 / 10000.0**exponents)
        self.cos: Tensor
        self.sin: Tensor
        self.register_buffer("cos", angles.cos().float())
        self.register_buffer("sin", angles.sin().float())
        self.register_buffer("index",
                             torch.arange(config.length).view(1, 1, -1))

    def forward(self, token: Tensor, position: Tensor,
                *caches: Tensor) -> tuple[Tensor, ...]:
        x = self.embedding[token]
        cos, sin = self.cos[position], self.sin[position]
        here, later = self.index == position, self.index > position
        outputs: list[Tensor] = []
        for i, block in enumerate(self.blocks):
            x, k, v = block(x, cos, sin, here, later, caches[2 * i],
                            caches[2 * i + 1])
            outputs += [k, v]
        return F.linear(self.norm(x), self.embedding), *outputs


def build(name: str) -> Workload:
    config = config_of(name)
    inputs = {
        "token": torch.tensor([1234]),
        "pos": torch.tensor([config.position])
    }
    outputs = ["logits"]
    for i in range(config.layers):
        for kind in "kv":
            cache = 0.5 * torch.randn(config.key_heads, config.length,
                                      config.head_size)
            cache[:, config.position:] = 0
            inputs[f"{kind}{i}"] = cache
            outputs.append(f"{kind}{i}_out")
    module = Llama(config).eval()
    return Workload(name, module, inputs, outputs,
                    bytes=moved_bytes(config, module))


def moved_bytes(config: Config, module: nn.Module) -> int:
    """Of the caches only the rows in use must be read, although the graph,
    which is static, reads them all."""
    caches = (2 * config.layers * config.length * config.key_heads *
              config.head_size * 4)
    moved = 2 * caches if config.returns_caches else (
        caches * (config.position + 1) // config.length)
    return tensor_bytes(module.parameters()) + moved + config.vocab * 4
