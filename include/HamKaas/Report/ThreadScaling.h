//===- ThreadScaling.h - Speedup by threads, at most ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_REPORT_THREADSCALING_H
#define HAMKAAS_REPORT_THREADSCALING_H

#include "HamKaas/Program/ProgramInfo.h"
#include "llvm/Support/raw_ostream.h"

namespace hamkaas {

/// The time until `threads` have run `tiles` that each take one unit, by a
/// simulation of the runtime's thread pool.
int64_t simulateThreads(int64_t tiles, int32_t threads);

/// The speedup of `function` by `threads` over one thread, at most: as if all
/// tiles of a kernel took the same time, threads began at once, and memory
/// served each as fast as one.
double boundSpeedup(const FunctionInfo &function, int32_t threads);

/// Prints these bounds for 2 to 16 threads, and the kernels that keep 8 threads
/// waiting.
void printThreadScaling(const FunctionInfo &function, llvm::raw_ostream &os);

} // namespace hamkaas

#endif // HAMKAAS_REPORT_THREADSCALING_H
