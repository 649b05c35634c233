# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers in graphs, by Philox 4x32-10.

A `Generator` is a state of the model: each run draws new numbers. The same seed
gives the same ones on every device and any number of threads.

>>> import hamkaas as hk
>>> generator = hk.random.Generator(seed=7)
>>> model = hk.compile(hk.random.integers(generator, [5], 0, 6))
>>> first = model.run({})
>>> (first != model.run({})).any()
True
>>> model.state.reset()
>>> (first == model.run({})).all()
True
"""

from __future__ import annotations

import operator
from typing import Any, Dict, List, Sequence, Union

import numpy as np

from .array_api.promotion import check_dtype
from .arrays import DTypeLike, shape_of
from .errors import HamKaasError
from .graph import DRAW, Node, check_shape, state
from .loops import is_in_body
from .positions import Position, make_error, user_position
from .tensor import Attribute, ElementType, make

__all__ = ["Generator", "bernoulli", "bits", "integers", "normal",
           "permutation", "truncated_normal", "uniform"]


class Generator:
    """A source of random numbers, whose position is a state.

    The state ``name`` is ``[key, low, high]``: the seed as key, and the two
    halves of the counter, in blocks of four words. A run of a function that
    draws moves the counter on by what the function draws; the draws of a graph
    take blocks one behind the other.

    ``model.state.save`` saves the position too, so that a model which is loaded
    goes on with the same numbers. Models and functions that should not share
    the position have generators of their own, with other names and seeds.

    >>> import hamkaas as hk
    >>> generator = hk.random.Generator(seed=3, name="noise")
    >>> model = hk.compile(hk.random.bits(generator, [6]))
    >>> _ = model.run({})
    >>> model.state["noise"]
    array([3, 2, 0], dtype=uint64)
    """

    def __init__(self, seed: int = 0, name: str = "generator") -> None:
        key = operator.index(seed)
        if not 0 <= key < 1 << 64:
            raise make_error("expected a seed of at least 0 and less than "
                             f"2^64, got {key}")
        self.seed = key
        self.state: Node = state([3], name=name, dtype="uint64",
                                 initial=np.array([key, 0, 0], np.uint64))
        self._used = 0

    def __repr__(self) -> str:
        return f"<hamkaas.random.Generator {self.state.name!r} of {self.seed}>"

    # A copy would draw the same numbers of the same state again.

    def __copy__(self) -> "Generator":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Generator":
        return self

    def _take(self, blocks: int, position: Position) -> Node:
        """The generator for a draw at ``offset``, its first attribute."""
        if is_in_body():
            raise make_error(
                "a draw in the body of a loop would give each step the same "
                "numbers; draw those of all steps outside, and pass them in xs")
        offset = self._used
        self._used += blocks
        return Node._record(DRAW, (self.state,),
                            (("offset", offset), ("blocks", blocks)),
                            self.state._type, position)


def take_words(generator: object, shape: Sequence[int], words: int) -> Node:
    """The generator for a draw of ``words`` words an element."""
    if not isinstance(generator, Generator):
        raise TypeError("expected a hamkaas.random.Generator, got "
                        f"{type(generator).__name__}")
    count = 1
    for size in shape:
        count *= size
    return generator._take(words * -(-count // 4), user_position())


def draw_offset(taken: Node) -> int:
    """The block at which a draw begins."""
    offset = dict(taken._attributes)["offset"]
    assert isinstance(offset, int)
    return offset


def _draw(row: str, generator: Generator, shape: Sequence[int], words: int,
          **attributes: Attribute) -> Node:
    sizes = shape_of(shape)
    try:
        check_shape(sizes)
    except HamKaasError as error:
        raise make_error(str(error)) from None
    # A draw that is refused leaves the generator where it was.
    used = generator._used if isinstance(generator, Generator) else 0
    taken = take_words(generator, sizes, words)
    try:
        return make(row, [taken], {**attributes, "shape": sizes,
                                   "offset": draw_offset(taken)})
    except HamKaasError:
        generator._used = used
        raise


def _is_wide(dtype: DTypeLike) -> bool:
    return check_dtype(dtype) == "float64"


def bits(generator: Generator, shape: Sequence[int]) -> Node:
    """Words of 32 random bits, uint32."""
    return _draw("random_bits", generator, shape, 1)


def uniform(generator: Generator, shape: Sequence[int], low: float = 0.0,
            high: float = 1.0, dtype: DTypeLike = "float32") -> Node:
    """Numbers that are equally likely in [low, high)."""
    return _draw("random_uniform", generator, shape, 1 + _is_wide(dtype),
                 type=ElementType(check_dtype(dtype)), low=float(low),
                 high=float(high))


def normal(generator: Generator, shape: Sequence[int], mean: float = 0.0,
           std: float = 1.0, dtype: DTypeLike = "float32") -> Node:
    """Numbers of a normal distribution, by Box and Muller.

    Devices whose logarithms differ in the last place give numbers that differ
    there; the bits that they are made of are equal.
    """
    return _draw("random_normal", generator, shape, 2 + 2 * _is_wide(dtype),
                 type=ElementType(check_dtype(dtype)), mean=float(mean),
                 std=float(std))


def truncated_normal(generator: Generator, shape: Sequence[int],
                     mean: float = 0.0, std: float = 1.0, low: float = -2.0,
                     high: float = 2.0, dtype: DTypeLike = "float32") -> Node:
    """Numbers of a normal distribution, of those in [low, high] alone."""
    return _draw("random_truncated_normal", generator, shape,
                 1 + _is_wide(dtype), type=ElementType(check_dtype(dtype)),
                 mean=float(mean), std=float(std), low=float(low),
                 high=float(high))


def bernoulli(generator: Generator, shape: Sequence[int],
              p: float = 0.5) -> Node:
    """Booleans that are true with the probability ``p``."""
    return _draw("random_bernoulli", generator, shape, 1, p=float(p))


def integers(generator: Generator, shape: Sequence[int], low: int, high: int,
             dtype: DTypeLike = "int64") -> Node:
    """Integers from ``low`` to ``high - 1``, equally likely."""
    return _draw("random_integers", generator, shape, 2,
                 type=ElementType(check_dtype(dtype)),
                 low=operator.index(low), high=operator.index(high))


def permutation(generator: Generator, x: Union[int, Node]) -> Node:
    """The numbers 0 to ``x - 1`` in random order, or the rows of ``x``.

    >>> import hamkaas as hk
    >>> generator = hk.random.Generator(seed=1)
    >>> order = hk.random.permutation(generator, 4)
    >>> sorted(hk.compile(order).run({}).tolist())
    [0, 1, 2, 3]
    """
    if isinstance(x, Node) and not x.shape:
        raise make_error("expected rows to permute, got a scalar")
    count = x.shape[0] if isinstance(x, Node) else operator.index(x)
    if count < 1:
        raise make_error(f"expected at least one number, got {count}")
    taken = take_words(generator, [count], 2)
    order: Node = make("random_permutation", [taken],
                       {"n": count, "offset": draw_offset(taken)})
    if not isinstance(x, Node):
        return order
    rows: List[Node] = [x, order]
    return make("take", rows, {"axis": 0})
