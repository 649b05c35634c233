//===- ContractionNest.h - Loops around sums of contractions ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_KERNEL_CONTRACTIONNEST_H
#define HAMKAAS_LIB_CODEGEN_KERNEL_CONTRACTIONNEST_H

#include "HamKaas/CodeGen/Kernel/ContractionLoops.h"
#include "HamKaas/CodeGen/Kernel/KernelBuilder.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"

namespace hamkaas {

/// Consecutive columns from the beginning of a panel on, in vectors of which
/// the last has `lastActive` lanes within the result.
struct Columns {
  mlir::Value panel;
  mlir::Value first;
  int64_t vectors;
  int64_t lastActive;
};

/// How the rows and columns of a contraction are cut into tiles.
struct TileGrid {
  /// Consecutive tiles have the same rows, not the same columns.
  bool sharesRows;
  int64_t rowBlocks;
  /// The columns of a tile, those of `panels` panels.
  int64_t columns, panels;
};

/// The common part of emitters of contractions: where they stand in the loops,
/// and how blocks of sums begin and end.
class ContractionNest {
protected:
  ContractionNest(KernelBuilder &kernel, mlir::linalg::LinalgOp root,
                  mlir::Value result)
      : kernel(kernel), root(root), result(result) {}

  void setLoops(ContractionLoops matched);

  /// Sets the indices of `group` to its point number `index`.
  void moveTo(llvm::ArrayRef<int64_t> group, mlir::Value index);
  /// The number of the point that the emission stands at among those of
  /// `group`.
  mlir::Value linearIndex(llvm::ArrayRef<int64_t> group);

  int64_t countTiles(const TileGrid &grid) const;
  /// Calls `body` with the number of the block of rows and the columns of tile
  /// number `index`. Consecutive tiles use one panel, which thus stays cached:
  /// first the row blocks, then the other loops that share a right side. Or
  /// they use the same rows.
  void emitTile(const TileGrid &grid, mlir::Value index,
                llvm::function_ref<void(mlir::Value, const Columns &)> body);
  /// Calls `body` with the first of the last rows and their number, which are
  /// fewer than `blockRows`, if `rowBlock` has them.
  void emitLastRows(const TileGrid &grid, mlir::Value rowBlock,
                    int64_t blockRows,
                    llvm::function_ref<void(mlir::Value, int64_t)> body);

  /// Part of a loop, from `lower` to `upper`.
  struct Range {
    mlir::Value lower, upper;
  };

  /// The nest of the loops of `window` around `body`, which adds to `sums`. The
  /// first one takes `range` if there is one.
  llvm::SmallVector<mlir::Value> overWindow(
      llvm::ArrayRef<int64_t> window, mlir::ValueRange sums,
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange)> body,
      std::optional<Range> range = std::nullopt);

  void setRows(mlir::Value first, int64_t count);
  /// The sums of the current rows before the first product.
  llvm::SmallVector<mlir::Value> start(const Columns &columns);
  /// Evaluates the epilogue on the sums and writes the result.
  void finish(mlir::ValueRange sums, const Columns &columns);

  Point operandPoint(mlir::OpOperand &operand, mlir::Value row,
                     Coordinate column, mlir::Value depth);
  llvm::SmallVector<mlir::Value> resultIndices(mlir::Value row,
                                               mlir::Value column);
  int64_t activeLanes(const Columns &columns, int64_t vector) const {
    return vector + 1 < columns.vectors ? lanes : columns.lastActive;
  }
  mlir::Value columnOf(const Columns &columns, int64_t vector) {
    return kernel.add(columns.first, vector * lanes);
  }

  KernelBuilder &kernel;
  mlir::linalg::LinalgOp root;
  mlir::Value result;
  ContractionLoops loops;
  int64_t rowCount = 1, columnCount = 1, depthCount = 1;
  /// Columns of a vector.
  int64_t lanes = 1;

  /// State of the emission: an index per loop, and the current rows.
  Point at;
  llvm::SmallVector<mlir::Value> rows;
  /// Their indices in the loops whose points are rows.
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>> rowPoints;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_KERNEL_CONTRACTIONNEST_H
