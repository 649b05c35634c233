# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax regression and a network of two layers, on arrays of numpy."""

from __future__ import annotations

from typing import Any, Callable, Tuple

import numpy as np

from ...array import creation
from ...array_api import elementwise, reductions
from ...arrays import Array
from ..data.datasets import read_mnist_files


def add(x: Any, y: Any) -> Any:
    """``x + y``."""
    return x + y


def parse_mnist(image_filename: str, label_filename: str) \
        -> Tuple[Array, Array]:
    """Images ``(n, 784)``, float32 from 0 to 1, and classes, uint8."""
    images, labels = read_mnist_files(image_filename, label_filename)
    return images.reshape(len(images), -1), labels


def softmax_loss(Z: Array, y: Array) -> Any:
    """The mean loss of logits ``(n, classes)`` and classes ``(n,)``."""
    largest = Z.max(axis=1)
    total = np.log(np.exp(Z - largest[:, None]).sum(axis=1)) + largest
    return (total - Z[np.arange(len(y)), y]).mean()


def _slopes(Z: Array, y: Array) -> Array:
    """The gradient of the mean loss by the logits."""
    powers: Array = np.exp(Z - Z.max(axis=1, keepdims=True))
    powers /= powers.sum(axis=1, keepdims=True)
    powers[np.arange(len(y)), y] -= 1
    return powers / np.float32(len(y))


def softmax_regression_epoch(X: Array, y: Array, theta: Array, lr: float = 0.1,
                             batch: int = 100) -> None:
    """Changes ``theta`` by each batch of ``X`` in order."""
    for i in range(0, len(y), batch):
        part, classes = X[i:i + batch], y[i:i + batch]
        theta -= lr * (part.T @ _slopes(part @ theta, classes))


def nn_epoch(X: Array, y: Array, W1: Array, W2: Array, lr: float = 0.1,
             batch: int = 100) -> None:
    """Changes the weights of ``max(X @ W1, 0) @ W2`` by each batch in order."""
    for i in range(0, len(y), batch):
        part, classes = X[i:i + batch], y[i:i + batch]
        hidden = np.maximum(part @ W1, 0)
        slopes = _slopes(hidden @ W2, classes)
        below = (slopes @ W2.T) * (hidden > 0)
        W2 -= lr * (hidden.T @ slopes)
        W1 -= lr * (part.T @ below)


def softmax_regression_epoch_cpp(X: Array, y: Array, theta: Array,
                                 lr: float = 0.1, batch: int = 100) -> None:
    """`softmax_regression_epoch`, with a compiled program for a batch."""
    weights = creation.asarray(theta)
    numbers = creation.arange(theta.shape[1])
    for i in range(0, len(y), batch):
        part = creation.asarray(X[i:i + batch])
        classes = creation.asarray(y[i:i + batch].astype(np.int64)[:, None])
        logits = part @ weights
        powers = elementwise.exp(logits - reductions.max(logits, axis=1,
                                                         keepdims=True))
        shares = powers / reductions.sum(powers, axis=1, keepdims=True)
        slopes = shares - elementwise.astype(
            elementwise.equal(classes, numbers), "float32")
        weights = weights - part.T @ slopes * (lr / len(y[i:i + batch]))
        weights.numpy()
    theta[...] = weights.numpy()


def loss_err(h: Array, y: Array) -> Tuple[Any, Any]:
    """The mean loss and the share of errors."""
    return softmax_loss(h, y), np.mean(h.argmax(axis=1) != y)


def _report(epochs: int, train: Callable[[], None],
            measure: Callable[[Array], Array], data: Tuple[Array, ...]) -> None:
    X_tr, y_tr, X_te, y_te = data
    print("| Epoch | Train Loss | Train Err | Test Loss | Test Err |")
    for epoch in range(epochs):
        train()
        train_loss, train_error = loss_err(measure(X_tr), y_tr)
        test_loss, test_error = loss_err(measure(X_te), y_te)
        print(f"|  {epoch:4} |    {train_loss:.5f} |   {train_error:.5f} |   "
              f"{test_loss:.5f} |  {test_error:.5f} |")


def train_softmax(X_tr: Array, y_tr: Array, X_te: Array, y_te: Array,
                  epochs: int = 10, lr: float = 0.5, batch: int = 100,
                  cpp: bool = False) -> None:
    """Trains softmax regression and prints a row for each epoch."""
    theta = np.zeros((X_tr.shape[1], int(y_tr.max()) + 1), np.float32)
    epoch = softmax_regression_epoch_cpp if cpp else softmax_regression_epoch
    _report(epochs, lambda: epoch(X_tr, y_tr, theta, lr, batch),
            lambda X: np.asarray(X @ theta), (X_tr, y_tr, X_te, y_te))


def train_nn(X_tr: Array, y_tr: Array, X_te: Array, y_te: Array,
             hidden_dim: int = 500, epochs: int = 10, lr: float = 0.5,
             batch: int = 100) -> None:
    """Trains a network of two layers and prints a row for each epoch."""
    n, k = X_tr.shape[1], int(y_tr.max()) + 1
    np.random.seed(0)
    W1 = np.random.randn(n, hidden_dim).astype(np.float32) / np.float32(
        np.sqrt(hidden_dim))
    W2 = np.random.randn(hidden_dim, k).astype(np.float32) / np.float32(
        np.sqrt(k))
    _report(epochs, lambda: nn_epoch(X_tr, y_tr, W1, W2, lr, batch),
            lambda X: np.asarray(np.maximum(X @ W1, 0) @ W2),
            (X_tr, y_tr, X_te, y_te))
