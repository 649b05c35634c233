//===- VerifyKernels.cpp - Checks the form KERNELS --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

namespace hamkaas {
#define GEN_PASS_DEF_VERIFYKERNELS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

struct VerifyKernels : hamkaas::impl::VerifyKernelsBase<VerifyKernels> {
  void runOnOperation() override {
    if (failed(verifyModule()))
      signalPassFailure();
  }

private:
  LogicalResult verifyModule() {
    SymbolTable symbols(getOperation());
    for (Operation &op : *getOperation().getBody()) {
      auto function = dyn_cast<func::FuncOp>(op);
      if (!function)
        return op.emitError("expected only functions, got ") << op.getName();
      if (failed(verifyStraightLine(function)))
        return failure();
      bool isKernel = function->hasAttr(HamKaasDialect::kernelAttrName);
      if (failed(isKernel ? verifyKernel(function)
                          : verifyProgram(function, symbols)))
        return failure();
    }
    return findEntryFunctions(getOperation());
  }

  static LogicalResult verifyKernel(func::FuncOp kernel) {
    for (Type type : kernel.getArgumentTypes())
      if (!isStaticTensor(type))
        return kernel.emitError("expected the arguments of kernel @")
               << kernel.getSymName() << " to be tensors of static shape, got "
               << type;
    if (kernel.getNumResults() != 1 || kernel.getNumArguments() == 0 ||
        kernel.getArgumentTypes().back() != kernel.getResultTypes().front())
      return kernel.emitError("expected the last argument of kernel @")
             << kernel.getSymName() << " to have the type of its only result";
    WalkResult result = kernel.getBody().walk([](Operation *op) {
      bool isAllowed =
          isa<CheckOp, DequantizePanelsOp, DequantizeRowsOp, EngineCallOp,
              func::ReturnOp>(op) ||
          isa_and_present<arith::ArithDialect, linalg::LinalgDialect,
                          math::MathDialect, scf::SCFDialect,
                          tensor::TensorDialect>(op->getDialect());
      if (isAllowed)
        return WalkResult::advance();
      op->emitError("expected no ") << op->getName() << " in a kernel";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  static LogicalResult verifyProgram(func::FuncOp program,
                                     const SymbolTable &symbols) {
    if (!getProgramSignature(program))
      return program.emitError("expected only kernels, bodies of loops, entry "
                               "functions and @prepare, got @")
             << program.getSymName();
    FunctionType type = program.getFunctionType();
    for (Type tensor :
         llvm::concat<const Type>(type.getInputs(), type.getResults()))
      if (!isStaticTensor(tensor))
        return program.emitError("expected @")
               << program.getSymName()
               << " to have tensors of static shape, got " << tensor;
    for (Operation &op : program.getBody().front()) {
      bool isAllowed =
          isTensorView(&op) ||
          isa<arith::ConstantOp, bufferization::MaterializeInDestinationOp,
              func::CallOp, func::ReturnOp, RepeatOp, tensor::EmptyOp,
              tensor::InsertSliceOp>(op);
      if (!isAllowed)
        return op.emitError(
                   "expected a call of a kernel, a loop or a view, got ")
               << op.getName();
      auto call = dyn_cast<func::CallOp>(op);
      if (call && !isKernel(symbols.lookup(call.getCallee())))
        return op.emitError("expected @")
               << call.getCallee() << " to be a kernel";
      auto repeat = dyn_cast<RepeatOp>(op);
      if (repeat && !symbols.lookup(repeat.getCallee())
                         ->hasAttr(HamKaasDialect::loopAttrName))
        return op.emitError("expected @")
               << repeat.getCallee() << " to be the body of a loop";
    }
    return success();
  }

  static bool isStaticTensor(Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  }

  static bool isKernel(Operation *op) {
    return op && op->hasAttr(HamKaasDialect::kernelAttrName);
  }
};

} // namespace
