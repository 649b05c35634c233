# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Initial contents of parameters: torch.nn.init on shapes.

Names without the trailing underscore, arguments and formulas are those of
torch.nn.init; the results are arrays of numpy, drawn by numpy's Philox. ``rng``
is a seed, or a numpy.random.Generator that several parameters are drawn from.
Weights are ``[out, in, ...]``, as layers of torch have them.

>>> import hamkaas as hk, numpy as np
>>> rng = hk.nn.init.make_generator(0)
>>> w = hk.nn.init.kaiming_uniform([32, 64], rng=rng)
>>> w.shape, bool(np.abs(w).max() <= (6 / 64) ** 0.5)
((32, 64), True)
"""

from __future__ import annotations

import math
import operator
from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np

from ..arrays import Array, DTypeLike, Shape, shape_of
from ..positions import make_error

__all__ = ["calculate_gain", "kaiming_normal", "kaiming_uniform",
           "make_generator", "normal", "orthogonal", "trunc_normal", "uniform",
           "xavier_normal", "xavier_uniform"]

Random = Union[int, np.random.Generator]
"""A seed, or a generator to draw from."""


def make_generator(seed: int) -> np.random.Generator:
    """A generator of numpy that draws by Philox."""
    return np.random.Generator(np.random.Philox(operator.index(seed)))


def _generator(rng: Random) -> np.random.Generator:
    return rng if isinstance(rng, np.random.Generator) else make_generator(rng)


def _round(values: Any, dtype: DTypeLike) -> Array:
    result: Array = np.asarray(values).astype(np.dtype(dtype))
    return result


def _check_positive(name: str, value: float) -> float:
    if not (math.isfinite(value) and value >= 0):
        raise make_error(f"expected a finite {name} of at least 0, got {value}")
    return float(value)


def _fans(shape: Shape) -> Tuple[int, int]:
    """The inputs and outputs of a unit."""
    if len(shape) < 2 or min(shape) < 1:
        raise make_error("expected a shape of at least two dimensions of at "
                         f"least 1, [out, in, ...], got {list(shape)}")
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


_GAINS = {"linear": 1.0, "sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2),
          "selu": 0.75,
          **{f"conv{kind}{n}d": 1.0 for kind in ("", "_transpose")
             for n in (1, 2, 3)}}


def calculate_gain(nonlinearity: str, param: Optional[float] = None) -> float:
    """The gain that is recommended before a function.

    ``param`` is the negative slope of ``leaky_relu``, 0.01 if it is None.

    >>> from hamkaas.nn import init
    >>> round(init.calculate_gain("relu"), 4)
    1.4142
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else float(param)
        return math.sqrt(2 / (1 + slope * slope))
    if nonlinearity not in _GAINS:
        raise make_error("expected a nonlinearity of 'leaky_relu', "
                         f"{', '.join(map(repr, _GAINS))}, got "
                         f"{nonlinearity!r}")
    return _GAINS[nonlinearity]


def uniform(shape: Sequence[int], a: float = 0.0, b: float = 1.0, *,
            rng: Random, dtype: DTypeLike = "float32") -> Array:
    """Equally likely numbers from ``a`` to ``b``."""
    if not (math.isfinite(a) and math.isfinite(b) and a <= b):
        raise make_error(f"expected finite limits with a <= b, got {a} and {b}")
    return _round(_generator(rng).uniform(a, b, shape_of(shape)), dtype)


def normal(shape: Sequence[int], mean: float = 0.0, std: float = 1.0, *,
           rng: Random, dtype: DTypeLike = "float32") -> Array:
    """Numbers of a normal distribution."""
    return _round(_generator(rng).normal(mean, _check_positive("std", std),
                                         shape_of(shape)), dtype)


def trunc_normal(shape: Sequence[int], mean: float = 0.0, std: float = 1.0,
                 a: float = -2.0, b: float = 2.0, *, rng: Random,
                 dtype: DTypeLike = "float32") -> Array:
    """Numbers of a normal distribution, of those from ``a`` to ``b`` alone.

    Numbers outside are drawn again.
    """
    generator, sizes = _generator(rng), shape_of(shape)
    if _probability(mean, _check_positive("std", std), a, b) < 0.001:
        raise make_error("expected limits that one of 1000 normal numbers is "
                         f"between, got {a} and {b} for the mean {mean} and "
                         f"the std {std}")
    values = generator.normal(mean, std, math.prod(sizes))
    while True:
        outside = np.flatnonzero((values < a) | (values > b))
        if outside.size == 0:
            break
        values[outside] = generator.normal(mean, std, outside.size)
    return np.clip(_round(values.reshape(sizes), dtype), a, b)


def _probability(mean: float, std: float, a: float, b: float) -> float:
    if std == 0:
        return float(a <= mean <= b)
    scale = std * math.sqrt(2)
    return (math.erf((b - mean) / scale) - math.erf((a - mean) / scale)) / 2


def xavier_uniform(shape: Sequence[int], gain: float = 1.0, *, rng: Random,
                   dtype: DTypeLike = "float32") -> Array:
    """Uniform to ``gain * sqrt(6 / (in + out))`` on both sides of 0.

    Glorot and Bengio, Understanding the difficulty of training deep feedforward
    neural networks, 2010.
    """
    limit = _check_positive("gain", gain) * math.sqrt(
        6 / sum(_fans(shape_of(shape))))
    return uniform(shape, -limit, limit, rng=rng, dtype=dtype)


def xavier_normal(shape: Sequence[int], gain: float = 1.0, *, rng: Random,
                  dtype: DTypeLike = "float32") -> Array:
    """Normal with the deviation ``gain * sqrt(2 / (in + out))``."""
    std = _check_positive("gain", gain) * math.sqrt(
        2 / sum(_fans(shape_of(shape))))
    return normal(shape, 0, std, rng=rng, dtype=dtype)


def _kaiming(shape: Sequence[int], a: float, mode: str,
             nonlinearity: str) -> float:
    """The deviation, ``gain / sqrt(fan)``."""
    fan_in, fan_out = _fans(shape_of(shape))
    if mode not in ("fan_in", "fan_out"):
        raise make_error("expected a mode of 'fan_in' and 'fan_out', got "
                         f"{mode!r}")
    fan = fan_in if mode == "fan_in" else fan_out
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform(shape: Sequence[int], a: float = 0.0, mode: str = "fan_in",
                    nonlinearity: str = "leaky_relu", *, rng: Random,
                    dtype: DTypeLike = "float32") -> Array:
    """Uniform to ``gain * sqrt(3 / fan)`` on both sides of 0.

    ``a`` is the slope of ``leaky_relu``, ``fan`` the inputs of a unit, or its
    outputs with the mode "fan_out". He et al., Delving Deep into Rectifiers,
    2015.
    """
    limit = math.sqrt(3) * _kaiming(shape, a, mode, nonlinearity)
    return uniform(shape, -limit, limit, rng=rng, dtype=dtype)


def kaiming_normal(shape: Sequence[int], a: float = 0.0, mode: str = "fan_in",
                   nonlinearity: str = "leaky_relu", *, rng: Random,
                   dtype: DTypeLike = "float32") -> Array:
    """Normal with the deviation ``gain / sqrt(fan)``; see `kaiming_uniform`."""
    return normal(shape, 0, _kaiming(shape, a, mode, nonlinearity), rng=rng,
                  dtype=dtype)


def orthogonal(shape: Sequence[int], gain: float = 1.0, *, rng: Random,
               dtype: DTypeLike = "float32") -> Array:
    """``gain`` times a matrix with orthonormal rows or columns, the fewer ones.

    Dimensions from the second on are one. Saxe et al., Exact solutions to the
    nonlinear dynamics of learning in deep linear neural networks, 2013.
    """
    sizes = shape_of(shape)
    _fans(sizes)
    rows, columns = sizes[0], math.prod(sizes[1:])
    long, short = max(rows, columns), min(rows, columns)
    q, r = np.linalg.qr(_generator(rng).normal(size=(long, short)))
    # Without the signs the matrices would not be equally likely.
    q = q * np.where(np.diag(r) < 0, -1.0, 1.0)
    matrix = q if rows >= columns else q.T
    return _round(_check_positive("gain", gain) * matrix.reshape(sizes), dtype)
