//===- Ceilings.h - What a machine can do at most ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CALIBRATION_CEILINGS_H
#define HAMKAAS_CALIBRATION_CEILINGS_H

#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace hamkaas {

/// How fast memory is when all threads together use so many bytes.
struct Bandwidth {
  uint64_t bytes = 0;
  double gigabytesPerSecond = 0;
};

/// Of a number of threads. The lists are not empty, by ascending bytes.
struct ThreadCeilings {
  int threads = 0;
  double gigaflops = 0; ///< Multiply-adds of float32, each two operations.
  std::vector<Bandwidth> read;
  std::vector<Bandwidth> copy; ///< Bytes read and bytes written, both counted.
};

/// Measurements of one machine. Between the numbers of threads and bytes that
/// were measured, it is interpolated; beyond, the last one holds.
struct Ceilings {
  std::string cpu;                     ///< LLVM's name of the processor.
  std::vector<ThreadCeilings> threads; ///< Not empty, by ascending threads.

  double gigaflops(int count) const;
  /// GB/s with a working set of so many bytes.
  double readBandwidth(int count, uint64_t bytes) const;
  double copyBandwidth(int count, uint64_t bytes) const;
};

/// LLVM's name of the processor of this machine, "sapphirerapids".
std::string getProcessorName();

/// Threads that a run on `--threads` 0 has: one for each processor that this
/// process may use.
int getProcessorCount();

/// Takes some seconds for 1, 2, 4 and more threads, up to one a processor.
llvm::Expected<Ceilings> measureCeilings();

} // namespace hamkaas

#endif // HAMKAAS_CALIBRATION_CEILINGS_H
