//===- Rules.h - What rules of gradients share ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_GRADIENT_RULES_H
#define HAMKAAS_LIB_GRADIENT_RULES_H

#include "HamKaas/Gradient/GradientOpInterface.h"

namespace hamkaas::gradient {

using graph::GraphBuilder;
using graph::Shape;
using graph::Tensor;
using graph::Tensors;

void attachArithmeticRules(mlir::MLIRContext &context);
void attachAttentionRules(mlir::MLIRContext &context);
void attachContractionRules(mlir::MLIRContext &context);
void attachCustomRules(mlir::MLIRContext &context);
void attachElementwiseRules(mlir::MLIRContext &context);
void attachIndexingRules(mlir::MLIRContext &context);
void attachLoopRules(mlir::MLIRContext &context);
void attachMathRules(mlir::MLIRContext &context);
void attachMovementRules(mlir::MLIRContext &context);
void attachReductionRules(mlir::MLIRContext &context);
void attachRowRules(mlir::MLIRContext &context);
void attachWindowRules(mlir::MLIRContext &context);
/// The reasons of operations that have no rule.
void attachMissingRules(mlir::MLIRContext &context);

/// A rule that is a function of the operation, the builder and the gradient of
/// the only result.
template <typename OpTy, auto rule>
struct Rule : GradientOpInterface::ExternalModel<Rule<OpTy, rule>, OpTy> {
  llvm::StringRef getMissingGradientReason(mlir::Operation *) const {
    return {};
  }
  Tensors buildGradients(mlir::Operation *op, GraphBuilder &b,
                         llvm::ArrayRef<Tensor> gradients,
                         const llvm::BitVector &) const {
    static_assert(OpTy::template hasTrait<mlir::OpTrait::OneResult>());
    return rule(llvm::cast<OpTy>(op), b, gradients.front());
  }
};

template <typename OpTy, auto rule> void attach(mlir::MLIRContext &context) {
  OpTy::template attachInterface<Rule<OpTy, rule>>(context);
}

/// Zeros of the type of `x`.
Tensor makeZeros(GraphBuilder &b, const Tensor &x);

/// The sum of `g` over the dimensions that `x` has with size 1: the gradient of
/// an operand that was repeated.
Tensor sumRepeated(GraphBuilder &b, Tensor g, const Tensor &x);

/// `g` where `condition` holds, otherwise 0.
Tensor keepWhere(GraphBuilder &b, Tensor condition, Tensor g);

} // namespace hamkaas::gradient

#endif // HAMKAAS_LIB_GRADIENT_RULES_H
