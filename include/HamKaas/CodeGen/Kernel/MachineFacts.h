//===- MachineFacts.h - Numbers of machines ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_MACHINEFACTS_H
#define HAMKAAS_CODEGEN_KERNEL_MACHINEFACTS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace hamkaas {

/// The facts of a machine that decide speed; TargetDescription has those of the
/// instruction set. A new machine is a new row of the table. Emitters ask a
/// CostModel, which draws the conclusions.
///
/// NOTE: on a CPU no fact may change a result bit, because results are the same
/// on every machine of an ISA level. On a GPU `processors` and
/// `warpsPerProcessor` do, because they decide how sums are split.
struct MachineFacts {
  llvm::StringLiteral name;

  // Memory.
  int64_t lineBytes = 64;
  int64_t pageBytes = 4096;
  /// L1 and L2 cache per thread; 0 if too many threads share them for data to
  /// stay.
  int64_t l1Bytes = 0, l2Bytes = 0;
  /// Bytes per cycle from the L2 cache, and from beyond.
  double l2BytesPerCycle = 0, farBytesPerCycle = 0;
  /// Concurrent streams that reach the full memory bandwidth.
  int64_t streams = 1;
  /// Results of at least this size use nontemporal stores; 0 for none.
  int64_t streamedBytes = 0;
  /// Scratch memory of a tile.
  int64_t scratchBytes = 0;
  /// True if prefetching pays off. On a GPU it does not: other warps hide the
  /// latency.
  bool prefetches = false;

  // Arithmetic of a thread, on vectors.
  double multiplyAddsPerCycle = 0, loadsPerCycle = 0;
  /// Latency of a multiply-add in cycles.
  double multiplyAddLatency = 0;

  // Threads.
  /// Tiles that replace one tile for a CPU core: a GPU has thousands of threads
  /// to keep busy.
  int64_t tilesPerCoreTile = 1;
  /// Multiprocessors of a GPU, and the warps of each that saturate its memory.
  int64_t processors = 0, warpsPerProcessor = 0;
  /// Warps to occupy before any gets more than the minimum of work.
  int64_t busyWarps = 0;
  /// 32-bit registers of a multiprocessor.
  int64_t processorRegisters = 0;
  /// Shared memory of a block: the default limit, and the opt-in limit.
  int64_t sharedBytes = 0, maxSharedBytes = 0;
  /// Contiguous bytes that a thread moves by one access. A vector of two or
  /// four times the lanes gives each thread as many neighbouring elements.
  int64_t accessBytes = 0;
};

/// A server core with the smallest caches of its class. Kernels were tuned with
/// these numbers on several CPUs of Intel and AMD.
extern const MachineFacts processorFacts;

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_MACHINEFACTS_H
