//===- CodePanels.cpp - Right sides of few bits -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodePanels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

/// Words between two that are prefetched, if not all are.
static constexpr int64_t sparseDistance = 4;

CodePanels::CodePanels(KernelBuilder &kernel, DequantizePanelsOp op,
                       int64_t lanes)
    : kernel(kernel), op(op), lanes(lanes),
      width(op.getScales().getType().getDimSize(2)), bits(op.getBits()),
      span(op.getSpan()), block(op.getBlock()), zero(op.getZero()),
      // A float32 has room for the 11 bits of a float16 and the 8 of a code, or
      // the 7 of an integer scale and the 6 of a code.
      areProductsExact(!op.getScales().getType().getElementType().isF32()) {}

int64_t CodePanels::getMaxVectors() const {
  // Each has a sum, a word of codes, a scale and an offset.
  return kernel.target().registers / 4;
}

int64_t CodePanels::getPartRows() const {
  return bits == 4 ? span / 2 : bits == 6 ? span / 4 : getUnit();
}

CodePanels::Part CodePanels::getPart(int64_t row) const {
  if (bits == 8)
    return {row / 4, false, 0, 0};
  int64_t first = row / span * (span * bits / 32);
  bool isUpperHalf = row % span >= span / 2;
  int64_t word = first + row % (span / 2) / 4;
  return {word, isUpperHalf, first + span / 8, row % span / 8 * 2};
}

SmallVector<CodePanels::Run> CodePanels::listRuns() const {
  int64_t rows = std::min(block, getPartRows());
  SmallVector<Run> runs;
  for (int64_t first = 0; first < getUnit(); first += rows)
    runs.push_back({first, rows});
  return runs;
}

SmallVector<Value> CodePanels::forEachRow(Value lower, Value upper,
                                          ArrayRef<Place> places,
                                          ValueRange carried, Body body) {
  int64_t unit = getUnit(), wordRows = 4;
  auto emitUnit = [&](Value number, ValueRange carried) {
    SmallVector<Value> values(carried);
    SmallVector<Factors> factors;
    int64_t loadedBlock = -1;
    Value firstBlock = kernel.multiply(number, unit / block);
    Value firstRow = kernel.multiply(number, unit);
    for (Run run : listRuns()) {
      if (int64_t of = run.first / block; of != loadedBlock) {
        loadedBlock = of;
        factors.clear();
        for (Place place : places)
          factors.push_back(
              foldZero(loadFactors(kernel.add(firstBlock, of), place)));
      }
      Part part = getPart(run.first);
      Value partWord = kernel.add(
          kernel.divide(kernel.multiply(firstRow, bits), 32), part.word);
      values = kernel.loop(
          kernel.constant(0), kernel.constant(run.rows / wordRows), 1, values,
          /*writes=*/false, [&](Value index, ValueRange carried) {
            Value row = kernel.add(kernel.add(firstRow, run.first),
                                   kernel.multiply(index, wordRows));
            // Of codes of 4 bits, one shift and mask a row is all it takes.
            SmallVector<Value> words =
                llvm::map_to_vector(places, [&](Place place) {
                  return bits == 4
                             ? loadWords(kernel.add(partWord, index), place,
                                         /*prefetches=*/!part.isUpperHalf)
                             : loadCodes(firstRow, run.first, index, place);
                });
            SmallVector<Value> next(carried);
            for (int64_t i = 0; i < wordRows; ++i) {
              SmallVector<Value> vectors;
              for (auto [word, factor] : llvm::zip_equal(words, factors))
                vectors.push_back(
                    dequantize(extractCode(word, i, part.isUpperHalf), factor));
              next = body(kernel.add(row, i), vectors, next);
            }
            return next;
          });
    }
    return values;
  };
  return kernel.loop(kernel.divide(lower, unit), kernel.divide(upper, unit), 1,
                     carried, /*writes=*/false, emitUnit);
}

CodePanels::Factors CodePanels::loadFactors(Value block, Place place) {
  Factors factors{loadScale(op.getScales(), /*level=*/0, block, place), {}};
  if (op.getOffsets())
    factors.offset = loadScale(op.getOffsets(), /*level=*/1, block, place);
  return factors;
}

/// An element of scales or offsets, times its factor if it has one.
Value CodePanels::loadScale(Value tensor, int64_t level, Value block,
                            Place place) {
  Value column = kernel.constant(place.column);
  if (panelsAhead != 0 && !prefetchesSparsely) {
    int64_t count = op.getScales().getType().getDimSize(1);
    Value row = kernel.multiply(kernel.add(place.panel, panelsAhead), count);
    row = kernel.multiply(kernel.add(row, block), width);
    kernel.prefetch(tensor, kernel.add(row, column));
  }
  Value scale =
      toFloat(kernel.load(tensor, {place.panel, block, column}, lanes, lanes));
  TypedValue<RankedTensorType> factors = op.getFactors();
  if (!factors)
    return scale;
  int64_t blocks =
      op.getScales().getType().getDimSize(1) / factors.getType().getDimSize(1);
  Value factor = kernel.load(factors,
                             {place.panel, kernel.divide(block, blocks),
                              kernel.constant(level), column},
                             lanes, lanes);
  return arith::MulFOp::create(kernel.ir(), kernel.loc(), scale,
                               toFloat(factor));
}

Value CodePanels::toFloat(Value vector) {
  OpBuilder &ir = kernel.ir();
  auto type = VectorType::get(lanes, ir.getF32Type());
  Type element = getElementTypeOrSelf(vector.getType());
  if (element.isF32())
    return vector;
  if (element.isF16())
    return arith::ExtFOp::create(ir, kernel.loc(), type, vector);
  Value wide = arith::ExtSIOp::create(
      ir, kernel.loc(), VectorType::get(lanes, ir.getI32Type()), vector);
  return arith::SIToFPOp::create(ir, kernel.loc(), type, wide);
}

/// The exact `(code - zero) * scale` is a float, so that one multiply-add gives
/// it.
CodePanels::Factors CodePanels::foldZero(Factors factors) {
  if (!factors.offset && areProductsExact && zero != 0)
    factors.offset = arith::MulFOp::create(
        kernel.ir(), kernel.loc(), factors.scale,
        splat(kernel.ir().getF32Type(), -static_cast<double>(zero)));
  return factors;
}

Value CodePanels::loadWords(Value word, Place place, bool prefetches) {
  int64_t words = op.getCodes().getType().getDimSize(1);
  Value linear = kernel.add(kernel.multiply(place.panel, words), word);
  linear = kernel.add(kernel.multiply(linear, width), place.column);
  if (prefetches && panelsAhead != 0)
    kernel.prefetch(
        op.getCodes(),
        kernel.multiply(kernel.add(linear, panelsAhead * words * width), 4));
  auto bytes = VectorType::get(lanes * 4, kernel.ir().getI8Type());
  Value loaded = vector::LoadOp::create(kernel.ir(), kernel.loc(), bytes,
                                        kernel.flatBuffer(op.getCodes()),
                                        ValueRange{kernel.multiply(linear, 4)});
  return vector::BitCastOp::create(
      kernel.ir(), kernel.loc(),
      VectorType::get(lanes, kernel.ir().getI32Type()), loaded);
}

Value CodePanels::loadCodes(Value unitRow, int64_t partRow, Value index,
                            Place place) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  Part part = getPart(partRow);
  Value first =
      kernel.add(kernel.divide(kernel.multiply(unitRow, bits), 32), index);
  // Both halves of a byte are codes.
  bool prefetches = !part.isUpperHalf;
  if (prefetchesSparsely)
    prefetches &=
        (part.word + *getConstantIntValue(index)) % sparseDistance == 0;
  Value words = loadWords(kernel.add(first, part.word), place, prefetches);
  if (bits == 8)
    return words;
  if (part.isUpperHalf)
    words = arith::ShRUIOp::create(ir, loc, words, integers(4));
  words = arith::AndIOp::create(ir, loc, words, integers(0x0f0f0f0f));
  if (bits == 4)
    return words;
  // The two upper bits of a byte go to bits 4 and 5.
  Value upper = loadWords(kernel.add(first, part.upperWord), place,
                          /*prefetches=*/part.upperShift == 0);
  int64_t shift = part.upperShift - 4;
  if (shift < 0)
    upper = arith::ShLIOp::create(ir, loc, upper, integers(-shift));
  else if (shift > 0)
    upper = arith::ShRUIOp::create(ir, loc, upper, integers(shift));
  upper = arith::AndIOp::create(ir, loc, upper, integers(0x30303030));
  return arith::OrIOp::create(ir, loc, words, upper);
}

Value CodePanels::splat(Type element, double value) {
  auto type = VectorType::get(lanes, element);
  return arith::ConstantOp::create(
      kernel.ir(), kernel.loc(),
      SplatElementsAttr::get(type, kernel.ir().getFloatAttr(element, value)));
}

Value CodePanels::integers(int64_t value) {
  auto type = VectorType::get(lanes, kernel.ir().getI32Type());
  return arith::ConstantOp::create(
      kernel.ir(), kernel.loc(),
      SplatElementsAttr::get(type, kernel.ir().getI32IntegerAttr(value)));
}

/// The code at `byte` of words of bytes, or of codes of 4 bits.
Value CodePanels::extractCode(Value words, int64_t byte, bool isUpperHalf) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  if (bits == 8) {
    // To the top, and back with the sign.
    if (byte < 3)
      words = arith::ShLIOp::create(ir, loc, words, integers(8 * (3 - byte)));
    return arith::ShRSIOp::create(ir, loc, words, integers(24));
  }
  int64_t width = bits == 4 ? 4 : 8;
  int64_t shift = 8 * byte + (bits == 4 && isUpperHalf ? 4 : 0);
  if (shift != 0)
    words = arith::ShRUIOp::create(ir, loc, words, integers(shift));
  // Nothing is above the last one.
  return shift + width == 32 ? words
                             : arith::AndIOp::create(
                                   ir, loc, words, integers((1 << width) - 1));
}

Value CodePanels::dequantize(Value code, const Factors &factors) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  bool isInOffset = areProductsExact && !op.getOffsets();
  if (zero != 0 && !isInOffset)
    code = arith::SubIOp::create(ir, loc, code, integers(zero));
  auto type = VectorType::get(lanes, ir.getF32Type());
  Value number = arith::SIToFPOp::create(ir, loc, type, code);
  if (factors.offset && areProductsExact && kernel.target().fma)
    return vector::FMAOp::create(ir, loc, number, factors.scale,
                                 factors.offset);
  Value product = arith::MulFOp::create(ir, loc, number, factors.scale);
  return factors.offset
             ? arith::AddFOp::create(ir, loc, product, factors.offset)
             : product;
}
