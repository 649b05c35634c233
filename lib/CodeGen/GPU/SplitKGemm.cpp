//===- SplitKGemm.cpp - Contractions of few rows ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitKGemm.h"
#include "CooperativeGroups.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// With more rows, sharing reads pays off.
static constexpr int64_t maxRows = 7;
static constexpr int64_t minColumns = 32, minDepth = 64;
/// Of fewer columns there may be more rows, a few in each block. Many more keep
/// all multiprocessors busy without a split.
static constexpr int64_t maxRowsOfNarrow = 4096, maxBlockRowsOfNarrow = 4;
/// The narrowest panel is what a thread reads at once.
static constexpr int64_t minWidth = 4;
/// Steps of the depth whose reads are in flight.
static constexpr int64_t stepsAtOnce = 8;
/// The same for steps of one 16-byte read per thread: as many as registers
/// allow, which is more for few rows.
static constexpr int64_t maxReads = 4, maxReadsOfFewRows = 8, fewRows = 2;
/// Fewest reads of a thread that are worth a warp.
static constexpr int64_t minReads = 4;
/// Warps of a block, and sums of theirs of that size.
static constexpr int64_t minParts = 4, maxParts = 16, maxWideSums = 64;

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static int64_t getBlockRows(const CostModel &costs, int64_t rows,
                            int64_t columns) {
  if (columns >= minColumns)
    return rows;
  return std::clamp<int64_t>(rows / (2 * costs.machine.processors), 1,
                             maxBlockRowsOfNarrow);
}

static bool hasFewSums(int64_t rows, int64_t columns) {
  return rows <= (columns < minColumns ? maxRowsOfNarrow : maxRows);
}

/// Blocks of narrow panels are many: the widest panel that gives each
/// multiprocessor two blocks, or else the narrowest. A read of a warp is
/// several whole rows of it.
std::optional<int64_t>
SplitKGemm::choosePanelWidth(const CostModel &costs, int64_t batches,
                             int64_t rows, int64_t columns, int64_t depth) {
  if (!hasFewSums(rows, columns) || depth < minDepth)
    return std::nullopt;
  int64_t wanted = 2 * costs.machine.processors;
  int64_t rowBlocks =
      llvm::divideCeil(rows, getBlockRows(costs, rows, columns));
  std::optional<int64_t> best;
  for (int64_t width = warpSize; width >= minWidth; width /= 2) {
    int64_t blocks = batches * rowBlocks * llvm::divideCeil(columns, width);
    if (depth % (costs.wideLanes() / width) == 0 && width < 2 * columns)
      best = width;
    if (best && blocks >= wanted)
      break;
  }
  return best;
}

/// A warp reads several steps of the depth at once where the rows of a panel
/// are contiguous.
void SplitKGemm::chooseReads() {
  depthOfRead = 0;
  if (right.panelWidth && wideLanes % right.panelWidth == 0 &&
      depthCount % (wideLanes / right.panelWidth) == 0)
    depthOfRead = wideLanes / right.panelWidth;
}

/// Warps of all blocks.
int64_t SplitKGemm::getWarps() const {
  return loops.count(loops.batch) * llvm::divideCeil(rowCount, blockRows) *
         llvm::divideCeil(columnCount, width) * parts;
}

/// Splits the depth into equal chunks of whole steps as far as it goes.
void SplitKGemm::choosePart() {
  int64_t reads = depthCount / std::max<int64_t>(1, depthOfRead);
  int64_t least = depthOfRead ? minReads : stepsAtOnce;
  parts = minParts;
  while (parts < maxParts && getWarps() < getWantedWarps(kernel.costs()) &&
         reads >= 2 * parts * least &&
         (!depthOfRead || 2 * parts * blockRows <= maxWideSums))
    parts *= 2;
  if (!depthOfRead) {
    partDepth = llvm::alignTo(llvm::divideCeil(depthCount, parts), stepsAtOnce);
    return;
  }
  int64_t most = blockRows <= fewRows ? maxReadsOfFewRows : maxReads;
  int64_t readsOfPart = llvm::divideCeil(reads, parts);
  int64_t times = llvm::divideCeil(readsOfPart, most);
  readsAtOnce = llvm::divideCeil(readsOfPart, times);
  partDepth = times * readsAtOnce * depthOfRead;
}

bool SplitKGemm::match() {
  if (!matchOperands(/*computesRow=*/true) ||
      !hasFewSums(rowCount, columnCount) || depthCount < minDepth)
    return false;
  wideLanes = kernel.costs().wideLanes();
  chooseReads();
  if (!depthOfRead &&
      (columnCount < minColumns || right.panelWidth % warpSize != 0))
    return false;
  width = right.panelWidth ? right.panelWidth : warpSize;
  blockVectors = llvm::divideCeil(width, warpSize);
  blockRows = getBlockRows(kernel.costs(), rowCount, columnCount);
  choosePart();
  return true;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Tile SplitKGemm::emit() {
  for (Value operand : {left.tensor, right.tensor})
    kernel.forbidAlias(operand);
  SmallVector<int64_t> shape = {parts, blockRows * blockVectors, warpSize};
  if (depthOfRead)
    shape = {parts, blockRows, wideLanes};
  shared = allocateShared(kernel, shape, kernel.ir().getF32Type());
  int64_t rowBlocks = llvm::divideCeil(rowCount, blockRows);
  int64_t columnBlocks = llvm::divideCeil(columnCount, width);
  int64_t rest = columnCount % width;
  kernel.tileLoop(getWarps(), [&](Value index) {
    warp = kernel.remainder(index, parts);
    if (computedRow)
      leftRow = computedRow->emit(kernel, warp, parts);
    Value block = kernel.divide(index, parts);
    firstRow = kernel.multiply(kernel.remainder(block, rowBlocks), blockRows);
    block = kernel.divide(block, rowBlocks);
    columnBlock = kernel.remainder(block, columnBlocks);
    firstColumn = kernel.multiply(columnBlock, width);
    Value batch = kernel.divide(block, columnBlocks);
    auto full = [&] {
      emitBlock(batch, blockVectors, std::min<int64_t>(width, warpSize));
    };
    auto last = [&] {
      int64_t vectors = llvm::divideCeil(rest, warpSize);
      emitBlock(batch, vectors, rest - (vectors - 1) * warpSize);
    };
    if (!rest)
      full();
    else if (columnBlocks == 1)
      last();
    else
      kernel.writingBranch(kernel.isLess(columnBlock, columnBlocks - 1), full,
                           last);
  });
  return {blockRows, width, partDepth};
}

void SplitKGemm::emitBlock(Value batch, int64_t vectors, int64_t lastActive) {
  moveToBatch(batch);
  leftFlat = leftRow ? leftRow : kernel.flatBuffer(left.tensor);
  rightFlat = kernel.flatBuffer(right.tensor);
  rightBase = kernel.add(batchOffset(right),
                         right.panelWidth
                             ? kernel.multiply(columnBlock, right.panelFactor)
                             : firstColumn);
  rows.clear();
  rowBases.clear();
  // Rows beyond the last repeat it and are not stored.
  for (int64_t r = 0; r < blockRows; ++r) {
    Value row = kernel.add(firstRow, r);
    if (rowCount % blockRows)
      row = kernel.minimum(row, rowCount - 1);
    rows.push_back(row);
    rowBases.push_back(kernel.add(batchOffset(left), rowOffset(row)));
  }

  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  SmallVector<Value> sums =
      depthOfRead ? addWidePart() : addPart(vectors, lastActive);
  for (auto [i, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(
        ir, loc, sum, shared,
        ValueRange{warp, kernel.constant(i), kernel.constant(0)});
  blockBarrier(kernel);
  finishRows(vectors, lastActive);
}

/// The rows are shared among the warps.
void SplitKGemm::finishRows(int64_t vectors, int64_t lastActive) {
  for (int64_t r = 0; r < blockRows; ++r) {
    auto finish = [&] {
      SmallVector<Value> totals =
          depthOfRead ? addWideParts(r, vectors) : addParts(r, vectors);
      finishRow(totals, rows[r], firstColumn, lastActive);
    };
    auto finishExisting = [&] {
      if (rowCount % blockRows == 0)
        return finish();
      kernel.writingBranch(kernel.isLess(kernel.add(firstRow, r), rowCount),
                           finish, [] {});
    };
    kernel.writingBranch(isWarpNumber(kernel, warp, r % parts), finishExisting,
                         [] {});
  }
}

//===----------------------------------------------------------------------===//
// A step of the depth a read
//===----------------------------------------------------------------------===//

/// Chunks are whole steps, except the last.
SplitKGemm::Part SplitKGemm::getPart(int64_t step) {
  Value begin = kernel.minimum(kernel.multiply(warp, partDepth), depthCount);
  Value end = kernel.minimum(kernel.add(begin, partDepth), depthCount);
  Value steps = kernel.divide(kernel.subtract(end, begin), step);
  return {begin, kernel.add(begin, kernel.multiply(steps, step)), end};
}

/// The sums of the warp's chunk of the depth.
SmallVector<Value> SplitKGemm::addPart(int64_t vectors, int64_t lastActive) {
  Value zero = arith::ConstantOp::create(kernel.ir(), kernel.loc(),
                                         kernel.ir().getF32FloatAttr(0));
  SmallVector<Value> sums(blockRows * vectors,
                          kernel.broadcast(zero, warpSize));
  auto [lower, whole, upper] = getPart(stepsAtOnce);
  sums = kernel.loop(lower, whole, stepsAtOnce, sums, /*writes=*/false,
                     [&](Value depth, ValueRange carried) {
                       return addSteps(depth, stepsAtOnce, carried, lastActive);
                     });
  if (depthCount % stepsAtOnce == 0)
    return sums;
  return kernel.loop(whole, upper, 1, sums, /*writes=*/false,
                     [&](Value depth, ValueRange carried) {
                       return addSteps(depth, 1, carried, lastActive);
                     });
}

/// Issues all reads before the first multiply-add.
SmallVector<Value> SplitKGemm::addSteps(Value depth, int64_t steps,
                                        ValueRange sums, int64_t lastActive) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  int64_t vectors = sums.size() / blockRows;
  SmallVector<Value> columns, numbers;
  for (int64_t k = 0; k < steps; ++k)
    for (int64_t v = 0; v < vectors; ++v)
      columns.push_back(loadRight(kernel.add(depth, k), v,
                                  v + 1 < vectors ? warpSize : lastActive));
  for (Value base : rowBases)
    for (int64_t k = 0; k < steps; ++k) {
      Value at = kernel.add(base, depthOffset(left, kernel.add(depth, k)));
      numbers.push_back(kernel.broadcast(
          memref::LoadOp::create(ir, loc, leftFlat, ValueRange(at)), warpSize));
    }
  SmallVector<Value> next(sums);
  for (int64_t r = 0; r < blockRows; ++r)
    for (int64_t k = 0; k < steps; ++k)
      for (int64_t v = 0; v < vectors; ++v) {
        Value &sum = next[r * vectors + v];
        sum = vector::FMAOp::create(ir, loc, numbers[r * steps + k],
                                    columns[k * vectors + v], sum);
      }
  return next;
}

/// Panels have all columns.
Value SplitKGemm::loadRight(Value depth, int64_t vector, int64_t active) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto type = VectorType::get(warpSize, ir.getF32Type());
  Value at = kernel.add(kernel.add(rightBase, depthOffset(right, depth)),
                        vector * warpSize);
  if (right.panelWidth || active == warpSize)
    return vector::LoadOp::create(ir, loc, type, rightFlat, ValueRange(at));
  Value zero = arith::ConstantOp::create(ir, loc, ir.getF32FloatAttr(0));
  return vector::TransferReadOp::create(
      ir, loc, type, rightFlat, ValueRange(at),
      AffineMapAttr::get(ir.getMultiDimIdentityMap(1)), zero,
      kernel.mask(active, warpSize), ir.getBoolArrayAttr(true));
}

//===----------------------------------------------------------------------===//
// Several steps of the depth a read
//===----------------------------------------------------------------------===//

/// Like addPart, but a thread has four columns of every `depthOfRead`th row of
/// the panel, and sums of these rows.
SmallVector<Value> SplitKGemm::addWidePart() {
  Value zero = arith::ConstantOp::create(kernel.ir(), kernel.loc(),
                                         kernel.ir().getF32FloatAttr(0));
  SmallVector<Value> sums(blockRows, kernel.broadcast(zero, wideLanes));
  int64_t depthAtOnce = readsAtOnce * depthOfRead;
  auto [lower, whole, upper] = getPart(depthAtOnce);
  sums = kernel.loop(lower, whole, depthAtOnce, sums, /*writes=*/false,
                     [&](Value depth, ValueRange carried) {
                       return addReads(depth, readsAtOnce, carried);
                     });
  if (depthCount % depthAtOnce == 0)
    return sums;
  return kernel.loop(whole, upper, depthOfRead, sums, /*writes=*/false,
                     [&](Value depth, ValueRange carried) {
                       return addReads(depth, 1, carried);
                     });
}

SmallVector<Value> SplitKGemm::addReads(Value depth, int64_t reads,
                                        ValueRange sums) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto type = VectorType::get(wideLanes, ir.getF32Type());
  SmallVector<Value> columns, next(sums);
  for (int64_t k = 0; k < reads; ++k) {
    Value at = kernel.add(depth, k * depthOfRead);
    columns.push_back(vector::LoadOp::create(
        ir, loc, type, rightFlat,
        ValueRange(kernel.add(rightBase, depthOffset(right, at)))));
  }
  SmallVector<Value> numbers;
  for (int64_t k = 0; k < reads; ++k)
    for (Value base : rowBases)
      numbers.push_back(loadLeft(base, kernel.add(depth, k * depthOfRead)));
  for (int64_t k = 0; k < reads; ++k)
    for (auto [r, sum] : llvm::enumerate(next))
      sum = vector::FMAOp::create(ir, loc, numbers[k * blockRows + r],
                                  columns[k], sum);
  return next;
}

/// The numbers that the elements of a read from `depth` on are multiplied by.
Value SplitKGemm::loadLeft(Value base, Value depth) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Value own = kernel.add(
      kernel.divide(kernel.laneNumbers(warpSize), warpSize / depthOfRead),
      depth);
  auto type = VectorType::get(warpSize, ir.getF32Type());
  Value zeros = arith::ConstantOp::create(ir, loc, ir.getZeroAttr(type));
  Value numbers =
      vector::GatherOp::create(ir, loc, type, leftFlat, kernel.constant(0),
                               kernel.add(depthOffset(left, own), base),
                               kernel.mask(warpSize, warpSize), zeros);
  // One for the four columns of a thread.
  for (int64_t lanes = warpSize; lanes < wideLanes; lanes *= 2)
    numbers = vector::InterleaveOp::create(ir, loc, numbers, numbers);
  return numbers;
}

//===----------------------------------------------------------------------===//
// All parts
//===----------------------------------------------------------------------===//

/// The sums of all warps for the vectors of a row, one after the other, behind
/// what the contraction begins with.
SmallVector<Value> SplitKGemm::addParts(int64_t row, int64_t vectors) {
  OpBuilder &ir = kernel.ir();
  auto type = VectorType::get(warpSize, ir.getF32Type());
  SmallVector<Value> totals(vectors, getStart(warpSize));
  for (auto [v, total] : llvm::enumerate(totals))
    for (int64_t part = 0; part < parts; ++part) {
      Value sum = vector::LoadOp::create(
          ir, kernel.loc(), type, shared,
          ValueRange{kernel.constant(part), kernel.constant(row * vectors + v),
                     kernel.constant(0)});
      total = arith::AddFOp::create(ir, kernel.loc(), total, sum);
    }
  return totals;
}

/// Like addParts, first over the warps, then over the steps of the depth that a
/// read is.
SmallVector<Value> SplitKGemm::addWideParts(int64_t row, int64_t vectors) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto wide = VectorType::get(wideLanes, ir.getF32Type());
  Value first = kernel.constant(0), ofRow = kernel.constant(row), ofReads;
  for (int64_t part = 0; part < parts; ++part) {
    Value sum = vector::LoadOp::create(
        ir, loc, wide, shared, ValueRange{kernel.constant(part), ofRow, first});
    ofReads = ofReads ? arith::AddFOp::create(ir, loc, ofReads, sum) : sum;
  }
  vector::StoreOp::create(ir, loc, ofReads, shared,
                          ValueRange{first, ofRow, first});
  Value lane = gpu::LaneIdOp::create(ir, loc, /*upper_bound=*/nullptr);
  Value ofLane = kernel.remainder(lane, std::min<int64_t>(width, warpSize));
  SmallVector<Value> totals(vectors, getStart(warpSize));
  for (int64_t i = 0; i < depthOfRead; ++i)
    for (auto [v, total] : llvm::enumerate(totals)) {
      Value column = kernel.add(ofLane, i * width + v * warpSize);
      Value sum = memref::LoadOp::create(ir, loc, shared,
                                         ValueRange{first, ofRow, column});
      total = arith::AddFOp::create(ir, loc, total,
                                    kernel.broadcast(sum, warpSize));
    }
  return totals;
}
