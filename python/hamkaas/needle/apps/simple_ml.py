# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Training of classifiers of images and of models of language."""

from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ...arrays import Array
from .. import nn, ops, optim
from ..autograd import Tensor
from ..data import get_batch
from .simple_ml_numpy import parse_mnist

__all__ = ["epoch_general_cifar10", "epoch_general_ptb", "evaluate_cifar10",
           "evaluate_ptb", "loss_err", "nn_epoch", "parse_mnist",
           "softmax_loss", "train_cifar10", "train_ptb"]


def softmax_loss(Z: Tensor, y_one_hot: Tensor) -> Tensor:
    """The mean loss of logits ``(n, classes)`` and rows that are 1 at the
    class."""
    losses = ops.logsumexp(Z, axes=(1,)) - ops.summation(Z * y_one_hot,
                                                         axes=(1,))
    return ops.summation(losses) / Z.shape[0]


def nn_epoch(X: Array, y: Array, W1: Tensor, W2: Tensor, lr: float = 0.1,
             batch: int = 100) -> Tuple[Tensor, Tensor]:
    """The weights of ``max(X @ W1, 0) @ W2`` after a step for each batch."""
    classes = np.eye(W2.shape[1], dtype=np.float32)
    for i in range(0, len(y), batch):
        images = Tensor(X[i:i + batch], requires_grad=False)
        wanted = Tensor(classes[y[i:i + batch]], requires_grad=False)
        logits = ops.matmul(ops.relu(ops.matmul(images, W1)), W2)
        softmax_loss(logits, wanted).backward()
        W1, W2 = [Tensor(weight.detach() - weight.grad.detach() * lr)
                  for weight in (W1, W2)]
        W1.numpy()
    return W1, W2


def loss_err(h: Tensor, y: Array) -> Tuple[Any, Any]:
    """The mean loss, an array, and the share of errors."""
    logits = h.numpy()
    classes = np.eye(logits.shape[1], dtype=logits.dtype)[y]
    loss = softmax_loss(h.detach(), Tensor(classes, requires_grad=False))
    return loss.numpy(), np.mean(logits.argmax(axis=1) != y)


class Totals:
    """Counts right answers and sums up losses."""

    def __init__(self) -> None:
        self.right, self.loss, self.count = 0, 0.0, 0

    def add(self, logits: Tensor, y: Tensor, loss: Tensor) -> None:
        """One batch."""
        count = y.shape[0]
        self.right += int(np.sum(logits.numpy().argmax(axis=1) == y.numpy()))
        self.loss += float(loss.numpy().item()) * count
        self.count += count

    def means(self) -> Tuple[float, float]:
        """Accuracy, and loss per sample."""
        return self.right / self.count, self.loss / self.count


def step(loss: Tensor, opt: Optional[Any], clip: Optional[float] = None) \
        -> None:
    """Changes the parameters of an optimizer, if there is one."""
    if opt is None:
        return
    opt.reset_grad()
    loss.backward()
    if clip is not None:
        opt.clip_grad_norm(clip)
    opt.step()


def set_mode(model: Any, opt: Optional[Any]) -> None:
    """Puts a model in train mode if there is an optimizer, else in eval
    mode."""
    if opt is None:
        model.eval()
    else:
        model.train()


def epoch_general_cifar10(dataloader: Any, model: Any,
                          loss_fn: Any = nn.SoftmaxLoss(),
                          opt: Optional[Any] = None) -> Tuple[float, float]:
    """Accuracy and mean loss of an epoch, in which ``opt`` trains the model."""
    np.random.seed(4)
    set_mode(model, opt)
    totals = Totals()
    for X, y in dataloader:
        logits = model(X)
        loss = loss_fn(logits, y)
        step(loss, opt)
        totals.add(logits, y, loss)
    return totals.means()


def train_cifar10(model: Any, dataloader: Any, n_epochs: int = 1,
                  optimizer: Any = optim.Adam, lr: float = 0.001,
                  weight_decay: float = 0.001,
                  loss_fn: Any = nn.SoftmaxLoss) -> Tuple[float, float]:
    """Accuracy and mean loss of the last epoch of training."""
    np.random.seed(4)
    opt = optimizer(model.parameters(), lr=lr, weight_decay=weight_decay)
    result = 0.0, 0.0
    for _ in range(n_epochs):
        result = epoch_general_cifar10(dataloader, model, loss_fn(), opt)
    return result


def evaluate_cifar10(model: Any, dataloader: Any,
                     loss_fn: Any = nn.SoftmaxLoss) -> Tuple[float, float]:
    """Accuracy and mean loss of a model."""
    np.random.seed(4)
    return epoch_general_cifar10(dataloader, model, loss_fn())


def _detach(state: Any) -> Any:
    if isinstance(state, (tuple, list)):
        return tuple([_detach(part) for part in state])
    return None if state is None else state.detach()


def epoch_general_ptb(data: Array, model: Any, seq_len: int = 40,
                      loss_fn: Any = nn.SoftmaxLoss(),
                      opt: Optional[Any] = None, clip: Optional[float] = None,
                      device: Any = None, dtype: Any = "float32") \
        -> Tuple[float, float]:
    """Accuracy and mean loss of an epoch over ``data`` of `batchify`.

    The state goes from piece to piece, its gradient does not.
    """
    np.random.seed(4)
    set_mode(model, opt)
    totals, state = Totals(), None
    for i in range(0, len(data) - 1, seq_len):
        X, y = get_batch(data, i, seq_len, device=device, dtype=dtype)
        logits, state = model(X, state)
        state = _detach(state)
        loss = loss_fn(logits, y)
        step(loss, opt, clip)
        totals.add(logits, y, loss)
    return totals.means()


def train_ptb(model: Any, data: Array, seq_len: int = 40, n_epochs: int = 1,
              optimizer: Any = optim.SGD, lr: float = 4.0,
              weight_decay: float = 0.0, loss_fn: Any = nn.SoftmaxLoss,
              clip: Optional[float] = None, device: Any = None,
              dtype: Any = "float32") -> Tuple[float, float]:
    """Accuracy and mean loss of the last epoch of training."""
    np.random.seed(4)
    opt = optimizer(model.parameters(), lr=lr, weight_decay=weight_decay)
    result = 0.0, 0.0
    for _ in range(n_epochs):
        result = epoch_general_ptb(data, model, seq_len, loss_fn(), opt, clip,
                                   device, dtype)
    return result


def evaluate_ptb(model: Any, data: Array, seq_len: int = 40,
                 loss_fn: Any = nn.SoftmaxLoss, device: Any = None,
                 dtype: Any = "float32") -> Tuple[float, float]:
    """Accuracy and mean loss of a model."""
    np.random.seed(4)
    return epoch_general_ptb(data, model, seq_len, loss_fn(), device=device,
                             dtype=dtype)
