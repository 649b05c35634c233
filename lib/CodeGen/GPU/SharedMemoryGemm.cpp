//===- SharedMemoryGemm.cpp - Contractions of blocks of threads -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stages are a ring buffer: while one is multiplied, the copies of the next
// ones are in flight. The one barrier of a step ensures that its data has
// arrived for all threads, and that all threads have read the stage that the
// next copies overwrite.
//
//===----------------------------------------------------------------------===//

#include "SharedMemoryGemm.h"
#include "CooperativeGroups.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "WideLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Copies 16 bytes at once where all are at multiples of 16. This checks
/// offsets within the operand; the alignment of its base is checked when it is
/// known. No copy has less than four bytes.
bool SharedMemoryGemm::chooseChunks() {
  int64_t chunk = 16 / left.elementBytes();
  leftSide.chunk = left.isAligned(loops, loops.depth) ? chunk : 1;
  rightSide.chunk =
      right.panelWidth || right.isAligned(loops, loops.column) ? chunk : 1;
  return !left.isBF16 || (leftSide.chunk > 1 && rightSide.chunk > 1);
}

int64_t SharedMemoryGemm::copiesOfThread() const {
  int64_t threads = tile.warps * warpSize;
  int64_t lefts = tile.blockRows() * tile.depth / leftSide.chunk;
  int64_t rights = tile.columns() * tile.depth / rightSide.chunk;
  return llvm::divideCeil(std::max(lefts, rights), threads);
}

/// Gives a thread several columns of the result if its consumers read and write
/// them so.
void SharedMemoryGemm::chooseLanes() {
  lanes = warpSize;
  if (result.getType() != root->getResult(0).getType())
    return;
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInitOperand(0));
  SmallVector<LaneUse::Index> ofLoops(loops.extents.size(), {0, 1});
  ofLoops[loops.column] = {1, 0};
  SmallVector<LaneUse::Index> at = applyToLanes(map, ofLoops);
  lanes =
      chooseWideLanes(kernel.costs(), tile.warpColumns,
                      {{result, at}, {kernel.destinationArgument(), at}},
                      [&](Value value) { return value == root->getResult(0); });
}

bool SharedMemoryGemm::match() {
  if (!matchOperands())
    return false;
  auto chosen =
      chooseBlockTile(kernel.costs(), loops.count(loops.batch), rowCount,
                      columnCount, depthCount, right.panelWidth);
  if (!chosen)
    return false;
  tile = *chosen;
  // A stage has as many bytes of either type.
  tile.depth *= CostModel::elementBytes / left.elementBytes();
  if (left.isBF16 != right.isBF16 || !chooseChunks())
    return false;
  chooseLanes();
  return true;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Memory of stages; that of bfloat16 is a view of bytes, which other views may
/// have, too.
Value SharedMemoryGemm::allocateStages(int64_t rows, int64_t pitch) {
  SmallVector<int64_t> shape = {tile.stages, rows, pitch};
  OpBuilder &ir = kernel.ir();
  if (!left.isBF16)
    return allocateShared(kernel, shape, ir.getF32Type());
  Value bytes =
      allocateShared(kernel, {tile.stages * rows * pitch * left.elementBytes()},
                     ir.getI8Type());
  auto type =
      MemRefType::get(shape, ir.getBF16Type(), MemRefLayoutAttrInterface(),
                      cast<MemRefType>(bytes.getType()).getMemorySpace());
  return memref::ViewOp::create(ir, kernel.loc(), type, bytes,
                                kernel.constant(0), ValueRange());
}

Tile SharedMemoryGemm::emit() {
  leftShared = allocateStages(tile.blockRows(), leftPitch());
  rightShared = allocateStages(tile.depth, rightPitch());
  for (Value operand : {left.tensor, right.tensor})
    kernel.forbidAlias(operand);
  int64_t rowBlocks = llvm::divideCeil(rowCount, tile.blockRows());
  int64_t columnBlocks = llvm::divideCeil(columnCount, tile.columns());
  int64_t blocks = loops.count(loops.batch) * rowBlocks * columnBlocks;
  kernel.tileLoop(blocks * tile.warps, [&](Value index) {
    warp = kernel.remainder(index, tile.warps);
    Value block = kernel.divide(index, tile.warps);
    // Concurrent blocks share columns, so the right side is read once.
    firstRow =
        kernel.multiply(kernel.remainder(block, rowBlocks), tile.blockRows());
    block = kernel.divide(block, rowBlocks);
    columnBlock = kernel.remainder(block, columnBlocks);
    firstColumn = kernel.multiply(columnBlock, tile.columns());
    emitBlock(kernel.divide(block, columnBlocks));
  });
  return {tile.blockRows(), tile.columns(), tile.depth};
}

void SharedMemoryGemm::emitBlock(Value batch) {
  moveToBatch(batch);
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  lane = gpu::LaneIdOp::create(ir, loc, /*upper_bound=*/nullptr);
  thread = kernel.add(kernel.multiply(warp, warpSize), lane);
  leftSide.flat = kernel.flatBuffer(left.tensor);
  rightSide.flat = kernel.flatBuffer(right.tensor);
  addLeftCopies();
  addRightCopies();

  int64_t steps = llvm::divideCeil(depthCount, tile.depth);
  for (int64_t step = 0; step < ahead(); ++step) {
    if (step < steps)
      startStep(kernel.constant(step));
    group = closeGroup();
  }
  finish(addSteps(steps));
}

void SharedMemoryGemm::waitForCopies(int64_t pending) {
  nvgpu::DeviceAsyncWaitOp::create(
      kernel.ir(), kernel.loc(), group,
      kernel.ir().getI32IntegerAttr(static_cast<int32_t>(pending)));
  blockBarrier(kernel);
}

void SharedMemoryGemm::startNext(Value step, int64_t steps) {
  Value next = kernel.add(step, ahead());
  auto start = [&] {
    startStep(next);
    return SmallVector<Value>();
  };
  kernel.branch(kernel.isLess(next, steps), {}, /*writes=*/false, start,
                [] { return SmallVector<Value>(); });
  closeGroup();
}

SmallVector<Value> SharedMemoryGemm::addSteps(int64_t steps) {
  return kernel.loop(kernel.constant(0), kernel.constant(steps), 1, makeSums(),
                     /*writes=*/false, [&](Value step, ValueRange carried) {
                       // All groups except those of later steps.
                       waitForCopies(ahead() - 1);
                       startNext(step, steps);
                       return multiply(kernel.remainder(step, tile.stages),
                                       carried);
                     });
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Computes this thread's share of the copies: `chunks` per row. They are in
/// one column, at constant distances.
void SharedMemoryGemm::addCopies(Side &side, int64_t rows, int64_t chunks,
                                 function_ref<void(Copy &)> place) {
  side.copies.clear();
  int64_t threads = tile.warps * warpSize;
  assert(threads % chunks == 0 && "expected whole rows");
  Value row = kernel.divide(thread, chunks);
  Value column = kernel.multiply(kernel.remainder(thread, chunks), side.chunk);
  for (int64_t first = 0; first < rows; first += threads / chunks) {
    Copy copy;
    copy.row = kernel.add(row, first);
    copy.column = column;
    place(copy);
    if (first + threads / chunks > rows)
      copy.isMine = kernel.isLess(copy.row, rows);
    side.copies.push_back(copy);
  }
}

/// Rows beyond the last repeat it and are not stored.
void SharedMemoryGemm::addLeftCopies() {
  int64_t chunks = tile.depth / leftSide.chunk;
  addCopies(leftSide, tile.blockRows(), chunks, [&](Copy &copy) {
    copy.depth = copy.column;
    copy.column = placeLeftColumn(copy.row, copy.column);
    Value row = kernel.add(firstRow, copy.row);
    if (rowCount % tile.blockRows())
      row = kernel.minimum(row, rowCount - 1);
    copy.base = kernel.add(batchOffset(left), rowOffset(row));
  });
}

/// Columns beyond the last are zeros, which panels already contain.
void SharedMemoryGemm::addRightCopies() {
  int64_t chunks = tile.columns() / rightSide.chunk;
  Value first = right.panelWidth
                    ? kernel.multiply(columnBlock, right.panelFactor)
                    : firstColumn;
  addCopies(rightSide, tile.depth, chunks, [&](Copy &copy) {
    copy.depth = copy.row;
    Value column = kernel.add(first, copy.column);
    if (!right.panelWidth && columnCount % tile.columns())
      copy.exists = kernel.isLess(column, columnCount);
    copy.base = kernel.add(batchOffset(right), column);
    copy.column = placeRightColumn(copy.row, copy.column);
  });
}

void SharedMemoryGemm::emitCopies(const Side &side, const OperandLayout &layout,
                                  Value shared, Value step, Value stage) {
  OpBuilder &ir = kernel.ir();
  for (const Copy &copy : side.copies) {
    Value depth = kernel.add(kernel.multiply(step, tile.depth), copy.depth);
    Value exists = copy.exists;
    if (depthCount % tile.depth) {
      Value isWithin = kernel.isLess(depth, depthCount);
      exists = exists
                   ? arith::AndIOp::create(ir, kernel.loc(), exists, isWithin)
                   : isWithin;
    }
    Value from = kernel.add(copy.base, depthOffset(layout, depth));
    auto emit = [&] {
      emitCopy(side, copy, shared, from, exists, stage);
      return SmallVector<Value>();
    };
    if (copy.isMine)
      kernel.branch(copy.isMine, {}, /*writes=*/false, emit,
                    [] { return SmallVector<Value>(); });
    else
      emit();
  }
}

/// Elements out of range become zeros without a read.
void SharedMemoryGemm::emitCopy(const Side &side, const Copy &copy,
                                Value shared, Value from, Value exists,
                                Value stage) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Value count;
  if (exists) {
    Value zero = kernel.constant(0);
    count = arith::SelectOp::create(ir, loc, exists,
                                    kernel.constant(side.chunk), zero);
    from = arith::SelectOp::create(ir, loc, exists, from, zero);
  }
  nvgpu::DeviceAsyncCopyOp::create(
      ir, loc, nvgpu::DeviceAsyncTokenType::get(ir.getContext()), shared,
      ValueRange{stage, copy.row, copy.column}, side.flat, ValueRange(from),
      ir.getIndexAttr(side.chunk), count,
      side.chunk > 1 ? ir.getUnitAttr() : UnitAttr());
}

/// Starts the copies for step `step`.
void SharedMemoryGemm::startStep(Value step) {
  Value stage = kernel.remainder(step, tile.stages);
  emitCopies(leftSide, left, leftShared, step, stage);
  emitCopies(rightSide, right, rightShared, step, stage);
}

Value SharedMemoryGemm::closeGroup() {
  return nvgpu::DeviceAsyncCreateGroupOp::create(
      kernel.ir(), kernel.loc(),
      nvgpu::DeviceAsyncTokenType::get(kernel.ir().getContext()), ValueRange());
}
