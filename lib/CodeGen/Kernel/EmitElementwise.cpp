//===- EmitElementwise.cpp - Kernels without a reduction --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/ElementRows.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/PieceRows.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace hamkaas;

/// Independent blocks of lanes in flight: enough to hide latency on any
/// machine.
static constexpr int64_t unrolledBlocks = 4;
/// Blocks of lanes whose entries of tables are kept for all rows: a row costs
/// as much as a block.
static constexpr int64_t tableBlocks = 4;
/// The same for blocks with several elements per thread.
static constexpr int64_t unrolledWideBlocks = 2;

void hamkaas::forEachUnit(KernelBuilder &kernel, int64_t units,
                          int64_t tileUnits,
                          function_ref<void(Value unit)> body) {
  kernel.tileLoop(llvm::divideCeil(units, tileUnits), [&](Value tile) {
    Value first = kernel.multiply(tile, tileUnits);
    Value last = kernel.add(first, tileUnits);
    if (units % tileUnits)
      last = kernel.minimum(last, units);
    if (tileUnits == 1)
      return body(first);
    kernel.writingLoop(first, last, 1, body);
  });
}

void hamkaas::forEachLaneBlock(
    KernelBuilder &kernel, Value base, int64_t extent, int64_t lanes,
    int64_t unroll, SmallVectorImpl<Value> &carried, bool writes,
    function_ref<void(LaneBlock, MutableArrayRef<Value>)> body) {
  int64_t step = lanes * unroll;
  int64_t unrolled = extent / step * step;
  SmallVector<Value> results = kernel.loop(
      kernel.constant(0), kernel.constant(unrolled), step, carried, writes,
      [&](Value offset, ValueRange values) {
        SmallVector<Value> current(values);
        Value first = kernel.add(base, offset);
        auto emit = [&] {
          for (int64_t slot = 0; slot < unroll; ++slot)
            body({kernel.add(first, slot * lanes), lanes, slot}, current);
        };
        // Store last, so that the computations of the blocks can overlap.
        if (unroll > 1)
          kernel.deferStores(emit);
        else
          emit();
        return current;
      });
  carried.assign(results.begin(), results.end());
  for (int64_t at = unrolled; at < extent; at += lanes)
    body({kernel.add(base, at), std::min(lanes, extent - at),
          (at - unrolled) / lanes},
         carried);
}

LogicalResult hamkaas::verifyTree(Value result,
                                  function_ref<bool(Operation *)> isRoot) {
  llvm::SetVector<Value> values;
  values.insert(result);
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op || (isRoot && isRoot(op)))
      continue;
    if (auto unpack = dyn_cast<linalg::UnPackOp>(op)) {
      values.insert(unpack.getSource());
      continue;
    }
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      if (!pad.getConstantPaddingValue() ||
          !pad.getResultType().hasStaticShape())
        return pad.emitError("expected constant sizes and a constant padding");
      values.insert(pad.getSource());
      continue;
    }
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp) {
      if (isa<tensor::EmptyOp>(op) || op->hasTrait<OpTrait::ConstantLike>())
        continue;
      return op->emitError("expected an operation of linalg in a kernel");
    }
    if (failed(verifyElementwise(linalgOp)))
      return failure();
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()) &&
          !linalgOp.getMatchingBlockArgument(&operand).use_empty())
        values.insert(operand.get());
  }
  return success();
}

/// Returns whether to take several rows at a time, because one would leave
/// lanes unused, or blocks that could be in flight.
static bool isShort(int64_t extent, int64_t lanes) {
  return extent < unrolledBlocks * lanes ||
         (extent < 2 * unrolledBlocks * lanes && extent % lanes != 0);
}

/// Tables by which a tree finds elements of a row, the same for each row, which
/// begins with dimension `first`: with the maps by which operations read them.
static llvm::MapVector<Value, AffineMap> findRowTables(Value value,
                                                       int64_t first) {
  llvm::MapVector<Value, AffineMap> tables;
  llvm::SetVector<Value> values, others;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    auto op = values[i].getDefiningOp<linalg::LinalgOp>();
    if (!op || isa<linalg::FillOp>(op))
      continue;
    bool extracts = !op.getBlock()->getOps<tensor::ExtractOp>().empty();
    for (OpOperand &operand : op->getOpOperands()) {
      if (op.getMatchingBlockArgument(&operand).use_empty() ||
          !isa<RankedTensorType>(operand.get().getType()))
        continue;
      Value tensor = operand.get();
      values.insert(tensor);
      AffineMap map = op.getMatchingIndexingMap(&operand);
      bool isOfRow = map.isFunctionOfDim(map.getNumDims() - 1);
      for (int64_t dim = 0; dim < first; ++dim)
        isOfRow &= !map.isFunctionOfDim(dim);
      auto [known, isNew] = tables.insert({tensor, map});
      if (!extracts || !isOfRow || !isa<BlockArgument>(tensor) ||
          known->second != map ||
          !op.getIndexingMapMatchingResult(cast<OpResult>(values[i]))
               .isIdentity())
        others.insert(tensor);
    }
  }
  for (Value tensor : others)
    tables.erase(tensor);
  return tables;
}

namespace {
/// Writes the elements of a tree in tiles of whole rows, or of chunks of long
/// rows. Dimensions with consecutive elements are one row.
class ElementsEmitter {
public:
  ElementsEmitter(KernelBuilder &kernel, Value value, ValueRange offsets)
      : kernel(kernel), value(value), offsets(offsets) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    tileElements = kernel.costs().tileElements();
    // GPUs take short rows as one in any case.
    size_t first = shape.size() - 1, least = first;
    if (!kernel.target().gathers)
      least = findRowDimension(value, kernel.destinationType());
    while (first > least &&
           ShapedType::getNumElements(shape.drop_front(first)) < tileElements)
      --first;
    shortRows = findShortRows(kernel, value, first);
    if (shortRows) {
      first = shortRows->dim;
      tileElements -= tileElements % shortRows->size;
    }
    outer = mergeOuterDimensions(kernel, value, first);
    merged = shape.size() - 1 - first;
    extent = ShapedType::getNumElements(shape.drop_front(first));
    rows = ShapedType::getNumElements(outer);
    bool isWhole = value.getType() == kernel.destinationType();
    isOneRow = kernel.target().gathers && isWhole && rows > 1 &&
               isShort(extent, kernel.target().lanes);
    if (isOneRow) {
      extent *= rows;
      rows = 1;
      outer.clear();
    }
    part = std::min(extent, tileElements);
    tileRows = chooseTileRows(kernel.costs(), rows, extent);
    lanes = isOneRow ? chooseLanes(kernel.target(), extent) : chooseRowLanes();
    unroll =
        lanes > kernel.target().lanes ? unrolledWideBlocks : unrolledBlocks;
    if (shortRows)
      unroll = shortRows->roundBlocks(unroll, lanes);
    // Short rows begin at known lanes of each block.
    streams = isWhole && kernel.streams(shape.back()) && !shortRows;
    if (isWhole && !streams)
      collectPrefetched();
    if (!kernel.target().gathers && !shortRows && rows > 1 &&
        extent <= tileElements)
      tables = findRowTables(value, first);
  }

  /// The number of tiles, and how many rows and elements of a row are one.
  int64_t tiles() const {
    return llvm::divideCeil(rows, tileRows) * llvm::divideCeil(extent, part);
  }
  Tile shape() const { return {tileRows, part}; }

  void emitTile(Value tile) {
    if (extent > tileElements)
      return emitPart(tile);
    emitRows(tile);
  }

private:
  /// Lanes along the rows, which are written at multiples of their number.
  int64_t chooseRowLanes() const {
    RankedTensorType type = kernel.destinationType();
    LaneUse read{value, SmallVector<LaneUse::Index>(type.getRank(), {0, 1})};
    LaneUse written{kernel.destinationArgument(), read.at};
    read.at.back() = {1, 0};
    // An unknown offset may be any.
    std::optional<int64_t> offset = getConstantIntValue(offsets.back());
    written.at.back() = {1, offset.value_or(1)};
    return kernel.target().strategy->chooseLanes(kernel.costs(), extent,
                                                 {read, written});
  }

  int64_t lineElements() const { return kernel.costs().lineElements(); }

  void collectPrefetched() {
    RankedTensorType type = kernel.destinationType();
    if (!type.getElementType().isF32() ||
        !kernel.costs().prefetchesElements(rows * extent))
      return;
    for (BlockArgument argument : kernel.arguments().drop_back())
      if (argument.getType() == type && !argument.use_empty())
        prefetched.push_back(argument);
  }

  /// Once for each line of memory.
  void prefetch(Value row, LaneBlock block) {
    if (prefetched.empty() || block.slot * lanes % lineElements())
      return;
    Value ahead =
        kernel.add(kernel.multiply(row, extent),
                   kernel.add(block.index, kernel.costs().elementsAhead()));
    for (BlockArgument argument : prefetched)
      kernel.prefetch(argument, ahead, CacheLevel::First);
    kernel.prefetchDestination(ahead, CacheLevel::First);
  }

  void emitRows(Value tile) {
    Value first = kernel.multiply(tile, tileRows);
    Value last = kernel.add(first, tileRows);
    if (rows % tileRows)
      last = kernel.minimum(last, rows);
    if (tiles() == 1) {
      first = kernel.constant(0);
      last = kernel.constant(rows);
    }
    if (!tables.empty())
      return emitColumns(first, last);
    kernel.writingLoop(first, last, 1, [&](Value row) {
      emitBlocks(row, kernel.constant(0), extent);
    });
  }

  /// The indices of a row but for the last one, which runs on over the ends of
  /// merged dimensions.
  SmallVector<Value> getRowIndices(Value row) const {
    SmallVector<Value> indices = kernel.delinearize(row, outer);
    indices.append(merged, kernel.constant(0));
    return indices;
  }

  /// Takes all rows for some blocks of lanes at a time, so that entries of
  /// tables are read and checked once for them.
  void emitColumns(Value first, Value last) {
    SmallVector<Value> none;
    forEachLaneBlock(
        kernel, kernel.constant(0), extent, tableBlocks * lanes, /*unroll=*/1,
        none, /*writes=*/true, [&](LaneBlock blocks, MutableArrayRef<Value>) {
          SmallVector<llvm::DenseMap<Value, Value>> entries;
          for (int64_t at = 0; at < blocks.active; at += lanes)
            entries.push_back(readTables(kernel.add(blocks.index, at),
                                         std::min(lanes, blocks.active - at)));
          kernel.writingLoop(first, last, 1, [&](Value row) {
            SmallVector<Value> indices = getRowIndices(row);
            for (auto [i, known] : llvm::enumerate(entries)) {
              TreeEmitter tree(
                  kernel, lanes,
                  std::min<int64_t>(lanes, blocks.active - i * lanes),
                  [&](Value tensor, PointRef) { return known.lookup(tensor); });
              tree.store(
                  value,
                  lanePoint(indices, kernel.add(blocks.index, i * lanes)),
                  offsets);
            }
          });
        });
  }

  llvm::DenseMap<Value, Value> readTables(Value at, int64_t active) {
    llvm::DenseMap<Value, Value> entries;
    TreeEmitter tree(kernel, lanes, active);
    Point start = lanePoint(getRowIndices(kernel.constant(0)), at);
    for (auto &[tensor, map] : tables)
      entries[tensor] = tree.evaluate(tensor, applyLinear(kernel, map, start));
    return entries;
  }

  void emitPart(Value tile) {
    int64_t parts = llvm::divideCeil(extent, tileElements);
    int64_t rest = extent % tileElements;
    Value row = kernel.divide(tile, parts);
    Value number = kernel.remainder(tile, parts);
    auto full = [&] {
      emitBlocks(row, kernel.multiply(number, tileElements), tileElements);
    };
    if (!rest)
      return full();
    kernel.writingBranch(kernel.isLess(number, parts - 1), full, [&] {
      emitBlocks(row, kernel.constant(extent - rest), rest);
    });
  }

  void emitBlocks(Value row, Value base, int64_t count) {
    SmallVector<Value> rowIndices = getRowIndices(row);
    if (streams && count >= 2 * lineElements())
      return emitStream(rowIndices, base, count);
    SmallVector<Value> none;
    forEachLaneBlock(kernel, base, count, lanes, unroll, none, /*writes=*/true,
                     [&](LaneBlock block, MutableArrayRef<Value>) {
                       prefetch(row, block);
                       TreeEmitter tree(kernel, lanes, block.active);
                       if (isOneRow)
                         return tree.storeInRow(value, block.index);
                       tree.store(value, getPoint(rowIndices, block), offsets);
                     });
  }

  Point getPoint(ArrayRef<Value> row, LaneBlock block) const {
    if (shortRows)
      return shortRows->getPoint(kernel, ArrayRef(row).take_front(outer.size()),
                                 block, lanes);
    return lanePoint(row, block.index);
  }

  /// Uses nontemporal stores for whole lines, one fewer than if the first began
  /// at the row's start. The ends, which overlap them, use ordinary stores.
  /// NOTE: the ends are read before anything is written, as the destination may
  /// alias an argument.
  void emitStream(ValueRange row, Value base, int64_t count) {
    SmallVector<std::pair<Value, Value>> ends;
    for (int64_t begin : {int64_t(0), count - lineElements()})
      for (int64_t at = 0; at < lineElements(); at += lanes) {
        Value index = kernel.add(base, begin + at);
        TreeEmitter tree(kernel, lanes, lanes);
        tree.setWritten(lanePoint(row, index));
        ends.push_back(
            {index, tree.evaluateVector(value, lanePoint(row, index))});
      }
    Value first = kernel.add(base, kernel.elementsBeforeLine());
    int64_t vectors = (count - lineElements()) / lanes;
    int64_t unroll = std::gcd(vectors, unrolledBlocks);
    kernel.streamingLoop(
        kernel.constant(0), kernel.constant(vectors * lanes), unroll * lanes,
        [&](Value offset) {
          kernel.deferStores([&] {
            for (int64_t i = 0; i < unroll; ++i) {
              Value index = kernel.add(kernel.add(first, offset), i * lanes);
              TreeEmitter tree(kernel, lanes, lanes);
              tree.store(value, lanePoint(row, index), offsets);
            }
          });
        });
    for (auto [index, vector] : ends) {
      SmallVector<Value> indices(row);
      indices.push_back(index);
      kernel.store(vector, indices, lanes);
    }
  }

  KernelBuilder &kernel;
  Value value;
  ValueRange offsets;
  SmallVector<int64_t> outer;
  int64_t rows, extent, tileElements, tileRows, part, lanes, unroll;
  /// Dimensions that are part of a row beside the last one.
  int64_t merged;
  bool streams;
  /// Rows of which several make a block.
  std::optional<ShortRows> shortRows;
  /// True if all rows are written as one.
  bool isOneRow;
  llvm::MapVector<Value, AffineMap> tables;
  /// Arguments that are read in the order of the destination, if both are
  /// large.
  SmallVector<BlockArgument> prefetched;
};
} // namespace

/// A tensor without dimensions: one tile of one element.
static Tile emitScalar(KernelBuilder &kernel, Value value) {
  kernel.tileLoop(1, [&](Value) {
    TreeEmitter tree(kernel, /*lanes=*/1, /*active=*/1);
    kernel.storeElement(tree.evaluate(value, {}), {});
  });
  return {1};
}

Tile hamkaas::emitElements(KernelBuilder &kernel, Value value,
                           ValueRange offsets) {
  if (offsets.empty()) {
    kernel.dropKnob(grainKnob);
    return emitScalar(kernel, value);
  }
  if (std::optional<int64_t> cross = findCrossDimension(value);
      cross && !isInterleaved(kernel, value, *cross)) {
    kernel.dropKnob(grainKnob);
    return emitTransposedElements(kernel, value, *cross, offsets);
  }
  ElementsEmitter elements(kernel, value, offsets);
  kernel.tileLoop(elements.tiles(),
                  [&](Value tile) { elements.emitTile(tile); });
  return elements.shape();
}

namespace {
/// A range of tiles, and the loops that write them.
struct Part {
  int64_t firstTile;
  std::function<void(Value tile)> emit;
};
} // namespace

/// Tile `tile` of those of `parts`, by a binary search for its part.
static void emitTileOf(KernelBuilder &kernel, ArrayRef<Part> parts,
                       Value tile) {
  if (parts.size() == 1)
    return parts[0].emit(
        kernel.subtract(tile, kernel.constant(parts[0].firstTile)));
  size_t middle = parts.size() / 2;
  kernel.writingBranch(
      kernel.isLess(tile, parts[middle].firstTile),
      [&] { emitTileOf(kernel, parts.take_front(middle), tile); },
      [&] { emitTileOf(kernel, parts.drop_front(middle), tile); });
}

Tile hamkaas::emitPieces(KernelBuilder &kernel, ArrayRef<Piece> pieces) {
  SmallVector<Part> parts;
  int64_t tiles = 0;
  Tile shape;
  auto add = [&](auto part) {
    if (parts.empty())
      shape = part.shape();
    parts.push_back(
        {tiles, [part](Value tile) mutable { part.emitTile(tile); }});
    tiles += part.tiles();
  };
  SmallVector<SmallVector<Piece>> groups = groupPieces(kernel, pieces);
  for (ArrayRef<Piece> group : groups)
    if (group.size() == 1)
      add(ElementsEmitter(kernel, group[0].value, group[0].offsets));
    else
      add(PieceRows(kernel, group));
  kernel.tileLoop(tiles, [&](Value tile) { emitTileOf(kernel, parts, tile); });
  return shape;
}

FailureOr<Tile> hamkaas::emitElementwise(KernelBuilder &kernel, Value result) {
  if (failed(verifyTree(result)))
    return failure();
  SmallVector<Value> offsets(kernel.destinationType().getRank(),
                             kernel.constant(0));
  return emitElements(kernel, result, offsets);
}
