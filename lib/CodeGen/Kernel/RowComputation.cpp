//===- RowComputation.cpp - Reductions of rows and their users --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowComputation.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace hamkaas;

SmallVector<int64_t> RowComputation::wholeShape() const {
  SmallVector<int64_t> whole(rowShape);
  whole.push_back(extent);
  return whole;
}

LogicalResult RowComputation::addReduction(linalg::LinalgOp op) {
  FailureOr<Reduction> found = matchReduction(op);
  if (failed(found))
    return failure();
  const Reduction &reduction = *found;
  if (reduction.loops.size() != 1)
    return op->emitError("expected one result, reduced along one dimension");
  AffineMap map = op.getIndexingMapsArray().back();
  if (!map.isProjectedPermutation())
    return op->emitError("expected a result indexed by the parallel loops");

  SmallVector<int64_t> shape;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  for (AffineExpr expr : map.getResults())
    shape.push_back(extents[cast<AffineDimExpr>(expr).getPosition()]);
  if (reductions.empty()) {
    rowShape = shape;
    extent = extents[reduction.loops.front()];
  } else if (shape != rowShape || extents[reduction.loops.front()] != extent) {
    return op->emitError("expected all reductions of a kernel to have the same "
                         "rows");
  }
  reductions[op->getResult(0)] = reduction;
  return success();
}

/// Operations are in topological order, which also serves for the passes.
LogicalResult RowComputation::collect(Value result) {
  for (Operation &operation : *result.getParentBlock())
    if (auto op = dyn_cast<linalg::LinalgOp>(operation))
      if (op.getNumReductionLoops() > 0 && failed(addReduction(op)))
        return failure();
  auto isRoot = [&](Operation *op) { return isReduction(op->getResult(0)); };
  if (failed(verifyTree(result, isRoot)))
    return failure();
  for (auto &[value, reduction] : reductions)
    for (Value operand : reduction.op->getOperands())
      if (failed(verifyTree(operand, isRoot)))
        return failure();
  if (reductions.empty())
    return emitError(result.getLoc(), "expected a reduction in the kernel");
  return success();
}

/// The values that `op` depends on with no reduction between.
RowComputation::Values RowComputation::treeOf(Operation *op) const {
  Values values;
  auto visit = [&](Operation *user) {
    for (Value operand : user->getOperands())
      if (isa<RankedTensorType>(operand.getType()) && !isReduction(operand))
        values.insert(operand);
  };
  visit(op);
  for (size_t i = 0; i < values.size(); ++i)
    if (Operation *definition = values[i].getDefiningOp())
      visit(definition);
  return values;
}

static bool containsMath(Operation *op) {
  bool found = false;
  op->walk([&](Operation *inner) {
    found |= isa<math::MathDialect>(inner->getDialect());
  });
  return found;
}

static bool anyContainsMath(const llvm::SetVector<Value> &values) {
  return llvm::any_of(values, [](Value value) {
    return value.getDefiningOp() && containsMath(value.getDefiningOp());
  });
}

bool RowComputation::computesMath(const Reduction &reduction) const {
  return containsMath(reduction.op) || anyContainsMath(treeOf(reduction.op));
}

Value RowComputation::findRepeatedMath(Value result, Type type) const {
  SmallVector<Values> passes;
  for (auto &[value, reduction] : reductions)
    passes.push_back(treeOf(reduction.op));
  passes.push_back(treeOf(result.getDefiningOp()));
  passes.back().insert(result);
  for (Operation &op : llvm::reverse(*result.getParentBlock())) {
    if (!isa<linalg::LinalgOp>(op) || isReduction(op.getResult(0)) ||
        op.getResult(0).getType() != type)
      continue;
    Value value = op.getResult(0);
    if ((containsMath(&op) || anyContainsMath(treeOf(&op))) &&
        llvm::count_if(passes, [&](const Values &pass) {
          return pass.contains(value);
        }) > 1)
      return value;
  }
  return nullptr;
}

SmallVector<Value> RowComputation::listFunctionsOfReductions() const {
  SmallVector<Value> functions;
  Value any = reductions.front().first;
  Block &block = *any.getParentBlock();
  for (auto op : block.getOps<linalg::LinalgOp>()) {
    Value value = op->getResult(0);
    auto type = cast<RankedTensorType>(value.getType());
    ArrayRef<int64_t> shape = type.getShape();
    if (shape.size() > rowShape.size() && shape.back() == 1)
      shape = shape.drop_back();
    bool dependsOnArgument =
        llvm::any_of(treeOf(op), llvm::IsaPred<BlockArgument>);
    if (shape == ArrayRef(rowShape) && type.getElementType().isF32() &&
        !isReduction(value) && containsMath(op) && !dependsOnArgument)
      functions.push_back(value);
  }
  return functions;
}
