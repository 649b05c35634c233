//===- PhaseRunner.h - Runs the passes of a compilation ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_PHASERUNNER_H
#define HAMKAAS_LIB_DRIVER_PHASERUNNER_H

#include "HamKaas/Driver/CompileOptions.h"
#include "mlir/Pass/PassManager.h"

namespace hamkaas {

/// Tells the progress of a compilation of `totalSteps`, and runs its passes.
class PhaseRunner {
public:
  PhaseRunner(const CompileOptions &options, int totalSteps)
      : options(options), totalSteps(totalSteps) {}

  /// An error if the compilation is to end before `step`.
  llvm::Error beginStep(llvm::StringRef step);
  /// The same, in place of all steps that are left.
  llvm::Error beginLastStep(llvm::StringRef step);

  /// Runs passes on `module`. Beyond GRAPH there is nothing to interpret, so no
  /// pass is checked there.
  llvm::Error run(mlir::ModuleOp module, mlir::PassManager &manager);
  /// The same, and verifies the result instead of that of each pass.
  llvm::Error run(mlir::ModuleOp module,
                  llvm::function_ref<void(mlir::OpPassManager &)> build);

private:
  const CompileOptions &options;
  int totalSteps;
  int stepsDone = 0;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_PHASERUNNER_H
