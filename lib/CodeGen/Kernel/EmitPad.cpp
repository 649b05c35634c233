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
/// Writes row by row: padding, elements of the source, padding.
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
    outer = SmallVector<int64_t>(shape.drop_back());
    int64_t rows = ShapedType::getNumElements(outer);
    int64_t tileRows = kernel.costs().tileUnits(
        kernel.costs().movedTileElements() / extent, rows);
    kernel.tileLoop(llvm::divideCeil(rows, tileRows), [&](Value tile) {
      Value first = kernel.multiply(tile, tileRows);
      Value last = kernel.minimum(kernel.add(first, tileRows), rows);
      kernel.writingLoop(first, last, 1, [&](Value row) { emitRow(row, 0); });
    });
    return Tile{tileRows, extent};
  }

private:
  /// Emits bounds checks of the outer dimensions from `dim` on: does the row
  /// lie within the source?
  void emitRow(Value row, size_t dim) {
    if (dim == 0)
      indices = kernel.delinearize(row, outer);
    ArrayRef<int64_t> source = pad.getSourceType().getShape();
    while (dim < outer.size() && outer[dim] == source[dim])
      ++dim;
    if (dim == outer.size())
      return emitInside();
    Value begins = kernel.isLess(indices[dim], low[dim]);
    kernel.writingBranch(
        begins, [&] { emitPadding(0, extent); },
        [&] {
          kernel.writingBranch(
              kernel.isLess(indices[dim], low[dim] + source[dim]),
              [&] { emitRow(row, dim + 1); }, [&] { emitPadding(0, extent); });
        });
  }

  void emitPadding(int64_t first, int64_t count) {
    Value vector = kernel.broadcast(padding, lanes);
    forEach(first, count, [&](LaneBlock) { return vector; });
  }

  void emitInside() {
    int64_t size = pad.getSourceType().getShape().back();
    emitPadding(0, low.back());
    forEach(low.back(), size, [&](LaneBlock block) {
      Point point;
      for (auto [index, skipped] : llvm::zip(indices, low))
        point.push_back({kernel.subtract(index, kernel.constant(skipped))});
      point.push_back(
          {kernel.subtract(block.index, kernel.constant(low.back())), 1});
      return TreeEmitter(kernel, lanes, block.active)
          .evaluateVector(pad.getSource(), point);
    });
    emitPadding(low.back() + size, extent - low.back() - size);
  }

  /// Writes `count` elements of the row from `first` on.
  void forEach(int64_t first, int64_t count,
               function_ref<Value(LaneBlock)> body) {
    SmallVector<Value> none;
    forEachLaneBlock(kernel, kernel.constant(first), count, lanes,
                     unrolledBlocks, none, /*writes=*/true,
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
