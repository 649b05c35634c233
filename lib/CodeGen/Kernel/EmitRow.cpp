//===- EmitRow.cpp - Kernels with reductions along rows ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "RowComputation.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Accumulators of a reduction: enough to hide the latency of an addition. The
/// order of a sum depends on their number, so it is the same for every machine.
static constexpr int64_t accumulators = 8;
/// The same where a long computation per element hides the latency.
static constexpr int64_t accumulatorsOfMath = 4;
/// Elements of the rows of a group, which stay in the first-level cache, and
/// the fewest and the most rows of it.
static constexpr int64_t groupElements = 2048, minGroup = 4, maxGroup = 16;

RowWorkers::~RowWorkers() = default;

namespace {
class RowEmitter {
public:
  RowEmitter(KernelBuilder &kernel, Value result, const RowWorkers *workers)
      : kernel(kernel), result(result), workers(workers) {}

  FailureOr<Tile> emit();

private:
  FailureOr<Tile> finish(int64_t tileRows) const;
  LogicalResult collect();
  void chooseBlocks();
  SmallVector<LaneUse> getRowUses() const;
  void collectRowArguments();
  bool writesRows() const;

  void chooseGroup();
  void beginRow(Value row);
  void emitRow(Value row);
  void emitGroup(Value first, Value last);
  void forEachRow(Value first, Value last, bool writes,
                  function_ref<void(Value slot)> body);
  void emitFunctions();
  TreeEmitter &getTree(const LaneBlock &block);
  void forEachBlock(int64_t unroll, SmallVectorImpl<Value> &carried,
                    bool writes,
                    function_ref<void(LaneBlock, MutableArrayRef<Value>)> body);
  void prefetchNext(LaneBlock block);
  Value emitReduction(const Reduction &reduction);
  void emitContribution(const Reduction &reduction, LaneBlock block,
                        MutableArrayRef<Value> sums, bool stores);
  void emitResult();
  TreeEmitter makeTree(int64_t active);

  KernelBuilder &kernel;
  Value result;
  /// The workers that share a row; null if there are none.
  const RowWorkers *workers;
  RowComputation rows;
  /// Elements of the chunk of a row that a worker has.
  int64_t part = 0, lanes = 1;
  /// True if the row is read once and stays in registers for later passes.
  bool keepsRow = false;

  /// An expensive elementwise value that several passes need: the first of them
  /// keeps it in the destination's row. Null if there is none.
  Value stored;

  /// Whole rows in memory that the kernel reads.
  SmallVector<BlockArgument> rowArguments;

  /// Rows of which each pass visits one after the other, so that what a row
  /// waits for overlaps with the next ones.
  int64_t group = 1;
  /// The numbers of a group on the stack, one a row: reductions, and functions
  /// of these that are computed for all rows at once.
  llvm::MapVector<Value, Value> buffers;
  SmallVector<Value> functions;

  // State while a row is emitted.
  Value worker;
  Value nextRow;
  SmallVector<Value> rowIndices;
  llvm::DenseMap<Value, Value> reduced;
  bool storedIsReady = false;
  bool readsOtherRow = false;
  /// The blocks of a row that is kept, with the values known at each; otherwise
  /// the tree of the current block.
  SmallVector<LaneBlock> blocks;
  SmallVector<TreeEmitter, 0> trees;
};
} // namespace

//===----------------------------------------------------------------------===//
// The computation
//===----------------------------------------------------------------------===//

/// Finds the reductions, and checks the shape of the result.
LogicalResult RowEmitter::collect() {
  if (failed(rows.collect(result)))
    return failure();
  ArrayRef<int64_t> shape = cast<RankedTensorType>(result.getType()).getShape();
  if (shape != ArrayRef(rows.wholeShape()) && shape != ArrayRef(rows.rowShape))
    return emitError(kernel.loc(),
                     "expected a result of the shape of the rows");
  return success();
}

void RowEmitter::collectRowArguments() {
  SmallVector<int64_t> whole = rows.wholeShape();
  for (BlockArgument argument : kernel.arguments().drop_back()) {
    auto type = cast<RankedTensorType>(argument.getType());
    if (type.getShape() == ArrayRef(whole) && !argument.use_empty())
      rowArguments.push_back(argument);
  }
}

/// The operands that are read along the rows, which begin at multiples of a
/// chunk.
SmallVector<LaneUse> RowEmitter::getRowUses() const {
  SmallVector<LaneUse> uses;
  auto add = [&](Value tensor) {
    uses.push_back(
        {tensor, SmallVector<LaneUse::Index>(rows.rowShape.size(), {0, 1})});
    uses.back().at.push_back({1, 0});
  };
  if (writesRows()) {
    add(result);
    add(kernel.destinationArgument());
  }
  for (auto &[value, reduction] : rows.reductions) {
    linalg::LinalgOp op = reduction.op;
    SmallVector<LaneUse::Index> loops(op.getNumLoops(), {0, 1});
    loops[reduction.loops.front()] = {1, 0};
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()) &&
          !op.getMatchingBlockArgument(&operand).use_empty())
        uses.push_back(
            {operand.get(),
             applyToLanes(op.getMatchingIndexingMap(&operand), loops)});
  }
  return uses;
}

/// A row is kept if it fits into registers for all arguments.
void RowEmitter::chooseBlocks() {
  part = workers ? rows.extent / workers->count : rows.extent;
  lanes = kernel.target().strategy->chooseLanes(
      kernel.costs(), part, getRowUses(),
      [&](Value value) { return rows.isReduction(value); });
  int64_t kept = kernel.costs().keptRowElements();
  keepsRow = kept > 0 && part <= kept &&
             part * static_cast<int64_t>(rowArguments.size()) <= 2 * kept;
}

/// Returns whether the result has the size of the reduced tensor.
bool RowEmitter::writesRows() const {
  return result.getType() == kernel.destinationType() &&
         !rows.isReduction(result) &&
         cast<RankedTensorType>(result.getType()).getRank() ==
             static_cast<int64_t>(rows.rowShape.size()) + 1;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Prefetches the line of the next row, or of that in the next group, which
/// begins where a block does. The hardware prefetcher stops at each page, and
/// the first pass over a row is faster than memory.
void RowEmitter::prefetchNext(LaneBlock block) {
  if (!kernel.costs().machine.prefetches ||
      ShapedType::getNumElements(rows.rowShape) == 1 ||
      block.slot * lanes % kernel.costs().lineElements())
    return;
  int64_t width = kernel.destinationType().getElementTypeBitWidth() / 8;
  auto level = kernel.costs().isNearRow(rows.extent * width)
                   ? CacheLevel::First
                   : CacheLevel::Second;
  Value next = kernel.add(nextRow, block.index);
  for (BlockArgument argument : rowArguments)
    kernel.prefetch(argument, next, level);
  if (writesRows())
    kernel.prefetchDestination(next, level);
}

/// With several reductions, each pass over a row waits for the result of the
/// one before, and a group hides that latency. With one reduction its loads
/// cost more than they hide: rows of 128 to 256 divided by their lengths
/// take 1.2 times as long (AMD Zen 3).
void RowEmitter::chooseGroup() {
  int64_t fitting = groupElements / rows.extent;
  if (!kernel.costs().hasOwnCache() || rows.reductions.size() == 1 ||
      fitting < minGroup)
    return;
  group = llvm::bit_floor<uint64_t>(std::min(fitting, maxGroup));
  functions = rows.listFunctionsOfReductions();
}

FailureOr<Tile> RowEmitter::emit() {
  if (failed(collect()))
    return failure();
  collectRowArguments();
  chooseBlocks();
  // A destination of one element a row has no room for such a value.
  if (!keepsRow && writesRows())
    stored = rows.findRepeatedMath(result, kernel.destinationType());
  int64_t count = ShapedType::getNumElements(rows.rowShape);
  if (workers) {
    kernel.tileLoop(count * workers->count, [&](Value tile) {
      worker = kernel.remainder(tile, workers->count);
      emitRow(kernel.divide(tile, workers->count));
    });
    return finish(1);
  }
  int64_t tileRows = kernel.costs().tileUnits(
      kernel.costs().tileElements() / rows.extent, count);
  chooseGroup();
  kernel.tileLoop(llvm::divideCeil(count, tileRows), [&](Value tile) {
    Value first = kernel.multiply(tile, tileRows);
    Value last = kernel.add(first, tileRows);
    if (count % tileRows)
      last = kernel.minimum(last, count);
    if (group > 1)
      kernel.writingLoop(first, last, group, [&](Value row) {
        emitGroup(row, kernel.minimum(kernel.add(row, group), last));
      });
    else if (tileRows == 1)
      emitRow(first);
    else
      kernel.writingLoop(first, last, 1, [&](Value row) { emitRow(row); });
  });
  return finish(tileRows);
}

FailureOr<Tile> RowEmitter::finish(int64_t tileRows) const {
  if (readsOtherRow)
    return emitError(kernel.loc(),
                     "expected each row to use reductions of that row only");
  return Tile{tileRows, rows.extent};
}

/// The tree of a block. After a store, no argument may alias the destination.
TreeEmitter &RowEmitter::getTree(const LaneBlock &block) {
  if (keepsRow && block.slot < static_cast<int64_t>(trees.size()))
    return trees[block.slot];
  if (!keepsRow)
    trees.clear();
  TreeEmitter &tree = trees.emplace_back(makeTree(block.active));
  if (!storedIsReady)
    tree.setWritten(lanePoint(rowIndices, block.index));
  return tree;
}

/// Visits the row, or the chunk of it that a worker has.
void RowEmitter::forEachBlock(
    int64_t unroll, SmallVectorImpl<Value> &carried, bool writes,
    function_ref<void(LaneBlock, MutableArrayRef<Value>)> body) {
  if (keepsRow) {
    for (const LaneBlock &block : blocks)
      body(block, carried);
    return;
  }
  Value first = workers ? kernel.multiply(worker, part) : kernel.constant(0);
  forEachLaneBlock(kernel, first, part, lanes, unroll, carried, writes, body);
}

void RowEmitter::beginRow(Value row) {
  rowIndices = kernel.delinearize(row, rows.rowShape);
  int64_t count = ShapedType::getNumElements(rows.rowShape);
  nextRow = kernel.multiply(kernel.minimum(kernel.add(row, group), count - 1),
                            rows.extent);
  reduced.clear();
  trees.clear();
  blocks.clear();
}

void RowEmitter::emitRow(Value row) {
  beginRow(row);
  storedIsReady = false;
  if (keepsRow) {
    Value first = workers ? kernel.multiply(worker, part) : kernel.constant(0);
    for (int64_t at = 0; at < part; at += lanes)
      blocks.push_back(
          {kernel.add(first, at), std::min(lanes, part - at), at / lanes});
  }
  for (auto &[value, reduction] : rows.reductions)
    reduced[value] = emitReduction(reduction);
  emitResult();
}

/// Calls `body` with the place of each row in the group, after loading what is
/// known of the row.
void RowEmitter::forEachRow(Value first, Value last, bool writes,
                            function_ref<void(Value slot)> body) {
  kernel.loop(
      first, last, 1, /*carried=*/{}, writes, [&](Value row, ValueRange) {
        beginRow(row);
        Value slot = kernel.subtract(row, first);
        for (auto [value, buffer] : buffers)
          reduced[value] =
              memref::LoadOp::create(kernel.ir(), kernel.loc(), buffer,
                                     ValueRange{kernel.constant(0), slot});
        body(slot);
        return SmallVector<Value>();
      });
}

/// Rows from `first` to `last`, a pass after the other.
void RowEmitter::emitGroup(Value first, Value last) {
  storedIsReady = false;
  buffers.clear();
  for (auto &[value, reduction] : rows.reductions) {
    Value buffer = kernel.allocate(1, group, getElementTypeOrSelf(value));
    bool stores = stored && !storedIsReady && rows.dependsOn(reduction, stored);
    forEachRow(first, last, stores, [&](Value slot) {
      memref::StoreOp::create(kernel.ir(), kernel.loc(),
                              emitReduction(reduction), buffer,
                              ValueRange{kernel.constant(0), slot});
    });
    buffers[value] = buffer;
  }
  beginRow(first);
  emitFunctions();
  forEachRow(first, last, /*writes=*/true, [&](Value) { emitResult(); });
}

/// Functions like a logarithm of one number a row, for vectors of rows.
void RowEmitter::emitFunctions() {
  int64_t vector = std::min(group, kernel.target().lanes);
  for (Value function : functions) {
    Value buffer = kernel.allocate(1, group, getElementTypeOrSelf(function));
    SmallVector<Value> indices(rowIndices);
    indices.resize(cast<RankedTensorType>(function.getType()).getRank(),
                   kernel.constant(0));
    Point point;
    for (Value index : indices)
      point.push_back({index});
    auto type = VectorType::get(vector, getElementTypeOrSelf(function));
    for (int64_t at = 0; at < group; at += vector) {
      SmallVector<Value> place{kernel.constant(0), kernel.constant(at)};
      TreeEmitter tree(
          kernel, vector, vector, [&](Value tensor, PointRef) -> Value {
            Value known = buffers.lookup(tensor);
            return known ? vector::LoadOp::create(kernel.ir(), kernel.loc(),
                                                  type, known, place)
                               .getResult()
                         : Value();
          });
      vector::StoreOp::create(kernel.ir(), kernel.loc(),
                              tree.evaluateVector(function, point), buffer,
                              place);
    }
    buffers[function] = buffer;
  }
}

/// Reductions are scalars here; stored values are read, not recomputed.
TreeEmitter RowEmitter::makeTree(int64_t active) {
  return TreeEmitter(
      kernel, lanes, active, [this, active](Value tensor, PointRef point) {
        SmallVector<Value> indices;
        for (Coordinate coordinate : point)
          indices.push_back(coordinate.index);
        if (Value value = reduced.lookup(tensor)) {
          readsOtherRow |= ArrayRef(indices).take_front(rowIndices.size()) !=
                           ArrayRef(rowIndices);
          return value;
        }
        // Only this row is stored: another one is recomputed.
        if (tensor != stored || !storedIsReady ||
            ArrayRef(indices).drop_back() != ArrayRef(rowIndices))
          return Value();
        return kernel.load(kernel.destination, indices, lanes, active);
      });
}

void RowEmitter::emitResult() {
  if (writesRows()) {
    SmallVector<Value> none;
    forEachBlock(accumulatorsOfMath, none, /*writes=*/true,
                 [&](LaneBlock block, MutableArrayRef<Value>) {
                   if (!stored)
                     prefetchNext(block);
                   Value vector = getTree(block).evaluateVector(
                       result, lanePoint(rowIndices, block.index));
                   SmallVector<Value> indices(rowIndices);
                   indices.push_back(block.index);
                   kernel.store(vector, indices, block.active);
                 });
    return;
  }
  Point point;
  for (Value index : rowIndices)
    point.push_back({index});
  Value element = makeTree(lanes).evaluate(result, point);
  auto insert = [&] { kernel.storeElement(element, rowIndices); };
  if (workers)
    kernel.writingBranch(kernel.isLess(worker, 1), insert, [] {});
  else
    insert();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

Value RowEmitter::emitReduction(const Reduction &reduction) {
  bool stores = stored && !storedIsReady && rows.dependsOn(reduction, stored);
  int64_t unroll =
      rows.computesMath(reduction) ? accumulatorsOfMath : accumulators;
  unroll = std::min<int64_t>(unroll, llvm::divideCeil(part, lanes));
  ReductionSteps steps(kernel, reduction);
  SmallVector<Value> sums(unroll, steps.neutral(lanes));
  forEachBlock(unroll, sums, stores,
               [&](LaneBlock block, MutableArrayRef<Value> sums) {
                 emitContribution(reduction, block, sums, stores);
               });
  storedIsReady |= stores;

  Point point;
  for (Value index : rowIndices)
    point.push_back({index});
  linalg::LinalgOp op = reduction.op;
  Value initial = makeTree(lanes).evaluate(op.getDpsInits().front(), point);
  Value sum = steps.combineLanes(sums);
  if (workers)
    sum = workers->combine(
        worker, sum, [&](Value a, Value b) { return steps.combine(a, b); });
  return steps.finish(initial, sum);
}

void RowEmitter::emitContribution(const Reduction &reduction, LaneBlock block,
                                  MutableArrayRef<Value> sums, bool stores) {
  TreeEmitter &tree = getTree(block);
  linalg::LinalgOp op = reduction.op;
  Point point(op.getNumLoops());
  AffineMap map = op.getIndexingMapsArray().back();
  for (auto [expr, index] : llvm::zip_equal(map.getResults(), rowIndices))
    point[cast<AffineDimExpr>(expr).getPosition()] = {index};
  point[reduction.loops.front()] = {block.index, /*step=*/1};

  Value &sum = sums[block.slot % sums.size()];
  sum = ReductionSteps(kernel, reduction)
            .accumulate(tree, point, sum, block.active);
  if (stores) {
    prefetchNext(block);
    SmallVector<Value> indices(rowIndices);
    indices.push_back(block.index);
    kernel.store(
        tree.evaluateVector(stored, lanePoint(rowIndices, block.index)),
        indices, block.active);
  }
}

FailureOr<Tile> hamkaas::emitRow(KernelBuilder &kernel, Value result,
                                 const RowWorkers *workers) {
  return RowEmitter(kernel, result, workers).emit();
}
