# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a language model: a program of two functions, `prefill` and `decode`."""

from __future__ import annotations

import dataclasses
import functools
from typing import Sequence

import hamkaas as hk
import numpy as np

import graph
from weights import Config, FloatArray, WeightsSource

FIRST_ROOM = 512
CHUNK = 64  # tokens that prefill takes at once
# Fewer tokens are sooner read one by one than as a chunk that is mostly empty.
CHUNK_WORTH = 4
# Tokens whose embeddings are kept, 2 KB each with SmolLM2: reading one from a
# file takes 1.5 % of the time of a token.
KEPT_ROWS = 4096


class ContextFullError(ValueError):
    """More tokens than the model has positions for."""


class LanguageModel:
    """The program of a model, and a cache of the tokens seen so far.

    The shapes of a program are fixed, and so is the room of the cache. So the
    first program has little of it; when it is used up, one of twice the room is
    compiled and takes over its contents, up to the context of the model. That
    takes some seconds, and reads the weights once more: only the program keeps
    them, packed.
    """

    def __init__(self,
                 config: Config,
                 weights: WeightsSource,
                 threads: int = 0,
                 chunk: int = CHUNK,
                 room: int = FIRST_ROOM) -> None:
        """threads: 0 means one for each core. chunk: tokens in a run of prefill;
        1 makes do without it. room: positions that the first program has. Raises
        ValueError, OSError or hamkaas.HamKaasError."""
        if chunk < 1:
            raise ValueError(
                f"expected a chunk of 1 token or more, got {chunk}")
        if room < 1:
            raise ValueError(f"expected room for 1 token or more, got {room}")
        self.config = config
        self.chunk = min(chunk, config.context)
        self._weights, self._threads = weights, threads
        self._embed = functools.lru_cache(KEPT_ROWS)(
            lambda token: weights.embed([token]))
        self._rotations = graph.rotations(config)
        self._position = 0
        self._compile(min(max(room, self.chunk), config.context))

    def _compile(self, room: int) -> None:
        """Makes a program of that room, with an empty cache."""
        self._sizes = dataclasses.replace(self.config, context=room)
        self.program = hk.compile(graph.build(self._sizes, self._weights.read(),
                                              self.chunk),
                                  name="llama",
                                  threads=self._threads,
                                  keep_weights=False)

    @property
    def room(self) -> int:
        """Positions that the program has at present."""
        return self._sizes.context

    def _make_room(self, positions: int) -> None:
        positions = min(positions, self.config.context)
        if positions <= self.room:
            return
        room = self.room
        while room < positions:
            room *= 2
        seen = {
            name: self._by_head(array)[:, :self._position]
            for name, array in self.program.state.items()
        }
        self.program.close()  # Its memory is enough for the next one.
        self._compile(min(room, self.config.context))
        for name, part in seen.items():
            array = self.program.state[name]
            self._by_head(array)[:, :self._position] = part
            self.program.state[name] = array

    def _by_head(self, cache: FloatArray) -> FloatArray:
        """A state as [kv_heads, positions, head_size], not copied."""
        return cache.reshape(self.config.kv_heads, -1, self.config.head_size)

    @property
    def position(self) -> int:
        """Number of tokens seen since the last reset."""
        return self._position

    def reset(self) -> None:
        """Forgets all tokens."""
        self._position = 0
        self.program.state.reset()

    def skip_to(self, position: int) -> None:
        """Goes on at another position, for measurements: what the cache holds of
        the positions before it is taken for seen."""
        if not 0 <= position < self.config.context:
            raise ValueError(f"expected a position from 0 to "
                             f"{self.config.context - 1}, got {position}")
        self._make_room(position + 1)
        self._position = position

    def feed(self, tokens: Sequence[int]) -> FloatArray:
        """Takes the tokens in after those of before; returns the scores of the
        one that follows, [vocab]. Raises ContextFullError before it takes any if
        there are too many, ValueError if there are none or unknown ones."""
        self._check(tokens)
        end = self._position + len(tokens)
        # The last chunk may be longer than the rest of the tokens.
        self._make_room(end + self.chunk if len(tokens) > CHUNK_WORTH else end)
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
        return self.chunk > 1 and self._position + self.chunk <= self.room

    def _run_decode(self, token: int) -> FloatArray:
        values = graph.input_values(self._sizes, self._embed(token),
                                    self._rotations, self._position)
        scores: FloatArray = self.program.decode.run(values)
        self._position += 1
        first: FloatArray = scores[0]
        return first

    def _run_prefill(self, tokens: Sequence[int]) -> None:
        """Fewer tokens than a chunk are filled up with zeros. What these leave in
        the cache, nobody sees before it is overwritten."""
        rows = np.zeros((self.chunk, self.config.dim), np.float32)
        rows[:len(tokens)] = self._weights.embed(tokens)
        self.program.prefill.run(
            graph.input_values(self._sizes, rows, self._rotations,
                               self._position))
        self._position += len(tokens)
