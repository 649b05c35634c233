//===- AttentionScores.cpp - Parts of attention in a graph ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionScores.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "SimplifyPatterns.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Views and repetitions
//===----------------------------------------------------------------------===//

static bool keepsRows(ReshapeOp reshape) {
  ArrayRef<int64_t> from = getShape(reshape.getX()), to = getShape(reshape);
  return !from.empty() && !to.empty() && from.back() == to.back();
}

/// `value` before single-use reshapes that keep its rows.
static Value skipRowReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>()) {
    if (!reshape->hasOneUse() || !keepsRows(reshape))
      break;
    value = reshape.getX();
  }
  return value;
}

/// `value` before reshapes that make one dimension of those before the
/// matrices.
static Value skipMatrixReshapes(Value value) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  ArrayRef<int64_t> to = getShape(value);
  if (!reshape || to.size() != 3)
    return value;
  ArrayRef<int64_t> from = getShape(reshape.getX());
  return from.size() > 3 && from.take_back(2) == to.take_back(2)
             ? reshape.getX()
             : value;
}

static Value skipBroadcast(Value value) {
  auto broadcast = value.getDefiningOp<BroadcastOp>();
  return broadcast ? broadcast.getX() : value;
}

ReduceOp hamkaas::getRepeatedSums(Value value) {
  if (!isOfRank3(value))
    return nullptr;
  // Reshapes that keep these dimensions keep the sums apart; one of size 1 may
  // vanish.
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

Value hamkaas::getRepeatedRow(Value value) {
  value = skipBroadcast(value);
  return isOfRank3(value) && getShape(value)[1] == 1 ? value : Value();
}

Value hamkaas::getConditionOfRows(Value condition) {
  condition = skipBroadcast(condition);
  return isOfRank3(condition) && getShape(condition)[1] == 1 ? condition
                                                             : Value();
}

/// Returns whether `value` is a product of matrices, times numbers or not.
static bool isScaledProduct(Value value) {
  value = skipRowReshapes(value);
  while (getFactor(value.getDefiningOp()))
    value = skipRowReshapes(value.getDefiningOp()->getOperand(0));
  return value.getDefiningOp<MatMulOp>() != nullptr;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

Mismatch Scores::match(Value value) {
  while (!products) {
    if (!value.hasOneUse())
      return {"something else needs the scores", value.getDefiningOp()};
    value = skipRowReshapes(value);
    if (!value.hasOneUse())
      return {"something else needs the scores", value.getDefiningOp()};
    products = value.getDefiningOp<MatMulOp>();
    if (products)
      break;
    if (Mismatch mismatch = matchStep(value))
      return mismatch;
  }
  return matchProducts();
}

Mismatch Scores::matchProducts() {
  if (!isOfRank3(products.getLhs()))
    return {"the scores are no batch of matrices", products};
  // They may have other users: attention reads the operand of the permute.
  Value keys = skipMatrixReshapes(skipBroadcast(products.getRhs()));
  transposedKeys = keys.getDefiningOp<PermuteOp>();
  if (!transposedKeys || getShape(transposedKeys).size() < 3)
    return {"the keys are not a permute", products};
  return {};
}

/// Steps from the scores `value` to the operand of one operation, and records
/// the operation.
Mismatch Scores::matchStep(Value &value) {
  Operation *op = value.getDefiningOp();
  Value scores;
  if (auto select = dyn_cast_or_null<SelectOp>(op)) {
    scores = matchMask(select);
    if (!scores)
      scores = matchKeys(select);
    if (!scores)
      return {"a select of scores that is no mask", op};
  } else if (auto add = dyn_cast_or_null<AddOp>(op)) {
    scores = matchBias(add);
    if (!scores)
      return {"a sum of scores that is no bias", op};
  } else {
    scores = matchScale(op);
    if (!scores)
      return {"attention does not do this with scores", op};
  }
  value = scores;
  return {};
}

/// select(mask, number, scores).
Value Scores::matchMask(SelectOp select) {
  std::optional<APFloat> number = getSplatFloat(skipRepetition(select.getA()));
  Value condition = skipBroadcast(select.getCondition());
  // Masked scores are not scaled or biased.
  if (mask || !biases.empty() || scale != 1 || !number || number->isNaN() ||
      !isOfRank3(condition))
    return nullptr;
  mask = {condition, select.getType()};
  maskedScore = number;
  return select.getB();
}

/// select(here, q . row, q . keys) are the products with keys in which the row
/// stands where `here` holds.
Value Scores::matchKeys(SelectOp select) {
  Value condition = getConditionOfRows(select.getCondition());
  auto product = skipRowReshapes(select.getB()).getDefiningOp<MatMulOp>();
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
  if (scale != 1 || !isOfRank3(add))
    return nullptr;
  // The scores are on the side that leads to a matmul, or to a sum with one.
  auto leadsToProduct = [](Value value) {
    auto sum = skipRowReshapes(value).getDefiningOp<AddOp>();
    return isScaledProduct(value) || (sum && (isScaledProduct(sum.getLhs()) ||
                                              isScaledProduct(sum.getRhs())));
  };
  for (auto [scores, other] : {std::pair(add.getLhs(), add.getRhs()),
                               std::pair(add.getRhs(), add.getLhs())}) {
    // The addition must not broadcast the scores.
    if (!leadsToProduct(scores) || scores.getType() != add.getType())
      continue;
    Value repeated = skipBroadcast(other);
    if (!isOfRank3(repeated))
      continue;
    biases.push_back({repeated, add.getType()});
    return scores;
  }
  return nullptr;
}

/// scores times or divided by a number.
Value Scores::matchScale(Operation *op) {
  std::optional<double> factor = getFactor(op);
  // The product of several numbers is a float32, too.
  if (!factor || !isScale(scale * *factor))
    return nullptr;
  scale *= *factor;
  return op->getOperand(0);
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

SlicedSoftmaxOp hamkaas::getSoftmax(Value value) {
  auto softmax = skipRowReshapes(value).getDefiningOp<SlicedSoftmaxOp>();
  return softmax && softmax.getStaticPrefix() == getShape(softmax).back()
             ? softmax
             : SlicedSoftmaxOp();
}

Mismatch Weights::match(Value value) {
  auto needed = [&] {
    return Mismatch{"something else needs the weights", value.getDefiningOp()};
  };
  if (!value.hasOneUse())
    return needed();
  value = skipRowReshapes(value);
  if (auto select = value.getDefiningOp<SelectOp>()) {
    if (!value.hasOneUse())
      return needed();
    value = select.getB();
    if (Mismatch mismatch = matchSelect(select))
      return mismatch;
    auto reshape = value.getDefiningOp<ReshapeOp>();
    if (reshape && keepsRows(reshape))
      value = skipRowReshapes(reshape.getX());
    else if (hasNoNaN)
      return matchSoftmax(value);
  }
  return value.hasOneUse() ? matchSoftmax(value) : needed();
}

Mismatch Weights::matchSoftmax(Value value) {
  softmax = value.getDefiningOp<SlicedSoftmaxOp>();
  if (!softmax || softmax.getStaticPrefix() != getShape(softmax).back())
    return {"the weights are no softmax of whole rows", value.getDefiningOp()};
  return {};
}

/// select(w != w, 0, w), and select(rows, 0, w) with a condition for each row.
/// The latter needs w alone.
Mismatch Weights::matchSelect(SelectOp select) {
  Value weights = select.getB();
  if (!isNumber(skipRepetition(select.getA()), 0))
    return {"weights are replaced by other numbers than 0", select};
  auto compare = select.getCondition().getDefiningOp<CompareOp>();
  auto isPart = [&](Operation *user) {
    return user == select || user == compare;
  };
  hasNoNaN = compare && compare.getPredicate() == ComparePredicate::Ne &&
             compare.getLhs() == weights && compare.getRhs() == weights;
  if (hasNoNaN && compare->hasOneUse() &&
      llvm::all_of(weights.getUsers(), isPart))
    return {};
  if (hasNoNaN || !weights.hasOneUse())
    return {"something else needs the weights", weights.getDefiningOp()};
  Value rows = skipBroadcast(select.getCondition());
  if (getShape(rows).size() < 2 || getShape(rows).back() != 1)
    return {"a condition hides weights after the softmax", select};
  emptyRows = {rows, select.getType()};
  return {};
}
