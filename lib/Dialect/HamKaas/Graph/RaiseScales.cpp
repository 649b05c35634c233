//===- RaiseScales.cpp - Takes scales out of products -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "RaisePatterns.h"
#include "SimplifyPatterns.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hamkaas;

std::optional<double> hamkaas::getFactor(Operation *op) {
  if (!isa_and_nonnull<MulOp, DivOp>(op))
    return std::nullopt;
  std::optional<APFloat> number = getSplatFloat(op->getOperand(1));
  if (!number || !number->isFiniteNonZero())
    return std::nullopt;
  double factor = number->convertToDouble();
  return isa<MulOp>(op) ? factor : 1 / factor;
}

bool hamkaas::isScale(double number) {
  return std::abs(number) >= std::numeric_limits<float>::min() &&
         std::abs(number) <= std::numeric_limits<float>::max();
}

namespace {

/// Operations that multiply all elements of a value by numbers, if nothing else
/// needs them, whether they are moved in between or not.
struct Scaling {
  SmallVector<Operation *> ops;
  double scale = 1;

  void collect(Value value);
  /// Returns whether products that the scale takes into the range of float32,
  /// or out of it, were at its edge anyway.
  bool isModerate() const {
    return std::abs(scale) >= 0x1p-32 && std::abs(scale) <= 0x1p32;
  }
};

} // namespace

void Scaling::collect(Value value) {
  while (value.hasOneUse()) {
    Operation *op = value.getDefiningOp();
    if (std::optional<double> factor = getFactor(op)) {
      ops.push_back(op);
      scale *= *factor;
    } else if (!isa_and_nonnull<ReshapeOp, PermuteOp, BroadcastOp>(op)) {
      return;
    }
    value = op->getOperand(0);
  }
}

namespace {

/// (a * l) * (b * r) is (a * b) * (l * r), of batches of float32 matrices.
struct RaiseScales : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    if (getShape(op).size() != 3 || !op.getType().getElementType().isF32())
      return rewriter.notifyMatchFailure(op, "no float32 matrices in batches");
    Scaling scaling;
    scaling.collect(op.getLhs());
    scaling.collect(op.getRhs());
    if (scaling.ops.empty() || !scaling.isModerate())
      return rewriter.notifyMatchFailure(op, "no operand is scaled");
    SmallVector<Location> locations = {op.getLoc()};
    for (Operation *scaled : scaling.ops) {
      locations.push_back(scaled->getLoc());
      rewriter.replaceOp(scaled, scaled->getOperand(0));
    }
    multiply(rewriter, op, scaling.scale, fuseLocations(locations));
    return success();
  }

private:
  static void multiply(PatternRewriter &rewriter, MatMulOp op, double scale,
                       Location loc) {
    rewriter.setInsertionPointAfter(op);
    Type type = op.getType().getElementType();
    Value number = createSplat(rewriter, loc, 3, type, APFloat(float(scale)));
    auto scaled = MulOp::create(rewriter, loc, op.getResult(), number);
    rewriter.replaceAllUsesExcept(op.getResult(), scaled, scaled);
  }
};

} // namespace

void hamkaas::populateRaiseScalePatterns(RewritePatternSet &patterns) {
  patterns.add<RaiseScales>(patterns.getContext());
}
