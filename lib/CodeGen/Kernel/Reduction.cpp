//===- Reduction.cpp - What a reduction combines, and how -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// The computation
//===----------------------------------------------------------------------===//

/// As upstream, but infinities for the largest and the least number: sums are
/// not NaN.
static std::optional<TypedAttr> getNeutral(Operation *combiner) {
  if (!isa<arith::MaxNumFOp, arith::MinNumFOp>(combiner))
    return arith::getNeutralElement(combiner);
  auto type = cast<FloatType>(combiner->getResult(0).getType());
  APFloat infinity =
      APFloat::getInf(type.getFloatSemantics(),
                      /*Negative=*/isa<arith::MaxNumFOp>(combiner));
  return FloatAttr::get(type, infinity);
}

FailureOr<Reduction> hamkaas::matchReduction(linalg::LinalgOp op) {
  Reduction reduction;
  reduction.op = op;
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  reduction.loops.assign(loops.begin(), loops.end());
  if (op->getNumResults() != 1)
    return op->emitError("expected one result of a reduction");
  if (failed(verifyBody(op)))
    return failure();

  SmallVector<Operation *> combiners;
  if (!mlir::matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1 || combiners.front()->getNumOperands() != 2)
    return op->emitError("expected a reduction by one operation");
  reduction.combiner = combiners.front();
  std::optional<TypedAttr> neutral = getNeutral(combiners.front());
  if (!neutral)
    return reduction.combiner->emitError("expected a neutral element");
  reduction.neutral = *neutral;
  BlockArgument sum = op.getRegionOutputArgs().front();
  bool sumFirst = reduction.combiner->getOperand(0) == sum;
  reduction.contribution = reduction.combiner->getOperand(sumFirst ? 1 : 0);
  return reduction;
}

linalg::LinalgOp hamkaas::findReductionRoot(Value result) {
  llvm::SetVector<Value> values;
  values.insert(result);
  for (size_t i = 0; i < values.size(); ++i) {
    auto op = values[i].getDefiningOp<linalg::LinalgOp>();
    if (!op)
      continue;
    if (op.getNumReductionLoops() > 0)
      return op;
    values.insert_range(op->getOperands());
  }
  return nullptr;
}

using Order = SmallVector<int64_t>;

/// The dimension order of `user`'s result if it reads an operand of the order
/// `read` by `map`; none if it reads other elements.
static std::optional<Order> getUserOrder(linalg::LinalgOp user, AffineMap map,
                                         const Order &read) {
  AffineMap written = user.getIndexingMapsArray().back();
  if (!map.isPermutation() || !written.isPermutation())
    return std::nullopt;
  Order ofLoop(read.size()), order;
  for (auto [i, dim] : llvm::enumerate(read))
    ofLoop[map.getDimPosition(i)] = dim;
  for (unsigned i = 0; i < written.getNumResults(); ++i)
    order.push_back(ofLoop[written.getDimPosition(i)]);
  return order;
}

FailureOr<Order>
hamkaas::getEpilogueOrder(linalg::LinalgOp root, Value result,
                          function_ref<bool(Operation *)> isLeaf) {
  if (failed(verifyTree(result, [&](Operation *op) { return op == root; })))
    return failure();
  auto rootType = cast<RankedTensorType>(root->getResult(0).getType());
  llvm::MapVector<Value, Order> orders;
  orders[root->getResult(0)] =
      llvm::to_vector(llvm::seq<int64_t>(0, rootType.getRank()));
  for (size_t i = 0; i < orders.size(); ++i)
    for (OpOperand &use : orders.getArrayRef()[i].first.getUses()) {
      auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!user)
        continue;
      std::optional<Order> order =
          getUserOrder(user, user.getMatchingIndexingMap(&use),
                       orders.getArrayRef()[i].second);
      auto [known, isNew] =
          orders.insert({user->getResult(0), order.value_or(Order())});
      if (!order || known->second != *order)
        return user->emitError("expected the result of ")
               << root->getName() << " to be read where it is written";
    }
  for (OpOperand &operand : root->getOpOperands())
    if (!root.getMatchingBlockArgument(&operand).use_empty() &&
        failed(verifyTree(operand.get(), isLeaf)))
      return failure();
  auto type = cast<RankedTensorType>(result.getType());
  auto found = orders.find(result);
  if (found == orders.end() ||
      applyPermutation(rootType.getShape(), found->second) != type.getShape())
    return root->emitError("expected the shape of the kernel's result, ")
           << type;
  return found->second;
}

LogicalResult hamkaas::verifyEpilogue(linalg::LinalgOp root, Value result,
                                      function_ref<bool(Operation *)> isLeaf) {
  FailureOr<Order> order = getEpilogueOrder(root, result, isLeaf);
  if (failed(order))
    return failure();
  if (!isIdentityPermutation(*order))
    return root->emitError("expected a result in the order of the loops");
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

Value ReductionSteps::neutral(int64_t lanes) {
  Value element =
      arith::ConstantOp::create(kernel.ir(), kernel.loc(), reduction.neutral);
  return kernel.broadcast(element, lanes);
}

Value ReductionSteps::combine(Value sum, Value value) {
  // The accumulator is never NaN, so a compare and a select suffice: one
  // instruction.
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(reduction.combiner)) {
    auto predicate = isa<arith::MaxNumFOp>(reduction.combiner)
                         ? arith::CmpFPredicate::OGT
                         : arith::CmpFPredicate::OLT;
    Value isBetter =
        arith::CmpFOp::create(kernel.ir(), kernel.loc(), predicate, value, sum);
    return arith::SelectOp::create(kernel.ir(), kernel.loc(), isBetter, value,
                                   sum);
  }
  Operation *clone = kernel.ir().clone(*reduction.combiner);
  clone->setOperands({sum, value});
  clone->getResult(0).setType(sum.getType());
  return clone->getResult(0);
}

Value ReductionSteps::accumulate(TreeEmitter &tree, PointRef point, Value sum,
                                 int64_t active) {
  int64_t lanes = cast<VectorType>(sum.getType()).getDimSize(0);
  Value contribution = tree.evaluateContribution(
      reduction.op, reduction.combiner, reduction.contribution, point);
  // Use FMA for a product that is added, where the target has it.
  auto product = contribution.getDefiningOp<arith::MulFOp>();
  if (product && isa<arith::AddFOp>(reduction.combiner) &&
      kernel.target().fma && active == lanes &&
      isa<VectorType>(product.getType()))
    return vector::FMAOp::create(kernel.ir(), kernel.loc(), product.getLhs(),
                                 product.getRhs(), sum);
  contribution = kernel.broadcast(contribution, lanes);
  if (active < lanes)
    contribution = arith::SelectOp::create(kernel.ir(), kernel.loc(),
                                           kernel.mask(active, lanes),
                                           contribution, neutral(lanes));
  return combine(sum, contribution);
}

Value ReductionSteps::combineLanes(ArrayRef<Value> sums) {
  SmallVector<Value> left(sums);
  while (left.size() > 1) {
    size_t half = llvm::divideCeil(left.size(), 2);
    for (size_t i = half; i < left.size(); ++i)
      left[i - half] = combine(left[i - half], left[i]);
    left.truncate(half);
  }
  Value vector = left.front();
  int64_t lanes = cast<VectorType>(vector.getType()).getDimSize(0);
  // The same numbers in the same order: the first lane has the result. Each
  // thread first combines its own elements.
  if (!kernel.target().permutes) {
    for (; lanes > kernel.target().lanes; lanes /= 2) {
      auto halves =
          vector::DeinterleaveOp::create(kernel.ir(), kernel.loc(), vector);
      vector = combine(halves.getRes1(), halves.getRes2());
    }
    vector = kernel.combineAcross(
        vector, [&](Value lhs, Value rhs) { return combine(lhs, rhs); });
    lanes = 1;
  }
  for (int64_t width = lanes / 2; width >= 1; width /= 2) {
    auto slice = [&](int64_t offset) -> Value {
      return vector::ExtractStridedSliceOp::create(
          kernel.ir(), kernel.loc(), vector, ArrayRef<int64_t>(offset),
          ArrayRef<int64_t>(width), ArrayRef<int64_t>(1));
    };
    Value low = slice(0);
    Value high = slice(width);
    vector = combine(low, high);
  }
  return vector::ExtractOp::create(kernel.ir(), kernel.loc(), vector,
                                   ArrayRef<int64_t>(0));
}

Value ReductionSteps::finish(Value initial, Value sum) {
  if (auto definition = initial.getDefiningOp<arith::ConstantOp>();
      definition && definition.getValue() == reduction.neutral)
    return sum;
  if (auto vector = dyn_cast<VectorType>(sum.getType()))
    initial = kernel.broadcast(initial, vector.getDimSize(0));
  return combine(initial, sum);
}
