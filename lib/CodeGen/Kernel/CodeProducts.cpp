//===- CodeProducts.cpp - Products of codes by integers ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace hamkaas;

/// Codes of a column that a word has.
static constexpr int64_t wordRows = 4;

CodeProducts::CodeProducts(KernelBuilder &kernel, DequantizeRowsOp left,
                           DequantizePanelsOp right, int64_t lanes)
    : kernel(kernel), left(left), right(right), panels(kernel, right, lanes),
      products(kernel, lanes), lanes(lanes), step(left.getStep()),
      bits(right.getBits()), block(right.getBlock()) {}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<CodeProducts::Chunk> CodeProducts::listChunks() const {
  int64_t part = std::min(step, panels.getPartRows());
  SmallVector<Chunk> chunks;
  for (int64_t row = 0; row < std::max(panels.getUnit(), step); row += step) {
    Chunk chunk{row, {}};
    for (int64_t first = row; first < row + step; first += part)
      chunk.parts.push_back({first, part});
    chunks.push_back(std::move(chunk));
  }
  return chunks;
}

SmallVector<Value> CodeProducts::add(ValueRange rows,
                                     ArrayRef<CodePanels::Place> places,
                                     ValueRange sums) {
  auto withDotProducts = [&] {
    usesDotProducts = true;
    SmallVector<Value> next = addUnits(rows, places, sums);
    usesDotProducts = false;
    return next;
  };
  return products.choose(sums.getTypes(), /*writes=*/false, withDotProducts,
                         [&] { return addUnits(rows, places, sums); });
}

/// With AVX-512, a line of codes takes so few instructions that the core waits
/// for memory, and prefetching every line delays the hardware prefetcher. Codes
/// of 6 bits and AVX2 take more instructions a line, and are faster if all are
/// prefetched (Zen 4; docs/CPUKernels.md).
bool CodeProducts::prefetchesSparsely() {
  return !kernel.target().hasFewRegisters() && bits != 6;
}

SmallVector<Value> CodeProducts::addUnits(ValueRange rows,
                                          ArrayRef<CodePanels::Place> places,
                                          ValueRange sums) {
  int64_t unit = std::max(panels.getUnit(), step);
  int64_t depth = left.getType().getDimSize(1);
  if (left.getType().getDimSize(0) == 1)
    panels.prefetchAhead(places.size(), prefetchesSparsely());
  return kernel.loop(kernel.constant(0), kernel.constant(depth / unit), 1, sums,
                     /*writes=*/false, [&](Value number, ValueRange carried) {
                       SmallVector<Value> next(carried);
                       for (const Chunk &chunk : listChunks())
                         addChunk(chunk, kernel.multiply(number, unit), rows,
                                  places, next);
                       return next;
                     });
}

void CodeProducts::addChunk(const Chunk &chunk, Value unit, ValueRange rows,
                            ArrayRef<CodePanels::Place> places,
                            MutableArrayRef<Value> sums) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto floats = VectorType::get(lanes, ir.getF32Type());
  Value depth = kernel.add(unit, chunk.row);
  SmallVector<Value> scales, codeSums, scaledSums;
  for (Value row : rows) {
    scales.push_back(
        loadLeft(left.getScales(), row, kernel.divide(depth, left.getBlock())));
    codeSums.push_back(
        loadLeft(left.getSums(), row, kernel.divide(depth, step)));
    if (right.getOffsets())
      scaledSums.push_back(arith::MulFOp::create(
          ir, loc, scales.back(),
          arith::SIToFPOp::create(ir, loc, floats, codeSums.back())));
  }
  // Beside accumulators, registers hold the codes of both sides. 12 of 16
  // accumulators are slower for codes of 4 bits, and no faster for 8.
  int64_t count = places.size(), rowCount = rows.size();
  int64_t accumulators = kernel.target().registers / (rowCount == 1 ? 4 : 2);
  int64_t group = std::max<int64_t>(1, accumulators / rowCount);
  for (int64_t first = 0; first < count; first += group) {
    ArrayRef<CodePanels::Place> here =
        places.slice(first, std::min(group, count - first));
    SmallVector<Value> codeProducts = multiply(chunk, unit, rows, here);
    for (auto [v, place] : llvm::enumerate(here)) {
      CodePanels::Factors factors =
          panels.loadFactors(kernel.divide(depth, block), place);
      for (int64_t r = 0; r < rowCount; ++r) {
        Value product = codeProducts[r * here.size() + v];
        if (getZero() != 0)
          product = arith::SubIOp::create(
              ir, loc, product,
              arith::MulIOp::create(ir, loc, codeSums[r], words(getZero())));
        Value scale = arith::MulFOp::create(ir, loc, factors.scale, scales[r]);
        Value number = arith::SIToFPOp::create(ir, loc, floats, product);
        Value &sum = sums[r * count + first + v];
        sum = kernel.multiplyAdd(number, scale, sum);
        if (right.getOffsets())
          sum = kernel.multiplyAdd(factors.offset, scaledSums[r], sum);
      }
    }
  }
}

/// The sums of the products of codes in a chunk, row by row.
SmallVector<Value> CodeProducts::multiply(const Chunk &chunk, Value unit,
                                          ValueRange rows,
                                          ArrayRef<CodePanels::Place> places) {
  SmallVector<Value> sums;
  int64_t count = chunk.parts.front().rows / wordRows;
  if (rows.size() == 1) {
    // The next codes are loaded while these are multiplied.
    for (int64_t w = 0; w < count; ++w)
      sums = multiplyWords(chunk, unit, kernel.constant(w), rows, places, sums);
  } else {
    // Unrolled, LLVM would load all codes first and spill them.
    sums.assign(rows.size() * places.size(), addsBytes() ? pairs(0) : words(0));
    sums = kernel.loop(kernel.constant(0), kernel.constant(count), 1, sums,
                       /*writes=*/false, [&](Value word, ValueRange carried) {
                         return multiplyWords(chunk, unit, word, rows, places,
                                              carried);
                       });
  }
  if (!addsBytes())
    return sums;
  for (Value &sum : sums)
    sum = products.multiplyPairs(sum, pairs(1));
  return sums;
}

/// `sums`, which may be empty, with the products of word `index` of each part
/// of a chunk added.
SmallVector<Value>
CodeProducts::multiplyWords(const Chunk &chunk, Value unit, Value index,
                            ValueRange rows, ArrayRef<CodePanels::Place> places,
                            ValueRange sums) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  // Two products of magnitudes of at most 128 and 127 have 16 bits, too.
  bool movesSigns = bits == 8 && lanes == 8 && !usesDotProducts;
  bool isUnsigned = bits != 8;
  bool splits = lanes < 8 || (bits == 8 && !movesSigns && !usesDotProducts);
  SmallVector<Value> next(sums);
  next.resize(rows.size() * places.size());
  // 16 bits hold the sums of 4 products with codes of 6 bits: those of a word
  // of one part, and of a word of the next.
  bool addsParts = bits == 6 && rows.size() == 1 && !usesDotProducts;
  SmallVector<Value> firsts(next.size());
  for (Words part : chunk.parts) {
    Value depth = kernel.add(kernel.add(unit, part.row),
                             kernel.multiply(index, wordRows));
    SmallVector<Value> leftWords;
    for (Value row : rows)
      leftWords.push_back(loadLeftWord(row, depth));
    for (auto [v, place] : llvm::enumerate(places)) {
      Value codes = panels.loadCodes(unit, part.row, index, place);
      Value even, odd, magnitudes;
      if (usesDotProducts) {
        if (!isUnsigned)
          codes = arith::XOrIOp::create(ir, loc, codes, words(0x80808080));
      } else if (movesSigns) {
        magnitudes = getMagnitudes(codes);
      } else if (splits) {
        even = products.splitPairs(codes, /*isOdd=*/false, isUnsigned);
        odd = products.splitPairs(codes, /*isOdd=*/true, isUnsigned);
      }
      for (auto [r, word] : llvm::enumerate(leftWords)) {
        Value &sum = next[r * places.size() + v];
        if (usesDotProducts) {
          sum = products.addBytes(sum ? sum : words(0), codes, word);
          continue;
        }
        Value product;
        if (addsBytes()) {
          product = products.multiplyBytes(codes, word);
        } else if (movesSigns) {
          product = products.multiplyPairs(
              products.multiplyBytes(magnitudes, moveSigns(codes, word)),
              pairs(1));
        } else if (!splits) {
          product = products.multiplyBytes(codes, word);
          if (Value &first = firsts[r * places.size() + v]) {
            product = arith::AddIOp::create(ir, loc, first, product);
            first = {};
          } else if (addsParts) {
            first = product;
            continue;
          }
          product = products.multiplyPairs(product, pairs(1));
        } else {
          Value first = products.multiplyPairs(
              even, products.splitPairs(word, false, false));
          Value second = products.multiplyPairs(
              odd, products.splitPairs(word, true, false));
          product = arith::AddIOp::create(ir, loc, first, second);
        }
        sum = sum ? arith::AddIOp::create(ir, loc, sum, product).getResult()
                  : product;
      }
    }
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Value CodeProducts::words(int64_t value) {
  return arith::ConstantOp::create(
      kernel.ir(), kernel.loc(),
      SplatElementsAttr::get(products.vectorOf(32, lanes),
                             kernel.ir().getI32IntegerAttr(value)));
}

Value CodeProducts::pairs(int64_t value) {
  return arith::ConstantOp::create(
      kernel.ir(), kernel.loc(),
      SplatElementsAttr::get(products.vectorOf(16, lanes * 2),
                             kernel.ir().getI16IntegerAttr(value)));
}

/// Codes of 4 rows of the depth, in all lanes.
Value CodeProducts::loadLeftWord(Value row, Value depth) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  int64_t size = left.getType().getDimSize(1);
  Value linear = kernel.add(kernel.multiply(row, size), depth);
  Value bytes = vector::LoadOp::create(ir, loc, products.vectorOf(8, wordRows),
                                       kernel.flatBuffer(left.getCodes()),
                                       ValueRange{linear});
  Value word = vector::ExtractOp::create(
      ir, loc,
      vector::BitCastOp::create(ir, loc, products.vectorOf(32, 1), bytes),
      ArrayRef<int64_t>{0});
  return kernel.broadcast(word, lanes);
}

/// An element of a row, in all lanes.
Value CodeProducts::loadLeft(Value tensor, Value row, Value column) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Value linear = kernel.add(kernel.multiply(row, type.getDimSize(1)), column);
  Value vector = vector::LoadOp::create(
      kernel.ir(), kernel.loc(), VectorType::get(1, type.getElementType()),
      kernel.flatBuffer(tensor), ValueRange{linear});
  Value element = vector::ExtractOp::create(kernel.ir(), kernel.loc(), vector,
                                            ArrayRef<int64_t>{0});
  return kernel.broadcast(element, lanes);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

int64_t CodeProducts::getZero() {
  constexpr int64_t half = 128;
  return right.getZero() + (usesDotProducts && bits == 8 ? half : 0);
}

/// The magnitudes of signed bytes, as unsigned ones.
Value CodeProducts::getMagnitudes(Value words) {
  OpBuilder &ir = kernel.ir();
  Value bytes = products.toBytes(words);
  Value zero = arith::ConstantOp::create(ir, kernel.loc(),
                                         ir.getZeroAttr(bytes.getType()));
  Value negated = arith::SubIOp::create(ir, kernel.loc(), zero, bytes);
  return arith::MaxSIOp::create(ir, kernel.loc(), bytes, negated);
}

/// The bytes `words` with the signs of `signs` in addition.
Value CodeProducts::moveSigns(Value signs, Value words) {
  return products.call("llvm.x86.avx2.psign.b", products.vectorOf(8, lanes * 4),
                       {products.toBytes(words), products.toBytes(signs)});
}
