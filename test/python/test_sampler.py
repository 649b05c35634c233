# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hamkaas.Sampler against the formula in docs/LanguageModels.md."""

import math
import pathlib
import sys

import numpy as np
import pytest

import hamkaas as hk

sys.path.append(str(pathlib.Path(__file__).parents[1] / "Integration/Inputs"))
from philox import random_bits  # noqa: E402

SCORES = (np.arange(1000) * 7919 % 1000 / 100).astype(np.float32)


def draw_uniform(seed, number):
    low, high = (int(word)
                 for word in random_bits([seed, number, 0], [2]).ravel())
    return ((high << 32 | low) >> 11) * 2.0**-53


def choose(scores, recent, number, temperature, top_k, top_p, min_p, penalty,
           seed):
    """The formula, with the exponential of the C library."""
    scores = scores.copy()
    given = scores.copy()
    for token in recent:
        scores[token] = (given[token] / np.float32(penalty) if given[token] > 0
                         else given[token] * np.float32(penalty))
    temperature, top_p, min_p = (float(np.float32(value))
                                 for value in (temperature, top_p, min_p))
    weights = [math.exp((float(score) - float(scores.max())) / temperature)
               for score in scores]
    order = sorted(range(len(scores)), key=lambda token: -scores[token])
    kept = order[:top_k or len(order)]
    wanted = top_p * sum(weights[token] for token in sorted(kept))
    count, total = 0, 0.0
    while count < len(kept) and total < wanted:
        total += weights[kept[count]]
        count += 1
    kept = sorted(token for token in kept[:count] if weights[token] >= min_p)
    target = draw_uniform(seed, number) * sum(weights[t] for t in kept)
    total = 0.0
    for token in kept:
        total += weights[token]
        if total > target:
            break
    return token


@pytest.mark.parametrize("temperature, top_k, top_p, min_p, penalty", [
    (1.0, 0, 1.0, 0.0, 1.0), (1.5, 400, 0.9, 0.05, 1.1),
    (0.7, 40, 0.95, 0.0, 1.3), (3.0, 0, 0.5, 0.2, 1.0)])
def test_draws_by_the_formula(temperature, top_k, top_p, min_p, penalty):
    for seed in (0, 5, 2**64 - 1):
        sampler = hk.Sampler(temperature, top_k=top_k, top_p=top_p, min_p=min_p,
                             repeat_penalty=penalty, repeat_last=10, seed=seed)
        text = []
        for number in range(30):
            expected = choose(SCORES, text[-10:], number, temperature, top_k,
                              top_p, min_p, penalty, seed)
            assert sampler.choose(SCORES) == expected
            text.append(expected)


def test_prompt_counts_for_the_penalty():
    sampler = hk.Sampler(repeat_penalty=2)
    scores = np.float32([[4, 3, 1]])
    sampler.accept([0])
    assert sampler.choose(scores) == 1
    sampler.reset()
    assert sampler.choose(scores) == 0


def test_seeds_differ_unless_given():
    assert hk.Sampler(1).seed != hk.Sampler(1).seed
    assert hk.Sampler(1, seed=3).seed == 3


@pytest.mark.parametrize("arguments, message", [
    ({"temperature": -1}, "a temperature of 0 or more, got -1"),
    ({"temperature": math.nan}, "a temperature of 0 or more, got "),
    ({"temperature": "a"}, "temperature to be a number, got 'a'"),
    ({"top_k": -1}, "top_k of at least 0"),
    ({"top_p": 1.5}, "a top-p of 0 to 1, got 1.5"),
    ({"min_p": -0.5}, "a min-p of 0 to 1, got -0.5"),
    ({"repeat_penalty": math.inf}, "a repeat penalty of 0 or more, got inf"),
    ({"repeat_last": -3}, "repeat_last of at least 0"),
    ({"seed": -1}, "a seed of at least 0")])
def test_wrong_arguments(arguments, message):
    with pytest.raises(hk.HamKaasError, match=message):
        hk.Sampler(**arguments)


@pytest.mark.parametrize("scores, message", [
    (np.zeros(3), r"scores of float32 and shape \[tokens\], got float64 \[3\]"),
    (np.zeros((2, 3), np.float32), r"got float32 \[2, 3\]"),
    (np.zeros(0, np.float32), "scores of 1 token or more, got 0"),
    (np.float32([1, math.nan]), "finite scores, got -?nan for token 1"),
    (np.float32([math.inf]), "finite scores, got inf for token 0")])
def test_wrong_scores(scores, message):
    with pytest.raises(hk.HamKaasError, match=message):
        hk.Sampler().choose(scores)
