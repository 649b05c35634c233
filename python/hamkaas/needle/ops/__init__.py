# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations on tensors."""

from . import ops_logarithmic, ops_mathematic, ops_tuple
from .ops_logarithmic import LogSoftmax, LogSumExp, logsoftmax, logsumexp
from .ops_mathematic import (
    AddScalar, BroadcastTo, Conv, Dilate, DivScalar, EWiseAdd, EWiseDiv,
    EWiseMul, EWisePow, Exp, Flip, Log, MatMul, MulScalar, Negate, PowerScalar,
    ReLU, Reshape, Split, Stack, Summation, Tanh, Transpose, UnDilate, add,
    add_scalar, broadcast_to, conv, dilate, divide, divide_scalar, exp, flip,
    log, matmul, mul_scalar, multiply, negate, power, power_scalar, relu,
    reshape, split, stack, summation, tanh, transpose, undilate)
from .ops_tuple import (FusedAddScalars, MakeTensorTuple, TupleGetItem,
                        add_tuples, fused_add_scalars, make_tuple,
                        tuple_get_item)

__all__ = [
    "AddScalar", "BroadcastTo", "Conv", "Dilate", "DivScalar", "EWiseAdd",
    "EWiseDiv", "EWiseMul", "EWisePow", "Exp", "Flip", "FusedAddScalars", "Log",
    "LogSoftmax", "LogSumExp", "MakeTensorTuple", "MatMul", "MulScalar",
    "Negate", "PowerScalar", "ReLU", "Reshape", "Split", "Stack", "Summation",
    "Tanh", "Transpose", "TupleGetItem", "UnDilate", "add", "add_scalar",
    "add_tuples", "broadcast_to", "conv", "dilate", "divide", "divide_scalar",
    "exp", "flip", "fused_add_scalars", "log", "logsoftmax", "logsumexp",
    "make_tuple", "matmul", "mul_scalar", "multiply", "negate",
    "ops_logarithmic", "ops_mathematic", "ops_tuple", "power", "power_scalar",
    "relu", "reshape", "split", "stack", "summation", "tanh", "transpose",
    "tuple_get_item", "undilate"]
