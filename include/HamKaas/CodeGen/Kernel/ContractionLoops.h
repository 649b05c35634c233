//===- ContractionLoops.h - The loops of a contraction ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_CONTRACTIONLOOPS_H
#define HAMKAAS_CODEGEN_KERNEL_CONTRACTIONLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace hamkaas {

/// The loops of a sum of products `left * right`, by what they index: matrix
/// products and convolutions.
struct ContractionLoops {
  /// Parallel loops that the right side depends on, but no rows or columns: a
  /// batch of matrices, or the groups of a convolution.
  llvm::SmallVector<int64_t> batch;
  /// Other parallel loops: the outer dimensions of images.
  llvm::SmallVector<int64_t> shared;
  /// The last loop that the left side depends on and the right one does not, of
  /// several iterations if there is one.
  std::optional<int64_t> row;
  /// The loops around it whose points are rows as well, outermost first.
  llvm::SmallVector<int64_t> joined;
  /// The loop along the last dimension of the result.
  int64_t column = -1;
  /// Reduced loops around the innermost one: the window of a convolution.
  llvm::SmallVector<int64_t> window;
  int64_t depth = -1;
  /// Iterations of each loop.
  llvm::SmallVector<int64_t> extents;

  /// Returns whether `operand` of `op` is an argument whose last dimension is
  /// the depth.
  bool readsAlongDepth(mlir::linalg::LinalgOp op,
                       mlir::OpOperand &operand) const;

  int64_t rowCount() const { return count(joined) * (row ? extents[*row] : 1); }
  int64_t columnCount() const { return extents[column]; }
  int64_t count(llvm::ArrayRef<int64_t> loops) const;
  /// Products of a sum.
  int64_t productCount() const { return count(window) * extents[depth]; }
  int64_t outerCount() const { return count(batch) * count(shared); }

  /// Returns whether the points of `shared` may be rows of `op`.
  bool canJoinRows(mlir::linalg::LinalgOp op) const;
  /// Makes them rows.
  void joinRows();
  /// Makes `loop` the outermost one of those, if it is one.
  void joinFirst(int64_t loop);

  /// Sorts the loops of `op`, whose first two inputs are multiplied. If it is
  /// no such operation, fails and sets `reason` to what was expected.
  static llvm::FailureOr<ContractionLoops> match(mlir::linalg::LinalgOp op,
                                                 llvm::StringRef &reason);
};

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_CONTRACTIONLOOPS_H
