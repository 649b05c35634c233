//===- Emulator.h - Runs GPU kernels on the CPU -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_EMULATION_EMULATOR_H
#define HAMKAAS_EMULATION_EMULATOR_H

#include "HamKaas/Emulation/EmulatedCode.h"
#include "HamKaas/Emulation/Launch.h"

#include <memory>
#include <string>

namespace hamkaas::emulation {

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
