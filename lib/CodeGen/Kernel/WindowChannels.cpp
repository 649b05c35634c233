//===- WindowChannels.cpp - Windows over all channels -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions to few channels of images whose channels come first. A unit is a
// band of rows of the result, whose sums are kept in the L1 cache. One group of
// channels after the other is added to them, whose rows of the image fit into
// that cache, too: each row is read as a whole, and from memory once a band.
//
//===----------------------------------------------------------------------===//

#include "WindowEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Threads should find some bands in one image.
static constexpr int64_t minBands = 8;

Tile WindowEmitter::emitChannels() {
  const WindowAxis &rowAxis = outerAxes.front();
  int64_t width = llvm::alignTo(extents[laneLoop], lanes);
  // The rest of the cache has factors and what is stored.
  int64_t fitting = kernel.costs().l1Elements() * 3 / 8;
  auto fit = [&](int64_t extent, int64_t size, int64_t most) {
    int64_t count = std::clamp<int64_t>(fitting / size, 1, most);
    return llvm::divideCeil(extent, llvm::divideCeil(extent, count));
  };
  bandRows = fit(rowAxis.windows, blockAxis.windows * width,
                 llvm::divideCeil(rowAxis.windows, minBands));
  int64_t covered = (bandRows - 1) * rowAxis.stride +
                    (rowAxis.taps - 1) * rowAxis.dilation + 1;
  int64_t channels = extents[channelLoop];
  int64_t group = fit(channels, covered * laneAxis->size, channels);
  kept = kernel.allocate(bandRows * blockAxis.windows, width);

  outerShape.back() = llvm::divideCeil(rowAxis.windows, bandRows);
  int64_t units = ShapedType::getNumElements(outerShape);
  int64_t work = bandRows * blockAxis.windows * extents[laneLoop];
  for (int64_t loop : reduction.loops)
    work *= extents[loop];
  int64_t tileUnits = kernel.costs().tileUnits(
      kernel.costs().tileWindowContributions() / work, units);
  forEachUnit(kernel, units, tileUnits,
              [&](Value unit) { emitBand(unit, group); });
  return {rows, vectors * lanes, group};
}

void WindowEmitter::emitBand(Value number, int64_t group) {
  SmallVector<Value> indices = kernel.delinearize(number, outerShape);
  for (auto [loop, index] : llvm::zip_equal(outer, indices))
    at[loop] = {index};
  const WindowAxis &rowAxis = outerAxes.front();
  Value begin = kernel.multiply(indices.back(), bandRows);
  Value end = kernel.minimum(kernel.add(begin, bandRows), rowAxis.windows);
  auto forBlocks = [&](function_ref<void(WindowStretch, WindowStretch)> body) {
    kernel.writingLoop(begin, end, 1, [&](Value row) {
      at[rowAxis.window] = {row};
      firstKept =
          kernel.multiply(kernel.subtract(row, begin), blockAxis.windows);
      forStretches(
          blockAxis.windows, rows, &blockAxis, [&](WindowStretch block) {
            forStretches(extents[laneLoop], vectors * lanes, &*laneAxis,
                         [&](WindowStretch columns) { body(block, columns); });
          });
    });
  };
  clearKept();
  int64_t channels = extents[channelLoop];
  kernel.writingLoop(
      kernel.constant(0), kernel.constant(channels), group, [&](Value first) {
        Value last = kernel.minimum(kernel.add(first, group), channels);
        forBlocks([&](WindowStretch block, WindowStretch columns) {
          keepSums(
              block, columns,
              kernel.loop(
                  first, last, 1, getKept(block, columns),
                  /*writes=*/false, [&](Value channel, ValueRange carried) {
                    at[channelLoop] = {channel};
                    return reduce(carried, outerAxes, [&](ValueRange carried) {
                      return addElements(block, columns, carried);
                    });
                  }));
        });
      });
  forBlocks([&](WindowStretch block, WindowStretch columns) {
    finish(block, columns, getKept(block, columns));
  });
}

void WindowEmitter::clearKept() {
  ArrayRef<int64_t> shape = cast<MemRefType>(kept.getType()).getShape();
  Value neutral = steps.neutral(lanes), zero = kernel.constant(0);
  kernel.writingLoop(zero, kernel.constant(shape[0]), 1, [&](Value row) {
    kernel.writingLoop(
        zero, kernel.constant(shape[1]), lanes, [&](Value column) {
          vector::StoreOp::create(kernel.ir(), kernel.loc(), neutral, kept,
                                  ValueRange{row, column});
        });
  });
}
