//===- RaisePatterns.h - Rewrites of hamkaas-raise --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_RAISEPATTERNS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_RAISEPATTERNS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/PatternMatch.h"

namespace hamkaas {

inline llvm::ArrayRef<int64_t> getShape(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// `value` without reshapes and broadcasts around it, if it is one number for
/// each row of `x`: it has the shape of `x` with a last dimension of 1,
/// repeated or not. Null otherwise.
mlir::Value getRowValue(mlir::Value value, mlir::Value x);

/// Returns whether the constant that `value` is has elements that are all
/// `number`, but for rounding.
bool isNumber(mlir::Value value, double number);

/// The number that `op` multiplies its first operand by, 1 / the number it is
/// divided by; nothing for any other.
std::optional<double> getFactor(mlir::Operation *op);

/// Returns whether a product of several numbers is a normal float32.
bool isScale(double number);

/// The value that `value` is the inverse of, 1 / x or x^-1; null otherwise.
mlir::Value getInverted(mlir::Value value);

/// Adds the patterns of one subject.
void populateRaiseActivationPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseComplexPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseGatePatterns(mlir::RewritePatternSet &patterns);
void populateRaiseRowPatterns(mlir::RewritePatternSet &patterns);
void populateRaiseScalePatterns(mlir::RewritePatternSet &patterns);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_RAISEPATTERNS_H
