# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of nodes, as nodes."""

from __future__ import annotations

import functools
from typing import Any, Callable, List, Optional, Sequence, Tuple

from .arrays import as_dense, is_array
from .graph import GRADIENT, RESULT, Node, Operand
from .positions import make_error, user_position
from .structure import Structure, flatten, unflatten


def gradient(y: Node, xs: Structure, seed: Optional[Operand] = None) -> Any:
    """The gradients of ``y`` by each of ``xs``, with their types.

    ``xs`` is a node that ``y`` depends on, or a tuple, a list or a dictionary of
    nodes; the result has the same structure. A gradient is the sum over the
    elements of ``y`` of their derivatives times those of ``seed``, a node or an
    array of the type of ``y``, which may be left out where ``y`` has one
    element. Gradients are nodes, of which there are gradients, too.

    >>> import hamkaas as hk, numpy as np
    >>> x = hk.input("x", [3])
    >>> slope = hk.gradient(hk.sum(x ** 3), x)
    >>> curvature = hk.gradient(slope, x, seed=np.ones(3, "float32"))
    >>> model = hk.compile({"slope": slope, "curvature": curvature})
    >>> result = model.run({"x": np.float32([1, 2, 3])})
    >>> print(result["slope"], result["curvature"])
    [ 3. 12. 27.] [ 6. 12. 18.]
    """
    position = user_position()
    nodes = [node for _, node in flatten(xs)]
    start = _make_seed(y, seed)
    for name, node in [("y", y)] + [("x", node) for node in nodes]:
        _check_floats(name, node)
    if not nodes:
        raise make_error("expected at least one node in xs, got none")
    first = Node._record(GRADIENT, (y, start, *nodes), (), nodes[0]._type,
                         position)
    made: List[Node] = [first] + [
        Node._record(RESULT, (first,), (("number", number),), node._type,
                     position)
        for number, node in enumerate(nodes) if number > 0]
    return unflatten(xs, made)


def stop_gradient(x: Node) -> Node:
    """``x``, which gradients take for a constant.

    >>> import hamkaas as hk, numpy as np
    >>> x = hk.input("x", [2])
    >>> y = hk.sum(x * hk.stop_gradient(x))
    >>> hk.compile(hk.gradient(y, x)).run({"x": np.float32([3, 4])})
    array([3., 4.], dtype=float32)
    """
    return x._apply("stop_gradient", (x,))


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Node]:
    """A function with a gradient of its own: a decorator.

    ``f`` returns a node and a function that makes the gradients of the
    arguments from that of the node: a node or None for each positional
    argument, or one alone if there is a single argument. None stands for an
    argument that has no gradient, such as one of integers or a number of
    Python; it has the type of its argument otherwise. What the function makes
    may use all that ``f`` knows, and has gradients, too. Nodes that ``f`` uses
    and that are no arguments get no gradient through it.

    >>> import hamkaas as hk, numpy as np
    >>> @hk.custom_gradient
    ... def clip_gradient(x, limit):
    ...     return x, lambda g: (hk.clip(g, -limit, limit), None)
    >>> x = hk.input("x", [3])
    >>> y = hk.sum(clip_gradient(x, 1.0) ** 2)
    >>> hk.compile(hk.gradient(y, x)).run({"x": np.float32([0.25, 1, -5])})
    array([ 0.5,  1. , -1. ], dtype=float32)
    """
    @functools.wraps(f)
    def apply(*arguments: Any, **named: Any) -> Node:
        returned = f(*arguments, **named)
        if not isinstance(returned, tuple) or len(returned) != 2 or not \
                isinstance(returned[0], Node) or not callable(returned[1]):
            raise make_error(
                f"expected {_name(f)} to return a node and a function that "
                "makes its gradients, got " + _describe(returned))
        y: Node = returned[0]
        rule = returned[1]
        _check_floats("the node", y)
        stand_in = stop_gradient(y)
        pairs = _pair(f, arguments, rule(stand_in))
        if not pairs:
            return stop_gradient(y)
        return y._apply("custom_gradient",
                        (y, stand_in, *[x for x, _ in pairs],
                         *[gradient for _, gradient in pairs]))
    return apply


def _name(f: Callable[..., Any]) -> str:
    return getattr(f, "__name__", "the function")


def _describe(value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(type(part).__name__ for part in value)})"
    return type(value).__name__


def _pair(f: Callable[..., Any], arguments: Sequence[Any],
          made: Any) -> List[Tuple[Node, Node]]:
    """The arguments that get a gradient, with it."""
    given = made if isinstance(made, (tuple, list)) else [made]
    if len(given) != len(arguments):
        raise make_error(f"expected {len(arguments)} gradients for the "
                         f"arguments of {_name(f)}, got {len(given)}")
    pairs = []
    for i, (x, gradient) in enumerate(zip(arguments, given)):
        if gradient is None:
            continue
        if not isinstance(gradient, Node) and is_array(gradient):
            gradient = Node._make_constant(as_dense(gradient), True)
        expected = _describe_type(x) if isinstance(x, Node) and \
            "float" in x._type[0] else "None"
        got = _describe_type(gradient) if isinstance(gradient, Node) else \
            type(gradient).__name__
        if got != expected:
            raise make_error(f"expected the gradient of argument {i} of "
                             f"{_name(f)} to be {expected}, got {got}")
        pairs.append((x, gradient))
    return pairs


def _describe_type(node: Node) -> str:
    return f"{node._type[0]} {list(node._type[1])}"


def _make_seed(y: Node, seed: Optional[Operand]) -> Optional[Node]:
    if not isinstance(y, Node):
        raise TypeError(f"expected y to be a node, got {type(y).__name__}")
    if seed is None:
        if y.size != 1:
            raise make_error("expected y to have one element, or a seed, got "
                             f"{y._type[0]} {list(y._type[1])} and no seed")
        return None
    if not isinstance(seed, Node) and is_array(seed):
        seed = Node._make_constant(as_dense(seed), True)
    if not isinstance(seed, Node):
        raise TypeError("expected the seed to be a node or an array, got "
                        f"{type(seed).__name__}")
    if seed._type != y._type:
        raise make_error(f"expected a seed of the type of y, {y._type[0]} "
                         f"{list(y._type[1])}, got {seed._type[0]} "
                         f"{list(seed._type[1])}")
    return seed


def _check_floats(name: str, node: Node) -> None:
    dtype, shape = node._type
    if "float" not in dtype:
        raise make_error(f"expected {name} to be of floats, got {dtype} "
                         f"{list(shape)}, which has no gradient")
