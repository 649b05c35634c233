//===- ContractionNest.cpp - Loops around sums of contractions --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionNest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

void ContractionNest::setLoops(ContractionLoops matched) {
  loops = std::move(matched);
  rowCount = loops.rowCount();
  columnCount = loops.columnCount();
  depthCount = loops.extents[loops.depth];
  at.assign(loops.extents.size(), {});
}

void ContractionNest::moveTo(ArrayRef<int64_t> group, Value index) {
  SmallVector<int64_t> shape;
  for (int64_t loop : group)
    shape.push_back(loops.extents[loop]);
  for (auto [loop, i] :
       llvm::zip_equal(group, kernel.delinearize(index, shape)))
    at[loop] = {i};
}

Value ContractionNest::linearIndex(ArrayRef<int64_t> group) {
  Value index = kernel.constant(0);
  for (int64_t loop : group)
    index =
        kernel.add(kernel.multiply(index, loops.extents[loop]), at[loop].index);
  return index;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t ContractionNest::countTiles(const TileGrid &grid) const {
  return loops.outerCount() * llvm::divideCeil(columnCount, grid.columns) *
         grid.rowBlocks;
}

void ContractionNest::emitTile(
    const TileGrid &grid, Value index,
    function_ref<void(Value, const Columns &)> body) {
  int64_t groups = llvm::divideCeil(columnCount, grid.columns);
  auto take = [&](int64_t count) {
    Value taken = kernel.remainder(index, count);
    index = kernel.divide(index, count);
    return taken;
  };
  Value group;
  if (grid.sharesRows)
    group = take(groups);
  Value rowBlock = take(grid.rowBlocks);
  moveTo(loops.shared, take(loops.count(loops.shared)));
  if (!grid.sharesRows)
    group = take(groups);
  moveTo(loops.batch, index);

  int64_t rest = columnCount % grid.columns;
  auto emit = [&](Value group, int64_t columns) {
    int64_t vectors = llvm::divideCeil(columns, lanes);
    body(rowBlock, {kernel.multiply(group, grid.panels),
                    kernel.multiply(group, grid.columns), vectors,
                    columns - (vectors - 1) * lanes});
  };
  auto full = [&] { emit(group, grid.columns); };
  auto last = [&] { emit(kernel.constant(groups - 1), rest); };
  if (!rest)
    full();
  else if (groups == 1)
    last();
  else
    kernel.writingBranch(kernel.isLess(group, groups - 1), full, last);
}

void ContractionNest::emitLastRows(const TileGrid &grid, Value rowBlock,
                                   int64_t blockRows,
                                   function_ref<void(Value, int64_t)> body) {
  int64_t rest = rowCount % blockRows;
  if (rest == 0)
    return;
  auto emit = [&] { body(kernel.constant(rowCount - rest), rest); };
  if (grid.rowBlocks == 1)
    return emit();
  kernel.writingBranch(
      kernel.isLess(rowBlock, grid.rowBlocks - 1), [] {}, emit);
}

SmallVector<Value>
ContractionNest::overWindow(ArrayRef<int64_t> window, ValueRange sums,
                            function_ref<SmallVector<Value>(ValueRange)> body,
                            std::optional<Range> range) {
  if (window.empty())
    return body(sums);
  int64_t loop = window.front();
  if (!range)
    range = {kernel.constant(0), kernel.constant(loops.extents[loop])};
  return kernel.loop(range->lower, range->upper, 1, sums, /*writes=*/false,
                     [&](Value index, ValueRange carried) {
                       at[loop] = {index};
                       return overWindow(window.drop_front(), carried, body);
                     });
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The point `count` elements behind `point` in an array of `shape`, whose rows
/// have at least so many.
static SmallVector<Value> advance(KernelBuilder &kernel, ValueRange point,
                                  int64_t count, ArrayRef<int64_t> shape) {
  SmallVector<Value> moved(point);
  if (count == 0 || shape.empty())
    return moved;
  moved.back() = kernel.add(moved.back(), count);
  for (size_t d = shape.size() - 1; d > 0; --d) {
    Value isInRow = kernel.isLess(moved[d], shape[d]);
    Value wrapped = kernel.subtract(moved[d], kernel.constant(shape[d]));
    Value next = kernel.add(moved[d - 1], 1);
    moved[d] = arith::SelectOp::create(kernel.ir(), kernel.loc(), isInRow,
                                       moved[d], wrapped);
    moved[d - 1] = arith::SelectOp::create(kernel.ir(), kernel.loc(), isInRow,
                                           moved[d - 1], next);
  }
  return moved;
}

void ContractionNest::setRows(Value first, int64_t count) {
  rows.clear();
  rowPoints.clear();
  SmallVector<int64_t> shape;
  for (int64_t loop : loops.joined)
    shape.push_back(loops.extents[loop]);
  if (loops.row)
    shape.push_back(loops.extents[*loops.row]);
  SmallVector<Value> point = kernel.delinearize(first, shape);
  for (int64_t r = 0; r < count; ++r) {
    rows.push_back(kernel.add(first, r));
    // Divisions would take a twentieth of the time of 400 products.
    rowPoints[rows.back()] = shape.empty() || r <= shape.back()
                                 ? advance(kernel, point, r, shape)
                                 : kernel.delinearize(rows.back(), shape);
  }
}

SmallVector<Value> ContractionNest::start(const Columns &columns) {
  OpOperand &init = *root.getDpsInitOperand(0);
  SmallVector<Value> sums;
  for (Value row : rows)
    for (int64_t v = 0; v < columns.vectors; ++v) {
      TreeEmitter tree(kernel, lanes, activeLanes(columns, v));
      Coordinate column{columnOf(columns, v), /*step=*/1};
      sums.push_back(tree.evaluateVector(
          init.get(), operandPoint(init, row, column, nullptr)));
    }
  return sums;
}

void ContractionNest::finish(ValueRange sums, const Columns &columns) {
  kernel.deferEpilogue([&] {
    for (int64_t v = 0; v < columns.vectors; ++v) {
      Value sum;
      TreeEmitter tree(kernel, lanes, activeLanes(columns, v),
                       [&](Value tensor, PointRef) {
                         return tensor == root->getResult(0) ? sum : Value();
                       });
      for (auto [r, row] : llvm::enumerate(rows)) {
        sum = sums[r * columns.vectors + v];
        SmallVector<Value> indices = resultIndices(row, columnOf(columns, v));
        Point point =
            lanePoint(ValueRange(indices).drop_back(), indices.back());
        tree.setWritten(point);
        kernel.store(tree.evaluateVector(result, point), indices,
                     activeLanes(columns, v));
      }
    }
  });
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Point ContractionNest::operandPoint(OpOperand &operand, Value row,
                                    Coordinate column, Value depth) {
  if (row) {
    ArrayRef<Value> point = rowPoints.find(row)->second;
    for (auto [loop, index] : llvm::zip(loops.joined, point))
      at[loop] = {index};
    if (loops.row)
      at[*loops.row] = {point.back()};
  }
  at[loops.column] = column;
  at[loops.depth] = {depth};
  return applyLinear(kernel, root.getMatchingIndexingMap(&operand), at);
}

SmallVector<Value> ContractionNest::resultIndices(Value row, Value column) {
  SmallVector<Value> indices;
  for (const Coordinate &coordinate :
       operandPoint(*root.getDpsInitOperand(0), row, {column, 1}, nullptr))
    indices.push_back(coordinate.index);
  return indices;
}
