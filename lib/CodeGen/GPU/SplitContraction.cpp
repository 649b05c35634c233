//===- SplitContraction.cpp - Contractions of few rows ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitContraction.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "Teams.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// More rows are worth sharing what is read.
static constexpr int64_t maxRows = 7;
static constexpr int64_t minColumns = 32, minDepth = 64;
/// Steps of the depth whose reads are on their way at a time.
static constexpr int64_t stepsAtOnce = 8;
/// Warps of a block.
static constexpr int64_t minParts = 4, maxParts = 16;

bool SplitContraction::match() {
  if (!kernel.target().isWarp || !matchOperands() || rowCount > maxRows ||
      columnCount < minColumns || depthCount < minDepth)
    return false;
  if (right.panelWidth % warpSize)
    return false;
  blockVectors = right.panelWidth ? right.panelWidth / warpSize : 1;
  int64_t blocks = loops.count(loops.batch) *
                   llvm::divideCeil(columnCount, blockVectors * warpSize);
  parts = minParts;
  while (parts < maxParts && blocks * parts < wantedWarps &&
         depthCount > 2 * parts * stepsAtOnce)
    parts *= 2;
  partDepth = llvm::alignTo(llvm::divideCeil(depthCount, parts), stepsAtOnce);
  return true;
}

Tile SplitContraction::emit() {
  for (Value operand : {left.tensor, right.tensor})
    kernel.forbidAlias(operand);
  int64_t width = blockVectors * warpSize;
  shared = allocateShared(kernel, {parts, rowCount * blockVectors, warpSize},
                          kernel.ir().getF32Type());
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

void SplitContraction::emitBlock(Value batch, int64_t vectors,
                                 int64_t lastActive) {
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
  SmallVector<Value> sums = addPart(vectors, lastActive);
  for (auto [i, sum] : llvm::enumerate(sums))
    vector::StoreOp::create(
        ir, loc, sum, shared,
        ValueRange{warp, kernel.constant(i), kernel.constant(0)});
  waitForBlock(kernel);
  // The rows are shared among the warps.
  for (int64_t r = 0; r < rowCount; ++r) {
    kernel.writingBranch(
        isWarp(kernel, warp, r % parts),
        [&] {
          SmallVector<Value> totals;
          for (int64_t v = 0; v < vectors; ++v)
            totals.push_back(addParts(r * vectors + v));
          finishRow(totals, kernel.constant(r), firstColumn, lastActive);
        },
        [] {});
  }
}

/// The sums of the warp's part of the depth.
SmallVector<Value> SplitContraction::addPart(int64_t vectors,
                                             int64_t lastActive) {
  Value zero = arith::ConstantOp::create(kernel.ir(), kernel.loc(),
                                         kernel.ir().getF32FloatAttr(0));
  SmallVector<Value> sums(rowCount * vectors, kernel.broadcast(zero, warpSize));
  Value lower = kernel.minimum(kernel.multiply(warp, partDepth), depthCount);
  Value upper = kernel.minimum(kernel.add(lower, partDepth), depthCount);
  // Parts are whole steps, but for the last.
  Value steps = kernel.divide(kernel.subtract(upper, lower), stepsAtOnce);
  Value whole = kernel.add(lower, kernel.multiply(steps, stepsAtOnce));
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

/// All that is read is asked for before the first product.
SmallVector<Value> SplitContraction::addSteps(Value depth, int64_t steps,
                                              ValueRange sums,
                                              int64_t lastActive) {
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

/// Columns of panels are all there.
Value SplitContraction::loadRight(Value depth, int64_t vector, int64_t active) {
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

/// The sum number `number` of all warps, one after the other, behind what the
/// contraction begins with.
Value SplitContraction::addParts(int64_t number) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto type = VectorType::get(warpSize, ir.getF32Type());
  Value total = getStart(warpSize);
  for (int64_t part = 0; part < parts; ++part) {
    Value sum = vector::LoadOp::create(ir, loc, type, shared,
                                       ValueRange{kernel.constant(part),
                                                  kernel.constant(number),
                                                  kernel.constant(0)});
    total = arith::AddFOp::create(ir, loc, total, sum);
  }
  return total;
}
