//===- FloatFormats.cpp - Rounding to floats of 8 and 4 bits ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;
using llvm::APFloat;

namespace {

/// Floats with their bits: sign, exponent, mantissa.
struct Bits {
  Tensor number, bits;
  /// Bits of the mantissa, and what the exponent is shifted by.
  int mantissa, bias;

  Bits(GraphBuilder &b, Tensor x) : number(x) {
    if (!x)
      return;
    unsigned width = x.elementType().getIntOrFloatBitWidth();
    const llvm::fltSemantics &semantics =
        cast<FloatType>(x.elementType()).getFloatSemantics();
    mantissa = int(APFloat::semanticsPrecision(semantics)) - 1;
    bias = APFloat::semanticsMaxExponent(semantics);
    bits = b.bitcast(
        x, IntegerType::get(b.context(), width, IntegerType::Unsigned));
  }

  Tensor integer(GraphBuilder &b, uint64_t value) const {
    return b.scalar(bits.elementType(), double(value));
  }
  Tensor shiftRight(GraphBuilder &b, Tensor x, int bits) const {
    return b.shiftRight(x, integer(b, bits));
  }
  Tensor sign(GraphBuilder &b) const {
    return shiftRight(b, bits, bits.elementType().getIntOrFloatBitWidth() - 1);
  }
  /// The bits but the sign.
  Tensor magnitude(GraphBuilder &b) const {
    Tensor one = integer(b, 1);
    return b.shiftRight(b.shiftLeft(bits, one), one);
  }
};

} // namespace

/// float64 as it is, all else as float32, which holds it or is far beyond.
static Tensor toSource(GraphBuilder &b, Tensor x) {
  if (!x || x.elementType().isF64())
    return x;
  return b.cast(x, Float32Type::get(b.context()));
}

/// The code of the absolute value, as if there were no largest number.
static Tensor roundMagnitude(GraphBuilder &b, const Bits &x,
                             const llvm::fltSemantics &semantics) {
  int mantissa = int(APFloat::semanticsPrecision(semantics)) - 1;
  int least = APFloat::semanticsMinExponent(semantics);
  // Exponents and mantissas are one number, so a mantissa that is rounded up to
  // the next power of two carries into the exponent.
  int dropped = x.mantissa - mantissa;
  Tensor bits = x.magnitude(b);
  Tensor isOdd = b.bitAnd(x.shiftRight(b, bits, dropped), x.integer(b, 1));
  Tensor half = x.integer(b, (uint64_t(1) << (dropped - 1)) - 1);
  Tensor rounded = x.shiftRight(b, b.add(b.add(bits, half), isOdd), dropped);
  uint64_t shift = uint64_t(x.bias + least - 1) << mantissa;
  Tensor normal = b.sub(rounded, x.integer(b, shift));
  // Below the least exponent numbers are multiples of one distance.
  Tensor size = b.abs(x.number);
  Type type = size.elementType();
  Tensor steps = b.round(b.mul(size, std::ldexp(1.0, mantissa - least)));
  Tensor isSmall = b.lt(size, b.scalar(type, std::ldexp(1.0, least)));
  return b.select(isSmall, b.cast(steps, x.bits.elementType()), normal);
}

/// The powers of two, by the exponent alone. Neither sign nor zero: a number
/// below the least one becomes it.
static Tensor encodePowers(GraphBuilder &b, const Bits &x,
                           FloatRounding rounding) {
  Tensor bits = x.magnitude(b), exponent = x.shiftRight(b, bits, x.mantissa);
  Tensor fraction =
      b.bitAnd(bits, x.integer(b, (uint64_t(1) << x.mantissa) - 1));
  Tensor none = x.integer(b, 0);
  Tensor goesUp = b.ne(fraction, none);
  if (rounding.mode == "nearest") {
    // A half goes up, but to the second least number.
    Tensor half = x.integer(b, uint64_t(1) << (x.mantissa - 1));
    Tensor isLeast = b.eq(exponent, none);
    goesUp = b.select(isLeast, b.gt(fraction, half), b.ge(fraction, half));
  } else if (rounding.mode == "down") {
    goesUp = b.ne(none, none);
  }
  if (rounding.saturates)
    goesUp = b.bitAnd(goesUp, b.lt(exponent, x.integer(b, 0xFE)));
  // An infinity and NaN have the exponent of NaN.
  Tensor isNumber = b.lt(exponent, x.integer(b, 0xFF));
  goesUp = b.bitAnd(goesUp, isNumber);
  return b.add(exponent, b.cast(goesUp, exponent.elementType()));
}

static uint64_t getCode(const APFloat &number) {
  return number.bitcastToAPInt().getZExtValue();
}

static Tensor encodeSigned(GraphBuilder &b, const Bits &x, DataType format,
                           bool saturates) {
  const llvm::fltSemantics &semantics = *getSemantics(format);
  uint64_t signBit = uint64_t(1) << (getFormatBits(format) - 1);
  bool hasNan = APFloat::semanticsHasNaN(semantics);
  // Without a negative zero, its code is NaN.
  bool hasNegativeZero =
      getCode(APFloat::getZero(semantics, /*Negative=*/true)) == signBit;
  uint64_t most = getCode(APFloat::getLargest(semantics));
  uint64_t nan = hasNan ? getCode(APFloat::getNaN(semantics)) : signBit;
  uint64_t beyond = saturates || !hasNan ? most
                    : APFloat::semanticsHasInf(semantics)
                        ? getCode(APFloat::getInf(semantics))
                        : nan;
  Tensor code = roundMagnitude(b, x, semantics);
  code = b.select(b.gt(code, x.integer(b, most)), x.integer(b, beyond), code);
  Tensor isNan = b.ne(x.number, x.number);
  code = b.select(isNan, x.integer(b, nan), code);
  Tensor sign = b.mul(x.sign(b), double(signBit));
  if (!hasNegativeZero)
    sign = b.select(b.eq(code, x.integer(b, 0)), x.integer(b, 0), sign);
  // NOTE: a NaN that is the sign's bit keeps it.
  return b.bitOr(code, sign);
}

Tensor onnx::encodeFloats(GraphBuilder &b, Tensor x, DataType format,
                          FloatRounding rounding) {
  bool isPower = format == DataType::Float8E8M0;
  x = isPower && x ? b.cast(x, Float32Type::get(b.context())) : toSource(b, x);
  if (!x)
    return {};
  Type storage = getStorageType(b.context(), format);
  if (x.isEmpty())
    return withFormat(b.empty(x.shape(), storage), format);
  Bits bits(b, x);
  if (!bits.bits)
    return {};
  Tensor code = isPower ? encodePowers(b, bits, rounding)
                        : encodeSigned(b, bits, format, rounding.saturates);
  return withFormat(b.cast(code, storage), format);
}
