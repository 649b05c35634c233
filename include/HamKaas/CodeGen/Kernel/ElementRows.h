//===- ElementRows.h - The rows of elementwise kernels ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_ELEMENTROWS_H
#define HAMKAAS_CODEGEN_KERNEL_ELEMENTROWS_H

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"

namespace hamkaas {

/// The rows of a tile, out of `rows` rows of `extent` elements; a long row is
/// several tiles.
int64_t chooseTileRows(const CostModel &costs, int64_t rows, int64_t extent);

/// The first dimension of `value` from which on all can be one: each operand of
/// its tree has consecutive elements along them, or is the same, and so are
/// those of the destination. The tree ends at `leaf`.
int64_t findRowDimension(mlir::Value value, mlir::RankedTensorType destination,
                         mlir::Operation *leaf = nullptr);

/// The same for the loops of `op` and what it reads.
int64_t findRowLoop(mlir::linalg::LinalgOp op);

/// The extents of the dimensions of `value` before `end`. Those that can be one
/// are: the last has the elements of all, the others one.
llvm::SmallVector<int64_t> mergeOuterDimensions(const KernelBuilder &kernel,
                                                mlir::Value value, int64_t end);

/// Rows shorter than a vector. Those along the dimension before them are one:
/// where an operand is the same for a row, or for all rows, lanes have constant
/// distances.
struct ShortRows {
  /// The dimension along which rows are taken together.
  int64_t dim;
  /// The elements of a row, those of all dimensions behind `dim`.
  int64_t size;
  /// Of the result.
  int64_t rank;

  /// The number of blocks of a loop, about `blocks`, in which each begins at
  /// the same place of a row whenever.
  int64_t roundBlocks(int64_t blocks, int64_t lanes) const;
  /// The elements of a block behind the indices `outer` of the dimensions
  /// before `dim`.
  Point getPoint(KernelBuilder &kernel, llvm::ArrayRef<mlir::Value> outer,
                 LaneBlock block, int64_t lanes) const;
};

/// Those of a row that begins with dimension `first`, if the tree of `value`
/// can be computed at such points. None on a machine that reads short rows as
/// one anyway.
std::optional<ShortRows> findShortRows(const KernelBuilder &kernel,
                                       mlir::Value value, int64_t first);

/// Returns whether blocks of `value` are read best by interleaving two rows
/// that are contiguous along `cross`.
bool isInterleaved(const KernelBuilder &kernel, mlir::Value value,
                   int64_t cross);

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_ELEMENTROWS_H
