//===- VerifyKernels.cpp - Checks the form KERNELS -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h"
#include "HamKaas/Dialect/HamKaas/Transforms/TensorViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace hamkaas {
#define GEN_PASS_DEF_VERIFYKERNELS
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

struct VerifyKernels : hamkaas::impl::VerifyKernelsBase<VerifyKernels> {
  void runOnOperation() override {
    for (Operation &op : *getOperation().getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function)
        return fail(op.emitError("expected only functions, got ")
                    << op.getName());
      if (function.isExternal() || !function.getBody().hasOneBlock())
        return fail(function.emitError("expected @")
                    << function.getSymName() << " to have one block");
      bool isKernel = function->hasAttr(HamKaasDialect::kernelAttrName);
      if (failed(isKernel ? verifyKernel(function) : verifyProgram(function)))
        return signalPassFailure();
    }
  }

private:
  void fail(InFlightDiagnostic) { signalPassFailure(); }

  static LogicalResult verifyKernel(func::FuncOp kernel) {
    if (kernel.getNumResults() != 1 || kernel.getNumArguments() == 0 ||
        kernel.getArgumentTypes().back() != kernel.getResultTypes().front())
      return kernel.emitError("expected the last argument of kernel @")
             << kernel.getSymName()
             << " to have the type of its only result";
    WalkResult result = kernel.walk([](Operation *op) {
      if (isa<HamKaasDialect>(op->getDialect()) && !isa<CheckOp>(op)) {
        op->emitError("expected no ") << op->getName() << " in a kernel";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  static LogicalResult verifyProgram(func::FuncOp program) {
    for (Operation &op : program.getBody().front()) {
      bool isAllowed =
          isTensorView(&op) ||
          isa<arith::ConstantOp, bufferization::MaterializeInDestinationOp,
              func::CallOp, func::ReturnOp, tensor::EmptyOp>(op);
      if (!isAllowed)
        return op.emitError("expected a call of a kernel or a view, got ")
               << op.getName();
    }
    return success();
  }
};

} // namespace
