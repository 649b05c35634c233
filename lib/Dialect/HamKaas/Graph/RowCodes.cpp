//===- RowCodes.cpp - Codes of rows that operations decode ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/RowCodes.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hamkaas;

static RankedTensorType getType(Value x) {
  return cast<RankedTensorType>(x.getType());
}

static Value skipReshapes(Value x) {
  while (auto reshape = x.getDefiningOp<ReshapeOp>())
    x = reshape.getX();
  return x;
}

/// The bytes that are cast to float32; null for another value.
static Value findBytes(Value x) {
  auto cast = x.getDefiningOp<CastOp>();
  return cast && cast.getType().getElementType().isF32() &&
                 getType(cast.getX()).getElementType().isInteger(8)
             ? cast.getX()
             : Value();
}

static bool isUnsigned(Value bytes) {
  return getType(bytes).getElementType().isUnsignedInteger();
}

/// The number that all elements of a constant are, if it is a code.
static std::optional<int64_t> findCode(Value x) {
  DenseElementsAttr elements;
  if (!matchPattern(x, m_Constant(&elements)) || !elements.isSplat())
    return std::nullopt;
  double value = 0;
  if (isa<FloatType>(elements.getElementType()))
    value = elements.getSplatValue<APFloat>().convertToDouble();
  else
    value = double(elements.getSplatValue<APInt>().getZExtValue());
  if (value < INT8_MIN || value > UINT8_MAX || value != int64_t(value))
    return std::nullopt;
  return int64_t(value);
}

/// Returns whether bytes are known to be codes of at most 4 bits.
static bool hasFourBits(Value bytes) {
  constexpr int64_t most = 15;
  if (!isUnsigned(bytes))
    return false;
  bytes = skipReshapes(bytes);
  if (auto slice = bytes.getDefiningOp<StridedSliceOp>())
    return hasFourBits(slice.getX());
  DenseElementsAttr elements;
  if (matchPattern(bytes, m_Constant(&elements)))
    return llvm::all_of(elements.getValues<APInt>(),
                        [](const APInt &element) { return element.ule(most); });
  auto getMask = [](auto op) { return findCode(op.getRhs()).value_or(255); };
  if (auto flipped = bytes.getDefiningOp<XorOp>())
    return getMask(flipped) <= most && hasFourBits(flipped.getLhs());
  auto masked = bytes.getDefiningOp<AndOp>();
  return masked && getMask(masked) <= most;
}

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

/// Finds the sizes in the type of the numbers, before they are reshaped.
static bool matchSizes(RankedTensorType matrix, RankedTensorType numbers,
                       RowCodes &rows) {
  ArrayRef<int64_t> shape = numbers.getShape();
  rows.n = matrix.getShape()[rows.isTransposed ? 1 : 0];
  if (numbers == matrix) {
    rows.blocks = 1;
    rows.block = matrix.getShape()[rows.isTransposed ? 0 : 1];
    return true;
  }
  if (shape.size() != 3 || shape[rows.isTransposed ? 2 : 0] != rows.n)
    return false;
  rows.blocks = shape[rows.isTransposed ? 0 : 1];
  rows.block = shape[rows.isTransposed ? 1 : 2];
  return true;
}

/// Returns whether `x` has one number for each block of a row, in the rank of
/// the numbers.
static bool hasOneForEachBlock(const RowCodes &rows, Value x, int64_t rank) {
  SmallVector<int64_t> shape{rows.n, rows.blocks, 1};
  if (rows.isTransposed)
    shape = {rows.blocks, 1, rows.n};
  if (rank == 2)
    shape.erase(shape.begin() + (rows.isTransposed ? 0 : 1));
  return getType(x).getShape() == ArrayRef(shape);
}

/// Finds the zero points. Returns whether they are codes, too, and codes
/// without different ones have 8 bits.
static bool matchZeros(Value difference, RowCodes &rows) {
  auto sub = difference.getDefiningOp<SubOp>();
  rows.codes = findBytes(sub ? sub.getLhs() : difference);
  if (!rows.codes)
    return false;
  rows.bits = hasFourBits(rows.codes) ? 4 : 8;
  std::optional<int64_t> zero = sub ? findCode(sub.getRhs()) : 0;
  rows.zero = zero.value_or(0);
  if (!zero)
    rows.zeros = findBytes(skipReshapes(sub.getRhs()));
  if (rows.zeros)
    return rows.bits == 4 && hasFourBits(rows.zeros) &&
           getType(rows.zeros).getNumElements() == rows.n * rows.blocks;
  int64_t least = isUnsigned(rows.codes) ? 0 : INT8_MIN;
  return zero && rows.zero >= least &&
         rows.zero < least + (int64_t(1) << rows.bits);
}

std::optional<RowCodes> hamkaas::matchRowCodes(Value matrix,
                                               bool isTransposed) {
  RankedTensorType type = getType(matrix);
  auto reshape = matrix.getDefiningOp<ReshapeOp>();
  auto product = (reshape ? reshape.getX() : matrix).getDefiningOp<MulOp>();
  RowCodes rows{};
  rows.isTransposed = isTransposed;
  if (!product || type.getRank() != 2 ||
      !matchSizes(type, product.getType(), rows) ||
      !matchZeros(product.getLhs(), rows) ||
      getType(rows.codes).getShape() != product.getType().getShape())
    return std::nullopt;
  rows.scales = product.getRhs();
  bool isOne = rows.blocks == 1 && getType(rows.scales).getNumElements() == 1;
  bool fits = isOne || hasOneForEachBlock(rows, rows.scales,
                                          product.getType().getRank());
  return fits && rows.block % 4 == 0 ? std::optional(rows) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Codes of blocks
//===----------------------------------------------------------------------===//

/// `dequantize_panels` takes codes of 4 bits in spans of 32, whose halves have
/// whole blocks.
static bool fitsNibbles(const RowCodes &rows, int64_t depth) {
  return rows.bits == 4 && !rows.zeros && depth % 32 == 0 &&
         (16 % rows.block == 0 || rows.block % 32 == 0);
}

static Value reshapeTo(OpBuilder &builder, Location loc, Value x,
                       ArrayRef<int64_t> shape) {
  return builder.createOrFold<ReshapeOp>(loc, getType(x).clone(shape), x);
}

static Value makeCode(OpBuilder &builder, Location loc, Value like,
                      int64_t code) {
  auto type =
      getType(like).clone(SmallVector<int64_t>(getType(like).getRank(), 1));
  return ConstantOp::create(builder, loc,
                            DenseElementsAttr::get(type, APInt(8, code)));
}

/// Half `i` of the spans, `n x spans x 1 x 16`.
static Value takeHalf(OpBuilder &builder, Location loc, Value spans,
                      int64_t i) {
  SmallVector<int64_t> sizes(getType(spans).getShape());
  sizes[2] = 1;
  return StridedSliceOp::create(builder, loc, getType(spans).clone(sizes),
                                spans, ArrayRef<int64_t>{0, 0, i, 0}, sizes,
                                ArrayRef<int64_t>{1, 1, 1, 1});
}

/// `x` of `rows` as `n x size`.
static Value getRows(OpBuilder &builder, Location loc, const RowCodes &rows,
                     Value x, int64_t size) {
  if (!rows.isTransposed)
    return reshapeTo(builder, loc, x, {rows.n, size});
  x = reshapeTo(builder, loc, x, {size, rows.n});
  return PermuteOp::create(builder, loc, x, ArrayRef<int64_t>{1, 0});
}

static Value getScales(OpBuilder &builder, Location loc, const RowCodes &rows) {
  if (getType(rows.scales).getNumElements() > 1 || rows.n * rows.blocks == 1)
    return getRows(builder, loc, rows, rows.scales, rows.blocks);
  return BroadcastOp::create(builder, loc,
                             getType(rows.scales).clone({rows.n, 1}),
                             reshapeTo(builder, loc, rows.scales, {1, 1}));
}

BlockCodes hamkaas::splitRowCodes(OpBuilder &builder, Location loc,
                                  const RowCodes &rows) {
  int64_t depth = rows.blocks * rows.block;
  Value codes = getRows(builder, loc, rows, rows.codes, depth);
  BlockCodes result{codes,      getScales(builder, loc, rows),
                    {},         {},
                    /*bits=*/8,
                    /*span=*/4, rows.block,
                    /*zero=*/0};
  if (fitsNibbles(rows, depth)) {
    Value spans = reshapeTo(builder, loc, codes, {rows.n, depth / 32, 2, 16});
    Value low = takeHalf(builder, loc, spans, 0);
    Value high = takeHalf(builder, loc, spans, 1);
    high = ShiftLeftOp::create(builder, loc, high,
                               makeCode(builder, loc, high, 4));
    Value bytes = OrOp::create(builder, loc, low, high);
    result.codes = reshapeTo(builder, loc, bytes, {rows.n, depth / 2});
    result.bits = 4;
    result.span = 32;
    result.zero = rows.zero;
    return result;
  }
  if (!isUnsigned(rows.codes)) {
    result.zero = rows.zero;
    return result;
  }
  // Two's complement, in which the difference from different zero points fits.
  constexpr int64_t half = 128;
  codes = reshapeTo(builder, loc, codes, {rows.n, rows.blocks, rows.block});
  Value zeros = makeCode(builder, loc, codes, half);
  if (!rows.zeros)
    result.zero = rows.zero - half;
  else
    zeros = reshapeTo(builder, loc,
                      getRows(builder, loc, rows, rows.zeros, rows.blocks),
                      {rows.n, rows.blocks, 1});
  Value signedCodes = SubOp::create(builder, loc, codes, zeros);
  result.codes = reshapeTo(builder, loc, signedCodes, {rows.n, depth});
  return result;
}
