# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses.

``reduction`` is "mean", "sum" or "none", of all elements. The deprecated
arguments ``size_average`` and ``reduce`` of torch are not taken, so arguments
after them are given by name.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

from ..array_api.ordering import check_indices
from ..array_api.promotion import kind_of
from ..positions import make_error
from ..tensor import T, make
from .arguments import (check_float, check_integer, check_operand,
                        check_optional, check_real, check_tensor, check_word)


def _make(row: str, x: T, operands: Sequence[Tuple[str, Any]], reduction: str,
          **attributes: Any) -> T:
    """The loss of ``x`` and operands with their names, which may be None."""
    words = ["none", "mean", "sum"] + ["batchmean"] * (row == "kl_div")
    given = {name: value for name, value in attributes.items()
             if value is not None}
    return make(row, [x, *(check_optional(row, name, value, x)
                           for name, value in operands)],
                {"reduction": check_word(row, "reduction", reduction, *words),
                 **given})


def _check_target(function: str, x: T, target: Any) -> T:
    """``target``, floats of the shape of ``x``."""
    check_float(function, check_tensor(function, x))
    value: T = check_operand(function, "target", target, x)
    if value._type != x._type:
        raise make_error(
            f"'{function}': expected a target {x._type[0]} {list(x.shape)} as "
            f"the input, got {value._type[0]} {list(value.shape)}")
    return value


def mse_loss(input: T, target: Any, *, reduction: str = "mean") -> T:
    """``(x - target)^2``, both of one shape."""
    target = _check_target("mse_loss", input, target)
    return _make("mse_loss", input, [("target", target)], reduction)


def l1_loss(input: T, target: Any, *, reduction: str = "mean") -> T:
    """``|x - target|``, both of one shape."""
    target = _check_target("l1_loss", input, target)
    return _make("l1_loss", input, [("target", target)], reduction)


def smooth_l1_loss(input: T, target: Any, *, reduction: str = "mean",
                   beta: float = 1.0) -> T:
    """``0.5 * d^2 / beta`` where ``d = |x - target| < beta``, otherwise ``d -
    0.5 * beta``."""
    name = "smooth_l1_loss"
    target = _check_target(name, input, target)
    return _make(name, input, [("target", target)], reduction,
                 beta=check_real(name, "beta", beta))


def huber_loss(input: T, target: Any, *, reduction: str = "mean",
               delta: float = 1.0) -> T:
    """``0.5 * d^2`` where ``d = |x - target| <= delta``, otherwise ``delta *
    (d - 0.5 * delta)``."""
    target = _check_target("huber_loss", input, target)
    return _make("huber_loss", input, [("target", target)], reduction,
                 delta=check_real("huber_loss", "delta", delta))


def kl_div(input: T, target: Any, *, reduction: str = "mean",
           log_target: bool = False) -> T:
    """``target * (log(target) - x)``, 0 where the target is 0.

    With ``log_target`` the logarithm is given. ``reduction`` may also be
    "batchmean", the sum divided by the first dimension.
    """
    target = _check_target("kl_div", input, target)
    return _make("kl_div", input, [("target", target)], reduction,
                 log_target=bool(log_target))


def binary_cross_entropy(input: T, target: Any, weight: Any = None, *,
                         reduction: str = "mean") -> T:
    """``-(target * log(x) + (1 - target) * log(1 - x))``, with logarithms of
    at least -100."""
    name = "binary_cross_entropy"
    target = _check_target(name, input, target)
    return _make(name, input, [("target", target), ("weight", weight)],
                 reduction)


def binary_cross_entropy_with_logits(input: T, target: Any,
                                     weight: Any = None, *,
                                     reduction: str = "mean",
                                     pos_weight: Any = None) -> T:
    """`binary_cross_entropy` of ``sigmoid(x)``, which does not overflow; its
    first term times ``pos_weight``."""
    name = "binary_cross_entropy_with_logits"
    target = _check_target(name, input, target)
    return _make(name, input, [("target", target), ("weight", weight),
                               ("pos_weight", pos_weight)], reduction)


#===------------------------------------------------------------------------===#
# Classes
#===------------------------------------------------------------------------===#


def _check_classes(function: str, x: T, target: Any) -> T:
    """``target``, numbers of classes."""
    indices: T = check_operand(function, "target", target, x)
    if kind_of(indices._type[0]) not in "iu":
        raise make_error(f"'{function}': expected a target of int64, got "
                         f"{indices._type[0]} {list(indices.shape)}")
    return check_indices(indices, x)


def nll_loss(input: T, target: Any, weight: Any = None, *,
             ignore_index: int = -100, reduction: str = "mean") -> T:
    """``-weight[target] * x[target]`` of logarithms of probabilities.

    ``input``: N x C x ..., or C; ``target``: indices, without C. The mean is
    the sum divided by that of ``weight[target]``. An element whose target is
    ``ignore_index``, or no class, counts as 0.
    """
    name = "nll_loss"
    check_float(name, check_tensor(name, input))
    target = _check_classes(name, input, target)
    return _make(name, input, [("target", target), ("weight", weight)],
                 reduction, ignore_index=check_integer(name, "ignore_index",
                                                       ignore_index))


def cross_entropy(input: T, target: Any, weight: Any = None, *,
                  ignore_index: int = -100, reduction: str = "mean",
                  label_smoothing: float = 0.0) -> T:
    """`nll_loss` of ``log_softmax(x)``.

    ``input``: N x C x ..., or C; ``target``: indices, without C, or
    probabilities, as ``input``. With ``label_smoothing`` that much of each
    target is spread over all classes alike.
    """
    name = "cross_entropy"
    check_float(name, check_tensor(name, input))
    given: T = check_operand(name, "target", target, input)
    index: Optional[int] = check_integer(name, "ignore_index", ignore_index)
    if kind_of(given._type[0]) == "f":
        given, index = _check_target(name, input, given), None
    else:
        given = _check_classes(name, input, given)
    return _make(name, input, [("target", given), ("weight", weight)],
                 reduction, ignore_index=index, label_smoothing=check_real(
                     name, "label_smoothing", label_smoothing))
