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

constexpr MachineFacts hamkaas::processorFacts = makeProcessor();
