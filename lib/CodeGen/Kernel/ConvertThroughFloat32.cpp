//===- ConvertThroughFloat32.cpp - Integers to narrow floats ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/ConvertThroughFloat32.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace {
template <typename ConvertOp>
struct ConvertThroughFloat32 : OpRewritePattern<ConvertOp> {
  using OpRewritePattern<ConvertOp>::OpRewritePattern;

  LogicalResult matchAndRewrite(ConvertOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (getElementTypeOrSelf(type).getIntOrFloatBitWidth() != 16)
      return rewriter.notifyMatchFailure(op, "no float of 16 bits");
    Type wide = rewriter.getF32Type();
    if (auto vector = dyn_cast<VectorType>(type))
      wide = vector.clone(wide);
    Value number = ConvertOp::create(rewriter, op.getLoc(), wide, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, type, number);
    return success();
  }
};
} // namespace

void hamkaas::populateConvertThroughFloat32Patterns(
    RewritePatternSet &patterns) {
  patterns.add<ConvertThroughFloat32<arith::SIToFPOp>,
               ConvertThroughFloat32<arith::UIToFPOp>>(patterns.getContext());
}
