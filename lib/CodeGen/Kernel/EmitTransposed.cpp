//===- EmitTransposed.cpp - Trees that read across their rows ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A permuted operand is contiguous along another dimension than the result.
// Reading it lane by lane costs an instruction and a cache line per element.
// Here both are visited in square blocks: load vectors along the operand's
// dimension, transpose them in registers, and use them as rows of the result.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace hamkaas;

static bool isInMemory(Value tensor) {
  return isa<BlockArgument>(tensor) && isa<RankedTensorType>(tensor.getType());
}

namespace {
/// A tensor of a tree whose dimension i runs along the dimension dims[i] of the
/// tree's result, or along none if that is -1.
struct TensorUse {
  Value tensor;
  SmallVector<int64_t> dims;

  bool operator==(const TensorUse &) const = default;
};
} // namespace

static SmallVector<TensorUse> getOperandUses(linalg::LinalgOp op,
                                             const TensorUse &use) {
  SmallVector<int64_t> loops(op.getNumLoops(), -1);
  AffineMap written =
      op.getIndexingMapMatchingResult(cast<OpResult>(use.tensor));
  for (auto [expr, dim] : llvm::zip_equal(written.getResults(), use.dims))
    loops[cast<AffineDimExpr>(expr).getPosition()] = dim;
  SmallVector<TensorUse> uses;
  for (OpOperand &operand : op->getOpOperands()) {
    if (op.getMatchingBlockArgument(&operand).use_empty())
      continue;
    SmallVector<int64_t> read;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      read.push_back(dim ? loops[dim.getPosition()] : -1);
    }
    uses.push_back({operand.get(), read});
  }
  return uses;
}

/// The tensors of a tree. Trees share their subtrees: each use is visited once.
static SmallVector<TensorUse> collectUses(Value result) {
  int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
  SmallVector<TensorUse> uses = {
      {result, llvm::to_vector(llvm::seq<int64_t>(rank))}};
  for (size_t i = 0; i < uses.size(); ++i) {
    TensorUse use = uses[i];
    if (auto op = use.tensor.getDefiningOp<linalg::LinalgOp>())
      for (TensorUse &operand : getOperandUses(op, use))
        if (!llvm::is_contained(uses, operand))
          uses.push_back(std::move(operand));
  }
  return uses;
}

std::optional<int64_t> hamkaas::findCrossDimension(Value result) {
  int64_t lane = cast<RankedTensorType>(result.getType()).getRank() - 1;
  for (const TensorUse &use : collectUses(result))
    if (isInMemory(use.tensor) && llvm::is_contained(use.dims, lane) &&
        use.dims.back() != lane && use.dims.back() >= 0)
      return use.dims.back();
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Dimensions that can be one
//===----------------------------------------------------------------------===//

/// Returns whether the operation that defines `tensor`, if any, gives any point
/// of the dimensions the value that a running index in the last of them has.
static bool permitsRunningIndices(Value tensor) {
  Operation *definition = tensor.getDefiningOp();
  if (!definition || isa<tensor::EmptyOp>(definition) ||
      definition->hasTrait<OpTrait::ConstantLike>())
    return true;
  auto op = dyn_cast<linalg::LinalgOp>(definition);
  if (!op || !op.getBlock()->getOps<linalg::IndexOp>().empty())
    return false;
  return llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return llvm::all_of(map.getResults(), [](AffineExpr expr) {
      return isa<AffineDimExpr, AffineConstantExpr>(expr);
    });
  });
}

/// Returns whether dimension `dim` of the tree, of `size`, follows the one
/// before in the order of the elements, or whether the tensor has neither.
static bool followsDimension(const TensorUse &use, int64_t dim, int64_t size) {
  auto *inner = llvm::find(use.dims, dim);
  int64_t count = llvm::count(use.dims, dim) + llvm::count(use.dims, dim - 1);
  if (count == 0)
    return true;
  if (count != 2 || inner == use.dims.begin() || inner == use.dims.end() ||
      *std::prev(inner) != dim - 1)
    return false;
  int64_t position = inner - use.dims.begin();
  return cast<RankedTensorType>(use.tensor.getType()).getDimSize(position) ==
         size;
}

int64_t hamkaas::findMergedDimension(Value value, RankedTensorType destination,
                                     int64_t first, int64_t last,
                                     bool mayStretch) {
  SmallVector<TensorUse> uses = collectUses(value);
  if (!llvm::all_of(uses, [](const TensorUse &use) {
        return permitsRunningIndices(use.tensor);
      }))
    return last;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  auto follows = [&](int64_t dim) {
    return llvm::all_of(uses, [&](const TensorUse &use) {
      return !isInMemory(use.tensor) || followsDimension(use, dim, shape[dim]);
    });
  };
  if (mayStretch && last > first && follows(last) &&
      destination.getDimSize(last) != shape[last])
    return last - 1;
  int64_t merged = last;
  while (merged > first && destination.getDimSize(merged) == shape[merged] &&
         follows(merged))
    --merged;
  return merged;
}

/// Stores the rows to shared memory, and loads the columns.
static void transposeInMemory(KernelBuilder &kernel,
                              MutableArrayRef<Value> rows) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto type = cast<VectorType>(rows.front().getType());
  // Pad each row by an element, so that a column is spread over the banks.
  int64_t size = rows.size(), pitch = size + 1;
  Value memory = kernel.getExchange(size, pitch, type.getElementType());
  for (auto [i, row] : llvm::enumerate(rows))
    vector::StoreOp::create(ir, loc, row, memory,
                            ValueRange{kernel.constant(i), kernel.constant(0)});
  Value flat = memref::CollapseShapeOp::create(
      ir, loc, memory, ArrayRef<ReassociationIndices>{{0, 1}});
  Value zeros = arith::ConstantOp::create(ir, loc, ir.getZeroAttr(type));
  Value first = kernel.multiply(kernel.laneNumbers(size), pitch);
  for (auto [i, row] : llvm::enumerate(rows))
    row = vector::GatherOp::create(ir, loc, type, flat, kernel.constant(0),
                                   kernel.add(first, kernel.constant(i)),
                                   kernel.mask(size, size), zeros);
}

/// Transposes the square matrix of `rows` by Eklundh's method: in round d, the
/// bit d of the row and of the lane of each element are swapped. Upstream
/// lowers vector.transpose well for two sizes only; this does for every level.
void hamkaas::transposeSquare(KernelBuilder &kernel,
                              MutableArrayRef<Value> rows) {
  if (!kernel.target().permutes)
    return transposeInMemory(kernel, rows);
  int64_t size = rows.size();
  for (int64_t bit = 1; bit < size; bit *= 2) {
    SmallVector<int64_t> upper, lower;
    for (int64_t lane = 0; lane < size; ++lane) {
      upper.push_back(lane & bit ? size + lane - bit : lane);
      lower.push_back(lane & bit ? size + lane : lane + bit);
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i & bit)
        continue;
      Value a = rows[i], b = rows[i + bit];
      rows[i] =
          vector::ShuffleOp::create(kernel.ir(), kernel.loc(), a, b, upper);
      rows[i + bit] =
          vector::ShuffleOp::create(kernel.ir(), kernel.loc(), a, b, lower);
    }
  }
}

/// Vectors that are stored at once to fill a line.
static constexpr int64_t maxLineVectors = 2;

namespace {

/// One square block of the result: `rows` along the cross dimension by
/// `columns` along the last one.
struct Square {
  SmallVector<Value> outer; /* indices of the first row, without the last */
  Value column;
  int64_t rows, columns;
};

/// Emits the tiles of one tree.
class TransposedEmitter {
public:
  TransposedEmitter(KernelBuilder &kernel, Value value, int64_t cross,
                    ValueRange offsets)
      : kernel(kernel), value(value), cross(cross), offsets(offsets) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    int64_t last = shape.size() - 1;
    firstRowDim = findMergedDimension(cross, 0, /*mayStretch=*/true);
    firstColumnDim = findMergedDimension(last, cross + 1, /*mayStretch=*/false);
    width = shape[cross];
    if (firstRowDim < cross)
      skipped = kernel.destinationType().getDimSize(cross) - width;
    rows = ShapedType::getNumElements(
        shape.slice(firstRowDim, cross + 1 - firstRowDim));
    columns = ShapedType::getNumElements(shape.drop_front(firstColumnDim));
    lanes = chooseLanes(kernel.target(), columns);
    line = kernel.costs().lineElements();
    bool isWhole = value.getType() == kernel.destinationType();
    bool canFill = line % lanes == 0 && line / lanes <= maxLineVectors;
    streams = kernel.streams(columns) && isWhole && canFill;
    int64_t pitch = ShapedType::getNumElements(
        kernel.destinationType().getShape().drop_front(cross + 1));
    size = kernel.costs().transposedTile(rows, columns, pitch, streams);
    squares = (streams || size.fillsLines) && canFill ? line / lanes : 1;
    alignsLines =
        streams || (kernel.costs().alignsRows(pitch) && isWhole &&
                    lanes == line && columns == pitch && columns >= 2 * lanes &&
                    kernel.destinationType().getElementType().isF32());
    // The ends of rows are computed twice, from what was there before.
    if (alignsLines)
      for (Value argument : kernel.arguments())
        kernel.forbidAlias(argument);
    tileShape.assign(shape.begin(), shape.end());
    std::fill(tileShape.begin() + firstRowDim, tileShape.begin() + cross, 1);
    std::fill(tileShape.begin() + firstColumnDim, tileShape.end(), 1);
    tileShape[cross] = llvm::divideCeil(rows, size.rows);
    tileShape.back() = llvm::divideCeil(columns, size.columns);
  }

  Tile emit(OtherTiles others) {
    int64_t tiles = ShapedType::getNumElements(tileShape);
    kernel.tileLoop(tiles + others.count, [&](Value tile) {
      if (!others.count)
        return emitTile(tile);
      kernel.writingBranch(
          kernel.isLess(tile, tiles), [&] { emitTile(tile); },
          [&] { others.emit(kernel.subtract(tile, kernel.constant(tiles))); });
    });
    return {size.rows, size.columns};
  }

private:
  /// GPUs read any element as fast.
  int64_t findMergedDimension(int64_t last, int64_t first,
                              bool mayStretch) const {
    if (kernel.target().gathers)
      return last;
    return hamkaas::findMergedDimension(value, kernel.destinationType(), first,
                                        last, mayStretch);
  }

  void emitTile(Value tile) {
    SmallVector<int64_t> order(tileShape);
    if (size.tilesAlongRead)
      std::swap(order[cross], order.back());
    SmallVector<Value> at = kernel.delinearize(tile, order);
    if (size.tilesAlongRead)
      std::swap(at[cross], at.back());
    forSize(at[cross], rows, size.rows, [&](int64_t activeRows) {
      forSize(at.back(), columns, size.columns, [&](int64_t activeColumns) {
        emitTile(at, activeRows, activeColumns);
      });
    });
  }

  /// Emits `body` for chunk `index` of `total` elements; only the last may be
  /// smaller than `size`.
  void forSize(Value index, int64_t total, int64_t size,
               function_ref<void(int64_t)> body) {
    int64_t whole = total / size, rest = total % size;
    if (!rest)
      return body(size);
    kernel.writingBranch(
        kernel.isLess(index, whole), [&] { body(size); }, [&] { body(rest); });
  }

  void emitTile(ArrayRef<Value> at, int64_t activeRows, int64_t activeColumns) {
    outer.assign(at.begin(), at.end() - 1);
    for (int64_t dim = firstRowDim; dim < cross; ++dim)
      outer[dim] = kernel.constant(0);
    for (int64_t dim = firstColumnDim, e = outer.size(); dim < e; ++dim)
      outer[dim] = kernel.constant(0);
    Value firstRow = kernel.multiply(at[cross], size.rows);
    Value firstColumn = kernel.multiply(at.back(), size.columns);
    // The squares of a column share loads, those of a row share stores.
    if (size.squaresAlongRead)
      return forEachSquares(
          firstColumn, activeColumns, [&](LaneBlock columns, int64_t count) {
            forEachSquare(firstRow, activeRows, [&](LaneBlock rows) {
              outer[cross] = rows.index;
              emitSquares({outer, columns.index, rows.active, columns.active},
                          count);
            });
          });
    forEachSquare(firstRow, activeRows, [&](LaneBlock rows) {
      if (alignsLines)
        return emitLines(rows, firstColumn, activeColumns);
      outer[cross] = rows.index;
      forEachSquares(
          firstColumn, activeColumns, [&](LaneBlock columns, int64_t count) {
            emitSquares({outer, columns.index, rows.active, columns.active},
                        count);
          });
    });
  }

  /// Stores whole lines, one fewer per row than if the first began at the row's
  /// start, nontemporally if the destination streams. The ends of rows, which
  /// overlap them, use ordinary stores.
  void emitLines(LaneBlock rows, Value firstColumn, int64_t activeColumns) {
    outer[cross] = rows.index;
    auto emit = [&](Value column) {
      emitSquares({outer, column, rows.active, lanes}, squares);
    };
    Value before = kernel.elementsBeforeLine();
    Value end =
        kernel.minimum(kernel.add(firstColumn, activeColumns), columns - line);
    auto emitLine = [&](Value column) { emit(kernel.add(column, before)); };
    if (streams)
      kernel.streamingLoop(firstColumn, end, line, emitLine);
    else
      kernel.writingLoop(firstColumn, end, line, emitLine);
    kernel.writingBranch(
        kernel.isLess(firstColumn, 1),
        [&] {
          emit(kernel.constant(0));
          emit(kernel.constant(columns - line));
        },
        [] {});
  }

  void forEachSquare(Value first, int64_t count,
                     function_ref<void(LaneBlock)> body) {
    SmallVector<Value> none;
    forEachLaneBlock(
        kernel, first, count, lanes, /*unroll=*/1, none,
        /*writes=*/true,
        [&](LaneBlock block, MutableArrayRef<Value>) { body(block); });
  }

  /// Calls `body` with the first of as many squares as are stored at once, and
  /// their number; at the end with single ones.
  void forEachSquares(Value first, int64_t count,
                      function_ref<void(LaneBlock, int64_t)> body) {
    int64_t step = lanes * squares;
    int64_t whole = squares > 1 ? count / step * step : 0;
    if (whole)
      kernel.writingLoop(
          first, kernel.add(first, whole), step,
          [&](Value column) { body({column, lanes, /*slot=*/0}, squares); });
    if (whole < count)
      forEachSquare(kernel.add(first, whole), count - whole,
                    [&](LaneBlock block) { body(block, /*count=*/1); });
  }

  /// Emits `count` squares, the first of which is `first` and the others follow
  /// it along the columns. Each row is stored at once, so that it fills lines.
  void emitSquares(const Square &first, int64_t count) {
    transposed.clear();
    SmallVector<Square> squares(count, first);
    for (int64_t i = 1; i < count; ++i)
      squares[i].column = kernel.add(first.column, i * lanes);
    for (int64_t row = 0; row < first.rows; ++row) {
      SmallVector<Value> outer(first.outer);
      outer[cross] = kernel.add(outer[cross], row);
      for (const Square &square : squares) {
        TreeEmitter tree(
            kernel, lanes, square.columns, [&](Value tensor, PointRef point) {
              return readTransposed(tensor, point, square, row, outer[cross]);
            });
        tree.store(value, lanePoint(outer, square.column),
                   getOffsets(square.outer[cross], outer[cross]));
      }
    }
  }

  /// The offsets of row `row` in a square whose first row is `first`.
  SmallVector<Value> getOffsets(Value first, Value row) {
    SmallVector<Value> shifted(offsets);
    if (!skipped)
      return shifted;
    // Squares begin at multiples of their size.
    Value end = kernel.divide(width % lanes ? row : first, width);
    shifted[cross] = kernel.add(shifted[cross], kernel.multiply(end, skipped));
    return shifted;
  }

  /// Row `row` of the square of `tensor`; null if the tensor is not read across
  /// the rows of the result.
  Value readTransposed(Value tensor, PointRef point, const Square &square,
                       int64_t row, Value rowIndex) {
    if (!isInMemory(tensor) || tensor == kernel.destinationArgument() ||
        point.empty() || point.back().step || point.back().index != rowIndex ||
        llvm::count_if(point, [](Coordinate c) { return c.step != 0; }) != 1 ||
        llvm::none_of(point, [](Coordinate c) { return c.step == 1; }))
      return nullptr;
    // An index of 0 along a dimension of size 1 may be the same constant.
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(tensor.getType()).getShape();
    size_t merged = cross + 1 - firstRowDim;
    if (shape.size() < merged ||
        ShapedType::getNumElements(shape.take_back(merged)) != rows)
      return nullptr;
    kernel.forbidAlias(tensor);
    Point first(point);
    first.back().index = square.outer[cross];
    for (auto &[at, of, vectors] : transposed)
      if (of == tensor && at == first)
        return vectors[row];
    SmallVector<Value> vectors;
    for (int64_t column = 0; column < lanes; ++column)
      vectors.push_back(column < square.columns
                            ? readColumn(tensor, first, column, square.rows)
                            : Value(vectors.front()));
    transposeSquare(kernel, vectors);
    transposed.push_back({first, tensor, vectors});
    return vectors[row];
  }

  Value readColumn(Value tensor, PointRef first, int64_t column,
                   int64_t activeRows) {
    SmallVector<Value> indices;
    for (Coordinate c : first)
      indices.push_back(c.step ? kernel.add(c.index, column) : c.index);
    return kernel.load(tensor, indices, lanes, activeRows);
  }

  struct TransposedRead {
    Point first;
    Value tensor;
    SmallVector<Value> vectors; /* one a row */
  };

  KernelBuilder &kernel;
  Value value;
  int64_t cross;
  ValueRange offsets;
  /// The dimensions from these on up to the cross and the last one are one.
  int64_t firstRowDim, firstColumnDim;
  int64_t rows, columns, lanes;
  /// Elements of a line.
  int64_t line;
  /// Elements of the cross dimension, and those that the destination has more,
  /// which rows of several dimensions skip.
  int64_t width, skipped = 0;
  TransposedTile size;
  SmallVector<int64_t> tileShape;
  /// Squares whose rows are stored at once.
  int64_t squares;
  bool streams, alignsLines;
  /// State while a tile is emitted.
  SmallVector<Value> outer;
  SmallVector<TransposedRead> transposed;
};

} // namespace

Tile hamkaas::emitTransposedElements(KernelBuilder &kernel, Value value,
                                     int64_t cross, ValueRange offsets,
                                     OtherTiles others) {
  return TransposedEmitter(kernel, value, cross, offsets).emit(others);
}
