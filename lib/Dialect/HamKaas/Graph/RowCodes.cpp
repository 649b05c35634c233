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
                 getType(cast.getX()).getElementType().isUnsignedInteger(8)
             ? cast.getX()
             : Value();
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
  if (value < 0 || value > 255 || value != int64_t(value))
    return std::nullopt;
  return int64_t(value);
}

/// Returns whether bytes are known to be codes of at most 4 bits.
static bool hasFourBits(Value bytes) {
  while (true) {
    bytes = skipReshapes(bytes);
    auto slice = bytes.getDefiningOp<StridedSliceOp>();
    if (!slice)
      break;
    bytes = slice.getX();
  }
  DenseElementsAttr elements;
  if (matchPattern(bytes, m_Constant(&elements)))
    return llvm::all_of(elements.getValues<APInt>(),
                        [](const APInt &element) { return element.ule(15); });
  auto mask = bytes.getDefiningOp<AndOp>();
  std::optional<int64_t> bits = mask ? findCode(mask.getRhs()) : std::nullopt;
  return bits && *bits <= 15;
}

int64_t RowCodes::getBlock() const { return getType(codes).getDimSize(2); }

std::optional<RowCodes> hamkaas::matchRowCodes(Value matrix) {
  auto reshape = matrix.getDefiningOp<ReshapeOp>();
  auto product = reshape ? reshape.getX().getDefiningOp<MulOp>() : nullptr;
  auto difference = product ? product.getLhs().getDefiningOp<SubOp>() : nullptr;
  Value codes = difference ? findBytes(difference.getLhs()) : Value();
  if (!codes || getType(matrix).getRank() != 2 || getType(codes).getRank() != 3)
    return std::nullopt;
  ArrayRef<int64_t> shape = getType(codes).getShape();
  Value scales = product.getRhs();
  if (getType(matrix).getDimSize(0) != shape[0] ||
      getType(scales).getShape() != ArrayRef<int64_t>{shape[0], shape[1], 1})
    return std::nullopt;
  RowCodes rows{codes, scales, {}, 0, hasFourBits(codes) ? 4 : 8};
  std::optional<int64_t> zero = findCode(difference.getRhs());
  if (zero)
    rows.zero = *zero;
  else
    rows.zeros = findBytes(skipReshapes(difference.getRhs()));
  // Other zero points are no codes, or differences have 9 bits.
  bool fits = rows.bits == 8 ? zero == int64_t(128)
              : zero         ? *zero <= 15
                             : rows.zeros && hasFourBits(rows.zeros);
  bool hasBlocks = !rows.zeros ||
                   getType(rows.zeros).getNumElements() == shape[0] * shape[1];
  return fits && hasBlocks && shape[2] % 4 == 0 ? std::optional(rows)
                                                : std::nullopt;
}

/// `dequantize_panels` takes codes of 4 bits in spans of 32, whose halves have
/// whole blocks.
static bool fitsNibbles(const RowCodes &rows, int64_t depth) {
  int64_t block = rows.getBlock();
  return rows.bits == 4 && !rows.zeros && depth % 32 == 0 &&
         (16 % block == 0 || block % 32 == 0);
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

BlockCodes hamkaas::splitRowCodes(OpBuilder &builder, Location loc,
                                  const RowCodes &rows) {
  ArrayRef<int64_t> shape = getType(rows.codes).getShape();
  int64_t count = shape[0], blocks = shape[1], depth = blocks * shape[2];
  BlockCodes result{
      rows.codes, reshapeTo(builder, loc, rows.scales, {count, blocks}),
      {},         {},
      /*bits=*/8,
      /*span=*/4, rows.getBlock(),
      /*zero=*/0};
  if (fitsNibbles(rows, depth)) {
    Value spans =
        reshapeTo(builder, loc, rows.codes, {count, depth / 32, 2, 16});
    Value low = takeHalf(builder, loc, spans, 0);
    Value high = takeHalf(builder, loc, spans, 1);
    high = ShiftLeftOp::create(builder, loc, high,
                               makeCode(builder, loc, high, 4));
    Value bytes = OrOp::create(builder, loc, low, high);
    result.codes = reshapeTo(builder, loc, bytes, {count, depth / 2});
    result.bits = 4;
    result.span = 32;
    result.zero = rows.zero;
    return result;
  }
  // Two's complement, in which the difference fits.
  Value zeros = rows.zeros
                    ? reshapeTo(builder, loc, rows.zeros, {count, blocks, 1})
                    : makeCode(builder, loc, rows.codes, rows.zero);
  Value signedCodes = SubOp::create(builder, loc, rows.codes, zeros);
  result.codes = reshapeTo(builder, loc, signedCodes, {count, depth});
  return result;
}
