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

/// Runs blocks one after the other. Threads of a block are fibers that switch
/// at synchronizations.
///
/// Shared memory starts as bytes of 0xff. These errors end a launch with a
/// message:
///
/// * a synchronization that some threads do not reach;
/// * a shuffle from a lane that does not take part;
/// * if the code reports its accesses: those outside of arguments, constants
/// and
///   shared memory, and races.
class Emulator {
public:
  explicit Emulator(ThreadOrder order,
                    ProductSums productSums = ProductSums::Rounded);
  ~Emulator();

  /// Memory that kernels may read beside their arguments.
  void addConstants(const EmulatedImage &image);

  /// Runs all threads. Returns the error message, or an empty text.
  std::string launch(const EmulatedKernel &kernel, const EmulatedLaunch &launch,
                     const uint64_t *arguments);

private:
  class Grid;
  std::unique_ptr<Grid> grid;
};

} // namespace hamkaas::emulation

#endif // HAMKAAS_EMULATION_EMULATOR_H
