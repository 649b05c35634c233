//===- Quantization.cpp - Quantized tensors ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "OpContext.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

namespace {

struct Limits {
  double low, high;
};

} // namespace

static Limits getLimits(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  double count = std::exp2(width);
  return type.isUnsignedInteger() ? Limits{0, count - 1}
                                  : Limits{-count / 2, count / 2 - 1};
}

/// `values`, a scalar, one a slice along `axis`, or one a block of it, in a
/// shape that repeats them over `x`.
static Tensor spread(OpContext &op, GraphBuilder &b, Tensor values, Tensor x,
                     int64_t axis, int64_t block) {
  if (!values || !x || values.count() == 1)
    return b.reshape(values, {});
  axis = op.normalizeAxis(axis, x.rank());
  if (b.hasFailed())
    return {};
  if (values.rank() == 1 && values.dim(0) == x.dim(axis)) {
    Shape shape(x.rank(), 1);
    shape[axis] = x.dim(axis);
    return b.reshape(values, shape);
  }
  bool isBlocked =
      block > 0 && values.rank() == x.rank() &&
      llvm::divideCeil(x.dim(axis), block) == uint64_t(values.dim(axis));
  if (!isBlocked)
    return b.fail("expected a scale that can be repeated over " +
                  formatShape(x.shape()) + ", found the shape " +
                  formatShape(values.shape()));
  Shape split(values.shape()), repeated(values.shape()), joined(values.shape());
  split.insert(split.begin() + axis + 1, 1);
  repeated.insert(repeated.begin() + axis + 1, block);
  joined[axis] *= block;
  Tensor all =
      b.reshape(b.broadcast(b.reshape(values, split), repeated), joined);
  return b.sliceDim(all, axis, 0, x.dim(axis));
}

/// Rounds halves to even, and stays within the type.
static Tensor quantize(GraphBuilder &b, Tensor x, Tensor scale, Tensor zero,
                       Type type) {
  Type f32 = Float32Type::get(b.context());
  Tensor y = b.unary("round", b.cast(b.div(x, scale), f32));
  if (zero)
    y = b.add(y, b.cast(zero, f32));
  Limits limits = getLimits(type);
  y = b.binary("max", y, b.scalar(f32, limits.low));
  return b.cast(b.binary("min", y, b.scalar(f32, limits.high)), type);
}

static Tensors importQuantizeLinear(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), scale = op.input(1), zero = op.optionalInput(2);
  int64_t axis = op.attributes.getInt("axis").value_or(1);
  int64_t block = op.attributes.getInt("block_size").value_or(0);
  int64_t output = op.attributes.getInt("output_dtype").value_or(0);
  op.attributes.getInt("saturate");
  op.attributes.getInt("precision");
  Type type = zero ? zero.elementType()
              : output
                  ? op.getElementType(output)
                  : IntegerType::get(b.context(), 8, IntegerType::Unsigned);
  if (!type || b.hasFailed())
    return {};
  if (!isa<IntegerType>(type) || type.getIntOrFloatBitWidth() > 16)
    return {b.fail("expected integers of 8 or 16 bits as result")};
  Tensor wide = b.cast(x, Float32Type::get(b.context()));
  scale = b.cast(scale, Float32Type::get(b.context()));
  return {quantize(b, wide, spread(op, b, scale, x, axis, block),
                   zero ? spread(op, b, zero, x, axis, block) : zero, type)};
}

static Tensors importDequantizeLinear(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), scale = op.input(1), zero = op.optionalInput(2);
  int64_t axis = op.attributes.getInt("axis").value_or(1);
  int64_t block = op.attributes.getInt("block_size").value_or(0);
  int64_t output = op.attributes.getInt("output_dtype").value_or(0);
  Type type = output ? op.getElementType(output) : scale.elementType();
  if (!type || b.hasFailed())
    return {};
  Type f32 = Float32Type::get(b.context());
  Tensor y = b.cast(x, f32);
  if (zero)
    y = b.sub(y, b.cast(spread(op, b, zero, x, axis, block), f32));
  y = b.mul(y, b.cast(spread(op, b, scale, x, axis, block), f32));
  return {b.cast(y, type)};
}

/// To 8 bits without a sign, over the range of the input and 0.
static Tensors importDynamicQuantizeLinear(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (!x)
    return {};
  Type u8 = IntegerType::get(b.context(), 8, IntegerType::Unsigned);
  Type f32 = x.elementType();
  Tensor none = b.scalar(f32, 0);
  Shape all = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  Tensor high = b.binary("max", b.reduce("max", x, all, false), none);
  Tensor low = b.binary("min", b.reduce("min", x, all, false), none);
  Tensor scale = b.div(b.sub(high, low), 255.0);
  // Zeros alone have no range.
  Tensor safe = b.select(b.compare("eq", scale, none), b.scalar(f32, 1), scale);
  Tensor zero = b.unary("round", b.div(b.sub(none, low), safe));
  zero = b.binary("min", b.binary("max", zero, none), b.scalar(f32, 255));
  zero = b.cast(zero, u8);
  return {quantize(b, x, safe, zero, u8), scale, zero};
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `x` minus its zero point: a scalar, one a row of the left side, or one a
/// column of the right side.
static Tensor shiftToZero(OpContext &op, GraphBuilder &b, Tensor x,
                          unsigned zeroPoint, bool isLeft) {
  Type i32 = IntegerType::get(b.context(), 32);
  Tensor zero = op.optionalInput(zeroPoint);
  Tensor wide = b.cast(x, i32);
  if (!zero || !wide)
    return wide;
  if (zero.rank() == 1 && zero.count() > 1 && isLeft)
    zero = b.reshape(zero, {zero.count(), 1});
  if (zero.count() == 1)
    zero = b.reshape(zero, {});
  return b.sub(wide, b.cast(zero, i32));
}

static Tensors importMatMulInteger(OpContext &op, GraphBuilder &b) {
  Tensor lhs = shiftToZero(op, b, op.input(0), 2, /*isLeft=*/true);
  Tensor rhs = shiftToZero(op, b, op.input(1), 3, /*isLeft=*/false);
  return {multiplyAsNumpy(b, lhs, rhs)};
}

static Tensors importQLinearMatMul(OpContext &op, GraphBuilder &b) {
  Tensor lhs = shiftToZero(op, b, op.input(0), 2, /*isLeft=*/true);
  Tensor rhs = shiftToZero(op, b, op.input(3), 5, /*isLeft=*/false);
  Tensor zero = op.input(7);
  Tensor leftScale = op.input(1), rightScale = op.input(4), scale = op.input(6);
  if (!zero || !leftScale || !rightScale || !scale)
    return {};
  if (leftScale.count() != 1 || rightScale.count() != 1 || scale.count() != 1 ||
      zero.count() != 1)
    return {b.fail("scales of single rows or columns are not supported")};
  Type f32 = Float32Type::get(b.context());
  auto toScalar = [&](Tensor t) { return b.reshape(b.cast(t, f32), {}); };
  Tensor product = b.cast(multiplyAsNumpy(b, lhs, rhs), f32);
  Tensor factor = b.mul(toScalar(leftScale), toScalar(rightScale));
  return {quantize(b, b.mul(product, factor), toScalar(scale),
                   b.reshape(zero, {}), zero.elementType())};
}

ArrayRef<OpDefinition> onnx::getQuantizationOps() {
  static constexpr OpDefinition ops[] = {
      {"DequantizeLinear", importDequantizeLinear, 28},
      {"DynamicQuantizeLinear", importDynamicQuantizeLinear, 11},
      {"MatMulInteger", importMatMulInteger, 10},
      {"QLinearMatMul", importQLinearMatMul, 21},
      {"QuantizeLinear", importQuantizeLinear, 28},
  };
  return ops;
}
