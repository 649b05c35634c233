//===- ContractionLoops.cpp - The loops of a contraction --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/ContractionLoops.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

/// `sum + left * right`, and nothing else, by operations of the types.
template <typename AddOp, typename MultiplyOp>
static bool isMultiplyAdd(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() < 2 || op.getNumDpsInits() != 1)
    return false;
  Block &body = *op.getBlock();
  BlockArgument left = body.getArgument(0), right = body.getArgument(1);
  BlockArgument sum = body.getArguments().back();
  auto isPair = [](Operation *binary, Value a, Value b) {
    return (binary->getOperand(0) == a && binary->getOperand(1) == b) ||
           (binary->getOperand(0) == b && binary->getOperand(1) == a);
  };
  auto add = body.getTerminator()->getOperand(0).getDefiningOp<AddOp>();
  if (!add || !(add.getType().isF32() || add.getType().isInteger(32)))
    return false;
  for (Value operand : add->getOperands())
    if (auto product = operand.getDefiningOp<MultiplyOp>())
      return isPair(product, left, right) && isPair(add, product, sum);
  return false;
}

/// The parallel loops in the order of the dimensions that they index; none if
/// they do not index each element of the result once.
static SmallVector<int64_t> getParallelLoops(AffineMap resultMap,
                                             ArrayRef<int64_t> extents,
                                             int64_t elements) {
  SmallVector<int64_t> loops;
  int64_t points = 1;
  for (AffineExpr expr : resultMap.getResults())
    expr.walk([&](AffineExpr inner) {
      if (auto dim = dyn_cast<AffineDimExpr>(inner)) {
        loops.push_back(dim.getPosition());
        points *= extents[dim.getPosition()];
      }
    });
  if (!isLinear(resultMap) || points != elements)
    loops.clear();
  return loops;
}

/// Later loops have nearer rows. But few rows share little of what they read:
/// the gradient of weights has the 3 columns of a window there.
static bool isBetterRow(int64_t extent, int64_t earlier) {
  constexpr int64_t fewRows = 4;
  return extent > 1 && (extent >= fewRows || extent >= earlier);
}

int64_t ContractionLoops::count(ArrayRef<int64_t> loops) const {
  int64_t points = 1;
  for (int64_t loop : loops)
    points *= extents[loop];
  return points;
}

bool ContractionLoops::readsAlongDepth(linalg::LinalgOp op,
                                       OpOperand &operand) const {
  return isa<BlockArgument>(operand.get()) &&
         op.getMatchingIndexingMap(&operand).getResults().back() ==
             getAffineDimExpr(depth, op.getContext());
}

bool ContractionLoops::canJoinRows(linalg::LinalgOp op) const {
  AffineMap leftMap = op.getIndexingMapsArray().front();
  // Matrices stay apart: their packing and other kernels count the rows of one.
  return row && !shared.empty() && !window.empty() && *row > shared.back() &&
         getElementTypeOrSelf(op->getResult(0)).isF32() &&
         llvm::all_of(shared, [&](int64_t loop) {
           return leftMap.isFunctionOfDim(loop);
         });
}

void ContractionLoops::joinRows() {
  llvm::append_range(joined, shared);
  shared.clear();
}

void ContractionLoops::joinFirst(int64_t loop) {
  if (auto *found = llvm::find(joined, loop); found != joined.end())
    std::rotate(joined.begin(), found, found + 1);
}

FailureOr<ContractionLoops> ContractionLoops::match(linalg::LinalgOp op,
                                                    StringRef &reason) {
  ContractionLoops loops;
  loops.extents = op.getStaticLoopRanges();
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  bool isProduct = isMultiplyAdd<arith::AddFOp, arith::MulFOp>(op) ||
                   isMultiplyAdd<arith::AddIOp, arith::MulIOp>(op);
  if (!isProduct || reductions.empty()) {
    reason = "expected a sum of products of float32 or i32";
    return failure();
  }
  loops.depth = reductions.pop_back_val();
  loops.window.assign(reductions.begin(), reductions.end());

  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap leftMap = maps[0], rightMap = maps[1], resultMap = maps.back();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int64_t> parallel =
      getParallelLoops(resultMap, loops.extents, type.getNumElements());
  std::optional<int64_t> column =
      resultMap.getNumResults() == 0
          ? std::nullopt
          : findUnitLoop(resultMap.getResults().back());
  if (parallel.empty() || !column) {
    reason = "expected a result indexed by the parallel loops";
    return failure();
  }
  loops.column = *column;
  if (leftMap.isFunctionOfDim(loops.column)) {
    reason = "expected the last dimension of the result not to be one of the "
             "left side";
    return failure();
  }
  for (int64_t loop : parallel) {
    if (loop == loops.column)
      continue;
    if (rightMap.isFunctionOfDim(loop)) {
      loops.batch.push_back(loop);
      continue;
    }
    loops.shared.push_back(loop);
    if (leftMap.isFunctionOfDim(loop) &&
        (!loops.row ||
         isBetterRow(loops.extents[loop], loops.extents[*loops.row])))
      loops.row = loop;
  }
  if (loops.row)
    llvm::erase(loops.shared, *loops.row);
  return loops;
}
