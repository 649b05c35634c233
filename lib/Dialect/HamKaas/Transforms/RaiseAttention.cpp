//===- RaiseAttention.cpp - Recognises attention ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h"
#include "RaisePatterns.h"
#include "SimplifyPatterns.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <cmath>
#include <limits>

namespace hamkaas {
#define GEN_PASS_DEF_RAISEATTENTION
#include "HamKaas/Dialect/HamKaas/Transforms/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// `value` without reshapes that leave its matrices as they are and that
/// nothing else reads.
static Value skipBatchReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    ArrayRef<int64_t> from = getShape(reshape.getX()), to = getShape(value);
    if (!reshape->hasOneUse() || from.size() < 3 || to.size() < 3 ||
        from.take_back(2) != to.take_back(2))
      break;
    value = reshape.getX();
  }
  return value;
}

/// `value` before its dimensions of 1 were repeated or added.
static Value skipRepetition(Value value) {
  while (true) {
    if (auto broadcast = value.getDefiningOp<BroadcastOp>())
      value = broadcast.getX();
    else if (auto reshape = value.getDefiningOp<ReshapeOp>())
      value = reshape.getX();
    else
      return value;
  }
}

static bool isOfRank3(Value value) { return getShape(value).size() == 3; }

/// The sums of rows, one for each index of the first two dimensions of `value`,
/// that it repeats along the last one; null if it is none.
static ReduceOp getRepeatedSums(Value value) {
  if (!isOfRank3(value))
    return nullptr;
  // Steps that keep these dimensions keep the sums apart; one of 1 may go.
  int64_t queries = getShape(value)[1];
  ArrayRef<int64_t> kept = getShape(value).take_front(queries == 1 ? 1 : 2);
  while (isa_and_nonnull<BroadcastOp, ReshapeOp>(value.getDefiningOp())) {
    value = value.getDefiningOp()->getOperand(0);
    if (getShape(value).take_front(kept.size()) != kept)
      return nullptr;
  }
  auto sum = value.getDefiningOp<ReduceOp>();
  return sum && sum.getCombiner() == Combiner::Sum &&
                 sum.getDims() == ArrayRef<int64_t>(2) &&
                 isOfRank3(sum.getX()) && getShape(sum.getX())[1] == queries
             ? sum
             : ReduceOp();
}

/// The row, one for each index of the first dimension, that `value` repeats
/// along the second one; null if it is more.
static Value getRepeatedRow(Value value) {
  if (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getX();
  return isOfRank3(value) && getShape(value)[1] == 1 ? value : Value();
}

/// The number that `op` multiplies its first operand by, 1 / the number it is
/// divided by; nothing for any other.
static std::optional<double> getFactor(Operation *op) {
  if (!isa_and_nonnull<MulOp, DivOp>(op))
    return std::nullopt;
  std::optional<APFloat> number = getSplatFloat(op->getOperand(1));
  if (!number || !number->isFiniteNonZero())
    return std::nullopt;
  double factor = number->convertToDouble();
  return isa<MulOp>(op) ? factor : 1 / factor;
}

/// Whether `value` is a product of matrices, times numbers or not.
static bool isScaledProduct(Value value) {
  value = skipBatchReshapes(value);
  while (getFactor(value.getDefiningOp()))
    value = skipBatchReshapes(value.getDefiningOp()->getOperand(0));
  return value.getDefiningOp<MatMulOp>() != nullptr;
}

namespace {

/// Rows of keys or values that stand for those of a tensor where a condition,
/// one for each of them, holds.
struct UpdatedRows {
  Value condition, rows;
};

/// The scores of an attention and what they are computed from.
struct Scores {
  MatMulOp products;
  PermuteOp turnedKeys;
  double scale = 1;
  Value bias, mask;
  std::optional<APFloat> maskedScore;
  UpdatedRows keys;

  /// Fails if `value` is no such scores.
  LogicalResult match(Value value);

private:
  Value matchStep(Value value);
  Value matchMask(SelectOp select);
  Value matchKeys(SelectOp select);
  Value matchBias(AddOp add);
  Value matchScale(Operation *op);
};

} // namespace

/// The condition of a select of scores as a tensor of rank 3 that is repeated;
/// null if there is none.
static Value getCondition(Value condition) {
  if (auto broadcast = condition.getDefiningOp<BroadcastOp>())
    condition = broadcast.getX();
  return isOfRank3(condition) ? condition : Value();
}

/// The same for one that holds for all queries.
static Value getConditionOfRows(Value condition) {
  condition = getCondition(condition);
  return condition && getShape(condition)[1] == 1 ? condition : Value();
}

LogicalResult Scores::match(Value value) {
  while (value && !products) {
    if (!value.hasOneUse())
      return failure();
    value = skipBatchReshapes(value);
    if (!value.hasOneUse())
      return failure();
    products = value.getDefiningOp<MatMulOp>();
    if (!products)
      value = matchStep(value);
  }
  if (!products || !isOfRank3(products.getLhs()) ||
      !products.getType().getElementType().isF32())
    return failure();
  turnedKeys = products.getRhs().getDefiningOp<PermuteOp>();
  return success(turnedKeys && turnedKeys->hasOneUse());
}

/// What the scores `value` are computed from by one operation, which is noted;
/// null if it is none of those of attention.
Value Scores::matchStep(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto select = dyn_cast_or_null<SelectOp>(op)) {
    if (Value scores = matchMask(select))
      return scores;
    return matchKeys(select);
  }
  if (auto add = dyn_cast_or_null<AddOp>(op))
    return matchBias(add);
  return matchScale(op);
}

/// select(mask, number, scores).
Value Scores::matchMask(SelectOp select) {
  std::optional<APFloat> number = getSplatFloat(skipRepetition(select.getA()));
  Value condition = getCondition(select.getCondition());
  // What is masked is neither scaled nor biased.
  if (mask || bias || scale != 1 || !number || number->isNaN() || !condition)
    return nullptr;
  mask = condition;
  maskedScore = number;
  return select.getB();
}

/// select(here, q . row, q . keys) are the products with keys in which the row
/// stands where `here` holds.
Value Scores::matchKeys(SelectOp select) {
  Value condition = getConditionOfRows(select.getCondition());
  auto product = skipBatchReshapes(select.getB()).getDefiningOp<MatMulOp>();
  ReduceOp sum = getRepeatedSums(select.getA());
  auto pairs = sum ? sum.getX().getDefiningOp<MulOp>() : MulOp();
  if (!condition || !product || !pairs)
    return nullptr;
  Value query = product.getLhs();
  bool isLeft = pairs.getLhs() == query;
  Value row = getRepeatedRow(isLeft ? pairs.getRhs() : pairs.getLhs());
  if ((!isLeft && pairs.getRhs() != query) || !row ||
      pairs.getType() != query.getType())
    return nullptr;
  keys = {condition, row};
  return select.getB();
}

/// scores + bias.
Value Scores::matchBias(AddOp add) {
  if (bias || scale != 1)
    return nullptr;
  // The side that leads to a product is that of the scores.
  for (auto [scores, other] : {std::pair(add.getLhs(), add.getRhs()),
                               std::pair(add.getRhs(), add.getLhs())}) {
    // Scores that the addition repeats are fewer than the bias is for.
    if (!isScaledProduct(scores) || scores.getType() != add.getType())
      continue;
    Value repeated = other;
    if (auto broadcast = repeated.getDefiningOp<BroadcastOp>())
      repeated = broadcast.getX();
    if (!isOfRank3(repeated) || !isOfRank3(add))
      continue;
    bias = repeated;
    return scores;
  }
  return nullptr;
}

/// scores times or divided by a number.
Value Scores::matchScale(Operation *op) {
  std::optional<double> factor = getFactor(op);
  if (!factor)
    return nullptr;
  // The product of several is one float32, too.
  double product = scale * *factor;
  if (std::abs(product) < std::numeric_limits<float>::min() ||
      std::abs(product) > std::numeric_limits<float>::max())
    return nullptr;
  scale = product;
  return op->getOperand(0);
}

namespace {

class AttentionBuilder {
public:
  AttentionBuilder(PatternRewriter &rewriter, Scores &scores)
      : rewriter(rewriter), scores(scores) {}

  /// Of rank 3, at the place of `op`.
  Value build(Operation *op, Value v, UpdatedRows values) {
    loc = fuseLocations(scores.products, op);
    Value q = scores.products.getLhs();
    Value k = update(turnBack(), scores.keys);
    v = update(v, values);
    return AttentionOp::create(
        rewriter, loc, q, k, v, scores.mask, scores.bias,
        rewriter.getF32FloatAttr(scores.scale),
        scores.maskedScore
            ? rewriter.getFloatAttr(rewriter.getF32Type(), *scores.maskedScore)
            : FloatAttr());
  }

private:
  /// The keys as rows.
  Value turnBack() {
    SmallVector<int64_t> permutation(scores.turnedKeys.getPermutation());
    std::swap(permutation[1], permutation[2]);
    Value x = scores.turnedKeys.getX();
    return isIdentityPermutation(permutation)
               ? x
               : PermuteOp::create(rewriter, loc, x, permutation);
  }

  Value update(Value x, UpdatedRows updated) {
    if (!updated.rows)
      return x;
    auto type = cast<RankedTensorType>(x.getType());
    auto conditionType = cast<RankedTensorType>(updated.condition.getType());
    ArrayRef<int64_t> shape = conditionType.getShape();
    Value condition = ReshapeOp::create(
        rewriter, loc, conditionType.clone({shape[0], shape[2], shape[1]}),
        updated.condition);
    condition = BroadcastOp::create(
        rewriter, loc, conditionType.clone(type.getShape()), condition);
    Value rows = BroadcastOp::create(rewriter, loc, type, updated.rows);
    return SelectOp::create(rewriter, loc, condition, rows, x);
  }

  PatternRewriter &rewriter;
  Scores &scores;
  Location loc = rewriter.getUnknownLoc();
};

} // namespace

/// The softmax of whole rows that `value` is, but for the shape of the batch;
/// null if it is none.
static SlicedSoftmaxOp getWeights(Value value) {
  auto softmax = skipBatchReshapes(value).getDefiningOp<SlicedSoftmaxOp>();
  return softmax && softmax.getStaticPrefix() == getShape(softmax).back()
             ? softmax
             : SlicedSoftmaxOp();
}

namespace {

/// softmax(scores) * v.
struct RaisePlain : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    SlicedSoftmaxOp weights = getWeights(op.getLhs());
    Scores scores;
    if (!weights || !weights->hasOneUse() || !op.getLhs().hasOneUse() ||
        !isOfRank3(op) || failed(scores.match(weights.getX())) ||
        scores.keys.rows)
      return rewriter.notifyMatchFailure(op, "not softmax(q * k) * v");
    rewriter.replaceOp(op, AttentionBuilder(rewriter, scores)
                               .build(op, op.getRhs(), UpdatedRows()));
    return success();
  }
};

/// With w = softmax(scores): select(here, 0, w) * v + sum(select(here, w, 0)) *
/// row, the values having the row where `here` holds. What the values have
/// there is multiplied by 0, so it does not matter if it is finite.
struct RaiseWithRow : OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    auto fail = [&] {
      return rewriter.notifyMatchFailure(op, "no attention with one row apart");
    };
    for (auto [others, own] : {std::pair(op.getLhs(), op.getRhs()),
                               std::pair(op.getRhs(), op.getLhs())}) {
      auto product = others.getDefiningOp<MatMulOp>();
      auto row = own.getDefiningOp<MulOp>();
      if (!product || !row || !product->hasOneUse() || !isOfRank3(op))
        continue;
      auto without = product.getLhs().getDefiningOp<SelectOp>();
      if (!without || !isNumber(skipRepetition(without.getA()), 0))
        return fail();
      UpdatedRows values = matchRow(row, without);
      SlicedSoftmaxOp weights = getWeights(without.getB());
      Scores scores;
      // An addition repeats what is smaller.
      if (!values.rows || row.getType() != op.getType() ||
          product.getType() != op.getType() || !weights ||
          !weights.getResult().hasNUses(2) ||
          failed(scores.match(weights.getX())))
        return fail();
      rewriter.replaceOp(op, AttentionBuilder(rewriter, scores)
                                 .build(op, product.getRhs(), values));
      return success();
    }
    return fail();
  }

private:
  /// The row and where it stands, if `product` is the row times the weights
  /// that `without` leaves out.
  static UpdatedRows matchRow(MulOp product, SelectOp without) {
    for (auto [repeated, factor] :
         {std::pair(product.getLhs(), product.getRhs()),
          std::pair(product.getRhs(), product.getLhs())}) {
      Value row = getRepeatedRow(repeated);
      ReduceOp sum = getRepeatedSums(factor);
      auto only = sum ? sum.getX().getDefiningOp<SelectOp>() : SelectOp();
      Value condition = getConditionOfRows(without.getCondition());
      if (row && only && condition &&
          only.getCondition() == without.getCondition() &&
          only.getA() == without.getB() &&
          isNumber(skipRepetition(only.getB()), 0))
        return {condition, row};
    }
    return {};
  }
};

struct RaiseAttention : hamkaas::impl::RaiseAttentionBase<RaiseAttention> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    set.add<RaisePlain, RaiseWithRow>(context);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    GreedyRewriteConfig config;
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(applyPatternsGreedily(getOperation(), patterns, config)))
      signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
};

} // namespace
