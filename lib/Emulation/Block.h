//===- Block.h - The threads of a block -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_EMULATION_BLOCK_H
#define HAMKAAS_LIB_EMULATION_BLOCK_H

#include "AccessChecker.h"
#include "Fiber.h"
#include "HamKaas/Emulation/Launch.h"

#include <string>
#include <vector>

namespace hamkaas::emulation {

/// A copy that was asked for and has not happened.
struct PendingCopy {
  char *to;
  int64_t bytes;
  const char *from;
  int64_t fromBytes;
  const char *place;
};

/// The event that a thread waits for.
enum class Wait { None, Barrier, Warp, Shuffle, Product };

class Block;

struct BlockThread : EmulatedThread {
  Fiber fiber;
  Block *owner = nullptr;
  bool isDone = false;

  Wait wait = Wait::None;
  const char *place = nullptr; ///< Of what it waits for.
  uint32_t mask = 0;           ///< Lanes that it waits for.

  /// Operands of the shuffle or the product that it takes part in, then the
  /// result.
  int32_t kind = 0;
  uint32_t operand = 0, clamp = 0;
  uint64_t value = 0, received = 0;
  uint32_t *registers = nullptr;

  /// Copies by group, and those of no group yet.
  std::vector<std::vector<PendingCopy>> copyGroups;
  std::vector<PendingCopy> copies;
};

/// Runs the threads of one block after another, always on the same stacks.
class Block {
public:
  Block(ThreadOrder order, ProductSums productSums, AccessChecker &checker);

  /// Prepares for the blocks of a launch. Returns an error, or an empty text.
  std::string begin(const EmulatedKernel &kernel, const EmulatedLaunch &launch,
                    const uint64_t *arguments);
  /// Runs a block. Returns an error, or an empty text.
  std::string run(int64_t block);

  // Called by emulated code.
  void barrier(BlockThread &thread, const char *place);
  void syncWarp(BlockThread &thread, uint32_t mask, const char *place);
  uint64_t shuffle(BlockThread &thread, uint64_t value, int32_t kind,
                   uint32_t mask, uint32_t operand, uint32_t clamp,
                   const char *place);
  void addProduct(BlockThread &thread, int32_t kind, uint32_t *registers,
                  const char *place);
  void access(BlockThread &thread, const void *address, int64_t bytes,
              int64_t alignment, int32_t kind, const char *place);
  void checkCopy(BlockThread &thread, const PendingCopy &copy);
  void waitForCopies(BlockThread &thread, int64_t pending);

private:
  static void runThread(void *argument);

  void setReady(size_t thread) { ready[thread / 64] |= bit(thread); }
  static uint64_t bit(size_t thread) { return uint64_t(1) << thread % 64; }
  BlockThread *takeNext(size_t after);
  size_t findReady(size_t from, size_t to, bool forward) const;

  void stop(BlockThread &thread, Wait wait, const char *place, uint32_t mask);
  void wakeBarrier(BlockThread &last);
  void wakeWarp(BlockThread &thread);
  void exchange(BlockThread &thread);
  void multiply(BlockThread &thread);
  void goOn(BlockThread &thread);
  [[noreturn]] void abandon(BlockThread &thread);
  std::string explainDeadlock() const;
  uint64_t random();

  ThreadOrder order;
  ProductSums productSums;
  AccessChecker &checker;
  Stacks stacks;
  std::vector<BlockThread> threads; ///< As many as any launch had.
  std::vector<char> sharedMemory;
  std::vector<uint64_t> ready; ///< A bit a thread.

  const EmulatedKernel *kernel = nullptr;
  const uint64_t *arguments = nullptr;
  size_t count = 0; ///< Threads of a block of this launch.
  size_t sharedBytes = 0;
  size_t running = 0; ///< Threads that are not done.
  size_t atBarrier = 0;
  uint64_t randomState = 0;

  Fiber caller;
  std::string error;
};

} // namespace hamkaas::emulation

#endif // HAMKAAS_LIB_EMULATION_BLOCK_H
