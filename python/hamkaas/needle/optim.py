# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers, which change parameters by their gradients.

`Optimizer.step` records the update and computes it, with the loss, the
gradients and the averages of norms, by one program. The program is found again
in later steps; learning rate and number of the step are inputs of it.
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence

import numpy as np

from ..array.array import Array
from ..array.records import at_one_place
from ..array_api import elementwise, manipulation, reductions
from ..tensor import Attribute, make_all
from .autograd import Tensor, pass_gradients
from .elements import Data
from .memory import Memory, compute

State = Dict[Tensor, Tensor]
"""A tensor for each parameter."""


class Optimizer:
    """Changes ``params``, tensors. Subclasses define `step`."""

    def __init__(self, params: Sequence[Tensor]) -> None:
        self.params: List[Tensor] = list(params)

    def step(self) -> None:
        """Changes the parameters that have a gradient."""
        raise NotImplementedError

    def reset_grad(self) -> None:
        """Forgets all gradients."""
        for parameter in self.params:
            parameter.grad = None

    def clip_grad_norm(self, max_norm: float = 0.25) -> None:
        """Scales all gradients down so that their norm is at most
        ``max_norm``."""
        chosen = list(dict.fromkeys(one for one in self.params
                                    if one.grad is not None))
        if not chosen:
            return
        squares: Any = 0.0
        for parameter in chosen:
            gradient = parameter.grad._one().array()
            squares = reductions.sum(gradient * gradient) + squares
        factor = elementwise.minimum(max_norm / elementwise.sqrt(squares), 1.0)
        for parameter in chosen:
            one = parameter.grad._one()
            scale = manipulation.reshape(factor, (1,) * len(one.shape))
            parameter.grad = Tensor._of(one.array() * scale, one.device)
            parameter.grad._one().memory.want()

    def _settle(self, states: Sequence[State]) -> None:
        """Computes parameters and states, but not gradients by themselves."""
        trained = [one for one in self.params if one.grad is not None]
        for parameter in trained:
            parameter.grad._one().memory.drop()
        tensors = trained + [state[one] for state in states for one in trained
                             if one in state]
        compute([one._one().memory for one in tensors], is_step=True)
        pass_gradients()


def _state_of(state: State, parameter: Tensor) -> Array:
    """The state of a parameter, zero at first."""
    if parameter not in state:
        one = parameter._one()
        zeros = np.zeros(one.shape, one.memory.name)
        return Memory.of_elements(zeros).array(one.shape)
    return state[parameter]._one().array()


def _update(row: str, parameter: Tensor, states: Sequence[State],
            numbers: Sequence[float], attributes: Dict[str, Attribute]) -> None:
    """Replaces a parameter and its states by the results of an operation.

    ``numbers`` are the operands behind the states.
    """
    one, gradient = parameter._one(), parameter.grad._one().array()
    name = one.memory.name
    if gradient._type[0] != name:
        gradient = elementwise.astype(gradient, name)
    operands: List[Array] = [
        one.array(), gradient, *[_state_of(state, parameter)
                                 for state in states],
        *[Array._of_elements(np.array(number, name)) for number in numbers]]
    updated, *new = make_all(row, operands, attributes)
    parameter._data = Data.of(updated, one.device)
    for state, array in zip(states, new):
        state[parameter] = Tensor._of(array, one.device)


class SGD(Optimizer):
    """``p' = p - lr * u'`` with ``u' = momentum * u + (1 - momentum) * d`` and
    ``d = grad + weight_decay * p``.

    PyTorch's rule has no factor ``1 - momentum``.
    """

    def __init__(self, params: Sequence[Tensor], lr: float = 0.01,
                 momentum: float = 0.0, weight_decay: float = 0.0) -> None:
        super().__init__(params)
        self.lr, self.momentum = lr, momentum
        self.weight_decay = weight_decay
        self.u: State = {}

    @at_one_place
    def step(self) -> None:
        options: Dict[str, Attribute] = {
            "weight_decay": float(self.weight_decay)}
        states: List[State] = []
        if self.momentum:
            states = [self.u]
            options = {"momentum": float(self.momentum), "rule": "average",
                       **options}
        row = "momentum_update" if self.momentum else "sgd_update"
        for parameter in self.params:
            if parameter.grad is not None:
                _update(row, parameter, states, [self.lr], options)
        self._settle(states)


class Adam(Optimizer):
    """``p' = p - lr * (m' / (1 - beta1^t)) / (sqrt(v' / (1 - beta2^t)) + eps)``
    with ``m' = beta1 * m + (1 - beta1) * d``, ``v' = beta2 * v + (1 - beta2) *
    d^2`` and ``d = grad + weight_decay * p``."""

    def __init__(self, params: Sequence[Tensor], lr: float = 0.01,
                 beta1: float = 0.9, beta2: float = 0.999, eps: float = 1e-8,
                 weight_decay: float = 0.0) -> None:
        super().__init__(params)
        self.lr, self.beta1, self.beta2 = lr, beta1, beta2
        self.eps, self.weight_decay = eps, weight_decay
        self.t = 0
        self.m: State = {}
        self.v: State = {}

    @at_one_place
    def step(self) -> None:
        self.t += 1
        options: Dict[str, Attribute] = {
            "beta1": float(self.beta1), "beta2": float(self.beta2),
            "epsilon": float(self.eps),
            "weight_decay": float(self.weight_decay)}
        for parameter in self.params:
            if parameter.grad is not None:
                _update("adam_update", parameter, [self.m, self.v],
                        [self.t, self.lr], options)
        self._settle([self.m, self.v])
