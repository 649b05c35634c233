//===- EngineKernels.h - Kernels of engine libraries ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_ENGINEKERNELS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_ENGINEKERNELS_H

#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace hamkaas {

/// The engine that computes `kernel`; null if our code does.
inline EngineAttr getEngine(mlir::func::FuncOp kernel) {
  if (kernel.isExternal())
    return nullptr;
  auto calls = kernel.getBody().getOps<EngineCallOp>();
  return calls.empty() ? nullptr : (*calls.begin()).getEngine();
}

/// Returns whether a GPU runs what the engine computes: by the text of the
/// group, as `HamKaas/Runtime/Engine/EngineGroup.h` describes it.
inline bool isOnGpu(EngineAttr engine) {
  return engine.getGroup().starts_with("hamkaas-group 1\ndevice cuda\n");
}

/// The kernels that engines compute. The index of each is its number among the
/// program's engine calls.
inline llvm::SmallVector<mlir::func::FuncOp>
findEngineKernels(mlir::ModuleOp module) {
  llvm::SmallVector<mlir::func::FuncOp> kernels;
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (getEngine(function))
      kernels.push_back(function);
  return kernels;
}

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_ENGINEKERNELS_H
