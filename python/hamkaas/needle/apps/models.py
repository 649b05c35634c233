# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A network for images, and models of language."""

from __future__ import annotations

from typing import Any, Tuple

from ...positions import make_error
from .. import nn, ops
from ..autograd import Tensor


def ConvBN(a: int, b: int, k: int, s: int, device: Any = None,
           dtype: Any = "float32") -> nn.Module:
    """Convolution, norm and ReLU of images of ``a`` channels."""
    return nn.Sequential(nn.Conv(a, b, k, stride=s, device=device, dtype=dtype),
                         nn.BatchNorm2d(b, device=device, dtype=dtype),
                         nn.ReLU())


class ResNet9(nn.Module):
    """Images ``(n, 3, 32, 32)`` to ``(n, 10)``."""

    def __init__(self, device: Any = None, dtype: Any = "float32") -> None:
        super().__init__()

        def conv(a: int, b: int, k: int, s: int) -> nn.Module:
            return ConvBN(a, b, k, s, device=device, dtype=dtype)

        def pair(channels: int) -> nn.Module:
            return nn.Residual(nn.Sequential(conv(channels, channels, 3, 1),
                                             conv(channels, channels, 3, 1)))

        self.model = nn.Sequential(
            conv(3, 16, 7, 4), conv(16, 32, 3, 2), pair(32),
            conv(32, 64, 3, 2), conv(64, 128, 3, 2), pair(128), nn.Flatten(),
            nn.Linear(128, 128, device=device, dtype=dtype), nn.ReLU(),
            nn.Linear(128, 10, device=device, dtype=dtype))

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.model(x)
        return y


class LanguageModel(nn.Module):
    """Words ``(length, batch)`` to logits of the next ones, ``(length * batch,
    output_size)``, and the state.

    ``seq_model`` is "rnn", "lstm" or "transformer".
    """

    def __init__(self, embedding_size: int, output_size: int, hidden_size: int,
                 num_layers: int = 1, seq_model: str = "rnn", seq_len: int = 40,
                 device: Any = None, dtype: Any = "float32") -> None:
        super().__init__()
        where = {"device": device, "dtype": dtype}
        sizes = embedding_size, hidden_size, num_layers
        self.embedding = nn.Embedding(output_size, embedding_size, **where)
        self.seq_model: nn.Module
        if seq_model == "transformer":
            self.seq_model = nn.Transformer(*sizes, sequence_len=seq_len,
                                            **where)
        elif seq_model in ("rnn", "lstm"):
            kind: Any = nn.RNN if seq_model == "rnn" else nn.LSTM
            self.seq_model = kind(*sizes, **where)
        else:
            raise make_error("expected 'rnn', 'lstm' or 'transformer', got "
                             f"{seq_model!r}")
        width = embedding_size if seq_model == "transformer" else hidden_size
        self.linear = nn.Linear(width, output_size, **where)

    def forward(self, x: Tensor, h: Any = None) -> Tuple[Tensor, Any]:
        y, h = self.seq_model(self.embedding(x), h)
        rows = ops.reshape(y, (y.shape[0] * y.shape[1], y.shape[2]))
        return self.linear(rows), h
