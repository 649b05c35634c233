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
from ..array_api import elementwise, manipulation, reductions
from .autograd import Data, Tensor, pass_gradients
from .memory import Memory, compute


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

    def _settle(self, states: Sequence[Dict[Tensor, Tensor]]) -> None:
        """Computes parameters and states, but not gradients by themselves."""
        trained = [one for one in self.params if one.grad is not None]
        for parameter in trained:
            parameter.grad._one().memory.drop()
        tensors = trained + [state[one] for state in states for one in trained
                             if one in state]
        compute([one._one().memory for one in tensors], is_step=True)
        pass_gradients()


def _decayed(parameter: Tensor, weight_decay: float) -> Array:
    """The gradient with that of the weights' squares."""
    gradient: Array = parameter.grad._one().array()
    if not weight_decay:
        return gradient
    return gradient + parameter._one().array() * weight_decay


def _replace(parameter: Tensor, array: Array) -> None:
    name = parameter._one().memory.name
    if array._type[0] != name:
        array = elementwise.astype(array, name)
    parameter._data = Data.of(array, parameter._one().device)


def _state_of(state: Dict[Tensor, Tensor], parameter: Tensor) -> Array:
    """The state of a parameter, zero at first."""
    if parameter not in state:
        one = parameter._one()
        zeros = np.zeros(one.shape, one.memory.name)
        return Memory.of_elements(zeros).array(one.shape)
    return state[parameter]._one().array()


def _keep(state: Dict[Tensor, Tensor], parameter: Tensor,
          array: Array) -> None:
    state[parameter] = Tensor._of(array, parameter._one().device)


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
        self.u: Dict[Tensor, Tensor] = {}

    def step(self) -> None:
        for parameter in self.params:
            if parameter.grad is None:
                continue
            update = _decayed(parameter, self.weight_decay)
            if self.momentum:
                update = _state_of(self.u, parameter) * self.momentum + \
                    update * (1 - self.momentum)
                _keep(self.u, parameter, update)
            _replace(parameter, parameter._one().array() - update * self.lr)
        self._settle([self.u])


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
        self.m: Dict[Tensor, Tensor] = {}
        self.v: Dict[Tensor, Tensor] = {}

    def _average(self, state: Dict[Tensor, Tensor], parameter: Tensor,
                 new: Array, beta: float) -> Array:
        """The moving average, without its bias to the zero of the start."""
        average = _state_of(state, parameter) * beta + new * (1 - beta)
        _keep(state, parameter, average)
        return average / (1 - beta ** self.t)

    def step(self) -> None:
        self.t += 1
        for parameter in self.params:
            if parameter.grad is None:
                continue
            gradient = _decayed(parameter, self.weight_decay)
            mean = self._average(self.m, parameter, gradient, self.beta1)
            variance = self._average(self.v, parameter, gradient * gradient,
                                     self.beta2)
            update = mean / (elementwise.sqrt(variance) + self.eps)
            _replace(parameter, parameter._one().array() - update * self.lr)
        self._settle([self.m, self.v])
