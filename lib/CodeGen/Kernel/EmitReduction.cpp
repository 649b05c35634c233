//===- EmitReduction.cpp - Kernels around any one reduction -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Serves every reduction of linalg whose operands are indexed by sums of
// multiples of loops: over leading dimensions, over windows, of products of
// any type. Its lanes run along the last dimension of the result if an operand
// is contiguous there, otherwise along the dimension that is reduced.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/ElementRows.h"
#include "ReductionEmitter.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"
#include <utility>

using namespace mlir;
using namespace hamkaas;

/// Accumulators: enough to hide the latency of an addition. The order of a sum
/// depends on their number, so it is the same for every machine.
static constexpr int64_t maxAccumulators = 8;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Checks that every element of the result is written exactly once.
LogicalResult ReductionEmitter::matchResult() {
  if (!isLinear(resultMap))
    return root->emitError("expected a result indexed by the parallel loops");
  int64_t elements = 1;
  for (int64_t loop = 0, e = extents.size(); loop < e; ++loop) {
    if (isReduced(loop) == resultMap.isFunctionOfDim(loop))
      return root->emitError("expected a result indexed by the parallel loops");
    if (!isReduced(loop))
      elements *= extents[loop];
  }
  if (elements !=
      cast<RankedTensorType>(root->getResult(0).getType()).getNumElements())
    return root->emitError("expected a result of one element for each point of "
                           "the parallel loops");
  return success();
}

/// The loop of factor one in the last result of `map`.
static std::optional<int64_t> findLastLoop(AffineMap map) {
  if (map.getNumResults() == 0)
    return std::nullopt;
  return findUnitLoop(map.getResults().back());
}

void ReductionEmitter::chooseLanes() {
  std::optional<int64_t> parallel = findLastLoop(resultMap);
  std::optional<int64_t> reduced;
  bool isContiguous = false;
  for (OpOperand *operand : root.getDpsInputOperands()) {
    if (root.getMatchingBlockArgument(operand).use_empty())
      continue;
    std::optional<int64_t> last =
        findLastLoop(root.getMatchingIndexingMap(operand));
    isContiguous |= last && last == parallel;
    if (last && isReduced(*last))
      reduced = last;
  }
  isAcross = !parallel || (reduced && !isContiguous);
  laneLoop = isAcross ? reduced.value_or(reduction.loops.back()) : *parallel;
  mergeLoops();
  lanes = hamkaas::chooseLanes(kernel.target(), extents[laneLoop]);
}

/// Makes the last loops one if all are reduced, or none, and read and write
/// consecutive elements.
void ReductionEmitter::mergeLoops() {
  int64_t last = extents.size() - 1, first = last;
  // GPUs find the coordinates of an element from its number.
  if (laneLoop != last || kernel.target().gathers)
    return;
  int64_t least = findRowLoop(root);
  if (!isAcross) {
    // The last loops are those of the last dimensions of the result.
    int64_t dim = resultMap.getNumResults();
    int64_t row = findRowDimension(result, kernel.destinationType(), root);
    int64_t loop = last + 1;
    while (loop > least && dim > row &&
           resultMap.getResult(dim - 1) ==
               getAffineDimExpr(loop - 1, resultMap.getContext()))
      --loop, --dim;
    least = std::min(loop, last);
  }
  while (first > least && isReduced(first - 1) == isAcross)
    --first;
  for (; first < last; ++first)
    extents[last] *= std::exchange(extents[first], 1);
}

int64_t ReductionEmitter::getReducedCount() const {
  int64_t count = 1;
  for (int64_t loop : reduction.loops)
    count *= extents[loop];
  return count;
}

/// Chooses the outer loops, and how many rows, columns and streams a block has.
void ReductionEmitter::chooseBlocks() {
  for (int64_t loop = 0, e = extents.size(); loop < e; ++loop)
    if (!isReduced(loop) && (isAcross || loop != laneLoop))
      outer.insert(extents[loop] == 1 ? outer.begin() : outer.end(), loop);
  if (!isAcross) {
    int64_t bits = reduction.neutral.getType().getIntOrFloatBitWidth();
    int64_t registers = std::max<int64_t>(1, bits / 32);
    int64_t budget = std::clamp<int64_t>(
        kernel.target().registers / 2 / registers, 1, maxAccumulators);
    int64_t total = llvm::divideCeil(extents[laneLoop], lanes);
    int64_t vectors = llvm::divideCeil(total, llvm::divideCeil(total, budget));
    columns = {laneLoop, extents[laneLoop], vectors * lanes};
    if (readsStreams())
      chooseStreams();
    if (!outer.empty() && !sumMemory && budget / vectors > 1) {
      rows = {outer.back(), extents[outer.back()], 1};
      rows.size = std::min(rows.extent, budget / vectors);
      outer.pop_back();
    }
  }
  for (int64_t loop : outer)
    outerShape.push_back(extents[loop]);
}

/// Tiles of some units each.
void ReductionEmitter::emitUnits(int64_t units,
                                 function_ref<void(Value)> body) {
  int64_t work = rows.size * columns.size * getReducedCount();
  int64_t tileUnits = kernel.costs().tileUnits(
      kernel.costs().tileContributions() / work, units);
  forEachUnit(kernel, units, tileUnits, body);
}

/// The nest of `loops` around `body`, which adds to `sums`.
SmallVector<Value>
ReductionEmitter::reduce(ValueRange sums, ArrayRef<int64_t> loops,
                         function_ref<SmallVector<Value>(ValueRange)> body) {
  if (loops.empty())
    return body(sums);
  return kernel.loop(kernel.constant(0), kernel.constant(extents[loops[0]]), 1,
                     sums, /*writes=*/false,
                     [&](Value index, ValueRange carried) {
                       at[loops[0]] = {index};
                       return reduce(carried, loops.drop_front(), body);
                     });
}

FailureOr<Tile> ReductionEmitter::emit() {
  if (failed(matchResult()))
    return failure();
  chooseLanes();
  chooseBlocks();
  at.assign(extents.size(), {});
  int64_t outerCount = ShapedType::getNumElements(outerShape);
  if (isAcross)
    emitUnits(outerCount, [&](Value index) { emitNumber(index); });
  else
    emitUnits(outerCount * rows.blocks() * columns.blocks(),
              [&](Value unit) { emitBlock(unit); });
  return Tile{rows.size, columns.size};
}

static SmallVector<Value> getIndices(PointRef point) {
  SmallVector<Value> indices;
  for (const Coordinate &coordinate : point)
    indices.push_back(coordinate.index);
  return indices;
}

//===----------------------------------------------------------------------===//
// Lanes along the result
//===----------------------------------------------------------------------===//

/// Runs `body` for block `index`; only the last may be smaller than the loop's
/// block.
static void forBlock(KernelBuilder &kernel, const BlockedLoop &loop,
                     Value index, function_ref<void(int64_t)> body) {
  int64_t rest = loop.extent % loop.size;
  if (!rest)
    return body(loop.size);
  if (loop.blocks() == 1)
    return body(rest);
  kernel.writingBranch(
      kernel.isLess(index, loop.blocks() - 1), [&] { body(loop.size); },
      [&] { body(rest); });
}

void ReductionEmitter::emitBlock(Value unit) {
  Value column = kernel.remainder(unit, columns.blocks());
  unit = kernel.divide(unit, columns.blocks());
  Value row = kernel.remainder(unit, rows.blocks());
  SmallVector<Value> indices =
      kernel.delinearize(kernel.divide(unit, rows.blocks()), outerShape);
  for (auto [loop, index] : llvm::zip_equal(outer, indices))
    at[loop] = {index};
  forBlock(kernel, rows, row, [&](int64_t rowCount) {
    forBlock(kernel, columns, column, [&](int64_t columnCount) {
      if (rows.loop >= 0)
        at[rows.loop] = {kernel.multiply(row, rows.size)};
      at[laneLoop] = {kernel.multiply(column, columns.size), /*step=*/1};
      if (sumMemory)
        return emitStreams(at[laneLoop].index, columnCount);
      int64_t vectors = llvm::divideCeil(columnCount, lanes);
      emitAccumulators(
          {at, rowCount, vectors, columnCount - (vectors - 1) * lanes});
    });
  });
}

void ReductionEmitter::emitAccumulators(const Accumulators &block) {
  SmallVector<Value> sums(block.rows * block.vectors, steps.neutral(lanes));
  sums = reduce(sums, reduction.loops, [&](ValueRange carried) {
    SmallVector<Value> next;
    // Lanes beyond the result are never stored, so they need no mask.
    visit(block, /*leaf=*/{}, [&](TreeEmitter &tree, size_t i) {
      next.push_back(steps.accumulate(tree, at, carried[i], lanes));
    });
    return next;
  });
  finishSums(block, sums);
}

/// Writes the results of `block`.
void ReductionEmitter::finishSums(const Accumulators &block,
                                  ArrayRef<Value> sums) {
  Value sum;
  auto leaf = [&](Value tensor, PointRef) {
    return tensor == root->getResult(0) ? sum : Value();
  };
  kernel.deferEpilogue([&] {
    visit(block, leaf, [&](TreeEmitter &tree, size_t i) {
      Point point = applyLinear(kernel, resultMap, at);
      sum = finish(tree, sums[i], point);
      tree.setWritten(point);
      bool isLast = i / block.rows + 1 == size_t(block.vectors);
      kernel.store(tree.evaluateVector(result, point), getIndices(point),
                   isLast ? block.lastActive : lanes);
    });
  });
}

/// Calls `body` for each accumulator, by number, with the point at its first
/// lane. The rows of a column share an emitter.
void ReductionEmitter::visit(const Accumulators &block, TreeEmitter::Leaf leaf,
                             function_ref<void(TreeEmitter &, size_t)> body) {
  for (int64_t v = 0; v < block.vectors; ++v) {
    bool isLast = v + 1 == block.vectors;
    TreeEmitter tree(kernel, lanes, isLast ? block.lastActive : lanes, leaf);
    at[laneLoop].index = kernel.add(block.first[laneLoop].index, v * lanes);
    for (int64_t r = 0; r < block.rows; ++r) {
      if (rows.loop >= 0)
        at[rows.loop].index = kernel.add(block.first[rows.loop].index, r);
      body(tree, v * block.rows + r);
    }
  }
}

Value ReductionEmitter::finish(TreeEmitter &tree, Value sum, PointRef point) {
  return steps.finish(tree.evaluate(root.getDpsInits().front(), point), sum);
}

//===----------------------------------------------------------------------===//
// Lanes along what is reduced
//===----------------------------------------------------------------------===//

void ReductionEmitter::emitNumber(Value index) {
  SmallVector<Value> indices = kernel.delinearize(index, outerShape);
  for (auto [loop, i] : llvm::zip_equal(outer, indices))
    at[loop] = {i};
  int64_t blocks = llvm::divideCeil(extents[laneLoop], lanes);
  SmallVector<Value> sums(std::min(blocks, maxAccumulators),
                          steps.neutral(lanes));
  SmallVector<int64_t> others;
  for (int64_t loop : reduction.loops)
    if (loop != laneLoop)
      others.push_back(loop);
  sums = reduce(sums, others,
                [&](ValueRange carried) { return addLanes(carried); });

  Value sum;
  TreeEmitter tree(kernel, /*lanes=*/1, /*active=*/1,
                   [&](Value tensor, PointRef) {
                     return tensor == root->getResult(0) ? sum : Value();
                   });
  Point point = applyLinear(kernel, resultMap, at);
  sum = finish(tree, steps.combineLanes(sums), point);
  tree.setWritten(point);
  kernel.storeElement(tree.evaluate(result, point), getIndices(point));
}

/// One pass over the loop along the lanes.
SmallVector<Value> ReductionEmitter::addLanes(ValueRange carried) {
  SmallVector<Value> sums(carried);
  forEachLaneBlock(kernel, kernel.constant(0), extents[laneLoop], lanes,
                   sums.size(), sums, /*writes=*/false,
                   [&](LaneBlock block, MutableArrayRef<Value> sums) {
                     TreeEmitter tree(kernel, lanes, block.active);
                     at[laneLoop] = {block.index, /*step=*/1};
                     Value &sum = sums[block.slot % sums.size()];
                     sum = steps.accumulate(tree, at, sum, block.active);
                   });
  return sums;
}

FailureOr<Tile> hamkaas::emitReduction(KernelBuilder &kernel, Value result) {
  linalg::LinalgOp root = findReductionRoot(result);
  // A reduction of no dimensions.
  if (!root)
    return emitElementwise(kernel, result);
  FailureOr<Reduction> reduction = matchReduction(root);
  if (failed(reduction))
    return failure();
  FailureOr<SmallVector<int64_t>> order = getEpilogueOrder(root, result);
  if (failed(order))
    return failure();
  if (std::optional<Tile> tile =
          emitWindows(kernel, *reduction, result, *order))
    return *tile;
  if (!isIdentityPermutation(*order))
    return root->emitError("expected a result in the order of the loops");
  return ReductionEmitter(kernel, *reduction, result).emit();
}
