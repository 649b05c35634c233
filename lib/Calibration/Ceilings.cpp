//===- Ceilings.cpp - What a machine can do at most -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Calibration/Ceilings.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include <cmath>

using namespace hamkaas;

/// The value at `x` between the two `points` around it, which are sorted by
/// `getX`.
template <typename Point, typename GetX, typename GetY>
static double interpolate(const std::vector<Point> &points, double x, GetX getX,
                          GetY getY) {
  auto after = llvm::lower_bound(
      points, x, [&](const Point &point, double x) { return getX(point) < x; });
  if (after == points.begin())
    return getY(points.front());
  if (after == points.end())
    return getY(points.back());
  const Point &low = *std::prev(after), &high = *after;
  double share = (x - getX(low)) / (getX(high) - getX(low));
  return getY(low) + share * (getY(high) - getY(low));
}

static double getThreads(const ThreadCeilings &ceilings) {
  return ceilings.threads;
}

static double getBandwidth(const std::vector<Bandwidth> &points,
                           uint64_t bytes) {
  // Caches double rather than grow.
  return interpolate(
      points, std::log2(std::max<uint64_t>(bytes, 1)),
      [](const Bandwidth &point) { return std::log2(point.bytes); },
      [](const Bandwidth &point) { return point.gigabytesPerSecond; });
}

double Ceilings::gigaflops(int count) const {
  return interpolate(threads, count, getThreads,
                     [](const ThreadCeilings &c) { return c.gigaflops; });
}

double Ceilings::readBandwidth(int count, uint64_t bytes) const {
  return interpolate(threads, count, getThreads, [&](const ThreadCeilings &c) {
    return getBandwidth(c.read, bytes);
  });
}

double Ceilings::copyBandwidth(int count, uint64_t bytes) const {
  return interpolate(threads, count, getThreads, [&](const ThreadCeilings &c) {
    return getBandwidth(c.copy, bytes);
  });
}

std::string hamkaas::getProcessorName() {
  return llvm::sys::getHostCPUName().str();
}

int hamkaas::getProcessorCount() {
  return llvm::hardware_concurrency().compute_thread_count();
}
