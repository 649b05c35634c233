//===- RowComputation.h - Reductions of rows and their users ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_ROWCOMPUTATION_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_ROWCOMPUTATION_H

#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace hamkaas {

/// The reductions of a row kernel and what is computed between them. Rows are
/// the last dimension of tensors.
class RowComputation {
public:
  /// Finds the reductions that `result`, or what it depends on, may use, and
  /// checks that a TreeEmitter can evaluate all other operations. Fails with an
  /// error.
  llvm::LogicalResult collect(mlir::Value result);

  /// In the order of their passes.
  llvm::MapVector<mlir::Value, Reduction> reductions;
  /// The dimensions of a tensor with one element a row, and the elements of a
  /// row.
  llvm::SmallVector<int64_t> rowShape;
  int64_t extent = 0;

  bool isReduction(mlir::Value value) const {
    return reductions.contains(value);
  }
  /// The dimensions of a tensor of rows.
  llvm::SmallVector<int64_t> wholeShape() const;

  /// Returns whether the contributions to `reduction` take a math function.
  bool computesMath(const Reduction &reduction) const;
  /// Returns whether the contributions to `reduction` depend on `value` with no
  /// reduction between.
  bool dependsOn(const Reduction &reduction, mlir::Value value) const {
    return treeOf(reduction.op).contains(value);
  }

  /// The value nearest to `result`, of type `type`, that contains a math
  /// function and that two passes, including the final one, would compute. Null
  /// if there is none.
  mlir::Value findRepeatedMath(mlir::Value result, mlir::Type type) const;

  /// The float32 values of one number a row that take a math function and
  /// depend on reductions alone, in order.
  llvm::SmallVector<mlir::Value> listFunctionsOfReductions() const;

private:
  using Values = llvm::SetVector<mlir::Value>;

  llvm::LogicalResult addReduction(mlir::linalg::LinalgOp op);
  Values treeOf(mlir::Operation *op) const;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_ROWCOMPUTATION_H
