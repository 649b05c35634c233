//===- MatchAttention.cpp - Recognises kernels of attention -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Attention.h"
#include "HamKaas/CodeGen/Kernel/ContractionLoops.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include <limits>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Conditions that the emitters rely on
//===----------------------------------------------------------------------===//

/// Succeeds if `op` adds products of two inputs to zeros: its first three loops
/// index the result in order, and three loops each input.
static LogicalResult verifyProducts(linalg::LinalgOp op,
                                    ArrayRef<unsigned> lhsLoops,
                                    ArrayRef<unsigned> rhsLoops) {
  StringRef reason;
  if (failed(ContractionLoops::match(op, reason)))
    return op->emitError(reason);
  auto fill = op.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.value(), m_AnyZeroFloat()))
    return op->emitError("expected sums that begin with zero");
  auto getMap = [&](ArrayRef<unsigned> loops) {
    return AffineMap::getMultiDimMapWithTargets(4, loops, op.getContext());
  };
  AffineMap maps[] = {getMap(lhsLoops), getMap(rhsLoops), getMap({0, 1, 2})};
  for (auto [operand, expected] : llvm::zip(op->getOpOperands(), maps)) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (map != expected)
      return op->emitError("expected operand ")
             << operand.getOperandNumber() << " to be indexed by "
             << AffineMapAttr::get(expected) << ", got "
             << AffineMapAttr::get(map);
  }
  return success();
}

/// Succeeds if `op` computes each score from the elements at its index, or at
/// index 0 of a dimension of size 1.
static LogicalResult verifyScoreOp(linalg::LinalgOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isInPlace =
        map.getNumDims() == 3 && map.getNumResults() == 3 &&
        (op.isDpsInit(&operand) ? map.isIdentity()
                                : map.isMinorIdentityWithBroadcasting());
    if (!isInPlace)
      return op->emitError("expected operand ")
             << operand.getOperandNumber()
             << " to be indexed by the loops of batches, queries and keys or "
                "0, got "
             << AffineMapAttr::get(map);
  }
  return success();
}

/// The same for all operations between the products and `scores`.
static LogicalResult verifyScores(Value scores, linalg::LinalgOp products) {
  llvm::SetVector<Value> tree;
  tree.insert(scores);
  for (size_t i = 0; i < tree.size(); ++i) {
    Operation *op = tree[i].getDefiningOp();
    if (!op || op == products || isa<tensor::EmptyOp>(op) ||
        op->hasTrait<OpTrait::ConstantLike>())
      continue;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp)
      return op->emitError("expected scores that are computed from arguments "
                           "element by element");
    if (failed(verifyScoreOp(linalgOp)))
      return failure();
    tree.insert_range(op->getOperands());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static linalg::SoftmaxOp findSoftmax(Value result) {
  for (Operation &op : *result.getParentBlock())
    if (auto softmax = dyn_cast<linalg::SoftmaxOp>(op))
      return softmax;
  return nullptr;
}

/// The score of elements that the first input of `op` masks, if `op` only
/// selects between that number and its second input.
static TypedAttr getMaskedScore(linalg::LinalgOp op) {
  if (!op || op.getNumDpsInputs() != 2)
    return nullptr;
  Block &body = *op.getBlock();
  auto select =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto isMasked =
      select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
  if (!isMasked || isMasked.getPredicate() != arith::CmpIPredicate::ne ||
      isMasked.getLhs() != body.getArgument(0) ||
      !matchPattern(isMasked.getRhs(), m_Zero()) ||
      select.getFalseValue() != body.getArgument(1))
    return nullptr;
  auto score = select.getTrueValue().getDefiningOp<arith::ConstantOp>();
  return score ? score.getValue() : TypedAttr();
}

/// Returns whether the second input of `op` is added to something last.
static bool addsBias(linalg::LinalgOp op) {
  if (!op || op.getNumDpsInputs() != 2)
    return false;
  Block &body = *op.getBlock();
  auto sum = body.getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  return sum && sum.getRhs() == body.getArgument(1);
}

/// Finds the mask, or else a bias that may mask keys.
static void findMasking(Attention &attention) {
  auto last = attention.scores.getDefiningOp<linalg::LinalgOp>();
  if (TypedAttr score = getMaskedScore(last)) {
    attention.masking = last.getDpsInputOperand(0);
    attention.maskedScore = score;
  } else if (addsBias(last)) {
    attention.masking = last.getDpsInputOperand(1);
    attention.maskedScore =
        Builder(last.getContext())
            .getF32FloatAttr(-std::numeric_limits<float>::infinity());
  }
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

FailureOr<Attention> Attention::match(KernelBuilder &kernel, Value result) {
  linalg::SoftmaxOp softmax = findSoftmax(result);
  linalg::LinalgOp sums = findReductionRoot(result);
  if (!softmax || !sums || sums->getOperand(0) != softmax->getResult(0))
    return emitError(kernel.loc(),
                     "expected a product with a softmax in the kernel");
  Attention found;
  found.scores = softmax.getInput();
  found.products = findReductionRoot(found.scores);
  if (!found.products || found.products.getNumDpsInputs() != 2 ||
      sums.getNumDpsInputs() != 2 || softmax.getDimension() != 2)
    return softmax.emitError("expected the softmax of products over the keys "
                             "in a product of two matrices");
  if (failed(verifyProducts(found.products, {0, 1, 3}, {0, 2, 3})) ||
      failed(verifyProducts(sums, {0, 1, 3}, {0, 3, 2})) ||
      failed(verifyScores(found.scores, found.products)))
    return failure();
  auto isProducts = [&](Operation *op) { return op == found.products; };
  auto isSoftmax = [&](Operation *op) { return op == softmax; };
  found.q = found.products->getOperand(0);
  found.k = found.products->getOperand(1);
  found.v = sums->getOperand(1);
  if (failed(verifyTree(found.scores, isProducts)) ||
      failed(verifyTree(found.q)) || failed(verifyTree(found.k)))
    return failure();
  FailureOr<SmallVector<int64_t>> order =
      getEpilogueOrder(sums, result, isSoftmax);
  if (failed(order))
    return failure();
  if (order->size() != 3 || order->back() != 2)
    return sums->emitError("expected the columns of the values last");
  found.order = *order;
  findMasking(found);
  SmallVector<int64_t> extents = found.products.getStaticLoopRanges();
  found.batches = extents[0];
  found.queries = extents[1];
  found.keys = extents[2];
  found.keyWidth = extents[3];
  found.valueWidth =
      cast<RankedTensorType>(sums->getResult(0).getType()).getDimSize(2);
  return found;
}
