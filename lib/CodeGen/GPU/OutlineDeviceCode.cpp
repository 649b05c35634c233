//===- OutlineDeviceCode.cpp - Kernels to a gpu.module ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceFunctions.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/FusedCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSet.h"

namespace hamkaas {
#define GEN_PASS_DEF_OUTLINEDEVICECODE
#include "HamKaas/CodeGen/GPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {
struct OutlineDeviceCodePass
    : hamkaas::impl::OutlineDeviceCodeBase<OutlineDeviceCodePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Parts of fused kernels may be no kernels of their own.
    SmallVector<func::FuncOp> kernels, fused, parts;
    llvm::StringSet<> called = findCalled();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!getFusedCalls(function).empty())
        fused.push_back(function);
      else if (function->hasAttr(HamKaasDialect::tileRunnerAttrName))
        (isPartOnly(function, called) ? parts : kernels).push_back(function);
    }
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto device =
        gpu::GPUModuleOp::create(builder, module.getLoc(), deviceModuleName);
    builder.setInsertionPointToStart(device.getBody());
    bool asksFailure =
        llvm::any_of(kernels, hasChecks) || llvm::any_of(parts, hasChecks);
    CallFacts facts(module);
    // Before the others, whose bodies they have copies of.
    for (func::FuncOp kernel : fused)
      if (failed(outlineFused(builder, kernel, facts.get(kernel), asksFailure)))
        return signalPassFailure();
    for (func::FuncOp part : parts)
      part.erase();
    for (func::FuncOp kernel : kernels)
      if (failed(outline(builder, kernel, facts.get(kernel), asksFailure)))
        return signalPassFailure();
    copyConstants(builder, device);
  }

private:
  int64_t count = 0;

  /// Adds the functions of `kernel` and leaves a declaration.
  LogicalResult outline(OpBuilder &builder, func::FuncOp kernel,
                        ArrayRef<ArgumentFacts> facts, bool asksFailure) {
    return outline(builder, kernel, kernel, facts, asksFailure);
  }

  /// The same for one whose tiles are those of `parts`, which have all of its
  /// arguments.
  LogicalResult outline(OpBuilder &builder, func::FuncOp kernel,
                        ArrayRef<func::FuncOp> parts,
                        ArrayRef<ArgumentFacts> facts, bool asksFailure) {
    SmallVector<int64_t> checked;
    int64_t checks = -1;
    for (func::FuncOp part : parts) {
      if (!part.getBody().hasOneBlock())
        return part.emitError("expected a kernel of one block");
      if (!hasChecks(part))
        continue;
      // All parts with checks check the same.
      if (checks < 0) {
        llvm::append_range(checked, getCheckedArguments(part));
        addCheckFunction(builder, part);
        checks = count++;
      }
      dropChecks(part);
    }
    if (failed(addTileFunction(builder, kernel.getSymName(), parts, facts,
                               asksFailure)))
      return failure();
    kernel->setAttr(
        HamKaasDialect::deviceKernelAttrName,
        DeviceKernelAttr::get(&getContext(), count++, checks, checked));
    declare(kernel);
    return success();
  }

  /// The functions that programs call.
  llvm::StringSet<> findCalled() {
    llvm::StringSet<> called;
    getOperation().walk([&](func::CallOp call) {
      if (getFusedCalls(call->getParentOfType<func::FuncOp>()).empty())
        called.insert(call.getCallee());
    });
    return called;
  }

  static bool isPartOnly(func::FuncOp kernel, const llvm::StringSet<> &called) {
    return !called.contains(kernel.getSymName()) &&
           !SymbolTable::symbolKnownUseEmpty(kernel, kernel->getParentOp());
  }

  LogicalResult outlineFused(OpBuilder &builder, func::FuncOp kernel,
                             ArrayRef<ArgumentFacts> facts, bool asksFailure) {
    if (failed(verifyFused(kernel)))
      return failure();
    SymbolTable symbols(getOperation());
    SmallVector<OwningOpRef<func::FuncOp>> owned;
    SmallVector<func::FuncOp> parts;
    unsigned begin = 0;
    for (auto call : kernel.getOps<func::CallOp>()) {
      auto part = symbols.lookup<func::FuncOp>(call.getCallee()).clone();
      owned.push_back(part);
      parts.push_back(part);
      part.setName(kernel.getSymName());
      // Arguments before and behind its own.
      TypeRange types = kernel.getArgumentTypes();
      unsigned end = begin + part.getNumArguments();
      for (unsigned i = 0; i < types.size(); ++i)
        if (i < begin || i >= end)
          (void)part.insertArgument(i, types[i], {}, kernel.getLoc());
      begin = end;
    }
    return outline(builder, kernel, parts, facts, asksFailure);
  }

  LogicalResult verifyFused(func::FuncOp kernel) {
    if (!kernel.getBody().hasOneBlock())
      return kernel.emitError("expected a kernel of one block");
    SymbolTable symbols(getOperation());
    auto calls = llvm::to_vector(kernel.getOps<func::CallOp>());
    ArrayRef<int64_t> counts = getFusedCalls(kernel);
    if (calls.size() != counts.size())
      return kernel.emitError("expected ")
             << counts.size() << " calls of kernels, got " << calls.size();
    ValueRange arguments = kernel.getArguments();
    func::FuncOp checked;
    for (auto [call, count] : llvm::zip_equal(calls, counts)) {
      auto part = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!part || !part->hasAttr(HamKaasDialect::tileRunnerAttrName))
        return call.emitError("expected @")
               << call.getCallee() << " to be a kernel for a GPU";
      if (!llvm::equal(call.getOperands(), arguments.take_front(count)))
        return call.emitError("expected the next ")
               << count << " arguments of @" << kernel.getSymName()
               << " as operands";
      if (hasChecks(part) && checked && part != checked)
        return call.emitError("expected the checks of @")
               << checked.getSymName() << " alone";
      if (hasChecks(part))
        checked = part;
      arguments = arguments.drop_front(count);
    }
    return success();
  }

  static void declare(func::FuncOp kernel) {
    kernel->removeAttr(HamKaasDialect::tileRunnerAttrName);
    kernel.eraseBody();
    kernel.setPrivate();
  }

  /// NOTE: public there, so that the host finds them by name.
  void copyConstants(OpBuilder &builder, gpu::GPUModuleOp device) {
    builder.setInsertionPointToStart(device.getBody());
    for (auto global : getOperation().getOps<memref::GlobalOp>())
      cast<memref::GlobalOp>(builder.clone(*global)).setPublic();
  }
};
} // namespace
