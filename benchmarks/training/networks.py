# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The networks that train, each written once for all frameworks.

A network takes the operations of a framework (see frameworks.py), its
parameters by name, and a batch, and returns the scores and labels of its loss.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable

import numpy as np

BATCHES = 4


@dataclasses.dataclass
class Network:
    forward: Callable[..., tuple[Any, Any]]
    parameters: dict[str, np.ndarray]
    batches: list[dict[str, np.ndarray]]
    optimizer: str  # "adam", "adamw" or "sgd"
    rate: float


class Initial:
    """Makes the first contents of parameters."""

    def __init__(self) -> None:
        self.rng = np.random.default_rng(0)
        self.values: dict[str, np.ndarray] = {}

    def normal(self, name: str, shape: tuple[int, ...], scale: float) -> None:
        self.values[name] = scale * self.rng.standard_normal(shape, np.float32)

    def full(self, name: str, size: int, value: float) -> None:
        self.values[name] = np.full(size, value, np.float32)

    def linear(self, name: str, inputs: int, outputs: int) -> None:
        self.normal(f"{name}.weight", (inputs, outputs),
                    1 / math.sqrt(inputs))
        self.full(f"{name}.bias", outputs, 0)

    def norm(self, name: str, size: int) -> None:
        self.full(f"{name}.weight", size, 1)
        self.full(f"{name}.bias", size, 0)


def linear(p: dict[str, Any], name: str, x: Any) -> Any:
    return x @ p[f"{name}.weight"] + p[f"{name}.bias"]


def make_mlp(batch: int = 128, inputs: int = 784,
             width: int = 1000) -> Network:
    initial = Initial()
    initial.linear("hidden", inputs, width)
    initial.linear("last", width, 10)
    batches = [{
        "x": initial.rng.standard_normal((batch, inputs), np.float32),
        "labels": initial.rng.integers(0, 10, batch)
    } for _ in range(BATCHES)]

    def forward(ops: Any, p: dict[str, Any], x: Any, labels: Any) -> Any:
        return linear(p, "last", ops.relu(linear(p, "hidden", x))), labels

    return Network(forward, initial.values, batches, "adam", 1e-3)


def make_resnet9(batch: int = 64, size: int = 32, width: int = 64) -> Network:
    """Eight convolutions, two of the pairs with a way around, and a layer."""
    channels = [(3, width), (width, 2 * width), (2 * width, 2 * width),
                (2 * width, 2 * width), (2 * width, 4 * width),
                (4 * width, 8 * width), (8 * width, 8 * width),
                (8 * width, 8 * width)]
    initial = Initial()
    for i, (inputs, outputs) in enumerate(channels):
        initial.normal(f"conv{i}", (outputs, inputs, 3, 3),
                       math.sqrt(2 / (9 * inputs)))
        initial.norm(f"norm{i}", outputs)
    initial.linear("last", 8 * width, 10)
    batches = [{
        "x": initial.rng.standard_normal((batch, 3, size, size), np.float32),
        "labels": initial.rng.integers(0, 10, batch)
    } for _ in range(BATCHES)]

    def forward(ops: Any, p: dict[str, Any], x: Any, labels: Any) -> Any:

        def block(i: int, x: Any) -> Any:
            x = ops.conv(x, p[f"conv{i}"])
            return ops.relu(
                ops.batch_norm(x, p[f"norm{i}.weight"], p[f"norm{i}.bias"]))

        x = ops.max_pool(block(1, block(0, x)), 2)
        x = x + block(3, block(2, x))
        x = ops.max_pool(block(4, x), 2)
        x = ops.max_pool(block(5, x), 2)
        x = x + block(7, block(6, x))
        x = ops.max_pool(x, size // 8)
        return linear(p, "last", ops.reshape(x, (batch, 8 * width))), labels

    return Network(forward, initial.values, batches, "sgd", 3e-4)


def make_lstm(batch: int = 16, steps: int = 32, words: int = 1000,
              width: int = 512) -> Network:
    """A language model: two layers of LSTM."""
    initial = Initial()
    initial.normal("embedding", (words, width), 0.1)
    for i in range(2):
        for part in ("input", "hidden"):
            initial.normal(f"{part}{i}", (width, 4 * width),
                           1 / math.sqrt(width))
        initial.full(f"bias{i}", 4 * width, 0)
    initial.linear("last", width, words)
    batches = make_texts(initial, steps, batch, words)

    def forward(ops: Any, p: dict[str, Any], x: Any, labels: Any) -> Any:
        h = ops.embedding(x, p["embedding"])  # steps x batch x width
        for i in range(2):
            h = ops.lstm(h, p[f"input{i}"], p[f"hidden{i}"], p[f"bias{i}"])
        h = ops.reshape(h, (steps * batch, width))
        return linear(p, "last", h), ops.reshape(labels, (steps * batch,))

    return Network(forward, initial.values, batches, "adam", 1e-3)


def make_texts(initial: Initial, rows: int, columns: int,
               words: int) -> list[dict[str, np.ndarray]]:
    return [{
        name: initial.rng.integers(0, words, (rows, columns))
        for name in ("x", "labels")
    } for _ in range(BATCHES)]


def make_gpt(batch: int = 8, steps: int = 128, words: int = 256,
             width: int = 384, heads: int = 6, layers: int = 6) -> Network:
    """GPT-2, without dropout. The last product has the embedding's weights."""
    initial = Initial()
    initial.normal("words", (words, width), 0.02)
    initial.normal("places", (steps, width), 0.02)
    for i in range(layers):
        initial.norm(f"{i}.norm1", width)
        for part in ("query", "key", "value", "out"):
            initial.linear(f"{i}.{part}", width, width)
        initial.norm(f"{i}.norm2", width)
        initial.linear(f"{i}.up", width, 4 * width)
        initial.linear(f"{i}.down", 4 * width, width)
    initial.norm("norm", width)
    batches = make_texts(initial, batch, steps, words)
    rows = batch * steps

    def forward(ops: Any, p: dict[str, Any], x: Any, labels: Any) -> Any:

        def norm(name: str, x: Any) -> Any:
            return ops.layer_norm(x, p[f"{name}.weight"], p[f"{name}.bias"])

        def split(x: Any) -> Any:
            x = ops.reshape(x, (batch, steps, heads, width // heads))
            return ops.permute(x, (0, 2, 1, 3))

        h = ops.embedding(x, p["words"]) + p["places"]
        h = ops.reshape(h, (rows, width))
        for i in range(layers):
            inner = norm(f"{i}.norm1", h)
            a = ops.attention(*(split(linear(p, f"{i}.{part}", inner))
                                for part in ("query", "key", "value")))
            a = ops.reshape(ops.permute(a, (0, 2, 1, 3)), (rows, width))
            h = h + linear(p, f"{i}.out", a)
            inner = ops.gelu(linear(p, f"{i}.up", norm(f"{i}.norm2", h)))
            h = h + linear(p, f"{i}.down", inner)
        scores = norm("norm", h) @ ops.permute(p["words"], (1, 0))
        return scores, ops.reshape(labels, (rows,))

    return Network(forward, initial.values, batches, "adamw", 1e-3)


def make_gpt2(batch: int = 4, steps: int = 64, words: int = 50257,
              width: int = 768, heads: int = 12, layers: int = 12) -> Network:
    return make_gpt(batch, steps, words, width, heads, layers)


NETWORKS: dict[str, Callable[..., Network]] = {
    "mlp": make_mlp,
    "resnet9": make_resnet9,
    "lstm": make_lstm,
    "gpt": make_gpt,
    "gpt2": make_gpt2,
}

# Sizes for --tiny.
TINY: dict[str, dict[str, int]] = {
    "mlp": {"batch": 4, "inputs": 6, "width": 9},
    "resnet9": {"batch": 8, "size": 16, "width": 2},
    "lstm": {"batch": 2, "steps": 3, "words": 7, "width": 5},
    "gpt": {"batch": 2, "steps": 5, "words": 11, "width": 8, "heads": 2,
            "layers": 2},
    "gpt2": {"batch": 1, "steps": 2, "words": 13, "width": 6, "heads": 3,
             "layers": 1},
}
