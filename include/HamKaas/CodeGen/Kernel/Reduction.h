//===- Reduction.h - What a reduction combines, and how ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_REDUCTION_H
#define HAMKAAS_CODEGEN_KERNEL_REDUCTION_H

#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"

namespace hamkaas {

/// An operation of one result whose body combines contributions by one
/// operation that has a neutral element.
struct Reduction {
  mlir::linalg::LinalgOp op;
  mlir::Operation *combiner = nullptr;
  /// The combiner's operand that is not the accumulator.
  mlir::Value contribution;
  mlir::TypedAttr neutral;
  /// The loops that are reduced.
  llvm::SmallVector<int64_t> loops;
};

/// Fails with an error if `op` is no such operation.
llvm::FailureOr<Reduction> matchReduction(mlir::linalg::LinalgOp op);

/// The one operation with a reduction that `result` depends on, or null.
mlir::linalg::LinalgOp findReductionRoot(mlir::Value result);

/// Succeeds if a TreeEmitter can evaluate the operands of `root` and all that
/// `result` is computed by from the elements of the root, each at its place:
/// they are the only ones there are. Dimension i of `result` is dimension i of
/// the returned order of the root's result. Operands may depend on operations
/// for which `isLeaf` holds.
llvm::FailureOr<llvm::SmallVector<int64_t>>
getEpilogueOrder(mlir::linalg::LinalgOp root, mlir::Value result,
                 llvm::function_ref<bool(mlir::Operation *)> isLeaf = {});

/// As above, for a result in the order of the root's.
llvm::LogicalResult
verifyEpilogue(mlir::linalg::LinalgOp root, mlir::Value result,
               llvm::function_ref<bool(mlir::Operation *)> isLeaf = {});

/// Emits the steps of one reduction on vectors or scalars.
class ReductionSteps {
public:
  ReductionSteps(KernelBuilder &kernel, const Reduction &reduction)
      : kernel(kernel), reduction(reduction) {}

  /// A vector of `lanes` neutral elements.
  mlir::Value neutral(int64_t lanes);
  /// Combines `value` with `sum`, which is of values combined already.
  mlir::Value combine(mlir::Value sum, mlir::Value value);
  /// Combines the contribution of `op`'s body at `point` with `sum`, a vector
  /// of `lanes` of which `active` count.
  mlir::Value accumulate(TreeEmitter &tree, PointRef point, mlir::Value sum,
                         int64_t active);
  /// Combines halves with each other until one number is left. This order is
  /// part of the result and the same on every run.
  mlir::Value combineLanes(llvm::ArrayRef<mlir::Value> sums);
  /// Adds what the reduction starts from.
  mlir::Value finish(mlir::Value initial, mlir::Value sum);

private:
  KernelBuilder &kernel;
  const Reduction &reduction;
};

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_REDUCTION_H
