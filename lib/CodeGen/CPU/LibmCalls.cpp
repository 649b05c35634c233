//===- LibmCalls.cpp - Functions left to the C library ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LibmCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace hamkaas;

namespace {

/// A function of one argument, `name` for doubles and `name` + "f" for floats.
template <typename OpTy> struct CallLibm : ConvertOpToLLVMPattern<OpTy> {
  CallLibm(const LLVMTypeConverter &converter, StringRef name)
      : ConvertOpToLLVMPattern<OpTy>(converter), name(name) {}

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type element = getElementTypeOrSelf(op.getType());
    if (!element.isF32() && !element.isF64())
      return rewriter.notifyMatchFailure(op, "neither float nor double");
    auto module = op->template getParentOfType<ModuleOp>();
    FailureOr<LLVM::LLVMFuncOp> function = LLVM::lookupOrCreateFn(
        rewriter, module, element.isF32() ? name + "f" : name, element,
        element);
    if (failed(function))
      return failure();
    (*function)->setAttr(HamKaasDialect::libraryAttrName,
                         rewriter.getUnitAttr());
    Value x = adaptor.getOperand();
    auto vector = dyn_cast<VectorType>(x.getType());
    if (!vector) {
      rewriter.replaceOpWithNewOp<LLVM::CallOp>(op, *function, x);
      return success();
    }
    Value result = LLVM::PoisonOp::create(rewriter, loc, vector);
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      Value index = LLVM::ConstantOp::create(rewriter, loc,
                                             rewriter.getI64IntegerAttr(i));
      Value lane = LLVM::ExtractElementOp::create(rewriter, loc, x, index);
      Value value =
          LLVM::CallOp::create(rewriter, loc, *function, lane).getResult();
      result =
          LLVM::InsertElementOp::create(rewriter, loc, result, value, index);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  std::string name;
};

} // namespace

void hamkaas::populateLibmCallPatterns(const LLVMTypeConverter &converter,
                                       RewritePatternSet &patterns) {
  patterns.add<CallLibm<math::AcoshOp>>(converter, "acosh");
  patterns.add<CallLibm<math::AsinhOp>>(converter, "asinh");
  patterns.add<CallLibm<math::AtanhOp>>(converter, "atanh");
  patterns.add<CallLibm<math::ErfOp>>(converter, "erf");
}
