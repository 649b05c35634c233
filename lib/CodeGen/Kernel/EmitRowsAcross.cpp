//===- EmitRowsAcross.cpp - Rows along an outer dimension -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row kernels between a permute that makes an outer dimension the last and one
// back. Lanes run along the last dimension of the result: each is in another
// row.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "RowComputation.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// The longest rows whose elements stay in registers, and the vectors of rows
/// that are computed at once if they do and if they do not: of these, the sums
/// hide the latency of an addition.
static constexpr int64_t maxKept = 8, keptVectors = 2, visitedVectors = 4;

/// Dimension i of the returned order is that dimension of the operand which
/// `result` has as its dimension i. None if it does more than permute one.
static std::optional<SmallVector<int64_t>> getPermuted(Value result) {
  auto permute = result.getDefiningOp<linalg::GenericOp>();
  if (!permute || permute.getNumReductionLoops() > 0 ||
      permute.getNumDpsInputs() != 1)
    return std::nullopt;
  return linalg::isaTransposeOpInterface(permute);
}

static SmallVector<Value> getIndices(PointRef point) {
  return llvm::map_to_vector(
      point, [](const Coordinate &coordinate) { return coordinate.index; });
}

bool hamkaas::areRowsAcross(Value result) {
  std::optional<SmallVector<int64_t>> order = getPermuted(result);
  return order && order->back() + 1 != static_cast<int64_t>(order->size());
}

namespace {

class RowsAcrossEmitter {
public:
  RowsAcrossEmitter(KernelBuilder &kernel, Value result)
      : kernel(kernel), result(result), order(*getPermuted(result)) {}

  FailureOr<Tile> emit();

private:
  LogicalResult collect();
  void chooseBlocks();
  void allocateCopy();

  void emitUnit(Value unit);
  void emitVectors();
  SmallVector<Value> emitReduction(const Reduction &reduction);
  void forEachElement(
      SmallVectorImpl<Value> &carried, bool writes,
      function_ref<void(Value element, MutableArrayRef<Value> carried)> body);
  void store(int64_t vector, Value tensor, Value element);
  void storeCopy(int64_t vector, Value tensor, Value element);
  Value loadStored(int64_t vector, PointRef whole);

  TreeEmitter &getTree(int64_t vector);
  Value findLeaf(int64_t vector, Value tensor, PointRef point);
  Point getRow(int64_t vector) const;
  Point permute(PointRef whole) const;
  int64_t getActive(int64_t vector) const {
    return vector + 1 == vectors ? lastActive : lanes;
  }

  KernelBuilder &kernel;
  Value result;
  /// Dimension i of the result is dimension `order[i]` of the rows.
  SmallVector<int64_t> order;
  RowComputation rows;
  /// True if the elements of a row are read once.
  bool keepsRow = false;
  /// A value that several visits of a row need: the first of them keeps it in
  /// the copy, or else in the destination. Null if there is none.
  Value stored;
  /// The rows in memory, and the copy of those of a unit on the stack: elements
  /// of a row may share a few sets of the L1 cache. Null if there is none.
  Value source, copy;

  int64_t lanes = 1, columns = 1, blockColumns = 1;
  /// The dimensions of rows along which lanes do not run, in the order of the
  /// result, and their sizes.
  SmallVector<int64_t> outer, outerShape;

  // State of the emission.
  int64_t vectors = 0, lastActive = 0;
  /// Indices of the first row of each vector.
  SmallVector<SmallVector<Value>> rowIndices;
  SmallVector<TreeEmitter, 0> trees;
  /// By a reduction, its vectors.
  llvm::DenseMap<Value, SmallVector<Value>> reduced;
  bool isCopied = false, storedIsReady = false, readsOtherRow = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult RowsAcrossEmitter::collect() {
  if (failed(rows.collect(result)))
    return failure();
  auto type = cast<RankedTensorType>(
      result.getDefiningOp<linalg::GenericOp>().getInputs()[0].getType());
  if (type.getShape() != ArrayRef(rows.wholeShape()))
    return emitError(kernel.loc(), "expected rows that are permuted");
  return success();
}

void RowsAcrossEmitter::chooseBlocks() {
  columns = rows.rowShape[order.back()];
  lanes = chooseLanes(kernel.target(), columns);
  keepsRow = rows.extent <= maxKept;
  int64_t all = llvm::divideCeil(columns, lanes);
  blockColumns = lanes * std::min(all, keepsRow ? keptVectors : visitedVectors);
  if (!keepsRow)
    stored = rows.findRepeatedMath(
        result, cast<RankedTensorType>(result.getType())
                    .clone(ArrayRef<int64_t>(rows.wholeShape())));
  for (int64_t dim : ArrayRef(order).drop_back())
    if (dim < static_cast<int64_t>(rows.rowShape.size())) {
      outer.push_back(dim);
      outerShape.push_back(rows.rowShape[dim]);
    }
}

/// The copy is of one tensor, which is only permuted before.
void RowsAcrossEmitter::allocateCopy() {
  SmallVector<Value> sources;
  for (Operation &op : *result.getParentBlock())
    if (isa<linalg::GenericOp>(op) && op.getResult(0) != result &&
        isa<BlockArgument>(op.getOperand(0)) && getPermuted(op.getResult(0)))
      sources.push_back(op.getResult(0));
  auto type = cast<RankedTensorType>(result.getType());
  if (keepsRow || sources.size() != 1 || !type.getElementType().isF32() ||
      sources[0].getType() !=
          type.clone(ArrayRef<int64_t>(rows.wholeShape())) ||
      !kernel.costs().fitsStack(rows.extent * blockColumns))
    return;
  source = sources.front();
  copy = kernel.allocate(rows.extent, blockColumns);
}

FailureOr<Tile> RowsAcrossEmitter::emit() {
  if (failed(collect()))
    return failure();
  chooseBlocks();
  allocateCopy();
  int64_t units = ShapedType::getNumElements(outerShape) *
                  llvm::divideCeil(columns, blockColumns);
  int64_t tileUnits = kernel.costs().tileUnits(
      kernel.costs().tileElements() / (rows.extent * blockColumns), units);
  kernel.tileLoop(llvm::divideCeil(units, tileUnits), [&](Value tile) {
    Value first = kernel.multiply(tile, tileUnits);
    Value last = kernel.add(first, tileUnits);
    if (units % tileUnits)
      last = kernel.minimum(last, units);
    kernel.writingLoop(first, last, 1, [&](Value unit) { emitUnit(unit); });
  });
  if (readsOtherRow)
    return emitError(kernel.loc(),
                     "expected each row to use reductions of that row only");
  return Tile{tileUnits * blockColumns, rows.extent};
}

void RowsAcrossEmitter::emitUnit(Value unit) {
  int64_t blocks = llvm::divideCeil(columns, blockColumns);
  Value block = kernel.remainder(unit, blocks);
  Value first = kernel.multiply(block, blockColumns);
  SmallVector<Value> indices(rows.rowShape.size());
  indices[order.back()] = first;
  for (auto [dim, index] : llvm::zip_equal(
           outer, kernel.delinearize(kernel.divide(unit, blocks), outerShape)))
    indices[dim] = index;
  auto emit = [&](int64_t count) {
    vectors = llvm::divideCeil(count, lanes);
    lastActive = count - (vectors - 1) * lanes;
    rowIndices.assign(vectors, indices);
    for (int64_t v = 0; v < vectors; ++v)
      rowIndices[v][order.back()] = kernel.add(first, v * lanes);
    emitVectors();
  };
  int64_t rest = columns % blockColumns;
  if (!rest)
    return emit(blockColumns);
  kernel.writingBranch(
      kernel.isLess(block, blocks - 1), [&] { emit(blockColumns); },
      [&] { emit(rest); });
}

//===----------------------------------------------------------------------===//
// Vectors of rows
//===----------------------------------------------------------------------===//

void RowsAcrossEmitter::emitVectors() {
  reduced.clear();
  trees.clear();
  isCopied = storedIsReady = false;
  for (auto &[value, reduction] : rows.reductions)
    reduced[value] = emitReduction(reduction);
  SmallVector<Value> none;
  forEachElement(none, /*writes=*/true,
                 [&](Value element, MutableArrayRef<Value>) {
                   for (int64_t v = 0; v < vectors; ++v)
                     store(v, result, element);
                 });
}

/// Visits the elements of the rows in order.
void RowsAcrossEmitter::forEachElement(
    SmallVectorImpl<Value> &carried, bool writes,
    function_ref<void(Value, MutableArrayRef<Value>)> body) {
  if (keepsRow) {
    for (int64_t i = 0; i < rows.extent; ++i)
      body(kernel.constant(i), carried);
    return;
  }
  auto results =
      kernel.loop(kernel.constant(0), kernel.constant(rows.extent), 1, carried,
                  writes, [&](Value element, ValueRange values) {
                    trees.clear();
                    SmallVector<Value> next(values);
                    body(element, next);
                    return next;
                  });
  trees.clear();
  carried.assign(results.begin(), results.end());
}

SmallVector<Value>
RowsAcrossEmitter::emitReduction(const Reduction &reduction) {
  linalg::LinalgOp op = reduction.op;
  bool stores = stored && !storedIsReady && rows.dependsOn(reduction, stored);
  bool copies = copy && !isCopied && !storedIsReady && !stores &&
                rows.dependsOn(reduction, source);
  ReductionSteps steps(kernel, reduction);
  SmallVector<Value> sums(vectors, steps.neutral(lanes));
  AffineMap map = op.getIndexingMapsArray().back();
  forEachElement(
      sums, stores && !copy, [&](Value element, MutableArrayRef<Value> sums) {
        for (int64_t v = 0; v < vectors; ++v) {
          Point point(op.getNumLoops());
          for (auto [expr, at] : llvm::zip_equal(map.getResults(), getRow(v)))
            point[cast<AffineDimExpr>(expr).getPosition()] = at;
          point[reduction.loops.front()] = {element};
          // Lanes beyond the result are never stored, so they need no mask.
          sums[v] = steps.accumulate(getTree(v), point, sums[v], lanes);
          if (copies)
            storeCopy(v, source, element);
          if (stores && copy)
            storeCopy(v, stored, element);
          else if (stores)
            store(v, stored, element);
        }
      });
  isCopied |= copies;
  storedIsReady |= stores;
  for (int64_t v = 0; v < vectors; ++v)
    sums[v] = steps.finish(
        getTree(v).evaluate(op.getDpsInits().front(), getRow(v)), sums[v]);
  return sums;
}

/// Writes `tensor`, which is the result or of the shape of the rows.
void RowsAcrossEmitter::store(int64_t vector, Value tensor, Value element) {
  Point whole = getRow(vector);
  whole.push_back({element});
  Point permuted = permute(whole);
  Value value = getTree(vector).evaluateVector(
      tensor, tensor == result ? permuted : whole);
  kernel.store(value, getIndices(permuted), getActive(vector));
}

/// Loops begin with new trees, because what they compute ends with them.
TreeEmitter &RowsAcrossEmitter::getTree(int64_t vector) {
  for (int64_t v = trees.size(); v < vectors; ++v)
    trees.emplace_back(kernel, lanes, getActive(v),
                       [this, v](Value tensor, PointRef point) {
                         return findLeaf(v, tensor, point);
                       });
  return trees[vector];
}

void RowsAcrossEmitter::storeCopy(int64_t vector, Value tensor, Value element) {
  Point whole = getRow(vector);
  whole.push_back({element});
  vector::StoreOp::create(kernel.ir(), kernel.loc(),
                          getTree(vector).evaluateVector(tensor, whole), copy,
                          ValueRange{element, kernel.constant(vector * lanes)});
}

Value RowsAcrossEmitter::loadStored(int64_t vector, PointRef whole) {
  if (!copy)
    return kernel.load(kernel.destination, getIndices(permute(whole)), lanes,
                       getActive(vector));
  return vector::LoadOp::create(
      kernel.ir(), kernel.loc(),
      VectorType::get(lanes, cast<MemRefType>(copy.getType()).getElementType()),
      copy, ValueRange{whole.back().index, kernel.constant(vector * lanes)});
}

/// A reduction of the rows of a vector, or what is stored of them. A stored
/// value replaces the copy of the rows.
Value RowsAcrossEmitter::findLeaf(int64_t vector, Value tensor,
                                  PointRef point) {
  bool isStored =
      storedIsReady ? tensor == stored : isCopied && tensor == source;
  auto found = reduced.find(tensor);
  if (found == reduced.end() && !isStored)
    return nullptr;
  size_t rank = rows.rowShape.size();
  bool isRow = point.take_front(rank) == PointRef(getRow(vector));
  // Only these rows are stored: others are computed again.
  if (isStored)
    return isRow ? loadStored(vector, point) : Value();
  readsOtherRow |= !isRow;
  return found->second[vector];
}

Point RowsAcrossEmitter::getRow(int64_t vector) const {
  Point point;
  for (auto [dim, index] : llvm::enumerate(rowIndices[vector]))
    point.push_back({index, static_cast<int64_t>(dim) == order.back()});
  return point;
}

/// The point of the result at which an element of a row is.
Point RowsAcrossEmitter::permute(PointRef whole) const {
  Point point;
  for (int64_t dim : order)
    point.push_back(whole[dim]);
  return point;
}

FailureOr<Tile> hamkaas::emitRowsAcross(KernelBuilder &kernel, Value result) {
  return RowsAcrossEmitter(kernel, result).emit();
}
