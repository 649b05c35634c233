//===- TrainingMemory.cpp - The memory of a training step -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Report/TrainingMemory.h"
#include <algorithm>
#include <map>

using namespace hamkaas;

/// The most bytes of activations that are in use at one step.
static uint64_t countActivations(const FunctionInfo &info) {
  std::map<int64_t, int64_t> changes;
  for (const WorkspaceBuffer &buffer : info.buffers) {
    if (!buffer.isActivation)
      continue;
    changes[buffer.first] += buffer.bytes;
    changes[buffer.last + 1] -= buffer.bytes;
  }
  int64_t inUse = 0, most = 0;
  for (auto [step, change] : changes) {
    inUse += change;
    most = std::max(most, inUse);
  }
  return most;
}

TrainingMemory hamkaas::getTrainingMemory(const ProgramInfo &info) {
  TrainingMemory memory;
  for (const TensorInfo &state : info.states)
    (state.role == "parameter" ? memory.parameters
     : state.role == "moment"  ? memory.moments
                               : memory.otherStates) += state.bytes();
  uint64_t workspace = info.sharedWorkspaceBytes();
  for (const FunctionInfo *function : info.functions())
    memory.activations =
        std::max(memory.activations, countActivations(*function));
  // Of a pair that shares a place, both are in use at one step.
  memory.activations = std::min(memory.activations, workspace);
  memory.otherWorkspace = workspace - memory.activations;
  return memory;
}
