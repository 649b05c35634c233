# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of items."""

from __future__ import annotations

import operator
from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np

from ..errors import HamKaasError

Item = Tuple[Any, ...]
"""Arrays or numbers that belong together, such as an image and its class."""

Transform = Callable[[Item, np.random.Generator], Item]
"""Makes another item; what is random is drawn from the generator."""


class Dataset:
    """Items by their numbers. Subclasses define both methods.

    Not changed while a loader reads it.
    """

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, index: int) -> Item:
        raise NotImplementedError


class ArrayDataset(Dataset):
    """The rows of arrays.

    ``transform(item, rng)`` makes the items of a loader, in which random
    numbers are those of item and epoch, however often training stops.

    >>> import numpy as np
    >>> from hamkaas import data
    >>> data.ArrayDataset(np.float32([1, 2]), np.array([0, 1]))[1]
    (2.0, 1)
    """

    def __init__(self, *arrays: Any,
                 transform: Optional[Transform] = None) -> None:
        self.arrays = tuple([np.asarray(array) for array in arrays])
        self.transform = transform
        shapes = [list(array.shape) for array in self.arrays]
        if not shapes or any(not shape or shape[0] != shapes[0][0]
                             for shape in shapes):
            raise HamKaasError("expected arrays of as many rows each, got the "
                               f"shapes {shapes}")

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, index: int) -> Item:
        return tuple([array[operator.index(index)] for array in self.arrays])


class TextDataset(Dataset):
    """Pieces of a text, and the same one character further on.

    Characters are numbers: their places among those of ``text`` in order, or
    in ``alphabet``. Pieces begin ``stride`` characters behind each other, or at
    the end of the one before.

    >>> from hamkaas import data
    >>> text = data.TextDataset("abcab", 2)
    >>> len(text), text[1]
    (2, (array([2, 0]), array([0, 1])))
    """

    def __init__(self, text: Union[str, Sequence[str]], length: int,
                 stride: Optional[int] = None,
                 alphabet: Optional[str] = None) -> None:
        text = "".join(text)
        self.alphabet = "".join(sorted(set(text))) if alphabet is None \
            else alphabet
        places = {character: i for i, character in enumerate(self.alphabet)}
        unknown = set(text) - set(places)
        if unknown:
            raise HamKaasError("expected a text of the alphabet, got "
                               f"{min(unknown)!r}, too")
        self.length = operator.index(length)
        self.stride = self.length if stride is None else operator.index(stride)
        if self.length < 1 or self.stride < 1:
            raise HamKaasError("expected length and stride of at least 1, got "
                               f"{self.length} and {self.stride}")
        self.tokens = np.array([places[c] for c in text], np.int64)

    def __len__(self) -> int:
        return max(0, (len(self.tokens) - 1 - self.length) // self.stride + 1)

    def __getitem__(self, index: int) -> Item:
        if not 0 <= index < len(self):
            raise IndexError(f"expected a piece from 0 to {len(self) - 1}, got "
                             f"{index}")
        begin = index * self.stride
        piece = self.tokens[begin:begin + self.length + 1]
        return piece[:-1], piece[1:]

    def decode(self, tokens: Any) -> str:
        """The text of numbers."""
        return "".join([self.alphabet[token] for token in tokens])
