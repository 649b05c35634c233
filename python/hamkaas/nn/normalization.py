# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Normalization.

The result has the shape of ``input``. ``weight`` defaults to 1 and ``bias`` to
0.
"""

from __future__ import annotations

from typing import Any, Optional, Sequence, Tuple

import numpy as np

from ..array_api import elementwise, reductions
from ..array_api.broadcasting import add_dimensions, broadcast_all
from ..positions import make_error
from ..tensor import T, make
from .arguments import (check_dim, check_float, check_integer, check_operand,
                        check_optional, check_real, check_tensor, refuse)


def batch_norm(input: T, running_mean: Any, running_var: Any,
               weight: Any = None, bias: Any = None, training: bool = False,
               momentum: float = 0.1, eps: float = 1e-5) -> T:
    """``(x - mean) / sqrt(var + eps) * weight + bias`` of each channel,
    dimension 1; with the statistics that training has collected.

    All but ``input`` have one element for each channel.
    """
    name = "batch_norm"
    refuse(name, "training", training, False, "statistics are not collected")
    check_tensor(name, input)
    return make(name, [input,
                       check_operand(name, "running_mean", running_mean, input),
                       check_operand(name, "running_var", running_var, input),
                       check_optional(name, "weight", weight, input),
                       check_optional(name, "bias", bias, input)],
                {"epsilon": check_real(name, "eps", eps)})


def group_norm(input: T, num_groups: int, weight: Any = None,
               bias: Any = None, eps: float = 1e-5) -> T:
    """``(x - mean) / sqrt(var + eps) * weight + bias``, with mean and variance
    of each of ``num_groups`` equal groups of channels.

    ``input``: N x C x ..., ``weight`` and ``bias``: C.
    """
    check_tensor("group_norm", input)
    return make("group_norm",
                [input, check_optional("group_norm", "weight", weight, input),
                 check_optional("group_norm", "bias", bias, input)],
                {"groups": check_integer("group_norm", "num_groups",
                                         num_groups),
                 "epsilon": check_real("group_norm", "eps", eps)})


def instance_norm(input: T, running_mean: Any = None, running_var: Any = None,
                  weight: Any = None, bias: Any = None,
                  use_input_stats: bool = True, momentum: float = 0.1,
                  eps: float = 1e-5) -> T:
    """`group_norm` with a group for each channel.

    Without ``use_input_stats`` it is `batch_norm`.
    """
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias,
                          eps=eps)
    for name, given in ("running_mean", running_mean), ("running_var",
                                                        running_var):
        refuse("instance_norm", name, given, None,
               "statistics are not collected")
    check_tensor("instance_norm", input)
    return make("instance_norm", [
        input, check_optional("instance_norm", "weight", weight, input),
        check_optional("instance_norm", "bias", bias, input)],
        {"epsilon": check_real("instance_norm", "eps", eps)})


def _read_axes(function: str, x: Any, normalized_shape: Any) \
        -> Tuple[int, ...]:
    """The last dimensions, of which the statistics are."""
    given = normalized_shape if isinstance(normalized_shape, (list, tuple)) \
        else [normalized_shape]
    shape = tuple(check_integer(function, "normalized_shape", one)
                  for one in given)
    if not shape or x.shape[-len(shape):] != shape:
        raise make_error(f"'{function}': expected 'normalized_shape' to be "
                         f"the last dimensions of {list(x.shape)}, got "
                         f"{normalized_shape!r}")
    return tuple(range(x.ndim - len(shape), x.ndim))


def layer_norm(input: T, normalized_shape: Sequence[int], weight: Any = None,
               bias: Any = None, eps: float = 1e-5) -> T:
    """``(x - mean) / sqrt(var + eps) * weight + bias``, with mean and variance
    over the last dimensions, which are ``normalized_shape``.

    >>> import hamkaas as hk, numpy as np
    >>> x = hk.input("x", [2, 5, 16])
    >>> layer_norm(x, (16,), np.ones(16, "float32")).shape
    (2, 5, 16)
    """
    name = "layer_norm"
    check_tensor(name, input)
    return make(name, [
        input, check_optional(name, "weight", weight, input),
        check_optional(name, "bias", bias, input)],
        {"epsilon": check_real(name, "eps", eps),
         "axes": _read_axes(name, input, normalized_shape)})


def rms_norm(input: T, normalized_shape: Sequence[int], weight: Any = None,
             eps: Optional[float] = None) -> T:
    """``x / sqrt(mean(x^2) + eps) * weight`` over the last dimensions, which
    are ``normalized_shape``.

    Floats of 16 bits are computed as float32. ``eps`` defaults to the distance
    from 1 to the next number of the type that is computed with.
    """
    name = "rms_norm"
    check_float(name, check_tensor(name, input))
    computed = np.finfo("float64" if input._type[0] == "float64" else
                        "float32")
    return make(name, [input, check_optional(name, "weight", weight, input)], {
        "epsilon": check_real(name, "eps",
                              computed.eps if eps is None else eps),
        "axes": _read_axes(name, input, normalized_shape)})


def _norm(x: T, p: float, dim: int, keepdim: bool = True) -> T:
    return make("vector_norm", [x], {"ord": p, "keepdims": keepdim,
                                     "axes": (dim,)})


def normalize(input: T, p: float = 2.0, dim: int = 1,
              eps: float = 1e-12) -> T:
    """``x / max(norm(x), eps)`` with the norm ``sum(|x|^p)^(1 / p)`` along
    ``dim``."""
    check_float("normalize", check_tensor("normalize", input))
    norm = _norm(input, check_real("normalize", "p", p),
                 check_dim("normalize", dim, input.ndim))
    limit = check_real("normalize", "eps", eps)
    result: T = elementwise.divide(input, elementwise.maximum(norm, limit))
    return result


def cosine_similarity(x1: T, x2: Any, dim: int = 1, eps: float = 1e-8) -> T:
    """``sum(x1 * x2) / (max(norm(x1), eps) * max(norm(x2), eps))`` along
    ``dim`` of both, broadcast."""
    name = "cosine_similarity"
    check_float(name, check_tensor(name, x1, "x1"))
    second = check_operand(name, "x2", x2, x1)
    rank = max(x1.ndim, second.ndim)
    axis = check_dim(name, dim, rank)
    limit = check_real(name, "eps", eps)
    both = broadcast_all(*(add_dimensions(x, rank) for x in (x1, second)))
    both = [elementwise.divide(x, elementwise.maximum(_norm(x, 2.0, axis),
                                                      limit)) for x in both]
    result: T = reductions.sum(elementwise.multiply(*both), axis=axis)
    return result


def pairwise_distance(x1: T, x2: Any, p: float = 2.0, eps: float = 1e-6,
                      keepdim: bool = False) -> T:
    """``sum(|x1 - x2 + eps|^p)^(1 / p)`` along the last dimension."""
    name = "pairwise_distance"
    check_float(name, check_tensor(name, x1, "x1"))
    difference: T = elementwise.add(
        elementwise.subtract(x1, check_operand(name, "x2", x2, x1)),
        check_real(name, "eps", eps))
    return _norm(difference, check_real(name, "p", p),
                 check_dim(name, -1, difference.ndim), bool(keepdim))
