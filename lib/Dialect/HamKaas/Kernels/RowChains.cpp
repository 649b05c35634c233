//===- RowChains.cpp - Reductions and what uses them ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowChains.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace hamkaas;

/// The longest row that stays in a second-level cache between two passes.
static constexpr int64_t maxRow = int64_t(1) << 16;
/// The shortest rows that gain by one kernel: others take vectors of several
/// rows. Functions of one number a row, like a logarithm, need as long rows as
/// vectors have elements. On AMD Zen 5, what standardizes rows takes 0.017
/// instead of 0.032 ms with 64 columns.
static constexpr int64_t minRow = 32, minRowOfMath = 16;

namespace {

/// A kernel of rows, grown backwards from its last operation.
class RowChain {
public:
  RowChain(Operation *last, const DenseSet<Operation *> &parameterOps)
      : last(last), parameterOps(parameterOps),
        type(cast<RankedTensorType>(last->getResult(0).getType())) {}

  /// False if there is no such kernel, or if it would not pay.
  bool grow(size_t maxMembers);
  SmallVector<Operation *> takeMembers() { return members.takeVector(); }

private:
  /// Visits of a row: one for each reduction, and one that writes the result,
  /// for which `last` stands.
  using Passes = llvm::SmallPtrSet<Operation *, 2>;

  bool isWhole(Value value) const { return value.getType() == type; }
  bool isPerRow(Value value) const;
  bool isRowReduction(Operation *op) const;
  bool canJoin(Operation *op) const;
  bool isTakenElsewhere(Operation *op) const;
  Operation *takeLatest();
  void add(Operation *op);
  bool repeatsMath(Operation *op);
  bool isLongEnough() const;
  bool savesPass() const;

  Operation *last;
  const DenseSet<Operation *> &parameterOps;
  RankedTensorType type;
  llvm::SetVector<Operation *> members, candidates;
  /// By a tensor of the shape of `last`, the visits that read it.
  llvm::MapVector<Value, Passes> passes;
  /// The kernel has room for one value of a row that several visits need.
  Operation *kept = nullptr;
  size_t reductions = 0;
};

} // namespace

/// Returns whether `value` has one number a row, with a dimension of 1 at the
/// end or without.
bool RowChain::isPerRow(Value value) const {
  auto shaped = dyn_cast<RankedTensorType>(value.getType());
  if (!shaped || shaped.getElementType() != type.getElementType())
    return false;
  ArrayRef<int64_t> shape = shaped.getShape();
  if (shape.size() == type.getShape().size() && shape.back() == 1)
    shape = shape.drop_back();
  return shape == type.getShape().drop_back();
}

bool RowChain::isRowReduction(Operation *op) const {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && isWhole(reduce.getX()) && isPerRow(reduce) &&
         reduce.getDims() == ArrayRef(type.getRank() - 1);
}

bool RowChain::canJoin(Operation *op) const {
  bool isAlone = op->getBlock() == last->getBlock() &&
                 llvm::all_of(op->getUsers(), [&](Operation *user) {
                   return members.contains(user);
                 });
  if (!isAlone || parameterOps.contains(op) != parameterOps.contains(last))
    return false;
  if (isRowReduction(op))
    return true;
  Value result = op->getResult(0);
  if (auto reshape = dyn_cast<ReshapeOp>(op))
    return isPerRow(result) && isPerRow(reshape.getX());
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  return kernelOp && kernelOp.isPointwise() && !kernelOp.checksValues() &&
         (isWhole(result) || isPerRow(result));
}

/// Returns whether the kernel of `op` would take its users from the chain.
bool RowChain::isTakenElsewhere(Operation *op) const {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  if (!kernelOp || !isWhole(op->getResult(0)) || !op->hasOneUse())
    return false;
  KernelFamily family = kernelOp.getKernelFamily();
  return family == KernelFamily::Contraction ||
         family == KernelFamily::Reduction || family == KernelFamily::Row ||
         family == KernelFamily::Transform;
}

/// All users of the latest are members by now, or never will be.
Operation *RowChain::takeLatest() {
  Operation *op =
      *llvm::max_element(candidates, [](Operation *a, Operation *b) {
        return a->isBeforeInBlock(b);
      });
  candidates.remove(op);
  return op;
}

static bool isMath(Operation *op) {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  return kernelOp && kernelOp.isPointwise() && !kernelOp.isCheap();
}

/// Returns whether several visits would compute a function like an exponential.
bool RowChain::repeatsMath(Operation *op) {
  if (!isWhole(op->getResult(0)) || !isMath(op) ||
      passes.lookup(op->getResult(0)).size() < 2)
    return false;
  if (!kept)
    kept = op;
  return kept != op;
}

void RowChain::add(Operation *op) {
  members.insert(op);
  bool reduces = isRowReduction(op);
  reductions += reduces;
  Passes visits;
  if (reduces || op == last)
    visits.insert(op);
  else if (isWhole(op->getResult(0)))
    visits = passes.lookup(op->getResult(0));
  for (Value operand : op->getOperands()) {
    if (isWhole(operand))
      passes[operand].insert_range(visits);
    Operation *producer = operand.getDefiningOp();
    if (producer && producer->getBlock() == last->getBlock())
      candidates.insert(producer);
  }
}

bool RowChain::isLongEnough() const {
  bool hasMath = llvm::any_of(members, [&](Operation *op) {
    return isPerRow(op->getResult(0)) && isMath(op);
  });
  return type.getShape().back() >= (hasMath ? minRowOfMath : minRow);
}

bool RowChain::savesPass() const {
  return reductions > 0 && llvm::any_of(passes, [](const auto &entry) {
           return entry.second.size() > 1;
         });
}

bool RowChain::grow(size_t maxMembers) {
  add(last);
  while (!candidates.empty() && members.size() < maxMembers) {
    Operation *op = takeLatest();
    if (canJoin(op) && !repeatsMath(op))
      add(op);
    else if (isTakenElsewhere(op))
      return false;
  }
  return isLongEnough() && savesPass();
}

SmallVector<Operation *>
hamkaas::findRowChain(Operation *last,
                      const DenseSet<Operation *> &parameterOps,
                      size_t maxMembers) {
  auto type = dyn_cast<RankedTensorType>(last->getResult(0).getType());
  auto kernelOp = dyn_cast<KernelOpInterface>(last);
  if (!type || type.getRank() == 0 ||
      !(type.getElementType().isF32() || type.getElementType().isF64()) ||
      type.getShape().back() > maxRow || !kernelOp || !kernelOp.isPointwise() ||
      kernelOp.checksValues())
    return {};
  RowChain chain(last, parameterOps);
  return chain.grow(maxMembers) ? chain.takeMembers()
                                : SmallVector<Operation *>();
}

/// Returns whether `value` is the largest entries of the rows of `x`, with a
/// dimension of 1 where a row was.
static bool isLargestOfRows(Value value, Value x) {
  auto reshape = value.getDefiningOp<ReshapeOp>();
  auto reduce = reshape ? reshape.getX().getDefiningOp<ReduceOp>() : ReduceOp();
  if (!reduce || reduce.getX() != x || reduce.getCombiner() != Combiner::Max)
    return false;
  SmallVector<int64_t> shape(reduce.getX().getType().getShape());
  for (int64_t dim : reduce.getDims())
    shape[dim] = 1;
  return reshape.getType().getShape() == ArrayRef(shape);
}

void hamkaas::markNonPositiveExponentials(Operation *root) {
  root->walk([](ExpOp exponential) {
    auto shifted = exponential.getX().getDefiningOp<SubOp>();
    if (shifted && isLargestOfRows(shifted.getRhs(), shifted.getLhs()))
      exponential->setAttr(nonPositiveAttrName,
                           UnitAttr::get(exponential.getContext()));
  });
}
