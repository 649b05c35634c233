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
  /// Products that the scale takes into the range of float32, or out of it,
  /// must have been at its edge anyway.
  Mismatch match() const {
    if (std::abs(scale) >= 0x1p-32 && std::abs(scale) <= 0x1p32)
      return {};
    return {"the product of the scales is not between 2^-32 and 2^32"};
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

/// That of the operands of `op`; none unless it multiplies batches of float32
/// matrices.
static Scaling getScaling(MatMulOp op) {
  Scaling scaling;
  if (getShape(op).size() != 3 || !op.getType().getElementType().isF32())
    return scaling;
  scaling.collect(op.getLhs());
  scaling.collect(op.getRhs());
  return scaling;
}

namespace {

/// (a * l) * (b * r) is (a * b) * (l * r), of batches of float32 matrices.
struct RaiseScales : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    Scaling scaling = getScaling(op);
    if (scaling.ops.empty())
      return rewriter.notifyMatchFailure(op, "no operand is scaled");
    if (Mismatch mismatch = scaling.match())
      return rewriter.notifyMatchFailure(op, mismatch.reason);
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

void hamkaas::findMissedScale(Operation *op, MissedFn missed) {
  auto product = dyn_cast<MatMulOp>(op);
  Scaling scaling = product ? getScaling(product) : Scaling();
  if (!scaling.ops.empty())
    missed("scale", op, scaling.match());
}
