//===- TrainingMemory.h - The memory of a training step ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_REPORT_TRAININGMEMORY_H
#define HAMKAAS_REPORT_TRAININGMEMORY_H

#include "HamKaas/Program/ProgramInfo.h"

namespace hamkaas {

/// Parts of the regions state and workspace, in bytes.
struct TrainingMemory {
  uint64_t parameters = 0;
  uint64_t moments = 0;
  uint64_t otherStates = 0;
  /// Of the workspace, at the step of all functions that has most of them.
  uint64_t activations = 0;
  uint64_t otherWorkspace = 0;

  /// Returns whether the program has a training step.
  bool isTraining() const { return parameters > 0; }
};

TrainingMemory getTrainingMemory(const ProgramInfo &info);

} // namespace hamkaas

#endif // HAMKAAS_REPORT_TRAININGMEMORY_H
