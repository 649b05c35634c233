# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of sequences: ``(length, batch, features)``."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Tuple

from ...positions import make_error
from .. import init, ops
from ..autograd import Tensor
from .nn_basic import Module, Parameter, widen

State = Tuple[Tensor, Tensor]


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``, which overflows nowhere."""

    def forward(self, x: Tensor) -> Tensor:
        return sigmoid(x)


def sigmoid(x: Tensor) -> Tensor:
    """``1 / (1 + exp(-x))``, by the hyperbolic tangent."""
    return ops.add_scalar(ops.tanh(x * 0.5), 1) * 0.5


class _Cell(Module):
    """Weights of inputs and of the state: ``(input_size, columns)`` and
    ``(hidden_size, columns)``."""

    def __init__(self, input_size: int, hidden_size: int, columns: int,
                 bias: bool, device: Any, dtype: Any) -> None:
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        bound = 1 / math.sqrt(hidden_size)

        def draw(*shape: int) -> Parameter:
            return Parameter(init.rand(*shape, low=-bound, high=bound,
                                       device=device, dtype=dtype))

        self.W_ih: Tensor = draw(input_size, columns)
        self.W_hh: Tensor = draw(hidden_size, columns)
        self.bias_ih: Optional[Tensor] = draw(columns) if bias else None
        self.bias_hh: Optional[Tensor] = draw(columns) if bias else None

    def _sum(self, X: Tensor, h: Optional[Tensor]) -> Tensor:
        """The linear part; a state of None is zero."""
        y = ops.matmul(X, self.W_ih)
        if h is not None:
            y = y + ops.matmul(h, self.W_hh)
        for bias in (self.bias_ih, self.bias_hh):
            if bias is not None:
                y = y + widen(bias, y.shape)
        return y


class RNNCell(_Cell):
    """``h' = tanh(X @ W_ih + bias_ih + h @ W_hh + bias_hh)``, or of relu."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True,
                 nonlinearity: str = "tanh", device: Any = None,
                 dtype: Any = "float32") -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise make_error("expected the nonlinearity 'tanh' or 'relu', got "
                             f"{nonlinearity!r}")
        super().__init__(input_size, hidden_size, hidden_size, bias, device,
                         dtype)
        self.nonlinearity = nonlinearity

    def forward(self, X: Tensor, h: Optional[Tensor] = None) -> Tensor:
        y = self._sum(X, h)
        return ops.tanh(y) if self.nonlinearity == "tanh" else ops.relu(y)


class LSTMCell(_Cell):
    """``c' = f * c + i * g`` and ``h' = o * tanh(c')``; the columns of the
    weights are those of i, f, g, o, of which g has tanh, others sigmoid."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True,
                 device: Any = None, dtype: Any = "float32") -> None:
        super().__init__(input_size, hidden_size, 4 * hidden_size, bias, device,
                         dtype)

    def forward(self, X: Tensor, h: Optional[State] = None) -> State:
        before, cell = (None, None) if h is None else h
        y = self._sum(X, before)
        gates = ops.split(ops.reshape(y, (X.shape[0], 4, self.hidden_size)), 1)
        i, f, g, o = gates.tuple()
        kept = sigmoid(i) * ops.tanh(g)
        if cell is not None:
            kept = sigmoid(f) * cell + kept
        return sigmoid(o) * ops.tanh(kept), kept


class RNN(Module):
    """Layers of `RNNCell`: ``(length, batch, input_size)`` and a state
    ``(num_layers, batch, hidden_size)`` to the last layer's output of each step
    and the last state."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1,
                 bias: bool = True, nonlinearity: str = "tanh",
                 device: Any = None, dtype: Any = "float32") -> None:
        super().__init__()
        self.num_layers = num_layers
        self.rnn_cells: List[RNNCell] = [
            RNNCell(input_size if i == 0 else hidden_size, hidden_size, bias,
                    nonlinearity, device, dtype) for i in range(num_layers)]

    def forward(self, X: Tensor, h0: Optional[Tensor] = None) \
            -> Tuple[Tensor, Tensor]:
        steps = list(ops.split(X, 0).tuple())
        before = [None] * self.num_layers if h0 is None else \
            list(ops.split(h0, 0).tuple())
        last = []
        for cell, state in zip(self.rnn_cells, before):
            for t, x in enumerate(steps):
                steps[t] = state = cell(x, state)
            last.append(state)
        return ops.stack(steps, 0), ops.stack(last, 0)


class LSTM(Module):
    """Layers of `LSTMCell`, as `RNN` has them; the state is a pair."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1,
                 bias: bool = True, device: Any = None,
                 dtype: Any = "float32") -> None:
        super().__init__()
        self.num_layers = num_layers
        self.lstm_cells: List[LSTMCell] = [
            LSTMCell(input_size if i == 0 else hidden_size, hidden_size, bias,
                     device, dtype) for i in range(num_layers)]

    def forward(self, X: Tensor, h: Optional[State] = None) \
            -> Tuple[Tensor, State]:
        steps = list(ops.split(X, 0).tuple())
        before: List[Any] = [None] * self.num_layers
        if h is not None:
            before = list(zip(*[ops.split(part, 0).tuple() for part in h]))
        last: List[State] = []
        for cell, state in zip(self.lstm_cells, before):
            for t, x in enumerate(steps):
                state = cell(x, state)
                steps[t] = state[0]
            last.append(state)
        return ops.stack(steps, 0), (ops.stack([h for h, _ in last], 0),
                                     ops.stack([c for _, c in last], 0))


class Embedding(Module):
    """Rows of ``weight``, ``(num_embeddings, embedding_dim)``, by numbers of
    the shape ``(length, batch)``."""

    def __init__(self, num_embeddings: int, embedding_dim: int,
                 device: Any = None, dtype: Any = "float32") -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.weight = Parameter(init.randn(num_embeddings, embedding_dim,
                                           device=device, dtype=dtype))

    def forward(self, x: Tensor) -> Tensor:
        flat = ops.reshape(x, (x.size,))
        rows = init.one_hot(self.num_embeddings, flat, device=x.device,
                            dtype=self.weight.dtype)
        return ops.reshape(ops.matmul(rows, self.weight),
                           (*x.shape, self.embedding_dim))
