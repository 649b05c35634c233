# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sets of data, and loaders of batches."""

from . import data_basic, data_transforms, datasets
from .data_basic import DataLoader, Dataset
from .data_transforms import RandomCrop, RandomFlipHorizontal, Transform
from .datasets import (CIFAR10Dataset, Corpus, Dictionary, MNISTDataset,
                       NDArrayDataset, batchify, get_batch)

__all__ = ["CIFAR10Dataset", "Corpus", "DataLoader", "Dataset", "Dictionary",
           "MNISTDataset", "NDArrayDataset", "RandomCrop",
           "RandomFlipHorizontal", "Transform", "batchify", "data_basic",
           "data_transforms", "datasets", "get_batch"]
