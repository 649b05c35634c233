//===- WindowCopy.cpp - Windows over copied channels ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where channels come last, a window reads pixels that are all channels apart.
// If that is a large power of two, their lines share few sets of the caches:
// those of 55 pixels of 768 channels and of 25 weights have room for 32. So a
// tile copies a line of channels of all pixels that it reads, and the weights
// of these channels, to the stack, where they are contiguous.
//
//===----------------------------------------------------------------------===//

#include "WindowEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// The copies of elements fit the L2 cache beside other data.
static constexpr int64_t maxCopiedElements = 16384;
/// Cache lines to copy of each pixel. Pixels are often pages apart, so several
/// lines share a TLB miss; too many would evict the factors from the L1 cache.
static constexpr int64_t manyLines = 4, fewLines = 2;

/// The float32 factors of the windows of a channel: an operand of taps and
/// channels.
static OpOperand *findFactors(linalg::LinalgOp root, OpOperand *operand,
                              ArrayRef<int64_t> loops, int64_t laneLoop) {
  for (OpOperand *other : root.getDpsInputOperands()) {
    AffineMap map = root.getMatchingIndexingMap(other);
    auto isInner = [&](AffineExpr index) {
      auto loop = dyn_cast<AffineDimExpr>(index);
      return index == 0 ||
             (loop && llvm::is_contained(loops, loop.getPosition()));
    };
    if (other != operand && isa<BlockArgument>(other->get()) &&
        getElementTypeOrSelf(other->get()).isF32() && map.getNumResults() > 0 &&
        map.getResults().back() ==
            getAffineDimExpr(laneLoop, root.getContext()) &&
        llvm::all_of(map.getResults().drop_back(), isInner))
      return other;
  }
  return nullptr;
}

/// The lines that a block of windows reads for a line of their results.
int64_t WindowEmitter::countLines() {
  int64_t taps = blockAxis.taps;
  int64_t pixels = (rows - 1) * blockAxis.stride + taps;
  int64_t outerTaps = 1;
  for (const WindowAxis &axis : outerAxes)
    outerTaps *= axis.taps;
  OpOperand *factors = findFactors(root, operand, reduction.loops, laneLoop);
  return outerTaps * (factors ? pixels + taps : pixels);
}

/// Copying pays off if blocks of windows would read more lines again from the
/// L2 cache than are copied, which costs more than reading. 5 x 5 windows of 14
/// x 14 pixels of 512 channels take 0.22 of the time with copies, 3 x 3 windows
/// with strides of 2 of 256 channels 1.2 (AMD Zen 3).
bool WindowEmitter::isWorthCopying(int64_t evicted) {
  const WindowAxis &axis = outerAxes.front();
  return 3 * evicted > 4 * rows * axis.stride * blockAxis.stride;
}

std::optional<WindowCopy> WindowEmitter::chooseCopy() {
  auto type = cast<RankedTensorType>(source.getType());
  if (!kernel.costs().hasOwnCache() || laneAxis || outerAxes.size() != 1 ||
      sourceLoops.back() != laneLoop || !type.getElementType().isF32())
    return std::nullopt;
  const WindowAxis &axis = outerAxes.front();
  int64_t channels = extents[laneLoop];
  if (!isWorthCopying(countLines() - kernel.costs().l1Lines(channels)))
    return std::nullopt;
  int64_t line = kernel.costs().lineElements();
  int64_t read = axis.taps * blockAxis.size;
  bool areMany = read * manyLines * line <= kernel.costs().l1Elements() / 2;
  int64_t copied =
      std::max((areMany ? manyLines : fewLines) * line, vectors * lanes);
  // As many rows as fit.
  int64_t fitting = maxCopiedElements / (blockAxis.size * copied) -
                    axis.dilation * (axis.taps - 1) - 1;
  if (channels % copied != 0 || fitting < 0)
    return std::nullopt;
  WindowCopy chosen;
  chosen.lanes = copied;
  chosen.windows = std::min(axis.windows, fitting / axis.stride + 1);
  chosen.factors = findFactors(root, operand, reduction.loops, laneLoop);
  return chosen;
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

void WindowEmitter::forEachIndex(Value begin, Value end,
                                 function_ref<void(Value)> body) {
  kernel.loop(begin, end, 1, {}, /*writes=*/false,
              [&](Value index, ValueRange) -> SmallVector<Value> {
                body(index);
                return {};
              });
}

static Value loadRow(KernelBuilder &kernel, Value memory, Value row, Value lane,
                     int64_t lanes) {
  auto type = VectorType::get(
      lanes, cast<MemRefType>(memory.getType()).getElementType());
  return vector::LoadOp::create(kernel.ir(), kernel.loc(), type, memory,
                                ValueRange{row, lane});
}

/// The row of the copy that holds the pixel at `position`.
Value WindowEmitter::getCopiedRow() {
  Value row =
      kernel.subtract(position[outerAxes.front().dim].index, copy->firstRow);
  return kernel.add(kernel.multiply(row, blockAxis.size),
                    position[blockAxis.dim].index);
}

Value WindowEmitter::readCopied(int64_t vector) {
  return loadRow(kernel, copy->elements, getCopiedRow(),
                 kernel.add(copy->lane, vector * lanes), lanes);
}

Value WindowEmitter::readFactors(int64_t vector) {
  Value row = kernel.add(
      kernel.multiply(at[outerAxes.front().tap].index, blockAxis.taps),
      at[blockAxis.tap].index);
  return loadRow(kernel, copy->products, row,
                 kernel.add(copy->lane, vector * lanes), lanes);
}

/// Copies what windows `begin` to `end` along the outer axis read.
void WindowEmitter::copyElements(Value begin, Value end) {
  const WindowAxis &axis = outerAxes.front();
  auto getRow = [&](Value padded) {
    return kernel.subtract(padded, kernel.minimum(padded, axis.low));
  };
  copy->firstRow = getRow(kernel.multiply(begin, axis.stride));
  Value last =
      kernel.multiply(kernel.subtract(end, kernel.constant(1)), axis.stride);
  Value endRow = kernel.minimum(
      getRow(kernel.add(last, axis.dilation * (axis.taps - 1) + 1)), axis.size);
  forEachIndex(copy->firstRow, endRow, [&](Value row) {
    position[axis.dim] = {row};
    forEachIndex(
        kernel.constant(0), kernel.constant(blockAxis.size), [&](Value column) {
          position[blockAxis.dim] = {column};
          Value to = getCopiedRow();
          for (int64_t lane = 0; lane < copy->lanes; lane += lanes) {
            at[laneLoop] = {kernel.add(copy->firstLane, lane),
                            /*step=*/1};
            vector::StoreOp::create(kernel.ir(), kernel.loc(),
                                    readSource(lanes), copy->elements,
                                    ValueRange{to, kernel.constant(lane)});
          }
        });
  });
}

void WindowEmitter::copyFactors() {
  if (!copy->factors)
    return;
  const WindowAxis &axis = outerAxes.front();
  AffineMap map = root.getMatchingIndexingMap(copy->factors);
  forEachIndex(
      kernel.constant(0), kernel.constant(axis.taps), [&](Value outerTap) {
        at[axis.tap] = {outerTap};
        for (int64_t tap = 0; tap < blockAxis.taps; ++tap)
          for (int64_t lane = 0; lane < copy->lanes; lane += lanes) {
            at[blockAxis.tap] = {kernel.constant(tap)};
            at[laneLoop] = {kernel.add(copy->firstLane, lane), /*step=*/1};
            Value factors = TreeEmitter(kernel, lanes, lanes)
                                .evaluateVector(copy->factors->get(),
                                                applyLinear(kernel, map, at));
            Value to =
                kernel.add(kernel.multiply(outerTap, blockAxis.taps), tap);
            vector::StoreOp::create(kernel.ir(), kernel.loc(), factors,
                                    copy->products,
                                    ValueRange{to, kernel.constant(lane)});
          }
      });
}

/// As emit(), for tiles of some channels of several rows.
Tile WindowEmitter::emitCopied() {
  const WindowAxis &axis = outerAxes.front();
  int64_t bands = (axis.windows - 1) / copy->windows + 1;
  int64_t windows = llvm::divideCeil(axis.windows, bands);
  int64_t copiedRows =
      std::min(axis.size, (windows - 1) * axis.stride +
                              axis.dilation * (axis.taps - 1) + 1);
  copy->elements = kernel.allocate(copiedRows * blockAxis.size, copy->lanes);
  if (copy->factors)
    copy->products = kernel.allocate(axis.taps * blockAxis.taps, copy->lanes);
  SmallVector<int64_t> shape(outerShape);
  size_t place = std::distance(outer.begin(), llvm::find(outer, axis.window));
  shape[place] = bands;
  shape.push_back(extents[laneLoop] / copy->lanes);
  int64_t units = ShapedType::getNumElements(shape);
  int64_t work =
      windows * blockAxis.windows * copy->lanes * axis.taps * blockAxis.taps;
  int64_t tileUnits = kernel.costs().tileUnits(
      kernel.costs().tileWindowContributions() / work, units);
  forEachUnit(kernel, units, tileUnits, [&](Value unit) {
    SmallVector<Value> indices = kernel.delinearize(unit, shape);
    for (auto [loop, index] :
         llvm::zip_equal(outer, ArrayRef(indices).drop_back()))
      at[loop] = {index};
    Value begin = kernel.multiply(indices[place], windows);
    Value end = kernel.minimum(kernel.add(begin, windows), axis.windows);
    copy->firstLane = kernel.multiply(indices.back(), copy->lanes);
    copyFactors();
    copyElements(begin, end);
    kernel.writingLoop(begin, end, 1, [&](Value window) {
      at[axis.window] = {window};
      forStretches(blockAxis.windows, rows, &blockAxis,
                   [&](WindowStretch block) {
                     kernel.writingLoop(
                         kernel.constant(0), kernel.constant(copy->lanes),
                         vectors * lanes, [&](Value lane) {
                           copy->lane = lane;
                           emitBlock(block, {kernel.add(copy->firstLane, lane),
                                             std::nullopt, vectors * lanes});
                         });
                   });
    });
  });
  return {rows, vectors * lanes};
}
