//===- FlashDecoding.h - Attention of few queries ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_FLASHDECODING_H
#define HAMKAAS_LIB_CODEGEN_GPU_FLASHDECODING_H

#include "HamKaas/CodeGen/Kernel/Attention.h"

namespace hamkaas {

/// Flash decoding: attention of few queries, for which the warps of a block
/// take chunks of keys in turn, a key per lane. Each warp rescales its sums
/// when it finds a larger score; finally the sums of all warps are combined in
/// a fixed order.
class FlashDecoding {
public:
  FlashDecoding(KernelBuilder &kernel, const Attention &attention);

  /// Returns whether the kernel has this form and is large enough.
  static bool fits(const Attention &attention);
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

  KernelBuilder &kernel;
  const Attention &attention;
  AttentionSteps steps;
  int64_t rows, vectors, group;
  /// Values that the warps exchange.
  mlir::Value sharedStatistics, sharedValues;
  /// State while a block is emitted.
  mlir::Value warp, batch;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_FLASHDECODING_H
