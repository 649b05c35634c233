//===- CostModel.h - Sizes and thresholds of emitters -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_COSTMODEL_H
#define HAMKAAS_CODEGEN_KERNEL_COSTMODEL_H

#include "HamKaas/CodeGen/Kernel/TargetDescription.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "llvm/Support/MathExtras.h"

namespace hamkaas {

/// A tile of a transposition, in rows and columns of the result. Consecutive
/// tiles, and the squares of one, are in a row of the operand or of the result.
struct TransposedTile {
  int64_t rows, columns;
  bool tilesAlongRead, squaresAlongRead;
  /// Rows of several squares are stored at once, so that they fill lines.
  bool fillsLines = false;
};

/// Sizes and thresholds for emitters, derived from the facts about a machine.
/// The tiling of contractions, which weighs several of them, is in
/// Contraction.h.
///
/// Numbers that set the order of a sum, such as the number of accumulators, are
/// constants of the emitters instead: result bits must not depend on the
/// machine.
class CostModel {
public:
  CostModel(const TargetDescription &target);

  TargetDescription target;
  MachineFacts machine;
  /// Choices of the user, which take precedence on a processor.
  Knobs knobs;

  /// Warps that saturate the memory bandwidth of a GPU; 0 for a CPU.
  int64_t wantedWarps() const {
    return machine.processors * machine.warpsPerProcessor;
  }

  /// Returns whether a thread finds recently read data in a cache of its own,
  /// so that tiles can be sized for it.
  bool hasOwnCache() const { return machine.l1Bytes > 0; }

  // Elements of 32 bits.
  /// Lanes of a vector such that each GPU thread moves its share by one access.
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

  /// Elements of an elementwise or row kernel: 16 KB of each operand.
  int64_t tileElements() const {
    return knobs.grain ? llvm::alignTo(knobs.grain, grainUnit) : tileSize(4096);
  }
  /// Elements of a padded copy. On CPUs, half a microsecond, so that the 64 K
  /// elements of a usual image are enough tiles for 16 threads.
  int64_t paddedTileElements() const {
    return tileSize(hasOwnCache() ? 4096 : 16384);
  }
  /// Numbers that a reduction combines.
  int64_t tileContributions() const { return tileSize(16384); }
  /// The same for windows, whose elements are mostly in registers.
  int64_t tileWindowContributions() const { return tileSize(65536); }
  /// Vectors that a transform writes.
  int64_t tileTransformVectors() const { return tileSize(64); }
  /// Rows of a matrix that is packed.
  int64_t tilePackedRows() const { return 8; }
  /// Elements of a panel that is packed from a transposed matrix: stretches of
  /// the matrix that the hardware fetches ahead. With half of them, packing 6
  /// matrices of 300 x 512 takes 1.07 times as long (Zen 5).
  int64_t tilePackedElements() const { return tileSize(8192); }
  /// The tile of a transposition. Rows of the result are `pitch` apart, and may
  /// be streamed.
  TransposedTile transposedTile(int64_t rows, int64_t columns, int64_t pitch,
                                bool streams) const;
  /// Returns whether the stores of a transposition should begin at lines,
  /// because lines of its rows, `pitch` apart, share a set of the L1 cache: one
  /// that two stores fill would be evicted in between. 32 rows of 25600 columns
  /// of a misaligned result take 0.62 of the time for it on a Zen 5 core.
  bool alignsRows(int64_t pitch) const {
    return hasOwnCache() && sharesSet(pitch);
  }
  /// Units of a tile, out of `units`: `fitting`, or, on a GPU, fewer if each
  /// warp that it can run should have one.
  int64_t tileUnits(int64_t fitting, int64_t units) const;
  /// A larger number of tiles is a multiple of this, so that threads get equal
  /// shares.
  int64_t tileShares() const { return 8; }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Returns whether a result of `elements` 32-bit elements, in rows of
  /// `columns`, uses nontemporal stores: it would be evicted before it is read.
  bool streams(int64_t elements, int64_t columns) const;
  /// Returns whether results and operands of that size need software prefetch,
  /// and its distance: a page, because the hardware prefetcher stops at each.
  bool prefetchesElements(int64_t elements) const;
  /// Returns whether operands of that size need it that are added to deep sums.
  /// They may be a part of a larger tensor, as in a step of an LSTM: 100 steps
  /// of 16 sequences with 128 cells take 0.97 of the time on a Zen 3 core.
  bool prefetchesAdded(int64_t elements) const {
    return machine.prefetches && elements >= l1Elements();
  }
  /// Returns whether windows need it for images of `elements`. In a cache,
  /// 96 x 112 x 112 with 3 x 3 windows and stride 2 would take 1.1 times as
  /// long with it on a Zen 5 core, beyond it takes half as long.
  bool prefetchesImages(int64_t elements) const {
    return machine.prefetches &&
           elements * elementBytes >= machine.streamedBytes;
  }
  int64_t elementsAhead() const { return machine.pageBytes / elementBytes; }
  /// Lines that the L1 cache holds of those that are multiples of `pitch`
  /// elements apart.
  int64_t l1Lines(int64_t pitch) const;
  /// Returns whether the next row of each operand and of the result, `bytes`
  /// each, fits the L1 cache beside the current one.
  bool isNearRow(int64_t bytes) const { return bytes <= machine.l1Bytes / 8; }
  /// Elements of a row to keep in registers, for one or two operands; 0 where a
  /// cache is as good.
  int64_t keptRowElements() const;

  //===--------------------------------------------------------------------===//
  // Right sides of contractions
  //===--------------------------------------------------------------------===//

  /// Returns whether an unpacked right side, whose panels `uses` blocks of rows
  /// read in place, needs software prefetch, and how many steps of the depth
  /// with so many columns ahead: about the latency of the L3 cache, and no more
  /// lines than the processor has requests for.
  bool prefetchesColumns(int64_t elements, int64_t uses) const;
  int64_t stepsAhead(int64_t columns) const;
  /// Returns how many steps of `products` multiply-adds an iteration of a loop
  /// should take. Short iterations cost most where another thread shares the
  /// core: with 12 multiply-adds in each, matmuls took 1.05 to 1.3 times as
  /// long on a shared Zen 3 core, 1.0 to 1.15 times on one of their own. The
  /// likely reason is that a taken branch ends a group of fetched instructions,
  /// and the threads of a core fetch in turns.
  int64_t stepsAtOnce(int64_t products) const;
  /// Returns whether the weight panels of a convolution need prefetching. All
  /// rows use all panels, so only the size decides.
  bool prefetchesWindows(int64_t elements) const {
    return elements >= l2Elements();
  }
  /// Returns whether each tile copies what it reads of an unpacked right side.
  /// A smaller one stays in the L2 cache, unless a panel fills too much of the
  /// L1 cache, or a few sets of it by the distance of its rows.
  bool isCopied(int64_t depth, int64_t columns) const;
  /// Returns whether a step that reads a copy has issue slots left to prefetch
  /// what the next tile copies.
  bool prefetchesCopies() const;
  /// The same before the steps of each block, for a right side of `elements`.
  bool prefetchesFarCopies(int64_t elements) const;
  /// Returns whether a panel in place, of `depth` lines with `columns` elements
  /// between them, shares so few sets of the caches that each use reads it from
  /// beyond them.
  bool isEvicted(int64_t depth, int64_t columns) const;
  bool fitsStack(int64_t elements) const {
    return elements * elementBytes <= machine.scratchBytes;
  }
  /// Returns whether a product whose right side is `depth` x `columns` reads a
  /// transposed left side as it lies.
  bool readsRowsAcross(int64_t depth, int64_t columns) const;
  /// Returns whether packing a run-time right side of `elements` is little work
  /// beside the products of `rows` rows.
  bool isWorthPacking(int64_t rows, int64_t elements) const;
  /// Returns whether tiles copy a right side of `elements` themselves as fast
  /// as they read it packed.
  bool tilesCopy(int64_t rows, int64_t elements) const;

  //===--------------------------------------------------------------------===//
  // Attention
  //===--------------------------------------------------------------------===//

  /// Vectors of queries, `width` columns each, to compute at once.
  int64_t queryVectors(int64_t queries, int64_t width) const;
  /// Vectors of values to accumulate at once.
  int64_t valueVectors() const { return target.hasFewRegisters() ? 2 : 4; }
  /// The widest keys for which all queries of a block are kept transposed in
  /// scratch memory.
  int64_t maxBlockWidth() const { return hasOwnCache() ? 1024 : 256; }

  static constexpr int64_t elementBytes = 4;
  /// Whole cache lines, and whole unrolled loops.
  static constexpr int64_t grainUnit = 256;

private:
  /// Returns whether elements that far apart share a set of the L1 cache: its
  /// ways are pages.
  bool sharesSet(int64_t elements) const {
    return elements * elementBytes % machine.pageBytes == 0;
  }
  /// Scales a tile size for a CPU core to this machine.
  int64_t tileSize(int64_t size) const;
};

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_COSTMODEL_H
