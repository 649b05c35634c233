//===- Float32Builder.h - Arithmetic on float32 -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_CPU_FLOAT32BUILDER_H
#define HAMKAAS_LIB_CODEGEN_CPU_FLOAT32BUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hamkaas {

/// Instructions that the code may use beside addition and multiplication.
struct Float32Features {
  /// Multiply-adds of one rounding.
  bool fma = true;
  /// The instructions of AVX-512 for `x * 2^n` and for tables in a register.
  bool scale = false;
};

/// Arithmetic on values of one float32 type, scalar or vector, and on integers
/// of the same shape.
class Float32Builder {
public:
  Float32Builder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
                 Float32Features features);

  mlir::Value number(double value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value subtract(mlir::Value a, mlir::Value b);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  mlir::Value divide(mlir::Value a, mlir::Value b);
  /// `a * b + c`; fused where the target can, so either rounding must do.
  mlir::Value multiplyAdd(mlir::Value a, mlir::Value b, mlir::Value c);
  /// `x` to the powers that are one less than the number of coefficients and
  /// below; the coefficient of the highest power comes first.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);
  /// The larger and the smaller of `x` and a bound. These propagate NaN, unlike
  /// most definitions of a maximum.
  mlir::Value raise(mlir::Value x, double low);
  mlir::Value lower(mlir::Value x, double high);
  mlir::Value clamp(mlir::Value x, double low, double high);

  mlir::Value negate(mlir::Value x);
  mlir::Value absolute(mlir::Value x);
  mlir::Value copySign(mlir::Value magnitude, mlir::Value sign);
  /// `x` with its sign changed where `sign` is negative.
  mlir::Value flipSign(mlir::Value x, mlir::Value sign);
  mlir::Value isEqual(mlir::Value a, mlir::Value b);
  mlir::Value isLess(mlir::Value a, mlir::Value b);
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b);

  mlir::Value bits(mlir::Value x);
  mlir::Value fromBits(mlir::Value x);
  mlir::Value integer(int32_t value);
  mlir::Value shiftLeft(mlir::Value x, int32_t by);
  mlir::Value shiftRight(mlir::Value x, int32_t by);
  mlir::Value shiftRightSigned(mlir::Value x, int32_t by);
  mlir::Value toFloat(mlir::Value x);
  mlir::Value subtractIntegers(mlir::Value a, mlir::Value b);

  bool hasFma() const { return features.fma; }
  /// Returns whether the ISA level has the instructions of AVX-512.
  bool hasScale() const { return features.scale; }
  /// Lanes of vectors that AVX-512 can scale, 0 if there is no instruction.
  int64_t scaleLanes() const;
  /// `x * 2^floor(n)` with one rounding, where there are scaleLanes().
  mlir::Value scale(mlir::Value x, mlir::Value n);
  /// The entry of a table of 16 by the low bits of each lane of integers, where
  /// there are 16 scaleLanes().
  mlir::Value lookup(llvm::ArrayRef<float> table, mlir::Value index);

private:
  mlir::Value splat(mlir::TypedAttr value);
  mlir::Value callIntrinsic(llvm::StringRef name, mlir::ValueRange operands);

  mlir::ImplicitLocOpBuilder builder;
  mlir::Type type, integerType;
  Float32Features features;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_CPU_FLOAT32BUILDER_H
