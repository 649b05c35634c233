//===- TensorCoreGemm.cpp - Contractions of tensor cores --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments are per-thread values, unlike the vectors of all other code here.
// They are operations of the LLVM and NVVM dialects, which SIMT distribution
// leaves alone.
//
// The product is transposed: its rows are the columns of the right side. It may
// have the depth and these columns in any order, if both sides and the sums
// agree. So two neighbors in memory, which a thread reads at once, are
// neighboring registers of a fragment: along the depth of the left side, along
// the columns of the right side.
//
// Finally the sums go through shared memory and come back as rows, for the
// epilogue.
//
//===----------------------------------------------------------------------===//

#include "TensorCoreGemm.h"
#include "CooperativeGroups.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "WideLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace hamkaas;

/// Rows and columns of the result that one product has. The right side is the
/// first factor, which has more.
static constexpr int64_t productRows = 8, productColumns = 16;
/// Threads that hold a row of the left side, or a column of the right one.
static constexpr int64_t threadsOfLine = 4;
/// Sums of one product per thread: those of two neighboring columns, each with
/// two neighboring rows.
static constexpr int64_t sumsOfThread = 4;
/// Neighbors that a thread reads at once.
static constexpr int64_t numbersAtOnce = 2;
/// An eight of the depth: what four threads read at once of a row.
static constexpr int64_t depthEight = numbersAtOnce * threadsOfLine;
/// Rows that go through shared memory at once.
static constexpr int64_t finishedRows = 2 * productRows;
/// Shared memory has 32 banks and serves 16 threads at once if the pairs that
/// they read are in different banks.
static constexpr int64_t banks = 32;
/// Puts the rows of sums that four threads write 8 banks apart.
static constexpr int64_t sumPadding = 4;

/// Gives a thread two columns if the consumers of the sums read and write them
/// so.
void TensorCoreGemm::chooseLanes() {
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

bool TensorCoreGemm::match() {
  if (!SharedMemoryGemm::match())
    return false;
  chooseLanes();
  return true;
}

/// `column` with its eights in another order, which depends on `number`.
static Value swapEights(KernelBuilder &kernel, Value column, Value number,
                        int64_t eights) {
  return arith::XOrIOp::create(
      kernel.ir(), kernel.loc(), column,
      kernel.multiply(kernel.remainder(number, eights), depthEight));
}

/// Four neighboring rows have the same eight of the depth in different banks.
Value TensorCoreGemm::placeLeftColumn(Value row, Value column) {
  int64_t rowsOfBanks = banks / tile.depth;
  return swapEights(kernel, column, kernel.divide(row, rowsOfBanks),
                    tile.depth / depthEight);
}

/// Four rows at even distances have the same eight of the columns in different
/// banks.
Value TensorCoreGemm::placeRightColumn(Value row, Value column) {
  return swapEights(kernel, column, kernel.divide(row, numbersAtOnce),
                    banks / depthEight);
}

int64_t TensorCoreGemm::productDepth() const {
  return depthEights() * depthEight;
}

int64_t TensorCoreGemm::sumCount() const {
  return tile.rows / productRows * (tile.warpColumns / productColumns) *
         sumsOfThread;
}

SmallVector<Value> TensorCoreGemm::makeSums() {
  placeThread();
  return SmallVector<Value>(sumCount(), getStart());
}

void TensorCoreGemm::placeThread() {
  warpRow = kernel.multiply(kernel.divide(warp, tile.columnWarps), tile.rows);
  warpColumn = kernel.multiply(kernel.remainder(warp, tile.columnWarps),
                               tile.warpColumns);
  group = kernel.divide(lane, threadsOfLine);
  member = kernel.remainder(lane, threadsOfLine);
}

//===----------------------------------------------------------------------===//
// Fragments
//===----------------------------------------------------------------------===//

/// The address of an element of a buffer in shared memory.
Value TensorCoreGemm::getPointer(Value buffer, Value element) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(ir, loc, buffer);
  Value address =
      kernel.add(base, kernel.multiply(element, CostModel::elementBytes));
  auto type = LLVM::LLVMPointerType::get(
      ir.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  Value bits = arith::IndexCastOp::create(ir, loc, ir.getI64Type(), address);
  return LLVM::IntToPtrOp::create(ir, loc, type, bits);
}

/// Where the thread reads the left side at an eight of the depth.
Value TensorCoreGemm::getLeftPointer(Value stage, Value depth) {
  Value row = kernel.add(warpRow, group);
  Value column = placeLeftColumn(
      row, kernel.add(depth, kernel.multiply(member, numbersAtOnce)));
  Value first = kernel.multiply(stage, tile.blockRows());
  return getPointer(
      leftShared,
      kernel.add(kernel.multiply(kernel.add(first, row), leftPitch()), column));
}

/// The same for the right side and columns of one product.
Value TensorCoreGemm::getRightPointer(Value stage, Value depth,
                                      int64_t column) {
  Value row = kernel.add(depth, kernel.multiply(member, numbersAtOnce));
  Value own = kernel.add(kernel.multiply(group, numbersAtOnce), column);
  own = kernel.add(warpColumn, placeRightColumn(row, own));
  Value first = kernel.multiply(stage, tile.depth);
  return getPointer(
      rightShared,
      kernel.add(kernel.multiply(kernel.add(first, row), rightPitch()), own));
}

/// The pointer that is `elements` further on.
static Value movePointer(KernelBuilder &kernel, Value pointer,
                         int64_t elements) {
  return LLVM::GEPOp::create(
      kernel.ir(), kernel.loc(), pointer.getType(), kernel.ir().getF32Type(),
      pointer, ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(elements)));
}

void TensorCoreGemm::loadPair(Value pointer, int64_t element,
                              SmallVectorImpl<Value> &numbers) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Value pair = LLVM::LoadOp::create(
      ir, loc, VectorType::get(numbersAtOnce, ir.getF32Type()),
      movePointer(kernel, pointer, element),
      numbersAtOnce * CostModel::elementBytes);
  for (int64_t i = 0; i < numbersAtOnce; ++i)
    numbers.push_back(LLVM::ExtractElementOp::create(
        ir, loc, pair, arith::ConstantIntOp::create(ir, loc, i, 32)));
}

/// Reads what a thread has of both sides, for one depth of products: pairs of
/// columns, then rows.
SmallVector<Value> TensorCoreGemm::loadNumbers(Value stage, Value depth) {
  SmallVector<Value> numbers, leftPointers, rightPointers;
  for (int64_t eight = 0; eight < depthEights(); ++eight)
    leftPointers.push_back(
        getLeftPointer(stage, kernel.add(depth, eight * depthEight)));
  // The order of eights repeats after two products.
  for (int64_t column : {int64_t(0), productColumns})
    rightPointers.push_back(getRightPointer(stage, depth, column));
  for (int64_t c = 0; c < tile.warpColumns; c += productColumns)
    for (int64_t eight = 0; eight < depthEights(); ++eight)
      for (int64_t k = 0; k < numbersAtOnce; ++k)
        loadPair(rightPointers[c / productColumns % 2],
                 (eight * depthEight + k) * rightPitch() +
                     c / (2 * productColumns) * 2 * productColumns,
                 numbers);
  for (int64_t r = 0; r < tile.rows; r += productRows)
    for (Value pointer : leftPointers)
      loadPair(pointer, r * leftPitch(), numbers);
  return numbers;
}

Value TensorCoreGemm::packBF16(Value low, Value high) {
  OpBuilder &ir = kernel.ir();
  auto pair = VectorType::get(2, ir.getBF16Type());
  Value both = NVVM::ConvertF32x2ToBF16x2Op::create(
      ir, kernel.loc(), pair, high, low,
      /*random_bits=*/nullptr, NVVM::FPRoundingMode::RN);
  return LLVM::BitcastOp::create(ir, kernel.loc(), ir.getI32Type(), both);
}

/// Adds a TF32 number, in the upper 19 of 32 bits; tensor cores ignore the
/// others. For a split number, rounding need not care about NaN and infinity,
/// since the remainder of both is NaN.
void TensorCoreGemm::addNumber(Fragment &fragment, Value number) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  if (!isSplit()) {
    fragment.numbers.push_back(NVVM::ConvertFloatToTF32Op::create(
        ir, loc, ir.getI32Type(), number, NVVM::FPRoundingMode::RNA));
    return;
  }
  auto constant = [&](int64_t bits) {
    return arith::ConstantIntOp::create(ir, loc, bits, 32);
  };
  Value bits = arith::BitcastOp::create(ir, loc, ir.getI32Type(), number);
  Value sum = arith::AddIOp::create(ir, loc, bits, constant(0x1000));
  Value upper = arith::AndIOp::create(ir, loc, sum, constant(~0x1fff));
  Value large = arith::BitcastOp::create(ir, loc, ir.getF32Type(), upper);
  // Exact.
  Value rest = arith::SubFOp::create(ir, loc, number, large);
  fragment.numbers.push_back(upper);
  fragment.rests.push_back(
      arith::BitcastOp::create(ir, loc, ir.getI32Type(), rest));
}

/// The fragment of numbers in the order of its registers. Of BF16, two along
/// the depth are in one: neighbors of a row, or each number of a pair of
/// columns and that of the next pair.
TensorCoreGemm::Fragment TensorCoreGemm::makeFragment(ValueRange numbers) {
  Fragment fragment;
  if (!isBF16()) {
    for (Value number : numbers)
      addNumber(fragment, number);
    return fragment;
  }
  bool isRight = numbers.size() > 2 * numbersAtOnce;
  for (; !numbers.empty();
       numbers = numbers.drop_front((isRight ? 2 : 1) * numbersAtOnce)) {
    if (!isRight)
      fragment.numbers.push_back(packBF16(numbers[0], numbers[1]));
    else
      for (int64_t i = 0; i < numbersAtOnce; ++i)
        fragment.numbers.push_back(
            packBF16(numbers[i], numbers[numbersAtOnce + i]));
  }
  return fragment;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void TensorCoreGemm::addProduct(ArrayRef<Value> right, ArrayRef<Value> left,
                                MutableArrayRef<Value> sums) {
  OpBuilder &ir = kernel.ir();
  auto type = isBF16() ? NVVM::MMATypes::bf16 : NVVM::MMATypes::tf32;
  auto result = LLVM::LLVMStructType::getLiteral(
      ir.getContext(), SmallVector<Type>(sumsOfThread, ir.getF32Type()));
  Value product = NVVM::MmaOp::create(
      ir, kernel.loc(), result, ValueRange(right), ValueRange(left),
      ValueRange(sums), {productColumns, productRows, productDepth()},
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
void TensorCoreGemm::addProducts(const Fragment &right, const Fragment &left,
                                 MutableArrayRef<Value> sums) {
  if (!isSplit())
    return addProduct(right.numbers, left.numbers, sums);
  OpBuilder &ir = kernel.ir();
  Value zero =
      arith::ConstantOp::create(ir, kernel.loc(), ir.getF32FloatAttr(0));
  SmallVector<Value> products(sumsOfThread, zero);
  addProduct(right.rests, left.numbers, products);
  addProduct(right.numbers, left.rests, products);
  addProduct(right.numbers, left.numbers, products);
  for (auto [sum, product] : llvm::zip_equal(sums, products))
    sum = arith::AddFOp::create(ir, kernel.loc(), sum, product);
}

/// Adds the products of what `loadNumbers` has read.
void TensorCoreGemm::addNumbers(ValueRange numbers,
                                MutableArrayRef<Value> sums) {
  int64_t ofRow = numbersAtOnce * depthEights(), ofColumns = 2 * ofRow;
  SmallVector<Fragment> columns;
  for (int64_t c = 0; c < tile.warpColumns; c += productColumns) {
    columns.push_back(makeFragment(numbers.take_front(ofColumns)));
    numbers = numbers.drop_front(ofColumns);
  }
  for (int64_t r = 0; r < tile.rows; r += productRows) {
    Fragment row = makeFragment(numbers.take_front(ofRow));
    numbers = numbers.drop_front(ofRow);
    for (const Fragment &column : columns) {
      addProducts(column, row, sums.take_front(sumsOfThread));
      sums = sums.drop_front(sumsOfThread);
    }
  }
}

/// Split numbers fill the registers, and three products each hide the reads: no
/// number is read ahead. A loop keeps ptxas from splitting those of later
/// products early.
SmallVector<Value> TensorCoreGemm::multiply(Value stage, ValueRange sums) {
  return kernel.loop(kernel.constant(0), kernel.constant(tile.depth),
                     productDepth(), sums, /*writes=*/false,
                     [&](Value depth, ValueRange carried) {
                       SmallVector<Value> next(carried);
                       addNumbers(loadNumbers(stage, depth), next);
                       return next;
                     });
}

/// Reads the numbers of the next products before it adds the present ones, so
/// that tensor cores do not wait for shared memory. Where these are of the next
/// stage, the barrier is in between.
SmallVector<Value> TensorCoreGemm::addSteps(int64_t steps) {
  if (isSplit())
    return SharedMemoryGemm::addSteps(steps);
  assert(ahead() >= 2 && "expected to wait for the next stage");
  SmallVector<Value> first = makeSums();
  waitForCopies(ahead() - 1);
  Value zero = kernel.constant(0);
  llvm::append_range(first, loadNumbers(zero, zero));
  SmallVector<Value> last = kernel.loop(
      zero, kernel.constant(steps), 1, first, /*writes=*/false,
      [&](Value step, ValueRange carried) {
        SmallVector<Value> sums(carried.take_front(sumCount()));
        SmallVector<Value> numbers(carried.drop_front(sumCount()));
        Value stage = kernel.remainder(step, tile.stages);
        for (int64_t depth = productDepth(); depth < tile.depth;
             depth += productDepth()) {
          SmallVector<Value> next = loadNumbers(stage, kernel.constant(depth));
          addNumbers(numbers, sums);
          numbers = next;
        }
        waitForCopies(ahead() - 2);
        startNext(step, steps);
        // After the last step, a stage that nobody writes or needs.
        Value nextStage = kernel.remainder(kernel.add(step, 1), tile.stages);
        SmallVector<Value> next = loadNumbers(nextStage, zero);
        addNumbers(numbers, sums);
        llvm::append_range(sums, next);
        return sums;
      });
  last.truncate(sumCount());
  return last;
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

int64_t TensorCoreGemm::sumPitch() const {
  return tile.warpColumns + sumPadding;
}

void TensorCoreGemm::syncWarp() {
  Value all = arith::ConstantIntOp::create(kernel.ir(), kernel.loc(), -1, 32);
  NVVM::SyncWarpOp::create(kernel.ir(), kernel.loc(), all);
}

/// Some rows after the other go through what held the operands.
void TensorCoreGemm::finish(ValueRange sums) {
  bool isLeft = countElements(leftShared) > countElements(rightShared);
  Value shared = isLeft ? leftShared : rightShared;
  Value buffer = flatten(kernel, shared);
  int64_t elements = finishedRows * sumPitch();
  assert(tile.warps * elements <= countElements(buffer) &&
         "sums of a tile do not fit");
  Value first = kernel.multiply(warp, elements);
  Value own =
      kernel.add(kernel.multiply(kernel.multiply(member, 2), sumPitch()),
                 kernel.multiply(group, numbersAtOnce));
  Value pointer = getPointer(shared, kernel.add(first, own));
  int64_t count = sums.size() / (tile.rows / finishedRows);
  // Other warps may still read operands.
  blockBarrier(kernel);
  for (int64_t r = 0; r < tile.rows; r += finishedRows) {
    // AccessOrder ignores the stores, which are operations of LLVM.
    if (r > 0)
      syncWarp();
    storeSums(sums.slice(r / finishedRows * count, count), pointer);
    syncWarp();
    finishRows(buffer, first, kernel.add(kernel.add(firstRow, warpRow), r));
  }
}

/// Of each product, a thread has two neighbors of two rows.
void TensorCoreGemm::storeSums(ValueRange sums, Value pointer) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto constant = [&](int64_t i) {
    return arith::ConstantIntOp::create(ir, loc, i, 32);
  };
  auto store = [&](Value low, Value high, int64_t element) {
    Value pair = LLVM::PoisonOp::create(
        ir, loc, VectorType::get(numbersAtOnce, ir.getF32Type()));
    pair = LLVM::InsertElementOp::create(ir, loc, pair, low, constant(0));
    pair = LLVM::InsertElementOp::create(ir, loc, pair, high, constant(1));
    LLVM::StoreOp::create(ir, loc, pair, movePointer(kernel, pointer, element),
                          numbersAtOnce * CostModel::elementBytes);
  };
  for (int64_t r = 0; r < finishedRows; r += productRows)
    for (int64_t c = 0; c < tile.warpColumns; c += productColumns) {
      for (int64_t i = 0; i < 2; ++i)
        store(sums[i], sums[2 + i], (r + i) * sumPitch() + c);
      sums = sums.drop_front(sumsOfThread);
    }
}

/// Writes what exists of the rows from `row` on.
void TensorCoreGemm::finishRows(Value buffer, Value first, Value row) {
  auto type = VectorType::get(lanes, kernel.ir().getF32Type());
  int64_t rest = columnCount % lanes;
  auto finishVector = [&](Value sumRow, int64_t v, Value at) {
    Value place = kernel.add(
        kernel.add(first, kernel.multiply(sumRow, sumPitch())), v * lanes);
    Value sums = vector::LoadOp::create(kernel.ir(), kernel.loc(), type, buffer,
                                        ValueRange(place));
    Value column = kernel.add(kernel.add(firstColumn, warpColumn), v * lanes);
    auto whole = [&] { finishRow(sums, at, column, lanes); };
    auto part = [&] { finishRow(sums, at, column, rest); };
    if (columnCount % tile.columns() == 0)
      return whole();
    kernel.writingBranch(kernel.isLess(column, columnCount - rest), whole, [&] {
      if (rest)
        kernel.writingBranch(kernel.isLess(column, columnCount), part, [] {});
    });
  };
  Value end = kernel.constant(finishedRows);
  kernel.writingLoop(kernel.constant(0), end, 1, [&](Value sumRow) {
    Value at = kernel.add(row, sumRow);
    auto write = [&] {
      for (int64_t v = 0; v < tile.warpColumns / lanes; ++v)
        finishVector(sumRow, v, at);
    };
    if (rowCount % tile.blockRows() == 0)
      write();
    else
      kernel.writingBranch(kernel.isLess(at, rowCount), write, [] {});
  });
}
