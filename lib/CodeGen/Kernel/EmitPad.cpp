//===- EmitPad.cpp - Copies with a margin -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "HamKaas/CodeGen/Kernel/TreeEmitter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Independent blocks of lanes in flight.
static constexpr int64_t unrolledBlocks = 4;

namespace {
/// Writes row by row: padding, elements of the source, padding. Parts of a row
/// that is the only one are tiles.
class PadEmitter {
public:
  PadEmitter(KernelBuilder &kernel, tensor::PadOp pad)
      : kernel(kernel), pad(pad) {}

  FailureOr<Tile> emit() {
    padding = pad.getConstantPaddingValue();
    if (!padding || !pad.getResultType().hasStaticShape() ||
        pad.getSourceType().getRank() == 0)
      return pad.emitError("expected constant sizes and a constant padding");
    if (failed(verifyTree(pad.getSource())))
      return failure();
    low = SmallVector<int64_t>(pad.getStaticLow());
    ArrayRef<int64_t> shape = pad.getResultType().getShape();
    extent = shape.back();
    lanes = chooseLanes(kernel.target(), extent);
    std::optional<int64_t> cross = findCrossDimension(pad.getSource());
    if (cross && *cross + 2 == pad.getResultType().getRank() &&
        extent == pad.getSourceType().getShape().back() &&
        !kernel.target().gathers)
      return emitTransposed(*cross);
    outer = SmallVector<int64_t>(shape.drop_back());
    int64_t rows = ShapedType::getNumElements(outer);
    int64_t fitting = kernel.costs().paddedTileElements();
    if (rows == 1 && pad.getSourceType().getNumElements() > fitting &&
        kernel.costs().hasOwnCache())
      return emitParts(fitting);
    int64_t tileRows = kernel.costs().tileUnits(fitting / extent, rows);
    kernel.tileLoop(llvm::divideCeil(rows, tileRows), [&](Value tile) {
      Value first = kernel.multiply(tile, tileRows);
      Value last = kernel.minimum(kernel.add(first, tileRows), rows);
      kernel.writingLoop(first, last, 1, [&](Value row) {
        indices = kernel.delinearize(row, outer);
        emitRow(0, [&] { emitInside(); });
      });
    });
    return Tile{tileRows, extent};
  }

private:
  /// The first part writes the padding before the row, the last that behind it.
  Tile emitParts(int64_t part) {
    int64_t size = pad.getSourceType().getShape().back();
    int64_t parts = llvm::divideCeil(size, part);
    kernel.tileLoop(parts, [&](Value tile) {
      indices = kernel.delinearize(kernel.constant(0), outer);
      kernel.writingBranch(
          kernel.isLess(tile, 1), [&] { emitPadding(0, low.back()); }, [] {});
      kernel.writingBranch(
          kernel.isLess(tile, parts - 1),
          [&] { emitSource(kernel.multiply(tile, part), part); },
          [&] {
            int64_t last = (parts - 1) * part;
            emitSource(kernel.constant(last), size - last);
            emitPaddingBehind();
          });
    });
    return Tile{1, part};
  }

  /// Transposes the source, and writes the padding in tiles of its own. There,
  /// the last two dimensions are one row.
  Tile emitTransposed(int64_t cross) {
    ArrayRef<int64_t> shape = pad.getResultType().getShape();
    int64_t columns = std::exchange(extent, extent * shape[cross]);
    outer = SmallVector<int64_t>(shape.drop_back(2));
    SmallVector<Value> offsets;
    for (int64_t skipped : low)
      offsets.push_back(kernel.constant(skipped));
    int64_t begin = low[cross] * columns;
    int64_t end = begin + pad.getSourceType().getDimSize(cross) * columns;
    int64_t rows = ShapedType::getNumElements(outer);
    int64_t tileRows = kernel.costs().tileUnits(
        kernel.costs().paddedTileElements() / extent, rows);
    auto emitBorder = [&](Value tile) {
      Value first = kernel.multiply(tile, tileRows);
      Value last = kernel.minimum(kernel.add(first, tileRows), rows);
      kernel.writingLoop(first, last, 1, [&](Value row) {
        indices = kernel.delinearize(row, outer);
        indices.push_back(kernel.constant(0));
        emitRow(0, [&] {
          emitPadding(0, begin);
          emitPadding(end, extent - end);
        });
      });
    };
    return emitTransposedElements(
        kernel, pad.getSource(), cross, offsets,
        {llvm::divideCeilSigned(rows, tileRows), emitBorder});
  }

  /// Emits bounds checks of the outer dimensions from `dim` on: does the row
  /// lie within the source?
  void emitRow(size_t dim, function_ref<void()> inside) {
    ArrayRef<int64_t> source = pad.getSourceType().getShape();
    while (dim < outer.size() && outer[dim] == source[dim])
      ++dim;
    if (dim == outer.size())
      return inside();
    Value begins = kernel.isLess(indices[dim], low[dim]);
    kernel.writingBranch(
        begins, [&] { emitPadding(0, extent); },
        [&] {
          kernel.writingBranch(
              kernel.isLess(indices[dim], low[dim] + source[dim]),
              [&] { emitRow(dim + 1, inside); },
              [&] { emitPadding(0, extent); });
        });
  }

  void emitPadding(int64_t first, int64_t count) {
    Value vector = kernel.broadcast(padding, lanes);
    forEach(kernel.constant(first), count, [&](LaneBlock) { return vector; });
  }

  void emitPaddingBehind() {
    int64_t end = low.back() + pad.getSourceType().getShape().back();
    emitPadding(end, extent - end);
  }

  void emitInside() {
    emitPadding(0, low.back());
    emitSource(kernel.constant(0), pad.getSourceType().getShape().back());
    emitPaddingBehind();
  }

  /// Writes `count` elements of the source's row from `first` on.
  void emitSource(Value first, int64_t count) {
    first = kernel.add(first, low.back());
    forEach(first, count, [&](LaneBlock block) {
      Point point;
      for (auto [index, skipped] : llvm::zip(indices, low))
        point.push_back({kernel.subtract(index, kernel.constant(skipped))});
      point.push_back(
          {kernel.subtract(block.index, kernel.constant(low.back())), 1});
      return TreeEmitter(kernel, lanes, block.active)
          .evaluateVector(pad.getSource(), point);
    });
  }

  /// Writes `count` elements of the row from `first` on.
  void forEach(Value first, int64_t count,
               function_ref<Value(LaneBlock)> body) {
    SmallVector<Value> none;
    forEachLaneBlock(kernel, first, count, lanes, unrolledBlocks, none,
                     /*writes=*/true,
                     [&](LaneBlock block, MutableArrayRef<Value>) {
                       SmallVector<Value> at(indices);
                       at.push_back(block.index);
                       kernel.store(body(block), at, block.active);
                     });
  }

  KernelBuilder &kernel;
  tensor::PadOp pad;
  Value padding;
  SmallVector<int64_t> low, outer;
  int64_t extent = 0, lanes = 1;
  SmallVector<Value> indices;
};
} // namespace

FailureOr<Tile> hamkaas::emitPad(KernelBuilder &kernel, Value result) {
  return PadEmitter(kernel, result.getDefiningOp<tensor::PadOp>()).emit();
}
