//===- TensorCoreGemm.cpp - Contractions of tensor cores --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments are per-thread values, unlike the vectors of all other code here.
// `nvvm.mma.sync` takes them as scalars, which SIMT distribution leaves alone.
// Finally the sums go through shared memory and come back as rows, for the
// epilogue.
//
//===----------------------------------------------------------------------===//

#include "TensorCoreGemm.h"
#include "CooperativeGroups.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace hamkaas;

/// Rows and columns of one product.
static constexpr int64_t productRows = 16, productColumns = 8;
/// Threads that hold a row of a product together.
static constexpr int64_t threadsOfRow = 4;
/// Sums of one product per thread: two neighbours in a row, and two in the row
/// eight below.
static constexpr int64_t sumsOfThread = 4;
static constexpr int64_t rowsBetween = 8;
/// Shared memory has 32 banks and serves a warp at once if its threads read
/// different banks. Rows are padded so that the eight rows, or four, of a
/// fragment are in different banks.
static constexpr int64_t sumPadding = 8;

int64_t TensorCoreGemm::leftPitch() const { return tile.depth + 4 * packed(); }

int64_t TensorCoreGemm::rightPitch() const {
  return tile.columns() + 8 / packed();
}

SmallVector<Value> TensorCoreGemm::makeSums() {
  placeThread();
  int64_t products =
      tile.rows / productRows * (tile.warpColumns / productColumns);
  return SmallVector<Value>(products * sumsOfThread, getStart());
}

void TensorCoreGemm::placeThread() {
  warpRow = kernel.multiply(kernel.divide(warp, tile.columnWarps), tile.rows);
  warpColumn = kernel.multiply(kernel.remainder(warp, tile.columnWarps),
                               tile.warpColumns);
  group = kernel.divide(lane, threadsOfRow);
  member = kernel.remainder(lane, threadsOfRow);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// 32 bits whose upper 19 are the number rounded to TF32.
Value TensorCoreGemm::toTF32(Value number) {
  OpBuilder &ir = kernel.ir();
  return NVVM::ConvertFloatToTF32Op::create(ir, kernel.loc(), ir.getI32Type(),
                                            number, NVVM::FPRoundingMode::RNA);
}

/// The exact difference of `number` and `rounded`. The lower bits of `rounded`
/// mean nothing.
Value TensorCoreGemm::getRest(Value number, Value rounded) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Value upper = arith::ConstantIntOp::create(ir, loc, ~0x1fff, 32);
  Value bits = arith::AndIOp::create(ir, loc, rounded, upper);
  Value large = arith::BitcastOp::create(ir, loc, ir.getF32Type(), bits);
  return arith::SubFOp::create(ir, loc, number, large);
}

/// Adds the register of the elements that `load` gives for the next places of
/// the depth.
void TensorCoreGemm::addRegister(Fragment &fragment, LoadElement load) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  if (isBF16()) {
    Value low = load(0), high = load(1);
    auto pair = VectorType::get(2, ir.getBF16Type());
    Value both = NVVM::ConvertF32x2ToBF16x2Op::create(ir, loc, pair, high, low,
                                                      /*random_bits=*/nullptr,
                                                      NVVM::FPRoundingMode::RN);
    fragment.numbers.push_back(
        LLVM::BitcastOp::create(ir, loc, ir.getI32Type(), both));
    return;
  }
  Value number = load(0);
  Value rounded = toTF32(number);
  fragment.numbers.push_back(rounded);
  if (isSplit())
    fragment.rests.push_back(toTF32(getRest(number, rounded)));
}

/// A thread has its row and the one eight rows below, at its place of the depth
/// and at the one four places further on.
TensorCoreGemm::Fragment TensorCoreGemm::loadLeft(Value stage, int64_t row,
                                                  int64_t depth) {
  Fragment fragment;
  Value first = kernel.add(kernel.add(warpRow, row), group);
  for (int64_t place : {int64_t(0), threadsOfRow})
    for (int64_t below : {int64_t(0), rowsBetween})
      addRegister(fragment, [&](int64_t next) -> Value {
        Value k = kernel.add(kernel.multiply(member, packed()),
                             depth + place * packed() + next);
        return memref::LoadOp::create(
            kernel.ir(), kernel.loc(), leftShared,
            ValueRange{stage, kernel.add(first, below), k});
      });
  return fragment;
}

TensorCoreGemm::Fragment TensorCoreGemm::loadRight(Value stage, int64_t column,
                                                   int64_t depth) {
  Fragment fragment;
  Value at = kernel.add(kernel.add(warpColumn, column), group);
  for (int64_t place : {int64_t(0), threadsOfRow})
    addRegister(fragment, [&](int64_t next) -> Value {
      Value k = kernel.add(kernel.multiply(member, packed()),
                           depth + place * packed() + next);
      return memref::LoadOp::create(kernel.ir(), kernel.loc(), rightShared,
                                    ValueRange{stage, k, at});
    });
  return fragment;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void TensorCoreGemm::addProduct(ArrayRef<Value> left, ArrayRef<Value> right,
                                MutableArrayRef<Value> sums) {
  OpBuilder &ir = kernel.ir();
  auto type = isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::tf32;
  auto result = LLVM::LLVMStructType::getLiteral(
      ir.getContext(), SmallVector<Type>(sumsOfThread, ir.getF32Type()));
  Value product = NVVM::MmaOp::create(
      ir, kernel.loc(), result, ValueRange(left), ValueRange(right),
      ValueRange(sums), {productRows, productColumns, productDepth()},
      /*b1Op=*/std::nullopt, /*intOverflow=*/std::nullopt,
      std::array{type, type},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (auto [i, sum] : llvm::enumerate(sums))
    sum = LLVM::ExtractValueOp::create(ir, kernel.loc(), product, i);
}

/// Tensor cores truncate what they add to a sum, so errors of one sign
/// accumulate along the depth, and small products lose most. The three products
/// of a split number therefore start from zero and are added in float32, the
/// smaller ones first. The product of both remainders is below the error of
/// float32.
void TensorCoreGemm::addProducts(const Fragment &left, const Fragment &right,
                                 MutableArrayRef<Value> sums) {
  if (!isSplit())
    return addProduct(left.numbers, right.numbers, sums);
  OpBuilder &ir = kernel.ir();
  Value zero =
      arith::ConstantOp::create(ir, kernel.loc(), ir.getF32FloatAttr(0));
  SmallVector<Value> products(sumsOfThread, zero);
  addProduct(left.rests, right.numbers, products);
  addProduct(left.numbers, right.rests, products);
  addProduct(left.numbers, right.numbers, products);
  for (auto [sum, product] : llvm::zip_equal(sums, products))
    sum = arith::AddFOp::create(ir, kernel.loc(), sum, product);
}

SmallVector<Value> TensorCoreGemm::multiply(Value stage, ValueRange sums) {
  SmallVector<Value> next(sums);
  for (int64_t depth = 0; depth < tile.depth; depth += productDepth()) {
    SmallVector<Fragment> columns;
    for (int64_t c = 0; c < tile.warpColumns; c += productColumns)
      columns.push_back(loadRight(stage, c, depth));
    MutableArrayRef<Value> rest = next;
    for (int64_t r = 0; r < tile.rows; r += productRows) {
      Fragment row = loadLeft(stage, r, depth);
      for (const Fragment &column : columns) {
        addProducts(row, column, rest.take_front(sumsOfThread));
        rest = rest.drop_front(sumsOfThread);
      }
    }
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// All elements of a buffer in a row.
static Value flatten(KernelBuilder &kernel, Value buffer) {
  SmallVector<ReassociationIndices> all = {{0, 1, 2}};
  return memref::CollapseShapeOp::create(kernel.ir(), kernel.loc(), buffer,
                                         all);
}

static int64_t countElements(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getNumElements();
}

/// Rows of one product after the other go through what held the operands.
void TensorCoreGemm::finish(ValueRange sums) {
  bool isLeft = countElements(leftShared) > countElements(rightShared);
  Value buffer = flatten(kernel, isLeft ? leftShared : rightShared);
  int64_t elements = productRows * (tile.warpColumns + sumPadding);
  assert(tile.warps * elements <= countElements(buffer) &&
         "sums of a tile do not fit");
  Value first = kernel.multiply(warp, elements);
  int64_t count = sumsOfThread * tile.warpColumns / productColumns;
  // Other warps may still read operands.
  blockBarrier(kernel);
  for (int64_t r = 0; r < tile.rows; r += productRows) {
    storeSums(sums.slice(r / productRows * count, count), buffer, first);
    Value all = arith::ConstantIntOp::create(kernel.ir(), kernel.loc(), -1, 32);
    NVVM::SyncWarpOp::create(kernel.ir(), kernel.loc(), all);
    finishRows(buffer, first, kernel.add(kernel.add(firstRow, warpRow), r));
  }
}

void TensorCoreGemm::storeSums(ValueRange sums, Value buffer, Value first) {
  OpBuilder &ir = kernel.ir();
  int64_t pitch = tile.warpColumns + sumPadding;
  Value own = kernel.add(kernel.add(first, kernel.multiply(group, pitch)),
                         kernel.multiply(member, 2));
  for (auto [i, sum] : llvm::enumerate(sums)) {
    int64_t column = int64_t(i) / sumsOfThread * productColumns + i % 2;
    int64_t row = int64_t(i) % sumsOfThread / 2 * rowsBetween;
    auto store = memref::StoreOp::create(
        ir, kernel.loc(), sum, buffer,
        ValueRange(kernel.add(own, row * pitch + column)));
    store->setAttr(HamKaasDialect::laneStoreAttrName, ir.getUnitAttr());
  }
}

/// Writes what exists of the rows from `row` on.
void TensorCoreGemm::finishRows(Value buffer, Value first, Value row) {
  int64_t pitch = tile.warpColumns + sumPadding;
  auto type = VectorType::get(warpSize, kernel.ir().getF32Type());
  int64_t rest = columnCount % warpSize;
  auto finishVector = [&](Value sumRow, int64_t v, Value at) {
    Value place = kernel.add(kernel.add(first, kernel.multiply(sumRow, pitch)),
                             v * warpSize);
    Value sums = vector::LoadOp::create(kernel.ir(), kernel.loc(), type, buffer,
                                        ValueRange(place));
    Value column =
        kernel.add(kernel.add(firstColumn, warpColumn), v * warpSize);
    auto whole = [&] { finishRow(sums, at, column, warpSize); };
    auto part = [&] { finishRow(sums, at, column, rest); };
    if (columnCount % tile.columns() == 0)
      return whole();
    kernel.writingBranch(kernel.isLess(column, columnCount - rest), whole, [&] {
      if (rest)
        kernel.writingBranch(kernel.isLess(column, columnCount), part, [] {});
    });
  };
  Value end = kernel.constant(productRows);
  kernel.writingLoop(kernel.constant(0), end, 1, [&](Value sumRow) {
    Value at = kernel.add(row, sumRow);
    auto write = [&] {
      for (int64_t v = 0; v < tile.warpColumns / warpSize; ++v)
        finishVector(sumRow, v, at);
    };
    if (rowCount % tile.blockRows() == 0)
      write();
    else
      kernel.writingBranch(kernel.isLess(at, rowCount), write, [] {});
  });
}
