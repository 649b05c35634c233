# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers for `hamkaas.train_step`, with the names and defaults of
torch.optim.

All take two more arguments. ``name`` is what the names of its states begin
with, in place of such as ``adam``: optimizers of one program that train
different parameters need names of their own. ``no_decay`` is a pattern of names
of parameters without weight decay, such as ``"{*bias,*norm*}"``.

In the formulas, ``p`` is a parameter, ``g`` its gradient and ``t`` the number of
the step, from 1; primes mark new values. Moments are states of the model, zero
at first, such as ``adam.mean.w`` for the parameter ``w``. The state
``adam.step`` counts the steps that are done.

``lr`` is a number; a node, such as ``hk.input("lr", [])``; or a function of the
number of the step, a float32 node of shape ``[]``, that returns a node:

>>> import hamkaas as hk
>>> warm = hk.optim.Adam(lr=lambda t: 1e-3 * hk.minimum(t / 100, 1.0))
"""

from __future__ import annotations

from numbers import Real
from typing import Callable, Dict, Optional, Tuple, Union

from .graph import Node

Rate = Union[float, Node, Callable[[Node], Node]]
"""A number, a node, or a function of the number of the step."""


class Optimizer:
    """A rule by which `hamkaas.train_step` changes parameters."""

    name: str
    """Its name in texts such as ``adam:lr=0.001``."""

    def __init__(self, lr: Rate, options: Dict[str, Union[float, str]],
                 name: Optional[str] = None, no_decay: str = "") -> None:
        self.lr = lr
        self.label = self.name if name is None else name
        """The begin of the names of its states."""
        self._options = options
        for option, text in (("name", name), ("no_decay", no_decay or None)):
            if text is None:
                continue
            if not isinstance(text, str):
                raise TypeError(f"expected {option} to be a text, got "
                                f"{type(text).__name__}")
            options[option] = text
        if name is not None and set(name) & set(",={}"):
            raise ValueError("expected a name without the characters ,={} of "
                             f"texts of optimizers, got {name!r:.100}")

    def format(self, clip_norm: Optional[float] = None,
               clip_value: Optional[float] = None) -> str:
        """The text that C and the command line have for it, with clipping.

        >>> import hamkaas as hk
        >>> hk.optim.Adam(lr=0.01).format(clip_norm=1)
        'adam:lr=0.01,beta1=0.9,beta2=0.999,epsilon=1e-08,weight_decay=0.0,clip_norm=1.0'
        """
        options: Dict[str, Union[float, str]] = {}
        if isinstance(self.lr, Real):
            options["lr"] = float(self.lr)
        options.update(self._options)
        for name, limit in (("clip_norm", clip_norm),
                            ("clip_value", clip_value)):
            if limit is not None:
                if not isinstance(limit, Real):
                    raise TypeError(f"expected {name} to be a number, got "
                                    f"{limit!r:.100}")
                options[name] = float(limit)
        texts = [f"{key}={value}" for key, value in options.items()]
        return f"{self.name}:{','.join(texts)}"

    def __repr__(self) -> str:
        return f"<hamkaas.optim.{type(self).__name__} {self.format()}>"


def _read_betas(betas: Tuple[float, float]) -> Tuple[float, float]:
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise TypeError(f"expected betas to be two numbers, got {betas!r:.100}")
    return float(betas[0]), float(betas[1])


class SGD(Optimizer):
    """Gradient descent: ``p' = p - lr * d`` with ``d = g + weight_decay * p``.

    With ``momentum``, ``u' = momentum * u + d`` takes the place of ``d``, and
    with ``nesterov``, ``d + momentum * u'``. With ``average``, it is a moving
    average: ``u' = momentum * u + (1 - momentum) * d``; PyTorch has none. The
    state is ``sgd.velocity.w``.
    """

    name = "sgd"

    def __init__(self, lr: Rate = 1e-3, momentum: float = 0.0,
                 weight_decay: float = 0.0, nesterov: bool = False, *,
                 average: bool = False, name: Optional[str] = None,
                 no_decay: str = "") -> None:
        options: Dict[str, Union[float, str]] = {
            "weight_decay": float(weight_decay)}
        if momentum:
            options.update(momentum=float(momentum), nesterov=int(nesterov),
                           rule="average" if average else "sum")
        elif nesterov or average:
            raise ValueError("expected a momentum for nesterov and average, "
                             f"got {momentum!r}")
        super().__init__(lr, options, name, no_decay)


class Adam(Optimizer):
    """Adam: ``p' = p - lr * (m' / (1 - beta1^t)) / (sqrt(v' / (1 - beta2^t)) +
    eps)``.

    ``m' = beta1 * m + (1 - beta1) * d``, ``v' = beta2 * v + (1 - beta2) * d^2``
    and ``d = g + weight_decay * p``. The states are ``adam.mean.w`` and
    ``adam.variance.w``.
    """

    name = "adam"

    def __init__(self, lr: Rate = 1e-3,
                 betas: Tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 0.0, *, name: Optional[str] = None,
                 no_decay: str = "") -> None:
        beta1, beta2 = _read_betas(betas)
        super().__init__(lr, {
            "beta1": beta1, "beta2": beta2, "epsilon": float(eps),
            "weight_decay": float(weight_decay)}, name, no_decay)


class AdamW(Adam):
    """Adam with decoupled weight decay: Adam's step from ``p - lr *
    weight_decay * p``, and ``d = g``.

    The states are ``adamw.mean.w`` and ``adamw.variance.w``.
    """

    name = "adamw"

    def __init__(self, lr: Rate = 1e-3,
                 betas: Tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, *, name: Optional[str] = None,
                 no_decay: str = "") -> None:
        super().__init__(lr, betas, eps, weight_decay, name=name,
                         no_decay=no_decay)


class RMSprop(Optimizer):
    """RMSProp: ``p' = p - lr * e`` with ``e = d / (sqrt(v') + eps)``.

    ``v' = alpha * v + (1 - alpha) * d^2`` and ``d = g + weight_decay * p``. With
    ``momentum``, ``u' = momentum * u + e`` takes the place of ``e``; if
    ``centered``, ``v' - m'^2`` that of ``v'`` below the root, with ``m' = alpha
    * m + (1 - alpha) * d``. The states are ``rmsprop.variance.w``,
    ``rmsprop.velocity.w`` and ``rmsprop.mean.w``.
    """

    name = "rmsprop"

    def __init__(self, lr: Rate = 1e-2, alpha: float = 0.99,
                 eps: float = 1e-8, weight_decay: float = 0.0,
                 momentum: float = 0.0, centered: bool = False, *,
                 name: Optional[str] = None, no_decay: str = "") -> None:
        options: Dict[str, Union[float, str]] = {
            "alpha": float(alpha), "epsilon": float(eps),
            "weight_decay": float(weight_decay), "centered": int(centered)}
        if momentum:
            options["momentum"] = float(momentum)
        super().__init__(lr, options, name, no_decay)


class Lion(Optimizer):
    """Lion: ``p' = p - lr * (sign(beta1 * m + (1 - beta1) * g) + weight_decay *
    p)`` and ``m' = beta2 * m + (1 - beta2) * g``.

    Chen et al., Symbolic Discovery of Optimization Algorithms, 2023. The state
    is ``lion.mean.w``.
    """

    name = "lion"

    def __init__(self, lr: Rate = 1e-4,
                 betas: Tuple[float, float] = (0.9, 0.99),
                 weight_decay: float = 0.0, *, name: Optional[str] = None,
                 no_decay: str = "") -> None:
        beta1, beta2 = _read_betas(betas)
        super().__init__(lr, {
            "beta1": beta1, "beta2": beta2,
            "weight_decay": float(weight_decay)}, name, no_decay)
