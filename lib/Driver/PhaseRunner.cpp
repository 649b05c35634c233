//===- PhaseRunner.cpp - Runs the passes of a compilation -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseRunner.h"
#include "HamKaas/Run/CheckPasses.h"
#include "HamKaas/Support/ReportError.h"
#include "mlir/IR/Verifier.h"

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
  if (manager.empty())
    return llvm::Error::success();
  // The passes are ours: their last result is verified, which is what LLVM gets
  // or the next phase. Verifying that of each took 12 % of the compilation of
  // ResNet-50.
#ifdef NDEBUG
  manager.enableVerifier(false);
#endif
  if (llvm::Error error = run(module, manager))
    return error;
  if (failed(verify(module)))
    return llvm::make_error<ReportedError>();
  return llvm::Error::success();
}
