# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Text to tokens and back, for the two kinds of vocabulary."""

from __future__ import annotations

import abc
import codecs
import math
import os
import re
import struct
import unicodedata
from typing import Iterable, Iterator, Optional

from merging import merge
from weights import ModelFileError


class Tokenizer(abc.ABC):
    """Tokens are numbers from 0; `pieces[t]` are the bytes of token t."""

    pieces: list[bytes]
    start: Optional[int]  # the token every text begins with, if there is one
    stops: frozenset[int]  # tokens that end a text

    @abc.abstractmethod
    def encode(self, text: str) -> list[int]:
        """The tokens of a text, without start and stop. Never fails: characters
        that the vocabulary lacks are spelled in bytes, and bytes that it lacks
        are left out."""

    def decode(self, tokens: Iterable[int]) -> str:
        return "".join(self.stream(tokens))

    def stream(self, tokens: Iterable[int]) -> Iterator[str]:
        """Yields the text of each token. A character whose bytes are spread over
        several tokens comes with the last of them; bytes that are no UTF-8 come
        as U+FFFD."""
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for piece in self._texts(tokens):
            yield decoder.decode(piece)
        yield decoder.decode(b"", final=True)

    def _texts(self, tokens: Iterable[int]) -> Iterator[bytes]:
        for token in tokens:
            yield self.pieces[token]


class ScoreTokenizer(Tokenizer):
    """The vocabulary of llama2.c: of two neighbours that are a token together,
    those of the highest score are joined first."""

    BEGIN, END = 1, 2
    FIRST_BYTE = 3  # tokens 3 to 258 are the bytes
    LARGEST_FILE = 1 << 26  # bytes; others are no tokenizers

    def __init__(self, pieces: list[bytes], scores: list[float]) -> None:
        """pieces: <0x41> stands for a byte. scores: one for each piece."""
        self.start = self.BEGIN
        self.stops = frozenset((self.BEGIN, self.END))
        self.pieces = [_unescape_byte(piece) for piece in pieces]
        # The first of equal pieces counts; bytes are the last resort.
        self._tokens: dict[bytes, int] = {}
        for token, piece in enumerate(pieces):
            self._tokens.setdefault(piece, token)
        self._scores = scores

    @classmethod
    def read(cls, path: str | os.PathLike[str], vocab: int) -> ScoreTokenizer:
        """Reads a tokenizer.bin of llama2.c: an int32, the longest length; then
        for each token its score as float32, its length as int32, its bytes."""
        with open(path, "rb") as file:
            data = file.read(cls.LARGEST_FILE + 1)
        if len(data) > cls.LARGEST_FILE:
            raise ModelFileError(f"{path}: expected a file of at most "
                                 f"{cls.LARGEST_FILE} bytes, got a larger one")
        if vocab < cls.FIRST_BYTE + 256:
            raise ModelFileError(f"expected a vocabulary of at least "
                                 f"{cls.FIRST_BYTE + 256} tokens, got {vocab}")
        pieces: list[bytes] = []
        scores: list[float] = []
        at = 4
        for token in range(vocab):
            if at + 8 > len(data):
                raise ModelFileError(
                    f"{path}: expected {vocab} tokens, got {token}")
            score, length = struct.unpack_from("<fi", data, at)
            at += 8
            if not 0 <= length <= len(data) - at:
                raise ModelFileError(
                    f"{path}: expected a length of token {token} from 0 to the "
                    f"{len(data) - at} bytes that are left, got {length}")
            if math.isnan(score):
                raise ModelFileError(
                    f"{path}: expected a number as the score of "
                    f"token {token}, got NaN")
            pieces.append(data[at:at + length])
            scores.append(score)
            at += length
        if at != len(data):
            raise ModelFileError(
                f"{path}: expected the file to end after {vocab} tokens, as many "
                f"as the model has, got {len(data) - at} more bytes")
        return cls(pieces, scores)

    def encode(self, text: str) -> list[int]:
        if not text:
            return []
        characters = (" " + text).encode("utf-8", "replace").decode("utf-8")
        symbols: list[bytes] = []
        for character in characters:
            symbol = character.encode()
            if symbol in self._tokens:
                symbols.append(symbol)
            else:
                symbols += [b"<0x%02X>" % byte for byte in symbol]
        return [self._token(symbol) for symbol in merge(symbols, self._join)]

    def _token(self, symbol: bytes) -> int:
        if symbol in self._tokens:
            return self._tokens[symbol]
        return self.FIRST_BYTE + _unescape_byte(symbol)[0]

    def _join(self, left: bytes, right: bytes) -> Optional[tuple[float, bytes]]:
        joined = left + right
        token = self._tokens.get(joined)
        return None if token is None else (-self._scores[token], joined)

    def _texts(self, tokens: Iterable[int]) -> Iterator[bytes]:
        """Drops the space that `encode` put before the text."""
        previous = self.BEGIN
        for token in tokens:
            piece = self.pieces[token]
            if previous == self.BEGIN and piece.startswith(b" "):
                piece = piece[1:]
            previous = token
            yield piece


def _unescape_byte(piece: bytes) -> bytes:
    match = re.fullmatch(rb"<0x([0-9A-F]{2})>", piece)
    return bytes([int(match[1], 16)]) if match else piece


# White space as Unicode has it; Python's \s has four control characters more.
_SPACE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
# The words of GPT-2 in a text without digits, where [^\W_] is any letter.
_WORDS = re.compile(rf"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W_]+| ?(?:[^{_SPACE}\w]|_)+"
                    rf"|[{_SPACE}]+(?![^{_SPACE}])|[{_SPACE}]+")


def split_words(text: str) -> list[str]:
    """Splits a text as the pre-tokenizer `smollm` does: each digit stands alone,
    a word takes the space before it along.

    >>> split_words("I've 12 days,  ok")
    ['I', "'ve", ' ', '1', '2', ' days', ',', ' ', ' ok']
    """
    parts: list[str] = []
    begin = 0
    for i, character in enumerate(text):
        if unicodedata.category(character).startswith("N"):
            parts += [*_WORDS.findall(text[begin:i]), character]
            begin = i + 1
    return parts + _WORDS.findall(text[begin:])


def _byte_characters() -> dict[int, str]:
    """The character by which GPT-2's vocabulary writes each byte: itself where
    it is printable, otherwise one from U+0100 on."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {
        **{
            byte: chr(byte)
            for byte in printable
        },
        **{
            byte: chr(0x100 + i)
            for i, byte in enumerate(others)
        }
    }


class MergeTokenizer(Tokenizer):
    """The vocabulary of GPT-2: pairs of neighbours are joined in the order in
    which a list names them, within the words of the text."""

    def __init__(self,
                 names: list[str],
                 merges: list[str],
                 special: set[int],
                 stops: Iterable[int],
                 start: Optional[int] = None) -> None:
        """names: of the tokens, bytes written as characters. merges: "a b".
        special: tokens that no text is encoded to. Raises ModelFileError."""
        byte_of = {c: byte for byte, c in _byte_characters().items()}
        self.start = start
        self.stops = frozenset(stops)
        self._special = {names[token]: token for token in special}
        self.pieces = []
        for token, name in enumerate(names):
            if token in special:
                self.pieces.append(name.encode("utf-8", "replace"))
                continue
            try:
                self.pieces.append(bytes(byte_of[c] for c in name))
            except KeyError as error:
                raise ModelFileError(
                    f"expected characters that stand for bytes in token {token}, "
                    f"got {error.args[0]!r}") from None
        self._tokens = {
            piece: token
            for token, piece in enumerate(self.pieces) if token not in special
        }
        self._ranks: dict[tuple[bytes, bytes], int] = {}
        for rank, line in enumerate(merges):
            pair = tuple(
                bytes(byte_of.get(c, 0) for c in part)
                for part in line.split(" "))
            if len(pair) != 2 or pair[0] + pair[1] not in self._tokens:
                raise ModelFileError(
                    f"expected merge {rank} to be two parts of a "
                    f"token, got {line!r}")
            self._ranks.setdefault((pair[0], pair[1]), rank)

    def special(self, name: str) -> int:
        """The special token of that name; ModelFileError if there is none."""
        if name not in self._special:
            raise ModelFileError(
                f"expected a special token {name}, got "
                f"{', '.join(sorted(self._special)) or 'none'}")
        return self._special[name]

    def encode(self, text: str) -> list[int]:
        return [
            token for word in split_words(text) for token in self._word(word)
        ]

    def _word(self, word: str) -> list[int]:
        symbols = [bytes([byte]) for byte in word.encode("utf-8", "replace")]
        return [
            self._tokens[part] for part in merge(symbols, self._join)
            if part in self._tokens
        ]

    def _join(self, left: bytes, right: bytes) -> Optional[tuple[float, bytes]]:
        rank = self._ranks.get((left, right))
        return None if rank is None else (rank, left + right)
