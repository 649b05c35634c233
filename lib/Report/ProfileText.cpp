//===- ProfileText.cpp - A profile for people -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/Profile.h"
#include "HamKaas/Report/Report.h"
#include "HamKaas/Support/TextTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace hamkaas;

/// Calls that are shown unless all are asked for.
static constexpr size_t shownCalls = 16;

static std::string formatMicroseconds(double nanoseconds) {
  return llvm::formatv("{0:F1}", 1e-3 * nanoseconds);
}

/// "12.5 %", empty where there is no whole.
static std::string formatShare(double part, double whole) {
  return whole > 0 ? llvm::formatv("{0:F1} %", 100 * part / whole).str() : "";
}

/// `work` a nanosecond, which is 10^9 a second.
static std::string formatRate(uint64_t work, double nanoseconds) {
  return nanoseconds > 0 ? llvm::formatv("{0:F1}", work / nanoseconds).str()
                         : "";
}

/// The machine's least time, in percent of the measured one.
static std::string formatCeiling(double ceiling, double nanoseconds) {
  return ceiling > 0 ? formatShare(ceiling, nanoseconds) : "";
}

static void printCalls(const Profile &profile, llvm::ArrayRef<CallTimes> times,
                       double total, bool all, llvm::raw_ostream &os) {
  std::vector<size_t> order(times.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return std::pair(times[b].median, a) < std::pair(times[a].median, b);
  });
  TextTable table("rllrrrrrrll");
  table.addRow({"call", "name", "family", "us a run", "least", "share",
                "GFLOP/s", "GB/s", "of ceiling", "computes", "source"});
  size_t shown = all ? order.size() : std::min(order.size(), shownCalls);
  for (size_t i : llvm::ArrayRef(order).take_front(shown)) {
    const CallInfo &call = profile.info.calls[i];
    double median = times[i].median;
    table.addRow(
        {std::to_string(i), call.kernel, formatFamily(call),
         formatMicroseconds(median), formatMicroseconds(times[i].least),
         formatShare(median, total), formatRate(call.flops, median),
         formatRate(call.bytes, median),
         formatCeiling(times[i].ceiling, median), call.ops, call.location});
  }
  table.print(os);
  if (shown < order.size())
    os << "  and " << order.size() - shown
       << " more, which --profile-all lists\n";
}

namespace {
struct FamilySummary {
  uint64_t calls = 0, flops = 0, bytes = 0;
  double nanoseconds = 0, ceiling = 0;
};
} // namespace

static void printFamilies(const Profile &profile,
                          llvm::ArrayRef<CallTimes> times, double total,
                          llvm::raw_ostream &os) {
  llvm::MapVector<llvm::StringRef, FamilySummary> families;
  for (auto [call, callTimes] : llvm::zip_equal(profile.info.calls, times)) {
    FamilySummary &family = families[call.family];
    family.calls += call.repetitions;
    family.flops = llvm::SaturatingAdd(family.flops, call.flops);
    family.bytes = llvm::SaturatingAdd(family.bytes, call.bytes);
    family.nanoseconds += callTimes.median;
    family.ceiling += callTimes.ceiling;
  }
  auto sorted = families.takeVector();
  llvm::sort(sorted, [](const auto &a, const auto &b) {
    return std::pair(b.second.nanoseconds, a.first) <
           std::pair(a.second.nanoseconds, b.first);
  });
  os << "\nfamilies of kernels\n";
  TextTable table("lrrrrrr");
  table.addRow({"family", "calls", "us a run", "share", "GFLOP/s", "GB/s",
                "of ceiling"});
  for (const auto &[name, family] : sorted)
    table.addRow({name.str(), std::to_string(family.calls),
                  formatMicroseconds(family.nanoseconds),
                  formatShare(family.nanoseconds, total),
                  formatRate(family.flops, family.nanoseconds),
                  formatRate(family.bytes, family.nanoseconds),
                  formatCeiling(family.ceiling, family.nanoseconds)});
  table.print(os);
}

void hamkaas::printProfile(const Profile &profile, bool all,
                           llvm::raw_ostream &os) {
  std::vector<CallTimes> times = profile.getTimes();
  double total = 0;
  for (const CallTimes &call : times)
    total += call.median;
  size_t runs = profile.getRuns().size();
  os << "profile of " << runs << (runs == 1 ? " run on " : " runs on ");
  if (profile.gpu.empty())
    os << profile.threads << (profile.threads == 1 ? " thread" : " threads");
  else
    os << profile.gpu;
  os << ", the calls that took longest first\n";
  printCalls(profile, times, total, all, os);
  if (!times.empty())
    printFamilies(profile, times, total, os);
}
