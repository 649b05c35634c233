//===- EmitTransform.cpp - Maps of two dimensions ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over two loops k and l of matrix[p, k] * matrix[q, l] * x, as in
// Winograd's convolution. For some lanes of the last dimension all x of a tile
// are in registers, and the matrix is applied to one dimension after the other.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

namespace {
class TransformEmitter {
public:
  TransformEmitter(KernelBuilder &kernel, linalg::LinalgOp root, Value result)
      : kernel(kernel), root(root), result(result),
        extents(root.getStaticLoopRanges()) {}

  FailureOr<Tile> emit();

private:
  using Block = SmallVector<SmallVector<Value>>;

  LogicalResult match();
  void chooseParts(int64_t units);
  void emitUnit(Value number);
  void emitLanes(LaneBlock block);
  Block read(TreeEmitter &tree);
  Block transform(const Block &x);
  void write(const Block &sums, int64_t active);
  Value combine(ArrayRef<Value> elements, ArrayRef<float> coefficients);

  KernelBuilder &kernel;
  linalg::LinalgOp root;
  Value result;
  SmallVector<int64_t> extents;

  /// The rows of the matrix.
  SmallVector<SmallVector<float>> matrix;
  /// Loops of the rows for each dimension, those that are reduced, the one
  /// along the lanes, and the others.
  int64_t rowLoop = 0, columnLoop = 0, firstSum = 0, secondSum = 0;
  int64_t laneLoop = 0, lanes = 1;
  SmallVector<int64_t> outer;
  /// Tiles that share the lanes of a unit.
  int64_t parts = 1;

  /// State of the emission.
  Point at;
};
} // namespace

//===----------------------------------------------------------------------===//
// The computation
//===----------------------------------------------------------------------===//

LogicalResult TransformEmitter::match() {
  auto fail = [&] {
    return root->emitError(
        "expected a sum of products with the elements of one "
        "constant matrix for two of the dimensions");
  };
  DenseElementsAttr elements;
  SmallVector<unsigned> reduced;
  root.getReductionDims(reduced);
  if (root.getNumDpsInputs() != 3 || reduced.size() != 2 ||
      root->getOperand(0) != root->getOperand(1) ||
      !matchPattern(root->getOperand(0), m_Constant(&elements)) ||
      !isa<BlockArgument>(root->getOperand(2)))
    return fail();
  SmallVector<AffineMap> maps = root.getIndexingMapsArray();
  auto first = dyn_cast<AffineDimExpr>(maps[0].getResult(0));
  auto second = dyn_cast<AffineDimExpr>(maps[1].getResult(0));
  std::optional<int64_t> last = findUnitLoop(maps.back().getResults().back());
  if (!first || !second || !last)
    return fail();
  rowLoop = first.getPosition();
  columnLoop = second.getPosition();
  laneLoop = *last;
  firstSum = reduced[0];
  secondSum = reduced[1];
  int64_t columns = elements.getType().getShape().back();
  for (auto [i, element] : llvm::enumerate(elements.getValues<float>())) {
    if (i % columns == 0)
      matrix.emplace_back();
    matrix.back().push_back(element);
  }
  for (int64_t loop = 0; loop < root.getNumParallelLoops(); ++loop)
    if (loop != rowLoop && loop != columnLoop && loop != laneLoop)
      outer.push_back(loop);
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

FailureOr<Tile> TransformEmitter::emit() {
  if (failed(match()) || failed(verifyEpilogue(root, result)))
    return failure();
  lanes = chooseLanes(kernel.target(), extents[laneLoop]);
  at.assign(extents.size(), {});
  int64_t units = 1;
  for (int64_t loop : outer)
    units *= extents[loop];
  chooseParts(units);
  units *= parts;
  int64_t vectors = llvm::divideCeil(extents[laneLoop] / parts, lanes);
  int64_t tileUnits = kernel.costs().tileUnits(
      kernel.costs().tileTransformVectors() / vectors, units);
  kernel.tileLoop(llvm::divideCeil(units, tileUnits), [&](Value tile) {
    Value first = kernel.multiply(tile, tileUnits);
    Value last = kernel.minimum(kernel.add(first, tileUnits), units);
    kernel.writingLoop(first, last, 1, [&](Value unit) { emitUnit(unit); });
  });
  return Tile{tileUnits, extents[laneLoop] / parts};
}

/// Where a GPU has more warps than units, several share the lanes of one.
void TransformEmitter::chooseParts(int64_t units) {
  int64_t extent = extents[laneLoop];
  while (units * parts < kernel.costs().wantedWarps() &&
         extent % (2 * parts * lanes) == 0)
    parts *= 2;
}

void TransformEmitter::emitUnit(Value number) {
  int64_t extent = extents[laneLoop] / parts;
  Value first = kernel.multiply(kernel.remainder(number, parts), extent);
  Value unit = kernel.divide(number, parts);
  SmallVector<int64_t> shape;
  for (int64_t loop : outer)
    shape.push_back(extents[loop]);
  for (auto [loop, index] :
       llvm::zip_equal(outer, kernel.delinearize(unit, shape)))
    at[loop] = {index};
  SmallVector<Value> none;
  forEachLaneBlock(
      kernel, first, extent, lanes, /*unroll=*/1, none,
      /*writes=*/true,
      [&](LaneBlock block, MutableArrayRef<Value>) { emitLanes(block); });
}

void TransformEmitter::emitLanes(LaneBlock block) {
  at[laneLoop] = {block.index, /*step=*/1};
  TreeEmitter tree(kernel, lanes, block.active);
  write(transform(read(tree)), block.active);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

TransformEmitter::Block TransformEmitter::read(TreeEmitter &tree) {
  OpOperand &source = *root.getDpsInputOperand(2);
  Block x;
  for (int64_t k = 0; k < extents[firstSum]; ++k) {
    x.emplace_back();
    for (int64_t l = 0; l < extents[secondSum]; ++l) {
      at[firstSum] = {kernel.constant(k)};
      at[secondSum] = {kernel.constant(l)};
      x.back().push_back(tree.evaluateVector(
          source.get(),
          applyLinear(kernel, root.getMatchingIndexingMap(&source), at)));
    }
  }
  return x;
}

/// Applies the matrix to the columns of `x`, then to the rows.
TransformEmitter::Block TransformEmitter::transform(const Block &x) {
  Block sums(matrix.size());
  SmallVector<SmallVector<Value>> half(matrix.size());
  for (size_t l = 0; l < x.front().size(); ++l) {
    SmallVector<Value> column;
    for (const SmallVector<Value> &row : x)
      column.push_back(row[l]);
    for (auto [p, coefficients] : llvm::enumerate(matrix))
      half[p].push_back(combine(column, coefficients));
  }
  for (auto [p, row] : llvm::enumerate(half))
    for (const SmallVector<float> &coefficients : matrix)
      sums[p].push_back(combine(row, coefficients));
  return sums;
}

/// The sum of `elements` times `coefficients`, most of which are small
/// integers.
Value TransformEmitter::combine(ArrayRef<Value> elements,
                                ArrayRef<float> coefficients) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Value sum;
  for (auto [element, coefficient] : llvm::zip_equal(elements, coefficients)) {
    if (coefficient == 0)
      continue;
    Value term = element;
    if (coefficient == -1 && sum) {
      sum = arith::SubFOp::create(ir, loc, sum, element);
      continue;
    }
    if (coefficient != 1) {
      Value factor = kernel.broadcast(
          arith::ConstantOp::create(ir, loc, ir.getF32FloatAttr(coefficient)),
          lanes);
      if (sum && kernel.target().fma) {
        sum = vector::FMAOp::create(ir, loc, element, factor, sum);
        continue;
      }
      term = arith::MulFOp::create(ir, loc, element, factor);
    }
    sum = sum ? arith::AddFOp::create(ir, loc, sum, term) : term;
  }
  return sum;
}

void TransformEmitter::write(const Block &sums, int64_t active) {
  AffineMap map = root.getIndexingMapsArray().back();
  for (auto [p, row] : llvm::enumerate(sums))
    for (auto [q, value] : llvm::enumerate(row)) {
      Value sum = value;
      at[rowLoop] = {kernel.constant(p)};
      at[columnLoop] = {kernel.constant(q)};
      Point point = applyLinear(kernel, map, at);
      SmallVector<Value> indices;
      for (Coordinate coordinate : point)
        indices.push_back(coordinate.index);
      TreeEmitter tree(kernel, lanes, active, [&](Value tensor, PointRef) {
        return tensor == root->getResult(0) ? sum : Value();
      });
      tree.setWritten(point);
      kernel.store(tree.evaluateVector(result, point), indices, active);
    }
}

FailureOr<Tile> hamkaas::emitTransform(KernelBuilder &kernel, Value result) {
  linalg::LinalgOp root = findReductionRoot(result);
  if (!root)
    return emitError(kernel.loc(), "expected a transform in the kernel");
  return TransformEmitter(kernel, root, result).emit();
}
