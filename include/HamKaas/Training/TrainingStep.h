//===- TrainingStep.h - The training step of a graph ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TRAINING_TRAININGSTEP_H
#define HAMKAAS_TRAINING_TRAININGSTEP_H

#include "HamKaas/Frontend/Builder/UserGraph.h"
#include "HamKaas/Training/Optimizer.h"

namespace hamkaas {

/// The loss that a step minimizes, and the way.
struct TrainingRequest {
  /// A value of floats with one element.
  uint32_t loss;
  const Optimizer &optimizer;
  /// A scalar of floats in place of the optimizer's own rate.
  std::optional<uint32_t> learningRate = std::nullopt;
  /// The states to train; if there are none, all of floats that the loss
  /// depends on.
  llvm::ArrayRef<uint32_t> states = {};
  /// A glob pattern of names of states that are not trained; empty for none.
  llvm::StringRef frozen = {};
};

/// Adds the gradients of the loss and the updates of the states to the function
/// that is being built. Each update stands directly behind its gradient, so
/// that no two gradients need to be in memory at once; clipping by the norm
/// needs all of them.
///
/// The moments of the state `w` are states too, such as "adam.mean.w", zero at
/// first, in float32 if `w` has 16 bits. The state "adam.step", int64 [],
/// counts the steps that are done. States of such names that exist are used.
/// After an error the graph is as before.
llvm::Error addTrainingStep(graph::UserGraph &graph,
                            const TrainingRequest &request,
                            mlir::Location location);

} // namespace hamkaas

#endif // HAMKAAS_TRAINING_TRAININGSTEP_H
