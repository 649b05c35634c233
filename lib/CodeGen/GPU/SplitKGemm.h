//===- SplitKGemm.h - Contractions of few rows ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_SPLITKGEMM_H
#define HAMKAAS_LIB_CODEGEN_GPU_SPLITKGEMM_H

#include "DeviceContraction.h"

namespace hamkaas {

/// Split-K for few rows, where time is that of reading the right side, and for
/// few columns, where single warps would wait for one product after the other.
/// The warps of a block have the same rows and columns and a chunk of the depth
/// each, which keeps enough reads in flight; their sums are added in a fixed
/// order.
class SplitKGemm : DeviceContraction {
public:
  SplitKGemm(KernelBuilder &kernel, mlir::linalg::LinalgOp root,
             mlir::Value result)
      : DeviceContraction(kernel, root, result) {}

  /// As in SharedMemoryGemm.
  bool match();
  int64_t warps() const { return parts; }
  Tile emit();

  /// The panel width that suits `batches` contractions, if this class can
  /// compute them.
  static std::optional<int64_t> choosePanelWidth(const CostModel &costs,
                                                 int64_t batches, int64_t rows,
                                                 int64_t columns,
                                                 int64_t depth);

private:
  /// The chunk of the depth that a warp has, and where its last whole step
  /// ends.
  struct Part {
    mlir::Value begin, wholeEnd, end;
  };

  void chooseReads();
  void choosePart();
  int64_t getWarps() const;
  Part getPart(int64_t step);
  void emitBlock(mlir::Value batch, int64_t vectors, int64_t lastActive);
  llvm::SmallVector<mlir::Value> addPart(int64_t vectors, int64_t lastActive);
  llvm::SmallVector<mlir::Value> addSteps(mlir::Value depth, int64_t steps,
                                          mlir::ValueRange sums,
                                          int64_t lastActive);
  mlir::Value loadRight(mlir::Value depth, int64_t vector, int64_t active);
  llvm::SmallVector<mlir::Value> addWidePart();
  llvm::SmallVector<mlir::Value> addReads(mlir::Value depth, int64_t reads,
                                          mlir::ValueRange sums);
  mlir::Value loadLeft(mlir::Value base, mlir::Value depth);
  void finishRows(int64_t vectors, int64_t lastActive);
  llvm::SmallVector<mlir::Value> addParts(int64_t row, int64_t vectors);
  llvm::SmallVector<mlir::Value> addWideParts(int64_t row, int64_t vectors);

  /// Warps of a block, the depth of a part, the rows and columns of a block,
  /// and vectors of these columns.
  int64_t parts = 1, partDepth = 0, blockRows = 1, width = 0, blockVectors = 1;
  int64_t wideLanes = 0;
  /// Steps of the depth that a read of 16 bytes a thread is, 0 if threads read
  /// one column each, and such reads that are on their way at a time.
  int64_t depthOfRead = 0, readsAtOnce = 0;
  /// The row that the block has computed, or null.
  mlir::Value leftRow;
  mlir::Value leftFlat, rightFlat, shared;
  /// State while a block is emitted.
  mlir::Value warp, firstRow, columnBlock, firstColumn, rightBase;
  llvm::SmallVector<mlir::Value> rows, rowBases;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_SPLITKGEMM_H
