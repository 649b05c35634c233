# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The choice of the next token."""

from __future__ import annotations

import operator
import os
from typing import Any, Iterable, Optional

import numpy as np

from . import _native
from .positions import make_error
from .tokenizer import check_token

__all__ = ["Sampler"]


class Sampler:
    """Chooses tokens by the scores of a language model.

    The same seed chooses the same tokens by the same scores on every machine.

    >>> import hamkaas as hk, numpy as np
    >>> scores = np.float32([1, 3, 2])
    >>> hk.Sampler().choose(scores)
    1
    >>> sampler = hk.Sampler(temperature=1.5, top_p=0.9, seed=7)
    >>> [sampler.choose(scores) for _ in range(8)]
    [2, 2, 0, 1, 2, 1, 1, 1]
    """

    def __init__(self, temperature: float = 0.0, *, top_k: int = 0,
                 top_p: float = 1.0, min_p: float = 0.0,
                 repeat_penalty: float = 1.0, repeat_last: int = 64,
                 seed: Optional[int] = None) -> None:
        """Without arguments the best token is chosen.

        ``temperature``: scores are divided by it; 0 chooses the best token, 1
        draws by the model's own probabilities, more is more random.

        ``top_k``, ``top_p``, ``min_p``: draw from at most so many of the most
        probable tokens (0 for all), from those that together have this
        probability (1 for all), and from those with at least this part of the
        probability of the best (0 for all).

        ``repeat_penalty``: the scores of the last ``repeat_last`` tokens of the
        text are divided by it, or multiplied if negative.

        ``seed``: None for another one each time; `seed` has it.
        """
        self.seed = int.from_bytes(os.urandom(8), "little") if seed is None \
            else operator.index(seed)
        if not 0 <= self.seed < 1 << 64:
            raise make_error("expected a seed of at least 0 and less than "
                             f"2^64, got {seed}")
        for name, value in (("top_k", top_k), ("repeat_last", repeat_last)):
            if not 0 <= operator.index(value) < 1 << 31:
                raise make_error(f"expected {name} of at least 0 and less than "
                                 f"2^31, got {value}")
        for name, number in (("temperature", temperature), ("top_p", top_p),
                             ("min_p", min_p),
                             ("repeat_penalty", repeat_penalty)):
            if isinstance(number, str) or not hasattr(number, "__float__"):
                raise make_error(f"expected {name} to be a number, got "
                                 f"{number!r:.100}")
        self._native = _native.Sampler(temperature, top_k, top_p, min_p,
                                       repeat_penalty, repeat_last, self.seed)

    def accept(self, tokens: Iterable[int]) -> None:
        """Takes tokens for part of the text, as those of a prompt. `choose` does
        so with what it chooses."""
        self._native.accept([check_token(token) for token in tokens])

    def choose(self, scores: Any) -> int:
        """The next token, by the scores of all: float32 of shape [tokens], or
        [1, tokens]."""
        array = np.ascontiguousarray(scores)
        if array.dtype != np.float32 or array.size != array.shape[-1]:
            raise make_error("expected scores of float32 and shape [tokens], "
                             f"got {array.dtype} {list(array.shape)}")
        return self._native.choose(array)

    def reset(self) -> None:
        """Forgets the text, and begins anew with the random numbers."""
        self._native.reset()
