# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random weights of layers."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence

from ...positions import make_error
from ..autograd import Tensor
from .init_basic import rand, randn


def xavier_uniform(fan_in: int, fan_out: int, gain: float = 1.0,
                   **kwargs: Any) -> Tensor:
    """Uniform up to ``gain * sqrt(6 / (fan_in + fan_out))``, of the shape
    ``(fan_in, fan_out)``."""
    bound = gain * math.sqrt(6 / (fan_in + fan_out))
    return rand(fan_in, fan_out, low=-bound, high=bound, **kwargs)


def xavier_normal(fan_in: int, fan_out: int, gain: float = 1.0,
                  **kwargs: Any) -> Tensor:
    """Normal of the variance ``gain^2 * 2 / (fan_in + fan_out)``, of the shape
    ``(fan_in, fan_out)``."""
    std = gain * math.sqrt(2 / (fan_in + fan_out))
    return randn(fan_in, fan_out, std=std, **kwargs)


def _check(nonlinearity: str) -> None:
    if nonlinearity != "relu":
        raise make_error("expected the nonlinearity 'relu', got "
                         f"{nonlinearity!r}")


def kaiming_uniform(fan_in: int, fan_out: int,
                    shape: Optional[Sequence[int]] = None,
                    nonlinearity: str = "relu", **kwargs: Any) -> Tensor:
    """Uniform up to ``sqrt(6 / fan_in)``, of the shape ``(fan_in, fan_out)``
    or ``shape``."""
    _check(nonlinearity)
    bound = math.sqrt(2) * math.sqrt(3 / fan_in)
    sizes = (fan_in, fan_out) if shape is None else tuple(shape)
    return rand(*sizes, low=-bound, high=bound, **kwargs)


def kaiming_normal(fan_in: int, fan_out: int, nonlinearity: str = "relu",
                   **kwargs: Any) -> Tensor:
    """Normal of the variance ``2 / fan_in``, of the shape ``(fan_in,
    fan_out)``."""
    _check(nonlinearity)
    return randn(fan_in, fan_out, std=math.sqrt(2 / fan_in), **kwargs)
