# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays that compute when they are looked at.

A namespace of the Python array API standard 2024.12. Operations on its arrays
are recorded; looking at elements (printing, ``numpy()``, ``float(x)``, ``if``)
computes what is recorded by one program, compiled for its structure and found
again for other values:

>>> import hamkaas.array as xp
>>> x = xp.linspace(0, 1, 5)
>>> y = xp.sqrt(x * x + 1) - 1
>>> float(xp.max(y))
0.41421353816986084

`compute` computes several arrays together.

Where this differs from the standard: there are no complex numbers, and integers
and floats have no common type. The extension ``fft`` is not offered.
"""

from . import linalg
from ..array_api.broadcasting import broadcast_shapes
from ..array_api.data_types import (
    can_cast, finfo, iinfo, isdtype, result_type)
from ..array_api.constants import (
    bfloat16, bool, e, float16, float32, float64, inf, int16, int32, int64,
    int8, nan, newaxis, pi, uint16, uint32, uint64, uint8)
from ..array_api.creation import meshgrid
from ..array_api.elementwise import (
    abs, acos, acosh, add, asin, asinh, astype, atan, atan2, atanh,
    bitwise_and, bitwise_invert, bitwise_left_shift, bitwise_or,
    bitwise_right_shift, bitwise_xor, ceil, clip, conj, copysign, cos, cosh,
    divide, equal, exp, expm1, floor, floor_divide, greater, greater_equal,
    hypot, imag, isfinite, isinf, isnan, less, less_equal, log, log10, log1p,
    log2, logaddexp, logical_and, logical_not, logical_or, logical_xor,
    maximum, minimum, multiply, negative, nextafter, not_equal, positive, pow,
    real, reciprocal, remainder, round, sign, signbit, sin, sinh, sqrt, square,
    subtract, tan, tanh, trunc, where)
from ..array_api.linear import einsum, matmul, outer, tensordot, vecdot
from ..array_api.manipulation import (
    broadcast_arrays, broadcast_to, concat, diff, expand_dims, flip,
    matrix_transpose, moveaxis, permute_dims, repeat, reshape, roll, split,
    squeeze, stack, tile, tril, triu, unstack)
from ..array_api.ordering import (
    argsort, isin, searchsorted, sort, take, take_along_axis)
from ..array_api.reductions import (
    all, any, argmax, argmin, count_nonzero, cumulative_prod, cumulative_sum,
    max, mean, min, prod, std, sum, var)
from .array import VERSION as __array_api_version__
from .array import Array, compute
from .creation import (
    arange, asarray, empty, empty_like, eye, from_dlpack, full, full_like,
    linspace, ones, ones_like, zeros, zeros_like)
from .inspection import __array_namespace_info__
from .sets import (
    nonzero, unique_all, unique_counts, unique_inverse, unique_values)
from .sites import RecompilationWarning

__all__ = [
    "Array", "RecompilationWarning", "__array_api_version__",
    "__array_namespace_info__", "abs", "acos", "acosh", "add", "all", "any",
    "arange", "argmax", "argmin", "argsort", "asarray", "asin", "asinh",
    "astype", "atan", "atan2", "atanh", "bfloat16", "bitwise_and",
    "bitwise_invert", "bitwise_left_shift", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "bool", "broadcast_arrays",
    "broadcast_shapes", "broadcast_to", "can_cast", "ceil", "clip", "compute",
    "concat", "conj", "copysign", "cos", "cosh", "count_nonzero",
    "cumulative_prod", "cumulative_sum", "diff", "divide", "e", "einsum",
    "empty", "empty_like", "equal", "exp", "expand_dims", "expm1", "eye",
    "finfo", "flip", "float16", "float32", "float64", "floor", "floor_divide",
    "from_dlpack", "full", "full_like", "greater", "greater_equal", "hypot",
    "iinfo", "imag", "inf", "int16", "int32", "int64", "int8", "isdtype",
    "isfinite", "isin", "isinf", "isnan", "less", "less_equal", "linalg",
    "linspace", "log", "log10", "log1p", "log2", "logaddexp", "logical_and",
    "logical_not", "logical_or", "logical_xor", "matmul", "matrix_transpose",
    "max", "maximum", "mean", "meshgrid", "min", "minimum", "moveaxis",
    "multiply", "nan", "negative", "newaxis", "nextafter", "nonzero",
    "not_equal", "ones", "ones_like", "outer", "permute_dims", "pi",
    "positive", "pow", "prod", "real", "reciprocal", "remainder", "repeat",
    "reshape", "result_type", "roll", "round", "searchsorted", "sign",
    "signbit", "sin", "sinh", "sort", "split", "sqrt", "square", "squeeze",
    "stack", "std", "subtract", "sum", "take", "take_along_axis", "tan",
    "tanh", "tensordot", "tile", "tril", "triu", "trunc", "uint16", "uint32",
    "uint64", "uint8", "unique_all", "unique_counts", "unique_inverse",
    "unique_values", "unstack", "var", "vecdot", "where", "zeros", "zeros_like"
]
