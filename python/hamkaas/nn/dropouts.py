# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dropout, which inference leaves out."""

from __future__ import annotations

from typing import List, Optional, cast

from ..array_api import elementwise
from ..graph import Node
from ..positions import make_error
from ..random import Generator, draw_offset, take_words
from ..tensor import T, Tensor, make, splat
from .arguments import (check_float, check_real, check_tensor, refuse,
                        refuse_inplace)


def _check_drop(function: str, x: T, p: float, inplace: bool) -> T:
    refuse_inplace(function, inplace)
    if not 0 <= check_real(function, "p", p) <= 1:
        raise make_error(f"'{function}': expected 'p' from 0 to 1, got {p!r}")
    return check_tensor(function, x)


def _drop(function: str, x: T, p: float, training: bool, inplace: bool,
          generator: Optional[Generator], spatial: int) -> T:
    """Drops elements, or with ``spatial`` dimensions all of a channel."""
    x = _check_drop(function, x, p, inplace)
    if not training:
        return x
    if generator is None:
        raise make_error(f"'{function}': expected a generator of random "
                         "numbers for training, got None; pass "
                         "generator=hamkaas.random.Generator(), or "
                         "training=False")
    if not isinstance(x, Node):
        raise TypeError(f"'{function}': expected a node, which is drawn for in "
                        "each run, got an array")
    if x.ndim < spatial:
        raise make_error(f"'{function}': expected an input of at least "
                         f"{spatial} dimensions, got {list(x.shape)}")
    check_float(function, x)
    kept = x
    if spatial:
        shape = (*x.shape[:-spatial], *[1] * spatial)
        kept = splat(x, 1, x._type[0], shape)
    taken = take_words(generator, kept.shape, 1)
    operands: List[Tensor] = [kept, taken]
    dropped = cast(T, make("dropout", operands,
                           {"p": float(p), "offset": draw_offset(taken)}))
    return elementwise.multiply(x, dropped) if spatial else dropped


def dropout(input: T, p: float = 0.5, training: bool = True,
            inplace: bool = False, *,
            generator: Optional[Generator] = None) -> T:
    """0 with the probability ``p``, and otherwise ``x / (1 - p)``.

    ``generator`` is a `hamkaas.random.Generator`, from which each run draws
    anew. With ``training=False`` the result is ``input``.

    >>> import hamkaas as hk
    >>> generator = hk.random.Generator(seed=0)
    >>> y = hk.nn.dropout(hk.ones([4]), 0.5, generator=generator)
    >>> hk.compile(y).run({})
    array([0., 2., 2., 2.], dtype=float32)
    """
    return _drop("dropout", input, p, training, inplace, generator, 0)


def dropout1d(input: T, p: float = 0.5, training: bool = True,
              inplace: bool = False, *,
              generator: Optional[Generator] = None) -> T:
    """`dropout` of whole channels of ``[..., length]``."""
    return _drop("dropout1d", input, p, training, inplace, generator, 1)


def dropout2d(input: T, p: float = 0.5, training: bool = True,
              inplace: bool = False, *,
              generator: Optional[Generator] = None) -> T:
    """`dropout` of whole channels of ``[..., height, width]``."""
    return _drop("dropout2d", input, p, training, inplace, generator, 2)


def dropout3d(input: T, p: float = 0.5, training: bool = True,
              inplace: bool = False, *,
              generator: Optional[Generator] = None) -> T:
    """`dropout` of whole channels of ``[..., depth, height, width]``."""
    return _drop("dropout3d", input, p, training, inplace, generator, 3)


def alpha_dropout(input: T, p: float = 0.5, training: bool = False,
                  inplace: bool = False) -> T:
    """``input``; ``training`` is an error."""
    refuse("alpha_dropout", "training", training, False,
           "a run drops nothing; pass training=False")
    return _check_drop("alpha_dropout", input, p, inplace)
