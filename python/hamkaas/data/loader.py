# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of items, in an order that can be taken up again."""

from __future__ import annotations

import operator
import queue
import threading
from typing import Any, Iterator, List, Tuple

import numpy as np

from ..arrays import Array
from ..errors import HamKaasError
from .datasets import ArrayDataset, Dataset, Item

Batch = Tuple[Array, ...]


class DataLoader:
    """The batches of a data set, epoch by epoch.

    Iterating gives the batches of the epoch that are left; then the next epoch
    begins. With ``shuffle`` each epoch has an order of its own, drawn by
    numpy's Philox from ``seed`` and the number of the epoch. Items behind the
    last whole batch are left out: programs have fixed shapes.

    `position` says how far the program came, which does not count batches that
    are only prefetched. A loader whose position is set to it goes on with the
    same batches, to the same bits. A thread reads up to ``prefetch`` batches
    ahead; 0 for none.

    >>> import numpy as np
    >>> from hamkaas import data
    >>> def load():
    ...     numbers = data.ArrayDataset(np.arange(8))
    ...     return data.DataLoader(numbers, 2, shuffle=True, seed=3)
    >>> loader, other = load(), load()
    >>> batches = iter(loader)
    >>> _ = next(batches), next(batches)
    >>> other.position = loader.position
    >>> [int(x) for (batch,) in batches for x in batch] == [
    ...     int(x) for (batch,) in other for x in batch]
    True
    """

    def __init__(self, dataset: Dataset, batch_size: int, *,
                 shuffle: bool = False, seed: int = 0,
                 prefetch: int = 2) -> None:
        self.dataset, self.shuffle = dataset, shuffle
        self.batch_size = operator.index(batch_size)
        self.prefetch, self.seed = operator.index(prefetch), operator.index(seed)
        if not 1 <= self.batch_size <= len(dataset):
            raise HamKaasError("expected a batch_size from 1 to the "
                               f"{len(dataset)} items, got {self.batch_size}")
        if not 0 <= self.seed < 1 << 64 or self.prefetch < 0:
            raise HamKaasError("expected a seed from 0 to 2^64 - 1 and a "
                               f"prefetch of at least 0, got {self.seed} and "
                               f"{self.prefetch}")
        self._epoch = self._batch = 0

    def __len__(self) -> int:
        """The batches of an epoch."""
        return len(self.dataset) // self.batch_size

    @property
    def position(self) -> Array:
        """Seed, epoch, and batches of it that were given out; uint64."""
        return np.array([self.seed, self._epoch, self._batch], np.uint64)

    @position.setter
    def position(self, value: Any) -> None:
        self.check_position(value)
        self.seed, self._epoch, self._batch = (int(part) for part in value)

    def check_position(self, value: Any) -> None:
        """Fails unless `position` may be set to ``value``."""
        if len(value) != 3 or int(value[2]) > len(self):
            raise HamKaasError(f"expected a position among {len(self)} "
                               f"batches, got {[int(part) for part in value]}")

    def _generator(self, epoch: int, item: int = -1) -> np.random.Generator:
        """That of the order of an epoch, or of one item in it."""
        counter = [0, 0, item + 1, 0]
        return np.random.Generator(np.random.Philox(
            key=np.array([self.seed, epoch], np.uint64), counter=counter))

    def _make(self, epoch: int, indices: Array) -> Batch:
        dataset = self.dataset
        transform = getattr(dataset, "transform", None)
        if isinstance(dataset, ArrayDataset) and transform is None:
            return tuple([array[indices] for array in dataset.arrays])
        items: List[Item] = []
        for index in indices.tolist():
            item = dataset[index]
            if transform is not None:
                item = transform(item, self._generator(epoch, index))
            items.append(item)
        return tuple([np.stack([np.asarray(part) for part in parts])
                      for parts in zip(*items)])

    def _read(self, epoch: int, first: int) -> Iterator[Batch]:
        order = np.arange(len(self.dataset))
        if self.shuffle:
            order = self._generator(epoch).permutation(len(self.dataset))
        for batch in range(first, len(self)):
            begin = batch * self.batch_size
            yield self._make(epoch, order[begin:begin + self.batch_size])

    def __iter__(self) -> Iterator[Batch]:
        if self._batch == len(self):
            self._epoch, self._batch = self._epoch + 1, 0
        batches = self._read(self._epoch, self._batch)
        if self.prefetch:
            batches = _prefetch(batches, self.prefetch)
        for batch in batches:
            self._batch += 1
            yield batch
        self._epoch, self._batch = self._epoch + 1, 0


def _prefetch(batches: Iterator[Batch], count: int) -> Iterator[Batch]:
    """The batches, read by a thread that ends with the iteration."""
    ready: "queue.Queue[Tuple[str, Any]]" = queue.Queue(count)
    is_over = threading.Event()

    def put(entry: Tuple[str, Any]) -> bool:
        while not is_over.is_set():
            try:
                ready.put(entry, timeout=0.05)
                return True
            except queue.Full:
                pass
        return False

    def read() -> None:
        try:
            for batch in batches:
                if not put(("batch", batch)):
                    return
            put(("end", None))
        except BaseException as error:
            put(("error", error))

    thread = threading.Thread(target=read, name="hamkaas.data", daemon=True)
    thread.start()
    try:
        while True:
            kind, value = ready.get()
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value
    finally:
        is_over.set()
        thread.join()
