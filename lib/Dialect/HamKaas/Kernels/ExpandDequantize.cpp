//===- ExpandDequantize.cpp - Blocks by ordinary operations -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace hamkaas {
#define GEN_PASS_DEF_EXPANDDEQUANTIZE
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// A number for each number or part of a block.
using Table = llvm::function_ref<int64_t(int64_t i)>;

/// `parts` times `inner` values of each block.
struct Grid {
  int64_t parts, inner;

  int64_t count() const { return parts * inner; }
};

/// Bits of a byte for each value of a grid.
struct Field {
  Table byte, shift, mask;
};

/// Creates the operations that compute the numbers of blocks by the formulas of
/// the package `gguf`. Values have the shape `blocks x parts x inner` of a
/// grid, where both may be 1, so that all of them are one pointwise tree that
/// reads the bytes by constant indices.
class Expansion {
public:
  explicit Expansion(DequantizeBlocksOp op);

  /// The numbers in the shape of the result.
  Value build();

private:
  /// Formats of 32 numbers, then those of 256.
  Value buildLegacy();
  Value buildQ2();
  Value buildQ3();
  Value buildQ4();
  Value buildQ6();

  /// Small integers for each value of `grid`.
  Value constant(Grid grid, Type element, Table value);
  Value scalar(double value);
  /// The bytes at `at`.
  Value bytes(Grid grid, Table at);
  Value bits(Grid grid, const Field &field);
  /// `low` with the bits of `high` above the lowest `width`.
  Value join(Value low, Value high, int64_t width);
  Value toFloat(Value integers);
  /// The float16 that begins at `at` of each block.
  Value half(int64_t at);
  Value toSigned(Value bytes);
  /// The scales (0) or the minimums (1) of the parts of q4_k and q5_k.
  Value factorsOfQ4(int64_t number);

  Value sub(Value x, double y) {
    return SubOp::create(builder, loc, x, scalar(y));
  }
  Value sub(Value x, Value y) { return SubOp::create(builder, loc, x, y); }
  Value add(Value x, Value y) { return AddOp::create(builder, loc, x, y); }
  Value mul(Value x, Value y) { return MulOp::create(builder, loc, x, y); }

  OpBuilder builder;
  Location loc;
  DequantizeBlocksOp op;
  BlockFormat format;
  Grid numbers, parts;
  /// `blocks x bytes`.
  Value blocks;
  Type ui8, ui16, f32;
};

} // namespace

/// Formats of 256 numbers have scales of their own for each part.
static Grid getGrid(BlockFormat format) {
  switch (format) {
  case BlockFormat::Q2_K:
  case BlockFormat::Q3_K:
  case BlockFormat::Q6_K:
    return {16, 16};
  case BlockFormat::Q4_K:
  case BlockFormat::Q5_K:
    return {8, 32};
  default:
    return {1, 32};
  }
}

Expansion::Expansion(DequantizeBlocksOp op)
    : builder(op), loc(op.getLoc()), op(op), format(op.getFormat()),
      numbers(getGrid(format)), parts{numbers.parts, 1},
      ui8(builder.getIntegerType(8, false)),
      ui16(builder.getIntegerType(16, false)), f32(builder.getF32Type()) {
  auto type = cast<RankedTensorType>(op.getBlocks().getType());
  int64_t size = getBlockSize(format).bytes;
  SmallVector<int64_t> shape{getElementCount(type) / size, size};
  blocks =
      builder.createOrFold<ReshapeOp>(loc, type.clone(shape), op.getBlocks());
}

Value Expansion::constant(Grid grid, Type element, Table value) {
  SmallVector<Attribute> values;
  for (int64_t i = 0; i < grid.count(); ++i)
    values.push_back(builder.getIntegerAttr(element, value(i)));
  if (llvm::all_equal(values)) {
    grid = {1, 1};
    values.resize(1);
  }
  auto type = RankedTensorType::get({1, grid.parts, grid.inner}, element);
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(type, values));
}

Value Expansion::scalar(double value) {
  auto type = RankedTensorType::get({1, 1, 1}, f32);
  return ConstantOp::create(builder, loc,
                            DenseElementsAttr::get(type, float(value)));
}

Value Expansion::bytes(Grid grid, Table at) {
  SmallVector<int64_t> indices;
  for (int64_t i = 0; i < grid.count(); ++i)
    indices.push_back(at(i));
  auto type = RankedTensorType::get({grid.parts, grid.inner},
                                    builder.getIntegerType(64));
  Value table = ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef(indices)));
  return GatherOp::create(builder, loc, blocks, table, /*dim=*/1,
                          /*unchecked=*/true);
}

Value Expansion::bits(Grid grid, const Field &field) {
  Value values = bytes(grid, field.byte);
  if (llvm::any_of(llvm::seq(grid.count()), field.shift))
    values = ShiftRightOp::create(builder, loc, values,
                                  constant(grid, ui8, field.shift));
  return AndOp::create(builder, loc, values, constant(grid, ui8, field.mask));
}

Value Expansion::join(Value low, Value high, int64_t width) {
  auto element = cast<RankedTensorType>(low.getType()).getElementType();
  Value shift = constant({1, 1}, element, [&](int64_t) { return width; });
  high = ShiftLeftOp::create(builder, loc, high, shift);
  return OrOp::create(builder, loc, low, high);
}

Value Expansion::toFloat(Value integers) {
  auto type = cast<RankedTensorType>(integers.getType());
  return CastOp::create(builder, loc, type.clone(f32), integers);
}

Value Expansion::half(int64_t at) {
  auto widen = [&](int64_t at) -> Value {
    Value byte = bytes({1, 1}, [&](int64_t) { return at; });
    auto type = cast<RankedTensorType>(byte.getType());
    return CastOp::create(builder, loc, type.clone(ui16), byte);
  };
  Value low = widen(at), high = widen(at + 1), bits = join(low, high, 8);
  auto type = cast<RankedTensorType>(bits.getType());
  return toFloat(
      BitcastOp::create(builder, loc, type.clone(builder.getF16Type()), bits));
}

Value Expansion::toSigned(Value bytes) {
  auto type = cast<RankedTensorType>(bytes.getType());
  return BitcastOp::create(builder, loc, type.clone(builder.getI8Type()),
                           bytes);
}

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

static int64_t noShift(int64_t) { return 0; }
static int64_t oneBit(int64_t) { return 1; }
static int64_t twoBits(int64_t) { return 3; }
static int64_t fourBits(int64_t) { return 15; }
/// Of 2 bits of 32 bytes for 128 numbers.
static int64_t quarterShift(int64_t i) { return i / 32 % 4 * 2; }

// NOTE: operations are created in statements of their own, because the order of
// arguments is the compiler's choice.

Value Expansion::buildLegacy() {
  bool isOf5 = format == BlockFormat::Q5_0 || format == BlockFormat::Q5_1;
  bool hasMinimum = format == BlockFormat::Q4_1 || format == BlockFormat::Q5_1;
  Value scale = half(0);
  // Behind the scale and the minimum: the fifth bits, then the other four.
  int64_t at = hasMinimum ? 4 : 2, first = isOf5 ? at + 4 : at;
  if (format == BlockFormat::Q8_0) {
    Value codes = bytes(numbers, [&](int64_t i) { return at + i; });
    return mul(toFloat(toSigned(codes)), scale);
  }
  Value codes = bits(numbers, {[&](int64_t i) { return first + i % 16; },
                               [](int64_t i) { return i / 16 * 4; }, fourBits});
  if (isOf5) {
    Value high = bits(numbers, {[&](int64_t i) { return at + i / 8; },
                                [](int64_t i) { return i % 8; }, oneBit});
    codes = join(codes, high, 4);
  }
  Value values = toFloat(codes);
  if (!hasMinimum)
    return mul(sub(values, isOf5 ? 16.0 : 8.0), scale);
  values = mul(values, scale);
  return add(values, half(2));
}

Value Expansion::buildQ2() {
  auto byte = [](int64_t i) { return i; };
  Value scales = toFloat(bits(parts, {byte, noShift, fourBits}));
  scales = mul(scales, half(80));
  Value minimums =
      toFloat(bits(parts, {byte, [](int64_t) { return 4; }, fourBits}));
  minimums = mul(minimums, half(82));
  Value codes =
      bits(numbers, {[](int64_t i) { return 16 + i / 128 * 32 + i % 32; },
                     quarterShift, twoBits});
  return sub(mul(toFloat(codes), scales), minimums);
}

Value Expansion::buildQ3() {
  Value low = bits(parts, {[](int64_t i) { return 96 + i % 8; },
                           [](int64_t i) { return i / 8 * 4; }, fourBits});
  Value high = bits(parts, {[](int64_t i) { return 104 + i % 4; },
                            [](int64_t i) { return i / 4 * 2; }, twoBits});
  Value scales = sub(toFloat(join(low, high, 4)), 32);
  scales = mul(scales, half(108));
  // A code without the bit of the mask is 4 less.
  low = bits(numbers, {[](int64_t i) { return 32 + i / 128 * 32 + i % 32; },
                       quarterShift, twoBits});
  high = bits(numbers, {[](int64_t i) { return i % 32; },
                        [](int64_t i) { return i / 32; }, oneBit});
  return mul(sub(toFloat(join(low, high, 2)), 4), scales);
}

Value Expansion::factorsOfQ4(int64_t number) {
  int64_t first = 4 + 4 * number;
  // The first four have 6 bits in a byte, the others 4 of one and 2 of another.
  Value low = bits(parts, {[&](int64_t i) { return i < 4 ? first + i : 8 + i; },
                           [&](int64_t i) { return i < 4 ? 0 : number * 4; },
                           [](int64_t i) { return i < 4 ? 63 : 15; }});
  Value high = bits(parts, {[&](int64_t i) { return first + i % 4; },
                            [](int64_t) { return 6; },
                            [](int64_t i) { return i < 4 ? 0 : 3; }});
  Value factors = toFloat(join(low, high, 4));
  return mul(factors, half(2 * number));
}

Value Expansion::buildQ4() {
  bool isOf5 = format == BlockFormat::Q5_K;
  int64_t first = isOf5 ? 48 : 16;
  Value codes =
      bits(numbers, {[&](int64_t i) { return first + i / 64 * 32 + i % 32; },
                     [](int64_t i) { return i / 32 % 2 * 4; }, fourBits});
  if (isOf5) {
    Value high = bits(numbers, {[](int64_t i) { return 16 + i % 32; },
                                [](int64_t i) { return i / 32; }, oneBit});
    codes = join(codes, high, 4);
  }
  Value scales = factorsOfQ4(0), minimums = factorsOfQ4(1);
  return sub(mul(toFloat(codes), scales), minimums);
}

Value Expansion::buildQ6() {
  Value low =
      bits(numbers, {[](int64_t i) { return i / 128 * 64 + i % 64; },
                     [](int64_t i) { return i / 64 % 2 * 4; }, fourBits});
  Value high =
      bits(numbers, {[](int64_t i) { return 128 + i / 128 * 32 + i % 32; },
                     quarterShift, twoBits});
  Value values = sub(toFloat(join(low, high, 4)), 32);
  Value scales = bytes(parts, [](int64_t i) { return 192 + i; });
  scales = toFloat(toSigned(scales));
  scales = mul(scales, half(208));
  return mul(values, scales);
}

Value Expansion::build() {
  auto values = [&] {
    switch (format) {
    case BlockFormat::Q2_K:
      return buildQ2();
    case BlockFormat::Q3_K:
      return buildQ3();
    case BlockFormat::Q4_K:
    case BlockFormat::Q5_K:
      return buildQ4();
    case BlockFormat::Q6_K:
      return buildQ6();
    default:
      return buildLegacy();
    }
  }();
  return ReshapeOp::create(builder, loc, op.getType(), values);
}

namespace {
struct ExpandDequantize
    : hamkaas::impl::ExpandDequantizeBase<ExpandDequantize> {
  void runOnOperation() override {
    getOperation().walk([](DequantizeBlocksOp op) {
      if (!op.use_empty())
        op.replaceAllUsesWith(Expansion(op).build());
      op.erase();
    });
  }
};
} // namespace
