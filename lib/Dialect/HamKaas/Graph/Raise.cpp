//===- Raise.cpp - Recognises what a frontend took apart --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "RaisePatterns.h"
#include "SimplifyPatterns.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace hamkaas {
#define GEN_PASS_DEF_RAISE
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

bool hamkaas::isNumber(Value value, double number) {
  std::optional<APFloat> found = getSplatFloat(value);
  if (!found)
    return false;
  APFloat expected(number);
  bool losesInfo;
  expected.convert(found->getSemantics(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
  if (found->bitwiseIsEqual(expected))
    return true;
  // An exporter may have rounded it on another way.
  double got = found->convertToDouble();
  return std::abs(got - number) <= 1e-6 * std::abs(number);
}

Value hamkaas::getInverted(Value value) {
  if (auto div = value.getDefiningOp<DivOp>())
    return isNumber(div.getLhs(), 1.0) &&
                   div.getRhs().getType() == div.getType()
               ? div.getRhs()
               : Value();
  auto pow = value.getDefiningOp<PowOp>();
  return pow && isNumber(pow.getRhs(), -1.0) ? pow.getLhs() : Value();
}

Value hamkaas::skipRepetition(Value value) {
  while (isa_and_nonnull<BroadcastOp, ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

void hamkaas::remarkMissed(llvm::StringLiteral pass, llvm::StringLiteral name,
                           Operation *op, Mismatch mismatch) {
  if (!mismatch)
    return;
  remark::missed((mismatch.op ? mismatch.op : op)->getLoc(),
                 remark::RemarkOpts::name(name).category(pass))
      << remark::reason("{0}", mismatch.reason);
}

Value hamkaas::getRowValue(Value value, Value x) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getX();
  auto type = cast<RankedTensorType>(value.getType());
  auto rows = cast<RankedTensorType>(x.getType());
  if (rows.getRank() == 0 || type.getRank() != rows.getRank() ||
      type.getShape().drop_back() != rows.getShape().drop_back() ||
      type.getShape().back() != 1)
    return nullptr;
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getX();
  return value;
}

namespace {

struct Raise : hamkaas::impl::RaiseBase<Raise> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateRaiseActivationPatterns(set);
    populateRaiseComplexPatterns(set);
    populateRaiseGatePatterns(set);
    populateRaiseRowPatterns(set);
    populateRaiseScalePatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    // Each pattern leaves less to find, so the driver ends by itself.
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config)))
      return signalPassFailure();
    // A pattern that fails may match later, so only the final graph shows near
    // misses.
    if (getContext().getRemarkEngine())
      getOperation().walk(tellMissed);
  }

private:
  static void tellMissed(Operation *op) {
    auto tell = [](llvm::StringLiteral name, Operation *op, Mismatch mismatch) {
      remarkMissed(getArgumentName(), name, op, mismatch);
    };
    for (auto *findMissed : {findMissedActivation, findMissedComplex,
                             findMissedGate, findMissedRow, findMissedScale})
      findMissed(op, tell);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
