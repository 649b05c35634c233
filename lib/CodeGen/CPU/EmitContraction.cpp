//===- EmitContraction.cpp - Kernels around a contraction -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionLoops.h"
#include "Emitters.h"
#include "HamKaas/CodeGen/CPU/Contraction.h"
#include "PanelPrefetch.h"
#include "Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Larger right sides are not in the first-level cache when they are read.
static constexpr int64_t minPrefetched = 1 << 13;
/// About the latency of the third-level cache.
static constexpr int64_t stepsAhead = 8;

/// Smaller weights of a convolution stay in the second-level cache.
static constexpr int64_t minPrefetchedWindows = 1 << 18;

namespace {
/// Consecutive columns from the beginning of one panel on, in vectors of which
/// the last has `lastActive` lanes within the result.
struct Columns {
  Value panel;
  Value first;
  int64_t vectors;
  int64_t lastActive;
};

class ContractionEmitter {
public:
  ContractionEmitter(KernelBuilder &kernel, linalg::LinalgOp root, Value result)
      : kernel(kernel), root(root), result(result) {}

  FailureOr<Tile> emit();

private:
  void choosePanels();
  void choosePrefetch();
  Value linearIndex(ArrayRef<int64_t> group);
  Value getUse(Value row);
  Value getStep(Value depth);

  void moveTo(ArrayRef<int64_t> group, Value index);
  void emitTile(Value tile);
  void emitPanels(Value rowBlock, Columns columns);
  void emitRowBlock(Value rowBlock, Value depthBlock, Columns columns);
  void emitAccumulators(Value firstRow, int64_t rows, Value depthBlock,
                        Columns columns, Value use);

  SmallVector<Value> start(const Columns &columns);
  SmallVector<Value> resume(const Columns &columns);
  SmallVector<Value> accumulate(Value lower, Value upper, ValueRange sums,
                                const Columns &columns);
  SmallVector<Value>
  overWindow(ArrayRef<int64_t> window, ValueRange sums,
             function_ref<SmallVector<Value>(ValueRange)> body);
  void finish(ValueRange sums, const Columns &columns);
  void suspend(ValueRange sums, const Columns &columns);

  Value emitRight(const Columns &columns, int64_t vector, Value depth);
  void prefetchRight(const Columns &columns, Value depth);
  Value multiplyAdd(Value lhs, Value rhs, Value sum);
  Point operandPoint(OpOperand &operand, Value row, Coordinate column,
                     Value depth);
  SmallVector<Value> resultIndices(Value row, Value column);
  int64_t activeLanes(const Columns &columns, int64_t vector) const {
    return vector + 1 < columns.vectors ? tile.lanes : columns.lastActive;
  }
  Value columnOf(const Columns &columns, int64_t vector) {
    return kernel.add(columns.first, vector * tile.lanes);
  }

  KernelBuilder &kernel;
  linalg::LinalgOp root;
  Value result;
  ContractionLoops loops;
  ContractionTile tile;
  /// The packed right side, null if it is not packed by columns.
  linalg::UnPackOp packed;
  std::optional<PanelPrefetch> prefetch;
  int64_t rowCount = 1, columnCount = 1, depthCount = 1;
  int64_t panels = 1, panelGroups = 1, rowBlocks = 1, depthBlocks = 1;

  /// Where the emission stands, an index a loop, and the rows it is about.
  Point at;
  SmallVector<Value> rows;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

void ContractionEmitter::choosePanels() {
  int64_t width = 0;
  OpOperand &right = *root.getDpsInputOperand(1);
  AffineMap map = root.getMatchingIndexingMap(&right);
  if (auto unpack = right.get().getDefiningOp<linalg::UnPackOp>()) {
    ArrayRef<int64_t> positions = unpack.getInnerDimsPos();
    if (positions.size() == 1 &&
        map.getResult(positions.front()) ==
            getAffineDimExpr(loops.column, map.getContext())) {
      packed = unpack;
      width = unpack.getStaticInnerTiles().front();
    }
  }
  tile = chooseContractionTile(kernel.target(), loops.outerCount(), rowCount,
                               columnCount, loops.productCount(), width);
  // Partial sums go to the destination, one depth after the other.
  if (!loops.window.empty() ||
      getElementTypeOrSelf(result) != getElementTypeOrSelf(root->getResult(0)))
    tile.depth = loops.productCount();
  if (!packed || !loops.window.empty())
    tile.panels = 1;
  panels = llvm::divideCeil(columnCount, tile.panelWidth());
  panelGroups = llvm::divideCeil(columnCount, tile.columns());
  rowBlocks = llvm::divideCeil(rowCount, tile.blockRows);
  depthBlocks = llvm::divideCeil(loops.productCount(), tile.depth);
  choosePrefetch();
}

void ContractionEmitter::choosePrefetch() {
  if (!packed || !isa<BlockArgument>(packed.getSource()))
    return;
  SmallVector<int64_t> shape;
  for (int64_t loop : loops.batch)
    shape.push_back(loops.extents[loop]);
  shape.push_back(panels);
  for (int64_t loop : loops.window)
    shape.push_back(loops.extents[loop]);
  shape.append({depthCount, tile.panelWidth()});
  auto type = cast<RankedTensorType>(packed.getSource().getType());
  if (type.getShape() != ArrayRef(shape))
    return;
  int64_t uses = tile.blockRows / tile.rows;
  if (!loops.window.empty()) {
    // All rows use all of a panel, which in the cache is a matter of its size.
    if (type.getNumElements() < minPrefetchedWindows)
      return;
    uses = loops.count(loops.shared) * (rowCount / tile.rows);
  }
  prefetch.emplace(kernel, packed.getSource(), loops.productCount(), tile,
                   uses);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

FailureOr<Tile> ContractionEmitter::emit() {
  StringRef reason;
  FailureOr<ContractionLoops> matched = ContractionLoops::match(root, reason);
  if (failed(matched))
    return root->emitError(reason);
  if (failed(verifyBody(root)) || failed(verifyEpilogue(root, result)))
    return failure();
  loops = *matched;
  rowCount = loops.rowCount();
  columnCount = loops.columnCount();
  depthCount = loops.extents[loops.depth];
  at.assign(loops.extents.size(), {});
  choosePanels();
  // Partial sums overwrite the destination before the epilogue reads.
  if (depthBlocks > 1)
    for (Value argument : kernel.arguments())
      kernel.forbidAlias(argument);
  kernel.tileLoop(loops.outerCount() * panelGroups * rowBlocks,
                  [&](Value index) { emitTile(index); });
  return Tile{tile.rows, tile.columns(), tile.depth};
}

/// Moves along `group` to its point number `index`.
void ContractionEmitter::moveTo(ArrayRef<int64_t> group, Value index) {
  SmallVector<int64_t> shape;
  for (int64_t loop : group)
    shape.push_back(loops.extents[loop]);
  for (auto [loop, i] :
       llvm::zip_equal(group, kernel.delinearize(index, shape)))
    at[loop] = {i};
}

/// Consecutive tiles use one panel, which thus stays cached: the row blocks,
/// then what else shares a right side. Or they use the same rows.
void ContractionEmitter::emitTile(Value index) {
  auto take = [&](int64_t count) {
    Value taken = kernel.remainder(index, count);
    index = kernel.divide(index, count);
    return taken;
  };
  Value group, rowBlock;
  if (tile.sharesRows)
    group = take(panelGroups);
  rowBlock = take(rowBlocks);
  moveTo(loops.shared, take(loops.count(loops.shared)));
  if (!tile.sharesRows)
    group = take(panelGroups);
  moveTo(loops.batch, index);

  int64_t rest = columnCount % tile.columns();
  auto emit = [&](Value group, int64_t columns) {
    int64_t vectors = llvm::divideCeil(columns, tile.lanes);
    emitPanels(rowBlock, {kernel.multiply(group, tile.panels),
                          kernel.multiply(group, tile.columns()), vectors,
                          columns - (vectors - 1) * tile.lanes});
  };
  auto full = [&] { emit(group, tile.columns()); };
  auto last = [&] { emit(kernel.constant(panelGroups - 1), rest); };
  if (!rest)
    full();
  else if (panelGroups == 1)
    last();
  else
    kernel.writingBranch(kernel.isLess(group, panelGroups - 1), full, last);
}

void ContractionEmitter::emitPanels(Value rowBlock, Columns columns) {
  kernel.writingLoop(
      kernel.constant(0), kernel.constant(depthBlocks), 1,
      [&](Value depthBlock) { emitRowBlock(rowBlock, depthBlock, columns); });
}

void ContractionEmitter::emitRowBlock(Value rowBlock, Value depthBlock,
                                      Columns columns) {
  int64_t fullRows = rowCount / tile.rows * tile.rows;
  Value first = kernel.multiply(rowBlock, tile.blockRows);
  Value last = kernel.minimum(kernel.add(first, tile.blockRows), fullRows);
  kernel.writingLoop(first, last, tile.rows, [&](Value row) {
    Value use = kernel.divide(kernel.subtract(row, first), tile.rows);
    emitAccumulators(row, tile.rows, depthBlock, columns, use);
  });
  if (fullRows == rowCount)
    return;
  auto rest = [&] {
    emitAccumulators(kernel.constant(fullRows), rowCount - fullRows, depthBlock,
                     columns, /*use=*/nullptr);
  };
  if (rowBlocks == 1)
    return rest();
  kernel.writingBranch(kernel.isLess(rowBlock, rowBlocks - 1), [] {}, rest);
}

/// One block of accumulators: a register each, from the first product of the
/// depth block to the last. `use` counts the blocks that read the same part of
/// a panel, null if there is none to count.
void ContractionEmitter::emitAccumulators(Value firstRow, int64_t rowsHere,
                                          Value depthBlock, Columns columns,
                                          Value use) {
  rows.clear();
  for (int64_t r = 0; r < rowsHere; ++r)
    rows.push_back(kernel.add(firstRow, r));
  Value lower = kernel.multiply(depthBlock, tile.depth);
  // With a window around it, all of the innermost loop is one block.
  Value upper = kernel.minimum(kernel.add(lower, tile.depth), depthCount);
  if (prefetch && use) {
    Value panel = kernel.add(kernel.multiply(linearIndex(loops.batch), panels),
                             columns.panel);
    if (loops.window.empty())
      prefetch->begin(panel, use, lower, upper);
    else
      prefetch->begin(panel, getUse(firstRow), lower,
                      kernel.constant(loops.productCount()));
  }
  if (depthBlocks == 1) {
    finish(accumulate(lower, upper, start(columns), columns), columns);
  } else {
    auto vectorType = VectorType::get(tile.lanes, kernel.ir().getF32Type());
    SmallVector<Type> types(rowsHere * columns.vectors, vectorType);
    SmallVector<Value> sums = kernel.branch(
        kernel.isLess(depthBlock, 1), types, /*writes=*/false,
        [&] { return start(columns); }, [&] { return resume(columns); });
    sums = accumulate(lower, upper, sums, columns);
    kernel.writingBranch(
        kernel.isLess(depthBlock, depthBlocks - 1),
        [&] { suspend(sums, columns); }, [&] { finish(sums, columns); });
  }
  if (prefetch)
    prefetch->end();
}

//===----------------------------------------------------------------------===//
// Accumulators
//===----------------------------------------------------------------------===//

SmallVector<Value> ContractionEmitter::start(const Columns &columns) {
  OpOperand &init = *root.getDpsInitOperand(0);
  SmallVector<Value> sums;
  for (Value row : rows)
    for (int64_t v = 0; v < columns.vectors; ++v) {
      TreeEmitter tree(kernel, tile.lanes, activeLanes(columns, v));
      Coordinate column{columnOf(columns, v), /*step=*/1};
      sums.push_back(tree.evaluateVector(
          init.get(), operandPoint(init, row, column, nullptr)));
    }
  return sums;
}

SmallVector<Value> ContractionEmitter::resume(const Columns &columns) {
  SmallVector<Value> sums;
  for (Value row : rows)
    for (int64_t v = 0; v < columns.vectors; ++v)
      sums.push_back(kernel.load(kernel.destination,
                                 resultIndices(row, columnOf(columns, v)),
                                 tile.lanes, activeLanes(columns, v)));
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
  OpOperand &leftOperand = *root.getDpsInputOperand(0);
  auto body = [&](Value depth, ValueRange carried) {
    SmallVector<Value> right;
    for (int64_t v = 0; v < columns.vectors; ++v)
      right.push_back(emitRight(columns, v, depth));
    SmallVector<Value> next;
    for (auto [r, row] : llvm::enumerate(rows)) {
      TreeEmitter tree(kernel, tile.lanes, tile.lanes);
      Value left = tree.evaluateVector(
          leftOperand.get(),
          operandPoint(leftOperand, row, /*column=*/{}, depth));
      for (int64_t v = 0; v < columns.vectors; ++v)
        next.push_back(
            multiplyAdd(left, right[v], carried[r * columns.vectors + v]));
    }
    if (prefetch)
      prefetch->emit(getStep(depth));
    else if (!packed)
      prefetchRight(columns, depth);
    return next;
  };
  return overWindow(loops.window, sums, [&](ValueRange carried) {
    return kernel.loop(lower, upper, 1, carried, /*writes=*/false, body);
  });
}

/// The number of the point that the emission stands at among those of `group`.
Value ContractionEmitter::linearIndex(ArrayRef<int64_t> group) {
  Value index = kernel.constant(0);
  for (int64_t loop : group)
    index =
        kernel.add(kernel.multiply(index, loops.extents[loop]), at[loop].index);
  return index;
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

/// The nest of the loops of `window` around `body`, which adds to `sums`.
SmallVector<Value> ContractionEmitter::overWindow(
    ArrayRef<int64_t> window, ValueRange sums,
    function_ref<SmallVector<Value>(ValueRange)> body) {
  if (window.empty())
    return body(sums);
  int64_t loop = window.front();
  return kernel.loop(kernel.constant(0), kernel.constant(loops.extents[loop]),
                     1, sums, /*writes=*/false,
                     [&](Value index, ValueRange carried) {
                       at[loop] = {index};
                       return overWindow(window.drop_front(), carried, body);
                     });
}

/// Evaluates the epilogue on the accumulators and writes the result.
void ContractionEmitter::finish(ValueRange sums, const Columns &columns) {
  for (int64_t v = 0; v < columns.vectors; ++v) {
    Value sum;
    TreeEmitter tree(kernel, tile.lanes, activeLanes(columns, v),
                     [&](Value tensor, PointRef) {
                       return tensor == root->getResult(0) ? sum : Value();
                     });
    for (auto [r, row] : llvm::enumerate(rows)) {
      sum = sums[r * columns.vectors + v];
      SmallVector<Value> indices = resultIndices(row, columnOf(columns, v));
      Point point = lanePoint(ValueRange(indices).drop_back(), indices.back());
      tree.setWritten(point);
      kernel.store(tree.evaluateVector(result, point), indices,
                   activeLanes(columns, v));
    }
  }
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value ContractionEmitter::emitRight(const Columns &columns, int64_t vector,
                                    Value depth) {
  OpOperand &right = *root.getDpsInputOperand(1);
  Coordinate column{columnOf(columns, vector), /*step=*/1};
  Point point = operandPoint(right, rows.front(), column, depth);
  if (!packed) {
    TreeEmitter tree(kernel, tile.lanes, activeLanes(columns, vector));
    return tree.evaluateVector(right.get(), point);
  }
  // Panels are padded with zeros, so whole vectors are read.
  int64_t position = packed.getInnerDimsPos().front();
  point[position] = {kernel.add(columns.panel, vector / tile.vectors)};
  Point at;
  ArrayRef<int64_t> order = packed.getOuterDimsPerm();
  for (size_t i = 0; i < point.size(); ++i)
    at.push_back(point[order.empty() ? i : order[i]]);
  int64_t within = vector % tile.vectors * tile.lanes;
  at.push_back({kernel.constant(within), /*step=*/1});
  TreeEmitter tree(kernel, tile.lanes, tile.lanes);
  return tree.evaluateVector(packed.getSource(), at);
}

/// A right side whose columns are not packed is read from another page in each
/// step, so the hardware does not fetch ahead.
void ContractionEmitter::prefetchRight(const Columns &columns, Value depth) {
  OpOperand &right = *root.getDpsInputOperand(1);
  auto type = cast<RankedTensorType>(right.get().getType());
  if (!isa<BlockArgument>(right.get()) || type.getNumElements() < minPrefetched)
    return;
  Value ahead = kernel.minimum(kernel.add(depth, stepsAhead), depthCount - 1);
  for (int64_t v = 0; v < columns.vectors; ++v) {
    Value linear = kernel.constant(0);
    Point point =
        operandPoint(right, rows.front(), {columnOf(columns, v), 1}, ahead);
    for (auto [coordinate, size] : llvm::zip_equal(point, type.getShape()))
      linear = kernel.add(kernel.multiply(linear, size), coordinate.index);
    kernel.prefetch(right.get(), linear);
  }
}

Value ContractionEmitter::multiplyAdd(Value lhs, Value rhs, Value sum) {
  if (kernel.target().fma)
    return vector::FMAOp::create(kernel.ir(), kernel.loc(), lhs, rhs, sum);
  Value product = arith::MulFOp::create(kernel.ir(), kernel.loc(), lhs, rhs);
  return arith::AddFOp::create(kernel.ir(), kernel.loc(), sum, product);
}

Point ContractionEmitter::operandPoint(OpOperand &operand, Value row,
                                       Coordinate column, Value depth) {
  if (loops.row)
    at[*loops.row] = {row};
  at[loops.column] = column;
  at[loops.depth] = {depth};
  return applyLinear(kernel, root.getMatchingIndexingMap(&operand), at);
}

SmallVector<Value> ContractionEmitter::resultIndices(Value row, Value column) {
  SmallVector<Value> indices;
  for (Coordinate coordinate :
       operandPoint(*root.getDpsInitOperand(0), row, {column, 1}, nullptr))
    indices.push_back(coordinate.index);
  return indices;
}

FailureOr<Tile> hamkaas::emitContraction(KernelBuilder &kernel, Value result) {
  linalg::LinalgOp root = findReductionRoot(result);
  if (!root)
    return emitError(kernel.loc(), "expected a contraction in the kernel");
  return ContractionEmitter(kernel, root, result).emit();
}
