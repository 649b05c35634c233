//===- Emulator.h - Runs GPU kernels on the CPU -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_EMULATION_EMULATOR_H
#define HAMKAAS_EMULATION_EMULATOR_H

#include "HamKaas/Emulation/EmulatedCode.h"

#include <memory>
#include <string>

namespace hamkaas::emulation {

/// Which of the threads that may go on does so first. A kernel in which a
/// synchronization is missing gives other results in another order.
struct ThreadOrder {
  enum Kind { Forward, Backward, Shuffled } kind = Forward;
  uint64_t seed = 0; ///< Of Shuffled: equal seeds give equal orders.
};

/// How the products of tensor cores are added, and the sum that is there.
enum class ProductSums {
  Rounded, ///< In float64, then rounded to float32.
  Cut      ///< Each to the digits of the largest, as GPUs do; so is the sum.
};

struct EmulatedLaunch {
  int64_t blocks;
  int64_t threads;      ///< Of a block.
  uint32_t sharedBytes; ///< Of a block, besides those of the kernel.
};

/// Runs the threads of a block in turns, each on a stack of its own, up to
/// their next synchronization; and one block after the other.
///
/// Shared memory holds bytes of 0xff at first. What is wrong with a kernel ends
/// its launch with a text: a synchronization that some threads do not reach, a
/// shuffle from a lane that takes no part; and, if the code was made to tell of
/// its accesses, those outside of arguments, constants and shared memory, and
/// those of two threads to the same bytes, one of them a write, with no
/// synchronization in between.
class Emulator {
public:
  static constexpr int64_t maxThreads = 1024;

  explicit Emulator(ThreadOrder order,
                    ProductSums productSums = ProductSums::Rounded);
  ~Emulator();

  /// Memory that kernels may read beside their arguments.
  void addConstants(const EmulatedImage &image);

  /// Runs all threads. Returns an empty text, or what went wrong.
  std::string launch(const EmulatedKernel &kernel, const EmulatedLaunch &launch,
                     const uint64_t *arguments);

private:
  class Grid;
  std::unique_ptr<Grid> grid;
};

} // namespace hamkaas::emulation

#endif // HAMKAAS_EMULATION_EMULATOR_H
