//===- CostModel.h - What pays on a machine ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_COSTMODEL_H
#define HAMKAAS_CODEGEN_KERNEL_COSTMODEL_H

#include "HamKaas/CodeGen/Kernel/TargetDescription.h"

namespace hamkaas {

/// What emitters ask before they choose: sizes and thresholds that follow from
/// the facts about a machine. How a contraction is tiled, which weighs more
/// than one of them, is in Contraction.h.
///
/// Numbers that decide the order of a sum, such as those of accumulators, are
/// not here but constants of the emitters: the bits of a result must not depend
/// on the machine.
class CostModel {
public:
  CostModel(const TargetDescription &target);

  TargetDescription target;
  MachineFacts machine;

  /// Returns whether what a thread has read lately is in a cache of its own, so
  /// that tiles can be cut for it.
  bool hasOwnCache() const { return machine.l1Bytes > 0; }

  // Elements of 32 bits.
  /// Lanes of a vector of which each thread moves its share by one access.
  int64_t wideLanes() const {
    return target.lanes * machine.accessBytes / elementBytes;
  }
  int64_t lineElements() const { return machine.lineBytes / elementBytes; }
  /// Numbers that fill the caches.
  int64_t l1Elements() const { return machine.l1Bytes / elementBytes; }
  int64_t l2Elements() const { return machine.l2Bytes / elementBytes; }

  //===--------------------------------------------------------------------===//
  // Tiles: some microseconds of work for a core
  //===--------------------------------------------------------------------===//

  /// Elements of a kernel that computes each by itself, or of one on rows: 16
  /// KB of each operand.
  int64_t tileElements() const { return tileSize(4096); }
  /// Elements of a kernel that only moves them.
  int64_t movedTileElements() const { return tileSize(16384); }
  /// Numbers that a reduction combines.
  int64_t tileContributions() const { return tileSize(16384); }
  /// The same of one over windows, most of which are in registers.
  int64_t tileWindowContributions() const { return tileSize(65536); }
  /// Vectors that a transform writes.
  int64_t tileTransformVectors() const { return tileSize(64); }
  /// Rows of a matrix that is packed.
  int64_t tilePackedRows() const { return 8; }
  /// Rows and columns of a matrix that is transposed: a tile meets each line of
  /// cache and each page of both sides while it is at hand. Tiles of 128
  /// columns take 1.1 times as long.
  int64_t tileTransposedRows() const { return 32; }
  int64_t tileTransposedColumns() const { return 64; }
  /// More tiles than that are a multiple of it, so that threads get equal
  /// shares.
  int64_t tileShares() const { return 8; }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Returns whether a result of so many elements of 32 bits, in rows of
  /// `columns`, is written past the caches, where whoever reads it would hardly
  /// find it.
  bool streams(int64_t elements, int64_t columns) const;
  /// Returns whether results, and operands of their shape, are so large that
  /// their elements must be asked for ahead, and how far: a page, for the
  /// hardware stops at each.
  bool prefetchesElements(int64_t elements) const;
  int64_t elementsAhead() const { return machine.pageBytes / elementBytes; }
  /// Returns whether a row of so many bytes, of each operand and the result,
  /// finds room in the first-level cache beside the row that is computed.
  bool isNearRow(int64_t bytes) const { return bytes <= machine.l1Bytes / 8; }
  /// Elements of a row that registers keep, of each of two operands, or of one:
  /// none where a cache serves as well.
  int64_t keptRowElements() const;

  //===--------------------------------------------------------------------===//
  // Right sides of contractions
  //===--------------------------------------------------------------------===//

  /// Returns whether one whose columns are not packed must be asked for ahead,
  /// and how many steps of the depth: about the latency of the third-level
  /// cache.
  bool prefetchesColumns(int64_t elements) const;
  int64_t stepsAhead() const { return 8; }
  /// Returns whether panels of the weights of a convolution must be brought
  /// nearer: all rows use all of them, so it is a matter of size.
  bool prefetchesWindows(int64_t elements) const {
    return elements >= l2Elements();
  }
  /// Returns whether each tile copies what it reads of one that is not packed;
  /// a smaller one stays in the second-level cache as it is.
  bool isCopied(int64_t elements) const {
    return hasOwnCache() && elements >= l2Elements() / 4;
  }
  /// Returns whether a copy of `elements` that is read `uses` times pays: it
  /// must fit the stack of a thread.
  bool copyPays(int64_t elements, int64_t uses) const {
    return uses >= 4 && elements * elementBytes <= machine.scratchBytes;
  }
  /// Returns whether packing one of `depth` x `columns` that is known at run
  /// time only pays for so many rows.
  bool packingPays(int64_t rows, int64_t depth, int64_t columns) const;

  //===--------------------------------------------------------------------===//
  // Threads
  //===--------------------------------------------------------------------===//

  /// Warps that keep the memory of a GPU busy.
  int64_t wantedWarps() const {
    return machine.processors * machine.warpsPerProcessor;
  }

  //===--------------------------------------------------------------------===//
  // Attention
  //===--------------------------------------------------------------------===//

  /// Vectors of queries, each of `width` columns, that are computed at once.
  int64_t queryVectors(int64_t queries, int64_t width) const;
  /// Vectors of the values that are added up at once.
  int64_t valueVectors() const { return target.registers >= 24 ? 4 : 2; }
  /// The widest keys for which all queries of a block are kept transposed in
  /// scratch memory.
  int64_t maxBlockWidth() const { return hasOwnCache() ? 1024 : 256; }

  static constexpr int64_t elementBytes = 4;

private:
  /// The size of a tile that is `size` for a core.
  int64_t tileSize(int64_t size) const;
};

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_COSTMODEL_H
