# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of each element, and softmax.

The result has the shape of ``input``, which has floats. ``inplace`` must be
False: nodes do not change.
"""

from __future__ import annotations

from typing import Any, Mapping, Optional

from ..array_api import elementwise
from ..array_api.promotion import cast, check_dtype
from ..arrays import DTypeLike
from ..positions import make_error
from ..tensor import Attribute, T, make
from .arguments import (check_dim, check_float, check_operand, check_real,
                        check_tensor, check_word, refuse, refuse_inplace)


# Operations that round nothing.
_EXACT = ("relu", "relu6", "hard_shrink", "hard_tanh", "threshold")


def _make(row: str, x: T, attributes: Mapping[str, Attribute]) -> T:
    """An operation on floats; on those of 16 bits rounded once."""
    name = x._type[0]
    if row in _EXACT or name not in ("float16", "bfloat16"):
        return make(row, [x], attributes)
    return cast(make(row, [cast(x, "float32")], attributes), name)


def _apply(function: str, row: str, x: T, inplace: bool = False,
           **reals: Any) -> T:
    check_tensor(function, x)
    refuse_inplace(function, inplace)
    return _make(row, x, {name: check_real(function, name, value)
                          for name, value in reals.items()})


def relu(input: T, inplace: bool = False) -> T:
    """``max(0, x)``."""
    return _apply("relu", "relu", input, inplace)


def relu6(input: T, inplace: bool = False) -> T:
    """``min(max(0, x), 6)``."""
    return _apply("relu6", "relu6", input, inplace)


def leaky_relu(input: T, negative_slope: float = 0.01,
               inplace: bool = False) -> T:
    """``x`` where ``x >= 0``, otherwise ``negative_slope * x``."""
    return _apply("leaky_relu", "leaky_relu", input, inplace,
                  negative_slope=negative_slope)


def rrelu(input: T, lower: float = 1 / 8, upper: float = 1 / 3,
          training: bool = False, inplace: bool = False) -> T:
    """`leaky_relu` with the mean of ``lower`` and ``upper``."""
    refuse("rrelu", "training", training, False, "a run draws no slopes")
    ends = (check_real("rrelu", "lower", lower),
            check_real("rrelu", "upper", upper))
    if ends[0] > ends[1]:
        raise make_error("'rrelu': expected 'lower' to be at most 'upper', got "
                         f"{lower!r} and {upper!r}")
    return _apply("rrelu", "leaky_relu", input, inplace,
                  negative_slope=sum(ends) / 2)


def elu(input: T, alpha: float = 1.0, inplace: bool = False) -> T:
    """``x`` where ``x >= 0``, otherwise ``alpha * (exp(x) - 1)``."""
    return _apply("elu", "elu", input, inplace, alpha=alpha)


def selu(input: T, inplace: bool = False) -> T:
    """``1.0507 * elu(x, 1.67326)``, with more digits."""
    return _apply("selu", "selu", input, inplace)


def celu(input: T, alpha: float = 1.0, inplace: bool = False) -> T:
    """``max(0, x) + min(0, alpha * (exp(x / alpha) - 1))``."""
    if alpha == 0:
        raise make_error("'celu': expected an 'alpha' other than 0, got "
                         f"{alpha!r}")
    return _apply("celu", "celu", input, inplace, alpha=alpha)


def gelu(input: T, approximate: str = "none") -> T:
    """``x * p(x)`` with the normal distribution's ``p``.

    With ``approximate="tanh"``, ``p(x) = (1 + tanh(sqrt(2 / pi) * (x +
    0.044715 * x^3))) / 2``.
    """
    check_tensor("gelu", input)
    return _make("gelu", input, {"approximate": check_word(
        "gelu", "approximate", approximate, "none", "tanh")})


def silu(input: T, inplace: bool = False) -> T:
    """``x / (1 + exp(-x))``."""
    return _apply("silu", "silu", input, inplace)


def mish(input: T, inplace: bool = False) -> T:
    """``x * tanh(log(1 + exp(x)))``."""
    return _apply("mish", "mish", input, inplace)


def hardswish(input: T, inplace: bool = False) -> T:
    """``x * min(max(x + 3, 0), 6) / 6``."""
    return _apply("hardswish", "hard_swish", input, inplace)


def hardsigmoid(input: T, inplace: bool = False) -> T:
    """``min(max(x + 3, 0), 6) / 6``."""
    return _apply("hardsigmoid", "hard_sigmoid", input, inplace)


def hardtanh(input: T, min_val: float = -1.0, max_val: float = 1.0,
             inplace: bool = False) -> T:
    """``min(max(x, min_val), max_val)``."""
    low = check_real("hardtanh", "min_val", min_val)
    high = check_real("hardtanh", "max_val", max_val)
    if low > high:
        raise make_error("'hardtanh': expected 'min_val' to be at most "
                         f"'max_val', got {min_val!r} and {max_val!r}")
    return _apply("hardtanh", "hard_tanh", input, inplace, min_value=low,
                  max_value=high)


def hardshrink(input: T, lambd: float = 0.5) -> T:
    """0 where ``|x| <= lambd``, otherwise ``x``."""
    return _apply("hardshrink", "hard_shrink", input, lambd=lambd)


def softshrink(input: T, lambd: float = 0.5) -> T:
    """``x`` moved towards 0 by ``lambd``, but not beyond."""
    return _apply("softshrink", "soft_shrink", input, lambd=lambd)


def tanhshrink(input: T) -> T:
    """``x - tanh(x)``."""
    return _apply("tanhshrink", "tanh_shrink", input)


def softplus(input: T, beta: float = 1.0, threshold: float = 20.0) -> T:
    """``log(1 + exp(beta * x)) / beta``; ``x`` where ``beta * x >
    threshold``."""
    smooth = _apply("softplus", "softplus", input, beta=beta)
    limit = check_real("softplus", "threshold", threshold)
    is_large = elementwise.greater(elementwise.multiply(input, float(beta)),
                                   limit)
    result: T = elementwise.where(is_large, input, smooth)
    return result


def softsign(input: T) -> T:
    """``x / (1 + |x|)``."""
    return _apply("softsign", "softsign", input)


def sigmoid(input: T) -> T:
    """``1 / (1 + exp(-x))``."""
    return _apply("sigmoid", "sigmoid", input)


def tanh(input: T) -> T:
    """The hyperbolic tangent."""
    return _apply("tanh", "tanh", input)


def logsigmoid(input: T) -> T:
    """``-log(1 + exp(-x))``, which does not overflow."""
    return _apply("logsigmoid", "log_sigmoid", input)


def threshold(input: T, threshold: float, value: float,
              inplace: bool = False) -> T:
    """``x`` where ``x > threshold``, otherwise ``value``."""
    return _apply("threshold", "threshold", input, inplace,
                  threshold=threshold, value=value)


def glu(input: T, dim: int = -1) -> T:
    """``a * sigmoid(b)``, where ``a`` and ``b`` are the halves of ``input``
    along ``dim``, which has an even size."""
    check_tensor("glu", input)
    return _make("glu", input, {"axis": check_dim("glu", dim, input.ndim)})


def prelu(input: T, weight: Any) -> T:
    """``x`` where ``x >= 0``, otherwise ``weight * x``.

    ``weight`` has one element, or one for each channel, dimension 1.
    """
    check_tensor("prelu", input)
    return make("prelu", [input, check_operand("prelu", "weight", weight,
                                               input)])


def _over(function: str, row: str, x: T, dim: Optional[int],
          dtype: Optional[DTypeLike]) -> T:
    check_tensor(function, x)
    if dtype is not None:
        x = cast(x, check_dtype(dtype))
    check_float(function, x)
    if dim is None:
        dim = 0 if x.ndim in (0, 1, 3) else 1
    return _make(row, x, {"axes": (check_dim(function, dim, x.ndim),)})


def softmax(input: T, dim: Optional[int] = None, *,
            dtype: Optional[DTypeLike] = None) -> T:
    """``exp(x) / sum(exp(x))`` along ``dim``, which does not overflow.

    Elements are converted to ``dtype`` first. Without ``dim`` it is torch's
    choice: 0 of tensors with 1 or 3 dimensions, 1 of others.
    """
    return _over("softmax", "softmax", input, dim, dtype)


def log_softmax(input: T, dim: Optional[int] = None, *,
                dtype: Optional[DTypeLike] = None) -> T:
    """``x - log(sum(exp(x)))`` along ``dim``; see `softmax`."""
    return _over("log_softmax", "log_softmax", input, dim, dtype)


def softmin(input: T, dim: Optional[int] = None, *,
            dtype: Optional[DTypeLike] = None) -> T:
    """`softmax` of ``-x``."""
    check_tensor("softmin", input)
    return softmax(elementwise.negative(input), dim, dtype=dtype)
