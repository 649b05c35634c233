//===- BFloat16Constants.cpp - bfloat16 in the LLVM dialect -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/BFloat16Constants.h"
#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {
/// A constant of bfloat16 by its bits.
struct LowerBFloat16Constant : ConvertOpToLLVMPattern<arith::ConstantOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isBF16())
      return rewriter.notifyMatchFailure(op, "no bfloat16");
    Attribute bits;
    if (auto elements = dyn_cast<DenseElementsAttr>(op.getValue()))
      bits = elements.bitcast(rewriter.getI16Type());
    else
      bits = rewriter.getIntegerAttr(
          rewriter.getI16Type(),
          cast<FloatAttr>(op.getValue()).getValue().bitcastToAPInt());
    rewriter.replaceOpWithNewOp<LLVM::ConstantOp>(
        op, getTypeConverter()->convertType(op.getType()), bits);
    return success();
  }
};
} // namespace

void hamkaas::storeBFloat16AsIntegers(LLVMTypeConverter &converter,
                                      RewritePatternSet &patterns) {
  converter.addConversion([](BFloat16Type type) -> Type {
    return IntegerType::get(type.getContext(), 16);
  });
  converter.addConversion([](VectorType type) -> std::optional<Type> {
    if (!type.getElementType().isBF16())
      return std::nullopt;
    return type.clone(IntegerType::get(type.getContext(), 16));
  });
  patterns.add<LowerBFloat16Constant>(converter, /*benefit=*/2);
}
