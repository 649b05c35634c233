//===- EngineRuns.h - Runs of an engine in a child process ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_ENGINE_ENGINERUNS_H
#define HAMKAAS_LIB_ENGINE_ENGINERUNS_H

#include "HamKaas/Runtime/Engine/EngineLibrary.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hamkaas {

/// The elements of a tensor as a program has them.
using TensorBytes = std::vector<char>;

/// Runs of an engine, one after the other, with one plan: each on all of the
/// inputs, with one thread, and with two. The second time the tensors lie
/// elsewhere.
struct EngineRuns {
  static constexpr int timesEach = 2;

  const rt::EngineAccess &engine;
  const HamKaasEngineGroup &group;
  std::string knobs;
  /// "engine 'openblas' of /lib/x.so: matmul+add at net.hk:4:6"
  std::string place;
  /// One a run, each one an input of the group. Those that are constant are
  /// taken from the first.
  llvm::ArrayRef<std::vector<TensorBytes>> inputs;

  /// The bytes of a result before it is written. They differ each time, so that
  /// an element that is not written is told from one that has this value.
  static unsigned char getPattern(int time) { return time == 0 ? 0x5b : 0xa4; }

  /// Makes the runs in a child process and appends their results, `timesEach`
  /// for each of `inputs`. An error if the engine fails, crashes, takes too
  /// long, writes where it must not, or reads beyond a tensor.
  llvm::Error make(std::vector<TensorBytes> &results) const;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_ENGINE_ENGINERUNS_H
