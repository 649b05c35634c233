//===- Contestant.cpp - One of the loops that take turns --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contestant.h"
#include <algorithm>
#include <chrono>
#include <cmath>

using namespace hamkaas::benchmarks;

/// Long enough that neither the clock nor what another contestant left in the
/// caches matters, short enough to see one clock frequency.
static constexpr double secondsOfTurn = 1e-3;

Contestant::Contestant(std::function<void()> call) : call(std::move(call)) {
  time(1); // The first call finds nothing in the caches.
  callsPerTurn = std::max(1l, std::lround(secondsOfTurn / time(1)));
}

double Contestant::time(long calls) const {
  auto begin = std::chrono::steady_clock::now();
  for (long i = 0; i < calls; ++i)
    call();
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  return taken.count();
}

double Contestant::takeTurn() {
  turns.push_back(time(callsPerTurn) / static_cast<double>(callsPerTurn));
  return turns.back();
}

double Contestant::best() const {
  return *std::min_element(turns.begin(), turns.end());
}

double Contestant::percentOfBest(const Contestant &other, double scale) const {
  return 100 * scale * best() / other.best();
}

double Contestant::medianPercent(const Contestant &other, double scale) const {
  std::vector<double> percents(turns.size());
  for (size_t i = 0; i < turns.size(); ++i)
    percents[i] = 100 * scale * turns[i] / other.turns[i];
  auto middle = percents.begin() + percents.size() / 2;
  std::nth_element(percents.begin(), middle, percents.end());
  return *middle;
}
