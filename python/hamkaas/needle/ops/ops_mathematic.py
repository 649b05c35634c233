# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All operations on tensors that are no tuples."""

from .ops_convolution import (Conv, Dilate, UnDilate, conv, dilate, undilate)
from .ops_elementwise import (AddScalar, DivScalar, EWiseAdd, EWiseDiv,
    EWiseMul, EWisePow, Exp, Log, MulScalar, Negate, PowerScalar, ReLU, Tanh,
    add, add_scalar, divide, divide_scalar, exp, log, mul_scalar, multiply,
    negate, power, power_scalar, relu, tanh)
from .ops_shapes import (BroadcastTo, Flip, MatMul, Reshape, Split, Stack,
    Summation, Transpose, broadcast_to, flip, matmul, reshape, split, stack,
    summation, transpose)

__all__ = ["AddScalar", "BroadcastTo", "Conv", "Dilate", "DivScalar",
           "EWiseAdd", "EWiseDiv", "EWiseMul", "EWisePow", "Exp", "Flip", "Log",
           "MatMul", "MulScalar", "Negate", "PowerScalar", "ReLU", "Reshape",
           "Split", "Stack", "Summation", "Tanh", "Transpose", "UnDilate",
           "add", "add_scalar", "broadcast_to", "conv", "dilate", "divide",
           "divide_scalar", "exp", "flip", "log", "matmul", "mul_scalar",
           "multiply", "negate", "power", "power_scalar", "relu", "reshape",
           "split", "stack", "summation", "tanh", "transpose", "undilate"]
