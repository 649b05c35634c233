#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Continues a text with a language model of a GGUF file."""

from __future__ import annotations

import argparse
import itertools
import sys

from generation import Generation, add_arguments, make_sampler
from model import LanguageModel, find_smollm2


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add_arguments(parser, temperature=0.8)
    parser.add_argument("-i", "--prompt", default="",
                        help="the text to continue")
    parser.add_argument("-n", "--limit", type=int, default=256,
                        help="tokens to write (default 256)")
    return parser.parse_args()


def run(arguments: argparse.Namespace) -> None:
    sampler = make_sampler(arguments)
    model = LanguageModel(arguments.model or find_smollm2(), arguments.context,
                          arguments.threads)
    prompt = model.tokenizer.encode(arguments.prompt, ends=True)
    if not prompt:
        raise ValueError("expected a prompt, because the model has no token "
                         "that begins a text")
    generation = Generation(model, sampler, arguments.limit)
    tokens = itertools.chain(prompt, generation.run(prompt))
    for text in model.tokenizer.stream(tokens):
        print(text, end="", flush=True)
    print()
    if arguments.stats:
        print(generation.statistics, file=sys.stderr)


def main() -> None:
    try:
        run(parse_arguments())
    except (ValueError, OSError) as error:
        sys.exit(f"generate.py: error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
