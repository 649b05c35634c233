# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers: loops with torch's parameters."""

from __future__ import annotations

import math
from typing import Any, List, Optional, Tuple

import numpy as np

from ..arrays import DTypeLike
from ..array_api import elementwise, manipulation
from ..graph import Node
from ..loops import scan
from ..positions import make_error
from . import activations, convolutions
from .layers import Dropout, draw
from .module import Module


class _Recurrent(Module):
    """Layers of loops, in one direction or in both."""

    gates = 1

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1,
                 bias: bool = True, batch_first: bool = False,
                 dropout: float = 0.0, bidirectional: bool = False,
                 dtype: DTypeLike = "float32") -> None:
        self.hidden_size, self.num_layers = hidden_size, num_layers
        self.batch_first, self.dtype = batch_first, dtype
        self.dropout = Dropout(dropout)
        self.suffixes = ("", "_reverse") if bidirectional else ("",)
        limit, rows = 1 / math.sqrt(hidden_size), self.gates * hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else \
                hidden_size * len(self.suffixes)
            for suffix in self.suffixes:
                end = f"l{layer}{suffix}"
                shapes = {"weight_ih": [rows, width],
                          "weight_hh": [rows, hidden_size]}
                if bias:
                    shapes.update(bias_ih=[rows], bias_hh=[rows])
                for name, shape in shapes.items():
                    setattr(self, f"{name}_{end}", draw(shape, limit, dtype))

    def _step(self, x: Node, h: Node, carry: Any) -> Tuple[Node, ...]:
        """The carry, of the products of the input and of the hidden state."""
        raise NotImplementedError

    def _run(self, x: Node, carry: Tuple[Node, ...], end: str,
             is_reversed: bool) -> Tuple[Tuple[Node, ...], Node]:
        inputs = convolutions.linear(x, getattr(self, f"weight_ih_{end}"),
                                     getattr(self, f"bias_ih_{end}", None))
        weight = getattr(self, f"weight_hh_{end}")
        bias = getattr(self, f"bias_hh_{end}", None)

        def step(carry: Any, row: Node) -> Any:
            product = convolutions.linear(carry[0], weight, bias)
            following = self._step(row, product, carry)
            return following, following[0]
        result: Tuple[Tuple[Node, ...], Node] = scan(step, carry, inputs,
                                                     reverse=is_reversed)
        return result

    def _begin(self, given: Any, batch: int, count: int) -> List[Any]:
        """The tensors of the carry, layers x batch x hidden."""
        shape = (self.num_layers * len(self.suffixes), batch, self.hidden_size)
        if given is None:
            return [Node._make_constant(np.zeros(shape, self.dtype), True)
                    ] * count
        tensors = list(given) if isinstance(given, (tuple, list)) else [given]
        if len(tensors) != count or any(one.shape != shape for one in tensors):
            raise make_error(
                f"expected {count} hidden states of {list(shape)}, got "
                f"{[list(one.shape) for one in tensors]}")
        return tensors

    def forward(self, input: Node, hx: Any = None) -> Any:
        if input.ndim != 3:
            raise make_error("expected an input of 3 dimensions, got "
                             f"{list(input.shape)}")
        x = manipulation.permute_dims(input, (1, 0, 2)) if self.batch_first \
            else input
        count = 2 if isinstance(self, LSTM) else 1
        begin = self._begin(hx, x.shape[1], count)
        ends: List[Tuple[Node, ...]] = []
        for layer in range(self.num_layers):
            if layer and self.dropout.p:
                x = self.dropout(x)
            parts = []
            for suffix in self.suffixes:
                carry = tuple(one[len(ends)] for one in begin)
                end, rows = self._run(x, carry, f"l{layer}{suffix}",
                                      suffix != "")
                ends.append(end)
                parts.append(rows)
            x = manipulation.concat(parts, axis=-1) if len(parts) > 1 else \
                parts[0]
        last = tuple(manipulation.stack([end[i] for end in ends])
                     for i in range(count))
        y = manipulation.permute_dims(x, (1, 0, 2)) if self.batch_first else x
        return y, last if count == 2 else last[0]


class RNN(_Recurrent):
    """``h' = tanh(W x + b + V h + c)``; returns all h, and the last ones."""

    def __init__(self, *args: Any, nonlinearity: str = "tanh",
                 **named: Any) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise make_error("expected a nonlinearity of 'tanh' and 'relu', got "
                             f"{nonlinearity!r}")
        self.nonlinearity = nonlinearity
        super().__init__(*args, **named)

    def _step(self, x: Node, h: Node, carry: Any) -> Tuple[Node, ...]:
        function = getattr(activations, self.nonlinearity)
        return (function(x + h),)


class LSTM(_Recurrent):
    """Long short-term memory; ``hx`` and the last states are (h, c)."""

    gates = 4

    def _step(self, x: Node, h: Node, carry: Any) -> Tuple[Node, ...]:
        i, f, g, o = manipulation.split(x + h, 4, axis=-1)
        memory = activations.sigmoid(f) * carry[1] + \
            activations.sigmoid(i) * elementwise.tanh(g)
        return activations.sigmoid(o) * elementwise.tanh(memory), memory


class GRU(_Recurrent):
    """Gated recurrent units."""

    gates = 3

    def _step(self, x: Node, h: Node, carry: Any) -> Tuple[Node, ...]:
        first, second = (manipulation.split(one, 3, axis=-1) for one in (x, h))
        reset = activations.sigmoid(first[0] + second[0])
        keep = activations.sigmoid(first[1] + second[1])
        new = elementwise.tanh(first[2] + reset * second[2])
        return ((1 - keep) * new + keep * carry[0],)
