//===- MachineFacts.cpp - Numbers of machines -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/MachineFacts.h"

using namespace hamkaas;

static constexpr int64_t KB = 1 << 10, MB = 1 << 20;

static constexpr MachineFacts makeProcessor() {
  MachineFacts facts{"processor"};
  facts.l1Bytes = 32 * KB;
  facts.l2Bytes = 1 * MB;
  facts.l2BytesPerCycle = 32;
  facts.farBytesPerCycle = 16;
  // Three or four give 17.7 GB/s in place of 17.0, more than that nothing.
  facts.streams = 4;
  facts.streamedBytes = 8 * MB;
  // On the stack of a thread.
  facts.scratchBytes = 96 * KB;
  facts.prefetches = true;
  facts.multiplyAddsPerCycle = 2;
  facts.loadsPerCycle = 2;
  facts.multiplyAddLatency = 4;
  return facts;
}

static constexpr MachineFacts makeGpu() {
  MachineFacts facts{"gpu"};
  // A line of the first-level cache has 128 bytes, which move by sectors of 32.
  facts.lineBytes = 64;
  facts.tilesPerCoreTile = 16;
  facts.processors = 132;
  facts.warpsPerProcessor = 16;
  facts.busyWarps = 1024;
  facts.processorRegisters = 65536;
  facts.sharedBytes = 48 * KB;
  // Of sm_86, which has the least from sm_80 on.
  facts.maxSharedBytes = 99 * KB;
  // Of each of the four warps of a block.
  facts.scratchBytes = facts.sharedBytes / 4;
  facts.accessBytes = 16;
  return facts;
}

constexpr MachineFacts hamkaas::processorFacts = makeProcessor();
constexpr MachineFacts hamkaas::gpuFacts = makeGpu();
