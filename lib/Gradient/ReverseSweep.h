//===- ReverseSweep.h - Gradients of the values of a block ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_GRADIENT_REVERSESWEEP_H
#define HAMKAAS_LIB_GRADIENT_REVERSESWEEP_H

#include "HamKaas/Gradient/GradientOpInterface.h"
#include "llvm/ADT/DenseSet.h"

namespace hamkaas::gradient {

/// " at model.py:3", or nothing.
std::string describePlace(mlir::Location location);

/// Hands gradients on from values of a block to those that they depend on. The
/// builder adds to the same block, behind `operations`.
class ReverseSweep {
public:
  /// `operations` are those between `xs` and the values that get seeds, in
  /// their order.
  ReverseSweep(graph::GraphBuilder &b,
               llvm::ArrayRef<mlir::Operation *> operations,
               llvm::ArrayRef<mlir::Value> xs);

  /// True for a value of floats that depends on one of `xs`.
  bool isActive(mlir::Value value) const { return active.contains(value); }
  /// Adds to the gradient of a value; null for zeros.
  void add(mlir::Value value, const graph::Tensor &gradient);
  /// Fails with a reason that the builder has.
  mlir::LogicalResult run();
  /// The gradient of one of `xs`, null for zeros.
  graph::Tensor get(mlir::Value x) const { return gradients.lookup(x); }

  /// Ends the sweep in one of two ways. Until then operations that needed more
  /// results stand beside those that have them.
  using Replaced = llvm::function_ref<void(mlir::Value, mlir::Value)>;
  void replaceOperations(Replaced replaced = {});
  void dropReplacements();
  /// The value that a value is after replaceOperations.
  mlir::Value getReplacement(mlir::Value value) const {
    mlir::Value replacement = replacements.lookup(value);
    return replacement ? replacement : value;
  }

private:
  void findActive();
  mlir::LogicalResult propagate(mlir::Operation *op);
  mlir::LogicalResult fail(mlir::Operation *op, const llvm::Twine &reason);
  graph::Tensors buildGradients(GradientOpInterface rule);

  graph::GraphBuilder &b;
  llvm::ArrayRef<mlir::Operation *> operations;
  llvm::DenseSet<mlir::Value> active;
  /// The sums so far.
  llvm::DenseMap<mlir::Value, graph::Tensor> gradients;
  /// Operations, and those with more results.
  llvm::SmallVector<std::pair<mlir::Operation *, mlir::Operation *>> replaced;
  llvm::DenseMap<mlir::Value, mlir::Value> replacements;
};

} // namespace hamkaas::gradient

#endif // HAMKAAS_LIB_GRADIENT_REVERSESWEEP_H
