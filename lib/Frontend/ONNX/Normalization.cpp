//===- Normalization.cpp - Normalizations -----------------------*- C++ -*-===//
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

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static double getEpsilon(OpContext &op, double standard = 1e-5f) {
  return op.attributes.getFloat("epsilon").value_or(standard);
}

/// `values`, one a channel, in a shape that repeats them over `x`, whose
/// channels are dimension 1.
static Tensor toChannels(GraphBuilder &b, Tensor values, const Tensor &x) {
  if (!values)
    return {};
  if (values.rank() != 1 || x.rank() < 2 || values.dim(0) != x.dim(1))
    return b.fail("expected one value for each channel of " +
                  formatShape(x.shape()) + ", found the shape " +
                  formatShape(values.shape()));
  Shape shape(x.rank() - 1, 1);
  shape[0] = values.dim(0);
  return b.reshape(values, shape);
}

/// `(x - mean) / sqrt(variance + epsilon)` over the last dimension.
static Tensor normalizeRows(GraphBuilder &b, Tensor x, double epsilon) {
  NamedAttribute attribute(
      StringAttr::get(b.context(), "epsilon"),
      FloatAttr::get(Float64Type::get(b.context()), epsilon));
  return b.create("layer_norm", x, attribute);
}

/// The same over all dimensions from `axis` on.
static Tensor normalizeFrom(GraphBuilder &b, Tensor x, int64_t axis,
                            double epsilon) {
  int64_t rows = 1;
  for (int64_t size : x.shape().take_front(axis))
    rows *= size;
  Tensor flat = b.reshape(x, {rows, x.count() / rows});
  return b.reshape(normalizeRows(b, flat, epsilon), x.shape());
}

static Tensor mean(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= x ? x.dim(dim) : 1;
  return b.div(b.reduce("sum", x, dims, /*keepDims=*/true), double(count));
}

static Shape dimsFrom(const Tensor &x, int64_t axis) {
  return llvm::to_vector(llvm::seq<int64_t>(axis, x.rank()));
}

//===----------------------------------------------------------------------===//
// Known statistics
//===----------------------------------------------------------------------===//

/// As a factor and a summand for each channel, which are computed from the
/// weights.
static Tensors importBatchNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), scale = op.input(1), bias = op.input(2),
         average = op.input(3), variance = op.input(4);
  double epsilon = getEpsilon(op);
  op.attributes.getFloat("momentum");
  if (op.attributes.getInt("training_mode").value_or(0) != 0)
    return {b.fail("training is not supported")};
  if (op.version < 9 && op.attributes.getInt("spatial").value_or(1) == 0)
    return {b.fail("statistics of single elements are not supported")};
  if (!op.expectRank(x, 1) || !scale || !bias || !average || !variance)
    return {};
  if (x.rank() == 1)
    return {b.fail("expected a tensor with channels, found the shape " +
                   formatShape(x.shape()))};
  Type type = variance.elementType();
  Tensor factor = b.div(b.cast(scale, type), b.root(b.add(variance, epsilon)));
  Tensor summand = b.sub(b.cast(bias, type), b.mul(average, factor));
  Tensor scaled = b.mul(x, toChannels(b, b.cast(factor, x.elementType()), x));
  return {b.add(scaled, toChannels(b, b.cast(summand, x.elementType()), x))};
}

//===----------------------------------------------------------------------===//
// Statistics of the input
//===----------------------------------------------------------------------===//

static Tensors importInstanceNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), scale = op.input(1), bias = op.input(2);
  double epsilon = getEpsilon(op);
  if (!op.expectRank(x, 3))
    return {};
  Tensor y = normalizeFrom(b, x, 2, epsilon);
  return {b.add(b.mul(y, toChannels(b, scale, x)), toChannels(b, bias, x))};
}

/// Scale and bias are one a group before opset 21, then one a channel.
static Tensors importGroupNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), scale = op.input(1), bias = op.input(2);
  double epsilon = getEpsilon(op);
  int64_t groups = op.attributes.getInt("num_groups").value_or(0);
  op.attributes.getInt("stash_type");
  if (!op.expectRank(x, 2))
    return {};
  if (groups < 1 || x.dim(1) % groups != 0)
    return {b.fail("expected a number of groups that divides the " +
                   Twine(x.dim(1)) + " channels, found " + Twine(groups))};
  Shape grouped = {x.dim(0), groups, x.count() / (x.dim(0) * groups)};
  Tensor y = normalizeRows(b, b.reshape(x, grouped), epsilon);
  if (op.version < 21)
    return {b.reshape(
        b.add(b.mul(y, toChannels(b, scale, y)), toChannels(b, bias, y)),
        x.shape())};
  y = b.reshape(y, x.shape());
  return {b.add(b.mul(y, toChannels(b, scale, x)), toChannels(b, bias, x))};
}

static Tensors importLayerNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), scale = op.input(1), bias = op.optionalInput(2);
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(-1), x.rank());
  double epsilon = getEpsilon(op);
  op.attributes.getInt("stash_type");
  if (b.hasFailed() || !op.expectElements(x))
    return {};
  Tensor y = b.mul(normalizeFrom(b, x, axis, epsilon), scale);
  if (bias)
    y = b.add(y, bias);
  if (!op.wants(1) && !op.wants(2))
    return {y};
  Type f32 = Float32Type::get(b.context());
  Tensor wide = b.cast(x, f32);
  Tensor average = mean(b, wide, dimsFrom(x, axis));
  Tensor centered = b.sub(wide, average);
  Tensor variance = mean(b, b.mul(centered, centered), dimsFrom(x, axis));
  Tensor deviation = b.root(b.add(variance, epsilon));
  return {y, average, b.div(b.scalar(f32, 1), deviation)};
}

static Tensors importRmsNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), scale = op.input(1);
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(-1), x.rank());
  double epsilon = getEpsilon(op);
  op.attributes.getInt("stash_type");
  if (b.hasFailed() || !op.expectElements(x))
    return {};
  Tensor wide =
      x.elementType().isF64() ? x : b.cast(x, Float32Type::get(b.context()));
  Tensor square = mean(b, b.mul(wide, wide), dimsFrom(x, axis));
  Tensor y = b.div(wide, b.root(b.add(square, epsilon)));
  return {b.mul(b.cast(y, x.elementType()), scale)};
}

static Tensors importSkipLayerNormalization(OpContext &op, GraphBuilder &b) {
  Tensor sum = b.add(op.input(0), op.input(1));
  Tensor gamma = op.input(2), beta = op.optionalInput(3);
  if (Tensor bias = op.optionalInput(4))
    sum = b.add(sum, bias);
  double epsilon = getEpsilon(op, 1e-12f);
  if (!op.expectRank(sum, 1))
    return {};
  Tensor y = b.mul(normalizeRows(b, sum, epsilon), gamma);
  return {beta ? b.add(y, beta) : y, Tensor(), Tensor(), sum};
}

static Tensors importMeanVarianceNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  Shape axes = op.normalizeAxes(
      op.attributes.getInts("axes").value_or(Shape{0, 2, 3}), x.rank());
  if (b.hasFailed())
    return {};
  Tensor centered = b.sub(x, mean(b, x, axes));
  Tensor deviation = b.root(mean(b, b.mul(centered, centered), axes));
  return {b.div(centered, b.add(deviation, 1e-9))};
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static Tensors importLpNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t p = op.attributes.getInt("p").value_or(2);
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(-1), x.rank());
  if (p != 1 && p != 2)
    return {
        b.fail("expected the attribute 'p' to be 1 or 2, found " + Twine(p))};
  if (b.hasFailed())
    return {};
  Tensor sum = b.reduce("sum", p == 1 ? b.unary("abs", x) : b.mul(x, x), axis,
                        /*keepDims=*/true);
  Tensor norm = p == 1 ? sum : b.root(sum);
  // Zeros have no direction, and stay.
  Tensor zero = b.scalar(x.elementType(), 0);
  Tensor safe =
      b.select(b.compare("eq", norm, zero), b.scalar(x.elementType(), 1), norm);
  return {b.div(x, safe)};
}

/// Divides by a power of the sum of squares over neighbouring channels.
static Tensors importLrn(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t size = op.attributes.getInt("size").value_or(0);
  double alpha = op.attributes.getFloat("alpha").value_or(1e-4f);
  double beta = op.attributes.getFloat("beta").value_or(0.75);
  double bias = op.attributes.getFloat("bias").value_or(1);
  if (!op.expectRank(x, 3))
    return {};
  if (size < 1 || size > x.dim(1) * 2)
    return {b.fail("expected a size of 1 to twice the number of channels, "
                   "found " +
                   Twine(size))};
  // The channels are the one spatial dimension of a pooling.
  Shape flat = {x.dim(0), x.dim(1), x.count() / (x.dim(0) * x.dim(1))};
  Tensor square = b.reshape(b.mul(x, x), flat);
  Tensor sum = b.pool("sum", square, {size}, {1}, {1}, {(size - 1) / 2},
                      {size - 1 - (size - 1) / 2});
  Tensor base = b.add(b.mul(sum, alpha / double(size)), bias);
  Tensor power = b.binary("pow", base, b.scalar(x.elementType(), beta));
  return {b.div(x, b.reshape(power, x.shape()))};
}

ArrayRef<OpDefinition> onnx::getNormalizationOps() {
  static constexpr OpDefinition ops[] = {
      {"BatchNormalization", importBatchNormalization, 15},
      {"GroupNormalization", importGroupNormalization, 21},
      {"InstanceNormalization", importInstanceNormalization, 22},
      {"LRN", importLrn, 13},
      {"LayerNormalization", importLayerNormalization, 17},
      {"LpNormalization", importLpNormalization, 22},
      {"MeanVarianceNormalization", importMeanVarianceNormalization, 13},
      {"RMSNormalization", importRmsNormalization, 23},
      {"SkipLayerNormalization", importSkipLayerNormalization, 1,
       "com.microsoft"},
  };
  return ops;
}
