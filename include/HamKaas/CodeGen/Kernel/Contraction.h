//===- Contraction.h - How a contraction is tiled ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_CONTRACTION_H
#define HAMKAAS_CODEGEN_KERNEL_CONTRACTION_H

#include "HamKaas/CodeGen/Kernel/CostModel.h"
#include <optional>

namespace hamkaas {

/// The blocks a contraction `[rows, depth] x [depth, columns]` is computed in.
/// None of them changes a bit of the result: every element is the sum of its
/// products in the order of the depth.
struct ContractionTile {
  /// Lanes of the vectors, at most the target's.
  int64_t lanes;
  /// Rows and vectors of the accumulators that live in registers.
  int64_t rows, vectors;
  /// Panels of a packed right side that are read at once, as streams of their
  /// own; 1 unless there is only one row.
  int64_t panels;
  /// Depth after which partial sums go back to the result's memory, so that the
  /// part of the right side in use stays in the second-level cache.
  int64_t depth;
  /// Rows of a tile of the kernel's outermost loop, a multiple of `rows` unless
  /// there is only one such block.
  int64_t blockRows;
  /// True if consecutive tiles share their rows, and not a panel.
  bool sharesRows;

  /// Columns of a panel of the packed right side.
  int64_t panelWidth() const { return lanes * vectors; }
  /// Columns of a tile of the kernel's outermost loop.
  int64_t columns() const { return panels * panelWidth(); }
};

/// Chooses the blocks for `outer` independent contractions. `panelWidth` is
/// that of a right side already packed, or 0 if it is read where it lies.
ContractionTile chooseContractionTile(const CostModel &costs, int64_t outer,
                                      int64_t rows, int64_t columns,
                                      int64_t depth, int64_t panelWidth = 0);

/// The part of a contraction that the warps of a block of threads of a GPU
/// compute together: they share what they read, in the memory of the block.
struct BlockTile {
  int64_t warps;
  /// Rows and columns of the sums of a warp. Each thread holds as many of a row
  /// as there are columns for each lane.
  int64_t rows, warpColumns;
  /// Depth that is in shared memory at a time.
  int64_t depth;
  /// Warps that have the same rows and columns of their own.
  int64_t columnWarps = 1;
  /// Parts of the depth that are in shared memory: one is multiplied while the
  /// others arrive.
  int64_t stages = 2;

  int64_t blockRows() const { return warps / columnWarps * rows; }
  int64_t columns() const { return columnWarps * warpColumns; }
};

/// Chooses the blocks for `batches` contractions of so many rows, those of all
/// loops that share a right side. `panelWidth` as above. None if a contraction
/// is too small for blocks.
std::optional<BlockTile> chooseBlockTile(const CostModel &costs,
                                         int64_t batches, int64_t rows,
                                         int64_t columns, int64_t depth,
                                         int64_t panelWidth = 0);

/// Columns of the panels a constant right side, which `outer` contractions
/// share, is best packed in: `[columns / width][depth][width]`, the last panel
/// padded with zeros.
int64_t choosePanelWidth(const CostModel &costs, int64_t outer, int64_t rows,
                         int64_t columns, int64_t depth);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_CONTRACTION_H
