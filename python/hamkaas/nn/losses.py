# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses.

``reduction`` is "mean", "sum" or "none", of all elements. The deprecated
arguments ``size_average`` and ``reduce`` of torch are not taken, so arguments
after them are given by name.
"""

from __future__ import annotations

from typing import Any

from ..array_api import elementwise, reductions
from ..array_api.axes import count
from ..array_api.broadcasting import reshape_to
from ..array_api.manipulation import make_places
from ..array_api.promotion import cast, kind_of
from ..positions import make_error
from ..tensor import T, make
from .activations import log_softmax, logsigmoid
from .arguments import (check_float, check_integer, check_operand, check_real,
                        check_tensor, check_word)


def _reduce(function: str, x: Any, reduction: str) -> Any:
    check_word(function, "reduction", reduction, "none", "mean", "sum")
    if reduction == "none":
        return x
    return reductions.mean(x) if reduction == "mean" else reductions.sum(x)


def _check_target(function: str, x: T, target: Any) -> Any:
    """``target``, floats of the shape of ``x``."""
    check_float(function, check_tensor(function, x))
    target = check_operand(function, "target", target, x)
    if target._type != x._type:
        raise make_error(
            f"'{function}': expected a target {x._type[0]} {list(x.shape)} as "
            f"the input, got {target._type[0]} {list(target.shape)}")
    return target


def _weigh(function: str, loss: Any, weight: Any, x: T) -> Any:
    if weight is None:
        return loss
    return elementwise.multiply(
        loss, check_operand(function, "weight", weight, x))


def mse_loss(input: T, target: Any, *, reduction: str = "mean") -> T:
    """``(x - target)^2``, both of one shape."""
    target = _check_target("mse_loss", input, target)
    result: T = make("mse_loss", [input, target], {"reduction": check_word(
        "mse_loss", "reduction", reduction, "none", "mean", "sum")})
    return result


def l1_loss(input: T, target: Any, *, reduction: str = "mean") -> T:
    """``|x - target|``, both of one shape."""
    target = _check_target("l1_loss", input, target)
    result: T = make("l1_loss", [input, target], {"reduction": check_word(
        "l1_loss", "reduction", reduction, "none", "mean", "sum")})
    return result


def smooth_l1_loss(input: T, target: Any, *, reduction: str = "mean",
                   beta: float = 1.0) -> T:
    """``0.5 * d^2 / beta`` where ``d = |x - target| < beta``, otherwise ``d -
    0.5 * beta``."""
    name = "smooth_l1_loss"
    limit = check_real(name, "beta", beta)
    if limit < 0:
        raise make_error(f"'{name}': expected 'beta' of at least 0, got "
                         f"{beta!r}")
    if limit == 0:
        return l1_loss(input, target, reduction=reduction)
    distance = l1_loss(input, target, reduction="none")
    squares = elementwise.multiply(elementwise.square(distance), 0.5 / limit)
    result: T = _reduce(name, elementwise.where(
        elementwise.less(distance, limit), squares,
        elementwise.subtract(distance, 0.5 * limit)), reduction)
    return result


def huber_loss(input: T, target: Any, *, reduction: str = "mean",
               delta: float = 1.0) -> T:
    """``0.5 * d^2`` where ``d = |x - target| <= delta``, otherwise ``delta *
    (d - 0.5 * delta)``."""
    name = "huber_loss"
    limit = check_real(name, "delta", delta)
    if limit <= 0:
        raise make_error(f"'{name}': expected 'delta' greater than 0, got "
                         f"{delta!r}")
    distance = l1_loss(input, target, reduction="none")
    squares = elementwise.multiply(elementwise.square(distance), 0.5)
    result: T = _reduce(name, elementwise.where(
        elementwise.less_equal(distance, limit), squares,
        elementwise.multiply(elementwise.subtract(distance, 0.5 * limit),
                             limit)), reduction)
    return result


def kl_div(input: T, target: Any, *, reduction: str = "mean",
           log_target: bool = False) -> T:
    """``target * (log(target) - x)``, 0 where the target is 0.

    With ``log_target`` the logarithm is given. ``reduction`` may also be
    "batchmean", the sum divided by the first dimension.
    """
    name = "kl_div"
    target = _check_target(name, input, target)
    if log_target:
        loss: Any = elementwise.exp(target) * (target - input)
    else:
        loss = elementwise.where(
            elementwise.equal(target, 0), 0.0,
            elementwise.multiply(target, elementwise.log(target)))
        loss = elementwise.subtract(loss, elementwise.multiply(target, input))
    if reduction != "batchmean":
        result: T = _reduce(name, loss, reduction)
        return result
    if input.ndim == 0:
        raise make_error(f"'{name}': expected a batch, got a scalar")
    batch: T = elementwise.divide(reductions.sum(loss), input.shape[0])
    return batch


# torch's least logarithm.
_LEAST_LOG = -100.0


def binary_cross_entropy(input: T, target: Any, weight: Any = None, *,
                         reduction: str = "mean") -> T:
    """``-(target * log(x) + (1 - target) * log(1 - x))``, with logarithms of
    at least -100."""
    name = "binary_cross_entropy"
    target = _check_target(name, input, target)
    yes = elementwise.maximum(elementwise.log(input), _LEAST_LOG)
    no = elementwise.maximum(
        elementwise.log1p(elementwise.negative(input)), _LEAST_LOG)
    loss = elementwise.subtract(
        elementwise.multiply(elementwise.subtract(target, 1), no),
        elementwise.multiply(target, yes))
    result: T = _reduce(name, _weigh(name, loss, weight, input), reduction)
    return result


def binary_cross_entropy_with_logits(input: T, target: Any,
                                     weight: Any = None, *,
                                     reduction: str = "mean",
                                     pos_weight: Any = None) -> T:
    """`binary_cross_entropy` of ``sigmoid(x)``, which does not overflow; its
    first term times ``pos_weight``."""
    name = "binary_cross_entropy_with_logits"
    target = _check_target(name, input, target)
    rest = elementwise.subtract(1, target)
    factor: Any = 1
    if pos_weight is not None:
        more = elementwise.subtract(
            check_operand(name, "pos_weight", pos_weight, input), 1)
        factor = elementwise.add(elementwise.multiply(more, target), 1)
    loss = elementwise.subtract(
        elementwise.multiply(rest, input),
        elementwise.multiply(logsigmoid(input), factor))
    result: T = _reduce(name, _weigh(name, loss, weight, input), reduction)
    return result


#===------------------------------------------------------------------------===#
# Classes
#===------------------------------------------------------------------------===#


def _with_batch(function: str, x: T, target: Any) -> Any:
    """Scores, batch x classes x others, and their target."""
    check_float(function, check_tensor(function, x))
    target = check_operand(function, "target", target, x)
    if x.ndim == 0:
        raise make_error(f"'{function}': expected scores of classes, got a "
                         "scalar")
    if x.ndim > 1:
        return x, target
    return reshape_to(x, (1, *x.shape)), reshape_to(target,
                                                    (1, *target.shape))


def _drop_batch(loss: Any, is_single: bool) -> Any:
    return reshape_to(loss, ()) if is_single and loss.ndim else loss


def _class_weights(function: str, weight: Any, x: T) -> Any:
    """``weight`` beside ``x``; None if there is none."""
    if weight is None:
        return None
    value = check_operand(function, "weight", weight, x)
    if value.shape != x.shape[1:2]:
        raise make_error(f"'{function}': expected a weight for each of "
                         f"{x.shape[1]} classes, got {list(value.shape)}")
    return reshape_to(value, (*x.shape[1:2], *(1,) * (x.ndim - 2)))


def _indexed_losses(function: str, x: T, target: Any, weight: Any,
                    ignore_index: int, reduction: str,
                    smoothing: float = 0.0) -> Any:
    """The losses of logarithms ``x`` whose targets are indices."""
    if kind_of(target._type[0]) not in "iu" or \
            target.shape != (*x.shape[:1], *x.shape[2:]):
        raise make_error(
            f"'{function}': expected a target of int64 "
            f"{[*x.shape[:1], *x.shape[2:]]}, got {target._type[0]} "
            f"{list(target.shape)}")
    target = reshape_to(cast(target, "int64"), (x.shape[0], 1, *x.shape[2:]))
    is_valid = elementwise.not_equal(target, ignore_index)
    is_class = elementwise.logical_and(
        elementwise.equal(make_places(x, 1), target), is_valid)
    classes = _class_weights(function, weight, x)
    scaled = x if classes is None else elementwise.multiply(x, classes)
    loss = reductions.sum(elementwise.where(is_class, scaled, 0.0), axis=1)
    loss = elementwise.negative(loss)
    if smoothing:
        spread = reductions.sum(elementwise.where(is_valid, scaled, 0.0),
                                axis=1)
        loss = elementwise.subtract(
            elementwise.multiply(loss, 1 - smoothing),
            elementwise.multiply(spread, smoothing / x.shape[1]))
    if reduction != "mean":
        return _reduce(function, loss, reduction)
    shares = cast(is_class, x._type[0])
    if classes is not None:
        shares = elementwise.multiply(shares, classes)
    return elementwise.divide(reductions.sum(loss), reductions.sum(shares))


def nll_loss(input: T, target: Any, weight: Any = None, *,
             ignore_index: int = -100, reduction: str = "mean") -> T:
    """``-weight[target] * x[target]`` of logarithms of probabilities.

    ``input``: N x C x ..., or C; ``target``: indices, without C. The mean is
    the sum divided by that of ``weight[target]``. An element whose target is
    ``ignore_index``, or no class, counts as 0.
    """
    x, indices = _with_batch("nll_loss", input, target)
    loss: T = _drop_batch(_indexed_losses(
        "nll_loss", x, indices, weight,
        check_integer("nll_loss", "ignore_index", ignore_index),
        check_word("nll_loss", "reduction", reduction, "none", "mean",
                   "sum")), input.ndim == 1)
    return loss


def _spread_losses(x: T, target: T, weight: Any, reduction: str,
                   smoothing: float) -> Any:
    """The losses of logarithms ``x`` whose targets are probabilities."""
    name = "cross_entropy"
    _check_target(name, x, target)
    classes = _class_weights(name, weight, x)
    if smoothing:
        target = elementwise.add(elementwise.multiply(target, 1 - smoothing),
                                 smoothing / x.shape[1])
    loss = elementwise.multiply(x, target)
    if classes is not None:
        loss = elementwise.multiply(loss, classes)
    loss = elementwise.negative(reductions.sum(loss, axis=1))
    if reduction != "mean":
        return _reduce(name, loss, reduction)
    return elementwise.divide(reductions.sum(loss),
                              count(x.shape) // x.shape[1])


def cross_entropy(input: T, target: Any, weight: Any = None, *,
                  ignore_index: int = -100, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> T:
    """`nll_loss` of ``log_softmax(x)``.

    ``input``: N x C x ..., or C; ``target``: indices, without C, or
    probabilities, as ``input``. With ``label_smoothing`` that much of each
    target is spread over all classes alike.
    """
    name = "cross_entropy"
    x, given = _with_batch(name, input, target)
    check_word(name, "reduction", reduction, "none", "mean", "sum")
    smoothing = check_real(name, "label_smoothing", label_smoothing)
    if not 0 <= smoothing <= 1:
        raise make_error(f"'{name}': expected 'label_smoothing' from 0 to 1, "
                         f"got {label_smoothing!r}")
    index = check_integer(name, "ignore_index", ignore_index)
    if kind_of(given._type[0]) == "f":
        loss: Any = _spread_losses(log_softmax(x, 1), given, weight, reduction,
                                   smoothing)
    elif weight is None and given._type[0] in ("int32", "int64"):
        loss = make(name, [x, given], {
            "reduction": reduction, "ignore_index": index,
            "label_smoothing": smoothing})
    else:
        loss = _indexed_losses(name, log_softmax(x, 1), given, weight, index,
                               reduction, smoothing)
    result: T = _drop_batch(loss, input.ndim == 1)
    return result
