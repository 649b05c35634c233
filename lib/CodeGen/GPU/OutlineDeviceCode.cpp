//===- OutlineDeviceCode.cpp - Kernels to a gpu.module ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <numeric>

namespace hamkaas {
#define GEN_PASS_DEF_OUTLINEDEVICECODE
#include "HamKaas/CodeGen/GPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

static bool hasChecks(func::FuncOp kernel) {
  return !kernel.getOps<CheckOp>().empty();
}

/// Null if no library can compute the kernel.
static MatmulAttr getMatmul(func::FuncOp kernel) {
  return kernel->getAttrOfType<MatmulAttr>(HamKaasDialect::matmulAttrName);
}

namespace {
struct OutlineDeviceCodePass
    : hamkaas::impl::OutlineDeviceCodeBase<OutlineDeviceCodePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> kernels;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(HamKaasDialect::tileRunnerAttrName))
        kernels.push_back(function);
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto device =
        gpu::GPUModuleOp::create(builder, module.getLoc(), deviceModuleName);
    builder.setInsertionPointToStart(device.getBody());
    bool asksFailure = llvm::any_of(kernels, hasChecks);
    CallFacts facts(module);
    for (func::FuncOp kernel : kernels) {
      if (getMatmul(kernel) && !(asksFailure && facts.mayWriteState(kernel)))
        leaveToLibrary(kernel, getMatmul(kernel), facts.get(kernel));
      else if (failed(outline(builder, kernel, facts.get(kernel), asksFailure)))
        return signalPassFailure();
    }
    copyConstants(builder, device);
  }

private:
  int64_t count = 0, matmulCount = 0;

  /// Leaves a declaration of a matmul that is not in the device code.
  void leaveToLibrary(func::FuncOp kernel, MatmulAttr matmul,
                      ArrayRef<ArgumentFacts> facts) {
    int64_t alignment = 0;
    for (const ArgumentFacts &fact : facts)
      alignment = std::gcd(alignment, fact.alignment);
    kernel->setAttr(HamKaasDialect::matmulAttrName,
                    matmul.withAlignment(alignment));
    kernel->setAttr(HamKaasDialect::deviceMatmulAttrName,
                    Builder(kernel).getI64IntegerAttr(matmulCount++));
    declare(kernel);
  }

  /// Adds the functions of `kernel` and leaves a declaration.
  LogicalResult outline(OpBuilder &builder, func::FuncOp kernel,
                        ArrayRef<ArgumentFacts> facts, bool asksFailure) {
    if (!kernel.getBody().hasOneBlock())
      return kernel.emitError("expected a kernel of one block");
    SmallVector<int64_t> checked;
    int64_t checks = -1;
    if (hasChecks(kernel)) {
      llvm::append_range(checked, getCheckedArguments(kernel));
      addCheckFunction(builder, kernel);
      checks = count++;
      dropChecks(kernel);
    }
    if (failed(addTileFunction(builder, kernel, facts, asksFailure)))
      return failure();
    kernel->setAttr(
        HamKaasDialect::deviceKernelAttrName,
        DeviceKernelAttr::get(&getContext(), count++, checks, checked));
    declare(kernel);
    return success();
  }

  static void declare(func::FuncOp kernel) {
    kernel->removeAttr(HamKaasDialect::tileRunnerAttrName);
    kernel.eraseBody();
    kernel.setPrivate();
  }

  /// Erases the checks, and what nothing else needs.
  static void dropChecks(func::FuncOp kernel) {
    SetVector<Operation *> slice = getCheckSlice(kernel);
    for (Operation *op : llvm::reverse(slice))
      if (isa<CheckOp>(op) || isOpTriviallyDead(op))
        op->erase();
  }

  /// NOTE: public there, so that the host finds them by name.
  void copyConstants(OpBuilder &builder, gpu::GPUModuleOp device) {
    builder.setInsertionPointToStart(device.getBody());
    for (auto global : getOperation().getOps<memref::GlobalOp>())
      cast<memref::GlobalOp>(builder.clone(*global)).setPublic();
  }
};
} // namespace
