//===- QuantizedOperators.cpp - Operators on quantized tensors --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operators of com.microsoft that ONNX Runtime's quantizer writes beside
// those of ONNX. A quantized tensor is three inputs: numbers, scale, zero
// point.
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Quantization.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

static Type getFloat(GraphBuilder &b) { return Float32Type::get(b.context()); }

/// The number that an input of one element has, as float32; none if the input
/// is not there.
static Tensor readNumber(OpContext &op, GraphBuilder &b, unsigned input) {
  Tensor x = op.optionalInput(input);
  if (!x)
    return {};
  if (x.count() != 1)
    return b.fail("expected one scale and zero point for all elements, got " +
                  Twine(x.count()));
  return b.cast(b.reshape(x, {}), getFloat(b));
}

/// Input `first` and its zero point, the second after it, as a difference of
/// float32.
static Tensor readDifference(OpContext &op, GraphBuilder &b, unsigned first) {
  Tensor x = b.cast(op.input(first), getFloat(b));
  Tensor zero = readNumber(op, b, first + 2);
  return zero ? b.sub(x, zero) : x;
}

/// Input `first`, dequantized.
static Tensor dequantize(OpContext &op, GraphBuilder &b, unsigned first) {
  return b.mul(readDifference(op, b, first), readNumber(op, b, first + 1));
}

/// `x`, quantized by the scale `scale` and the zero point after it.
static Tensor quantize(OpContext &op, GraphBuilder &b, Tensor x, unsigned scale,
                       Type like) {
  Tensor zero = op.optionalInput(scale + 1);
  Tensor rounded = b.round(b.div(x, readNumber(op, b, scale)));
  if (zero)
    rounded = b.add(rounded, readNumber(op, b, scale + 1));
  return rounded ? b.cast(rounded, zero ? zero.elementType() : like) : Tensor();
}

static Tensors importQLinearAdd(OpContext &op, GraphBuilder &b) {
  Tensor sum = b.add(dequantize(op, b, 0), dequantize(op, b, 3));
  return {quantize(op, b, sum, 6, op.input(0).elementType())};
}

static Tensors importQLinearMul(OpContext &op, GraphBuilder &b) {
  Tensor product = b.mul(dequantize(op, b, 0), dequantize(op, b, 3));
  return {quantize(op, b, product, 6, op.input(0).elementType())};
}

/// Of channels-first images, unless `channels_last` says otherwise.
static Tensors importQLinearGlobalAveragePool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  bool isLast = op.attributes.getInt("channels_last").value_or(0) != 0;
  if (!op.expectRank(x, 3))
    return {};
  Shape dims = isLast ? getDimRange(1, x.rank() - 1) : getDimRange(2, x.rank());
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= x.dim(dim);
  Tensor sum = b.reduce(Combiner::Sum, dequantize(op, b, 0), dims,
                        /*keepDims=*/true);
  return {quantize(op, b, b.div(sum, double(count)), 3, x.elementType())};
}

/// The scale and zero point of the result come first, then three inputs for
/// each part.
static Tensors importQLinearConcat(OpContext &op, GraphBuilder &b) {
  constexpr unsigned first = 2, each = 3;
  if (op.inputCount() < first + each || (op.inputCount() - first) % each != 0)
    return {b.fail("expected a scale and a zero point, then three inputs for "
                   "each part, got " +
                   Twine(op.inputCount()) + " inputs")};
  std::vector<Tensor> parts;
  for (unsigned i = first; i < op.inputCount(); i += each)
    parts.push_back(dequantize(op, b, i));
  if (b.hasFailed())
    return {};
  int64_t axis = op.normalizeAxis(op.attributes.getInt("axis").value_or(0),
                                  parts.front().rank());
  if (b.hasFailed())
    return {};
  return {
      quantize(op, b, b.concat(parts, axis), 0, op.input(first).elementType())};
}

/// The bias has the scale of the products. Without a scale of the result, that
/// is float32.
static Tensors importQGemm(OpContext &op, GraphBuilder &b) {
  Tensor l = op.input(0), r = op.input(3), c = op.optionalInput(6);
  double alpha = op.attributes.getFloat("alpha").value_or(1);
  bool transposesL = op.attributes.getInt("transA").value_or(0) != 0;
  bool transposesR = op.attributes.getInt("transB").value_or(0) != 0;
  if (!op.expectRank(l, 2, 2) || !op.expectRank(r, 2, 2))
    return {};
  Type type = l.elementType();
  l = subtractZeroPoint(op, b, l, 2, -1);
  r = subtractZeroPoint(op, b, r, 5, transposesR ? 0 : 1);
  Tensor sum = multiplyAsNumpy(b, transposesL ? b.permute(l, {1, 0}) : l,
                               transposesR ? b.permute(r, {1, 0}) : r);
  if (c)
    sum = b.add(sum, c);
  Tensor scale = b.mul(op.input(1), op.input(4));
  if (alpha != 1)
    scale = b.mul(scale, alpha);
  if (!op.optionalInput(7))
    return {b.mul(b.cast(sum, getFloat(b)), scale)};
  return {
      requantize(b, sum, b.div(scale, op.input(7)), op.optionalInput(8), type)};
}

/// `sum` times scales, and a bias.
static Tensor scaleAndShift(OpContext &op, GraphBuilder &b, Tensor sum,
                            Tensor scale, unsigned bias) {
  Tensor y = b.mul(b.cast(sum, getFloat(b)), scale);
  Tensor c = op.optionalInput(bias);
  return c ? b.add(y, c) : y;
}

static Tensors importMatMulIntegerToFloat(OpContext &op, GraphBuilder &b) {
  Tensor l = op.input(0), r = op.input(1);
  l = subtractZeroPoint(op, b, l, 4, l.rank() - 2);
  r = subtractZeroPoint(op, b, r, 5, r.rank() - 1);
  Tensor scale = b.mul(op.input(2), op.input(3));
  return {scaleAndShift(op, b, multiplyAsNumpy(b, l, r), scale, 6)};
}

static Tensors importDynamicQuantizeMatMul(OpContext &op, GraphBuilder &b) {
  Tensor r = op.input(1);
  r = subtractZeroPoint(op, b, r, 3, r.rank() - 1);
  DynamicQuantization q = quantizeDynamically(b, op.input(0));
  if (b.hasFailed())
    return {};
  Type byte = IntegerType::get(b.context(), 8, IntegerType::Unsigned);
  Type wide = IntegerType::get(b.context(), 32);
  Tensor l = b.sub(b.cast(b.cast(q.values, byte), wide),
                   b.cast(b.cast(q.zeroPoint, byte), wide));
  Tensor scale = b.mul(q.scale, op.input(2));
  return {scaleAndShift(op, b, multiplyAsNumpy(b, l, r), scale, 4)};
}

ArrayRef<OpDefinition> onnx::getQuantizedOperators() {
  static constexpr OpDefinition ops[] = {
      {"DynamicQuantizeMatMul", importDynamicQuantizeMatMul, 1,
       "com.microsoft"},
      {"MatMulIntegerToFloat", importMatMulIntegerToFloat, 1, "com.microsoft"},
      {"QGemm", importQGemm, 1, "com.microsoft"},
      {"QLinearAdd", importQLinearAdd, 1, "com.microsoft"},
      {"QLinearConcat", importQLinearConcat, 1, "com.microsoft"},
      {"QLinearGlobalAveragePool", importQLinearGlobalAveragePool, 1,
       "com.microsoft"},
      {"QLinearMul", importQLinearMul, 1, "com.microsoft"},
  };
  return ops;
}
