//===- AttachTarget.cpp - Set what a module is compiled for -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/Pipelines.h"
#include "HamKaas/Target/TargetRegistry.h"

namespace hamkaas {
#define GEN_PASS_DEF_ATTACHTARGET
#include "HamKaas/Target/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {
struct AttachTargetPass : hamkaas::impl::AttachTargetBase<AttachTargetPass> {
  using AttachTargetBase::AttachTargetBase;

  void runOnOperation() override {
    CompileSettings settings;
    settings.target = target;
    settings.targetCpu = targetCpu;
    settings.gpuArch = gpuArch;
    settings.precision = precision;
    auto targets =
        TargetRegistry::get(&getContext()).select(settings, &getContext());
    if (!targets) {
      getOperation().emitError(llvm::toString(targets.takeError()));
      return signalPassFailure();
    }
    if (targets->size() != 1) {
      getOperation().emitError("expected one target for a module, got '")
          << target << "'";
      return signalPassFailure();
    }
    if (failed(attachTarget(getOperation(), targets->front())))
      signalPassFailure();
  }
};
} // namespace
