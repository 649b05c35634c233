//===- ExpandFloat32Math.h - Functions of float32 as arithmetic -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_CPU_EXPANDFLOAT32MATH_H
#define HAMKAAS_LIB_CODEGEN_CPU_EXPANDFLOAT32MATH_H

#include "Float32Builder.h"
#include "mlir/IR/PatternMatch.h"

namespace hamkaas {

/// The exponential with an error below 1 ulp; 0 below the least subnormal
/// number, infinite above the largest one, NaN of NaN.
mlir::Value emitExp(Float32Builder &f, mlir::Value x);
/// The same in fewer steps, for arguments of at most 0 and NaN; any number for
/// others.
mlir::Value emitExpOfNonPositive(Float32Builder &f, mlir::Value x);
/// The same for rounded differences, with an error of 2 ulp, and another of up
/// to 2^-28 of their magnitude: a twelfth of what rounding may have changed.
mlir::Value emitExpOfDifference(Float32Builder &f, mlir::Value x);
/// Within 2 ulp, and as they should be at infinities, zeros and NaN.
/// 1 / (1 + exp(-x)), within 2.5 ulp.
mlir::Value emitSigmoid(Float32Builder &f, mlir::Value x);
mlir::Value emitErf(Float32Builder &f, mlir::Value x);
mlir::Value emitLog(Float32Builder &f, mlir::Value x);
mlir::Value emitTanh(Float32Builder &f, mlir::Value x);
/// The sine of x plus so many times pi / 2, within 2 ulp, for arguments of at
/// most that magnitude; NaN of infinities and NaN. Needs hasFma().
inline constexpr double maxSineArgument = 1e5;
mlir::Value emitSine(Float32Builder &f, mlir::Value x, int32_t quadrants);
/// 1 + erf(x) with an error below 3 ulp of 1, and 0 where it is less than that.
/// Half as long as the two one by one.
mlir::Value emitOnePlusErf(Float32Builder &f, mlir::Value x);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_CPU_EXPANDFLOAT32MATH_H
