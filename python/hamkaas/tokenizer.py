# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tokenizers of language models."""

from __future__ import annotations

import codecs
import operator
import os
from typing import (Any, Iterable, Iterator, List, Mapping, Optional,
                    Sequence, Union)

from . import _native
from .positions import make_error

__all__ = ["Tokenizer"]

_ENDS, _CONTROLS = 1, 2  # HamKaasEncoding


class Tokenizer:
    """Text to tokens and back, by the tables in a GGUF file.

    >>> tokenizer = hk.Tokenizer("model.gguf")           # doctest: +SKIP
    >>> tokenizer.encode("Hello world")                  # doctest: +SKIP
    [19556, 905]
    >>> tokenizer.decode([19556, 905])                   # doctest: +SKIP
    'Hello world'

    Knows byte pair encoding with the pre-tokenizers of GPT-2, SmolLM, Llama 3
    and Qwen2, and SentencePiece; others raise `HamKaasError`. Several threads
    may use one tokenizer at the same time.
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self._native = _native.Tokenizer(os.fsencode(path))
        self._special = self._native.special
        self._name = os.fspath(path)

    def __repr__(self) -> str:
        return f"<hamkaas.Tokenizer {self._name!r} of {len(self)} tokens>"

    def __len__(self) -> int:
        """The number of tokens."""
        return self._native.size

    @property
    def context(self) -> Optional[int]:
        """The most tokens that a text of the model has, if the file says so."""
        return self._native.context or None

    @property
    def bos(self) -> Optional[int]:
        """The token that begins a text."""
        return _token_or_none(self._special[0])

    @property
    def eos(self) -> Optional[int]:
        """The token that ends a text."""
        return _token_or_none(self._special[1])

    @property
    def eot(self) -> Optional[int]:
        """The token that ends a turn of a chat."""
        return _token_or_none(self._special[2])

    def is_end(self, token: int) -> bool:
        """Whether a model that writes this token has ended its text."""
        return self._native.is_end(check_token(token))

    def find(self, name: str) -> Optional[int]:
        """The control or user-defined token of that name."""
        return _token_or_none(self._native.find(_encode(name, "a name")))

    @property
    def chat_template(self) -> Optional[str]:
        """The chat template of the file, in the language Jinja."""
        text = self._native.chat_template
        return None if text is None else text.decode("utf-8", "replace")

    def encode(self, text: Union[str, bytes], *, ends: bool = False,
               controls: bool = False) -> List[int]:
        """The tokens of a text.

        ``ends``: first and last come the tokens that the file says begin and
        end a text. ``controls``: names of control tokens, ``<|im_start|>``,
        become these tokens; not for texts of strangers.

        ``bytes`` that are no UTF-8 become the tokens of bytes.
        """
        if isinstance(text, str):
            text = text.encode("utf-8", "replace")
        if not isinstance(text, (bytes, bytearray, memoryview)):
            raise make_error(f"expected a text or bytes, got {text!r:.100}")
        return self._native.encode(bytes(text), ends * _ENDS
                                   + controls * _CONTROLS)

    def encode_chat(self, messages: Sequence[Mapping[str, str]], *,
                    reply: bool = True,
                    form: Optional[str] = None) -> List[int]:
        """The tokens of a chat, up to where the reply of the model begins.

        ``messages`` are as ``{"role": "user", "content": "Hi"}``; a role is
        ``system``, first only, ``user`` or ``assistant``. Names of control
        tokens in them are ordinary text. Without ``reply`` the tokens end with
        the last message.

        The chat template of the file is recognised by its text and not run.
        ``form`` is another one, or one of the names ``chatml``, ``llama2``,
        ``mistral``, ``llama3``, ``zephyr`` and ``gemma``.
        """
        known = [(_encode(_field(message, "role"), "a role"),
                  _encode(_field(message, "content"), "a content"))
                 for message in messages]
        return self._native.encode_chat(
            known, None if form is None else _encode(form, "a template"),
            reply)

    def piece(self, token: int, *, controls: bool = False) -> bytes:
        """The bytes of a token, perhaps part of a character. Control tokens have
        none, or with ``controls`` their name."""
        return self._native.decode(check_token(token), controls)

    def decode(self, tokens: Iterable[int], *, controls: bool = False) -> str:
        """The text of tokens; what is no UTF-8 becomes U+FFFD."""
        return "".join(self.stream(tokens, controls=controls))

    def stream(self, tokens: Iterable[int], *,
               controls: bool = False) -> Iterator[str]:
        """The text of each token, when it comes.

        A character whose bytes are spread over several tokens comes with the
        last of them. One more text follows the last token: what is left of a
        character, or nothing.
        """
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        drops_space = self._native.adds_space
        for token in tokens:
            piece = self.piece(token, controls=controls)
            if drops_space and piece:
                piece, drops_space = piece[piece[:1] == b" ":], False
            yield decoder.decode(piece)
        yield decoder.decode(b"", final=True)


def check_token(token: Any) -> int:
    """The number of a token, of 64 bits."""
    try:
        number = operator.index(token)
        if -1 << 63 <= number < 1 << 63:
            return number
    except TypeError:
        pass
    raise make_error(f"expected the number of a token, got {token!r:.100}")


def _token_or_none(token: int) -> Optional[int]:
    return None if token < 0 else token


def _field(message: Mapping[str, str], name: str) -> str:
    value: Any = message.get(name) if isinstance(message, Mapping) else None
    if not isinstance(value, str):
        raise make_error(f"expected a message with a text {name!r}, got "
                         f"{message!r:.100}")
    return value


def _encode(text: str, what: str) -> bytes:
    if not isinstance(text, str):
        raise make_error(f"expected {what}, a text, got {text!r:.100}")
    if "\0" in text:
        raise make_error(f"expected {what} without zeros, got {text!r:.100}")
    return text.encode("utf-8", "replace")
