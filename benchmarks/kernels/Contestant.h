//===- Contestant.h - One of the loops that take turns ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_BENCHMARKS_KERNELS_CONTESTANT_H
#define HAMKAAS_BENCHMARKS_KERNELS_CONTESTANT_H

#include <functional>
#include <vector>

namespace hamkaas::benchmarks {

/// A call that is timed in turns with those of others. Every turn has as many
/// calls as fill a fixed time.
class Contestant {
public:
  explicit Contestant(std::function<void()> call);

  /// Returns the seconds of a call in this turn.
  double takeTurn();

  double best() const;
  /// How long this takes relative to `other`, in percent: of the best turns of
  /// both, and the median over the turns of each round. A call of this one
  /// stands for `scale` calls.
  double percentOfBest(const Contestant &other, double scale = 1) const;
  double medianPercent(const Contestant &other, double scale = 1) const;

private:
  double time(long calls) const;

  std::function<void()> call;
  long callsPerTurn = 1;
  std::vector<double> turns;
};

} // namespace hamkaas::benchmarks

#endif // HAMKAAS_BENCHMARKS_KERNELS_CONTESTANT_H
