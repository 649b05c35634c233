# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments as torch takes them, checked."""

from __future__ import annotations

import operator
from typing import Any, Optional, Sequence, Tuple, Union

from ..arrays import is_array
from ..array_api.axes import normalize_axis
from ..array_api.promotion import as_tensor, kind_of
from ..positions import make_error
from ..tensor import T, Tensor

Sizes = Union[int, Sequence[int]]
"""A number for all dimensions, or one for each."""


def check_tensor(function: str, x: T, name: str = "input") -> T:
    """``x``, which is a tensor."""
    if isinstance(x, Tensor):
        return x
    raise make_error(f"'{function}': expected '{name}' to be a node, got "
                     f"{type(x).__name__}; see hamkaas.constant")


def check_operand(function: str, name: str, value: Any, like: T) -> T:
    """``value`` as a tensor; an array becomes a constant."""
    if isinstance(value, Tensor) or is_array(value):
        tensor: T = as_tensor(value, like)
        return tensor
    raise make_error(f"'{function}': expected '{name}' to be a node or an "
                     f"array, got {type(value).__name__}")


def check_optional(function: str, name: str, value: Any,
                   like: T) -> Optional[T]:
    """As `check_operand`, or None."""
    return None if value is None else check_operand(function, name, value,
                                                    like)


def check_integer(function: str, name: str, value: Any) -> int:
    """A whole number."""
    try:
        return operator.index(value)
    except TypeError:
        raise make_error(f"'{function}': expected '{name}' to be an integer, "
                         f"got {value!r}") from None


def check_real(function: str, name: str, value: Any) -> float:
    """A number."""
    try:
        if not isinstance(value, str):
            return float(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise make_error(f"'{function}': expected '{name}' to be a number, got "
                     f"{value!r}")


def check_dim(function: str, dim: Any, rank: int) -> int:
    """A dimension, from 0; negative ones count from the last."""
    return normalize_axis(check_integer(function, "dim", dim), rank)


def check_sizes(function: str, name: str, value: Any,
                count: int, least: int) -> Tuple[int, ...]:
    """``count`` numbers that are at least ``least``."""
    given = value if isinstance(value, (list, tuple)) else [value]
    sizes = tuple(check_integer(function, name, one) for one in given)
    if len(sizes) == 1:
        sizes *= count
    if len(sizes) != count or min(sizes) < least:
        raise make_error(f"'{function}': expected '{name}' to be 1 or {count} "
                         f"numbers of at least {least}, got {value!r}")
    return sizes


def check_rank(function: str, x: Tensor, *ranks: int) -> None:
    """Sees to it that ``x`` has one of these numbers of dimensions."""
    if x.ndim not in ranks:
        texts = " or ".join(map(str, ranks))
        raise make_error(f"'{function}': expected an input of {texts} "
                         f"dimensions, got {list(x.shape)}")


def check_float(function: str, x: Tensor) -> None:
    """Sees to it that the elements are floats."""
    if kind_of(x._type[0]) != "f":
        raise make_error(f"'{function}': expected floats, got {x._type[0]}; "
                         "convert them, such as by .astype('float32')")


def check_word(function: str, name: str, value: Any, *words: str) -> str:
    """One of a few words."""
    if value not in words:
        texts = ", ".join(map(repr, words))
        raise make_error(f"'{function}': expected '{name}' to be one of "
                         f"{texts}, got {value!r}")
    return str(value)


def refuse(function: str, name: str, given: Any, wanted: Any,
           reason: str) -> None:
    """An error unless an argument has the only value that is supported."""
    if given is not wanted:
        raise make_error(f"'{function}': expected {name}={wanted}, got "
                         f"{given!r}: {reason}")


def refuse_inplace(function: str, inplace: bool) -> None:
    """Nodes do not change."""
    if inplace:
        raise make_error(f"'{function}': expected inplace=False, got True: "
                         "nodes do not change; use the result")
