//===- PhaseRunner.cpp - Runs the passes of a compilation -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseRunner.h"
#include "HamKaas/Run/CheckPasses.h"
#include "HamKaas/Support/ReportError.h"

using namespace mlir;
using namespace hamkaas;

llvm::Error PhaseRunner::beginStep(StringRef step) {
  if (!options.progress || options.progress(step, stepsDone++, totalSteps))
    return llvm::Error::success();
  return llvm::createStringError("the compilation was stopped before its "
                                 "step '" +
                                 step + "'");
}

llvm::Error PhaseRunner::beginLastStep(StringRef step) {
  stepsDone = totalSteps - 1;
  return beginStep(step);
}

llvm::Error PhaseRunner::run(ModuleOp module, PassManager &manager) {
  auto check = std::make_shared<PassCheckResult>();
  KnownTensors known = options.checkedTensors;
  if (options.parameters)
    known.parameters = options.parameters;
  if (options.checkEachPass)
    manager.addInstrumentation(createPassCheck(check, std::move(known)));
  if (failed(manager.run(module)) || check->isError())
    return llvm::make_error<ReportedError>();
  if (check->checkedPasses > 0)
    module.emitRemark("passes that changed the graph, and not what it "
                      "computes: ")
        << check->checkedPasses;
  return llvm::Error::success();
}

llvm::Error PhaseRunner::run(ModuleOp module,
                             llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  build(manager);
  return run(module, manager);
}
