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

/// The order in which ready threads continue. A kernel with a missing
/// synchronization gives other results in another order.
struct ThreadOrder {
  enum Kind { Forward, Backward, Shuffled } kind = Forward;
  uint64_t seed = 0; ///< Of Shuffled: equal seeds give equal orders.
};

/// The rounding of sums on tensor cores.
enum class ProductSums {
  Rounded, ///< In float64, then rounded to float32.
  Cut      ///< Truncated to the digits of the largest term, as on GPUs.
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
