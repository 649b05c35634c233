//===- EmitTransform.cpp - Maps of two dimensions ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over two loops k and l of first[p, k] * second[q, l] * x, as in
// Winograd's convolution. For some lanes of the last dimension all x of a tile
// are in registers, and a matrix is applied to one dimension after the other.
//
// p and q are loops, or the positions in a tile of loops over the elements of
// the result, such as `row mod 4`, which are split into tiles and positions.
// The last tile may be incomplete. Tiles of one position have only p = 0.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/Reduction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
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

  /// The dimension of the result along one side of a tile.
  struct Side {
    /// The loop of the rows of the matrix, -1 if it has one row.
    int64_t rows = -1;
    /// If the loop over the elements of a dimension of the result was split:
    /// the one over tiles, the dimension, and the number of elements.
    int64_t tiles = -1, dim = 0, elements = 0;
  };

  LogicalResult match();
  std::optional<Side> matchSide(AffineExpr row);
  void chooseParts(int64_t units);
  int64_t chooseBlocks();
  void emitUnit(Value number);
  void emitLanes(ArrayRef<LaneBlock> blocks);
  SmallVector<Value> readColumn(TreeEmitter &tree, int64_t l);
  void write(int64_t p, int64_t q, Value sum, LaneBlock block);
  bool isIncomplete(const Side &side) const;
  void clamp(const Side &side, int64_t row, Point &point);
  Value combine(ArrayRef<Value> elements, ArrayRef<float> coefficients);
  Value combineIntegers(ArrayRef<Value> elements, ArrayRef<float> coefficients);

  KernelBuilder &kernel;
  linalg::LinalgOp root;
  Value result;
  /// Those of the root, but for loops that are split.
  SmallVector<int64_t> extents;
  AffineMap readMap, writtenMap;

  /// The rows of the matrices.
  using Matrix = SmallVector<SmallVector<float>>;
  Matrix firstMatrix, secondMatrix;
  Side first, second;
  /// The loops that are reduced, the one along the lanes, and the others.
  int64_t firstSum = 0, secondSum = 0;
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

static SmallVector<SmallVector<float>> getRows(DenseElementsAttr elements) {
  SmallVector<SmallVector<float>> rows;
  int64_t length = elements.getType().getShape().back();
  auto add = [&](size_t i, float element) {
    if (i % length == 0)
      rows.emplace_back();
    rows.back().push_back(element);
  };
  if (elements.getElementType().isF32())
    for (auto [i, element] : llvm::enumerate(elements.getValues<float>()))
      add(i, element);
  else
    for (auto [i, element] : llvm::enumerate(elements.getValues<APInt>()))
      add(i, static_cast<float>(element.getSExtValue()));
  return rows;
}

LogicalResult TransformEmitter::match() {
  auto fail = [&] {
    return root->emitError("expected a sum of products with the elements of "
                           "constant matrices for two of the dimensions");
  };
  DenseElementsAttr firstElements, secondElements;
  SmallVector<unsigned> reduced;
  root.getReductionDims(reduced);
  if (root.getNumDpsInputs() != 3 || reduced.size() != 2 ||
      !matchPattern(root->getOperand(0), m_Constant(&firstElements)) ||
      !matchPattern(root->getOperand(1), m_Constant(&secondElements)))
    return fail();
  SmallVector<AffineMap> maps = root.getIndexingMapsArray();
  readMap = maps[2];
  writtenMap = maps[3];
  std::optional<int64_t> last = findUnitLoop(writtenMap.getResults().back());
  std::optional<Side> rows = matchSide(maps[0].getResult(0));
  std::optional<Side> columns = matchSide(maps[1].getResult(0));
  if (!rows || !columns || !last || !isLinear(readMap))
    return fail();
  first = *rows;
  second = *columns;
  laneLoop = *last;
  firstSum = reduced[0];
  secondSum = reduced[1];
  firstMatrix = getRows(firstElements);
  secondMatrix = getRows(secondElements);
  for (int64_t loop = 0; loop < root.getNumParallelLoops(); ++loop)
    if (loop != first.rows && loop != second.rows && loop != laneLoop)
      outer.push_back(loop);
  return success();
}

/// Splits the loop of which `row` is the position in a tile.
std::optional<TransformEmitter::Side>
TransformEmitter::matchSide(AffineExpr row) {
  if (auto loop = dyn_cast<AffineDimExpr>(row))
    return Side{static_cast<int64_t>(loop.getPosition())};
  if (row == 0)
    return Side();
  auto position = dyn_cast<AffineBinaryOpExpr>(row);
  if (!position || position.getKind() != AffineExprKind::Mod)
    return std::nullopt;
  auto loop = dyn_cast<AffineDimExpr>(position.getLHS());
  auto size = dyn_cast<AffineConstantExpr>(position.getRHS());
  if (!loop || !size)
    return std::nullopt;
  std::optional<unsigned> dim = writtenMap.getResultPosition(loop);
  if (!dim)
    return std::nullopt;
  int64_t tile = size.getValue();
  int64_t rows = extents.size();
  int64_t elements = extents[loop.getPosition()];
  extents[loop.getPosition()] = llvm::divideCeil(elements, tile);
  extents.push_back(tile);
  AffineExpr inner = getAffineDimExpr(rows, row.getContext());
  readMap = readMap.replace({{loop.floorDiv(tile), loop}, {row, inner}},
                            rows + 1, /*numResultSyms=*/0);
  writtenMap = writtenMap.replace(loop, loop * tile + inner, rows + 1,
                                  /*numResultSyms=*/0);
  return Side{rows, static_cast<int64_t>(loop.getPosition()), *dim, elements};
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

FailureOr<Tile> TransformEmitter::emit() {
  if (failed(match()) || failed(verifyEpilogue(root, result)))
    return failure();
  // The epilogue reads again where a wrong element was written.
  if (isIncomplete(first) || isIncomplete(second))
    for (Value argument : kernel.arguments())
      kernel.forbidAlias(argument);
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
    Value begin = kernel.multiply(tile, tileUnits);
    Value end = kernel.minimum(kernel.add(begin, tileUnits), units);
    kernel.writingLoop(begin, end, 1, [&](Value unit) { emitUnit(unit); });
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
  Value base = kernel.multiply(kernel.remainder(number, parts), extent);
  Value unit = kernel.divide(number, parts);
  SmallVector<int64_t> shape;
  for (int64_t loop : outer)
    shape.push_back(extents[loop]);
  for (auto [loop, index] :
       llvm::zip_equal(outer, kernel.delinearize(unit, shape)))
    at[loop] = {index};
  auto getBlock = [&](Value first, int64_t offset) {
    return LaneBlock{kernel.add(first, offset),
                     std::min(lanes, extent - offset), /*slot=*/0};
  };
  int64_t blocks = chooseBlocks(), step = blocks * lanes;
  int64_t whole = extent / step * step;
  kernel.writingLoop(kernel.constant(0), kernel.constant(whole), step,
                     [&](Value offset) {
                       Value first = kernel.add(base, offset);
                       SmallVector<LaneBlock> together;
                       for (int64_t i = 0; i < blocks; ++i)
                         together.push_back(getBlock(first, i * lanes));
                       emitLanes(together);
                     });
  for (int64_t offset = whole; offset < extent; offset += lanes)
    emitLanes(getBlock(base, offset));
}

/// The distance in bytes of matrices whose lines share so few sets of the L1
/// cache that those of a tile evict each other: 36 lines in 2 sets of 8. Then
/// all lanes of a line are computed together.
static constexpr int64_t aliasedBytes = 2048;

int64_t TransformEmitter::chooseBlocks() {
  if (!kernel.costs().hasOwnCache())
    return 1;
  int64_t elements = extents[laneLoop];
  for (int64_t loop : outer)
    elements *= extents[loop];
  bool isAliased = elements % (aliasedBytes / int64_t(sizeof(float))) == 0;
  return isAliased ? std::max<int64_t>(1, kernel.costs().lineElements() / lanes)
                   : 1;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Applies a matrix to the columns of x, then one to the rows of the results.
/// Blocks take turns, so that the lines that they share are still cached.
void TransformEmitter::emitLanes(ArrayRef<LaneBlock> blocks) {
  SmallVector<Block> halves(blocks.size(), Block(firstMatrix.size()));
  for (int64_t l = 0; l < extents[secondSum]; ++l)
    for (auto [block, half] : llvm::zip_equal(blocks, halves)) {
      at[laneLoop] = {block.index, /*step=*/1};
      TreeEmitter tree(kernel, lanes, block.active);
      SmallVector<Value> column = readColumn(tree, l);
      for (auto [p, coefficients] : llvm::enumerate(firstMatrix))
        half[p].push_back(combine(column, coefficients));
    }
  // Elements beyond the last one are written over it, so it must be the last.
  for (int64_t p = firstMatrix.size() - 1; p >= 0; --p)
    for (auto [block, half] : llvm::zip_equal(blocks, halves))
      kernel.deferEpilogue([&, block = block, &half = half] {
        for (int64_t q = secondMatrix.size() - 1; q >= 0; --q)
          write(p, q, combine(half[p], secondMatrix[q]), block);
      });
}

SmallVector<Value> TransformEmitter::readColumn(TreeEmitter &tree, int64_t l) {
  Value source = root.getDpsInputOperand(2)->get();
  SmallVector<Value> column;
  for (int64_t k = 0; k < extents[firstSum]; ++k) {
    at[firstSum] = {kernel.constant(k)};
    at[secondSum] = {kernel.constant(l)};
    column.push_back(
        tree.evaluateVector(source, applyLinear(kernel, readMap, at)));
  }
  return column;
}

/// Sums of integers wrap.
Value TransformEmitter::combineIntegers(ArrayRef<Value> elements,
                                        ArrayRef<float> coefficients) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Value sum;
  for (auto [element, coefficient] : llvm::zip_equal(elements, coefficients)) {
    if (coefficient == 0)
      continue;
    bool subtracts = sum && coefficient < 0;
    auto number = int64_t(subtracts ? -coefficient : coefficient);
    Value term = element;
    if (number != 1)
      term = arith::MulIOp::create(
          ir, loc, element,
          kernel.broadcast(
              arith::ConstantOp::create(
                  ir, loc,
                  ir.getIntegerAttr(getElementTypeOrSelf(element), number)),
              lanes));
    if (subtracts)
      sum = arith::SubIOp::create(ir, loc, sum, term);
    else
      sum = sum ? arith::AddIOp::create(ir, loc, sum, term) : term;
  }
  return sum;
}

/// The sum of `elements` times `coefficients`, most of which are small
/// integers.
Value TransformEmitter::combine(ArrayRef<Value> elements,
                                ArrayRef<float> coefficients) {
  if (getElementTypeOrSelf(elements.front()).isInteger())
    return combineIntegers(elements, coefficients);
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

void TransformEmitter::write(int64_t p, int64_t q, Value sum, LaneBlock block) {
  at[laneLoop] = {block.index, /*step=*/1};
  if (first.rows >= 0)
    at[first.rows] = {kernel.constant(p)};
  if (second.rows >= 0)
    at[second.rows] = {kernel.constant(q)};
  Point point = applyLinear(kernel, writtenMap, at);
  clamp(first, p, point);
  clamp(second, q, point);
  SmallVector<Value> indices;
  for (const Coordinate &coordinate : point)
    indices.push_back(coordinate.index);
  TreeEmitter tree(kernel, lanes, block.active, [&](Value tensor, PointRef) {
    return tensor == root->getResult(0) ? sum : Value();
  });
  tree.setWritten(point);
  kernel.store(tree.evaluateVector(result, point), indices, block.active);
}

bool TransformEmitter::isIncomplete(const Side &side) const {
  return side.tiles >= 0 && side.elements % extents[side.rows] != 0;
}

/// Keeps `row` of the current tile inside the result. Branches instead would
/// take a time that is exponential in their number to bufferize.
void TransformEmitter::clamp(const Side &side, int64_t row, Point &point) {
  if (isIncomplete(side) && side.elements % extents[side.rows] <= row)
    point[side.dim].index =
        kernel.minimum(point[side.dim].index, side.elements - 1);
}

FailureOr<Tile> hamkaas::emitTransform(KernelBuilder &kernel, Value result) {
  linalg::LinalgOp root = findReductionRoot(result);
  if (!root)
    return emitError(kernel.loc(), "expected a transform in the kernel");
  return TransformEmitter(kernel, root, result).emit();
}
