//===- BlockCodes.cpp - Codes and scales of blocks --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts are those of the package `gguf` (quants.py).
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/BlockCodes.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

namespace {

/// Operations on bytes.
class BlockSplitter {
public:
  BlockSplitter(OpBuilder &builder, DequantizeBlocksOp op)
      : builder(builder), loc(op.getLoc()), format(op.getFormat()) {
    ArrayRef<int64_t> shape = op.getBlocks().getType().getShape();
    rows = 1;
    for (int64_t size : shape.drop_back())
      rows *= size;
    int64_t bytes = getBlockSize(format).bytes;
    blocks = shape.back() / bytes;
    given = reshape(op.getBlocks(), {rows, blocks, bytes});
  }

  BlockCodes split() {
    switch (format) {
    case BlockFormat::Q4_0:
      return fourBits(slice(2, 16), {flat(half(0))}, /*zero=*/8);
    case BlockFormat::Q4_1:
      return fourBits(slice(4, 16), {flat(half(0)), flat(half(2))});
    case BlockFormat::Q5_0:
      return sixBits(slice(6, 16), fifthBits(2), {flat(half(0))}, /*zero=*/16);
    case BlockFormat::Q5_1:
      return sixBits(slice(8, 16), fifthBits(4),
                     {flat(half(0)), flat(half(2))});
    case BlockFormat::Q8_0: {
      BlockCodes result =
          makeCodes(flat(slice(2, 32)), {flat(half(0))}, /*bits=*/8);
      result.span = 4;
      return result;
    }
    case BlockFormat::Q2_K: {
      Value scales = slice(0, 16);
      Value codes = fields(slice(16, 64), {0, 2, 4, 6}, 3);
      return fourBits(toNibbles(codes), {signedBytes(bitAnd(scales, 15)),
                                         signedBytes(shiftRight(scales, 4)),
                                         makeFactors(half(80), half(82)), 16});
    }
    case BlockFormat::Q3_K:
      return splitQ3K();
    case BlockFormat::Q4_K: {
      BlockCodes result = fourBits(slice(16, 128), sixBitScales());
      result.span = 64;
      return result;
    }
    case BlockFormat::Q5_K: {
      Value upper = fields(slice(16, 32), {0, 1, 2, 3, 4, 5, 6, 7}, 1);
      return sixBits(toNibbles(halves(slice(48, 128), 32)), upper,
                     sixBitScales());
    }
    case BlockFormat::Q6_K: {
      // With scales of so few codes, taking them apart would take too long.
      Value upper = fields(slice(128, 64), {0, 2, 4, 6}, 3);
      Value codes = bitOr(halves(slice(0, 128), 64), shiftLeft(upper, 4));
      BlockCodes result = makeCodes(
          flat(add(codes, 224)),
          {signedBytes(slice(192, 16)), {}, makeFactors(half(208)), 16},
          /*bits=*/8);
      result.span = 4;
      return result;
    }
    }
    llvm_unreachable("unknown format");
  }

private:
  //===--------------------------------------------------------------------===//
  // Formats
  //===--------------------------------------------------------------------===//

  /// Scales and offsets of the codes of a block, for `block` codes each.
  struct Scales {
    Value scales, offsets = {}, factors = {};
    int64_t block = 32;
  };

  static BlockCodes makeCodes(Value codes, Scales scales, int64_t bits,
                              int64_t zero = 0) {
    return {codes,          scales.scales, scales.offsets,
            scales.factors, bits,
            /*span=*/32,    scales.block,  zero};
  }

  /// Codes that lie as `dequantize_panels` wants them.
  BlockCodes fourBits(Value codes, Scales scales, int64_t zero = 0) {
    return makeCodes(flat(codes), scales, 4, zero);
  }

  /// Codes whose lower 4 bits lie as codes of 4 bits do. `upper` has the bits
  /// above, one code a byte.
  BlockCodes sixBits(Value lower, Value upper, Scales scales,
                     int64_t zero = 0) {
    int64_t spans = blocks * getShape(upper).back() / 32;
    lower = reshape(lower, {rows, spans, 16});
    upper = reshape(upper, {rows, spans, 32});
    Value packed = part(upper, 2, 0, 8);
    for (int64_t i = 1; i < 4; ++i)
      packed = bitOr(packed, shiftLeft(part(upper, 2, 8 * i, 8), 2 * i));
    return makeCodes(flat(concat({lower, packed})), scales, 6, zero);
  }

  /// The fifth bits of 32 codes, one a byte.
  Value fifthBits(int64_t offset) {
    Value bytes = broadcast(reshape(slice(offset, 4), {rows, blocks, 4, 1}),
                            {rows, blocks, 4, 8});
    Value bits =
        bitAnd(shiftRight(bytes, numbers({0, 1, 2, 3, 4, 5, 6, 7}, 4)), 1);
    return reshape(bits, {rows, blocks, 32});
  }

  /// Scales and offsets of 8 sub-blocks, in 6 bits each.
  Scales sixBitScales() {
    Value first = slice(4, 4), second = slice(8, 4), third = slice(12, 4);
    Value scales =
        concat({bitAnd(first, 63),
                bitOr(bitAnd(third, 15), bitAnd(shiftRight(first, 2), 48))});
    Value offsets =
        concat({bitAnd(second, 63), bitOr(shiftRight(third, 4),
                                          bitAnd(shiftRight(second, 2), 48))});
    return {signedBytes(scales), signedBytes(offsets),
            makeFactors(half(0), half(2))};
  }

  BlockCodes splitQ3K() {
    Value low = fields(slice(32, 64), {0, 2, 4, 6}, 3);
    Value high = fields(slice(0, 32), {0, 1, 2, 3, 4, 5, 6, 7}, 1);
    Value codes = bitOr(low, shiftLeft(reshapeLike(high, low), 2));
    // Lower halves of bytes first, then the upper ones.
    Value lower = halves(slice(96, 8), 8);
    Value upper = fields(slice(104, 4), {0, 2, 4, 6}, 3, /*size=*/4);
    Value scales = bitOr(lower, shiftLeft(reshapeLike(upper, lower), 4));
    return fourBits(
        toNibbles(codes),
        {signedBytes(add(scales, 224)), {}, makeFactors(half(108)), 16},
        /*zero=*/4);
  }

  //===--------------------------------------------------------------------===//
  // Bits of bytes
  //===--------------------------------------------------------------------===//

  /// Of each `size` bytes, first the lower halves, then the upper ones.
  Value halves(Value x, int64_t size) { return fields(x, {0, 4}, 15, size); }

  /// Of each `size` bytes, for each of `shifts` the bits `mask` from there on.
  Value fields(Value x, ArrayRef<int64_t> shifts, int64_t mask,
               int64_t size = 32) {
    int64_t count = getShape(x).back() / size;
    int64_t parts = shifts.size();
    Shape shape{rows, blocks, count, parts, size};
    x = broadcast(reshape(x, {rows, blocks, count, 1, size}), shape);
    Value amounts = reshape(numbers(shifts, 1), {1, 1, 1, parts, 1});
    x = bitAnd(shiftRight(x, amounts), mask);
    return reshape(x, {rows, blocks, count * parts * size});
  }

  /// Codes of up to 4 bits, two a byte, in spans of 32.
  Value toNibbles(Value codes) {
    int64_t spans = getShape(codes).back() / 32;
    codes = reshape(codes, {rows, blocks * spans, 2, 16});
    return bitOr(part(codes, 2, 0, 1), shiftLeft(part(codes, 2, 1, 1), 4));
  }

  //===--------------------------------------------------------------------===//
  // Numbers
  //===--------------------------------------------------------------------===//

  /// The float16 at byte `offset` of each block.
  Value half(int64_t offset) {
    Type word = builder.getIntegerType(16, /*isSigned=*/false);
    Value low = cast(slice(offset, 1), word);
    Value high = cast(slice(offset + 1, 1), word);
    Value bits = bitOr(low, shiftLeft(high, 8));
    auto type = mlir::cast<RankedTensorType>(bits.getType());
    return BitcastOp::create(builder, loc, type.clone(builder.getF16Type()),
                             bits);
  }

  /// The numbers that the scales of a block are multiplied by, and its offsets,
  /// which are subtracted.
  Value makeFactors(Value scale, Value offset = {}) {
    auto perBlock = [&](Value x) { return reshape(x, {rows, blocks, 1}); };
    return offset ? concat({perBlock(scale), perBlock(negate(offset))})
                  : perBlock(scale);
  }

  /// All bytes that a row has, as signed ones.
  Value signedBytes(Value x) {
    x = flat(x);
    auto type = mlir::cast<RankedTensorType>(x.getType());
    return BitcastOp::create(builder, loc, type.clone(builder.getI8Type()), x);
  }

  Value negate(Value x) { return NegOp::create(builder, loc, x); }

  //===--------------------------------------------------------------------===//
  // Operations
  //===--------------------------------------------------------------------===//

  using Shape = SmallVector<int64_t>;

  static ArrayRef<int64_t> getShape(Value x) {
    return mlir::cast<RankedTensorType>(x.getType()).getShape();
  }

  Value reshape(Value x, ArrayRef<int64_t> shape) {
    auto type = mlir::cast<RankedTensorType>(x.getType()).clone(shape);
    return type == x.getType() ? x : ReshapeOp::create(builder, loc, type, x);
  }
  Value reshapeLike(Value x, Value other) {
    return reshape(x, getShape(other));
  }
  /// All that a row has.
  Value flat(Value x) {
    int64_t count = 1;
    for (int64_t size : getShape(x))
      count *= size;
    return reshape(x, {rows, count / rows});
  }

  Value broadcast(Value x, ArrayRef<int64_t> shape) {
    auto type = mlir::cast<RankedTensorType>(x.getType()).clone(shape);
    return type == x.getType() ? x : BroadcastOp::create(builder, loc, type, x);
  }

  Value cast(Value x, Type element) {
    auto type = mlir::cast<RankedTensorType>(x.getType());
    return CastOp::create(builder, loc, type.clone(element), x);
  }

  /// `size` indices of dimension `dim` from `begin` on.
  Value part(Value x, int64_t dim, int64_t begin, int64_t size) {
    Shape offsets(getShape(x).size(), 0), sizes(getShape(x)),
        strides(getShape(x).size(), 1);
    offsets[dim] = begin;
    sizes[dim] = size;
    return StridedSliceOp::create(builder, loc, x, offsets, sizes, strides);
  }
  /// Bytes of each block.
  Value slice(int64_t offset, int64_t size) {
    return part(given, 2, offset, size);
  }

  Value concat(ArrayRef<Value> parts) {
    return ConcatOp::create(builder, loc, parts, /*dim=*/2);
  }

  /// Bytes along the last of `rank` dimensions.
  Value numbers(ArrayRef<int64_t> values, int64_t rank) {
    Shape shape(rank, 1);
    shape.back() = values.size();
    auto type = RankedTensorType::get(
        shape, builder.getIntegerType(8, /*isSigned=*/false));
    SmallVector<APInt> elements = llvm::map_to_vector(
        values, [](int64_t value) { return APInt(8, value); });
    return ConstantOp::create(builder, loc,
                              DenseElementsAttr::get(type, elements));
  }
  /// A number of the type of `x`.
  Value numberLike(Value x, int64_t value) {
    auto type = mlir::cast<RankedTensorType>(x.getType());
    type = type.clone(Shape(type.getRank(), 1));
    unsigned width = type.getElementTypeBitWidth();
    return ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, APInt(width, value)));
  }

  Value add(Value x, int64_t value) {
    return AddOp::create(builder, loc, x, numberLike(x, value));
  }
  Value bitAnd(Value x, int64_t value) {
    return AndOp::create(builder, loc, x, numberLike(x, value));
  }
  Value bitOr(Value x, Value y) { return OrOp::create(builder, loc, x, y); }
  Value shiftLeft(Value x, int64_t amount) {
    return ShiftLeftOp::create(builder, loc, x, numberLike(x, amount));
  }
  Value shiftRight(Value x, int64_t amount) {
    return ShiftRightOp::create(builder, loc, x, numberLike(x, amount));
  }
  Value shiftRight(Value x, Value amounts) {
    return ShiftRightOp::create(builder, loc, x, amounts);
  }

  OpBuilder &builder;
  Location loc;
  BlockFormat format;
  int64_t rows, blocks;
  /// `rows x blocks x bytes`.
  Value given;
};

} // namespace

BlockCodes hamkaas::splitBlocks(OpBuilder &builder, DequantizeBlocksOp op) {
  return BlockSplitter(builder, op).split();
}

Value hamkaas::packIntoPanels(OpBuilder &builder, Location loc, Value x,
                              int64_t width, ArrayRef<int64_t> inner,
                              ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t panels = llvm::divideCeil(type.getDimSize(0), width);
  int64_t missing = panels * width - type.getDimSize(0);
  if (missing) {
    SmallVector<int64_t> none(type.getRank(), 0), high(none);
    high.front() = missing;
    x = PadOp::create(
        builder, loc, x, none, high, none,
        cast<TypedAttr>(builder.getZeroAttr(type.getElementType())));
  }
  SmallVector<int64_t> shape{panels, width};
  shape.append(inner.begin(), inner.end());
  x = ReshapeOp::create(builder, loc, type.clone(shape), x);
  return PermuteOp::create(builder, loc, x, permutation);
}
