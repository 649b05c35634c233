//===- Bufferize.cpp - Turns tensors into buffers -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace hamkaas {
#define GEN_PASS_DEF_BUFFERIZE
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace mlir::bufferization;
using namespace hamkaas;

/// Dense for the functions a caller sees. Kernels take any layout: memory
/// planning resolves it, and a copy at a call would be for nothing.
static BufferLikeType getArgumentType(TensorLikeType type, Attribute space,
                                      func::FuncOp function,
                                      const BufferizationOptions &) {
  auto tensorType = cast<TensorType>(type);
  if (function->hasAttr(HamKaasDialect::kernelAttrName))
    return cast<BufferLikeType>(
        getMemRefTypeWithFullyDynamicLayout(tensorType, space));
  return cast<BufferLikeType>(
      getMemRefTypeWithStaticIdentityLayout(tensorType, space));
}

/// Forbids writes to the arguments of `program` that are not marked writable.
/// NOTE: upstream takes every argument of a function for writable otherwise.
static void protectArguments(func::FuncOp program) {
  Builder builder(program.getContext());
  StringRef name = BufferizationDialect::kWritableAttrName;
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    if (!program.getArgAttr(i, name))
      program.setArgAttr(i, name, builder.getBoolAttr(false));
}

/// Drops the results of `program`, each of which is an argument by now.
static void dropResults(func::FuncOp program) {
  program.setFunctionType(
      FunctionType::get(program.getContext(), program.getArgumentTypes(), {}));
  program.removeResAttrsAttr();
  program.getBody().front().getTerminator()->setOperands({});
}

namespace {

struct Bufferize : hamkaas::impl::BufferizeBase<Bufferize> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> programs;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(HamKaasDialect::kernelAttrName))
        programs.push_back(function);
    llvm::for_each(programs, protectArguments);

    OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.functionArgTypeConverterFn = getArgumentType;
    options.inferFunctionResultLayout = false;
    options.opFilter.denyOperation<CheckOp>();
    BufferizationState state;
    if (failed(runOneShotModuleBufferize(getOperation(), options, state)))
      return signalPassFailure();

    // NOTE: cse before canonicalize, or copies of a buffer onto itself survive.
    OpPassManager cleanup(ModuleOp::getOperationName());
    // Canonicalization finds that loops carry one buffer; only then is a
    // kernel's result seen to be its last argument.
    cleanup.addPass(createCSEPass());
    cleanup.addPass(createCanonicalizerPass());
    cleanup.addPass(createDropEquivalentBufferResultsPass());
    cleanup.addPass(createCSEPass());
    cleanup.addPass(createCanonicalizerPass());
    if (failed(runPipeline(cleanup, getOperation())))
      return signalPassFailure();
    llvm::for_each(programs, dropResults);
  }
};

} // namespace
