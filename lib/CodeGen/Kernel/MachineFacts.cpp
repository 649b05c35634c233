//===- MachineFacts.cpp - Numbers of machines -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/MachineFacts.h"

using namespace hamkaas;

static constexpr int64_t KB = 1 << 10, MB = 1 << 20;

// The caches are those of AMD's Zen 4. Zen 5 has 48 KB, 1 MB and 64 bytes per
// cycle, which choose the same code; docs/Performance.md has the measurements.
// Intel's server cores since Ice Lake have more of both caches. Zen 3 has an L2
// cache of 512 KB: unmeasured.
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
