# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The weights of a language model of the Llama family."""

from __future__ import annotations

import dataclasses
from typing import Optional, Protocol, Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float32]

RMS_EPSILON = 1e-5  # the one that rms_norm adds


class ModelFileError(ValueError):
    """A file does not hold what it should; says the file, what was expected
    and what was found."""


@dataclasses.dataclass(frozen=True)
class Config:
    """Sizes of a model. Raises ValueError when they do not fit together."""

    dim: int  # of the vector that runs through all layers
    hidden: int  # of the feed-forward part
    layers: int
    heads: int
    kv_heads: int  # heads of keys and values, each for heads / kv_heads queries
    vocab: int  # number of tokens
    context: int  # largest number of positions
    rope_base: float = 10000.0

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self)[:-1]:
            value = getattr(self, field.name)
            if value < 1:
                raise ValueError(
                    f"expected {field.name} of 1 or more, got {value}")
        if self.dim % self.heads or self.head_size % 2:
            raise ValueError(
                "expected a dim that is a multiple of twice the heads, "
                f"got dim {self.dim} and {self.heads} heads")
        if self.heads % self.kv_heads:
            raise ValueError("expected heads to be a multiple of kv_heads, "
                             f"got {self.heads} and {self.kv_heads}")
        if not 1 <= self.rope_base < float("inf"):
            raise ValueError("expected a finite rope_base of 1 or more, "
                             f"got {self.rope_base}")

    @property
    def head_size(self) -> int:
        return self.dim // self.heads

    @property
    def group(self) -> int:
        """Heads that share one head of keys and values."""
        return self.heads // self.kv_heads

    @property
    def kv_dim(self) -> int:
        return self.kv_heads * self.head_size


@dataclasses.dataclass
class Layer:
    """Matrices are [results, operands], as the files have them."""

    attention_norm: FloatArray  # [dim]
    wq: FloatArray  # [dim, dim]
    wk: FloatArray  # [kv_dim, dim]
    wv: FloatArray  # [kv_dim, dim]
    wo: FloatArray  # [dim, dim]
    ffn_norm: FloatArray  # [dim]
    gate: FloatArray  # [hidden, dim]
    down: FloatArray  # [dim, hidden]
    up: FloatArray  # [hidden, dim]


@dataclasses.dataclass
class Weights:
    embedding: FloatArray  # [vocab, dim]
    layers: list[Layer]
    final_norm: FloatArray  # [dim]
    classifier: Optional[FloatArray] = None  # [vocab, dim]; None: the embedding

    def read(self) -> Weights:
        return self

    def embed(self, tokens: Sequence[int]) -> FloatArray:
        rows: FloatArray = self.embedding[list(tokens)]
        return rows


class WeightsSource(Protocol):
    """Weights, or a file that has them: a program packs what it is made of, so
    nobody needs to keep the arrays in memory, but for rows of the embedding."""

    def read(self) -> Weights:
        """All of them. Raises ModelFileError or OSError."""

    def embed(self, tokens: Sequence[int]) -> FloatArray:
        """Rows of the embedding, [tokens, dim]."""


def layer_shapes(config: Config) -> dict[str, tuple[int, ...]]:
    """The shape of each tensor of a layer, in the order of Layer."""
    dim, kv_dim, hidden = config.dim, config.kv_dim, config.hidden
    return {
        "attention_norm": (dim, ),
        "wq": (dim, dim),
        "wk": (kv_dim, dim),
        "wv": (kv_dim, dim),
        "wo": (dim, dim),
        "ffn_norm": (dim, ),
        "gate": (hidden, dim),
        "down": (dim, hidden),
        "up": (hidden, dim)
    }
