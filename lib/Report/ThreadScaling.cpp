//===- ThreadScaling.cpp - Speedup by threads, at most ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/ThreadScaling.h"
#include "HamKaas/Runtime/Cpu/TileSchedule.h"
#include "HamKaas/Support/TextTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <queue>

using namespace hamkaas;

/// The FLOPs of a core in the time of a byte moved: 100 GFLOP/s and 30 GB/s on
/// AMD EPYC (Zen 3) with AVX2. Only their ratio matters.
static constexpr double flopsPerByte = 3;

/// Less work stays on one thread, as hamkaas-lower-program decides by default.
static constexpr uint64_t leastSharedFlops = 400000, leastSharedBytes = 131072;

static constexpr int32_t examinedThreads = 8;
/// The part of the run time on these threads that is worth naming a kernel.
static constexpr double namedShare = 0.01;
static constexpr size_t maxNamed = 8;

int64_t hamkaas::simulateThreads(int64_t tiles, int32_t threads) {
  rt::TileSchedule schedule(tiles, threads);
  struct Range {
    int64_t first, end;
  };
  std::vector<Range> left;
  using Turn = std::pair<int64_t, int32_t>; // when a thread is free, and which
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (int32_t i = 0; i < threads; ++i) {
    left.push_back({schedule.firstChunk(i), schedule.firstChunk(i + 1)});
    turns.push({0, i});
  }
  int64_t end = 0;
  while (!turns.empty()) {
    auto [now, thread] = turns.top();
    turns.pop();
    end = std::max(end, now);
    for (int32_t i = 0; i < threads; ++i) {
      Range &range = left[(thread + i) % threads];
      if (range.first == range.end)
        continue;
      // A thread's own chunks from the front, those of others from the back.
      int64_t chunk = i == 0 ? range.first++ : --range.end;
      turns.push(
          {now + schedule.firstTile(chunk + 1) - schedule.firstTile(chunk),
           thread});
      break;
    }
  }
  return end;
}

static bool hasLittleWork(const CallInfo &call) {
  uint64_t repetitions = std::max<int64_t>(call.repetitions, 1);
  return call.flops / repetitions < leastSharedFlops &&
         call.bytes / repetitions < leastSharedBytes;
}

/// The time of a call on one thread, in FLOPs.
static double getTime(const CallInfo &call) {
  return std::max(static_cast<double>(call.flops), flopsPerByte * call.bytes);
}

static double getSpeedup(const CallInfo &call, int32_t threads) {
  // An engine shares its work as it likes.
  if (!call.engine.empty())
    return threads;
  if (call.tiles < 2 || hasLittleWork(call))
    return 1;
  return static_cast<double>(call.tiles) / simulateThreads(call.tiles, threads);
}

double hamkaas::boundSpeedup(const FunctionInfo &function, int32_t threads) {
  double alone = 0, shared = 0;
  for (const CallInfo &call : function.calls) {
    alone += getTime(call);
    shared += getTime(call) / getSpeedup(call, threads);
  }
  return shared > 0 ? alone / shared : 1;
}

namespace {
struct Waiting {
  const CallInfo *call;
  double time = 0;
};
} // namespace

void hamkaas::printThreadScaling(const FunctionInfo &function,
                                 llvm::raw_ostream &os) {
  if (function.calls.empty())
    return;
  os << "\nspeedup by threads, at most, by simulation with equal tiles\n";
  llvm::SmallVector<std::string> counts{"threads"}, values{"speedup"};
  for (int32_t threads : {2, 4, 8, 16}) {
    counts.push_back(std::to_string(threads));
    values.push_back(
        llvm::formatv("{0:F2}", boundSpeedup(function, threads)).str());
  }
  TextTable speedups("lrrrr");
  speedups.addRow(counts);
  speedups.addRow(values);
  speedups.print(os);

  llvm::MapVector<llvm::StringRef, Waiting> kernels;
  double total = 0;
  for (const CallInfo &call : function.calls) {
    Waiting &kernel = kernels[call.kernel];
    if (!kernel.call)
      kernel.call = &call;
    double time = getTime(call) / getSpeedup(call, examinedThreads);
    kernel.time += time - getTime(call) / examinedThreads;
    total += time;
  }
  llvm::SmallVector<Waiting> longest;
  for (const auto &[name, kernel] : kernels)
    if (kernel.time >= namedShare * total)
      longest.push_back(kernel);
  if (longest.empty())
    return;
  llvm::stable_sort(longest, [](const Waiting &a, const Waiting &b) {
    return a.time > b.time;
  });
  if (longest.size() > maxNamed)
    longest.resize(maxNamed);
  os << "\nkernels that keep " << examinedThreads << " threads waiting\n";
  TextTable table("lrrrll");
  table.addRow({"name", "tiles", "speedup", "lost", "because", "computes"});
  for (const auto &[call, time] : longest) {
    llvm::StringRef reason = call->tiles < 2 ? "it is one tile"
                             : hasLittleWork(*call)
                                 ? "a call has too little work"
                                 : "its tiles are too few";
    table.addRow(
        {call->kernel, std::to_string(call->tiles),
         llvm::formatv("{0:F2}", getSpeedup(*call, examinedThreads)).str(),
         llvm::formatv("{0:F1} %", 100 * time / total).str(), reason.str(),
         call->ops});
  }
  table.print(os);
}
