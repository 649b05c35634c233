//===- Simplify.cpp - Algebra of the graph ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "SimplifyPatterns.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace hamkaas {
#define GEN_PASS_DEF_SIMPLIFY
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

DenseElementsAttr hamkaas::getConstantElements(Value value) {
  DenseElementsAttr elements;
  matchPattern(value, m_Constant(&elements));
  return elements;
}

std::optional<APFloat> hamkaas::getSplatFloat(Value value) {
  DenseElementsAttr elements = getConstantElements(value);
  if (!elements || !elements.isSplat() ||
      !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APFloat>();
}

std::optional<APInt> hamkaas::getSplatInteger(Value value) {
  DenseElementsAttr elements = getConstantElements(value);
  if (!elements || !elements.isSplat() ||
      !isa<IntegerType>(elements.getElementType()))
    return std::nullopt;
  return elements.getSplatValue<APInt>();
}

/// `Number` is APFloat or APInt.
template <typename Number>
static Value createSplatOf(PatternRewriter &rewriter, Location loc,
                           int64_t rank, Type elementType,
                           const Number &value) {
  auto type = RankedTensorType::get(SmallVector<int64_t>(rank, 1), elementType);
  return ConstantOp::create(rewriter, loc, DenseElementsAttr::get(type, value));
}

Value hamkaas::createSplat(PatternRewriter &rewriter, Location loc,
                           int64_t rank, Type elementType,
                           const APFloat &value) {
  return createSplatOf(rewriter, loc, rank, elementType, value);
}
Value hamkaas::createSplat(PatternRewriter &rewriter, Location loc,
                           int64_t rank, Type elementType, const APInt &value) {
  return createSplatOf(rewriter, loc, rank, elementType, value);
}

namespace {

struct Simplify : hamkaas::impl::SimplifyBase<Simplify> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateArithmeticPatterns(set);
    populateClampPatterns(set);
    populateCastPatterns(set);
    populateBroadcastPatterns(set);
    populateProductPatterns(set);
    populateWindowPatterns(set);
    populateConcatPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // Each pattern leaves less to do, so the driver ends by itself.
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config)))
      return signalPassFailure();
    shareConcats(getOperation());
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
