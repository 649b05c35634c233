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
/// Steps of the depth whose reads are in flight.
static constexpr int64_t stepsAtOnce = 8;
/// The same for steps of one 16-byte read per thread: as many as registers
/// allow, which is more for few rows. There are few blocks, so reads in flight
/// keep the memory busy. Estimated, not measured.
static constexpr int64_t minReads = 4, maxReads = 8, maxRowsOfMaxReads = 2;
/// Warps of a block, and sums of theirs of that size.
static constexpr int64_t minParts = 4, maxParts = 16, maxWideSums = 64;

bool SplitKGemm::match() {
  if (!matchOperands() || rowCount > maxRows || columnCount < minColumns ||
      depthCount < minDepth)
    return false;
  if (right.panelWidth % warpSize)
    return false;
  wideLanes = kernel.costs().wideLanes();
  blockVectors = right.panelWidth ? right.panelWidth / warpSize : 1;
  // The rows of a panel are contiguous.
  if (right.panelWidth && wideLanes % right.panelWidth == 0 &&
      depthCount % (wideLanes / right.panelWidth) == 0)
    depthOfRead = wideLanes / right.panelWidth;
  bool readsMore = depthOfRead && rowCount <= maxRowsOfMaxReads &&
                   depthCount % (maxReads * depthOfRead) == 0;
  readsAtOnce = readsMore ? maxReads : minReads;
  int64_t depthAtOnce = depthOfRead ? readsAtOnce * depthOfRead : stepsAtOnce;
  int64_t blocks = loops.count(loops.batch) *
                   llvm::divideCeil(columnCount, blockVectors * warpSize);
  parts = minParts;
  while (parts < maxParts && blocks * parts < getWantedWarps(kernel.costs()) &&
         depthCount > 2 * parts * depthAtOnce &&
         (!depthOfRead || 2 * parts * rowCount <= maxWideSums))
    parts *= 2;
  partDepth = llvm::alignTo(llvm::divideCeil(depthCount, parts), depthAtOnce);
  return true;
}

Tile SplitKGemm::emit() {
  for (Value operand : {left.tensor, right.tensor})
    kernel.forbidAlias(operand);
  int64_t width = blockVectors * warpSize;
  SmallVector<int64_t> shape = {parts, rowCount * blockVectors, warpSize};
  if (depthOfRead)
    shape = {parts, rowCount, wideLanes};
  shared = allocateShared(kernel, shape, kernel.ir().getF32Type());
  int64_t columnBlocks = llvm::divideCeil(columnCount, width);
  int64_t rest = columnCount % width;
  kernel.tileLoop(
      loops.count(loops.batch) * columnBlocks * parts, [&](Value index) {
        warp = kernel.remainder(index, parts);
        Value block = kernel.divide(index, parts);
        columnBlock = kernel.remainder(block, columnBlocks);
        firstColumn = kernel.multiply(columnBlock, width);
        Value batch = kernel.divide(block, columnBlocks);
        auto full = [&] { emitBlock(batch, blockVectors, warpSize); };
        auto last = [&] {
          int64_t vectors = llvm::divideCeil(rest, warpSize);
          emitBlock(batch, vectors, rest - (vectors - 1) * warpSize);
        };
        if (!rest)
          full();
        else if (columnBlocks == 1)
          last();
        else
          kernel.writingBranch(kernel.isLess(columnBlock, columnBlocks - 1),
                               full, last);
      });
  return {rowCount, width, partDepth};
}

void SplitKGemm::emitBlock(Value batch, int64_t vectors, int64_t lastActive) {
  moveToBatch(batch);
  leftFlat = kernel.flatBuffer(left.tensor);
  rightFlat = kernel.flatBuffer(right.tensor);
  rightBase = kernel.add(batchOffset(right),
                         right.panelWidth
                             ? kernel.multiply(columnBlock, right.panelFactor)
                             : firstColumn);
  rowBases.clear();
  for (int64_t r = 0; r < rowCount; ++r)
    rowBases.push_back(
        kernel.add(batchOffset(left), rowOffset(kernel.constant(r))));

  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  SmallVector<Value> sums =
      depthOfRead ? addWidePart() : addPart(vectors, lastActive);
  for (auto [i, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(
        ir, loc, sum, shared,
        ValueRange{warp, kernel.constant(i), kernel.constant(0)});
  blockBarrier(kernel);
  // The rows are shared among the warps.
  for (int64_t r = 0; r < rowCount; ++r) {
    kernel.writingBranch(
        isWarpNumber(kernel, warp, r % parts),
        [&] {
          SmallVector<Value> totals;
          for (int64_t v = 0; v < vectors; ++v)
            totals.push_back(addParts(r, v, vectors));
          finishRow(totals, kernel.constant(r), firstColumn, lastActive);
        },
        [] {});
  }
}

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
  SmallVector<Value> sums(rowCount * vectors, kernel.broadcast(zero, warpSize));
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
  int64_t vectors = sums.size() / rowCount;
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
  for (int64_t r = 0; r < rowCount; ++r)
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
  SmallVector<Value> sums(rowCount, kernel.broadcast(zero, wideLanes));
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
      sum = vector::FMAOp::create(ir, loc, numbers[k * rowCount + r],
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

/// The sums of all warps for vector number `vector` of a row, one after the
/// other, behind what the contraction begins with.
Value SplitKGemm::addParts(int64_t row, int64_t vector, int64_t vectors) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto type = VectorType::get(warpSize, ir.getF32Type());
  Value total = getStart(warpSize);
  auto add = [&](int64_t part, int64_t number, int64_t column) {
    Value sum = vector::LoadOp::create(ir, loc, type, shared,
                                       ValueRange{kernel.constant(part),
                                                  kernel.constant(number),
                                                  kernel.constant(column)});
    total = arith::AddFOp::create(ir, loc, total, sum);
  };
  for (int64_t part = 0; part < parts; ++part) {
    if (!depthOfRead)
      add(part, row * vectors + vector, 0);
    for (int64_t i = 0; i < depthOfRead; ++i)
      add(part, row, i * right.panelWidth + vector * warpSize);
  }
  return total;
}
