//===- FlashDecoding.h - Attention in small blocks --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_FLASHDECODING_H
#define HAMKAAS_LIB_CODEGEN_GPU_FLASHDECODING_H

#include "HamKaas/CodeGen/Kernel/Attention.h"

namespace hamkaas {

/// Flash decoding: a block computes a few queries, for which its warps take
/// chunks of keys in turn, a key per lane. Each warp rescales its sums when it
/// finds a larger score; finally the sums of all warps are combined in a fixed
/// order. Many queries are computed so, too, where there are too few of them to
/// occupy the lanes.
class FlashDecoding {
public:
  FlashDecoding(KernelBuilder &kernel, const Attention &attention);

  /// Returns whether the kernel has this form, which pays for it.
  static bool fits(const CostModel &costs, const Attention &attention);
  /// Warps of a block.
  int64_t warps() const { return group; }

  Tile emit();

private:
  /// The largest score of each query, the sums of its weights, and those of the
  /// weighted values, row after row.
  struct Sums {
    llvm::SmallVector<mlir::Value> largest, weights, values;

    llvm::SmallVector<mlir::Value> all() const;
  };

  Sums split(mlir::ValueRange all) const;
  Sums addAllKeys();
  Sums addKeys(mlir::Value key, int64_t active, Sums sums);
  llvm::SmallVector<mlir::Value> multiplyKeys(mlir::Value key, int64_t active);
  mlir::Value score(int64_t row, mlir::Value product, mlir::Value key,
                    int64_t active);
  llvm::SmallVector<mlir::Value> addValues(mlir::Value key, int64_t active,
                                           mlir::ValueRange weights,
                                           mlir::ValueRange sums);
  void share(const Sums &sums);
  void finish(int64_t row, int64_t vector);
  mlir::Value loadStatistic(int64_t warp, int64_t number);

  int64_t active(int64_t vector) const;
  int64_t blocksOfBatch() const;
  mlir::Value query(int64_t row);
  /// Returns the point of a vector of keys for a query of the block.
  Point keysOf(int64_t row, mlir::Value key);

  KernelBuilder &kernel;
  const Attention &attention;
  AttentionSteps steps;
  int64_t rows, vectors, group;
  /// Values that the warps exchange.
  mlir::Value sharedStatistics, sharedValues;
  /// State while a block is emitted.
  mlir::Value warp, batch, firstQuery;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_FLASHDECODING_H
