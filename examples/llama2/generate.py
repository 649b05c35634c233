# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes text, token by token."""

from __future__ import annotations

import dataclasses
import os
import time
from typing import Iterator, Sequence

import hamkaas as hk

from network import LanguageModel
from vocabulary import ScoreTokenizer, Tokenizer
from weights import Config, ModelFileError, WeightsSource


@dataclasses.dataclass
class Speed:
    """Tokens and seconds, of what was read and of what was written."""

    prompt_tokens: int = 0
    prompt_seconds: float = 0.0
    tokens: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        return (f"read {_rate(self.prompt_tokens, self.prompt_seconds)}, "
                f"wrote {_rate(self.tokens, self.seconds)}")


def _rate(tokens: int, seconds: float) -> str:
    text = f"{tokens} token" + ("" if tokens == 1 else "s")
    return text + (f" at {tokens / seconds:.1f} a second"
                   if seconds > 0 else "")


def generate(model: LanguageModel,
             prompt: Sequence[int],
             sampler: hk.Sampler,
             limit: int,
             stops: frozenset[int] = frozenset(),
             speed: Speed | None = None) -> Iterator[int]:
    """Feeds the prompt, then yields up to `limit` tokens, and ends early before
    one of `stops` or where the context is full. The last token it yields has not
    been fed. Adds what it took to `speed`."""
    speed = speed if speed is not None else Speed()
    begin = time.perf_counter()
    scores = model.feed(prompt)
    speed.prompt_tokens += len(prompt)
    speed.prompt_seconds += time.perf_counter() - begin
    for count in range(limit):
        token = sampler.choose(scores)
        if token in stops:
            return
        yield token
        if model.position == model.config.context or count == limit - 1:
            return
        begin = time.perf_counter()
        scores = model.feed([token])
        speed.tokens += 1
        speed.seconds += time.perf_counter() - begin


def read_model(
    path: str | os.PathLike[str],
    tokenizer_path: str | os.PathLike[str] | None = None
) -> tuple[Config, WeightsSource, Tokenizer]:
    """Reads a GGUF file, or a checkpoint of llama2.c and its tokenizer, by
    default tok<vocab>.bin or tokenizer.bin in the same folder. Raises
    ModelFileError or OSError."""
    with open(path, "rb") as file:
        is_gguf = file.read(4) == b"GGUF"
    if is_gguf:
        import gguf_model

        gguf = gguf_model.GGUFFile(path)
        config = gguf_model.read_config(gguf)
        return (config, gguf_model.GGUFWeights(gguf, config),
                gguf_model.read_tokenizer(gguf))
    from checkpoint import CheckpointWeights

    weights = CheckpointWeights(path)
    vocab = weights.config.vocab
    found = tokenizer_path or _find_tokenizer(path, vocab)
    return weights.config, weights, ScoreTokenizer.read(found, vocab)


def _find_tokenizer(path: str | os.PathLike[str], vocab: int) -> str:
    folder = os.path.dirname(os.fspath(path))
    names = [
        os.path.join(folder, name)
        for name in (f"tok{vocab}.bin", "tokenizer.bin")
    ]
    for name in names:
        if os.path.exists(name):
            return name
    raise ModelFileError(
        f"expected a tokenizer, {' or '.join(names)}, got neither")
