# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of a program that train its states."""

from __future__ import annotations

from numbers import Real
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from .accumulation import Loss, accumulate, call_loss
from .functions import Function, function
from .graph import STATE, TRAINING, Node, state
from .optim import Optimizer, Rate
from .positions import make_error, user_position
from .structure import Structure


def train_step(loss: Union[Node, Loss], optimizer: Optimizer, *,
               outputs: Optional[Dict[str, Structure]] = None,
               states: Optional[Sequence[Node]] = None, frozen: str = "",
               clip_norm: Optional[float] = None,
               clip_value: Optional[float] = None, batch: Structure = None,
               micro_batches: int = 1) -> Function:
    """A function that computes ``loss`` and changes states so that it falls.

    Trains all states of floats that the loss depends on, or ``states``, but none
    whose name matches the pattern ``frozen``, such as ``"embedding*"`` or
    ``"{w1,b1}"``. ``clip_value`` limits each element of the gradients,
    ``clip_norm`` the norm of all together.

    A run returns a dictionary of ``"loss"`` and ``outputs``, all as they are
    before the step. A state that the graph itself replaces cannot be trained.
    Each state is updated directly behind its gradient, so that the gradients
    are not in memory all at once, but with ``clip_norm``.

    With ``micro_batches``, ``loss`` is a function of the ``batch``, a node or a
    tuple, list or dictionary of nodes. A run cuts each of them into as many
    parts along the first dimension, adds up the gradients of the mean of the
    losses of the parts in a loop, and makes one update. So it keeps the
    activations of one part at a time, and the sums of the gradients.

    >>> import hamkaas as hk, numpy as np
    >>> x, w = hk.input("x", [4]), hk.state([4], name="w")
    >>> loss = hk.nn.mse_loss(w, x)
    >>> model = hk.compile({
    ...     "train_step": hk.train_step(loss, hk.optim.SGD(lr=1.0)),
    ...     "evaluate": hk.function({"loss": loss}),
    ... })
    >>> batch = {"x": np.float32([1, 2, 3, 4])}
    >>> losses = [model.train_step.run(batch)["loss"] for _ in range(3)]
    >>> [float(loss) for loss in losses]
    [7.5, 1.875, 0.46875]
    >>> float(model.evaluate.run(batch)["loss"])
    0.1171875
    """
    position = user_position()
    if not isinstance(optimizer, Optimizer):
        kind = optimizer if isinstance(optimizer, type) else type(optimizer)
        raise TypeError("expected an optimizer of hamkaas.optim, such as "
                        f"hamkaas.optim.Adam(), got {kind.__name__}")
    if not isinstance(frozen, str):
        raise TypeError("expected frozen to be a pattern of names, a text, got "
                        f"{type(frozen).__name__}")
    if isinstance(states, Node):
        raise TypeError("expected a sequence of states to train, got one node")
    if outputs is not None and not isinstance(outputs, Mapping):
        raise TypeError("expected outputs to be a dictionary of names, got "
                        f"{type(outputs).__name__}")
    given = tuple(states or ())
    for node in given:
        if not isinstance(node, Node) or node._row != STATE:
            raise make_error(f"expected states to train, got {node!r}")
    if states is not None and not given:
        raise make_error("expected at least one state to train, got none")
    if outputs is not None and "loss" in outputs:
        raise make_error("expected outputs of other names than 'loss', which "
                         "the loss has")
    loss = _make_loss(loss, batch, micro_batches, states or ())
    if not isinstance(loss, Node):
        raise TypeError("expected the loss to be a node, got "
                        f"{type(loss).__name__}")
    text = optimizer.format(clip_norm, clip_value)
    rate = _make_rate(optimizer.lr, optimizer.label)
    trained = Node._record(TRAINING, (loss, rate, *given),
                           (("optimizer", text), ("frozen", frozen)),
                           loss._type, position)
    results: Dict[str, Any] = {"loss": trained, **(outputs or {})}
    return function(results)


def _make_loss(loss: Union[Node, Loss], batch: Structure, micro_batches: int,
               states: Sequence[Node]) -> Node:
    if isinstance(loss, Node) or not callable(loss):
        if batch is not None or micro_batches != 1:
            raise TypeError("expected the loss to be a function of the batch, "
                            "which makes it for each micro-batch, got "
                            f"{type(loss).__name__}")
        return loss
    if batch is None:
        raise TypeError("expected the batch that the loss is a function of, "
                        "got none")
    if micro_batches == 1:
        return call_loss(loss, batch)
    return accumulate(loss, batch, micro_batches, states)


def _make_rate(rate: Rate, label: str) -> Optional[Node]:
    """The learning rate as a node; None for a number."""
    if isinstance(rate, Real):
        return None
    if callable(rate):
        done = state([], name=f"{label}.step", dtype="int64")
        rate = rate((done + 1).astype("float32"))
    if not isinstance(rate, Node):
        raise TypeError("expected the learning rate to be a number, a node, or "
                        "a function that returns a node, got "
                        f"{type(rate).__name__}")
    dtype, shape = rate._type
    if "float" not in dtype or shape:
        raise make_error("expected a learning rate of one float, float32 [], "
                         f"got {dtype} {list(shape)}")
    return rate
