//===- Profile.cpp - What the calls of a program took -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/Profile.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace hamkaas;

void Profile::addRun(uint64_t begin, uint64_t nanoseconds,
                     llvm::ArrayRef<HamKaasCallProfile> profile) {
  ProfiledRun run{begin, nanoseconds, {}};
  for (auto [sum, call] : llvm::zip_equal(sums, profile)) {
    run.calls.push_back(call.nanoseconds - sum);
    sum = call.nanoseconds;
  }
  runs.push_back(std::move(run));
}

static bool mostlyReads(const CallInfo &call) {
  return call.family == "contraction" || call.family == "reduction";
}

void Profile::setCeiling(const CallInfo &call, CallTimes &times) const {
  // Steps of a loop use the same memory again.
  uint64_t workingSet = call.bytes / std::max<uint64_t>(1, call.repetitions);
  double bandwidth = ceilings->readBandwidth(threads, workingSet);
  if (!mostlyReads(call))
    bandwidth =
        std::max(bandwidth, ceilings->copyBandwidth(threads, workingSet));
  double compute = call.flops / ceilings->gigaflops(threads);
  double memory = call.bytes / bandwidth;
  times.ceiling = std::max(compute, memory);
  times.isComputeBound = compute > memory;
}

std::vector<CallTimes> Profile::getTimes() const {
  std::vector<CallTimes> all(info.calls.size());
  std::vector<uint64_t> samples(runs.size());
  for (auto [i, times] : llvm::enumerate(all)) {
    for (auto [sample, run] : llvm::zip_equal(samples, runs))
      sample = run.calls[i];
    llvm::sort(samples);
    if (!samples.empty()) {
      times.median = samples[samples.size() / 2];
      times.least = samples.front();
    }
    if (ceilings)
      setCeiling(info.calls[i], times);
  }
  return all;
}
