#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Continues a text with a language model, as `run` of llama2.c does."""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import sys

import hamkaas as hk

from generate import Speed, generate, read_model
from network import LanguageModel


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkpoint",
                        help="a llama2.c checkpoint, or a GGUF file")
    parser.add_argument("-t",
                        "--temperature",
                        type=float,
                        default=1.0,
                        help="0 takes the best token always (default 1.0)")
    parser.add_argument(
        "-p",
        "--top-p",
        type=float,
        default=0.9,
        help="probability of the tokens to draw from (default 0.9)")
    parser.add_argument("-s",
                        "--seed",
                        type=int,
                        help="the same seed writes the same text")
    parser.add_argument(
        "-n",
        "--steps",
        type=int,
        default=256,
        help="tokens, those of the prompt included (default 256)")
    parser.add_argument("-i",
                        "--prompt",
                        default="",
                        help="the text to continue")
    parser.add_argument("-z", "--tokenizer", help="the checkpoint's tokenizer")
    parser.add_argument("--threads",
                        type=int,
                        default=0,
                        help="0 is one for each core (default)")
    return parser.parse_args()


def run(arguments: argparse.Namespace) -> None:
    sampler = hk.Sampler(arguments.temperature,
                         top_p=arguments.top_p,
                         seed=arguments.seed)
    config, weights, tokenizer = read_model(arguments.checkpoint,
                                            arguments.tokenizer)
    start = [] if tokenizer.start is None else [tokenizer.start]
    prompt = start + tokenizer.encode(arguments.prompt)
    if not prompt:
        raise ValueError(
            "expected a prompt, which this model cannot do without")
    # No room for more positions than are used: each costs memory and time.
    steps = min(arguments.steps, config.context)
    if steps < len(prompt):
        raise ValueError(
            f"expected at least {len(prompt)} steps, as many as the "
            f"prompt has tokens, got {steps}")
    model = LanguageModel(dataclasses.replace(config, context=steps), weights,
                          arguments.threads)
    speed = Speed()
    written = generate(model, prompt, sampler, steps - len(prompt),
                       tokenizer.stops, speed)
    for text in tokenizer.stream(itertools.chain(prompt[len(start):], written)):
        print(text, end="", flush=True)
    print()
    print(speed, file=sys.stderr)


def main() -> None:
    try:
        run(parse_arguments())
    except (ValueError, OSError, hk.HamKaasError) as error:
        sys.exit(f"run.py: error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
