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

/// The numbers of a machine that decide which code is fast, beside those of its
/// instruction set, which TargetDescription has. Another machine is another row
/// of the table. Emitters ask a CostModel, which draws the conclusions.
///
/// NOTE: on a processor none of them may change a bit of a result, which is the
/// same on every machine of an instruction set level. On a GPU `processors` and
/// `warpsPerProcessor` do, for they decide how sums are split.
struct MachineFacts {
  llvm::StringLiteral name;

  // Memory.
  int64_t lineBytes = 64;
  int64_t pageBytes = 4096;
  /// First- and second-level cache that a thread has to itself, or 0 where it
  /// shares them with so many that nothing of its own stays there.
  int64_t l1Bytes = 0, l2Bytes = 0;
  /// Bytes a cycle from the second-level cache, and from what is beyond.
  double l2BytesPerCycle = 0, farBytesPerCycle = 0;
  /// Streams from memory at a time that are read faster than one.
  int64_t streams = 1;
  /// Results from this size on are written past the caches; 0 for none.
  int64_t streamedBytes = 0;
  /// Scratch memory of a tile.
  int64_t scratchBytes = 0;
  /// True if a thread waits for memory, and asks for it ahead. Else others run
  /// meanwhile.
  bool prefetches = false;

  // Arithmetic of a thread, on vectors.
  double multiplyAddsPerCycle = 0, loadsPerCycle = 0;
  /// Cycles until a multiply-add can use the result of another one.
  double multiplyAddLatency = 0;

  // Threads.
  /// How many tiles one for a core of a processor is divided into: there are
  /// thousands of threads to keep busy.
  int64_t tilesPerCoreTile = 1;
  /// Multiprocessors of a GPU, and the warps of each that keep its memory busy.
  int64_t processors = 0, warpsPerProcessor = 0;
  /// Warps that should be busy before one gets more than the least work.
  int64_t busyWarps = 0;
  /// 32-bit registers of a multiprocessor.
  int64_t processorRegisters = 0;
  /// Memory that the warps of a block share: what every block may have, and
  /// what it may ask for.
  int64_t sharedBytes = 0, maxSharedBytes = 0;
  /// Bytes next to each other that a thread moves by one access. A vector of
  /// two or four times the lanes gives each thread as many neighbouring
  /// elements.
  int64_t accessBytes = 0;
};

/// A core of a server, with the caches that all of them have at least. Kernels
/// were tuned with these numbers on several, of Intel's and of AMD's.
extern const MachineFacts processorFacts;

/// A data center GPU of NVIDIA's of the size of an H100. What a multiprocessor
/// has is the least of those from sm_80 on.
extern const MachineFacts gpuFacts;

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_MACHINEFACTS_H
