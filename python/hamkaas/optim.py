# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers for `hamkaas.train_step`, with the names and defaults of
torch.optim.

All take three more arguments. ``name`` is what the names of its states begin
with, in place of such as ``adam``: optimizers of one program that train
different parameters need names of their own. ``no_decay`` is a pattern of names
of parameters without weight decay, such as ``"{*bias,*norm*}"``. ``groups``
are dictionaries, each of ``"params"``, such a pattern or a list of states, and
options that these have in place of the optimizer's, such as ``"lr"`` and
``"weight_decay"``; ``"lr_scale"`` is a factor of the learning rate. The first
group that a parameter is in counts.

>>> import hamkaas as hk
>>> slow = hk.optim.AdamW(lr=1e-3, groups=[
...     {"params": "encoder.*", "lr": 1e-5, "weight_decay": 0.0}])

In the formulas, ``p`` is a parameter, ``g`` its gradient and ``t`` the number of
the step, from 1; primes mark new values. Moments are states of the model, zero
at first, such as ``adam.mean.w`` for the parameter ``w``. The state
``adam.step`` counts the steps that are done.

``lr`` is a number; a node, such as ``hk.input("lr", [])``; or a function of the
number of the step, a float32 node of shape ``[]``, that returns a node:

>>> warm = hk.optim.Adam(lr=lambda t: 1e-3 * hk.minimum(t / 100, 1.0))
"""

from __future__ import annotations

from numbers import Real
from typing import (Any, Callable, Dict, Iterable, Mapping, Optional, Sequence,
                    Tuple, Union)

import numpy as np

from .arrays import describe, is_array
from .errors import HamKaasError
from .graph import STATE, Node
from .positions import make_error

Rate = Union[float, Node, Callable[[Node], Node]]
"""A number, a node, or a function of the number of the step."""
Group = Mapping[str, Any]
"""States with options of their own."""


class Optimizer:
    """A rule by which `hamkaas.train_step` changes parameters."""

    name: str
    """Its name in texts such as ``adam:lr=0.001``."""

    def __new__(cls, *arguments: Any, **_: Any) -> "Optimizer":
        # Parameters, and lr by its name, are an error of Python otherwise.
        if arguments and _is_parameters(arguments[0]):
            raise _make_rate_error(arguments[0])
        return object.__new__(cls)

    def __init__(self, lr: Rate, options: Dict[str, Union[float, str]],
                 name: Optional[str] = None, no_decay: str = "",
                 groups: Sequence[Group] = ()) -> None:
        self.lr = _check_rate(lr)
        self._groups = [_check_group(group) for group in groups]
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
        texts += [_format_group(group) for group in self._groups]
        return f"{self.name}:{','.join(texts)}"

    def __repr__(self) -> str:
        try:
            text = self.format()
        except HamKaasError:  # States of a group have no names yet.
            text = self.name
        return f"<hamkaas.optim.{type(self).__name__} {text}>"


def _is_parameters(value: object) -> bool:
    """Tells what optimizers of torch take from learning rates."""
    return (isinstance(value, Iterable) or hasattr(value, "parameters")) and \
        not isinstance(value, (Node, str)) and not is_array(value)


def _make_rate_error(rate: object) -> TypeError:
    hint = ""
    if _is_parameters(rate):
        hint = ("; optimizers take no parameters here: hamkaas.train_step "
                "finds them")
    return TypeError("expected lr to be a number of at least 0, a node or a "
                     f"function, got {_describe(rate)}{hint}")


def _describe(value: object) -> str:
    is_short = isinstance(value, (str, type))
    return f"{value!r:.100}" if is_short else describe(value)


def _check_rate(rate: Any) -> Rate:
    if isinstance(rate, Real):
        if not float(rate) >= 0:
            raise make_error("expected lr to be a number of at least 0, got "
                             f"{rate}")
    elif isinstance(rate, type) or _is_parameters(rate) or not (
            isinstance(rate, Node) or callable(rate)):
        raise _make_rate_error(rate)
    checked: Rate = rate
    return checked


def _check_number(name: str, value: Any) -> float:
    try:
        if not isinstance(value, (str, bytes)):
            return float(value)
    except (OverflowError, TypeError, ValueError):
        pass
    raise TypeError(f"expected {name} to be a number, got {_describe(value)}")


def _read_numbers(**given: Any) -> Dict[str, Union[float, str]]:
    """Arguments that are numbers, by their names in texts."""
    return {"epsilon" if name == "eps" else name: _check_number(name, value)
            for name, value in given.items()}


def _read_flag(name: str, value: Any) -> int:
    if not isinstance(value, (bool, np.bool_, int)):
        raise TypeError(f"expected {name} to be True or False, got "
                        f"{_describe(value)}")
    return int(value)


def _check_group(group: Any) -> Group:
    if not isinstance(group, Mapping) or "params" not in group:
        raise TypeError("expected a group to be a dictionary with 'params', got "
                        f"{group!r:.100}")
    params = group["params"]
    if isinstance(params, Node) or not isinstance(params, (str, Sequence)):
        raise TypeError("expected the params of a group to be a pattern of "
                        f"names or a list of states, got {params!r:.100}")
    if len(group) < 2:
        raise ValueError("expected a group with options of its own, got "
                         f"{group!r:.100}")
    return group


def _format_group(group: Group) -> str:
    """The option of a text, such as ``group={*bias:weight_decay=0.0}``."""
    options: Dict[str, Any] = {}
    for key, value in group.items():
        if key == "betas":
            options["beta1"], options["beta2"] = _read_betas(value)
        elif key != "params":
            options["epsilon" if key == "eps" else key] = _as_text(key, value)
    texts = [f"{key}={value}" for key, value in options.items()]
    return f"group={{{_make_pattern(group['params'])}:{','.join(texts)}}}"


def _as_text(key: str, value: Any) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, (bool, np.bool_, Real)):
        raise TypeError(f"expected {key!r} of a group to be a number, got "
                        f"{value!r:.100}")
    return str(int(value) if isinstance(value, (bool, np.bool_))
               else float(value))


def _make_pattern(params: Any) -> str:
    """The pattern of the names of states."""
    if isinstance(params, str):
        return params
    names = []
    for node in params:
        if not isinstance(node, Node) or node._row != STATE or \
                node._name is None:
            raise make_error("expected states with names as params of a group, "
                             "such as those of a module that was called, got "
                             f"{node!r:.100}")
        names.append("".join(f"\\{c}" if c in "\\*?[]{}," else c
                             for c in node._name))
    return names[0] if len(names) == 1 else f"{{{','.join(names)}}}"


def _read_betas(betas: Tuple[float, float]) -> Tuple[float, float]:
    if not isinstance(betas, (tuple, list)) or len(betas) != 2:
        raise TypeError(f"expected betas to be two numbers, got {betas!r:.100}")
    beta1, beta2 = (_check_number("each of betas", beta) for beta in betas)
    return beta1, beta2


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
                 no_decay: str = "",
                 groups: Sequence[Group] = ()) -> None:
        options = _read_numbers(weight_decay=weight_decay)
        if factor := _check_number("momentum", momentum):
            options.update(momentum=factor,
                           nesterov=_read_flag("nesterov", nesterov),
                           rule="average" if average else "sum")
        elif nesterov or average:
            raise ValueError("expected a momentum for nesterov and average, "
                             f"got {momentum!r}")
        super().__init__(lr, options, name, no_decay, groups)


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
                 no_decay: str = "",
                 groups: Sequence[Group] = ()) -> None:
        beta1, beta2 = _read_betas(betas)
        super().__init__(lr, {
            "beta1": beta1, "beta2": beta2,
            **_read_numbers(eps=eps, weight_decay=weight_decay)},
            name, no_decay, groups)


class AdamW(Adam):
    """Adam with decoupled weight decay: Adam's step from ``p - lr *
    weight_decay * p``, and ``d = g``.

    The states are ``adamw.mean.w`` and ``adamw.variance.w``.
    """

    name = "adamw"

    def __init__(self, lr: Rate = 1e-3,
                 betas: Tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
                 weight_decay: float = 1e-2, *, name: Optional[str] = None,
                 no_decay: str = "",
                 groups: Sequence[Group] = ()) -> None:
        super().__init__(lr, betas, eps, weight_decay, name=name,
                         no_decay=no_decay, groups=groups)


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
                 name: Optional[str] = None, no_decay: str = "",
                 groups: Sequence[Group] = ()) -> None:
        options = _read_numbers(alpha=alpha, eps=eps, weight_decay=weight_decay)
        options["centered"] = _read_flag("centered", centered)
        if factor := _check_number("momentum", momentum):
            options["momentum"] = factor
        super().__init__(lr, options, name, no_decay, groups)


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
                 no_decay: str = "",
                 groups: Sequence[Group] = ()) -> None:
        beta1, beta2 = _read_betas(betas)
        super().__init__(lr, {
            "beta1": beta1, "beta2": beta2,
            **_read_numbers(weight_decay=weight_decay)}, name, no_decay, groups)
