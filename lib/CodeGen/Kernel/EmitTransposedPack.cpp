//===- EmitTransposedPack.cpp - Packs columns that are rows -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source of a packed transposed matrix is contiguous along the depth, its
// panels along the columns. Square blocks are transposed in registers on the
// way, so that packing takes no longer than transposing alone.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

namespace {

class TransposedPackEmitter {
public:
  TransposedPackEmitter(KernelBuilder &kernel, linalg::PackOp pack)
      : kernel(kernel), pack(pack) {
    position = pack.getInnerDimsPos().front();
    width = pack.getStaticInnerTiles().front();
    lanes = chooseLanes(kernel.target(), width);
    shape.assign(pack.getDestType().getShape().begin(),
                 pack.getDestType().getShape().end() - 1);
    ArrayRef<int64_t> order = pack.getOuterDimsPerm();
    auto placeOf = [&](int64_t dim) {
      return order.empty() ? dim : llvm::find(order, dim) - order.begin();
    };
    panelDim = placeOf(position);
    crossDim = placeOf(pack.getSourceType().getRank() - 1);
    tileRows = kernel.costs().tilePackedElements() / width / lanes * lanes;
    tileRows =
        std::clamp<int64_t>(tileRows, lanes, llvm::alignTo(rowCount(), lanes));
  }

  Tile emit() {
    kernel.forbidAlias(pack.getSource());
    SmallVector<int64_t> tiles(shape);
    tiles[crossDim] = llvm::divideCeil(rowCount(), tileRows);
    int64_t columns = pack.getSourceType().getDimSize(position);
    kernel.tileLoop(ShapedType::getNumElements(tiles), [&](Value tile) {
      outer = kernel.delinearize(tile, tiles);
      Value firstRow = kernel.multiply(outer[crossDim], tileRows);
      forSize(outer[crossDim], rowCount(), tileRows, [&](int64_t rows) {
        forSize(outer[panelDim], columns, width,
                [&](int64_t active) { emitBlock(firstRow, rows, active); });
      });
    });
    return {tileRows, width};
  }

private:
  /// Rows of a panel.
  int64_t rowCount() const { return shape[crossDim]; }

  /// Emits `body` for block `index` of `total` elements; only the last may be
  /// smaller than `size`.
  void forSize(Value index, int64_t total, int64_t size,
               function_ref<void(int64_t)> body) {
    int64_t whole = total / size, rest = total % size;
    if (!rest)
      return body(size);
    if (!whole)
      return body(rest);
    kernel.writingBranch(
        kernel.isLess(index, whole), [&] { body(size); }, [&] { body(rest); });
  }

  /// `rows` rows of a panel, of which `columns` come from the source. Emits one
  /// vector of columns at a time, which are rows of the source: the hardware
  /// prefetcher follows 16 of them, but not the 48 of a panel, whose lines map
  /// to few sets of the L1 cache if rows are a power of two apart. 512 x 512
  /// takes 0.7 of the time (Zen 4, AVX-512).
  void emitBlock(Value firstRow, int64_t rows, int64_t columns) {
    auto emitColumns = [&](Value at, int64_t active, int64_t count) {
      SmallVector<Value> none;
      forEachLaneBlock(kernel, firstRow, rows, lanes, /*unroll=*/1, none,
                       /*writes=*/true,
                       [&](LaneBlock block, MutableArrayRef<Value>) {
                         emitSquare(block, at, active, count);
                       });
    };
    int64_t whole = columns / lanes * lanes;
    kernel.writingLoop(kernel.constant(0), kernel.constant(whole), lanes,
                       [&](Value at) { emitColumns(at, lanes, lanes); });
    for (int64_t at = whole; at < width; at += lanes)
      emitColumns(kernel.constant(at), std::max<int64_t>(columns - at, 0),
                  std::min(lanes, width - at));
  }

  /// `count` columns from `at` on of a few rows, of which `active` come from
  /// the source.
  void emitSquare(LaneBlock rows, Value at, int64_t active, int64_t count) {
    Value first = kernel.add(kernel.multiply(outer[panelDim], width), at);
    Value padding;
    if (active < lanes)
      padding = kernel.broadcast(pack.getPaddingValue(), lanes);
    SmallVector<Value> square;
    for (int64_t column = 0; column < lanes; ++column)
      square.push_back(
          column < active ? kernel.load(pack.getSource(),
                                        sourceIndices(kernel.add(first, column),
                                                      rows.index),
                                        lanes, rows.active)
                          : padding);
    if (active > 0)
      transposeSquare(kernel, square);
    SmallVector<Value> indices(outer);
    indices.push_back(at);
    for (int64_t row = 0; row < rows.active; ++row) {
      indices[crossDim] = kernel.add(rows.index, row);
      kernel.store(square[row], indices, count);
    }
  }

  SmallVector<Value> sourceIndices(Value column, Value row) {
    ArrayRef<int64_t> order = pack.getOuterDimsPerm();
    SmallVector<Value> indices(outer.size());
    for (size_t i = 0; i < outer.size(); ++i)
      indices[order.empty() ? i : order[i]] = outer[i];
    indices[position] = column;
    indices.back() = row;
    return indices;
  }

  KernelBuilder &kernel;
  linalg::PackOp pack;
  /// The packed dimension of the source, and the outer dimensions of the result
  /// that number the panels and their rows.
  int64_t position, panelDim, crossDim;
  int64_t width, lanes, tileRows;
  /// Those of the outer dimensions.
  SmallVector<int64_t> shape;
  /// State while a tile is emitted.
  SmallVector<Value> outer;
};

} // namespace

Tile hamkaas::emitTransposedPack(KernelBuilder &kernel, linalg::PackOp pack) {
  return TransposedPackEmitter(kernel, pack).emit();
}
