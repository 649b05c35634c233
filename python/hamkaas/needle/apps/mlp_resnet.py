# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A residual network of linear layers for handwritten digits."""

from __future__ import annotations

import os
from typing import Any, Optional, Tuple

import numpy as np

from .. import data, nn, ops, optim
from .simple_ml import Totals, set_mode, step


def ResidualBlock(dim: int, hidden_dim: int, norm: Any = nn.BatchNorm1d,
                  drop_prob: float = 0.1) -> nn.Module:
    """Two linear layers with norms, added to their input: ``(n, dim)``."""
    return nn.Sequential(nn.Residual(nn.Sequential(
        nn.Linear(dim, hidden_dim), norm(hidden_dim), nn.ReLU(),
        nn.Dropout(drop_prob), nn.Linear(hidden_dim, dim), norm(dim))),
        nn.ReLU())


def MLPResNet(dim: int, hidden_dim: int = 100, num_blocks: int = 3,
              num_classes: int = 10, norm: Any = nn.BatchNorm1d,
              drop_prob: float = 0.1) -> nn.Module:
    """``num_blocks`` of `ResidualBlock` between two linear layers: ``(n, dim)``
    to ``(n, num_classes)``."""
    blocks = [ResidualBlock(hidden_dim, hidden_dim // 2, norm, drop_prob)
              for _ in range(num_blocks)]
    return nn.Sequential(nn.Linear(dim, hidden_dim), nn.ReLU(), *blocks,
                         nn.Linear(hidden_dim, num_classes))


def epoch(dataloader: Any, model: Any, opt: Optional[Any] = None) \
        -> Tuple[float, float]:
    """Share of errors and mean loss of an epoch, in which ``opt`` trains the
    model."""
    np.random.seed(4)
    set_mode(model, opt)
    totals, loss_function = Totals(), nn.SoftmaxLoss()
    for X, y in dataloader:
        count = 1
        for size in X.shape[1:]:
            count *= size
        logits = model(ops.reshape(X, (X.shape[0], count)))
        loss = loss_function(logits, y)
        step(loss, opt)
        totals.add(logits, y, loss)
    accuracy, mean = totals.means()
    return 1 - accuracy, mean


def train_mnist(batch_size: int = 100, epochs: int = 10,
                optimizer: Any = optim.Adam, lr: float = 0.001,
                weight_decay: float = 0.001, hidden_dim: int = 100,
                data_dir: str = "data") -> Tuple[float, float, float, float]:
    """Errors and losses of the last epoch: of training, and of the test."""
    np.random.seed(4)
    train, test = [data.MNISTDataset(
        os.path.join(data_dir, f"{part}-images-idx3-ubyte.gz"),
        os.path.join(data_dir, f"{part}-labels-idx1-ubyte.gz"))
        for part in ("train", "t10k")]
    model = MLPResNet(train.images[0].size, hidden_dim)
    opt = optimizer(model.parameters(), lr=lr, weight_decay=weight_decay)
    loader = data.DataLoader(train, batch_size, shuffle=True)
    result = 0.0, 0.0
    for _ in range(epochs):
        result = epoch(loader, model, opt)
    return (*result, *epoch(data.DataLoader(test, batch_size), model))
