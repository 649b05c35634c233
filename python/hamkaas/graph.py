# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs: nodes, and the functions that create them.

Creating a node computes nothing. It checks the operands, by the rules of the
compiler, and records the line of your program. A node is a record of its
operation; a graph is built of the records when it is compiled.
"""

from __future__ import annotations

import operator
from types import NoneType
from typing import (Any, ClassVar, Dict, List, Optional, Sequence, Tuple, Type,
                    Union, cast)

import numpy as np

from .array_api.axes import count, normalize_axes
from .array_api.promotion import check_dtype
from .arrays import (Array, DTypeLike, Shape, as_dense, encode, is_array,
                     shape_of)
from .errors import HamKaasError
from .inference import infer
from .operators import Operators
from .positions import (Position, format_position, make_error,
                        user_position)
from .tensor import Attributes, Tensor, TensorType

ArrayLike = Any
"""An array of numpy, a tensor of torch, or what offers DLPack."""

Operand = Union["Node", ArrayLike]
"""A node, or an array, which becomes a constant."""

# The rows of nodes that are no operation of the table.
INPUT = "InputTensor"
CONSTANT = "ConstantTensor"
NUMBER = "NumberTensor"
STATE = "BufferTensor"
WRITE = "ReplaceSliceNode"
"""Replaces rows of its first operand, seen by what the graph visits later."""
RESULT = "Result"
"""One of several results of the operand, an operation; not the first one."""
SCAN = "scan"
"""A loop, whose body is an attribute."""
GRADIENT = "gradient"
"""The gradients of the first operand by those from the third on; the second is
the seed or None."""
TRAINING = "training"
"""The first operand, a loss, and a step of training by it; the second is the
learning rate or None, the others are the states to train, if they are given."""
DRAW = "draw"
"""A generator, the operand, for a draw of random numbers at a block of its."""
AFTER = "after"
"""The first operand, when the others have been computed: writes to states."""
ARGUMENT = "ScanArgument"
"""A value that a step of a loop is given."""

# The most elements of an array that becomes part of the program.
LARGEST_LITERAL = 1 << 16

_LARGEST_RANK = 8
_LARGEST_COUNT = 1 << 47


class Node(Operators):
    """A tensor of a graph: an input, a constant, a state, or a result.

    Made by `input`, `constant` and `state`, and from other nodes by operators,
    methods and the functions of `hamkaas`, by the rules of the Python array API
    standard. Immutable. ``x == r`` is a node, too; compare nodes with ``is``.

    The other side of an operator is a node, a number, which becomes part of the
    program, or an array, which becomes a constant.

    >>> import hamkaas as hk, numpy as np
    >>> x = hk.input("x", [2, 3])
    >>> y = (x @ np.ones([3, 4], "float32")).relu()
    >>> y.shape, y.dtype
    ((2, 4), dtype('float32'))
    >>> (y[:, -1] / 2 > 1).dtype
    dtype('bool')
    """

    __slots__ = ("_row", "_operands", "_attributes", "_type", "_name", "_data",
                 "_position", "__weakref__")

    # Let numpy leave `array + node` to us.
    __array_ufunc__: ClassVar[None] = None

    # The version of the script whose rules the node is held to.
    _version = 2

    # How to give another name, for messages.
    _name_hint: ClassVar[str] = ""

    _row: str
    _operands: Tuple[Optional["Node"], ...]
    _attributes: Attributes
    _name: Optional[str]
    _data: Optional[Array]
    _position: Position

    def __init__(self, *_: object, **__: object) -> None:
        raise TypeError("nodes are made by hamkaas.input, constant and state, "
                        "and from other nodes")

    @property
    def name(self) -> Optional[str]:
        """The name of an input, constant or state, or None."""
        return self._name

    def __repr__(self) -> str:
        name = f" {self._name!r}" if self._name is not None else ""
        return (f"<hamkaas.Node {self._row}{name} {self._type[0]} "
                f"{list(self._type[1])} at {format_position(self._position)}>")

    def __bool__(self) -> bool:
        raise TypeError("a node has no value before its model runs; compare "
                        "nodes with 'is'")

    def __array__(self, *_: object, **__: object) -> Array:
        raise TypeError("a node has no elements before its model runs")

    # Methods that the standard does not have.

    def relu(self) -> "Node":
        """``max(0, x)`` of each element; NaN stays NaN."""
        return self._apply("relu", (self,))

    def silu(self) -> "Node":
        """``x / (1 + exp(-x))`` of each element."""
        return self._apply("silu", (self,))

    def slice(self, begin: Optional[int] = None,
              end: Optional[int] = None) -> "Node":
        """Rows ``begin`` to ``end - 1`` of the first dimension, without a copy.

        ``0 <= begin < end <=`` the first dimension; from the first or to the
        last row where one is None.
        """
        if not self.shape:
            raise make_error("expected x to have at least rank 1, got a rank "
                              "of 0")
        first = 0 if begin is None else operator.index(begin)
        last = self.shape[0] if end is None else operator.index(end)
        return self._apply("slice", (self,), (("begin", first), ("end", last)))

    def permute(self, permutation: Sequence[int]) -> "Node":
        """The dimensions in another order, as ``numpy.transpose`` has it.

        >>> import hamkaas as hk
        >>> hk.input("x", [2, 3, 4]).permute([2, 0, 1]).shape
        (4, 2, 3)
        """
        return self._apply("permute", (self,),
                           (("permutation", shape_of(permutation)),))

    def rms_norm(self, weight: Operand) -> "Node":
        """``weight * x / sqrt(mean(x * x) + 1e-5)`` of each row.

        ``weight`` is ``[n]`` for rows, the last dimension, of ``n`` elements.
        """
        return self._apply("rms_norm", (self, self._as_node(weight)))

    def complex_mul(self, right: Operand) -> "Node":
        """The product of complex numbers, real and imaginary part in a row.

        The last dimension of both is 2. ``right`` has as many dimensions as
        ``x``, each that of ``x`` or 1, which is then repeated.
        """
        return self._apply("complex_mul", (self, self._as_node(right)))

    def sliced_softmax(self, prefix: Union[int, "Node"]) -> "Node":
        """Softmax of the first ``prefix`` entries of each row.

        The others are copied. ``prefix`` is a number from 0 to the last
        dimension or an int64 node of shape ``[1]``, which is known, and
        checked, in each run.
        """
        if isinstance(prefix, Node):
            return self._apply("sliced_softmax", (self, prefix))
        return self._apply("sliced_softmax", (self,),
                           (("static_prefix", operator.index(prefix)),))

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
        rank = len(self.shape)
        dims = normalize_axes(axis, rank)
        kept = [dim for dim in range(rank) if dim not in dims]
        shape = [1 if dim in dims else self.shape[dim] for dim in range(rank)
                 if keepdims or dim in kept]
        rows = self.permute([*kept, *dims]).reshape(
            [*(self.shape[dim] for dim in kept), count(self.shape, dims)])
        return rows._apply("log_sum_exp", (rows,)).reshape(shape)

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
        if not isinstance(begin, Node) and not isinstance(end, Node):
            self._check_rows(node, operator.index(begin), operator.index(end))
        operands = (self, node, self._as_position(begin),
                    self._as_position(end))
        types, position = self._infer("replace_slice", operands)
        return Node._record(WRITE, operands, (), types[0], position)

    def _check_rows(self, rows: "Node", begin: int, end: int) -> None:
        """Checks positions that are numbers, which the run would check."""
        if not self.shape or not rows.shape:
            return  # The compiler tells what is wrong with that.
        if not 0 <= begin <= end <= self.shape[0] or \
                end - begin != rows.shape[0]:
            raise make_error(
                f"expected 0 <= begin, end <= {self.shape[0]} and end - begin "
                f"= {rows.shape[0]}, got begin {begin} and end {end}")

    def _as_node(self, value: Operand) -> "Node":
        return value if isinstance(value, Node) else make_constant(
            Node, value, None)

    def _as_position(self, value: Union[int, "Node"]) -> "Node":
        if isinstance(value, Node):
            return value
        return make_constant(
            Node, np.array([operator.index(value)], np.int64), None)

    # How nodes are made.

    @classmethod
    def _record(cls, row: str, operands: Tuple[Optional["Node"], ...],
                attributes: Attributes, tensor_type: TensorType,
                position: Position, name: Optional[str] = None,
                data: Optional[Array] = None) -> "Node":
        node = object.__new__(cls)
        node._row, node._operands, node._attributes = row, operands, attributes
        node._type, node._position = tensor_type, position
        node._name, node._data = name, data
        return node

    @staticmethod
    def _infer(row: str, operands: Tuple[Optional["Node"], ...],
               attributes: Attributes = ()) \
            -> Tuple[Tuple[TensorType, ...], Position]:
        position = user_position()
        types = infer(
            row, tuple([None if node is None else node._type
                        for node in operands]), attributes,
            [node._position for node in operands if node is not None],
            position)
        return types, position

    def _apply(self, row: str, operands: Tuple[Optional["Node"], ...],
               attributes: Attributes = ()) -> "Node":
        types, position = self._infer(row, operands, attributes)
        return Node._record(row, operands, attributes, types[0], position)

    @classmethod
    def _make(cls, row: str, operands: Sequence[Optional[Tensor]],
              attributes: Attributes) -> Tuple[Tensor, ...]:
        for operand in operands:
            if not isinstance(operand, (Node, NoneType)):
                raise TypeError("expected a node, got an array of "
                                "hamkaas.array; hamkaas.constant makes a node "
                                "of it")
        nodes = cast(Tuple[Optional[Node], ...], tuple(operands))
        types, position = Node._infer(row, nodes, attributes)
        first = Node._record(row, nodes, attributes, types[0], position)
        if len(types) == 1:
            return (first,)
        return (first, *(Node._record(RESULT, (first,), (("number", i),),
                                      types[i], position)
                         for i in range(1, len(types))))

    @classmethod
    def _make_splat(cls, value: Any, tensor_type: TensorType) -> "Node":
        position = user_position()
        try:
            check_shape(tensor_type[1])
        except HamKaasError as error:
            raise make_error(str(error)) from None
        return Node._record(NUMBER, (), (), tensor_type, position,
                            data=encode(value, tensor_type[0]).reshape(1))

    @classmethod
    def _make_constant(cls, array: Array, is_literal: bool) -> "Node":
        is_small = is_literal and 0 < array.size <= LARGEST_LITERAL
        if not is_small:
            return make_constant(Node, array, None)
        data = as_dense(array)
        name = check_dtype(data.dtype)
        return Node._record(NUMBER, (), (), (name, data.shape),
                            user_position(), data=data)

    # Copies. A node stands for one thing in its graph; a pickled one brings
    # all that it is made of, in a list, because graphs may be deep.

    def __copy__(self) -> "Node":
        return self

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Node":
        return self

    def __reduce__(self) -> Tuple[Any, ...]:
        nodes = visit([self])
        numbers = {id(node): number for number, node in enumerate(nodes)}
        return _restore_last, ([record(node, numbers) for node in nodes],)


Record = Tuple[Any, ...]
"""A node, with numbers of others in place of its operands."""


def record(node: Node, numbers: Dict[int, int]) -> Record:
    """The record of a node. ``numbers`` are those of nodes, by their ids."""
    return (type(node), node._row,
            tuple([None if operand is None else numbers[id(operand)]
                   for operand in node._operands]),
            node._attributes, node._type, node._position, node._name,
            node._data)


def restore(records: Sequence[Record]) -> List[Node]:
    """The nodes of records, of which each refers to earlier ones."""
    nodes: List[Node] = []
    for node_class, row, operands, *rest in records:
        operands = tuple([None if number is None else nodes[number]
                          for number in operands])
        nodes.append(node_class._record(row, operands, *rest))
    return nodes


def _restore_last(records: Sequence[Record]) -> Node:
    return restore(records)[-1]


def visit(results: Sequence[Node]) -> List[Node]:
    """``results`` and their operands: depth first, left operand first.

    Each node once, after its operands. Linear in nodes and edges, also for deep
    and heavily shared graphs.
    """
    order: List[Node] = []
    done = set()
    stack = list(reversed(results))
    while stack:
        node = stack[-1]
        if id(node) not in done:
            waiting = [operand for operand in node._operands
                       if operand is not None and id(operand) not in done]
            if waiting:
                stack.extend(reversed(waiting))
                continue
            done.add(id(node))
            order.append(node)
        stack.pop()
    return order


#===------------------------------------------------------------------------===#
# Tensors from outside a graph
#===------------------------------------------------------------------------===#


def check_name(name: object) -> None:
    """Raises an error unless a script can hold the name."""
    if not isinstance(name, str):
        raise TypeError(f"expected a name, got {type(name).__name__}")
    if (not name.isprintable() or not name or name != name.strip() or
            any(character in name for character in ",)#")):
        raise HamKaasError(
            "expected a name of printable characters without ',', ')', '#' and "
            f"spaces at its ends, got {name!r}")


def check_shape(shape: Shape) -> None:
    """Raises an error unless a tensor may have the shape."""
    count = 1
    for size in shape:
        if size < 1:
            raise HamKaasError(f"expected a dimension of at least 1, got {size}")
        count *= size
    if len(shape) > _LARGEST_RANK:
        raise HamKaasError(f"expected a shape of 0 to {_LARGEST_RANK} "
                           f"dimensions, got {len(shape)}")
    if count >= _LARGEST_COUNT:
        raise HamKaasError("expected a shape of fewer than 2^47 elements, got "
                           f"{list(shape)}")


_STATIC = "; shapes are static: each dimension has a size"


def make_tensor(kind: str, name: Optional[str], dtype: DTypeLike,
                shape: Sequence[int], data: Optional[Array] = None) -> Node:
    """An input, a constant or a state."""
    sizes, type_name = shape_of(shape, "shape", _STATIC), check_dtype(dtype)
    try:
        if name is not None or kind == INPUT:
            check_name(name)
        check_shape(sizes)
    except HamKaasError as error:
        raise make_error(str(error)) from None
    return Node._record(kind, (), (), (type_name, sizes), user_position(),
                        name, data)


def make_constant(node_class: Type[Node], value: ArrayLike,
                  name: Optional[str]) -> Node:
    """A constant with the elements of an array."""
    try:
        data = as_dense(value)
    except TypeError as error:
        raise TypeError(f"expected an array, got {error}") from None
    return make_tensor(CONSTANT, name, data.dtype, data.shape, data)


def input(name: str, shape: Sequence[int],
          dtype: DTypeLike = "float32") -> Node:
    """A tensor that each run is given by its name.

    ``shape`` has up to 8 dimensions, each at least 1. ``dtype`` is a type of
    elements, by its name or as a dtype of numpy or torch: ``float32``,
    ``float64``, ``float16``, ``bfloat16``, ``bool``, or ``int8`` to ``int64``
    and ``uint8`` to ``uint64``. Names are unique among the inputs of a graph.

    >>> import hamkaas as hk
    >>> hk.input("tokens", [16], dtype="int64").dtype
    dtype('int64')
    """
    return make_tensor(INPUT, name, dtype, shape)


def constant(array: ArrayLike, name: Optional[str] = None) -> Node:
    """A tensor whose elements are known when the model is compiled.

    ``array`` is an array of numpy, of torch, or with DLPack. It is used in
    place, so do not change it before the model is compiled; one that is not
    dense and row-major is copied. Constants without a name are called
    ``constant_0``, ``constant_1``, ... in the order in which a graph is
    visited.

    >>> import hamkaas as hk, numpy as np
    >>> hk.constant(np.eye(3, dtype="float32"), name="w").shape
    (3, 3)
    """
    return make_constant(Node, array, name)


def state(shape: Sequence[int], name: Optional[str] = None,
          dtype: DTypeLike = "float32",
          initial: Union[None, int, float, ArrayLike] = None) -> Node:
    """A tensor that the model keeps between runs.

    At first it is zero, or ``initial``: a number, or an array of its shape and
    kept like a constant's if it has more than 65536 elements.

    `Node.replace` changes its rows. Without a name it is called ``buffer_0``,
    ``buffer_1``, ... in the order in which a graph is visited.

    >>> import hamkaas as hk
    >>> hk.state([1024, 64], name="keys")  # doctest: +ELLIPSIS
    <hamkaas.Node BufferTensor 'keys' float32 [1024, 64] at ...>
    """
    data = None
    if initial is not None:
        data = encode(as_dense(initial) if is_array(initial) else initial,
                      check_dtype(dtype))
        if data.ndim and data.shape != shape_of(shape, "shape", _STATIC):
            raise make_error(f"expected initial contents of the shape "
                             f"{list(shape)}, got {list(data.shape)}")
    return make_tensor(STATE, name, dtype, shape, data)
