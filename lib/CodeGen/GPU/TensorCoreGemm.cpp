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
/// Words that a thread reads at once.
static constexpr int64_t wordsAtOnce = 2;
/// An eight of words: what four threads read at once of a row.
static constexpr int64_t eight = wordsAtOnce * threadsOfLine;
/// Rows that go through shared memory at once.
static constexpr int64_t finishedRows = 2 * productRows;
/// Shared memory has 32 banks and serves 16 threads at once if the pairs that
/// they read are in different banks.
static constexpr int64_t banks = 32;
/// Puts the rows of sums that four threads write 8 banks apart.
static constexpr int64_t sumPadding = 4;

/// `word` of a row of `rowWords`, with the eights in another order, which
/// depends on `number`.
static Value swapEights(KernelBuilder &kernel, Value word, Value number,
                        int64_t rowWords, int64_t wordSize) {
  int64_t eights = std::min(rowWords, banks) / eight;
  return arith::XOrIOp::create(
      kernel.ir(), kernel.loc(), word,
      kernel.multiply(kernel.remainder(number, eights), eight * wordSize));
}

/// Four neighboring rows have the same eight of the depth in different banks.
Value TensorCoreGemm::placeLeftColumn(Value row, Value column) {
  int64_t rowWords = tile.depth / packed();
  return swapEights(kernel, column, kernel.divide(row, banks / rowWords),
                    rowWords, packed());
}

/// The rows that four threads read have the same eight of the columns in
/// different banks.
Value TensorCoreGemm::placeRightColumn(Value row, Value column) {
  return swapEights(kernel, column, kernel.divide(row, rowsAtOnce()),
                    tile.columns() / packed(), packed());
}

int64_t TensorCoreGemm::rowsAtOnce() const { return wordsAtOnce * packed(); }

int64_t TensorCoreGemm::readColumns() const {
  return productColumns * packed();
}

int64_t TensorCoreGemm::productDepth() const {
  return depthEights() * eight * packed();
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
Value TensorCoreGemm::getPointer(Value buffer, Value element,
                                 int64_t elementBytes) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(ir, loc, buffer);
  Value address = kernel.add(base, kernel.multiply(element, elementBytes));
  auto type = LLVM::LLVMPointerType::get(
      ir.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  Value bits = arith::IndexCastOp::create(ir, loc, ir.getI64Type(), address);
  return LLVM::IntToPtrOp::create(ir, loc, type, bits);
}

/// Where the thread reads the left side at an eight of the depth.
Value TensorCoreGemm::getLeftPointer(Value stage, Value depth) {
  Value row = kernel.add(warpRow, group);
  Value column = placeLeftColumn(
      row, kernel.add(depth, kernel.multiply(member, rowsAtOnce())));
  Value first = kernel.multiply(stage, tile.blockRows());
  return getPointer(
      leftShared,
      kernel.add(kernel.multiply(kernel.add(first, row), leftPitch()), column),
      left.elementBytes());
}

/// The same for the right side, from `word` of the warp's columns on.
Value TensorCoreGemm::getRightPointer(Value stage, Value depth, int64_t word) {
  Value row = kernel.add(depth, kernel.multiply(member, rowsAtOnce()));
  Value own = kernel.add(kernel.multiply(group, wordsAtOnce), word);
  Value column = placeRightColumn(
      row, kernel.add(warpColumn, kernel.multiply(own, packed())));
  Value first = kernel.multiply(stage, tile.depth);
  return getPointer(
      rightShared,
      kernel.add(kernel.multiply(kernel.add(first, row), rightPitch()), column),
      right.elementBytes());
}

/// The pointer that is `words` further on.
static Value movePointer(KernelBuilder &kernel, Value pointer, int64_t words) {
  return LLVM::GEPOp::create(
      kernel.ir(), kernel.loc(), pointer.getType(), kernel.ir().getF32Type(),
      pointer, ArrayRef<LLVM::GEPArg>(static_cast<int32_t>(words)));
}

void TensorCoreGemm::loadPair(Value pointer, int64_t word,
                              SmallVectorImpl<Value> &words) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Type type = isStoredBF16() ? Type(ir.getI32Type()) : ir.getF32Type();
  Value pair = LLVM::LoadOp::create(ir, loc, VectorType::get(wordsAtOnce, type),
                                    movePointer(kernel, pointer, word),
                                    wordsAtOnce * CostModel::elementBytes);
  for (int64_t i = 0; i < wordsAtOnce; ++i)
    words.push_back(LLVM::ExtractElementOp::create(
        ir, loc, pair, arith::ConstantIntOp::create(ir, loc, i, 32)));
}

/// Reads what a thread has of both sides, for one depth of products: columns,
/// then rows.
SmallVector<Value> TensorCoreGemm::loadWords(Value stage, Value depth) {
  SmallVector<Value> words, leftPointers, rightPointers;
  for (int64_t i = 0; i < depthEights(); ++i)
    leftPointers.push_back(
        getLeftPointer(stage, kernel.add(depth, i * eight * packed())));
  // The order of eights repeats after two reads.
  constexpr int64_t readWords = 2 * eight;
  for (int64_t i = 0; i < 2; ++i)
    rightPointers.push_back(getRightPointer(stage, depth, i * readWords));
  int64_t rowWords = rightPitch() / packed();
  for (int64_t i = 0; i < tile.warpColumns / readColumns(); ++i)
    for (int64_t e = 0; e < depthEights(); ++e)
      for (int64_t k = 0; k < rowsAtOnce(); ++k)
        loadPair(rightPointers[i % 2],
                 (e * eight + k) * rowWords + i / 2 * 2 * readWords, words);
  for (int64_t r = 0; r < tile.rows; r += productRows)
    for (Value pointer : leftPointers)
      loadPair(pointer, r * leftPitch() / packed(), words);
  return words;
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
    fragment.numbers.push_back(
        arith::BitcastOp::create(ir, loc, ir.getI32Type(), number));
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

/// The word of two halves with that number, 0 or 1, of `low` and `high`.
Value TensorCoreGemm::interleave(Value low, Value high, int64_t half) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Value bits = arith::ConstantIntOp::create(ir, loc, 16, 32);
  Value lower = arith::ConstantIntOp::create(ir, loc, 0xffff, 32);
  Value upper = arith::ConstantIntOp::create(ir, loc, ~0xffff, 32);
  if (half == 0) {
    low = arith::AndIOp::create(ir, loc, low, lower);
    high = arith::ShLIOp::create(ir, loc, high, bits);
  } else {
    low = arith::ShRUIOp::create(ir, loc, low, bits);
    high = arith::AndIOp::create(ir, loc, high, upper);
  }
  return arith::OrIOp::create(ir, loc, low, high);
}

/// A row of the left side, or a column of words of the right one, in the order
/// of the registers.
TensorCoreGemm::Fragment TensorCoreGemm::makeFragment(ValueRange words) {
  Fragment fragment;
  for (; !words.empty(); words = words.drop_front(wordsAtOnce)) {
    if (isStoredBF16())
      llvm::append_range(fragment.numbers, words.take_front(wordsAtOnce));
    else if (isBF16())
      fragment.numbers.push_back(packBF16(words[0], words[1]));
    else
      for (Value word : words.take_front(wordsAtOnce))
        addNumber(fragment, word);
  }
  return fragment;
}

/// The fragments of what is read of rows of the right side. BF16 has two rows
/// in a register.
void TensorCoreGemm::addColumns(ValueRange words,
                                SmallVectorImpl<Fragment> &columns) {
  if (!isBF16()) {
    columns.push_back(makeFragment(words));
    return;
  }
  if (!isStoredBF16()) {
    Fragment &fragment = columns.emplace_back();
    for (; !words.empty(); words = words.drop_front(2 * wordsAtOnce))
      for (int64_t i = 0; i < wordsAtOnce; ++i)
        fragment.numbers.push_back(packBF16(words[i], words[wordsAtOnce + i]));
    return;
  }
  // A word has two neighboring columns of one product.
  for (int64_t word = 0; word < wordsAtOnce; ++word) {
    Fragment &fragment = columns.emplace_back();
    for (int64_t row = 0; row < rowsAtOnce(); row += 2)
      for (int64_t half = 0; half < 2; ++half)
        fragment.numbers.push_back(
            interleave(words[row * wordsAtOnce + word],
                       words[(row + 1) * wordsAtOnce + word], half));
  }
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

/// Adds the products of what `loadWords` has read.
void TensorCoreGemm::addWords(ValueRange words, MutableArrayRef<Value> sums) {
  int64_t ofRow = wordsAtOnce * depthEights();
  int64_t ofColumns = ofRow * rowsAtOnce();
  SmallVector<Fragment> columns;
  for (int64_t c = 0; c < tile.warpColumns; c += readColumns()) {
    addColumns(words.take_front(ofColumns), columns);
    words = words.drop_front(ofColumns);
  }
  for (int64_t r = 0; r < tile.rows; r += productRows) {
    Fragment row = makeFragment(words.take_front(ofRow));
    words = words.drop_front(ofRow);
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
                       addWords(loadWords(stage, depth), next);
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
  llvm::append_range(first, loadWords(zero, zero));
  SmallVector<Value> last = kernel.loop(
      zero, kernel.constant(steps), 1, first, /*writes=*/false,
      [&](Value step, ValueRange carried) {
        SmallVector<Value> sums(carried.take_front(sumCount()));
        SmallVector<Value> words(carried.drop_front(sumCount()));
        Value stage = kernel.remainder(step, tile.stages);
        for (int64_t depth = productDepth(); depth < tile.depth;
             depth += productDepth()) {
          SmallVector<Value> next = loadWords(stage, kernel.constant(depth));
          addWords(words, sums);
          words = next;
        }
        waitForCopies(ahead() - 2);
        startNext(step, steps);
        // After the last step, a stage that nobody writes or needs.
        Value nextStage = kernel.remainder(kernel.add(step, 1), tile.stages);
        SmallVector<Value> next = loadWords(nextStage, zero);
        addWords(words, sums);
        llvm::append_range(sums, next);
        return sums;
      });
  last.truncate(sumCount());
  return last;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// A buffer of stages as float32 in a row.
static Value flatten(KernelBuilder &kernel, Value buffer) {
  auto view = buffer.getDefiningOp<memref::ViewOp>();
  if (!view) {
    SmallVector<ReassociationIndices> all = {{0, 1, 2}};
    return memref::CollapseShapeOp::create(kernel.ir(), kernel.loc(), buffer,
                                           all);
  }
  MemRefType bytes = view.getSource().getType();
  auto type =
      MemRefType::get(bytes.getNumElements() / CostModel::elementBytes,
                      kernel.ir().getF32Type(), MemRefLayoutAttrInterface(),
                      bytes.getMemorySpace());
  return memref::ViewOp::create(kernel.ir(), kernel.loc(), type,
                                view.getSource(), kernel.constant(0),
                                ValueRange());
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
  Value buffer = flatten(kernel, isLeft ? leftShared : rightShared);
  int64_t elements = finishedRows * sumPitch();
  assert(tile.warps * elements <= countElements(buffer) &&
         "sums of a tile do not fit");
  Value first = kernel.multiply(warp, elements);
  Value own =
      kernel.add(kernel.multiply(kernel.multiply(member, 2), sumPitch()),
                 kernel.multiply(group, wordsAtOnce * packed()));
  Value pointer =
      getPointer(buffer, kernel.add(first, own), CostModel::elementBytes);
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
    Value pair =
        LLVM::PoisonOp::create(ir, loc, VectorType::get(2, ir.getF32Type()));
    pair = LLVM::InsertElementOp::create(ir, loc, pair, low, constant(0));
    pair = LLVM::InsertElementOp::create(ir, loc, pair, high, constant(1));
    LLVM::StoreOp::create(ir, loc, pair, movePointer(kernel, pointer, element),
                          2 * CostModel::elementBytes);
  };
  for (int64_t r = 0; r < finishedRows; r += productRows)
    for (int64_t c = 0; c < tile.warpColumns; c += productColumns) {
      // The columns of products that share reads are neighbors.
      int64_t column = llvm::alignDown(c, readColumns()) +
                       c % readColumns() / productColumns * 2;
      for (int64_t i = 0; i < 2; ++i)
        store(sums[i], sums[2 + i], (r + i) * sumPitch() + column);
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
