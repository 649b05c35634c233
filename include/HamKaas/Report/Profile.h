//===- Profile.h - What the calls of a program took -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_REPORT_PROFILE_H
#define HAMKAAS_REPORT_PROFILE_H

#include "HamKaas/Calibration/Ceilings.h"
#include "HamKaas/Program/ProgramInfo.h"
#include "hamkaas-c/Runtime.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <vector>

namespace hamkaas {

/// A run, and what each call took in it: all steps of a loop, where it is in
/// one.
struct ProfiledRun {
  uint64_t begin = 0; ///< Nanoseconds since the first run began.
  uint64_t nanoseconds = 0;
  std::vector<uint64_t> calls;
};

/// Time and throughput of a call.
struct CallTimes {
  double median = 0; ///< Nanoseconds a run.
  double least = 0;
  /// Nanoseconds that the machine needs at the least, 0 if that is not known:
  /// the longer of its FLOPs at the peak and its bytes at the bandwidth of a
  /// working set of so many bytes.
  double ceiling = 0;
  bool isComputeBound = false; ///< Which of the two is longer.
};

/// The runs of a program, and what they are compared with. `info` outlives it.
class Profile {
public:
  /// `threads` are those of the runs, and `gpu` the name of the device if it is
  /// one. Without `ceilings` there are no shares of them.
  Profile(const ProgramInfo &info, int threads,
          const Ceilings *ceilings = nullptr, llvm::StringRef gpu = "")
      : info(info), threads(threads), ceilings(ceilings), gpu(gpu),
        sums(info.calls.size()) {}

  /// Adds a run after which the runtime's sums are `profile`, one a call.
  void addRun(uint64_t begin, uint64_t nanoseconds,
              llvm::ArrayRef<HamKaasCallProfile> profile);

  llvm::ArrayRef<ProfiledRun> getRuns() const { return runs; }
  /// Of all calls, in the order of the program.
  std::vector<CallTimes> getTimes() const;

  const ProgramInfo &info;
  const int threads;
  const Ceilings *const ceilings;
  const std::string gpu; ///< Empty on the processor.

private:
  void setCeiling(const CallInfo &call, CallTimes &times) const;

  std::vector<uint64_t> sums; ///< Nanoseconds of each call so far.
  std::vector<ProfiledRun> runs;
};

/// Prints the calls that took longest, or all, and what the families of kernels
/// took together.
void printProfile(const Profile &profile, bool all, llvm::raw_ostream &os);

/// Prints everything as one JSON object, in microseconds, GFLOP/s and GB/s.
void printProfileJson(const Profile &profile, llvm::raw_ostream &os);

/// Prints all runs in the trace event format of chrome://tracing and Perfetto.
/// Only what calls took is measured: they are drawn one after another, and one
/// in a loop once for all steps.
void printProfileTrace(const Profile &profile, llvm::raw_ostream &os);

} // namespace hamkaas

#endif // HAMKAAS_REPORT_PROFILE_H
