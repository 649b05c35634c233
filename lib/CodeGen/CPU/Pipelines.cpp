//===- Pipelines.cpp - Pipelines for CPU kernels ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/CPU/Pipelines.h"
#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace hamkaas;

void hamkaas::buildLowerKernelsPipeline(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createStreamStores());
  manager.addNestedPass<func::FuncOp>(createExpandMath());
  manager.addPass(createCSEPass());
  manager.addPass(createKernelEntry());
  manager.addPass(createKernelsToLLVM());
  manager.addNestedPass<LLVM::LLVMFuncOp>(createReconcileUnrealizedCastsPass());
  manager.addNestedPass<LLVM::LLVMFuncOp>(createCSEPass());
  manager.addPass(createMergeKernels());
}

void hamkaas::registerCPUPipelines() {
  PassPipelineRegistration<>(
      "hamkaas-lower-kernels",
      "Lower bufferized, distributed kernels to functions of LLVM",
      buildLowerKernelsPipeline);
}
