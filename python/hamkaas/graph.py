# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs: nodes, and the functions that create them.

Creating a node computes nothing. It checks the operands, by the rules of the
compiler, and records the line of your program.
"""

from __future__ import annotations

import operator
from typing import (Any, ClassVar, Dict, List, Optional, Sequence, Tuple, Type,
                    Union, cast)

import numpy as np

from .arrays import (Array, DTypeLike, Shape, as_dense, element_type_name,
                     shape_of)
from .errors import HamKaasError
from .inference import Argument, infer
from .positions import Position, format_position, user_position

ArrayLike = Any
"""An array of numpy, a tensor of torch, or what offers DLPack."""

Operand = Union["Node", ArrayLike]
"""A node, or an array, which becomes a constant."""

INPUT = "InputTensor"
CONSTANT = "ConstantTensor"
NUMBER = "NumberTensor"
STATE = "BufferTensor"

# What stands for a constant of one element in + and *. Not complex.
_NUMBERS = (int, float, np.integer, np.floating)


class Node:
    """A tensor of a graph: an input, a constant, a state, or a result.

    Made by `input`, `constant` and `state`, and from other nodes by operators
    and methods. Immutable. In the tables below ``x`` is the node itself.

    ====================  ======================================================
    ``x + r``, ``x * r``  element by element; ``r`` has as many dimensions as
                          ``x``, each that of ``x`` or 1, which is then repeated
    ``x @ r``             ``[k]`` by ``[k, n]``, ``[m, k]`` by ``[k, n]``, or
                          ``[b, m, k]`` by ``[b, k, n]``
    ``x - r``, ``-x``     the same as ``x + -1 * r``, ``-1 * x``
    ``x[a:b]``            rows ``a`` to ``b - 1``
    ``x[i]``              the same as ``x[i:i + 1]``
    ====================  ======================================================

    ``r`` is a node, an array, which becomes a constant, or in ``+`` and ``*``
    a number, which becomes part of the program.

    >>> import hamkaas as hk, numpy as np
    >>> x = hk.input("x", [2, 3])
    >>> y = (x @ np.ones([3, 4], "float32")).relu()
    >>> y.shape, y.dtype
    ((2, 4), dtype('float32'))
    """

    __slots__ = ("_op", "_operands", "_arguments", "_dtype", "_shape", "_name",
                 "_data", "_position", "__weakref__")

    # Let numpy leave `array + node` to us.
    __array_ufunc__ = None

    # The version of the script whose rules the node is held to.
    _version = 2

    _op: str
    _operands: Tuple["Node", ...]
    _arguments: Tuple[Argument, ...]
    _dtype: "np.dtype[Any]"
    _shape: Shape
    _name: Optional[str]
    _data: Optional[Array]
    _position: Position

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("nodes are made by hamkaas.input, constant and state, "
                        "and from other nodes")

    # What it is.

    @property
    def shape(self) -> Shape:
        """The dimensions, each at least 1."""
        return self._shape

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The type of the elements, float32 or int64."""
        return self._dtype

    @property
    def name(self) -> Optional[str]:
        """The name of an input, constant or state, or None."""
        return self._name

    def __repr__(self) -> str:
        name = f" {self._name!r}" if self._name is not None else ""
        return (f"<hamkaas.Node {self._op}{name} {self._dtype} "
                f"{list(self._shape)} at {format_position(self._position)}>")

    # Operators.

    def __add__(self, other: Operand) -> "Node":
        return self._binary("SumNode", other)

    def __mul__(self, other: Operand) -> "Node":
        return self._binary("HadamardProductNode", other)

    def __matmul__(self, other: Operand) -> "Node":
        return self._binary("MatMulNode", other)

    def __radd__(self, other: Operand) -> "Node":
        return self._reflected("SumNode", other)

    def __rmul__(self, other: Operand) -> "Node":
        return self._reflected("HadamardProductNode", other)

    def __rmatmul__(self, other: Operand) -> "Node":
        return self._reflected("MatMulNode", other)

    def __neg__(self) -> "Node":
        return self * -1

    def __sub__(self, other: Operand) -> "Node":
        node = self._as_operand("SumNode", other)
        return NotImplemented if node is None else self + -node

    def __rsub__(self, other: Operand) -> "Node":
        return -self + other

    def __truediv__(self, other: object) -> "Node":
        raise TypeError("hamkaas has no division: multiply by the inverse")

    def __bool__(self) -> bool:
        raise TypeError("a node has no value before its model runs; compare "
                        "nodes with 'is'")

    def __array__(self, *_: object, **__: object) -> Array:
        raise TypeError("a node has no elements before its model runs")

    def __getitem__(self, rows: Union[slice, int]) -> "Node":
        if isinstance(rows, tuple):
            raise TypeError("expected rows of the first dimension, x[a:b], "
                            f"got {len(rows)} dimensions; see permute")
        if isinstance(rows, slice):
            if rows.step is not None:
                raise self._error("expected a slice without a step, got the "
                                  f"step {rows.step!r}")
            return self.slice(rows.start, rows.stop)
        begin = operator.index(rows)
        return self.slice(begin, begin + 1)

    # Without this Python would take rows until one is refused.
    __iter__: ClassVar[None] = None

    # Methods.

    def relu(self) -> "Node":
        """``max(0, x)`` of each element; NaN stays NaN."""
        return self._derive("ReLUNode", (self,))

    def silu(self) -> "Node":
        """``x / (1 + exp(-x))`` of each element."""
        return self._derive("SiLUNode", (self,))

    def slice(self, begin: Optional[int] = None,
              end: Optional[int] = None) -> "Node":
        """Rows ``begin`` to ``end - 1`` of the first dimension, without a copy.

        ``0 <= begin < end <=`` the first dimension; from the first or to the
        last row where one is None.
        """
        if not self._shape:
            raise self._error("expected x to have at least rank 1, got a rank "
                              "of 0")
        first = 0 if begin is None else operator.index(begin)
        last = self._shape[0] if end is None else operator.index(end)
        return self._derive("SliceNode", (self,), (first, last))

    def reshape(self, shape: Sequence[int]) -> "Node":
        """The same elements, row-major, in another shape of as many."""
        return self._derive("ReshapeNode", (self,), (shape_of(shape),))

    def permute(self, permutation: Sequence[int]) -> "Node":
        """The dimensions in another order, as ``numpy.transpose`` has it.

        >>> import hamkaas as hk
        >>> hk.input("x", [2, 3, 4]).permute([2, 0, 1]).shape
        (4, 2, 3)
        """
        return self._derive("PermuteNode", (self,), (shape_of(permutation),))

    def rms_norm(self, weight: Operand) -> "Node":
        """``weight * x / sqrt(mean(x * x) + 1e-5)`` of each row.

        ``weight`` is ``[n]`` for rows, the last dimension, of ``n`` elements.
        """
        op = "RMSNormNode"
        if self._version == 2 and len(self._shape) != 1:
            op = "RmsNormNode"  # The same, not held to one dimension.
        return self._derive(op, (self, self._as_node(weight)))

    def complex_mul(self, right: Operand) -> "Node":
        """The product of complex numbers, real and imaginary part in a row.

        The last dimension of both is 2; the others are as for ``x * right``.
        """
        return self._derive("ComplexHadamardProductNode",
                            (self, self._as_node(right)))

    def sliced_softmax(self, prefix: Union[int, "Node"]) -> "Node":
        """Softmax of the first ``prefix`` entries of each row.

        The others are copied. ``prefix`` is a number from 0 to the last
        dimension or an int64 node of shape ``[1]``, which is known, and
        checked, in each run.
        """
        if isinstance(prefix, Node):
            return self._derive("SlicedSoftmaxNode", (self, prefix))
        return self._derive("SlicedSoftmaxNode", (self,),
                            (operator.index(prefix),))

    def log_sum_exp(self, axis: Union[None, int, Sequence[int]] = None,
                    keepdims: bool = False) -> "Node":
        """``log(sum(exp(x)))`` over the dimensions ``axis``, all if None.

        The largest element is taken out of the sum, so nothing overflows.
        Negative dimensions count from the last; with ``keepdims`` they stay
        with size 1. Floats only.

        >>> import hamkaas as hk
        >>> hk.input("x", [2, 3, 4]).log_sum_exp(axis=[0, -1]).shape
        (3,)
        """
        rank = len(self._shape)
        given = range(rank) if axis is None else np.atleast_1d(axis).tolist()
        dims = sorted(operator.index(dim) % rank if -rank <= dim < rank else dim
                      for dim in given)
        if len(set(dims)) != len(dims) or any(not 0 <= dim < rank
                                              for dim in dims):
            raise self._error("expected axes that differ, from "
                              f"{-rank} to {rank - 1}, got {axis!r}")
        kept = [dim for dim in range(rank) if dim not in dims]
        shape = [1 if dim in dims else self._shape[dim] for dim in range(rank)
                 if keepdims or dim in kept]
        rows = self.permute(kept + dims).reshape(
            [self._shape[dim] for dim in kept] +
            [int(np.prod([self._shape[dim] for dim in dims], dtype=int))])
        return rows._derive("LogSumExpNode", (rows,)).reshape(shape)

    def replace(self, rows: Operand, begin: Union[int, "Node"],
                end: Union[int, "Node"]) -> "Node":
        """``x`` with its rows ``begin`` to ``end - 1`` replaced by ``rows``.

        ``begin`` and ``end`` are numbers or int64 nodes of shape ``[1]``; each
        run checks ``0 <= begin``, ``end <=`` the first dimension of ``x``, and
        that ``end - begin`` is the number of rows. ``rows`` has the type of
        ``x`` but for the first dimension.

        Replacing rows of a state changes it: it has them in the next run too.
        Nodes made from it that the graph visits later see the new rows; use the
        node that this returns where that matters.
        """
        node = self._as_node(rows)
        if (self._version == 2 and not isinstance(begin, Node) and
                not isinstance(end, Node)):
            self._check_rows(node, operator.index(begin), operator.index(end))
        return self._derive("ReplaceSliceNode",
                            (self, node, self._as_position(begin),
                             self._as_position(end)))

    def _check_rows(self, rows: "Node", begin: int, end: int) -> None:
        """What the run would check of positions that are numbers."""
        if not self._shape or not rows._shape:
            return  # The compiler tells what is wrong with that.
        if not 0 <= begin <= end <= self._shape[0] or \
                end - begin != rows._shape[0]:
            raise self._error(
                f"expected 0 <= begin, end <= {self._shape[0]} and end - begin "
                f"= {rows._shape[0]}, got begin {begin} and end {end}")

    # How nodes are made.

    def _error(self, message: str) -> HamKaasError:
        return HamKaasError(
            f"{format_position(user_position())}: error: {message}")

    @classmethod
    def _class_of(cls, op: str) -> Type["Node"]:
        """The class of the nodes that ``op`` makes of nodes of this class."""
        return Node

    def _derive(self, op: str, operands: Tuple["Node", ...],
                arguments: Tuple[Argument, ...] = ()) -> "Node":
        node_class = self._class_of(op)
        node = object.__new__(node_class)
        node._define(op, operands, arguments)
        return node

    def _define(self, op: str, operands: Tuple["Node", ...],
                arguments: Tuple[Argument, ...] = ()) -> None:
        """Makes this the result of ``op``."""
        position = user_position()
        types = tuple((str(node._dtype), node._shape) for node in operands)
        self._dtype, self._shape = infer(
            self._version, op, types, arguments,
            [node._position for node in operands], position)
        self._op, self._operands, self._arguments = op, operands, arguments
        self._name = self._data = None
        self._position = position

    def _define_tensor(self, op: str, name: Optional[str], dtype: DTypeLike,
                       shape: Sequence[int],
                       data: Optional[Array] = None) -> None:
        """Makes this an input, a constant or a state."""
        position = user_position()
        try:
            if name is not None or op == INPUT:
                check_name(name)
            type_name = element_type_name(dtype)
            if op == CONSTANT and type_name not in ("float32", "int64"):
                raise HamKaasError(f"expected float32 or int64, got "
                                   f"{type_name}; convert the array, such as "
                                   "by .astype('float32')")
            # The operators of Node are those of version 1.
            if type_name not in ("float32", "int64"):
                raise HamKaasError("expected the type float32 or int64, got "
                                   f"'{type_name}'")
        except HamKaasError as error:
            raise HamKaasError(
                f"{format_position(position)}: error: {error}") from None
        arguments = (type_name, shape_of(shape))
        # Names are unique in a graph, which is no matter of a single node.
        self._dtype, self._shape = infer(self._version, op, (),
                                         ("tensor", *arguments), (), position)
        self._op, self._operands, self._arguments = op, (), arguments
        self._name, self._data = name, data
        self._position = position

    def _define_number(self, data: Array) -> None:
        """Makes this a number that the program holds."""
        self._dtype, self._shape, self._op = data.dtype, data.shape, NUMBER
        self._operands = ()
        self._arguments = (str(data.flat[0]), str(data.dtype), data.shape)
        self._name = self._data = None
        self._position = user_position()

    def _binary(self, op: str, other: Operand) -> "Node":
        node = self._as_operand(op, other)
        if node is None:
            return cast(Node, NotImplemented)
        try:
            return self._derive(op, (self, node))
        except HamKaasError as error:
            missing = len(self._shape) - len(node._shape)
            if op == "MatMulNode" or missing <= 0:
                raise
            shape = [1] * missing + list(node._shape)
            raise HamKaasError(f"{error}; no dimensions are added, so reshape "
                               f"the right side to {shape}") from None

    def _reflected(self, op: str, other: Operand) -> "Node":
        if isinstance(other, _NUMBERS):
            # The right side is the one that is repeated.
            return self._binary(op, other)
        node = self._as_operand(op, other)
        return NotImplemented if node is None else self._derive(op,
                                                                (node, self))

    def _as_operand(self, op: str, value: Operand) -> Optional["Node"]:
        """``value`` as a node, None if it is nothing of the kind."""
        if isinstance(value, (list, tuple)):
            raise TypeError(f"expected a node or an array, got a "
                            f"{type(value).__name__}; make it an array, such "
                            "as np.float32([...])")
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        if isinstance(value, _NUMBERS):
            if op == "MatMulNode":
                return None
            return self._as_number(value)
        try:
            return self._as_node(value)
        except TypeError:
            return None

    def _as_node(self, value: Operand) -> "Node":
        return value if isinstance(value, Node) else self._as_constant(value)

    def _as_constant(self, value: ArrayLike) -> "Node":
        return make_constant(self._class_of(CONSTANT), value, None)

    def _as_number(self, value: Any) -> "Node":
        """``value`` as part of the program, which need not be given a weight."""
        ones = (1,) * len(self._shape)
        data = np.full(ones, value, self._dtype)
        if self._version == 1:
            return self._as_constant(data)  # It has no other constants.
        node = object.__new__(Node)
        node._define_number(data)
        return node

    def _as_position(self, value: Union[int, "Node"]) -> "Node":
        if isinstance(value, Node):
            return value
        return self._as_constant(np.array([operator.index(value)], np.int64))

    # Copies. A node stands for one thing in its graph; a pickled one brings
    # all that it is made of, in a list, because graphs may be deep.

    def __copy__(self) -> "Node":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Node":
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        nodes = visit(self)
        numbers = {id(node): number for number, node in enumerate(nodes)}
        return _restore, ([
            (type(node), node._op,
             tuple(numbers[id(operand)] for operand in node._operands),
             node._arguments, node._dtype, node._shape, node._name, node._data,
             node._position) for node in nodes
        ], )


def _restore(records: List[Tuple[Any, ...]]) -> Node:
    nodes: List[Node] = []
    for record in records:
        node = object.__new__(record[0])
        (node._op, operands, node._arguments, node._dtype, node._shape,
         node._name, node._data, node._position) = record[1:]
        node._operands = tuple(nodes[number] for number in operands)
        nodes.append(node)
    return nodes[-1]


def visit(result: Node) -> List[Node]:
    """``result`` and its transitive operands: depth first, left operand first.

    Each node once, after its operands. Linear in nodes and edges, also for deep
    and heavily shared graphs.
    """
    order: List[Node] = []
    done = set()
    stack = [result]
    while stack:
        node = stack[-1]
        waiting = [operand for operand in node._operands
                   if id(operand) not in done]
        if waiting and id(node) not in done:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        if id(node) not in done:
            done.add(id(node))
            order.append(node)
    return order


def check_name(name: object) -> None:
    """Raises an error unless a script can hold the name."""
    if not isinstance(name, str):
        raise TypeError(f"expected a name, got {type(name).__name__}")
    if (not name.isprintable() or not name or name != name.strip() or
            any(character in name for character in ",)#")):
        raise HamKaasError(
            "expected a name of printable characters without ',', ')', '#' and "
            f"spaces at its ends, got {name!r}")


def make_constant(node_class: Type[Node], value: ArrayLike,
                  name: Optional[str]) -> Node:
    """A constant of the class ``node_class``."""
    data = as_dense(value)
    node = object.__new__(node_class)
    node._define_tensor(CONSTANT, name, data.dtype, data.shape, data)
    return node


def input(name: str, shape: Sequence[int],
          dtype: DTypeLike = "float32") -> Node:
    """A tensor that each run is given by its name.

    ``shape`` has up to 8 dimensions, each at least 1. ``dtype`` is float32 or
    int64, by its name or as a dtype of numpy or torch. Names are unique among
    the inputs of a graph.

    >>> import hamkaas as hk
    >>> hk.input("tokens", [16], dtype="int64").dtype
    dtype('int64')
    """
    node = object.__new__(Node)
    node._define_tensor(INPUT, name, dtype, shape)
    return node


def constant(array: ArrayLike, name: Optional[str] = None) -> Node:
    """A tensor whose elements are known when the model is compiled.

    ``array`` is a float32 or int64 array of numpy, of torch, or with DLPack. It
    is used in place, so do not change it before the model is compiled; one that
    is not dense and row-major is copied. Constants without a name are called
    ``constant_0``, ``constant_1``, ... in the order in which a graph is
    visited.

    >>> import hamkaas as hk, numpy as np
    >>> hk.constant(np.eye(3, dtype="float32"), name="w").shape
    (3, 3)
    """
    return make_constant(Node, array, name)


def state(shape: Sequence[int], name: Optional[str] = None,
          dtype: DTypeLike = "float32") -> Node:
    """A tensor that the model keeps between runs; zero at first.

    `Node.replace` changes its rows. Without a name it is called ``buffer_0``,
    ``buffer_1``, ... in the order in which a graph is visited.

    >>> import hamkaas as hk
    >>> hk.state([1024, 64], name="keys")  # doctest: +ELLIPSIS
    <hamkaas.Node BufferTensor 'keys' float32 [1024, 64] at ...>
    """
    node = object.__new__(Node)
    node._define_tensor(STATE, name, dtype, shape)
    return node
