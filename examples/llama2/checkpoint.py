# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads checkpoints of llama2.c (version 0).

The file begins with seven int32: dim, hidden, layers, heads, kv_heads, vocab,
context; a negative vocab says that the classifier has weights of its own. Then
come all tensors as float32, those of equal name one layer after the other.
"""

from __future__ import annotations

import os
import struct
from typing import Optional, Sequence

import numpy as np

from weights import (Config, FloatArray, Layer, ModelFileError, Weights,
                     layer_shapes)

HEADER = struct.Struct("<7i")
VERSION_MAGIC = 0x616B3432  # "ak42": begins the files of version 1 and later
FILE_ORDER = ("attention_norm", "wq", "wk", "wv", "wo", "ffn_norm", "gate",
              "down", "up")


class CheckpointWeights:
    """The weights in a checkpoint. Raises ModelFileError or OSError."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        with open(path, "rb") as file:
            self.config, self._shared = _parse_header(path,
                                                      file.read(HEADER.size))
            size = os.fstat(file.fileno()).st_size
        self._count = _count_floats(self.config, self._shared)
        if size != HEADER.size + 4 * self._count:
            raise ModelFileError(
                f"{path}: expected {HEADER.size + 4 * self._count} bytes for "
                f"the sizes in its header ({self.config}), got {size}")
        # The embedding comes first.
        self._embedding = np.memmap(path,
                                    "<f4",
                                    "r",
                                    HEADER.size,
                                    shape=(self.config.vocab, self.config.dim))

    def read(self) -> Weights:
        values = np.fromfile(self.path, "<f4", self._count, offset=HEADER.size)
        if len(values) != self._count:
            raise ModelFileError(
                f"{self.path}: expected {self._count} numbers, "
                f"got {len(values)}")
        return _split(self.config, self._shared, values)

    def embed(self, tokens: Sequence[int]) -> FloatArray:
        return np.array(self._embedding[list(tokens)])


def _parse_header(path: str | os.PathLike[str],
                  header: bytes) -> tuple[Config, bool]:
    if len(header) < HEADER.size:
        raise ModelFileError(
            f"{path}: expected a header of {HEADER.size} bytes, "
            f"got a file of {len(header)}")
    if struct.unpack_from("<I", header)[0] == VERSION_MAGIC:
        raise ModelFileError(
            f"{path}: expected a llama2.c checkpoint of version 0, "
            "got one of a later version")
    dim, hidden, layers, heads, kv_heads, vocab, context = HEADER.unpack(header)
    try:
        config = Config(dim, hidden, layers, heads, kv_heads, abs(vocab),
                        context)
    except ValueError as error:
        raise ModelFileError(f"{path}: {error}") from None
    return config, vocab > 0


def _count_floats(config: Config, shared: bool) -> int:
    per_layer = sum(_size(shape) for shape in layer_shapes(config).values())
    return ((1 if shared else 2) * config.vocab * config.dim +
            config.layers * per_layer + config.dim + _rotations(config))


def _rotations(config: Config) -> int:
    """Cosines and sines that old programs read; we compute them."""
    return config.context * config.head_size


def _size(shape: tuple[int, ...]) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count


def _split(config: Config, shared: bool, values: FloatArray) -> Weights:
    begin = 0

    def take(*shape: int) -> FloatArray:
        nonlocal begin
        end = begin + _size(shape)
        part = values[begin:end].reshape(shape)
        begin = end
        return part

    embedding = take(config.vocab, config.dim)
    shapes = layer_shapes(config)
    stacked = {name: take(config.layers, *shapes[name]) for name in FILE_ORDER}
    final_norm = take(config.dim)
    take(_rotations(config))
    classifier: Optional[FloatArray] = None
    if not shared:
        classifier = take(config.vocab, config.dim)
    layers = [
        Layer(**{name: stacked[name][i]
                 for name in FILE_ORDER}) for i in range(config.layers)
    ]
    return Weights(embedding, layers, final_norm, classifier)
