//===- Pipelines.cpp - Pipelines for GPU kernels ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/GPU/Pipelines.h"
#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace hamkaas;

void hamkaas::buildOutlineKernelsPipeline(OpPassManager &manager) {
  manager.addNestedPass<func::FuncOp>(createExpandMath());
  manager.addPass(createCSEPass());
  manager.addNestedPass<func::FuncOp>(createDistributeToThreads());
  manager.addPass(createOutlineDeviceCode());
  // Merges values that were computed per lane of a vector.
  manager.addNestedPass<gpu::GPUModuleOp>(createCanonicalizerPass());
  manager.addNestedPass<gpu::GPUModuleOp>(createCSEPass());
}

void hamkaas::buildLowerDevicePipeline(OpPassManager &manager) {
  auto &device = manager.nest<gpu::GPUModuleOp>();
  device.addPass(createLowerDeviceCode());
  device.addPass(createReconcileUnrealizedCastsPass());
  device.addPass(createCSEPass());
}

void hamkaas::buildEmulatePipeline(OpPassManager &manager,
                                   const EmulateOptions &options) {
  EmulateDeviceCodeOptions emulate;
  emulate.checkAccesses = options.checkAccesses;
  manager.addPass(createEmulateDeviceCode(emulate));
  // Views of views, for which the lowering to LLVM has no pattern.
  manager.addNestedPass<func::FuncOp>(
      memref::createExpandStridedMetadataPass());
  // Merges duplicate address computations.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createKernelsToLLVM());
  manager.addNestedPass<LLVM::LLVMFuncOp>(createReconcileUnrealizedCastsPass());
  manager.addNestedPass<LLVM::LLVMFuncOp>(createCSEPass());
}

void hamkaas::registerGPUPipelines() {
  PassPipelineRegistration<>(
      "hamkaas-gpu-outline-kernels",
      "Turn the kernels of a PLANNED program into functions of a gpu.module",
      buildOutlineKernelsPipeline);
  PassPipelineRegistration<>("hamkaas-gpu-lower-device",
                             "Lower the functions of a gpu.module to NVVM",
                             buildLowerDevicePipeline);
  PassPipelineRegistration<EmulateOptions>(
      "hamkaas-emulate-kernels",
      "Lower device code to functions of LLVM for the emulator",
      buildEmulatePipeline);
}
