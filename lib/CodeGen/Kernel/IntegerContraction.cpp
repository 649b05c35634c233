//===- IntegerContraction.cpp - Products of 16-bit integers -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One instruction multiplies pairs of 16-bit integers and adds up each pair as
// a 32-bit one. So a step of the loops takes two elements of the depth: a pair
// of the left side in all lanes, and the pairs of a panel's columns. Nothing
// saturates, and sums wrap as those of 32-bit integers do.
//
//===----------------------------------------------------------------------===//

#include "IntegerContraction.h"
#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "PanelPrefetch.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

bool hamkaas::isIntegerContraction(linalg::LinalgOp root) {
  return getElementTypeOrSelf(root->getResult(0)).isInteger(32);
}

OpOperand *hamkaas::getWidened(Value operand) {
  auto cast = operand.getDefiningOp<linalg::GenericOp>();
  if (!cast || cast.getNumDpsInputs() != 1 || cast.getNumReductionLoops() > 0 ||
      !llvm::all_of(cast.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isIdentity(); }))
    return nullptr;
  Operation *extended =
      cast.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp>(extended) ||
      extended->getOperand(0) != cast.getBlock()->getArgument(0) ||
      extended->getOperand(0).getType().getIntOrFloatBitWidth() != 16)
    return nullptr;
  return cast.getDpsInputOperand(0);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Vectors of a panel: with two, a block of 16 registers has 12 accumulators.
static constexpr int64_t maxPanelVectors = 2;
/// Limit on rows: more only lengthen the code.
static constexpr int64_t maxBlockRows = 14;
/// Pairs that an iteration of the innermost loop takes: its own instructions
/// would fill a tenth of the issue slots.
static constexpr int64_t unrolledPairs = 2;

/// Lanes that an instruction for pairs has.
static int64_t choosePairLanes(const CostModel &costs, int64_t columns) {
  constexpr int64_t least = 4;
  return std::clamp<int64_t>(llvm::PowerOf2Ceil(columns), least,
                             costs.target.lanes);
}

int64_t hamkaas::choosePairPanelWidth(const CostModel &costs,
                                      const ContractionLoops &loops) {
  int64_t lanes = choosePairLanes(costs, loops.columnCount());
  int64_t vectors = llvm::divideCeil(loops.columnCount(), lanes);
  return lanes * std::min(maxPanelVectors, vectors);
}

/// Cycles per step of a block: its products and sums, but not less than the
/// loop takes, and the loads, which mostly hide behind them.
static double getStepCycles(int64_t rows, int64_t vectors) {
  constexpr double least = 2, perLoad = 0.15;
  return std::max(least, double(rows * vectors) / 2) +
         perLoad * double(rows + vectors);
}

/// Rows of a block of accumulators. Beside these, vectors of the right side, a
/// pair of the left side and a product are in registers.
static int64_t choosePairRows(const CostModel &costs, int64_t rows,
                              int64_t vectors) {
  int64_t most = (costs.target.registers - vectors - 2) / vectors;
  most = std::min({most, rows, maxBlockRows});
  auto getCycles = [&](int64_t r) {
    int64_t blocks = rows / r;
    double cycles = double(blocks) * getStepCycles(r, vectors);
    return rows % r ? cycles + getStepCycles(rows % r, vectors) : cycles;
  };
  int64_t best = 1;
  for (int64_t r = 2; r <= most; ++r)
    if (getCycles(r) < getCycles(best))
      best = r;
  return best;
}

//===----------------------------------------------------------------------===//
// The emitter
//===----------------------------------------------------------------------===//

namespace {

/// Consecutive columns from the beginning of a panel on, in vectors of which
/// the last has `lastActive` lanes within the result.
struct PairColumns {
  Value panel;
  Value first;
  int64_t vectors;
  int64_t lastActive;
};

class IntegerContractionEmitter {
public:
  IntegerContractionEmitter(KernelBuilder &kernel, linalg::LinalgOp root,
                            Value result)
      : kernel(kernel), root(root), result(result) {}

  FailureOr<Tile> emit();

private:
  LogicalResult matchOperands();
  LogicalResult chooseBlocks();
  LogicalResult takeRequested();
  void choosePrefetch(Value panels);
  void moveTo(ArrayRef<int64_t> group, Value index);
  Value linearIndex(ArrayRef<int64_t> group);

  void emitTile(Value index);
  void emitRowBlock(Value rowBlock, const PairColumns &columns);
  void emitAccumulators(Value firstRow, int64_t count,
                        const PairColumns &columns);
  SmallVector<Value> overWindow(ArrayRef<int64_t> window, ValueRange sums,
                                const PairColumns &columns);
  SmallVector<Value> accumulate(ValueRange sums, const PairColumns &columns);
  SmallVector<Value> addPair(Value pair, bool isHalf, ValueRange sums,
                             const PairColumns &columns);
  void finish(ValueRange sums, const PairColumns &columns);

  Value emitLeft(Value row, Value depth, bool isHalf);
  Value emitRight(const PairColumns &columns, int64_t vector, Value pair,
                  bool isHalf);
  Value multiplyPairs(Value left, Value right);
  Point operandPoint(OpOperand &operand, Value row, Coordinate column,
                     Value depth);
  SmallVector<Value> resultIndices(Value row, Value column);
  int64_t activeLanes(const PairColumns &columns, int64_t vector) const {
    return vector + 1 < columns.vectors ? lanes : columns.lastActive;
  }
  Value columnOf(const PairColumns &columns, int64_t vector) {
    return kernel.add(columns.first, vector * lanes);
  }
  int64_t width() const { return lanes * vectors; }

  KernelBuilder &kernel;
  linalg::LinalgOp root;
  Value result;
  ContractionLoops loops;
  /// The operands as 16-bit integers.
  Value left, right;
  /// True if pairs of the left side are neighbours in memory.
  bool areNeighbours = false;
  /// The panels of a packed right side, null if it is read in place.
  Value panelBuffer;
  std::optional<PanelPrefetch> prefetch;
  int64_t lanes = 1, vectors = 1, blockRows = 1, tileRows = 1;
  bool sharesRows = false;
  int64_t rowCount = 1, columnCount = 1, depthCount = 1;
  /// Pairs of the depth, the last of which may be a half, and of a whole sum.
  int64_t pairCount = 1, stepCount = 1;
  int64_t panels = 1, rowBlocks = 1;

  /// State of the emission: an index per loop, and the current rows.
  Point at;
  SmallVector<Value> rows;
};

} // namespace

//===----------------------------------------------------------------------===//
// The computation
//===----------------------------------------------------------------------===//

/// Returns whether consecutive iterations of `loop` read neighbours.
static bool runsAlongLast(AffineMap map, int64_t loop) {
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    bool isLast = i + 1 == map.getNumResults();
    if (getFactors(map, i)[loop] != (isLast ? 1 : 0))
      return false;
  }
  return map.getNumResults() > 0;
}

LogicalResult IntegerContractionEmitter::matchOperands() {
  OpOperand *l = getWidened(root.getDpsInputOperand(0)->get());
  OpOperand *r = getWidened(root.getDpsInputOperand(1)->get());
  if (!l || !r)
    return root->emitError("expected operands that are 16-bit integers, each "
                           "as a 32-bit one");
  left = l->get();
  right = r->get();
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInputOperand(0));
  areNeighbours = isa<BlockArgument>(left) && runsAlongLast(map, loops.depth);
  return success();
}

LogicalResult IntegerContractionEmitter::takeRequested() {
  ArrayRef<int64_t> requested = kernel.requestedTile;
  if (requested.size() != 3 || requested[1] != width() ||
      requested[2] != loops.productCount() || requested[0] < 1 ||
      requested[0] > std::min(rowCount, maxBlockRows))
    return root->emitError("expected a tile of at most ")
           << std::min(rowCount, maxBlockRows) << " rows, " << width()
           << " columns and depth " << loops.productCount();
  blockRows = requested[0];
  return success();
}

LogicalResult IntegerContractionEmitter::chooseBlocks() {
  for (StringRef name : {rowsKnob, vectorsKnob, depthKnob, blockRowsKnob})
    kernel.dropKnob(name);
  CostModel costs = kernel.costs();
  costs.knobs = {};
  lanes = choosePairLanes(costs, columnCount);
  vectors = choosePairPanelWidth(costs, loops) / lanes;
  auto unpack = right.getDefiningOp<linalg::UnPackOp>();
  if (unpack && unpack.getStaticInnerTiles().size() == 2 &&
      isa<BlockArgument>(unpack.getSource())) {
    vectors = unpack.getStaticInnerTiles().front() / lanes;
    panelBuffer = kernel.flatBuffer(unpack.getSource());
  }
  blockRows = choosePairRows(costs, rowCount, vectors);
  if (!kernel.requestedTile.empty() && failed(takeRequested()))
    return failure();
  // A pair takes the memory of a float32.
  ContractionTile tile = chooseContractionTile(
      costs, loops.outerCount(), rowCount, columnCount, stepCount, width());
  tileRows =
      std::min<int64_t>(rowCount, llvm::alignTo(tile.blockRows, blockRows));
  sharesRows = tile.sharesRows && rowCount > tileRows;
  panels = llvm::divideCeil(columnCount, width());
  rowBlocks = llvm::divideCeil(rowCount, tileRows);
  if (panelBuffer)
    choosePrefetch(unpack.getSource());
  return success();
}

/// As for panels of floats, once for each iteration of the innermost loop: two
/// pairs bring at most a line.
void IntegerContractionEmitter::choosePrefetch(Value panels) {
  const CostModel &costs = kernel.costs();
  int64_t elements = cast<RankedTensorType>(panels.getType()).getNumElements();
  bool hasWindow = !loops.window.empty();
  if (!costs.machine.prefetches ||
      (hasWindow && !costs.prefetchesWindows(elements / 2)))
    return;
  ContractionTile tile{};
  tile.depth = stepCount;
  int64_t uses = hasWindow ? loops.count(loops.shared) * (rowCount / blockRows)
                           : tileRows / blockRows;
  prefetch.emplace(kernel, panels, stepCount, tile, uses, 2 * width());
}

FailureOr<Tile> IntegerContractionEmitter::emit() {
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
  pairCount = llvm::divideCeil(depthCount, int64_t(2));
  stepCount = loops.count(loops.window) * pairCount;
  at.assign(loops.extents.size(), {});
  if (failed(matchOperands()) || failed(chooseBlocks()))
    return failure();
  kernel.tileLoop(loops.outerCount() * panels * rowBlocks,
                  [&](Value index) { emitTile(index); });
  return Tile{blockRows, width(), loops.productCount()};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Sets the indices of `group` to its point number `index`.
void IntegerContractionEmitter::moveTo(ArrayRef<int64_t> group, Value index) {
  SmallVector<int64_t> shape;
  for (int64_t loop : group)
    shape.push_back(loops.extents[loop]);
  for (auto [loop, i] :
       llvm::zip_equal(group, kernel.delinearize(index, shape)))
    at[loop] = {i};
}

/// The number of the point that the emission stands at among those of `group`.
Value IntegerContractionEmitter::linearIndex(ArrayRef<int64_t> group) {
  Value index = kernel.constant(0);
  for (int64_t loop : group)
    index =
        kernel.add(kernel.multiply(index, loops.extents[loop]), at[loop].index);
  return index;
}

/// Consecutive tiles use one panel, or the same rows, as those of floats do.
void IntegerContractionEmitter::emitTile(Value index) {
  auto take = [&](int64_t count) {
    Value taken = kernel.remainder(index, count);
    index = kernel.divide(index, count);
    return taken;
  };
  Value panel;
  if (sharesRows)
    panel = take(panels);
  Value rowBlock = take(rowBlocks);
  moveTo(loops.shared, take(loops.count(loops.shared)));
  if (!sharesRows)
    panel = take(panels);
  moveTo(loops.batch, index);

  int64_t rest = columnCount % width();
  auto emit = [&](Value panel, int64_t columns) {
    int64_t count = llvm::divideCeil(columns, lanes);
    emitRowBlock(rowBlock, {panel, kernel.multiply(panel, width()), count,
                            columns - (count - 1) * lanes});
  };
  auto full = [&] { emit(panel, width()); };
  auto last = [&] { emit(kernel.constant(panels - 1), rest); };
  if (!rest)
    full();
  else if (panels == 1)
    last();
  else
    kernel.writingBranch(kernel.isLess(panel, panels - 1), full, last);
}

void IntegerContractionEmitter::emitRowBlock(Value rowBlock,
                                             const PairColumns &columns) {
  int64_t fullRows = rowCount / blockRows * blockRows;
  Value first = kernel.multiply(rowBlock, tileRows);
  Value last = kernel.minimum(kernel.add(first, tileRows), fullRows);
  kernel.writingLoop(first, last, blockRows, [&](Value row) {
    if (prefetch) {
      Value panel = kernel.add(
          kernel.multiply(linearIndex(loops.batch), panels), columns.panel);
      Value use = loops.window.empty()
                      ? kernel.divide(kernel.subtract(row, first), blockRows)
                      : kernel.add(kernel.multiply(linearIndex(loops.shared),
                                                   rowCount / blockRows),
                                   kernel.divide(row, blockRows));
      prefetch->begin(panel, use, kernel.constant(0),
                      kernel.constant(stepCount));
    }
    emitAccumulators(row, blockRows, columns);
    if (prefetch)
      prefetch->end();
  });
  if (fullRows == rowCount)
    return;
  auto rest = [&] {
    emitAccumulators(kernel.constant(fullRows), rowCount - fullRows, columns);
  };
  if (rowBlocks == 1)
    return rest();
  kernel.writingBranch(kernel.isLess(rowBlock, rowBlocks - 1), [] {}, rest);
}

/// One block of accumulators, in registers from the first product to the last.
void IntegerContractionEmitter::emitAccumulators(Value firstRow, int64_t count,
                                                 const PairColumns &columns) {
  rows.clear();
  for (int64_t r = 0; r < count; ++r)
    rows.push_back(kernel.add(firstRow, r));
  OpOperand &init = *root.getDpsInitOperand(0);
  SmallVector<Value> sums;
  for (Value row : rows)
    for (int64_t v = 0; v < columns.vectors; ++v) {
      TreeEmitter tree(kernel, lanes, activeLanes(columns, v));
      Coordinate column{columnOf(columns, v), /*step=*/1};
      sums.push_back(tree.evaluateVector(
          init.get(), operandPoint(init, row, column, nullptr)));
    }
  finish(overWindow(loops.window, sums, columns), columns);
}

SmallVector<Value>
IntegerContractionEmitter::overWindow(ArrayRef<int64_t> window, ValueRange sums,
                                      const PairColumns &columns) {
  if (window.empty())
    return accumulate(sums, columns);
  int64_t loop = window.front();
  return kernel.loop(kernel.constant(0), kernel.constant(loops.extents[loop]),
                     1, sums, /*writes=*/false,
                     [&](Value index, ValueRange carried) {
                       at[loop] = {index};
                       return overWindow(window.drop_front(), carried, columns);
                     });
}

SmallVector<Value>
IntegerContractionEmitter::accumulate(ValueRange sums,
                                      const PairColumns &columns) {
  int64_t pairs = depthCount / 2;
  int64_t whole = pairs / unrolledPairs * unrolledPairs;
  SmallVector<Value> next = kernel.loop(
      kernel.constant(0), kernel.constant(whole), unrolledPairs, sums,
      /*writes=*/false, [&](Value pair, ValueRange carried) {
        SmallVector<Value> added(carried);
        for (int64_t i = 0; i < unrolledPairs; ++i)
          added =
              addPair(kernel.add(pair, i), /*isHalf=*/false, added, columns);
        if (prefetch)
          prefetch->emit(kernel.add(
              kernel.multiply(linearIndex(loops.window), pairCount), pair));
        return added;
      });
  for (int64_t pair = whole; pair < pairs; ++pair)
    next = addPair(kernel.constant(pair), /*isHalf=*/false, next, columns);
  if (depthCount % 2)
    next = addPair(kernel.constant(pairs), /*isHalf=*/true, next, columns);
  return next;
}

/// Adds the products of one pair of the depth, or of its last element.
SmallVector<Value>
IntegerContractionEmitter::addPair(Value pair, bool isHalf, ValueRange sums,
                                   const PairColumns &columns) {
  SmallVector<Value> pairs, next;
  for (int64_t v = 0; v < columns.vectors; ++v)
    pairs.push_back(emitRight(columns, v, pair, isHalf));
  Value depth = kernel.multiply(pair, 2);
  for (auto [r, row] : llvm::enumerate(rows)) {
    Value factors = emitLeft(row, depth, isHalf);
    for (int64_t v = 0; v < columns.vectors; ++v)
      next.push_back(arith::AddIOp::create(kernel.ir(), kernel.loc(),
                                           sums[r * columns.vectors + v],
                                           multiplyPairs(factors, pairs[v])));
  }
  return next;
}

/// Evaluates the epilogue on the accumulators and writes the result.
void IntegerContractionEmitter::finish(ValueRange sums,
                                       const PairColumns &columns) {
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

/// Two elements of the left side as one word, in all lanes. The second is 0 if
/// the depth ends before it.
Value IntegerContractionEmitter::emitLeft(Value row, Value depth, bool isHalf) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  OpOperand &operand = *root.getDpsInputOperand(0);
  Type word = ir.getI32Type();
  auto read = [&](Value depth) -> Value {
    TreeEmitter tree(kernel, /*lanes=*/1, /*active=*/1);
    Value element =
        tree.evaluate(left, operandPoint(operand, row, /*column=*/{}, depth));
    return arith::ExtUIOp::create(ir, loc, word, element);
  };
  Value pair;
  if (areNeighbours && !isHalf) {
    SmallVector<Value> indices;
    for (Coordinate at : operandPoint(operand, row, /*column=*/{}, depth))
      indices.push_back(at.index);
    kernel.forbidAlias(left);
    Value elements = kernel.load(left, indices, /*lanes=*/2, /*active=*/2);
    Value words =
        vector::BitCastOp::create(ir, loc, VectorType::get(1, word), elements);
    pair = vector::ExtractOp::create(ir, loc, words, int64_t(0));
  } else {
    pair = read(depth);
    if (!isHalf) {
      Value sixteen = arith::ConstantIntOp::create(ir, loc, word, 16);
      Value high =
          arith::ShLIOp::create(ir, loc, read(kernel.add(depth, 1)), sixteen);
      pair = arith::OrIOp::create(ir, loc, pair, high);
    }
  }
  return vector::BitCastOp::create(ir, loc,
                                   VectorType::get(2 * lanes, ir.getI16Type()),
                                   kernel.broadcast(pair, lanes));
}

/// The pairs of the columns of a vector.
Value IntegerContractionEmitter::emitRight(const PairColumns &columns,
                                           int64_t vector, Value pair,
                                           bool isHalf) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto type = VectorType::get(2 * lanes, ir.getI16Type());
  if (panelBuffer) {
    // Panels are padded with zeros, so whole vectors are read.
    Value index = kernel.add(kernel.multiply(linearIndex(loops.batch), panels),
                             columns.panel);
    for (int64_t loop : loops.window)
      index = kernel.add(kernel.multiply(index, loops.extents[loop]),
                         at[loop].index);
    index = kernel.add(kernel.multiply(index, pairCount), pair);
    index = kernel.add(kernel.multiply(index, 2 * width()), 2 * lanes * vector);
    return vector::LoadOp::create(ir, loc, type, panelBuffer, index);
  }
  OpOperand &operand = *root.getDpsInputOperand(1);
  TreeEmitter tree(kernel, lanes, activeLanes(columns, vector));
  auto read = [&](Value depth) {
    Coordinate column{columnOf(columns, vector), /*step=*/1};
    return tree.evaluateVector(
        right, operandPoint(operand, rows.front(), column, depth));
  };
  Value depth = kernel.multiply(pair, 2);
  Value first = read(depth);
  Value second =
      isHalf
          ? arith::ConstantOp::create(ir, loc, ir.getZeroAttr(first.getType()))
                .getResult()
          : read(kernel.add(depth, 1));
  return vector::InterleaveOp::create(ir, loc, first, second);
}

/// The sums of two products each.
Value IntegerContractionEmitter::multiplyPairs(Value left, Value right) {
  StringRef name = lanes == 4   ? "llvm.x86.sse2.pmadd.wd"
                   : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                : "llvm.x86.avx512.pmaddw.d.512";
  OpBuilder &ir = kernel.ir();
  return LLVM::CallIntrinsicOp::create(
             ir, kernel.loc(), VectorType::get(lanes, ir.getI32Type()),
             ir.getStringAttr(name), ValueRange{left, right})
      .getResult(0);
}

Point IntegerContractionEmitter::operandPoint(OpOperand &operand, Value row,
                                              Coordinate column, Value depth) {
  if (loops.row)
    at[*loops.row] = {row};
  at[loops.column] = column;
  at[loops.depth] = {depth};
  return applyLinear(kernel, root.getMatchingIndexingMap(&operand), at);
}

SmallVector<Value> IntegerContractionEmitter::resultIndices(Value row,
                                                            Value column) {
  SmallVector<Value> indices;
  for (Coordinate coordinate :
       operandPoint(*root.getDpsInitOperand(0), row, {column, 1}, nullptr))
    indices.push_back(coordinate.index);
  return indices;
}

FailureOr<Tile> hamkaas::emitIntegerContraction(KernelBuilder &kernel,
                                                linalg::LinalgOp root,
                                                Value result) {
  return IntegerContractionEmitter(kernel, root, result).emit();
}
