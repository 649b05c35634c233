//===- VerifyTarget.cpp - Checks the form TARGET ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"

namespace hamkaas {
#define GEN_PASS_DEF_VERIFYTARGET
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

struct VerifyTarget : hamkaas::impl::VerifyTargetBase<VerifyTarget> {
  void runOnOperation() override {
    if (failed(verifyModule()))
      signalPassFailure();
  }

private:
  LogicalResult verifyModule() {
    for (Operation &op : *getOperation().getBody()) {
      if (auto device = dyn_cast<gpu::GPUModuleOp>(op)) {
        if (failed(verifyDevice(device)))
          return failure();
        continue;
      }
      auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
      if (!function && !isa<LLVM::GlobalOp>(op))
        return op.emitError("expected only functions and globals of the LLVM "
                            "dialect, got ")
               << op.getName();
      if (function && failed(verifyFunction(function)))
        return failure();
      if (failed(verifyDialect(op)))
        return failure();
    }
    return verifyEntryPoints();
  }

  LogicalResult verifyFunction(LLVM::LLVMFuncOp function) {
    if (function->hasAttr(HamKaasDialect::libraryAttrName))
      return success();
    if (function.isExternal())
      return function.emitError("expected @")
             << function.getSymName() << " to be defined";
    // HamKaasKernelFunction: arguments, begin, end, values.
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    Type i64 = IntegerType::get(&getContext(), 64);
    if (!function->hasAttr(HamKaasDialect::kernelAttrName))
      return success();
    SmallVector<Type> arguments = {pointer, i64, i64, pointer};
    // And the sizes; see MergeKernels.
    if (function.getNumArguments() == 5)
      arguments.push_back(pointer);
    return verifyType(function, arguments);
  }

  static LogicalResult verifyDevice(gpu::GPUModuleOp device) {
    WalkResult result = device.walk([&](Operation *inner) {
      if (inner == device ||
          isa_and_present<LLVM::LLVMDialect, NVVM::NVVMDialect>(
              inner->getDialect()))
        return WalkResult::advance();
      inner->emitError("expected only operations of the LLVM and NVVM dialects "
                       "in device code, got ")
          << inner->getName();
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  static LogicalResult verifyDialect(Operation &op) {
    WalkResult result = op.walk([](Operation *inner) {
      if (isa_and_present<LLVM::LLVMDialect>(inner->getDialect()))
        return WalkResult::advance();
      inner->emitError("expected only operations of the LLVM dialect, got ")
          << inner->getName();
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult verifyEntryPoints() {
    SymbolTable symbols(getOperation());
    bool isDevice = symbols.lookup(deviceRunSymbol);
    auto findRun = [&](size_t number) {
      return symbols.lookup<LLVM::LLVMFuncOp>(
          getRunSymbol(isDevice ? deviceRunSymbol : runSymbol, number));
    };
    auto prepare = symbols.lookup<LLVM::LLVMFuncOp>(
        isDevice ? devicePrepareSymbol : prepareSymbol);
    if (!findRun(0))
      return getOperation().emitError("expected a function @") << runSymbol;
    Type pointer = LLVM::LLVMPointerType::get(&getContext());
    // HamKaasRunFunction: execution, inputs, outputs, constants, state,
    // workspace. HamKaasPrepareFunction: execution, parameters, constants,
    // workspace.
    for (size_t i = 0; LLVM::LLVMFuncOp run = findRun(i); ++i)
      if (failed(verifyType(run, SmallVector<Type>(6, pointer))))
        return failure();
    return prepare ? verifyType(prepare, SmallVector<Type>(4, pointer))
                   : success();
  }

  /// Each function of a program returns a status.
  LogicalResult verifyType(LLVM::LLVMFuncOp function,
                           ArrayRef<Type> arguments) {
    auto expected = LLVM::LLVMFunctionType::get(
        IntegerType::get(&getContext(), 32), arguments);
    if (function.getFunctionType() == expected)
      return success();
    return function.emitError("expected @")
           << function.getSymName() << " to be of type " << expected << ", got "
           << function.getFunctionType();
  }
};

} // namespace
