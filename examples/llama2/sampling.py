# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chooses the next token from the scores of all."""

from __future__ import annotations

from typing import Optional

import numpy as np

from weights import FloatArray


class Sampler:
    """Draws tokens; the same seed draws the same ones from the same scores."""

    def __init__(self,
                 temperature: float = 0.0,
                 top_p: float = 1.0,
                 seed: Optional[int] = None) -> None:
        """temperature: 0 takes the best token always, 1 draws by the model's own
        probabilities, more is more random. top_p: draws from the most probable
        tokens that have this probability together, 0 < top_p <= 1. seed: None
        for another one each time."""
        if not 0 <= temperature < float("inf"):
            raise ValueError("expected a temperature of 0 or more, got "
                             f"{temperature}")
        if not 0 < top_p <= 1:
            raise ValueError(
                f"expected a top_p above 0 and up to 1, got {top_p}")
        self.temperature = temperature
        self.top_p = top_p
        self._random = np.random.default_rng(seed)

    def choose(self, scores: FloatArray) -> int:
        """The token for scores of shape [vocab]."""
        if self.temperature == 0:
            return int(scores.argmax())
        # In double: a small temperature makes large numbers.
        weights = scores.astype(np.float64)
        weights = np.exp((weights - weights.max()) / self.temperature)
        order = np.argsort(-weights, kind="stable")
        sums = np.cumsum(weights[order])
        count = int(np.searchsorted(sums, self.top_p * sums[-1])) + 1
        sums = sums[:count]
        drawn = np.searchsorted(sums, self._random.random() * sums[-1], "right")
        return int(order[min(int(drawn), len(sums) - 1)])
