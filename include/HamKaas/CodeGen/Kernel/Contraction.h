//===- Contraction.h - How a contraction is tiled ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_CONTRACTION_H
#define HAMKAAS_CODEGEN_KERNEL_CONTRACTION_H

#include "HamKaas/CodeGen/Kernel/CostModel.h"
#include "llvm/ADT/SmallVector.h"

namespace hamkaas {

/// The blocking of a contraction `[rows, depth] x [depth, columns]`. It changes
/// no bit of the result: every element is the sum of its products in the order
/// of the depth.
struct ContractionTile {
  /// Lanes of the vectors, at most the target's.
  int64_t lanes;
  /// Rows and vectors of the accumulators that live in registers.
  int64_t rows, vectors;
  /// Panels of a packed right side to read as concurrent streams; 1 unless
  /// there is only one row.
  int64_t panels;
  /// Depth after which partial sums are stored, so that the part of the right
  /// side in use stays in the L2 cache.
  int64_t depth;
  /// Rows of a tile of the kernel's outermost loop, a multiple of `rows` unless
  /// there is only one such block.
  int64_t blockRows;
  /// True if consecutive tiles share rows instead of a panel.
  bool sharesRows;

  /// Columns of a panel of the packed right side.
  int64_t panelWidth() const { return lanes * vectors; }
  /// Columns of a tile of the kernel's outermost loop.
  int64_t columns() const { return panels * panelWidth(); }
};

/// A right side that is packed once, or by each run just before; or whose
/// columns are rows in memory, which tiles transpose as they copy them, or
/// multiply as they are; or any other one that is read in place.
enum class RightSide { Packed, Fresh, Transposed, Rows, InPlace };

/// Returns whether a product whose depth is the last dimension of both sides in
/// memory should be computed as dot products, with the lanes along the depth.
/// Their sums have another order, so the shape alone decides, no knob.
bool areDotProducts(const CostModel &costs, int64_t rows, int64_t columns,
                    int64_t depth);

/// The least vectors of the depth of such a product of few rows.
inline constexpr int64_t minDotVectors = 4;

/// Columns whose dot products are computed at once.
inline constexpr int64_t dotColumns = 4;

/// Chooses the blocking for `outer` independent contractions. `panelWidth` is
/// that of a packed right side, or 0 if it is read in place. Takes the knobs of
/// `costs`, as far as accumulators fit into the registers.
ContractionTile chooseContractionTile(const CostModel &costs, int64_t outer,
                                      int64_t rows, int64_t columns,
                                      int64_t depth, int64_t panelWidth = 0,
                                      RightSide right = RightSide::Packed);

/// Returns whether `outer` times `rows` rows, such as those of an image, are
/// computed faster as so many rows of one contraction: fewer are left over.
bool joinsRows(const CostModel &costs, int64_t outer, int64_t rows,
               int64_t columns, int64_t depth, int64_t panelWidth = 0);

/// The most vectors of a panel, and the most rows of accumulators of so many
/// vectors, that fit into the registers.
int64_t getMaxVectors(const CostModel &costs);
int64_t getMaxRows(const CostModel &costs, int64_t vectors);

/// Rows and vectors of accumulators.
struct TileShape {
  int64_t rows, vectors;
};

/// At most `count` shapes that the model puts near the chosen one, without it,
/// the best first.
llvm::SmallVector<TileShape> listTileShapes(const CostModel &costs,
                                            int64_t rows, int64_t columns,
                                            size_t count);

/// The best panel width for a constant right side that `outer` contractions
/// share. Panels are `[columns / width][depth][width]`, the last one padded
/// with zeros.
int64_t choosePanelWidth(const CostModel &costs, int64_t outer, int64_t rows,
                         int64_t columns, int64_t depth);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_CONTRACTION_H
