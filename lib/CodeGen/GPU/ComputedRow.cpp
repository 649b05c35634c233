//===- ComputedRow.cpp - A left side that each block computes ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ComputedRow.h"
#include "CooperativeGroups.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Sums of a thread: enough to hide the latency of an addition.
static constexpr int64_t accumulators = 8;

static bool isReduction(Operation *op) {
  auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.getNumReductionLoops() > 0;
}

static int64_t countElements(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getNumElements();
}

/// Returns whether `tensor` has `extent` elements along its last dimension and
/// no others.
static bool isRow(Value tensor, int64_t extent) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return type.getRank() > 0 && type.getShape().back() == extent &&
         type.getNumElements() == extent;
}

/// Where `tensor`, a row, has the vector that begins at `index`.
static Point getPoint(KernelBuilder &kernel, Value tensor, Value index) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return lanePoint(SmallVector<Value>(type.getRank() - 1, kernel.constant(0)),
                   index);
}

bool hamkaas::isRowReduction(Operation *op) {
  return isReduction(op) &&
         succeeded(matchReduction(cast<linalg::LinalgOp>(op))) &&
         llvm::all_of(op->getOperands(), [](Value operand) {
           return succeeded(verifyTree(operand, isRowReduction));
         });
}

std::optional<ComputedRow> ComputedRow::match(Value row) {
  auto type = dyn_cast<RankedTensorType>(row.getType());
  if (isa<BlockArgument>(row) || !type || !type.getElementType().isF32() ||
      !isRow(row, type.getNumElements()) ||
      type.getNumElements() % warpSize != 0)
    return std::nullopt;
  SetVector<Value> values;
  values.insert(row);
  ComputedRow computed;
  computed.row = row;
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op) {
      if (isRow(values[i], countElements(row)))
        computed.arguments.push_back(values[i]);
      continue;
    }
    if (isReduction(op)) {
      auto reduction = cast<linalg::LinalgOp>(op);
      SmallVector<unsigned> loops;
      reduction.getReductionDims(loops);
      if (loops.size() != 1 || op->getNumResults() != 1 ||
          countElements(values[i]) != 1 ||
          reduction.getStaticLoopRanges()[loops.front()] != countElements(row))
        return std::nullopt;
      computed.reductions.push_back(reduction);
    }
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        values.insert(operand);
  }
  llvm::sort(computed.reductions,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return computed;
}

namespace {
/// Computes one row.
class RowComputation {
public:
  RowComputation(KernelBuilder &kernel, int64_t extent, Value warp,
                 int64_t warps);

  void read(Value argument);
  void addReduction(linalg::LinalgOp op);
  void store(Value row, Value shared);

private:
  /// A vector of the row. The last one of some warps is behind its end: it is
  /// that at the end then, but counts for nothing.
  struct Chunk {
    Value index;
    Value exists; /* null if it does in each warp */
    TreeEmitter tree;
  };

  KernelBuilder &kernel;
  Value warp;
  int64_t warps;
  /// Those of a warp, at a distance of all warps.
  SmallVector<Chunk, 0> chunks;
  DenseMap<Value, Value> reduced;
};
} // namespace

RowComputation::RowComputation(KernelBuilder &kernel, int64_t extent,
                               Value warp, int64_t warps)
    : kernel(kernel), warp(warp), warps(warps) {
  int64_t count = extent / warpSize;
  for (int64_t first = 0; first < count; first += warps) {
    Value number = kernel.add(warp, first), exists;
    if (first + warps > count) {
      exists = kernel.isLess(number, count);
      number = kernel.minimum(number, count - 1);
    }
    auto getReduced = [this](Value tensor, PointRef) {
      return reduced.lookup(tensor);
    };
    chunks.push_back({kernel.multiply(number, warpSize), exists,
                      TreeEmitter(kernel, warpSize, warpSize, getReduced)});
  }
}

/// Before anything waits for other warps.
void RowComputation::read(Value argument) {
  for (Chunk &chunk : chunks)
    chunk.tree.evaluate(argument, getPoint(kernel, argument, chunk.index));
}

/// The order is the same in all blocks: vectors of a thread, lanes, warps.
void RowComputation::addReduction(linalg::LinalgOp op) {
  Reduction reduction = *matchReduction(op);
  ReductionSteps steps(kernel, reduction);
  Point point(op.getNumLoops(), {kernel.constant(0)});
  SmallVector<Value> sums(std::min<int64_t>(accumulators, chunks.size()),
                          steps.neutral(warpSize));
  for (auto [i, chunk] : llvm::enumerate(chunks)) {
    point[reduction.loops.front()] = {chunk.index, /*step=*/1};
    Value &sum = sums[i % sums.size()];
    Value next = steps.accumulate(chunk.tree, point, sum, warpSize);
    if (chunk.exists)
      next = arith::SelectOp::create(kernel.ir(), kernel.loc(), chunk.exists,
                                     next, sum);
    sum = next;
  }
  Value total =
      CooperativeGroup(kernel, warps)
          .combine(warp, steps.combineLanes(sums),
                   [&](Value a, Value b) { return steps.combine(a, b); });
  Value start = op.getDpsInits().front();
  Point none(cast<RankedTensorType>(start.getType()).getRank(),
             {kernel.constant(0)});
  reduced[op->getResult(0)] =
      steps.finish(chunks.front().tree.evaluate(start, none), total);
}

void RowComputation::store(Value row, Value shared) {
  for (Chunk &chunk : chunks) {
    Value vector =
        chunk.tree.evaluateVector(row, getPoint(kernel, row, chunk.index));
    auto store = [&] {
      vector::StoreOp::create(kernel.ir(), kernel.loc(), vector, shared,
                              ValueRange(chunk.index));
    };
    if (chunk.exists)
      kernel.writingBranch(chunk.exists, store, [] {});
    else
      store();
  }
}

Value ComputedRow::emit(KernelBuilder &kernel, Value warp,
                        int64_t warps) const {
  int64_t extent = countElements(row);
  Value shared = allocateShared(kernel, {extent}, kernel.ir().getF32Type());
  RowComputation computation(kernel, extent, warp, warps);
  for (Value argument : arguments)
    computation.read(argument);
  for (linalg::LinalgOp op : reductions)
    computation.addReduction(op);
  computation.store(row, shared);
  blockBarrier(kernel);
  return shared;
}
