# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors, the operations that make them, and gradients.

Values know the operation and the values that they are made of. Their elements
are recorded and computed when somebody looks, or when an optimizer steps.
"""

from __future__ import annotations

import weakref
from typing import (Any, ClassVar, Dict, Iterator, List, Optional, Sequence,
                    Tuple, Type, TypeVar, Union)

import numpy as np

from ..array.array import Array
from ..array.records import at_one_place
from ..arrays import Array as NumpyArray
from ..arrays import Shape
from ..positions import make_error
from .backend_ndarray import NDArray as StridedArray
from .backend_selection import (IS_NUMPY, Device, NDArray, all_devices,
                                array_api, cpu, default_device)
from .direct import record_row
from .elements import Data, Parts, make_data, take_over
from .memory import Memory
from .operation import Op
from .topology import find_topo_sort, topo_sort_dfs, want_held

__all__ = ["Device", "LAZY_MODE", "NDArray", "Op", "TENSOR_COUNTER", "Tensor",
           "TensorOp", "TensorTuple", "TensorTupleOp", "Value", "all_devices",
           "array_api", "compute_gradient_of_variables", "cpu",
           "default_device", "find_topo_sort", "sum_node_list",
           "topo_sort_dfs"]

LAZY_MODE = False
"""With it, nothing is recorded before somebody looks, and nothing detached."""

TENSOR_COUNTER = 0
"""The number of values that there are."""

V = TypeVar("V", bound="Value")

_is_in_backward = False


class TensorOp(Op):
    """An operation that makes a tensor."""

    def __call__(self, *args: Any) -> "Tensor":
        return Tensor.make_from_op(self, args)


class TensorTupleOp(Op):
    """An operation that makes a tuple of tensors."""

    def __call__(self, *args: Any) -> "TensorTuple":
        return TensorTuple.make_from_op(self, args)


class Value:
    """A leaf, or what an operation makes of other values."""

    op: Optional[Op]
    inputs: Sequence["Value"]
    requires_grad: bool
    num_outputs: int = 1
    _data: Optional[Parts]
    _grad: Union[None, "Value", "_Passed"] = None

    def __new__(cls, *_: Any, **__: Any) -> Any:
        global TENSOR_COUNTER
        TENSOR_COUNTER += 1
        value = object.__new__(cls)
        value.op, value.inputs, value._data = None, (), None
        value.requires_grad = False
        return value

    def __del__(self) -> None:
        global TENSOR_COUNTER
        TENSOR_COUNTER -= 1

    def is_leaf(self) -> bool:
        """Tells whether no operation made it."""
        return self.op is None

    @property
    def cached_data(self) -> Any:
        """The elements as an array of the backend, or a tuple of them."""
        return self.realize_cached_data()

    @cached_data.setter
    def cached_data(self, value: Any) -> None:
        self._data = tuple(map(take_over, value)) \
            if isinstance(value, tuple) else take_over(value)

    def realize_cached_data(self) -> Any:
        """The elements, computed if they are not known."""
        data = self._parts()
        if isinstance(data, Data):
            return data.show()
        return tuple([one.show() for one in data])

    def _parts(self) -> Parts:
        if self._data is None:
            _run(self)
            assert self._data is not None
        return self._data

    @classmethod
    def make_const(cls: Type[V], data: Any, *,
                   requires_grad: bool = False) -> V:
        """A leaf of an array of the backend, which it shares."""
        value: V = cls.__new__(cls)
        value.cached_data = data
        value.requires_grad = requires_grad
        return value

    @classmethod
    def make_from_op(cls: Type[V], op: Op, inputs: Sequence["Value"]) -> V:
        """The result of an operation; a leaf if no input has a gradient."""
        value: V = cls.__new__(cls)
        requires_grad = False
        for one in inputs:
            if not isinstance(one, Value):
                raise TypeError(f"expected tensors as operands of "
                                f"{type(op).__name__}, got "
                                f"{type(one).__name__}")
            requires_grad = requires_grad or one.requires_grad
        value.requires_grad = requires_grad
        if LAZY_MODE:
            value.op, value.inputs = op, inputs
            return value
        value._data = _apply(op, inputs)
        if requires_grad:
            value.op, value.inputs = op, inputs
        if not _is_in_backward:
            value._announce(op, inputs)
        return value

    def _announce(self, op: Op, inputs: Sequence["Value"]) -> None:
        """Says which elements programs store."""
        for one in inputs:
            for part in one._each():
                part.memory.go_on()
        for part in self._each():
            if not self.requires_grad:
                part.memory.want()
            elif op._is_heavy:
                part.memory.keep()
            part.memory.end()

    def _each(self) -> Tuple[Data, ...]:
        data = self._parts()
        return (data,) if isinstance(data, Data) else data

    def detach(self: V) -> V:
        """A leaf of the same elements without a gradient."""
        value: V = _plain_class(type(self)).__new__(_plain_class(type(self)))
        value._data = self._parts()
        for part in value._each():
            part.memory.want()
        return value

    @property
    def grad(self) -> Any:
        """The gradient, after `Tensor.backward`; None before."""
        if isinstance(self._grad, _Passed):
            return self._grad.find()
        return self._grad

    @grad.setter
    def grad(self, value: Any) -> None:
        old = self._grad
        if isinstance(old, Value) and old is not value and old.op is not None:
            # Nobody may look at it; if somebody does, it is computed.
            for part in old._each():
                part.memory.drop()
        self._grad = value


_leaves: "weakref.WeakSet[Value]" = weakref.WeakSet()
"""Leaves with a gradient that knows how it is made."""


def pass_gradients() -> None:
    """Lets gradients of leaves forget how they are made, after a step."""
    for leaf in _leaves:
        if isinstance(leaf._grad, Value):
            leaf._grad = _Passed(leaf._grad)
    _leaves.clear()


class _Passed:
    """The gradient of a value that is no leaf, or after a step.

    It knows how it is made only as long as others do: gradients are made of
    values, so that references in both directions would keep all of a step.
    """

    __slots__ = ("reference", "kind", "data")

    def __init__(self, value: Value) -> None:
        self.reference, self.kind = weakref.ref(value), type(value)
        self.data = value._parts()

    def find(self) -> Value:
        """The gradient."""
        value = self.reference()
        if value is None:
            value = _plain_class(self.kind).__new__(_plain_class(self.kind))
            value._data = self.data
            self.reference = weakref.ref(value)
        return value


def _plain_class(given: Type[V]) -> Any:
    return TensorTuple if issubclass(given, TensorTuple) else Tensor


def _apply(op: Op, inputs: Sequence[Value]) -> Parts:
    """The elements of the result."""
    data = [one._data if one._data is not None else one._parts()
            for one in inputs]
    if op._take is not None:
        taken: Parts = op._take(data)
        return taken
    if op._row is not None:
        made = record_row(op._row, data, getattr(op, "scalar", None))
        if made is not None:
            return made
    device = _device_of(data)
    forward = op._forward
    if forward is None:
        return _compute(op, data, device)
    results = forward(*[one.array() if isinstance(one, Data) else
                        tuple([part.array() for part in one])
                        for one in data])
    if isinstance(results, tuple):
        return tuple([Data.of(one, device) for one in results])
    return Data.of(results, device)


def _device_of(data: Sequence[Parts]) -> Any:
    for one in data:
        if isinstance(one, Data):
            return one.device
        if one:
            return one[0].device
    return default_device()


def _compute(op: Op, data: Sequence[Parts], device: Any) -> Parts:
    """The elements that the user's own operation computes."""
    made = op.compute(*[one.show() if isinstance(one, Data) else
                        tuple([part.show() for part in one]) for one in data])
    if isinstance(made, (tuple, list)):
        return tuple([take_over(one, device) for one in made])
    return take_over(made, device)


def _run(value: Value) -> None:
    """Gives elements to a value and all that it is made of."""
    for node in find_topo_sort([value]):
        if node._data is None:
            if node.op is None:
                raise make_error("expected a tensor with elements, got one "
                                 "without")
            node._data = _apply(node.op, node.inputs)


class TensorTuple(Value):
    """Several tensors, which one operation made."""

    def __len__(self) -> int:
        data = self._parts()
        return 1 if isinstance(data, Data) else len(data)

    def __getitem__(self, index: int) -> "Tensor":
        from .ops import tuple_get_item
        return tuple_get_item(self, index)

    def __iter__(self) -> Iterator["Tensor"]:
        return iter(self.tuple())

    def tuple(self) -> Tuple["Tensor", ...]:
        """The tensors."""
        return tuple([self[i] for i in range(len(self))])

    def __repr__(self) -> str:
        return f"needle.TensorTuple{self.tuple()!r}"

    def __str__(self) -> str:
        return repr(self)

    def __add__(self, other: Any) -> "TensorTuple":
        from .ops import make_tuple
        if not isinstance(other, TensorTuple) or len(self) != len(other):
            raise make_error(f"expected a tuple of {len(self)} tensors, got "
                             f"{other!r}")
        return make_tuple(*[a + b for a, b in zip(self, other)])


class Tensor(Value):
    """An array with a gradient.

    ``Tensor(array, *, device=None, dtype=None, requires_grad=True)`` copies
    lists, numbers and arrays, and shares the elements of a tensor of the same
    type and device.
    """

    def __init__(self, array: Any, *, device: Any = None, dtype: Any = None,
                 requires_grad: bool = True, **_: Any) -> None:
        if isinstance(array, Tensor):
            self._data = _convert(array, device, dtype)
        else:
            if isinstance(array, StridedArray) and device is None and \
                    not IS_NUMPY:
                device = array.device
            self._data = make_data(array, device, dtype)
        self.requires_grad = requires_grad

    def _one(self) -> Data:
        data = self._data
        if data is None:
            data = self._parts()
        assert isinstance(data, Data)
        return data

    @staticmethod
    def _of(array: Array, device: Any) -> "Tensor":
        """A leaf of recorded elements."""
        value: Tensor = Tensor.__new__(Tensor)
        value._data = Data.of(array, device)
        return value

    # Properties.

    @property
    def shape(self) -> Shape:
        """The dimensions."""
        return self._one().shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._one().shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._one().memory.size

    @property
    def dtype(self) -> Any:
        """The type of the elements: ``"float32"``, or one of numpy."""
        name = self._one().memory.name
        return np.dtype(name) if IS_NUMPY else name

    @property
    def device(self) -> Any:
        """Where the elements are."""
        return self._one().device

    @property
    def data(self) -> "Tensor":
        """`detach`. Written, the tensor takes over the elements of another one
        of the same type (AssertionError otherwise), whose shape may differ."""
        return self.detach()

    @data.setter
    def data(self, value: "Tensor") -> None:
        assert isinstance(value, Tensor), \
            f"expected a tensor, got {type(value).__name__}"
        assert value.dtype == self.dtype, \
            f"expected elements of {self.dtype}, got {value.dtype}"
        self._data = value._one()

    def numpy(self) -> NumpyArray:
        """A copy of the elements."""
        one = self._one()
        return np.array(one.memory.elements(), order="C").reshape(one.shape)

    def __repr__(self) -> str:
        return f"needle.Tensor({self.numpy()})"

    def __str__(self) -> str:
        return str(self.numpy())

    # Gradients.

    def backward(self, out_grad: Optional["Tensor"] = None) -> None:
        """Sets ``grad`` of all values that the tensor is made of.

        ``out_grad``, ones by default, has its shape.
        """
        if out_grad is None:
            one = self._one()
            seed = np.ones(one.shape, one.memory.name)
            out_grad = Tensor._of(Memory.of_elements(seed).array(one.shape),
                                  one.device)
        elif out_grad.shape != self.shape:
            raise make_error(f"expected a gradient of {list(self.shape)}, got "
                             f"{list(out_grad.shape)}")
        compute_gradient_of_variables(self, out_grad)

    # Operators.

    def __add__(self, other: Any) -> "Tensor":
        if isinstance(other, Tensor):
            return _op("add", self, other)
        return _op("add_scalar", self, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Tensor":
        if isinstance(other, Tensor):
            return _op("add", self, _op("negate", other))
        return _op("add_scalar", self, -other)

    def __rsub__(self, other: Any) -> "Tensor":
        return _op("add_scalar", _op("negate", self), other)

    def __mul__(self, other: Any) -> "Tensor":
        if isinstance(other, Tensor):
            return _op("multiply", self, other)
        return _op("mul_scalar", self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Tensor":
        if isinstance(other, Tensor):
            return _op("divide", self, other)
        return _op("divide_scalar", self, other)

    def __rtruediv__(self, other: Any) -> "Tensor":
        return _op("mul_scalar", _op("power_scalar", self, -1), other)

    def __pow__(self, other: Any) -> "Tensor":
        if isinstance(other, Tensor):
            return _op("power", self, other)
        return _op("power_scalar", self, other)

    def __neg__(self) -> "Tensor":
        return _op("negate", self)

    def __matmul__(self, other: "Tensor") -> "Tensor":
        return _op("matmul", self, other)

    def matmul(self, other: "Tensor") -> "Tensor":
        """The product of matrices."""
        return _op("matmul", self, other)

    def sum(self, axes: Any = None) -> "Tensor":
        """The sum over axes, which the result has not."""
        return _op("summation", self, axes)

    def broadcast_to(self, shape: Sequence[int]) -> "Tensor":
        """The elements repeated to a shape."""
        return _op("broadcast_to", self, shape)

    def reshape(self, shape: Sequence[int]) -> "Tensor":
        """The elements in another shape."""
        return _op("reshape", self, shape)

    def transpose(self, axes: Any = None) -> "Tensor":
        """Two axes exchanged, the last two by default."""
        return _op("transpose", self, axes)

    # numpy leaves `array * tensor` to us.
    __array_ufunc__: ClassVar[None] = None


def _op(name: str, *arguments: Any) -> Tensor:
    made: Tensor = getattr(_OPERATIONS, name)(*arguments)
    return made


def _convert(array: Tensor, device: Any, dtype: Any) -> Data:
    data = array._one()
    is_same = dtype is None or array.dtype == dtype
    if is_same and (device is None or device == data.device):
        data.memory.want()
        return data
    return make_data(array.numpy(), data.device if device is None else device,
                     dtype)


# The module of operations, which needs this one.
_OPERATIONS: Any = None


#===------------------------------------------------------------------------===#
# Gradients
#===------------------------------------------------------------------------===#


@at_one_place
def compute_gradient_of_variables(output_tensor: Value,
                                  out_grad: Value) -> None:
    """Sets ``grad`` of ``output_tensor`` and all that it is made of."""
    global _is_in_backward
    contributions: Dict[int, List[Value]] = {id(output_tensor): [out_grad]}
    order = find_topo_sort([output_tensor])
    want_held(order)
    before, _is_in_backward = _is_in_backward, True
    try:
        for node in reversed(order):
            _visit(node, contributions)
    finally:
        _is_in_backward = before
    for part in output_tensor._each():
        part.memory.want()


def _visit(node: Value, contributions: Dict[int, List[Value]]) -> None:
    """Sets ``grad`` of one value and passes it on."""
    total = sum_node_list(contributions.pop(id(node)))
    if node.op is None and node.requires_grad:
        node.grad = total
        _leaves.add(node)
        for part in total._each():
            part.memory.want_gradient()
    else:
        node.grad = total if LAZY_MODE else _Passed(total)
    if node.op is None:
        return
    for part in node._each():
        part.memory._keeper = None
    made = node.op.gradient_as_tuple(total, node)
    if len(made) != len(node.inputs):
        raise make_error(f"expected {len(node.inputs)} gradients of "
                         f"{type(node.op).__name__}, got {len(made)}")
    for one, gradient in zip(node.inputs, made):
        contributions.setdefault(id(one), []).append(gradient)


def sum_node_list(node_list: Sequence[Any]) -> Any:
    """The sum of values, from the first on."""
    total = node_list[0]
    if isinstance(total, TensorTuple):
        return _OPERATIONS.add_tuples(node_list)
    for one in node_list[1:]:
        total = total + one
    return total
