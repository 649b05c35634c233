//===- RaiseAttention.cpp - Recognises attention ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionScores.h"
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "SimplifyPatterns.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace hamkaas {
#define GEN_PASS_DEF_RAISEATTENTION
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

class AttentionBuilder {
public:
  AttentionBuilder(PatternRewriter &rewriter, Scores &scores, Operation *op)
      : rewriter(rewriter), scores(scores),
        loc(fuseLocations(scores.products, op)) {}

  /// Of rank 3.
  Value build(Value v, UpdatedRows values);

  /// The same with rows of zeros, where `weights` has some.
  Value build(Value v, const Weights &weights);

private:
  Value turnBack();
  Value update(Value x, UpdatedRows updated);
  Value broadcast(Value x, ArrayRef<int64_t> shape);
  Value reshape(Value x, ArrayRef<int64_t> shape);
  Value splat(APFloat number, RankedTensorType type);
  Value regroup(Term term);
  Value add(Value a, Value b);
  Value getMask() { return scores.mask ? regroup(scores.mask) : Value(); }
  Value getBias();
  Value getHiddenRows();
  Value getEmptyRows(const Weights &weights);

  PatternRewriter &rewriter;
  Scores &scores;
  Location loc;
};

} // namespace

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Value AttentionBuilder::broadcast(Value x, ArrayRef<int64_t> shape) {
  RankedTensorType type = getType(x).clone(shape);
  return type == x.getType() ? x : BroadcastOp::create(rewriter, loc, type, x);
}

Value AttentionBuilder::reshape(Value x, ArrayRef<int64_t> shape) {
  RankedTensorType type = getType(x).clone(shape);
  return type == x.getType() ? x : ReshapeOp::create(rewriter, loc, type, x);
}

Value AttentionBuilder::splat(APFloat number, RankedTensorType type) {
  return ConstantOp::create(rewriter, loc,
                            DenseElementsAttr::get(type, number));
}

/// The term as one of rank 3 for the products: heads that share keys are rows
/// of one matrix there, in the same order.
Value AttentionBuilder::regroup(Term term) {
  ArrayRef<int64_t> shape = getShape(term.value);
  SmallVector<int64_t> whole(term.whole.getShape());
  int64_t heads = ShapedType::getNumElements(ArrayRef(whole).drop_back(2));
  int64_t queries = whole[whole.size() - 2];
  int64_t count = ShapedType::getNumElements(shape.drop_back(2));
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  if (count != 1 && count != heads) {
    whole[whole.size() - 2] = rows;
    whole.back() = columns;
    term.value = broadcast(term.value, whole);
    count = heads;
  }
  Value x = reshape(term.value, {count, rows, columns});
  int64_t rowsOfProducts = getShape(scores.products)[1];
  if (rowsOfProducts == queries || (count == 1 && rows == 1))
    return x;
  // One group of heads is repeated for the others by the operation.
  if (count == 1 && rowsOfProducts % queries == 0)
    heads = rowsOfProducts / queries;
  x = broadcast(x, {heads, queries, columns});
  return reshape(x,
                 {heads * queries / rowsOfProducts, rowsOfProducts, columns});
}

/// The sum of two terms of rank 3.
Value AttentionBuilder::add(Value a, Value b) {
  SmallVector<int64_t> shape(getShape(a));
  for (auto [size, other] : llvm::zip_equal(shape, getShape(b)))
    size = std::max(size, other);
  return AddOp::create(rewriter, loc, broadcast(a, shape), b);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// The keys as rows.
Value AttentionBuilder::turnBack() {
  SmallVector<int64_t> permutation(scores.transposedKeys.getPermutation());
  std::swap(permutation.back(), permutation[permutation.size() - 2]);
  Value x = scores.transposedKeys.getX();
  if (!isIdentityPermutation(permutation))
    x = PermuteOp::create(rewriter, loc, x, permutation);
  ArrayRef<int64_t> shape = getShape(x);
  x = reshape(x, {ShapedType::getNumElements(shape.drop_back(2)),
                  shape[shape.size() - 2], shape.back()});
  ArrayRef<int64_t> turned = getShape(scores.products.getRhs());
  return broadcast(x, {turned[0], turned[2], turned[1]});
}

Value AttentionBuilder::update(Value x, UpdatedRows updated) {
  if (!updated.rows)
    return x;
  ArrayRef<int64_t> shape = getShape(updated.condition);
  Value condition = reshape(updated.condition, {shape[0], shape[2], shape[1]});
  condition = broadcast(condition, getShape(x));
  Value rows = broadcast(updated.rows, getShape(x));
  return SelectOp::create(rewriter, loc, condition, rows, x);
}

Value AttentionBuilder::getBias() {
  Value bias;
  for (Term term : scores.biases) {
    Value next = regroup(term);
    bias = bias ? add(next, bias) : next;
  }
  return bias;
}

/// Which rows have no score but negative infinity for their bias and mask; null
/// if there are none of these.
Value AttentionBuilder::getHiddenRows() {
  Value bias = getBias();
  APFloat lowest = APFloat::getInf(APFloat::IEEEsingle(), /*Negative=*/true);
  Type f32 = rewriter.getF32Type();
  if (Value mask = getMask()) {
    Value none = splat(APFloat(0.0f), getType(mask).clone(f32));
    bias = bias ? add(none, bias) : none;
    mask = broadcast(mask, getShape(bias));
    bias = SelectOp::create(rewriter, loc, mask,
                            splat(*scores.maskedScore, getType(bias)), bias);
  }
  if (!bias)
    return nullptr;
  ArrayRef<int64_t> shape = getShape(bias);
  Value largest = ReduceOp::create(rewriter, loc, Combiner::Max, bias,
                                   ArrayRef<int64_t>(2));
  largest = reshape(largest, {shape[0], shape[1], 1});
  return CompareOp::create(rewriter, loc, ComparePredicate::Eq, largest,
                           createSplat(rewriter, loc, 3, f32, lowest));
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

Value AttentionBuilder::build(Value v, UpdatedRows values) {
  Value q = scores.products.getLhs();
  Value k = update(turnBack(), scores.keys);
  v = update(v, values);
  return AttentionOp::create(
      rewriter, loc, q, k, v, getMask(), getBias(),
      rewriter.getF32FloatAttr(scores.scale),
      scores.maskedScore
          ? rewriter.getFloatAttr(rewriter.getF32Type(), *scores.maskedScore)
          : FloatAttr());
}

Value AttentionBuilder::build(Value v, const Weights &weights) {
  Value result = build(v, UpdatedRows());
  Value empty = weights.emptyRows  ? regroup(weights.emptyRows)
                : weights.hasNoNaN ? getHiddenRows()
                                   : Value();
  if (!empty)
    return result;
  return SelectOp::create(rewriter, loc, broadcast(empty, getShape(result)),
                          splat(APFloat(0.0f), getType(result)), result);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// Returns whether `op` is softmax(scores) * v.
static Mismatch matchPlain(MatMulOp op, Weights &weights, Scores &scores) {
  if (!isOfRank3(op))
    return {"the values are no batch of matrices", op};
  if (!op.getType().getElementType().isF32())
    return {"the elements are not float32", op};
  if (Mismatch mismatch = weights.match(op.getLhs()))
    return mismatch;
  if (Mismatch mismatch = scores.match(weights.softmax.getX()))
    return mismatch;
  if (scores.keys.rows)
    return {"one of the keys, but none of the values, stands apart", op};
  if (getShape(scores.products).drop_back() != getShape(op).drop_back())
    return {"keys and values are in batches of other sizes", op};
  return {};
}

namespace {

/// softmax(scores) * v.
struct RaisePlain : OpRewritePattern<MatMulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(MatMulOp op,
                                PatternRewriter &rewriter) const override {
    Weights weights;
    Scores scores;
    if (Mismatch mismatch = matchPlain(op, weights, scores))
      return rewriter.notifyMatchFailure(op, mismatch.reason);
    rewriter.replaceOp(
        op, AttentionBuilder(rewriter, scores, op).build(op.getRhs(), weights));
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
      SlicedSoftmaxOp weights = getSoftmax(without.getB());
      Scores scores;
      // An addition repeats what is smaller.
      if (!values.rows || row.getType() != op.getType() ||
          product.getType() != op.getType() || !weights ||
          !weights.getResult().hasNUses(2) || scores.match(weights.getX()))
        return fail();
      rewriter.replaceOp(op, AttentionBuilder(rewriter, scores, op)
                                 .build(product.getRhs(), values));
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

/// Returns whether `value` is a softmax, but for its type and chosen elements.
static bool dependsOnSoftmax(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<SlicedSoftmaxOp>(op))
      return true;
    if (!isa<ReshapeOp, CastOp, SelectOp>(op))
      return false;
    value = op->getOperand(isa<SelectOp>(op) ? 2 : 0);
  }
  return false;
}

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
      return signalPassFailure();
    if (getContext().getRemarkEngine())
      getOperation().walk(tellMissed);
  }

private:
  /// A remark for weights times values that are no attention.
  static void tellMissed(MatMulOp op) {
    Weights weights;
    Scores scores;
    if (!dependsOnSoftmax(op.getLhs()))
      return;
    Mismatch mismatch = matchPlain(op, weights, scores);
    remarkMissed(getArgumentName(), "attention", op, mismatch);
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
