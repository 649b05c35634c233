//===- SimtGemm.cpp - Contractions in float32 -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element is the sum of its products in the order of the depth, by FMA. If
// warps split the depth, it is the sum of their sums.
//
// Sums are per-thread values, as in TensorCoreGemm. Finally they go through
// shared memory and come back as rows, for the epilogue.
//
//===----------------------------------------------------------------------===//

#include "SimtGemm.h"
#include "CooperativeGroups.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Numbers that a thread reads from shared memory at once: of neighbours along
/// the depth on the left, of columns on the right.
static constexpr int64_t readNumbers = 4;
/// Copies of a side that a thread has registers for, beside its sums.
static constexpr int64_t maxCopies = 8;
/// The threads of a warp, in rows and columns.
static constexpr int64_t rowThreads = 4, columnThreads = 8;
/// Shared memory has 32 banks and serves the threads of a quarter of a warp at
/// once if they read different banks. Rows are padded so that rows of
/// neighbouring threads are in different banks.
static constexpr int64_t leftPadding = 4, sumPadding = 16;

int64_t SimtGemm::leftPitch() const { return tile.depth + leftPadding; }

int64_t SimtGemm::rightPitch() const { return tile.columns(); }

int64_t SimtGemm::threadRows() const { return tile.rows / rowThreads; }

int64_t SimtGemm::threadGroups() const {
  return tile.warpColumns / (columnThreads * readNumbers);
}

/// Copies of single elements are many, and each has an address in registers, so
/// their stages are less deep.
bool SimtGemm::match() {
  if (!SharedMemoryGemm::match())
    return false;
  while (copiesOfThread() > maxCopies &&
         tile.depth > tile.depthWarps * readNumbers)
    tile.depth /= 2;
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The hardware serves half a warp at once if neighbours, or threads two apart,
/// read the same four numbers. So the lowest bit of a thread's number chooses
/// columns only, and the next one rows only.
void SimtGemm::placeThread() {
  Value bits = lane;
  auto takeBits = [&](int64_t count) {
    Value taken = kernel.remainder(bits, count);
    bits = kernel.divide(bits, count);
    return taken;
  };
  threadColumn = takeBits(2);
  threadRow = takeBits(2);
  threadColumn =
      kernel.add(threadColumn, kernel.multiply(takeBits(columnThreads / 2), 2));
  threadRow = kernel.add(threadRow, kernel.multiply(bits, 2));
  threadColumn = kernel.multiply(threadColumn, readNumbers);

  int64_t together = tile.warps / tile.depthWarps;
  part = kernel.divide(warp, together);
  warpDepth = kernel.multiply(part, tile.depth / tile.depthWarps);
  Value number = kernel.remainder(warp, together);
  warpRow = kernel.multiply(kernel.divide(number, tile.columnWarps), tile.rows);
  warpColumn = kernel.multiply(kernel.remainder(number, tile.columnWarps),
                               tile.warpColumns);
}

/// The first part of the depth begins with the start value.
SmallVector<Value> SimtGemm::makeSums() {
  placeThread();
  Value start = getStart();
  if (tile.depthWarps > 1) {
    OpBuilder &ir = kernel.ir();
    Value zero =
        arith::ConstantOp::create(ir, kernel.loc(), ir.getF32FloatAttr(0));
    start = arith::SelectOp::create(ir, kernel.loc(),
                                    isWarpNumber(kernel, part, 0), start, zero);
  }
  return SmallVector<Value>(threadRows() * threadGroups() * readNumbers, start);
}

SmallVector<Value> SimtGemm::loadFour(Value from, Value stage, Value row,
                                      Value column) {
  SmallVector<Value> numbers;
  for (int64_t i = 0; i < readNumbers; ++i)
    numbers.push_back(
        memref::LoadOp::create(kernel.ir(), kernel.loc(), from,
                               ValueRange{stage, row, kernel.add(column, i)}));
  return numbers;
}

/// Each product shares a factor with the one before, two by two: the register
/// file has two banks, and does not read a factor that is used again.
SmallVector<Value> SimtGemm::multiply(Value stage, ValueRange sums) {
  SmallVector<Value> next(sums);
  Value ownRow = kernel.add(warpRow, threadRow);
  Value ownColumn = kernel.add(warpColumn, threadColumn);
  for (int64_t depth = 0; depth < tile.depth / tile.depthWarps;
       depth += readNumbers) {
    Value first = kernel.add(warpDepth, depth);
    SmallVector<SmallVector<Value>> rows;
    for (int64_t r = 0; r < threadRows(); ++r)
      rows.push_back(loadFour(leftShared, stage,
                              kernel.add(ownRow, r * rowThreads), first));
    for (int64_t k = 0; k < readNumbers; ++k) {
      SmallVector<Value> columns;
      for (int64_t g = 0; g < threadGroups(); ++g)
        columns.append(
            loadFour(rightShared, stage, kernel.add(first, k),
                     kernel.add(ownColumn, g * columnThreads * readNumbers)));
      auto addProduct = [&](int64_t r, int64_t c) {
        Value &sum = next[r * columns.size() + c];
        sum = math::FmaOp::create(kernel.ir(), kernel.loc(), rows[r][k],
                                  columns[c], sum);
      };
      for (int64_t r = 0; r < threadRows(); r += 2)
        for (int64_t c = 0, e = columns.size(); c < e; c += 2) {
          addProduct(r, c);
          addProduct(r + 1, c);
          addProduct(r + 1, c + 1);
          addProduct(r, c + 1);
        }
    }
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static int64_t countElements(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getNumElements();
}

/// The memory of an operand takes the sums, of as many rows as fit.
void SimtGemm::chooseRound() {
  Value larger = countElements(leftShared) > countElements(rightShared)
                     ? leftShared
                     : rightShared;
  int64_t pitch = tile.warpColumns + sumPadding;
  auto needed = [&] { return tile.warps * roundRows * rowThreads * pitch; };
  roundRows = threadRows();
  while (roundRows > 1 && needed() > countElements(larger))
    roundRows /= 2;
  assert(needed() <= countElements(larger) && "sums of a tile do not fit");
  assert(roundRows * rowThreads % tile.depthWarps == 0 &&
         "expected rows for all warps");
  SmallVector<ReassociationIndices> all = {{0, 1, 2}};
  buffer =
      memref::CollapseShapeOp::create(kernel.ir(), kernel.loc(), larger, all);
}

void SimtGemm::finish(ValueRange sums) {
  assert((tile.depthWarps == 1 || tile.columnWarps == 1) &&
         "expected all warps that share sums to have the same columns");
  chooseRound();
  int64_t rest = columnCount % tile.warpColumns;
  int64_t end = columnCount - rest;
  Value column = kernel.add(firstColumn, warpColumn);
  auto full = [&] { finishColumns(sums, tile.warpColumns); };
  auto last = [&] {
    if (rest)
      finishColumns(sums, rest);
  };
  // Other warps may still read operands.
  blockBarrier(kernel);
  if (columnCount % tile.columns() == 0)
    full();
  else if (tile.columnWarps == 1 && !end)
    last();
  else
    kernel.writingBranch(kernel.isLess(column, end), full, [&] {
      if (tile.columnWarps == 1)
        last();
      else
        kernel.writingBranch(kernel.isLess(column, columnCount), last, [] {});
    });
}

/// Blocks of which all rows exist are the usual case, without branches.
void SimtGemm::finishColumns(ValueRange sums, int64_t columns) {
  auto whole = [&] { finishBlock(sums, columns, /*hasAllRows=*/true); };
  auto part = [&] { finishBlock(sums, columns, /*hasAllRows=*/false); };
  if (rowCount % tile.blockRows() == 0)
    whole();
  else if (rowCount < tile.blockRows())
    part();
  else
    kernel.writingBranch(
        kernel.isLess(firstRow, rowCount - tile.blockRows() + 1), whole, part);
}

void SimtGemm::finishBlock(ValueRange sums, int64_t columns, bool hasAllRows) {
  int64_t count = roundRows * threadGroups() * readNumbers;
  Value allLanes =
      arith::ConstantIntOp::create(kernel.ir(), kernel.loc(), -1, 32);
  for (int64_t r = 0; r < threadRows(); r += roundRows) {
    // Other warps may still read the sums of the last round.
    if (r > 0 && tile.depthWarps > 1)
      blockBarrier(kernel);
    storeSums(sums.slice(r / roundRows * count, count));
    if (tile.depthWarps > 1)
      blockBarrier(kernel);
    else
      NVVM::SyncWarpOp::create(kernel.ir(), kernel.loc(), allLanes);
    finishRows(r, columns, hasAllRows);
  }
}

void SimtGemm::storeSums(ValueRange sums) {
  OpBuilder &ir = kernel.ir();
  int64_t pitch = tile.warpColumns + sumPadding;
  Value own = kernel.add(
      kernel.add(kernel.multiply(warp, roundRows * rowThreads * pitch),
                 kernel.multiply(threadRow, pitch)),
      threadColumn);
  int64_t columns = threadGroups() * readNumbers;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    int64_t row = int64_t(i) / columns * rowThreads;
    int64_t group = int64_t(i) % columns / readNumbers;
    int64_t column = group * columnThreads * readNumbers + i % readNumbers;
    auto store = memref::StoreOp::create(
        ir, kernel.loc(), sum, buffer,
        ValueRange(kernel.add(own, row * pitch + column)));
    store->setAttr(HamKaasDialect::laneStoreAttrName, ir.getUnitAttr());
  }
}

/// The sums of a vector over all parts of the depth; `at` is the place of the
/// first.
Value SimtGemm::addParts(Value at) {
  OpBuilder &ir = kernel.ir();
  int64_t pitch = tile.warpColumns + sumPadding;
  int64_t distance =
      tile.warps / tile.depthWarps * roundRows * rowThreads * pitch;
  auto type = VectorType::get(lanes, ir.getF32Type());
  Value total;
  for (int64_t p = 0; p < tile.depthWarps; ++p) {
    Value sum =
        vector::LoadOp::create(ir, kernel.loc(), type, buffer,
                               ValueRange(kernel.add(at, p * distance)));
    total = total ? arith::AddFOp::create(ir, kernel.loc(), total, sum) : sum;
  }
  return total;
}

/// Writes what exists of the rows of a round. Warps that split the depth share
/// them.
void SimtGemm::finishRows(int64_t firstThreadRow, int64_t columns,
                          bool hasAllRows) {
  int64_t pitch = tile.warpColumns + sumPadding;
  int64_t rows = roundRows * rowThreads / tile.depthWarps;
  Value number = kernel.remainder(warp, tile.warps / tile.depthWarps);
  Value sums = kernel.multiply(number, roundRows * rowThreads * pitch);
  Value firstOfRound = kernel.multiply(part, rows);
  Value first =
      kernel.add(kernel.add(firstRow, warpRow), firstThreadRow * rowThreads);
  auto finish = [&](Value r) {
    Value ofRound = kernel.add(firstOfRound, r);
    Value at = kernel.add(sums, kernel.multiply(ofRound, pitch));
    Value row = kernel.add(first, ofRound);
    if (hasAllRows)
      return finishVectors(at, row, columns);
    kernel.writingBranch(
        kernel.isLess(row, rowCount), [&] { finishVectors(at, row, columns); },
        [] {});
  };
  // NOTE: the time to bufferize is exponential in the number of branches that
  // write one after the other.
  if (!hasAllRows)
    return kernel.writingLoop(kernel.constant(0), kernel.constant(rows), 1,
                              finish);
  for (int64_t r = 0; r < rows; ++r)
    finish(kernel.constant(r));
}

/// Writes what exists of a row. The warp has the first `columns` columns.
void SimtGemm::finishVectors(Value at, Value row, int64_t columns) {
  Value column = kernel.add(firstColumn, warpColumn);
  for (int64_t v = 0; v < columns; v += lanes)
    finishRow(addParts(kernel.add(at, v)), row, kernel.add(column, v),
              std::min(columns - v, lanes));
}
