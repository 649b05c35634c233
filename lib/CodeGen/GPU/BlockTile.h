//===- BlockTile.h - Contractions of a block of threads ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_BLOCKTILE_H
#define HAMKAAS_LIB_CODEGEN_GPU_BLOCKTILE_H

#include "HamKaas/CodeGen/Kernel/CostModel.h"
#include <optional>

namespace hamkaas {

/// The part of a shared-memory GEMM that a thread block computes.
struct BlockTile {
  int64_t warps;
  /// Rows and columns of a warp.
  int64_t rows, warpColumns;
  /// Depth of a stage in shared memory.
  int64_t depth;
  /// Warps that share rows and have different columns.
  int64_t columnWarps = 1;
  /// Stages in shared memory: one is multiplied while the others arrive.
  int64_t stages = 2;
  /// Warps that share rows and columns and have different parts of the depth of
  /// a stage.
  int64_t depthWarps = 1;

  int64_t blockRows() const {
    return warps / (columnWarps * depthWarps) * rows;
  }
  int64_t columns() const { return columnWarps * warpColumns; }
};

/// Chooses the tile for `batches` contractions. `rows` counts all loops that
/// share a right side; `panelWidth` is that of a packed right side, or 0. None
/// if a contraction is too small for thread blocks.
std::optional<BlockTile> chooseBlockTile(const CostModel &costs,
                                         int64_t batches, int64_t rows,
                                         int64_t columns, int64_t depth,
                                         int64_t panelWidth = 0);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_BLOCKTILE_H
