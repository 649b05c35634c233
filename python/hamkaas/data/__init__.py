# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Data to train with: sets of items, loaders of batches, readers of files.

>>> import numpy as np
>>> from hamkaas import data
>>> numbers = data.ArrayDataset(np.arange(6), np.arange(6) ** 2)
>>> loader = data.DataLoader(numbers, batch_size=3, shuffle=True, seed=1)
>>> [len(squares) for _, squares in loader]
[3, 3]
"""

from .datasets import ArrayDataset, Dataset, TextDataset
from .files import read_cifar10, read_idx, read_mnist
from .loader import DataLoader

__all__ = ["ArrayDataset", "DataLoader", "Dataset", "TextDataset",
           "read_cifar10", "read_idx", "read_mnist"]
