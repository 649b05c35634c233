# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""HamKaas: compiles a neural network into one program.

Build a graph from inputs, constants and states, compile it, run it:

>>> import hamkaas as hk, numpy as np
>>> x = hk.input("x", [2, 3])
>>> weights = hk.constant(np.ones([3, 2], "float32"))
>>> model = hk.compile((x @ weights).relu())
>>> model.run({"x": np.float32([[1, 2, 3], [-4, -5, -6]])})
array([[6., 6.],
       [0., 0.]], dtype=float32)

Tensors have up to 8 dimensions, with shapes that are known when the graph is
built. What does not fit raises `HamKaasError`.

Nodes have the operators, and this package the functions, of the Python array
API standard 2024.12. `hamkaas.nn` has layers of networks, those of
torch.nn.functional, and `hamkaas.ops` each operation of the compiler.
`hamkaas.array` has arrays that compute when they are looked at, and
`hamkaas.random` draws random numbers in each run. `hamkaas.needle`, which is
imported by itself, has tensors with gradients that are eager in style.

The names in capitals and `traverse_node` are those of the first HamKaas, see
`hamkaas.compat`.
"""

import importlib
from typing import TYPE_CHECKING, Any

from . import ops, random
from ._native import compiler_version
from .array_api.constants import (
    bfloat16, bool, e, float16, float32, float64, inf, int16, int32, int64,
    int8, nan, newaxis, pi, uint16, uint32, uint64, uint8)
from .array_api.elementwise import (
    abs, acos, acosh, add, asin, asinh, astype, atan, atan2, atanh,
    bitwise_and, bitwise_invert, bitwise_left_shift, bitwise_or,
    bitwise_right_shift, bitwise_xor, ceil, clip, conj, copysign, cos, cosh,
    divide, equal, exp, expm1, floor, floor_divide, greater, greater_equal,
    hypot, imag, isfinite, isinf, isnan, less, less_equal, log, log10, log1p,
    log2, logaddexp, logical_and, logical_not, logical_or, logical_xor,
    maximum, minimum, multiply, negative, nextafter, not_equal, positive, pow,
    real, reciprocal, remainder, round, sign, signbit, sin, sinh, sqrt, square,
    subtract, tan, tanh, trunc, where)
from .array_api.reductions import (
    all, any, argmax, argmin, count_nonzero, cumulative_prod, cumulative_sum,
    max, mean, min, prod, std, sum, var)
from .array_api.manipulation import (
    broadcast_arrays, broadcast_to, concat, diff, expand_dims, flip,
    matrix_transpose, moveaxis, permute_dims, repeat, reshape, roll, split,
    squeeze, stack, tile, tril, triu, unstack)
from .array_api.linear import (
    einsum, matmul, outer, tensordot, vecdot)
from .array_api.ordering import (
    argsort, isin, searchsorted, sort, take, take_along_axis)
from .array_api.data_types import (
    can_cast, finfo, iinfo, isdtype, result_type)
from .array_api.creation import Creation, meshgrid
from .arrays import digest
from .compat import (BufferTensor, ComplexHadamardProductNode, ConstantTensor,
                     HadamardProductNode, HamKaasPlugin, InputTensor,
                     MatMulNode, PermuteNode, ReLUNode, ReplaceSliceNode,
                     ReshapeNode, RMSNormNode, SiLUNode, SlicedSoftmaxNode,
                     SliceNode, SumNode, traverse_node)
from .compilation import compile, load
from .describe import Graph, MemoryPlan, Report
from .errors import HamKaasError, UnsupportedError
from .functions import EntryFunction, Function, function
from .gradients import custom_gradient, gradient, stop_gradient
from .graph import Node, constant, input, state
from .history import History
from .loops import scan
from .model import Model
from .sampler import Sampler
from .script import Script, write_script
from .state import State
from .tables import TensorInfo
from .tokenizer import Tokenizer

if TYPE_CHECKING:
    from . import array, data, nn, optim
    from .fitting import fit
    from .training import train_step

__version__ = "0.1.0"

_creation = Creation(Node)
arange = _creation.arange
asarray = _creation.asarray
empty = _creation.empty
empty_like = _creation.empty_like
eye = _creation.eye
full = _creation.full
full_like = _creation.full_like
linspace = _creation.linspace
ones = _creation.ones
ones_like = _creation.ones_like
zeros = _creation.zeros
zeros_like = _creation.zeros_like

__all__ = [
    "BufferTensor", "ComplexHadamardProductNode", "ConstantTensor",
    "EntryFunction", "Function", "Graph", "HadamardProductNode",
    "HamKaasError", "HamKaasPlugin", "History", "InputTensor", "MatMulNode", "MemoryPlan",
    "Model", "Node", "PermuteNode", "RMSNormNode", "ReLUNode",
    "ReplaceSliceNode", "Report", "ReshapeNode", "Sampler", "Script", "SiLUNode",
    "SliceNode", "SlicedSoftmaxNode", "State", "SumNode", "TensorInfo",
    "Tokenizer", "UnsupportedError", "abs", "acos", "acosh", "add", "all", "any", "arange",
    "argmax", "argmin", "argsort", "array", "asarray", "asin", "asinh",
    "astype", "atan", "atan2", "atanh", "bfloat16", "bitwise_and",
    "bitwise_invert", "bitwise_left_shift", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "bool", "broadcast_arrays",
    "broadcast_to", "can_cast", "ceil", "clip", "compile", "compiler_version",
    "concat", "conj", "constant", "copysign", "cos", "cosh", "count_nonzero",
    "cumulative_prod", "cumulative_sum", "custom_gradient", "data", "diff",
    "digest", "divide", "e", "einsum", "empty", "empty_like", "equal", "exp",
    "expand_dims", "expm1",
    "eye", "finfo", "fit", "flip", "float16", "float32", "float64", "floor",
    "floor_divide", "full", "full_like", "function", "gradient", "greater",
    "greater_equal", "hypot", "iinfo", "imag", "inf", "input", "int16",
    "int32", "int64", "int8", "isdtype", "isfinite", "isin", "isinf", "isnan",
    "less", "less_equal", "linspace", "load", "log", "log10", "log1p", "log2",
    "logaddexp", "logical_and", "logical_not", "logical_or", "logical_xor",
    "matmul", "matrix_transpose", "max", "maximum", "mean", "meshgrid", "min",
    "minimum", "moveaxis", "multiply", "nan", "negative", "nextafter", "nn",
    "not_equal", "ones", "ones_like", "ops", "optim", "outer", "permute_dims",
    "pi", "positive", "pow", "prod", "random", "real", "reciprocal", "remainder",
    "repeat", "reshape", "result_type", "roll", "round", "scan",
    "searchsorted", "sign", "signbit", "sin", "sinh", "sort", "split", "sqrt",
    "square", "squeeze", "stack", "state", "std", "stop_gradient", "subtract",
    "sum", "take", "take_along_axis", "tan", "tanh", "tensordot", "tile",
    "train_step", "traverse_node", "tril", "triu", "trunc", "uint16", "uint32",
    "uint64", "uint8", "unstack", "var", "vecdot", "where", "write_script",
    "zeros", "zeros_like"
]

# By a name, its module, imported when it is first asked for: programs that only
# run a model start in two thirds of the time and take 3 MB less.
_LATE = {
    "array": "array", "data": "data", "nn": "nn", "optim": "optim",
    "fit": "fitting", "train_step": "training"
}


def __getattr__(name: str) -> Any:
    if name not in _LATE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = importlib.import_module(f".{_LATE[name]}", __name__)
    value = module if _LATE[name] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATE})
