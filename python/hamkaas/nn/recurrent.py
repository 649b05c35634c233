# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recurrent layers, loops with torch's parameters, and their steps."""

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
from .arguments import (check_integer, check_operand, check_rank,
                        check_tensor)
from .layers import Dropout, draw
from .module import Module


class _Recurrent(Module):
    """Layers of loops, in one direction or in both."""

    gates = 1
    count = 1

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
        count = self.count
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


class _Cell(Module):
    """One step of a layer: of ``n x features``, or of ``features``."""

    gates = 1
    count = 1

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True,
                 dtype: DTypeLike = "float32") -> None:
        name = type(self).__name__
        for what, size in (("input_size", input_size),
                           ("hidden_size", hidden_size)):
            if check_integer(name, what, size) < 1:
                raise make_error(f"'{name}': expected '{what}' to be at least "
                                 f"1, got {size}")
        self.input_size, self.hidden_size = input_size, hidden_size
        limit, rows = 1 / math.sqrt(hidden_size), self.gates * hidden_size
        self.weight_ih = draw([rows, input_size], limit, dtype)
        self.weight_hh = draw([rows, hidden_size], limit, dtype)
        self.bias_ih = draw([rows], limit, dtype) if bias else None
        self.bias_hh = draw([rows], limit, dtype) if bias else None

    def _step(self, x: Node, h: Node, carry: Any) -> Tuple[Node, ...]:
        """The new states, of the products of the input and of the state."""
        raise NotImplementedError

    def _begin(self, given: Any, x: Node) -> Tuple[Any, ...]:
        """The states before the step."""
        shape = (*x.shape[:-1], self.hidden_size)
        if given is None:
            return (Node._make_constant(np.zeros(shape, x.dtype), True),
                    ) * self.count
        tensors = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        if len(tensors) != self.count or any(
                tuple(one.shape) != shape for one in tensors):
            raise make_error(
                f"'{type(self).__name__}': expected {self.count} hidden states "
                f"of {list(shape)}, got "
                f"{[list(one.shape) for one in tensors]}")
        return tuple(check_operand(type(self).__name__, "hx", one, x)
                     for one in tensors)

    def forward(self, input: Node, hx: Any = None) -> Any:
        name = type(self).__name__
        check_rank(name, check_tensor(name, input), 1, 2)
        if input.shape[-1] != self.input_size:
            raise make_error(f"'{name}': expected {self.input_size} features, "
                             f"got {list(input.shape)}")
        carry = self._begin(hx, input)
        following = self._step(
            convolutions.linear(input, self.weight_ih, self.bias_ih),
            convolutions.linear(carry[0], self.weight_hh, self.bias_hh), carry)
        return following if self.count == 2 else following[0]


class _RNNSteps(Module):
    """``h' = tanh(W x + b + V h + c)``, or relu in place of tanh."""

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


class _LSTMSteps(Module):
    """Steps of long short-term memory, of h and c."""

    gates, count = 4, 2

    def _step(self, x: Node, h: Node, carry: Any) -> Tuple[Node, ...]:
        i, f, g, o = manipulation.split(x + h, 4, axis=-1)
        memory = activations.sigmoid(f) * carry[1] + \
            activations.sigmoid(i) * elementwise.tanh(g)
        return activations.sigmoid(o) * elementwise.tanh(memory), memory


class _GRUSteps(Module):
    """Steps of gated recurrent units."""

    gates = 3

    def _step(self, x: Node, h: Node, carry: Any) -> Tuple[Node, ...]:
        first, second = (manipulation.split(one, 3, axis=-1) for one in (x, h))
        reset = activations.sigmoid(first[0] + second[0])
        keep = activations.sigmoid(first[1] + second[1])
        new = elementwise.tanh(first[2] + reset * second[2])
        return ((1 - keep) * new + keep * carry[0],)


class RNN(_RNNSteps, _Recurrent):
    """``h' = tanh(W x + b + V h + c)``; returns all h, and the last ones."""


class LSTM(_LSTMSteps, _Recurrent):
    """Long short-term memory; ``hx`` and the last states are (h, c)."""


class GRU(_GRUSteps, _Recurrent):
    """Gated recurrent units."""


class RNNCell(_RNNSteps, _Cell):
    """A step of `RNN`: ``h'`` of the input and ``hx``, or of zeros."""

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True,
                 nonlinearity: str = "tanh",
                 dtype: DTypeLike = "float32") -> None:
        super().__init__(input_size, hidden_size, bias, dtype,
                         nonlinearity=nonlinearity)


class LSTMCell(_LSTMSteps, _Cell):
    """A step of `LSTM`: ``(h', c')`` of the input and ``(h, c)``."""


class GRUCell(_GRUSteps, _Cell):
    """A step of `GRU`: ``h'`` of the input and ``hx``, or of zeros."""
