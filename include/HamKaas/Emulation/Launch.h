//===- Launch.h - How emulated kernels are run ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_EMULATION_LAUNCH_H
#define HAMKAAS_EMULATION_LAUNCH_H

#include <cstdint>

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
  /// Of a block.
  static constexpr int64_t maxThreads = 1024;

  int64_t blocks;
  int64_t threads;      ///< Of a block.
  uint32_t sharedBytes; ///< Of a block, besides those of the kernel.
};

} // namespace hamkaas::emulation

#endif // HAMKAAS_EMULATION_LAUNCH_H
