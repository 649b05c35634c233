//===- CandidateTimer.h - Programs compared by the clock --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_CANDIDATETIMER_H
#define HAMKAAS_LIB_DRIVER_CANDIDATETIMER_H

#include "HamKaas/Driver/CompileOptions.h"
#include "HamKaas/Program/ProgramInMemory.h"
#include "HamKaas/Run/Runner.h"
#include "HamKaas/Run/Tensors.h"
#include <chrono>
#include <memory>
#include <vector>

namespace hamkaas {

using Deadline = std::chrono::steady_clock::time_point;

/// Compiles a graph, which is of no use afterwards.
using CompileFunction = llvm::function_ref<llvm::Expected<ProgramInMemory>(
    mlir::ModuleOp graph, const CompileOptions &options)>;

/// Compares programs of one model that differ in their engines. They run on the
/// same inputs in turns, so that a busy machine slows all of them.
class CandidateTimer {
public:
  /// `graph`, a model in GRAPH, is not changed. Parameters have the contents
  /// that `options` has, or random ones.
  CandidateTimer(mlir::ModuleOp graph, const CompileOptions &options,
                 CompileFunction compile);
  ~CandidateTimer();

  /// Compiles the model with the engines of these options, and runs it. The
  /// results of the first candidate decide what is right. An error if it cannot
  /// be compiled or run; after another than the first, that is no candidate.
  llvm::Error add(llvm::StringRef engine, llvm::StringRef choices = {});

  /// Differences up to this factor are left to chance.
  static constexpr double noise = 1.02;

  /// How many there are.
  size_t size() const { return candidates.size(); }

  /// Lets them run in turns until the fastest are known, or until the deadline,
  /// but a few times each in any case. Of many, the one that looks best owes
  /// something to luck: it and the first are then measured anew.
  llvm::Error run(Deadline deadline);

  /// The median seconds of a run.
  double getSeconds(size_t candidate) const;

  /// The first whose time is within a fiftieth of the best: noise shall not
  /// decide.
  size_t getBest() const;

private:
  struct Candidate;

  llvm::Expected<double> takeTurn(Candidate &candidate);
  llvm::Error takeTurns();
  llvm::Error start(Candidate &candidate);
  llvm::Error checkResults(Candidate &candidate, llvm::StringRef name);

  mlir::ModuleOp graph;
  CompileOptions options;
  CompileFunction compile;
  std::vector<Tensor> contents, inputs;
  std::vector<std::unique_ptr<Candidate>> candidates;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_CANDIDATETIMER_H
