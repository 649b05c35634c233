//===- Targets.cpp - The targets that this compiler has ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/Targets.h"
#ifdef HAMKAAS_HAS_CUDA
#include "CudaTarget.h"
#endif
#include "HamKaas/Target/CpuTarget.h"

using namespace mlir;
using namespace hamkaas;

ArrayRef<const Target *> hamkaas::getTargets() {
  static constexpr CpuTarget cpu("cpu");
#ifdef HAMKAAS_HAS_CUDA
  static constexpr CudaTarget cuda("cuda");
  static constexpr CudaEmulationTarget cudaEmulation(cudaEmulationName);
  static constexpr const Target *targets[] = {&cpu, &cuda, &cudaEmulation};
#else
  static constexpr const Target *targets[] = {&cpu};
#endif
  return targets;
}

void hamkaas::registerTargets(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, HamKaasDialect *dialect) {
    auto &targets = dialect->addInterface<TargetRegistry>();
    for (const Target *target : getTargets())
      targets.add(*target);
  });
}
