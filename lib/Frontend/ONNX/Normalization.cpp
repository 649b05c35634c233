//===- Normalization.cpp - Normalizations by their formulas -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

static double getEpsilon(OpContext &op, double standard = 1e-5f) {
  return op.attributes.getFloat("epsilon").value_or(standard);
}

/// The type that a mean is computed in: float32, unless the elements are
/// float64. The attribute may say the same.
static void readStashType(OpContext &op) { op.attributes.getInt("stash_type"); }

//===----------------------------------------------------------------------===//
// By channel
//===----------------------------------------------------------------------===//

/// Normalizes by the statistics of the batch itself; gives the moving averages,
/// too.
static Tensors trainBatchNorm(OpContext &op, GraphBuilder &b,
                              const BatchNorm &given, double momentum) {
  Tensor x = op.input(0);
  Shape others = {0};
  llvm::append_range(others, getDimRange(2, x.rank()));
  Moments moments = getMoments(b, toComputed(b, x), others);
  Shape channels = {x.dim(1)};
  Tensor average = b.reshape(moments.mean, channels);
  Tensor variance = b.reshape(moments.variance, channels);
  auto move = [&](Tensor old, Tensor current) {
    Type type = old.elementType();
    return b.cast(b.add(b.mul(toComputed(b, old), momentum),
                        b.mul(current, 1 - momentum)),
                  type);
  };
  return {
      batchNorm(b, x,
                {given.scale, given.bias, average, variance, given.epsilon}),
      move(given.mean, average), move(given.variance, variance)};
}

static bool isUpdated(const OpContext &op, StringRef name) {
  return llvm::any_of(op.updates,
                      [&](const auto &known) { return known.first == name; });
}

/// The average that is input `i`. Exporters let equal initializers be one; each
/// average of a model that is trained is a parameter of its own.
static Tensor getStatistic(OpContext &op, unsigned i, const char *suffix) {
  Tensor statistic = op.input(i);
  if (!statistic || !statistic.isTrainable())
    return statistic;
  StringRef name = statistic.name();
  bool isShared = isUpdated(op, name);
  for (unsigned other = 1; other < 5; ++other)
    isShared |= other != i && op.input(other).name() == name;
  return isShared ? statistic.withName((op.node.outputs[0] + suffix).str())
                  : statistic;
}

/// A step gives the average that value.
static void update(OpContext &op, Tensor average, Tensor value) {
  if (op.training == OnnxTraining::Step && average.isTrainable())
    op.updates.emplace_back(average.name().str(), value);
}

static Tensors importBatchNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  double epsilon = getEpsilon(op);
  double momentum = op.attributes.getFloat("momentum").value_or(0.9f);
  bool isTraining = op.version >= 14 &&
                    op.attributes.getInt("training_mode").value_or(0) != 0;
  if (op.version < 7 && op.attributes.getInt("is_test").value_or(0) == 0)
    return {b.fail("training, is_test = 0, is not supported")};
  if (op.version < 9 && op.attributes.getInt("spatial").value_or(1) != 1)
    return {b.fail("statistics of each element, spatial = 0, are not "
                   "supported")};
  if (!op.expectRank(x, 1))
    return {};
  Shape channels = {x.rank() > 1 ? x.dim(1) : 1};
  for (unsigned i = 1; i < 5; ++i)
    if (!expectShape(b, "statistics and factors", op.input(i), channels))
      return {};
  // Predictions of a model that was exported for training use the averages.
  if (op.training == OnnxTraining::Inference)
    isTraining = false;
  Tensor average = getStatistic(op, 3, ".mean");
  Tensor variance = getStatistic(op, 4, ".variance");
  if (op.training == OnnxTraining::Inference)
    for (Tensor statistic : {average, variance})
      op.updates.emplace_back(statistic.name().str(), Tensor());
  if ((isTraining || op.training == OnnxTraining::Step) &&
      op.expectRank(x, 2)) {
    Tensors results = trainBatchNorm(
        op, b, {op.input(1), op.input(2), average, variance, epsilon},
        momentum);
    update(op, average, results[1]);
    update(op, variance, results[2]);
    return results;
  }
  return {
      batchNorm(b, x, {op.input(1), op.input(2), average, variance, epsilon})};
}

static Tensors importInstanceNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (!op.expectRank(x, 3) ||
      !expectShape(b, "factors", op.input(1), {x.dim(1)}) ||
      !expectShape(b, "offsets", op.input(2), {x.dim(1)}))
    return {};
  return {compose(b, compositions::InstanceNorm{x, op.input(1), op.input(2),
                                                getEpsilon(op)})};
}

/// Before opset 21 there is a factor a group, since then one a channel.
static Tensors importGroupNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  readStashType(op);
  int64_t groups = op.attributes.getInt("num_groups").value_or(0);
  if (!op.expectRank(x, 2) || !expectElements(b, x))
    return {};
  int64_t channels = x.dim(1);
  if (groups < 1 || channels % groups != 0)
    return {b.fail("expected the attribute 'num_groups' to divide the " +
                   Twine(channels) + " channels, got " + Twine(groups))};
  int64_t factors = op.version < 21 ? groups : channels;
  if (!expectShape(b, "factors", op.input(1), {factors}) ||
      !expectShape(b, "offsets", op.input(2), {factors}))
    return {};
  auto repeat = [&](Tensor x) {
    x = b.broadcast(b.reshape(x, {factors, 1}), {factors, channels / factors});
    return b.reshape(x, {channels});
  };
  return {compose(b, compositions::GroupNorm{x, repeat(op.input(1)),
                                             repeat(op.input(2)), groups,
                                             getEpsilon(op)})};
}

/// The squares of the channels around one divide it.
/// `base` to the power of `beta`. The usual 3/4 is a product of roots, which
/// are vector instructions; 16-bit floats would be rounded at each step.
static Tensor raise(GraphBuilder &b, Tensor base, double beta) {
  if (beta != 0.75 || base.elementType().getIntOrFloatBitWidth() < 32)
    return b.pow(base, beta);
  Tensor root = b.sqrt(base);
  return b.mul(root, b.sqrt(root));
}

static Tensors importLRN(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  double alpha = op.attributes.getFloat("alpha").value_or(1e-4f);
  double beta = op.attributes.getFloat("beta").value_or(0.75);
  double bias = op.attributes.getFloat("bias").value_or(1);
  int64_t size = op.attributes.getInt("size").value_or(0);
  if (!op.expectRank(x, 2) || !expectElements(b, x))
    return {};
  if (size < 1 || size >= int64_t(1) << 31)
    return {b.fail("expected the attribute 'size' to be at least 1, got " +
                   Twine(size))};
  // Positions beyond the channels add nothing.
  int64_t before = std::min((size - 1) / 2, x.dim(1) - 1);
  int64_t after = std::min(size / 2, x.dim(1) - 1);
  Tensor rows = b.reshape(
      b.mul(x, x), {x.dim(0), x.dim(1), x.count() / x.dim(0) / x.dim(1)});
  Windows windows{/*sizes=*/{before + after + 1}, /*strides=*/{1},
                  /*dilations=*/{1}, /*padLow=*/{before}, /*padHigh=*/{after}};
  Tensor sum = b.pool(Combiner::Sum, rows, windows);
  Tensor base =
      b.add(b.mul(b.reshape(sum, x.shape()), alpha / double(size)), bias);
  return {b.div(x, raise(b, base, beta))};
}

//===----------------------------------------------------------------------===//
// By row
//===----------------------------------------------------------------------===//

/// The dimension from which on the elements are a row.
static std::optional<int64_t> getRowAxis(OpContext &op, GraphBuilder &b,
                                         const Tensor &x) {
  int64_t axis = op.attributes.getInt("axis").value_or(-1);
  if (!op.expectRank(x, 1))
    return std::nullopt;
  axis = op.normalizeAxis(axis, x.rank());
  if (b.hasFailed())
    return std::nullopt;
  return axis;
}

/// The statistics of layer normalization: the mean of each row and the inverse
/// of its deviation.
static Tensors computeStatistics(GraphBuilder &b, Tensor x, int64_t axis,
                                 double epsilon) {
  Moments moments = getMoments(b, x, getDimRange(axis, x.rank()));
  Tensor deviation = b.sqrt(b.add(moments.variance, epsilon));
  return {moments.mean, b.div(b.scalar(x.elementType(), 1), deviation)};
}

static Tensors importLayerNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), scale = op.input(1), bias = op.optionalInput(2);
  readStashType(op);
  double epsilon = getEpsilon(op);
  std::optional<int64_t> axis = getRowAxis(op, b, x);
  if (!axis || !scale)
    return {};
  Shape dims = getDimRange(*axis, x.rank());
  Tensor y = b.mul(
      compose(b, compositions::LayerNorm{x, {}, {}, epsilon, dims}), scale);
  if (bias)
    y = b.add(y, bias);
  if (!op.wants(1) && !op.wants(2))
    return {y};
  Tensors statistics = computeStatistics(b, toComputed(b, x), *axis, epsilon);
  return {y, statistics[0], statistics[1]};
}

/// `x / sqrt(mean(x * x) + epsilon) * scale` for the rows from `axis` on. The
/// dialect has it for float32 and one factor a column.
static Tensor scaleByRms(GraphBuilder &b, Tensor x, Tensor scale, int64_t axis,
                         double epsilon) {
  if (!x || !scale)
    return {};
  Type type = x.elementType();
  bool isAllowed = std::isfinite(epsilon) && epsilon >= 0;
  if (isAllowed && scale.shape() == x.shape().drop_front(axis))
    return compose(b, compositions::RmsNorm{x, scale, epsilon,
                                            getDimRange(axis, x.rank())});
  Tensor normal = rmsNorm(b, toComputed(b, x), axis, epsilon);
  return b.mul(b.cast(normal, type), scale);
}

static Tensors importRMSNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), scale = op.input(1);
  readStashType(op);
  double epsilon = getEpsilon(op);
  std::optional<int64_t> axis = getRowAxis(op, b, x);
  if (!axis)
    return {};
  return {scaleByRms(b, x, scale, *axis, epsilon)};
}

/// com.microsoft: the sum of two inputs and a bias, normalized; the sum itself
/// is the last output.
template <bool hasMean>
static Tensors importSkipNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = b.add(op.input(0), op.input(1)), gamma = op.input(2);
  double epsilon = getEpsilon(op, 1e-12f);
  Tensor beta = hasMean ? op.optionalInput(3) : Tensor();
  if (Tensor bias = op.optionalInput(hasMean ? 4 : 3))
    x = b.add(x, bias);
  if (!op.expectRank(x, 1))
    return {};
  if (op.wants(1) || op.wants(2))
    return {b.fail("the outputs 1 and 2 are not supported")};
  int64_t axis = x.rank() - 1;
  Tensor normal = hasMean ? b.mul(layerNorm(b, x, axis, epsilon), gamma)
                          : scaleByRms(b, x, gamma, axis, epsilon);
  return {beta ? b.add(normal, beta) : normal, {}, {}, x};
}

/// A row of norm 0 stays 0.
static Tensors importLpNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t p = op.attributes.getInt("p").value_or(2);
  std::optional<int64_t> axis = getRowAxis(op, b, x);
  if (!axis)
    return {};
  if (p != 1 && p != 2)
    return {b.fail("expected the attribute 'p' to be 1 or 2, got " + Twine(p))};
  Tensor terms = p == 1 ? b.abs(x) : b.mul(x, x);
  Tensor norm = b.reduce(Combiner::Sum, terms, *axis, /*keepDims=*/true);
  if (p == 2)
    norm = b.sqrt(norm);
  Tensor zero = b.scalar(x.elementType(), 0);
  return {b.select(b.eq(norm, zero), zero, b.div(x, norm))};
}

static Tensors importMeanVarianceNormalization(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  Shape given = op.attributes.getInts("axes").value_or(Shape{0, 2, 3});
  Shape dims = op.normalizeAxes(given, x.rank());
  if (b.hasFailed())
    return {};
  Moments moments = getMoments(b, x, dims);
  return {b.div(moments.distance, b.add(b.sqrt(moments.variance), 1e-9))};
}

ArrayRef<OpDefinition> onnx::getNormalizationOps() {
  static constexpr OpDefinition ops[] = {
      {"BatchNormalization", importBatchNormalization, 15},
      {"GroupNormalization", importGroupNormalization, 21},
      {"InstanceNormalization", importInstanceNormalization, 22},
      {"LRN", importLRN, 13},
      {"LayerNormalization", importLayerNormalization, 17},
      {"LpNormalization", importLpNormalization, 22},
      {"MeanVarianceNormalization", importMeanVarianceNormalization, 13},
      {"RMSNormalization", importRMSNormalization, 23},
      {"SkipLayerNormalization", importSkipNormalization<true>, 1,
       "com.microsoft"},
      {"SkipSimplifiedLayerNormalization", importSkipNormalization<false>, 1,
       "com.microsoft"},
  };
  return ops;
}
