# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of items, and loaders of batches."""

from __future__ import annotations

from typing import Any, Callable, Iterator, List, Optional, Sequence, Tuple

import numpy as np

from ...arrays import Array
from ...positions import make_error
from ..autograd import Tensor

Transforms = Optional[Sequence[Callable[[Array], Array]]]


class Dataset:
    """Items, tuples of arrays, by a number, several, or a slice.

    ``transforms`` change the images, in their order.
    """

    def __init__(self, transforms: Transforms = None) -> None:
        self.transforms = transforms

    def __getitem__(self, index: Any) -> Tuple[Any, ...]:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def apply_transforms(self, x: Array) -> Array:
        """An image after all transforms."""
        for transform in self.transforms or ():
            x = transform(x)
        return x

    def _transform_all(self, images: Array, rank: int) -> Array:
        """An image of a rank, or several one by one."""
        if not self.transforms:
            return images
        if images.ndim == rank:
            return self.apply_transforms(images)
        return np.stack([self.apply_transforms(one) for one in images])


class DataLoader:
    """Batches of ``batch_size`` items, tuples of tensors; the last may be
    smaller.

    Each loop over it is an epoch. With ``shuffle``, it begins with a draw of
    numpy's global generator.
    """

    def __init__(self, dataset: Dataset, batch_size: Optional[int] = 1,
                 shuffle: bool = False) -> None:
        if batch_size is None or batch_size < 1:
            raise make_error(f"expected a batch_size of at least 1, got "
                             f"{batch_size}")
        self.dataset, self.batch_size = dataset, batch_size
        self.shuffle = shuffle
        self._batches: Iterator[Array] = iter(())

    def __iter__(self) -> "DataLoader":
        count = len(self.dataset)
        order = np.random.permutation(count) if self.shuffle else \
            np.arange(count)
        self._batches = iter([order[i:i + self.batch_size]
                              for i in range(0, count, self.batch_size)])
        return self

    def __next__(self) -> Tuple[Tensor, ...]:
        parts: List[Any] = list(self.dataset[next(self._batches)])
        return tuple([Tensor(part) for part in parts])
