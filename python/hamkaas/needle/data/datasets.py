# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of images and of words."""

from __future__ import annotations

import io
import os
import pathlib
import pickle
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ...arrays import Array
from ...data import read_idx
from ...errors import HamKaasError
from ..autograd import Tensor
from .data_basic import Dataset, Transforms


class NDArrayDataset(Dataset):
    """The rows of arrays."""

    def __init__(self, *arrays: Any) -> None:
        super().__init__()
        self.arrays = arrays

    def __len__(self) -> int:
        return len(self.arrays[0])

    def __getitem__(self, index: Any) -> Tuple[Any, ...]:
        return tuple([array[index] for array in self.arrays])


class MNISTDataset(Dataset):
    """Images ``(28, 28, 1)`` of float32 from 0 to 1, and classes, of the files
    of MNIST."""

    def __init__(self, image_filename: str, label_filename: str,
                 transforms: Transforms = None) -> None:
        super().__init__(transforms)
        self.images, self.labels = read_mnist_files(image_filename,
                                                    label_filename)

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: Any) -> Tuple[Any, ...]:
        images = self.images[index][..., None]
        return self._transform_all(images, 3), self.labels[index]


def read_mnist_files(images: str, labels: str) -> Tuple[Array, Array]:
    """Images ``(n, rows, columns)``, float32 from 0 to 1, and classes, uint8.

    HamKaasError for files that are none of these.
    """
    pixels, classes = read_idx(images), read_idx(labels)
    if pixels.ndim != 3 or pixels.dtype != np.uint8 or \
            classes.shape != pixels.shape[:1]:
        raise HamKaasError(f"{images}: expected images and a class for each, "
                           f"got the shapes {list(pixels.shape)} and "
                           f"{list(classes.shape)}")
    return pixels.astype(np.float32) / np.float32(255), classes


_ALLOWED = {"_reconstruct", "ndarray", "dtype", "encode", "scalar"}


class _Unpickler(pickle.Unpickler):
    """Reads arrays, lists and dictionaries, and nothing that runs."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] not in ("numpy", "_codecs") or \
                name not in _ALLOWED:
            raise HamKaasError(f"expected arrays in the file, got {module}."
                               f"{name}")
        return super().find_class(module, name)


def _read_batch(path: pathlib.Path) -> Dict[Any, Any]:
    try:
        content: Any = _Unpickler(io.BytesIO(path.read_bytes()),
                                  encoding="bytes").load()
        if b"data" in content and b"labels" in content:
            return dict(content)
    except (pickle.UnpicklingError, EOFError, TypeError, ValueError) as error:
        raise HamKaasError(f"{path}: {error}") from None
    raise HamKaasError(f"{path}: expected the entries b'data' and b'labels', "
                       "got none")


class CIFAR10Dataset(Dataset):
    """Images ``(3, 32, 32)`` of float32 from 0 to 1, and classes, of the files
    of CIFAR-10 for Python.

    ``X`` and ``y`` are all of them. ``p`` is not used.
    """

    def __init__(self, base_folder: str, train: bool, p: float = 0.5,
                 transforms: Transforms = None) -> None:
        super().__init__(transforms)
        names = [f"data_batch_{i}" for i in range(1, 6)] if train else \
            ["test_batch"]
        batches = [_read_batch(pathlib.Path(base_folder) / name)
                   for name in names]
        pixels = np.concatenate([np.asarray(one[b"data"]) for one in batches])
        self.X = pixels.reshape(-1, 3, 32, 32).astype(np.float32) / \
            np.float32(255)
        self.y = np.concatenate([np.asarray(one[b"labels"])
                                 for one in batches])

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, index: Any) -> Tuple[Any, ...]:
        return self._transform_all(self.X[index], 3), self.y[index]


class Dictionary:
    """Words and their numbers: the first is 0."""

    def __init__(self) -> None:
        self.word2idx: Dict[str, int] = {}
        self.idx2word: List[str] = []

    def add_word(self, word: str) -> int:
        """The number of a word, a new one for a new word."""
        if word not in self.word2idx:
            self.word2idx[word] = len(self.idx2word)
            self.idx2word.append(word)
        return self.word2idx[word]

    def __len__(self) -> int:
        return len(self.idx2word)


class Corpus:
    """The words of ``train.txt`` and ``test.txt`` as numbers.

    ``<eos>`` ends each line; ``max_lines`` are read of each file.
    """

    def __init__(self, base_dir: str, max_lines: Optional[int] = None) -> None:
        self.dictionary = Dictionary()
        self.train = self.tokenize(os.path.join(base_dir, "train.txt"),
                                   max_lines)
        self.test = self.tokenize(os.path.join(base_dir, "test.txt"), max_lines)

    def tokenize(self, path: str, max_lines: Optional[int] = None) -> List[int]:
        """The numbers of a file's words."""
        numbers: List[int] = []
        with open(path, encoding="utf-8") as file:
            for count, line in enumerate(file):
                if max_lines is not None and count >= max_lines:
                    break
                for word in [*line.split(), "<eos>"]:
                    numbers.append(self.dictionary.add_word(word))
        return numbers


def batchify(data: Sequence[int], batch_size: int, device: Any = None,
             dtype: Any = "float32") -> Array:
    """The text in ``batch_size`` columns, an array; the rest is cut off."""
    rows = len(data) // batch_size
    numbers = np.array(data[:rows * batch_size], dtype)
    return numbers.reshape(batch_size, rows).T


def get_batch(batches: Array, i: int, bptt: int, device: Any = None,
              dtype: Any = None) -> Tuple[Tensor, Tensor]:
    """At most ``bptt`` rows from ``i`` on, and the words that follow, flat."""
    end = i + min(bptt, len(batches) - 1 - i)
    return (Tensor(batches[i:end], device=device, dtype=dtype),
            Tensor(batches[i + 1:end + 1].reshape(-1), device=device,
                   dtype=dtype))
