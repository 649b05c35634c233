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
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hamkaas {

inline llvm::ArrayRef<int64_t> getShape(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// Why an operation is not what it begins like, and the operation at fault if
/// it is another one; false if it is.
struct [[nodiscard]] Mismatch {
  llvm::StringLiteral reason = "";
  mlir::Operation *op = nullptr;
  explicit operator bool() const { return !reason.empty(); }
};

/// Is given what an operation nearly is, by the name of that operation.
using MissedFn = llvm::function_ref<void(
    llvm::StringLiteral name, mlir::Operation *op, Mismatch mismatch)>;

/// Tells in a remark what the pass `pass` did not recognise, where it failed;
/// nothing without a mismatch.
void remarkMissed(llvm::StringLiteral pass, llvm::StringLiteral name,
                  mlir::Operation *op, Mismatch mismatch);

/// `value` before its dimensions of 1 were repeated or added.
mlir::Value skipRepetition(mlir::Value value);

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

/// Finds what the patterns of one subject left behind in `op`, but for one
/// condition. Other operations share parts with what is recognised, so an
/// operation must have what tells it from those: a softmax divides by the sum
/// of what it divides.
void findMissedActivation(mlir::Operation *op, MissedFn missed);
void findMissedComplex(mlir::Operation *op, MissedFn missed);
void findMissedGate(mlir::Operation *op, MissedFn missed);
void findMissedRow(mlir::Operation *op, MissedFn missed);
void findMissedScale(mlir::Operation *op, MissedFn missed);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_GRAPH_RAISEPATTERNS_H
