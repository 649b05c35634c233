//===- ContractionEmitter.cpp - Accumulators of a contraction ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

/// Prefetches what the block reads and writes after its last product. Its rows
/// are too far apart for the hardware to do so.
void ContractionEmitter::prefetchResult(const Columns &columns) {
  if (epilogueArguments.empty() && !prefetchesDestination)
    return;
  ArrayRef<int64_t> shape = kernel.destinationType().getShape();
  for (Value row : rows) {
    Value first = kernel.constant(0);
    for (auto [index, size] :
         llvm::zip_equal(resultIndices(row, columns.first), shape))
      first = kernel.add(kernel.multiply(first, size), index);
    for (int64_t i = 0; i < columns.vectors * lanes;
         i += kernel.costs().lineElements()) {
      Value line = kernel.add(first, i);
      for (BlockArgument argument : epilogueArguments)
        kernel.prefetch(argument, line, CacheLevel::First);
      if (prefetchesDestination)
        kernel.prefetchDestination(line, CacheLevel::First);
    }
  }
}

SmallVector<Value> ContractionEmitter::resume(const Columns &columns) {
  SmallVector<Value> sums;
  for (Value row : rows)
    for (int64_t v = 0; v < columns.vectors; ++v)
      sums.push_back(kernel.load(kernel.destination,
                                 resultIndices(row, columnOf(columns, v)),
                                 lanes, activeLanes(columns, v)));
  return sums;
}

void ContractionEmitter::suspend(ValueRange sums, const Columns &columns) {
  for (auto [r, row] : llvm::enumerate(rows))
    for (int64_t v = 0; v < columns.vectors; ++v)
      kernel.store(sums[r * columns.vectors + v],
                   resultIndices(row, columnOf(columns, v)),
                   activeLanes(columns, v));
}

SmallVector<Value> ContractionEmitter::accumulate(Value lower, Value upper,
                                                  ValueRange sums,
                                                  const Columns &columns) {
  if (products)
    return products->add(rows, getPlaces(columns), sums);
  if (codes && !readsCopy)
    return accumulateCodes(lower, upper, sums, columns);
  if (hasDotProducts())
    return addDotProducts(sums, columns);
  auto body = [&](Value depth, ValueRange carried) {
    SmallVector<Value> right;
    Value step = copy ? kernel.subtract(depth, lower) : Value();
    for (int64_t v = 0; v < columns.vectors; ++v) {
      right.push_back(readsCopy ? copy->load(step, v)
                                : emitRight(columns, v, depth));
      if (copy && !readsCopy)
        copy->store(right.back(), step, v);
    }
    SmallVector<Value> next = multiplyRows(depth, right, carried);
    if (prefetch)
      prefetch->emit(getStep(depth));
    else if (readsCopy)
      copy->prefetch(step);
    else if (!packed)
      prefetchRight(columns, depth);
    return next;
  };
  return overWindow(
      innerWindow, sums,
      [&](ValueRange carried) {
        return kernel.unrolledLoop(lower, upper, countSteps(columns),
                                   std::gcd(tile.depth, depthCount), carried,
                                   body);
      },
      innerWindow.size() == loops.window.size() ? taps : std::nullopt);
}

/// Steps of the depth in an iteration, for the current rows.
int64_t ContractionEmitter::countSteps(const Columns &columns) {
  // Remainders of less than a quarter, and the blocks that fill the copy, take
  // little time: unrolling them would only lengthen the code.
  constexpr int64_t part = 4;
  int64_t rowsHere = rows.size(), sums = rowsHere * columns.vectors;
  bool hasFewRows = rowsHere != tile.rows && part * rowsHere < rowCount;
  bool hasFewColumns = columns.vectors != tile.vectors &&
                       part * columns.vectors * lanes < columnCount;
  if (hasFewRows || hasFewColumns || (copy && !readsCopy))
    return 1;
  // With one vector, each element of the left side is used once, and LLVM puts
  // the sum into its register. Sums then move from step to step, and many of
  // them spill: 5 x 5 windows of 256 to 8 channels took 1.35 times as long (AMD
  // Zen 3).
  if (columns.vectors == 1 && 2 * sums > kernel.target().registers)
    return 1;
  return kernel.costs().stepsAtOnce(sums);
}

/// Adds the products of step `depth`, of the current rows with the vectors
/// `right` of the right side.
SmallVector<Value> ContractionEmitter::multiplyRows(Value depth,
                                                    ValueRange right,
                                                    ValueRange sums) {
  OpOperand &leftOperand = *root.getDpsInputOperand(0);
  SmallVector<Value> next;
  for (Value row : rows) {
    TreeEmitter tree(kernel, lanes, lanes);
    Value left = tree.evaluateVector(
        leftOperand.get(),
        operandPoint(leftOperand, row, /*column=*/{}, depth));
    for (Value vector : right)
      next.push_back(kernel.multiplyAdd(left, vector, sums[next.size()]));
  }
  return next;
}

SmallVector<CodePanels::Place>
ContractionEmitter::getPlaces(const Columns &columns) {
  SmallVector<CodePanels::Place> places;
  for (int64_t v = 0; v < columns.vectors; ++v)
    places.push_back({kernel.add(columns.panel, v / tile.vectors),
                      v % tile.vectors * lanes});
  return places;
}

/// Numbers are used as soon as they are computed: of few rows, a copy of the
/// panel would take as long as the products.
SmallVector<Value> ContractionEmitter::accumulateCodes(Value lower, Value upper,
                                                       ValueRange sums,
                                                       const Columns &columns) {
  if (rowCount == 1)
    codes->prefetchAhead(columns.vectors);
  return codes->forEachRow(
      lower, upper, getPlaces(columns), sums,
      [&](Value depth, ValueRange vectors, ValueRange carried) {
        return multiplyRows(depth, vectors, carried);
      });
}

/// Fills the copy with the numbers of a panel, for all rows of a tile.
void ContractionEmitter::widenPanel(Value depthBlock, const Columns &columns) {
  Value lower = kernel.multiply(depthBlock, tile.depth);
  Value upper = kernel.minimum(kernel.add(lower, tile.depth), depthCount);
  auto store = [&](Value depth, ValueRange vectors, ValueRange) {
    Value step = kernel.subtract(depth, lower);
    for (auto [v, vector] : llvm::enumerate(vectors))
      copy->store(vector, step, v);
    return SmallVector<Value>();
  };
  if (codes) {
    codes->forEachRow(lower, upper, getPlaces(columns), /*carried=*/{}, store);
    return;
  }
  kernel.loop(lower, upper, 1, /*carried=*/{}, /*writes=*/false,
              [&](Value depth, ValueRange) {
                SmallVector<Value> vectors;
                for (int64_t v = 0; v < columns.vectors; ++v)
                  vectors.push_back(emitRight(columns, v, depth));
                return store(depth, vectors, /*carried=*/{});
              });
}

/// Fills the copy with columns that are rows in memory.
void ContractionEmitter::transposePanel(Value depthBlock,
                                        const Columns &columns) {
  Value lower = kernel.multiply(depthBlock, tile.depth);
  int64_t last = depthCount - (depthBlocks - 1) * tile.depth;
  if (last == tile.depth)
    return transposeRows(lower, last, columns);
  auto transpose = [&](int64_t depth) {
    transposeRows(lower, depth, columns);
    return SmallVector<Value>();
  };
  kernel.branch(
      kernel.isLess(depthBlock, depthBlocks - 1), /*types=*/{},
      /*writes=*/false, [&] { return transpose(tile.depth); },
      [&] { return transpose(last); });
}

/// The same for `depth` steps from `lower` on, in squares, one vector of
/// columns at a time: the hardware prefetcher follows few streams. 50 x 1000 x
/// 2048 takes 2.4 ms instead of 2.75 (Zen 4, AVX-512).
void ContractionEmitter::transposeRows(Value lower, int64_t depth,
                                       const Columns &columns) {
  for (int64_t v = 0; v < columns.vectors; ++v) {
    SmallVector<Value> none;
    forEachLaneBlock(kernel, lower, depth, lanes, /*unroll=*/1, none,
                     /*writes=*/false,
                     [&](LaneBlock block, MutableArrayRef<Value>) {
                       Value step = kernel.subtract(block.index, lower);
                       SmallVector<Value> square =
                           loadSquare(columns, v, block.index, block.active);
                       transposeSquare(kernel, square);
                       for (int64_t i = 0; i < block.active; ++i)
                         copy->store(square[i], kernel.add(step, i), v);
                     });
  }
}

/// `active` steps from `depth` on of each column of a vector. Lanes beyond the
/// last column repeat one.
SmallVector<Value> ContractionEmitter::loadSquare(const Columns &columns,
                                                  int64_t vector, Value depth,
                                                  int64_t active) {
  OpOperand &right = *root.getDpsInputOperand(1);
  kernel.forbidAlias(right.get());
  SmallVector<Value> square;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    if (lane >= activeLanes(columns, vector)) {
      square.push_back(square.back());
      continue;
    }
    Coordinate column{kernel.add(columnOf(columns, vector), lane)};
    SmallVector<Value> indices;
    for (const Coordinate &coordinate :
         operandPoint(right, /*row=*/nullptr, column, depth))
      indices.push_back(coordinate.index);
    square.push_back(kernel.load(right.get(), indices, lanes, active));
  }
  return square;
}

/// The first element of the right side that the block of depth after this one
/// reads, of the same columns or of the next ones.
Value ContractionEmitter::getNextStretch(Value depthBlock,
                                         const Columns &columns) {
  Value block = kernel.add(depthBlock, 1);
  Value depth =
      kernel.multiply(kernel.remainder(block, depthBlocks), tile.depth);
  Value column = kernel.add(
      columns.first,
      kernel.multiply(kernel.divide(block, depthBlocks), tile.panelWidth()));
  Value row =
      kernel.add(kernel.multiply(linearIndex(loops.batch), depthCount), depth);
  return kernel.add(kernel.multiply(row, columnCount), column);
}

/// The number of the block of rows from `row` on among those that use a panel.
Value ContractionEmitter::getUse(Value row) {
  return kernel.add(
      kernel.multiply(linearIndex(loops.shared), rowCount / tile.rows),
      kernel.divide(row, tile.rows));
}

/// The number of the step at `depth` among those of a panel.
Value ContractionEmitter::getStep(Value depth) {
  return kernel.add(kernel.multiply(linearIndex(loops.window), depthCount),
                    depth);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value ContractionEmitter::emitRight(const Columns &columns, int64_t vector,
                                    Value depth) {
  OpOperand &right = *root.getDpsInputOperand(1);
  Coordinate column{columnOf(columns, vector), /*step=*/1};
  Point point = operandPoint(right, /*row=*/nullptr, column, depth);
  if (!packed) {
    TreeEmitter tree(kernel, lanes, activeLanes(columns, vector));
    return tree.evaluateVector(right.get(), point);
  }
  // Panels are padded with zeros, so whole vectors are read.
  int64_t position = packed.getInnerDimsPos().front();
  AffineMap map = root.getMatchingIndexingMap(&right);
  Value first = columns.panel;
  // The panels of a group follow those of the one before.
  if (!isa<AffineDimExpr>(map.getResult(position)))
    first = kernel.add(kernel.multiply(at[loops.batch.front()].index, panels),
                       first);
  point[position] = {kernel.add(first, vector / tile.vectors)};
  Point place;
  ArrayRef<int64_t> order = packed.getOuterDimsPerm();
  for (size_t i = 0; i < point.size(); ++i)
    place.push_back(point[order.empty() ? i : order[i]]);
  int64_t within = vector % tile.vectors * lanes;
  place.push_back({kernel.constant(within), /*step=*/1});
  TreeEmitter tree(kernel, lanes, lanes);
  Value panel = tree.evaluateVector(packed.getSource(), place);
  auto type = VectorType::get(lanes, kernel.ir().getF32Type());
  return panel.getType() == type
             ? panel
             : arith::ExtFOp::create(kernel.ir(), kernel.loc(), type, panel);
}

/// A right side whose columns are not packed is read from another page in each
/// step, so the hardware does not fetch ahead.
void ContractionEmitter::prefetchRight(const Columns &columns, Value depth) {
  OpOperand &right = *root.getDpsInputOperand(1);
  auto type = cast<RankedTensorType>(right.get().getType());
  // Others read the copy.
  int64_t uses = copy ? 1 : rowCount / tile.rows;
  if (!isa<BlockArgument>(right.get()) ||
      !kernel.costs().prefetchesColumns(type.getNumElements(), uses))
    return;
  int64_t steps = kernel.costs().stepsAhead(columns.vectors * lanes);
  Value ahead = kernel.minimum(kernel.add(depth, steps), depthCount - 1);
  for (int64_t v = 0; v < columns.vectors; ++v) {
    // Also the last one, whose line is another where rows begin within one.
    if (v * lanes % kernel.costs().lineElements() && v + 1 < columns.vectors)
      continue;
    Value linear = kernel.constant(0);
    Point point =
        operandPoint(right, rows.front(), {columnOf(columns, v), 1}, ahead);
    for (auto [coordinate, size] : llvm::zip_equal(point, type.getShape()))
      linear = kernel.add(kernel.multiply(linear, size), coordinate.index);
    kernel.prefetch(right.get(), linear);
  }
}
