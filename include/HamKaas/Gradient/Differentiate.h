//===- Differentiate.h - Reverse-mode differentiation -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_GRADIENT_DIFFERENTIATE_H
#define HAMKAAS_GRADIENT_DIFFERENTIATE_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

/// A value to differentiate, and with respect to which values: all of one
/// block.
struct GradientRequest {
  mlir::Value y;
  /// The gradient of `y`, of its type. Null for 1, if `y` has one element.
  mlir::Value seed;
  llvm::ArrayRef<mlir::Value> xs;
  /// Is told of each value in place of which there is another one: a loop that
  /// also gives what its gradient needs takes the place of one that does not.
  llvm::function_ref<void(mlir::Value, mlir::Value)> replaced = {};
};

/// Adds operations at `place`, behind those that compute `y` and the seed, and
/// returns the gradient of each of `xs`: the sum over the elements of `y` of
/// their derivatives times the seed. They have the positions of the operations
/// that they are the gradients of, and may be differentiated again. Linear in
/// the number of operations before `y`. After an error nothing is added.
llvm::Expected<llvm::SmallVector<mlir::Value>>
differentiate(const GradientRequest &request, mlir::OpBuilder &place,
              mlir::Location location);

/// The values of floats that `y`, one of them, depends on by operations on
/// floats alone, with `y`: those that have a gradient.
llvm::DenseSet<mlir::Value> findDifferentiable(mlir::Value y);

} // namespace hamkaas

#endif // HAMKAAS_GRADIENT_DIFFERENTIATE_H
