# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations, on operands of one shape, with their gradients."""

from __future__ import annotations

from typing import Any, Tuple

from ...array.array import Array
from ...array_api import elementwise
from ...positions import make_error
from ..autograd import Tensor, TensorOp
from .operands import as_floats, beside, check_scalar, promote


class EWiseAdd(TensorOp):
    """``a + b``."""

    _row = "add"

    def _forward(self, a: Array, b: Array) -> Array:
        return elementwise.add(*promote(a, b))  # type: ignore[no-any-return]

    def gradient(self, out_grad: Any, node: Any) -> Tuple[Tensor, Tensor]:
        return out_grad, out_grad


def add(a: Tensor, b: Tensor) -> Tensor:
    """``a + b``."""
    return EWiseAdd()(a, b)


class _ScalarOp(TensorOp):
    """An operation with a number."""

    def __init__(self, scalar: Any) -> None:
        self.scalar = check_scalar(scalar)


class AddScalar(_ScalarOp):
    """``a + scalar``."""

    _row = "add"

    def _forward(self, a: Array) -> Array:
        return elementwise.add(  # type: ignore[no-any-return]
            beside(a, self.scalar), self.scalar)

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return out_grad  # type: ignore[no-any-return]


def add_scalar(a: Tensor, scalar: Any) -> Tensor:
    """``a + scalar``."""
    return AddScalar(scalar)(a)


class EWiseMul(TensorOp):
    """``a * b``."""

    _row = "mul"

    def _forward(self, a: Array, b: Array) -> Array:
        return elementwise.multiply(  # type: ignore[no-any-return]
            *promote(a, b))

    def gradient(self, out_grad: Any, node: Any) -> Tuple[Tensor, Tensor]:
        a, b = node.inputs
        return out_grad * b, out_grad * a


def multiply(a: Tensor, b: Tensor) -> Tensor:
    """``a * b``."""
    return EWiseMul()(a, b)


class MulScalar(_ScalarOp):
    """``a * scalar``."""

    _row = "mul"

    def _forward(self, a: Array) -> Array:
        return elementwise.multiply(  # type: ignore[no-any-return]
            beside(a, self.scalar), self.scalar)

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return mul_scalar(out_grad, self.scalar)


def mul_scalar(a: Tensor, scalar: Any) -> Tensor:
    """``a * scalar``."""
    return MulScalar(scalar)(a)


class EWisePow(TensorOp):
    """``a`` to the power of ``b``."""

    def _forward(self, a: Array, b: Array) -> Array:
        return elementwise.pow(*promote(a, b))  # type: ignore[no-any-return]

    def gradient(self, out_grad: Any, node: Any) -> Tuple[Tensor, Tensor]:
        a, b = node.inputs
        return (out_grad * b * power(a, add_scalar(b, -1)),
                out_grad * power(a, b) * log(a))


def power(a: Tensor, b: Tensor) -> Tensor:
    """``a`` to the power of ``b``."""
    return EWisePow()(a, b)


class PowerScalar(_ScalarOp):
    """``a`` to the power of ``scalar``, in the type of ``a``."""

    def _forward(self, a: Array) -> Array:
        exponent = self.scalar
        x = beside(a, exponent)
        if x.dtype.kind != "f":
            if exponent < 0:
                raise make_error("expected a power of integers of at least 0, "
                                 f"got {exponent}")
            return elementwise.pow(x, exponent)  # type: ignore[no-any-return]
        if exponent == 0.5:
            return elementwise.sqrt(x)
        if exponent == -0.5:
            return elementwise.reciprocal(elementwise.sqrt(x))
        if exponent == -1:
            return elementwise.reciprocal(x)
        return elementwise.pow(x, exponent)  # type: ignore[no-any-return]

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        a, = node.inputs
        if self.scalar == 0:
            return mul_scalar(out_grad, 0)
        return mul_scalar(out_grad * power_scalar(a, self.scalar - 1),
                          self.scalar)


def power_scalar(a: Tensor, scalar: Any) -> Tensor:
    """``a`` to the power of ``scalar``, in the type of ``a``."""
    return PowerScalar(scalar)(a)


class EWiseDiv(TensorOp):
    """``a / b``."""

    _row = "div"

    def _forward(self, a: Array, b: Array) -> Array:
        left, right = promote(a, b)
        return elementwise.divide(  # type: ignore[no-any-return]
            as_floats(left), as_floats(right))

    def gradient(self, out_grad: Any, node: Any) -> Tuple[Tensor, Tensor]:
        _, b = node.inputs
        return out_grad / b, negate(out_grad * node.inputs[0] / (b * b))


def divide(a: Tensor, b: Tensor) -> Tensor:
    """``a / b``."""
    return EWiseDiv()(a, b)


class DivScalar(_ScalarOp):
    """``a / scalar``."""

    _row = "div"

    def _forward(self, a: Array) -> Array:
        return elementwise.divide(  # type: ignore[no-any-return]
            as_floats(a), self.scalar)

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return divide_scalar(out_grad, self.scalar)


def divide_scalar(a: Tensor, scalar: Any) -> Tensor:
    """``a / scalar``."""
    return DivScalar(scalar)(a)


class Negate(TensorOp):
    """``-a``."""

    _row = "neg"

    def _forward(self, a: Array) -> Array:
        return elementwise.negative(a)

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return negate(out_grad)


def negate(a: Tensor) -> Tensor:
    """``-a``."""
    return Negate()(a)


#===------------------------------------------------------------------------===#
# Functions
#===------------------------------------------------------------------------===#


class Log(TensorOp):
    """The natural logarithm."""

    _row = "log"

    def _forward(self, a: Array) -> Array:
        return elementwise.log(as_floats(a))

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return out_grad / node.inputs[0]  # type: ignore[no-any-return]


def log(a: Tensor) -> Tensor:
    """The natural logarithm."""
    return Log()(a)


class Exp(TensorOp):
    """The exponential."""

    _row = "exp"

    def _forward(self, a: Array) -> Array:
        return elementwise.exp(as_floats(a))

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return out_grad * exp(node.inputs[0])  # type: ignore[no-any-return]


def exp(a: Tensor) -> Tensor:
    """The exponential."""
    return Exp()(a)


class Tanh(TensorOp):
    """The hyperbolic tangent."""

    _row = "tanh"

    def _forward(self, a: Array) -> Array:
        return elementwise.tanh(as_floats(a))

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        y = tanh(node.inputs[0])
        return out_grad * add_scalar(  # type: ignore[no-any-return]
            negate(y * y), 1)


def tanh(a: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return Tanh()(a)


class _Positive(TensorOp):
    """1 where a number is positive and 0 elsewhere."""

    def _forward(self, a: Array) -> Array:
        result: Array = elementwise.astype(elementwise.greater(a, 0), a.dtype)
        return result

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return mul_scalar(out_grad, 0)


class ReLU(TensorOp):
    """``max(a, 0)``."""

    def _forward(self, a: Array) -> Array:
        return elementwise.maximum(a, 0)  # type: ignore[no-any-return]

    def gradient(self, out_grad: Any, node: Any) -> Tensor:
        return out_grad * _Positive()(  # type: ignore[no-any-return]
            node.inputs[0])


def relu(a: Tensor) -> Tensor:
    """``max(a, 0)``."""
    return ReLU()(a)
