# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The operators of the first HamKaas, by the rules of version 1 of the script.
"""

from __future__ import annotations

import operator
from typing import Any, Dict, Optional, Sequence, Tuple, Type, Union, cast

import numpy as np

from .arrays import DTypeLike, as_dense, element_type_name, shape_of
from .errors import HamKaasError
from .graph import (CONSTANT, INPUT, WRITE, ArrayLike, Node, Operand,
                    check_name)
from .positions import format_position, make_error, user_position
from .statements import Argument, infer_statement
from .tensor import Attributes

# Operands of + and * that become a constant of one element. Not complex.
_NUMBERS = (int, float, np.integer, np.floating)

# The row of an operator, and the names of its arguments there.
_ROWS: Dict[str, Tuple[str, Tuple[str, ...]]] = {
    "SumNode": ("add", ()),
    "HadamardProductNode": ("mul", ()),
    "MatMulNode": ("matmul", ()),
    "ReLUNode": ("relu", ()),
    "SiLUNode": ("silu", ()),
    "SliceNode": ("slice", ("begin", "end")),
    "ReshapeNode": ("reshape", ("shape",)),
    "PermuteNode": ("permute", ("permutation",)),
    "ReplaceSliceNode": (WRITE, ()),
    "RMSNormNode": ("rms_norm", ()),
    "ComplexHadamardProductNode": ("complex_mul", ()),
    "SlicedSoftmaxNode": ("sliced_softmax", ("static_prefix",)),
}


class FirstNode(Node):
    """A node with the operators of the first HamKaas.

    The right side is repeated, and no dimensions are added; ``x[i]`` is
    ``x[i:i + 1]``; ``==`` compares identity.
    """

    __slots__ = ()

    _version = 1

    def __bool__(self) -> bool:
        """True, as that of any object: programs may ask ``node or other``."""
        return True

    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return self is other

    def __ne__(self, other: object) -> bool:  # type: ignore[override]
        return self is not other

    __hash__ = Node.__hash__

    def __add__(self, other: Operand) -> Node:  # type: ignore[override]
        return self._binary("SumNode", other)

    def __mul__(self, other: Operand) -> Node:  # type: ignore[override]
        return self._binary("HadamardProductNode", other)

    def __matmul__(self, other: Operand) -> Node:  # type: ignore[override]
        return self._binary("MatMulNode", other)

    def __radd__(self, other: Operand) -> Node:  # type: ignore[override]
        return self._reflected("SumNode", other)

    def __rmul__(self, other: Operand) -> Node:  # type: ignore[override]
        return self._reflected("HadamardProductNode", other)

    def __rmatmul__(self, other: Operand) -> Node:  # type: ignore[override]
        return self._reflected("MatMulNode", other)

    def __neg__(self) -> Node:  # type: ignore[override]
        return self * -1

    def __sub__(self, other: Operand) -> Node:  # type: ignore[override]
        node = self._as_operand("SumNode", other)
        return NotImplemented if node is None else self + -node

    def __rsub__(self, other: Operand) -> Node:  # type: ignore[override]
        return -self + other

    def __truediv__(self, other: object) -> Node:  # type: ignore[override]
        raise TypeError("the first HamKaas has no division: multiply by the "
                        "inverse")

    def __getitem__(self, rows: Any) -> Node:  # type: ignore[override]
        if isinstance(rows, tuple):
            raise TypeError("expected rows of the first dimension, x[a:b], "
                            f"got {len(rows)} dimensions; see permute")
        if isinstance(rows, slice):
            if rows.step is not None:
                raise make_error("expected a slice without a step, got the "
                                 f"step {rows.step!r}")
            return self.slice(rows.start, rows.stop)
        begin = operator.index(rows)
        return self.slice(begin, begin + 1)

    def relu(self) -> Node:
        """``max(0, x)`` of each element; NaN stays NaN."""
        return self._derive("ReLUNode", (self,))

    def silu(self) -> Node:
        """``x / (1 + exp(-x))`` of each element."""
        return self._derive("SiLUNode", (self,))

    def slice(self, begin: Optional[int] = None,
              end: Optional[int] = None) -> Node:
        """Rows ``begin`` to ``end - 1`` of the first dimension."""
        first = 0 if begin is None else operator.index(begin)
        last = self.shape[0] if end is None else operator.index(end)
        return self._derive("SliceNode", (self,), (first, last))

    def reshape(self,  # type: ignore[override]
                shape: Sequence[int]) -> Node:
        """The same elements, row-major, in another shape of as many."""
        return self._derive("ReshapeNode", (self,), (shape_of(shape),))

    def permute(self, permutation: Sequence[int]) -> Node:
        """The dimensions in another order, as ``numpy.transpose`` has it."""
        return self._derive("PermuteNode", (self,), (shape_of(permutation),))

    def rms_norm(self, weight: Operand) -> Node:
        """``weight * x / sqrt(mean(x * x) + 1e-5)`` of a vector."""
        return self._derive("RMSNormNode", (self, self._as_node(weight)))

    def complex_mul(self, right: Operand) -> Node:
        """The product of complex numbers, real and imaginary part in a row."""
        return self._derive("ComplexHadamardProductNode",
                            (self, self._as_node(right)))

    def sliced_softmax(self, prefix: Union[int, Node]) -> Node:
        """Softmax of the first ``prefix`` entries of each row."""
        if isinstance(prefix, Node):
            return self._derive("SlicedSoftmaxNode", (self, prefix))
        return self._derive("SlicedSoftmaxNode", (self,),
                            (operator.index(prefix),))

    def replace(self, rows: Operand, begin: Union[int, Node],
                end: Union[int, Node]) -> Node:
        """A vector with its elements ``begin`` to ``end - 1`` replaced."""
        return self._derive("ReplaceSliceNode",
                            (self, self._as_node(rows),
                             self._as_position(begin), self._as_position(end)))

    # How nodes are made.

    @classmethod
    def _class_of(cls, op: str) -> Type[Node]:
        """The class of the nodes that an operator makes."""
        raise NotImplementedError

    def _derive(self, op: str, operands: Tuple[Node, ...],
                arguments: Tuple[Argument, ...] = ()) -> Node:
        position = user_position()
        tensor_type = infer_statement(
            1, op, tuple(node._type for node in operands), arguments,
            [node._position for node in operands], position)
        # Scripts of version 1 allow other ranks; the first HamKaas did not.
        if op == "ReplaceSliceNode" and len(tensor_type[1]) != 1:
            raise make_error("expected x to have rank 1, got "
                             f"{tensor_type[0]} {list(tensor_type[1])}")
        row, names = _ROWS[op]
        attributes = cast(Attributes, tuple(zip(names, arguments)))
        return self._class_of(op)._record(row, operands, attributes,
                                          tensor_type, position)

    def _binary(self, op: str, other: Operand) -> Node:
        node = self._as_operand(op, other)
        if node is None:
            return cast(Node, NotImplemented)
        try:
            return self._derive(op, (self, node))
        except HamKaasError as error:
            missing = len(self.shape) - len(node.shape)
            if op == "MatMulNode" or missing <= 0:
                raise
            shape = [1] * missing + list(node.shape)
            raise HamKaasError(f"{error}; no dimensions are added, so reshape "
                               f"the right side to {shape}") from None

    def _reflected(self, op: str, other: Operand) -> Node:
        if isinstance(other, _NUMBERS):
            # The right side is the one that is repeated.
            return self._binary(op, other)
        node = self._as_operand(op, other)
        return NotImplemented if node is None else self._derive(op,
                                                                (node, self))

    def _as_operand(self, op: str, value: Operand) -> Optional[Node]:
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
            ones = (1,) * len(self.shape)
            return self._as_constant(np.full(ones, value, self.dtype))
        try:
            return self._as_node(value)
        except TypeError:
            return None

    def _as_node(self, value: Operand) -> Node:
        return value if isinstance(value, Node) else self._as_constant(value)

    def _as_constant(self, value: ArrayLike) -> Node:
        data = as_dense(value)
        return define_first(self._class_of(CONSTANT), CONSTANT, None,
                            data.dtype, data.shape, data)

    def _as_position(self, value: Union[int, Node]) -> Node:
        if isinstance(value, Node):
            return value
        return self._as_constant(np.array([operator.index(value)], np.int64))


def define_first(node_class: Type[Node], kind: str, name: Optional[str],
                 dtype: DTypeLike, shape: Sequence[int],
                 data: Any = None) -> Node:
    """An input, a constant or a state by the rules of the first HamKaas."""
    position = user_position()
    try:
        if name is not None or kind == INPUT:
            check_name(name)
        type_name = element_type_name(dtype)
        if kind == CONSTANT and type_name not in ("float32", "int64"):
            raise HamKaasError(f"expected float32 or int64, got {type_name}; "
                               "convert the array, such as by "
                               ".astype('float32')")
        if type_name not in ("float32", "int64"):
            raise HamKaasError("expected the type float32 or int64, got "
                               f"'{type_name}'")
    except HamKaasError as error:
        raise HamKaasError(
            f"{format_position(position)}: error: {error}") from None
    # Names are unique in a graph, which is no matter of a single node.
    tensor_type = infer_statement(1, kind, (), ("tensor", type_name,
                                                shape_of(shape)), (), position)
    return node_class._record(kind, (), (), tensor_type, position, name, data)
