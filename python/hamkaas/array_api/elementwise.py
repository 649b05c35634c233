# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of each element.

``x`` is a tensor; ``x1`` and ``x2`` are tensors, arrays, which become
constants, or numbers, at least one of them a tensor. Their shapes are
broadcast, their types promoted.
"""

from __future__ import annotations

import copy as copying
import math
from typing import Any, Optional

from ..arrays import DTypeLike
from ..positions import make_error
from ..tensor import ElementType, T, Tensor, make, splat
from .broadcasting import broadcast_all, make_binary
from .promotion import (SCALARS, as_float, as_tensor, bits_of, cast,
                        check_dtype, find_tensor, is_scalar, kind_of, promote,
                        scalar_like)

#===------------------------------------------------------------------------===#
# Arithmetic
#===------------------------------------------------------------------------===#


def _binary(row: str, x1: Any, x2: Any) -> Any:
    left, right = promote(x1, x2)
    return make_binary(row, left, right)


def _numbers(name: str, x1: Any, x2: Any) -> Any:
    left, right = promote(x1, x2)
    if kind_of(left._type[0]) == "b":
        raise make_error(f"'{name}': expected numbers, got booleans; convert "
                         "them, such as by .astype('int64')")
    return left, right


def add(x1: Any, x2: Any) -> Any:
    """``x1 + x2``; integers wrap."""
    return _binary("add", x1, x2)


def subtract(x1: Any, x2: Any) -> Any:
    """``x1 - x2``; integers wrap."""
    return _binary("sub", x1, x2)


def multiply(x1: Any, x2: Any) -> Any:
    """``x1 * x2``; integers wrap."""
    return _binary("mul", x1, x2)


def divide(x1: Any, x2: Any) -> Any:
    """``x1 / x2`` of floats; integers are converted to float32 first."""
    left, right = promote(x1, x2)
    return make_binary("div", as_float(left), as_float(right))


def floor_divide(x1: Any, x2: Any) -> Any:
    """``floor(x1 / x2)``; 0 for integers and ``x2 = 0``."""
    return make("floor_divide", list(_numbers("floor_divide", x1, x2)))


def remainder(x1: Any, x2: Any) -> Any:
    """``x1 - x2 * floor(x1 / x2)``, with the sign of ``x2``.

    0 for integers and ``x2 = 0``.
    """
    return make_binary("mod", *_numbers("remainder", x1, x2))


def maximum(x1: Any, x2: Any) -> Any:
    """The larger one; NaN if one is NaN."""
    return make_binary("max", *_numbers("maximum", x1, x2))


def minimum(x1: Any, x2: Any) -> Any:
    """The smaller one; NaN if one is NaN."""
    return make_binary("min", *_numbers("minimum", x1, x2))


def _power_of_number(x: T, exponent: int) -> Optional[T]:
    """``x`` to a power that is known, by squaring; None for 0."""
    result: Optional[T] = None
    while exponent:
        if exponent & 1:
            result = x if result is None else multiply(result, x)
        exponent >>= 1
        if exponent:
            x = multiply(x, x)
    return result


# Larger powers of floats are left to the operation.
_LARGEST_WHOLE_POWER = 3


def pow(x1: Any, x2: Any) -> Any:
    """``x1`` to the power of ``x2``.

    That of integers is rounded towards 0 if ``x2`` is negative: 0, but of 1 and
    -1. A negative number as ``x2`` is an error for integers, as in numpy.
    """
    left, right = _numbers("pow", x1, x2)
    is_float = kind_of(left._type[0]) == "f"
    if is_scalar(x2) and not is_float and x2 < 0:
        raise make_error("'pow': expected an exponent of at least 0 for "
                         f"integers, got {x2}")
    if is_scalar(x2) and x2 == int(x2) and isinstance(x1, Tensor) and \
            0 < x2 <= (_LARGEST_WHOLE_POWER if is_float else math.inf):
        return _power_of_number(left, int(x2))
    if is_float:
        return make_binary("pow", left, right)
    return _integer_power(left, right)


def _integer_power(base: T, exponent: T) -> T:
    """Multiplies by the squares of ``base`` for which ``exponent`` has a bit."""
    bits = bits_of(exponent._type[0]) - (kind_of(exponent._type[0]) == "i")
    base, exponent = broadcast_all(base, exponent)
    one = scalar_like(1, base, base._type[0])
    sign: T = where(equal(bitwise_and(exponent, 1), 1), base, one)
    is_unit, result = equal(abs(base), 1), sign
    for bit in range(1, bits):
        base = multiply(base, base)
        has_bit = not_equal(bitwise_and(exponent, 1 << bit), 0)
        result = multiply(result, where(has_bit, base, one))
    if kind_of(exponent._type[0]) == "u":
        return result
    rounded = where(is_unit, sign, scalar_like(0, base, base._type[0]))
    result = where(less(exponent, 0), rounded, result)
    return result


def _float_pair(row: str, x1: Any, x2: Any) -> Any:
    return make(row, [as_float(x) for x in promote(x1, x2)])


def hypot(x1: Any, x2: Any) -> Any:
    """``sqrt(x1^2 + x2^2)``, which does not overflow on the way."""
    return _float_pair("hypot", x1, x2)


def logaddexp(x1: Any, x2: Any) -> Any:
    """``log(exp(x1) + exp(x2))``, which does not overflow on the way."""
    return _float_pair("log_add_exp", x1, x2)


def atan2(x1: Any, x2: Any) -> Any:
    """The angle of the point with the coordinates ``x2`` and ``x1``."""
    y, x = broadcast_all(*(as_float(x) for x in promote(x1, x2)))
    one = scalar_like(1, y, y._type[0])
    up, right = (where(signbit(side), negative(one), one) for side in (y, x))
    # Constants in place of infinities and zeros, whose quotients are no numbers.
    is_diagonal = logical_and(isinf(x), isinf(y))
    is_origin = logical_and(equal(x, 0), equal(y, 0))
    y = where(is_diagonal, up, where(is_origin, multiply(up, 0.0), y))
    x = where(is_diagonal, right, where(is_origin, right, x))
    is_steep = greater(abs(y), abs(x))
    ratio = divide(where(is_steep, x, y), where(is_steep, y, x))
    angle = make("atan", [ratio])
    flat = where(less(right, 0), add(angle, multiply(up, math.pi)), angle)
    return where(is_steep, subtract(multiply(up, math.pi / 2), angle), flat)


def copysign(x1: Any, x2: Any) -> Any:
    """``x1`` with the sign of ``x2``."""
    left, right = (as_float(x) for x in promote(x1, x2))
    return where(not_equal(signbit(left), signbit(right)), negative(left), left)


def nextafter(x1: Any, x2: Any) -> Any:
    """The float next to ``x1`` in direction of ``x2``."""
    left, right = broadcast_all(*(as_float(x) for x in promote(x1, x2)))
    name = left._type[0]
    floats, whole = ElementType(name), ElementType(f"int{bits_of(name)}")
    bits = make("bitcast", [left], {"type": whole})
    grows = equal(greater(right, left), greater(left, 0))
    there = make("bitcast", [where(grows, add(bits, 1), subtract(bits, 1))],
                 {"type": floats})
    least = make("bitcast", [scalar_like(1, bits, whole)], {"type": floats})
    there = where(equal(left, 0), copysign(least, right), there)
    there = where(equal(left, right), right, there)
    is_nan = logical_or(isnan(left), isnan(right))
    return where(is_nan, math.nan, there)


#===------------------------------------------------------------------------===#
# Comparisons
#===------------------------------------------------------------------------===#

_EXCHANGED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt",
              "ge": "le"}


def _compare(predicate: str, x1: Any, x2: Any) -> Any:
    left, right = promote(x1, x2)
    if len(left._type[1]) <= len(right._type[1]) and \
            not isinstance(x1, Tensor):
        left, right, predicate = right, left, _EXCHANGED[predicate]
    return make_binary("compare", left, right, {"predicate": predicate})


def equal(x1: Any, x2: Any) -> Any:
    """``x1 == x2``, false for NaN."""
    return _compare("eq", x1, x2)


def not_equal(x1: Any, x2: Any) -> Any:
    """``x1 != x2``, true for NaN."""
    return _compare("ne", x1, x2)


def less(x1: Any, x2: Any) -> Any:
    """``x1 < x2``, false for NaN."""
    return _compare("lt", x1, x2)


def less_equal(x1: Any, x2: Any) -> Any:
    """``x1 <= x2``, false for NaN."""
    return _compare("le", x1, x2)


def greater(x1: Any, x2: Any) -> Any:
    """``x1 > x2``, false for NaN."""
    return _compare("gt", x1, x2)


def greater_equal(x1: Any, x2: Any) -> Any:
    """``x1 >= x2``, false for NaN."""
    return _compare("ge", x1, x2)


#===------------------------------------------------------------------------===#
# Bits and logic
#===------------------------------------------------------------------------===#


def bitwise_and(x1: Any, x2: Any) -> Any:
    """``x1 & x2`` of the bits of integers, or of booleans."""
    return _binary("and", x1, x2)


def bitwise_or(x1: Any, x2: Any) -> Any:
    """``x1 | x2`` of the bits of integers, or of booleans."""
    return _binary("or", x1, x2)


def bitwise_xor(x1: Any, x2: Any) -> Any:
    """``x1 ^ x2`` of the bits of integers, or of booleans."""
    return _binary("xor", x1, x2)


def bitwise_left_shift(x1: Any, x2: Any) -> Any:
    """``x1 * 2^x2`` of integers, without the bits that leave the type."""
    return _binary("shift_left", x1, x2)


def bitwise_right_shift(x1: Any, x2: Any) -> Any:
    """``floor(x1 / 2^x2)`` of integers."""
    return _binary("shift_right", x1, x2)


def bitwise_invert(x: T) -> T:
    """``~x`` of the bits of integers, or of booleans."""
    return make("not", [x])


def _as_boolean(x: Any, like: Tensor) -> Any:
    if is_scalar(x):
        return bool(x)
    return cast(as_tensor(x, like), "bool")


def _logical(row: str, x1: Any, x2: Any) -> Any:
    like = find_tensor((x1, x2))
    return _binary(row, _as_boolean(x1, like), _as_boolean(x2, like))


def logical_and(x1: Any, x2: Any) -> Any:
    """True where both are true, or not 0."""
    return _logical("and", x1, x2)


def logical_or(x1: Any, x2: Any) -> Any:
    """True where one is true, or not 0."""
    return _logical("or", x1, x2)


def logical_xor(x1: Any, x2: Any) -> Any:
    """True where exactly one is true, or not 0."""
    return _logical("xor", x1, x2)


def logical_not(x: T) -> T:
    """True where ``x`` is false, or 0."""
    return make("not", [cast(x, "bool")])


#===------------------------------------------------------------------------===#
# Functions of one argument
#===------------------------------------------------------------------------===#


def positive(x: T) -> T:
    """The same elements."""
    return copying.copy(x)


def conj(x: T) -> T:
    """The same elements, as there are no complex numbers."""
    return copying.copy(x)


def real(x: T) -> T:
    """The same elements, as there are no complex numbers."""
    return copying.copy(x)


def imag(x: T) -> T:
    """Zeros, as there are no complex numbers."""
    return splat(x, 0, x._type[0], x._type[1])


def negative(x: T) -> T:
    """``-x``; integers wrap."""
    return make("neg", [x])


def abs(x: T) -> T:
    """The absolute value; the least integer stays as it is."""
    return copying.copy(x) if kind_of(x._type[0]) in "ub" else \
        make("abs", [x])


def sign(x: T) -> T:
    """-1, 0 or 1; NaN stays NaN."""
    return make("sign", [x])


def square(x: T) -> T:
    """``x * x``."""
    return make("square", [x])


def reciprocal(x: T) -> T:
    """``1 / x``."""
    return make("reciprocal", [as_float(x)])


def _round(row: str, x: T) -> T:
    return make(row, [x]) if kind_of(x._type[0]) == "f" else \
        copying.copy(x)


def floor(x: T) -> T:
    """The largest whole number that is not above ``x``."""
    return _round("floor", x)


def ceil(x: T) -> T:
    """The least whole number that is not below ``x``."""
    return _round("ceil", x)


def round(x: T) -> T:
    """The nearest whole number, of two the even one."""
    return _round("round", x)


def trunc(x: T) -> T:
    """The whole number next to ``x`` in direction of 0."""
    return _round("trunc", x)


def _function(row: str, x: T) -> T:
    return make(row, [as_float(x)])


def sqrt(x: T) -> T:
    """The square root."""
    return _function("sqrt", x)


def exp(x: T) -> T:
    """``e^x``."""
    return _function("exp", x)


def expm1(x: T) -> T:
    """``e^x - 1``, exact also near 0."""
    return _function("expm1", x)


def log(x: T) -> T:
    """The natural logarithm; NaN for negative numbers."""
    return _function("log", x)


def log1p(x: T) -> T:
    """``log(1 + x)``, exact also near 0."""
    return _function("log1p", x)


def log2(x: T) -> T:
    """The logarithm to the base 2."""
    return _function("log2", x)


def log10(x: T) -> T:
    """The logarithm to the base 10."""
    return _function("log10", x)


def sin(x: T) -> T:
    """The sine."""
    return _function("sin", x)


def cos(x: T) -> T:
    """The cosine."""
    return _function("cos", x)


def tan(x: T) -> T:
    """The tangent."""
    return _function("tan", x)


def asin(x: T) -> T:
    """The inverse sine."""
    return _function("asin", x)


def acos(x: T) -> T:
    """The inverse cosine."""
    return _function("acos", x)


def atan(x: T) -> T:
    """The inverse tangent."""
    return _function("atan", x)


def sinh(x: T) -> T:
    """The hyperbolic sine."""
    return _function("sinh", x)


def cosh(x: T) -> T:
    """The hyperbolic cosine."""
    return _function("cosh", x)


def tanh(x: T) -> T:
    """The hyperbolic tangent."""
    return _function("tanh", x)


def asinh(x: T) -> T:
    """The inverse hyperbolic sine."""
    return _function("asinh", x)


def acosh(x: T) -> T:
    """The inverse hyperbolic cosine."""
    return _function("acosh", x)


def atanh(x: T) -> T:
    """The inverse hyperbolic tangent."""
    return _function("atanh", x)


def _predicate(row: str, x: T) -> T:
    """Of floats; integers, which are all finite, are converted."""
    return make(row, [as_float(x)])


def isnan(x: T) -> T:
    """True where ``x`` is NaN."""
    return _predicate("is_nan", x)


def isinf(x: T) -> T:
    """True where ``x`` is infinite, of either sign."""
    return _predicate("is_inf", x)


def isfinite(x: T) -> T:
    """True where ``x`` is neither NaN nor infinite."""
    return _predicate("is_finite", x)


def signbit(x: T) -> T:
    """True where ``x`` is negative or -0.0."""
    name = f"int{bits_of(x._type[0])}"
    bits = make("bitcast", [x], {"type": ElementType(name)})
    result: T = less(bits, 0)
    return result


#===------------------------------------------------------------------------===#
# Choices and conversion
#===------------------------------------------------------------------------===#


def where(condition: T, x1: Any, x2: Any) -> T:
    """``x1`` where ``condition`` holds, otherwise ``x2``."""
    if is_scalar(x1) and is_scalar(x2):
        name = "float32" if isinstance(x1, float) or isinstance(
            x2, float) else "bool" if isinstance(x1, bool) and isinstance(
                x2, bool) else "int64"
        x1 = scalar_like(x1, condition, name)
    elif not isinstance(x1, (Tensor, *SCALARS)):
        x1 = as_tensor(x1, condition)
    elif not isinstance(x2, (Tensor, *SCALARS)):
        x2 = as_tensor(x2, condition)
    left, right = promote(x1, x2)
    chosen: T = make("where", [cast(condition, "bool"), left, right])
    return chosen


def clip(x: T, min: Any = None, max: Any = None) -> T:
    """``x``, raised to ``min`` and lowered to ``max`` where they are given."""
    result = x
    for bound, function in ((min, maximum), (max, minimum)):
        if bound is not None:
            result = function(result, bound)
    clipped: T = cast(result, x._type[0])
    return clipped


def astype(x: T, dtype: DTypeLike, *, copy: bool = True) -> T:
    """``x`` with elements of another type.

    Floats become integers towards 0; beyond the type, its least or largest one.
    """
    result = cast(x, check_dtype(dtype))
    return copying.copy(x) if copy and result is x else result
