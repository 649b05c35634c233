# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The interface of the first HamKaas, for programs written for it.

The nodes are those of `hamkaas.graph`, held to version 1 of the script: one to
three dimensions, and stricter rules. Tensors are those of torch on the CPU,
which this module imports when it first needs it.

Such programs choose the processor with ``use_gpu``. Without an NVIDIA GPU that
can be used, ``use_gpu=True`` runs on the CPU, after one warning.
"""

from __future__ import annotations

import dataclasses
import os
import warnings
from typing import (TYPE_CHECKING, Any, Dict, List, Mapping, Optional,
                    Sequence, Tuple, Type, Union, cast)

import numpy as np

from . import _native
from .arrays import DTypeLike, as_dense, is_torch_tensor
from .compat_operators import FirstNode, define_first
from .compilation import compile
from .errors import HamKaasError
from .graph import CONSTANT, INPUT, STATE, Node, Operand, check_name
from .model import Model
from .script import write_script

if TYPE_CHECKING:
    import torch


def _torch_type(name: str) -> "torch.dtype":
    import torch
    return cast("torch.dtype", getattr(torch, name))


class CompatNode(FirstNode):
    """The base class of the nodes of the first HamKaas.

    The class of an operation makes what the operator or method of the same
    meaning makes.
    """

    __slots__ = ()

    def __init__(self, *_: object, **__: object) -> None:
        """Nothing is left to do after ``__new__``."""

    def get_type(self) -> "torch.dtype":
        """``torch.float32`` or ``torch.int64``."""
        return _torch_type(self._type[0])

    def get_shape(self) -> List[int]:
        """The dimensions."""
        return list(self.shape)

    def complex_hadamard_product(self, r: Operand) -> Node:
        """As `hamkaas.Node.complex_mul`."""
        return self.complex_mul(r)

    @classmethod
    def _class_of(cls, op: str) -> Type[Node]:
        return _CLASSES[op]


def _checked(node: object) -> Node:
    if not isinstance(node, Node):
        raise TypeError(f"expected a node, got {type(node).__name__}")
    return node


# Tensors.


class InputTensor(CompatNode):
    """A tensor that each evaluation is given by its name."""

    __slots__ = ()

    def __new__(cls, name: str, type: DTypeLike, shape: Sequence[int]) -> Any:
        return define_first(cls, INPUT, name, type, shape)

    def get_name(self) -> str:
        """The name."""
        return cast(str, self._name)


class BufferTensor(CompatNode):
    """Storage of the model that keeps its contents; zero at first."""

    __slots__ = ()

    def __new__(cls, type: DTypeLike, shape: Sequence[int]) -> Any:
        return define_first(cls, STATE, None, type, shape)


class ConstantTensor(CompatNode):
    """A tensor with the contents of one of torch, which is used in place."""

    __slots__ = ()

    def __new__(cls, tensor: Any) -> Any:
        data = as_dense(tensor)
        return define_first(cls, CONSTANT, None, data.dtype, data.shape, data)

    def get_tensor(self) -> "torch.Tensor":
        """The contents, contiguous."""
        return _to_torch(self._data)

    def get_name(self) -> Optional[str]:
        """The name that was set, or None."""
        return self._name

    def set_name(self, s: str) -> None:
        """Names the constant, which otherwise is called ``constant_0``, ..."""
        check_name(s)
        self._name = s


# Operations.


class SumNode(CompatNode):
    """``lhs + rhs``; ``rhs`` is repeated along its dimensions of 1."""

    __slots__ = ()

    def __new__(cls, lhs: Node, rhs: Operand) -> Any:
        return _checked(lhs) + rhs


class HadamardProductNode(CompatNode):
    """``lhs * rhs`` element by element; ``rhs`` as in `SumNode`."""

    __slots__ = ()

    def __new__(cls, lhs: Node, rhs: Operand) -> Any:
        return _checked(lhs) * rhs


class MatMulNode(CompatNode):
    """``[m, k]`` by ``[k, n]``, ``[k]`` by ``[k, n]``, or both in batches."""

    __slots__ = ()

    def __new__(cls, lhs: Node, rhs: Operand) -> Any:
        return _checked(lhs) @ rhs


class ReLUNode(CompatNode):
    """``max(0, x)`` of each element."""

    __slots__ = ()

    def __new__(cls, x: Node) -> Any:
        return _checked(x).relu()


class SiLUNode(CompatNode):
    """``x / (1 + exp(-x))`` of each element."""

    __slots__ = ()

    def __new__(cls, x: Node) -> Any:
        return _checked(x).silu()


class SliceNode(CompatNode):
    """Rows ``start`` to ``end - 1`` of the first dimension."""

    __slots__ = ()

    def __new__(cls, x: Node, start: Optional[int] = None,
                end: Optional[int] = None) -> Any:
        return _checked(x).slice(start, end)


class ReshapeNode(CompatNode):
    """The same elements in another shape."""

    __slots__ = ()

    def __new__(cls, x: Node, shape: Sequence[int]) -> Any:
        return _checked(x).reshape(shape)


class PermuteNode(CompatNode):
    """The dimensions in another order."""

    __slots__ = ()

    def __new__(cls, x: Node, permutation: Sequence[int]) -> Any:
        return _checked(x).permute(permutation)


class ReplaceSliceNode(CompatNode):
    """A vector whose elements ``start`` to ``end - 1`` are replaced."""

    __slots__ = ()

    def __new__(cls, x: Node, replacement: Operand, start: Union[int, Node],
                end: Union[int, Node]) -> Any:
        return _checked(x).replace(replacement, start, end)


class RMSNormNode(CompatNode):
    """``w * x / sqrt(mean(x * x) + 1e-5)`` of a vector."""

    __slots__ = ()

    def __new__(cls, x: Node, w: Operand) -> Any:
        return _checked(x).rms_norm(w)


class ComplexHadamardProductNode(CompatNode):
    """The product of complex numbers; the last dimension is (re, im)."""

    __slots__ = ()

    def __new__(cls, l: Node, r: Operand) -> Any:
        return _checked(l).complex_mul(r)


class SlicedSoftmaxNode(CompatNode):
    """Softmax of the first ``n`` entries of each row, the rest copied."""

    __slots__ = ()

    def __new__(cls, x: Node, n: Union[int, Node]) -> Any:
        return _checked(x).sliced_softmax(n)


_CLASSES: Dict[str, Type[Node]] = {
    node_class.__name__: node_class
    for node_class in (ConstantTensor, SumNode, HadamardProductNode, MatMulNode,
                       ReLUNode, SiLUNode, SliceNode, ReshapeNode, PermuteNode,
                       ReplaceSliceNode, RMSNormNode,
                       ComplexHadamardProductNode, SlicedSoftmaxNode)
}

# Models.


def _to_torch(array: Any) -> "torch.Tensor":
    import torch
    return torch.from_numpy(array)


@dataclasses.dataclass(frozen=True)
class Traversal:
    """The result of `traverse_node`."""

    script: str
    """The text."""
    constants: Dict[str, "torch.Tensor"]
    """The tensors of the constants, by name."""
    inputs: Dict[str, Tuple["torch.dtype", List[int]]]
    """Type and shape of the inputs, by name."""
    output: Node
    """The node that the graph ends in."""


def traverse_node(node: Node) -> Traversal:
    """The script of the graph that ends in ``node``, and its tensors.

    Names constants ``constant_0``, ``constant_1``, ... in the order of their
    first visit, depth first, left operand first.
    """
    script = write_script(node)
    return Traversal(
        script.text,
        {name: _to_torch(data) for name, data in script.constants.items()},
        {name: (_torch_type(dtype), list(shape))
         for name, (dtype, shape) in script.inputs.items()}, node)


class CompatModel:
    """A compiled model. Made by `HamKaasPlugin.compile_model`."""

    def __init__(self, model: Model) -> None:
        self.model = model
        """The same as `hamkaas.compile` makes it."""

    def evaluate(self, inputs: Mapping[str, Any]) -> "torch.Tensor":
        """The result for ``inputs``, a tensor for each name; a new tensor.

        HamKaasError for a missing or unknown input, another type or shape.
        """
        return _to_torch(self.model.run(inputs))


_GPU_WARNING = ("use_gpu=True: HamKaas found no NVIDIA GPU that could be used, "
                "the model runs on the CPU")


class HamKaasPlugin:
    """The compiler. ``path`` is not used: the package has its own library."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = path
        self._has_warned = False

    def compile_model(self, node: Node, use_gpu: bool = False,
                      use_cudnn: bool = False) -> CompatModel:
        """Compiles the graph that ends in ``node``.

        ``use_gpu`` warns and runs on the CPU where there is no GPU.
        ``use_cudnn`` means nothing more; HamKaasError without ``use_gpu``.
        """
        if use_cudnn and not use_gpu:
            raise HamKaasError("expected use_cudnn only with use_gpu")
        has_gpu = use_gpu and _native.device_target(
            "best", "compute_80") == "cuda"
        if use_gpu and not has_gpu and not self._has_warned:
            self._has_warned = True
            warnings.warn(_GPU_WARNING, RuntimeWarning, stacklevel=2)
        return CompatModel(compile(node, device="cuda" if has_gpu else "cpu"))

    def inverse_elements(self, tensor: "torch.Tensor") -> "torch.Tensor":
        """``1 / tensor`` of each element, a new tensor of the same shape.

        ``tensor`` is float32 of any shape, also empty. HamKaasError for another
        type and for an element that is 0.
        """
        if not is_torch_tensor(tensor):
            raise TypeError(
                f"expected a torch tensor, got {type(tensor).__name__}")
        array = as_dense(tensor)
        if array.dtype != np.float32:
            raise HamKaasError(f"expected float32, got {array.dtype}")
        result = np.empty_like(array)
        _native.inverse_elements(array, result)
        return _to_torch(result)
