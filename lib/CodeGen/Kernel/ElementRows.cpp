//===- ElementRows.cpp - The rows of elementwise kernels --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/ElementRows.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

int64_t hamkaas::chooseTileRows(const CostModel &costs, int64_t rows,
                                int64_t extent) {
  int64_t tileElements = costs.tileElements();
  if (rows <= 1 || extent > tileElements)
    return 1;
  int64_t tileRows = costs.tileUnits(tileElements / extent, rows);
  int64_t tiles = llvm::divideCeil(rows, tileRows);
  int64_t even = tiles - tiles % costs.tileShares();
  return llvm::divideCeil(rows, even > 0 ? even : tiles);
}

//===----------------------------------------------------------------------===//
// Merged dimensions
//===----------------------------------------------------------------------===//

/// The first loop from which on all can be one: along them, `map` reads
/// consecutive elements, or the same one.
static int64_t findMergedLoop(AffineMap map) {
  int64_t loops = map.getNumDims(), same = loops;
  while (same > 0 && !map.isFunctionOfDim(same - 1))
    --same;
  int64_t consecutive = loops;
  for (AffineExpr expr : llvm::reverse(map.getResults())) {
    if (consecutive == 0 ||
        expr != getAffineDimExpr(consecutive - 1, map.getContext()))
      break;
    --consecutive;
  }
  // The last loop is one in any case.
  return std::min({same, consecutive, loops - 1});
}

/// Returns whether a tree ends at `value`: an argument, a constant, a fill or
/// the result of `leaf`.
static bool isLeaf(Value value, Operation *leaf) {
  Operation *definition = value.getDefiningOp();
  return !definition || definition == leaf ||
         isa<linalg::FillOp, tensor::EmptyOp>(definition) ||
         definition->hasTrait<OpTrait::ConstantLike>();
}

/// The same for what `op` reads, which is added to `values`.
static int64_t findMergedLoop(linalg::LinalgOp op,
                              llvm::SetVector<Value> &values) {
  int64_t last = op.getNumLoops() - 1, first = 0;
  for (auto index : op.getBlock()->getOps<linalg::IndexOp>())
    first = std::max(first, std::min<int64_t>(index.getDim() + 1, last));
  for (OpOperand *operand : op.getDpsInputOperands()) {
    if (op.getMatchingBlockArgument(operand).use_empty())
      continue;
    AffineMap map = op.getMatchingIndexingMap(operand);
    first = std::max(first, findMergedLoop(map));
    if (!isa<RankedTensorType>(operand->get().getType()))
      continue;
    // Results of other operations must be needed at the same points.
    if (operand->get().getDefiningOp<linalg::LinalgOp>() && !map.isIdentity())
      return last;
    values.insert(operand->get());
  }
  return first;
}

/// The first dimension of all `values`, at least `first` and at most `last`,
/// from which on all can be one. Their trees end at `leaf`.
static int64_t findRowDimension(llvm::SetVector<Value> &values, int64_t first,
                                int64_t last, Operation *leaf = nullptr) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (isLeaf(values[i], leaf))
      continue;
    auto op = values[i].getDefiningOp<linalg::LinalgOp>();
    if (!op || !op.getIndexingMapMatchingResult(cast<OpResult>(values[i]))
                    .isIdentity())
      return last;
    first = std::max(first, findMergedLoop(op, values));
  }
  return first;
}

int64_t hamkaas::findRowDimension(Value value, RankedTensorType destination,
                                  Operation *leaf) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t last = type.getRank() - 1, first = 0;
  for (int64_t dim = last; dim > 0 && first == 0; --dim)
    if (type.getDimSize(dim) != destination.getDimSize(dim))
      first = dim;
  llvm::SetVector<Value> values;
  values.insert(value);
  return ::findRowDimension(values, first, last, leaf);
}

int64_t hamkaas::findRowLoop(linalg::LinalgOp op) {
  llvm::SetVector<Value> values;
  int64_t first = findMergedLoop(op, values);
  return ::findRowDimension(values, first, op.getNumLoops() - 1);
}

SmallVector<int64_t> hamkaas::mergeOuterDimensions(const KernelBuilder &kernel,
                                                   Value value, int64_t end) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(value.getType()).getShape().take_front(end));
  // GPUs find all coordinates of an element from its number.
  if (end < 2 || kernel.target().gathers)
    return shape;
  int64_t first = findMergedDimension(value, kernel.destinationType(),
                                      /*first=*/0, /*last=*/end - 1,
                                      /*mayStretch=*/false);
  shape.back() = ShapedType::getNumElements(ArrayRef(shape).drop_front(first));
  std::fill(shape.begin() + first, shape.end() - 1, 1);
  return shape;
}

//===----------------------------------------------------------------------===//
// Short rows
//===----------------------------------------------------------------------===//

/// Most blocks of a loop, each of which is code of its own.
static constexpr int64_t maxBlocks = 7;
/// Most rows that a vector interleaves, a load and a shuffle each: 2 x 100,000
/// take 0.014 ms, transposed in squares 0.031, but 4 x 100,000 0.042 and 0.026
/// (AMD Zen 5, AVX-512).
static constexpr int64_t maxInterleaved = 2;

/// The fewest blocks that have whole rows.
static int64_t countWholeBlocks(int64_t size, int64_t lanes) {
  return size / std::gcd(size, lanes);
}

/// Returns whether the tree of `value` reads all operands by their maps.
static bool readsByMaps(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *definition = values[i].getDefiningOp();
    if (!definition || isa<linalg::FillOp, tensor::EmptyOp>(definition) ||
        definition->hasTrait<OpTrait::ConstantLike>())
      continue;
    auto op = dyn_cast<linalg::LinalgOp>(definition);
    if (!op || !op.getBlock()->getOps<linalg::IndexOp>().empty() ||
        !op.getBlock()->getOps<tensor::ExtractOp>().empty())
      return false;
    for (OpOperand &operand : op->getOpOperands())
      if (!op.getMatchingBlockArgument(&operand).use_empty() &&
          isa<RankedTensorType>(operand.get().getType()))
        values.insert(operand.get());
  }
  return true;
}

std::optional<ShortRows> hamkaas::findShortRows(const KernelBuilder &kernel,
                                                Value value, int64_t first) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  int64_t lanes = kernel.target().lanes, dim = first - 1;
  while (dim > 0 && shape[dim] == 1)
    --dim;
  int64_t size = ShapedType::getNumElements(shape.drop_front(first));
  // A piece of a larger tensor has other elements between its rows.
  bool isWhole = kernel.destinationType().getShape().drop_front(dim + 1) ==
                 shape.drop_front(dim + 1);
  if (kernel.target().gathers || dim < 0 || shape[dim] == 1 || size < 2 ||
      size >= lanes || countWholeBlocks(size, lanes) > maxBlocks || !isWhole ||
      !readsByMaps(value))
    return std::nullopt;
  return ShortRows{dim, size, int64_t(shape.size())};
}

int64_t ShortRows::roundBlocks(int64_t blocks, int64_t lanes) const {
  int64_t whole = countWholeBlocks(size, lanes);
  return whole * std::max<int64_t>(blocks / whole, 1);
}

Point ShortRows::getPoint(KernelBuilder &kernel, ArrayRef<Value> outer,
                          LaneBlock block, int64_t lanes) const {
  // The first block of a loop begins with a row.
  int64_t before = block.slot * lanes;
  Value firstRow = kernel.divide(
      kernel.subtract(block.index, kernel.constant(before)), size);
  SmallVector<int64_t> rows, places;
  for (int64_t at = before; at < before + lanes; ++at) {
    rows.push_back(at / size);
    places.push_back(at % size);
  }
  Point point;
  for (Value index : outer)
    point.push_back({index});
  point.push_back(Coordinate::fromOffsets(kernel, firstRow, rows));
  while (int64_t(point.size()) < rank - 1)
    point.push_back({kernel.constant(0)});
  point.push_back(Coordinate::fromOffsets(kernel, kernel.constant(0), places));
  return point;
}

bool hamkaas::isInterleaved(const KernelBuilder &kernel, Value value,
                            int64_t cross) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  std::optional<ShortRows> rows = findShortRows(kernel, value, rank - 1);
  return rows && rows->dim == cross && rows->size <= maxInterleaved;
}
