"""Runs a language model: two programs, `prefill` and `decode`, over one cache."""

from __future__ import annotations

from typing import Sequence

import hamkaas as hk
import numpy as np

import graph
from weights import Config, FloatArray, Weights

CHUNK = 64  # tokens that prefill takes at once
# Fewer tokens are sooner read one by one than as a chunk that is mostly empty.
CHUNK_WORTH = 4


class ContextFullError(ValueError):
    """More tokens than the model has positions for."""


class LanguageModel:
    """Weights, their programs, and a cache of the tokens seen so far.

    It keeps the embedding, the other weights may be freed: each program holds
    its own copy, in the form in which its kernels read them.
    """

    def __init__(self,
                 config: Config,
                 weights: Weights,
                 threads: int = 0,
                 chunk: int = CHUNK) -> None:
        """threads: 0 means one for each core. chunk: tokens in a run of prefill;
        1 makes do without that program, and with half of the memory. Raises
        ValueError or hamkaas.HamKaasError."""
        if chunk < 1:
            raise ValueError(
                f"expected a chunk of 1 token or more, got {chunk}")
        self.config = config
        self.chunk = min(chunk, config.context)
        self._embedding = weights.embedding
        self._rotations = graph.rotations(config)
        self.decode = hk.compile(graph.build_decode(config, weights),
                                 name="decode",
                                 threads=threads)
        self.prefill = None
        if self.chunk > 1:
            self.prefill = hk.compile(graph.build_prefill(
                config, weights, self.chunk),
                                      name="prefill",
                                      threads=threads,
                                      state_of=self.decode)
        self.reset()

    @property
    def position(self) -> int:
        """Number of tokens seen since the last reset."""
        return self._position

    def reset(self) -> None:
        """Forgets all tokens."""
        self._position = 0
        self.decode.state.reset()

    def skip_to(self, position: int) -> None:
        """Goes on at another position, for measurements: what the cache holds of
        the positions before it is taken for seen."""
        if not 0 <= position < self.config.context:
            raise ValueError(f"expected a position from 0 to "
                             f"{self.config.context - 1}, got {position}")
        self._position = position

    def feed(self, tokens: Sequence[int]) -> FloatArray:
        """Takes the tokens in after those of before; returns the scores of the
        one that follows, [vocab]. Raises ContextFullError before it takes any if
        there are too many, ValueError if there are none or unknown ones."""
        self._check(tokens)
        begin = 0
        while len(tokens) - 1 - begin >= CHUNK_WORTH and self._fits_chunk():
            end = min(begin + self.chunk, len(tokens) - 1)
            self._run_prefill(tokens[begin:end])
            begin = end
        for token in tokens[begin:]:
            scores = self._run_decode(token)
        return scores

    def _check(self, tokens: Sequence[int]) -> None:
        if not tokens:
            raise ValueError("expected a token or more, got none")
        wrong = [t for t in tokens if not 0 <= t < self.config.vocab]
        if wrong:
            raise ValueError(
                f"expected tokens from 0 to {self.config.vocab - 1}, "
                f"got {wrong[0]}")
        left = self.config.context - self._position
        if len(tokens) > left:
            raise ContextFullError(
                f"expected at most {left} more tokens, as many as fit a context "
                f"of {self.config.context}, got {len(tokens)}")

    def _fits_chunk(self) -> bool:
        return (self.prefill is not None
                and self._position + self.chunk <= self.config.context)

    def _run_decode(self, token: int) -> FloatArray:
        values = graph.input_values(self.config,
                                    self._embedding[token:token + 1],
                                    self._rotations, self._position)
        scores: FloatArray = self.decode.run(values)
        self._position += 1
        first: FloatArray = scores[0]
        return first

    def _run_prefill(self, tokens: Sequence[int]) -> None:
        """Fewer tokens than a chunk are filled up with zeros. What these leave in
        the cache, nobody sees before it is overwritten."""
        assert self.prefill is not None
        rows = np.zeros((self.chunk, self.config.dim), np.float32)
        rows[:len(tokens)] = self._embedding[list(tokens)]
        self.prefill.run(
            graph.input_values(self.config, rows, self._rotations,
                               self._position))
        self._position += len(tokens)
