//===- NormNodes.cpp - Norms and their gradients ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::nodes;

static Tensor sum(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims) {
  return b.reduce(Combiner::Sum, x, dims, /*keepDims=*/true);
}

/// `1 / sqrt(x + epsilon)`.
static Tensor invert(NodeBuilder &node, Tensor x) {
  GraphBuilder &b = node.b;
  Tensor epsilon = node.scalarInput(HamKaasDnnAttrEpsilon, x ? x.rank() : 0);
  return b.div(b.scalar(node.computeType(), 1), b.sqrt(b.add(x, epsilon)));
}

/// Fails unless both are there, or neither is.
static bool checkPair(NodeBuilder &node, int32_t first, int32_t second) {
  if (node.has(first) == node.has(second))
    return true;
  node.fail("expected '" + findAttribute(first)->text + "' and '" +
            findAttribute(second)->text + "', or neither");
  return false;
}

/// An optional result that needs a phase, or other operands.
static void giveIf(NodeBuilder &node, bool isThere, int32_t attribute, Tensor x,
                   StringRef condition) {
  if (node.has(attribute) && !isThere)
    node.fail("expected '" + findAttribute(attribute)->text + "' only " +
              condition);
  node.giveReshaped(attribute, x);
}

static bool isTraining(NodeBuilder &node) {
  return node.integer(HamKaasDnnAttrForwardPhase) == HamKaasDnnTraining;
}

//===----------------------------------------------------------------------===//
// By channel
//===----------------------------------------------------------------------===//

namespace {

/// The operand `x` of a batch norm.
struct Channels {
  explicit Channels(NodeBuilder &node)
      : node(node), x(node.input(HamKaasDnnAttrX)) {
    if (x && x.rank() < 2)
      node.fail("expected 'x' to have channels as its second dimension, got "
                "the dims " +
                graph::formatList(x.shape()));
    if (node.b.hasFailed())
      return;
    dims = graph::getDimRange(0, x.rank());
    dims.erase(dims.begin() + 1);
    count = x.count() / x.dim(1);
  }

  /// An operand of one element a channel, as what broadcasts to `x`.
  Tensor align(int32_t attribute) {
    Tensor y = node.input(attribute);
    if (!y || node.b.hasFailed())
      return {};
    if (y.count() != x.dim(1))
      return node.fail("expected '" + findAttribute(attribute)->text +
                       "' to have " + Twine(x.dim(1)) +
                       " elements, one for each channel, got the dims " +
                       graph::formatList(y.shape()));
    Shape shape(x.rank(), 1);
    shape[1] = x.dim(1);
    return node.b.reshape(y, shape);
  }

  NodeBuilder &node;
  Tensor x;
  /// All but the channels, and the product of their sizes.
  Shape dims;
  int64_t count = 0;
};

} // namespace

static Tensor scaleAndShift(GraphBuilder &b, Tensor normal, Tensor scale,
                            Tensor bias) {
  Tensor y = b.mul(normal, scale);
  return bias ? b.add(y, bias) : y;
}

/// `(1 - momentum) * previous + momentum * current`.
static Tensor average(NodeBuilder &node, Tensor previous, Tensor current) {
  GraphBuilder &b = node.b;
  Tensor momentum = node.scalarInput(HamKaasDnnAttrMomentum, current.rank());
  Tensor kept = b.sub(b.scalar(node.computeType(), 1), momentum);
  return b.add(b.mul(kept, previous), b.mul(momentum, current));
}

void nodes::lowerBatchNorm(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Channels channels(node);
  bool hasRunning = node.has(HamKaasDnnAttrPrevRunningMean);
  if (!checkPair(node, HamKaasDnnAttrPrevRunningMean,
                 HamKaasDnnAttrPrevRunningVariance) ||
      !checkPair(node, HamKaasDnnAttrPrevRunningMean, HamKaasDnnAttrMomentum) ||
      b.hasFailed())
    return;
  graph::Moments moments = graph::getMoments(b, channels.x, channels.dims);
  Tensor inverse = invert(node, moments.variance);
  node.give(HamKaasDnnAttrY, scaleAndShift(b, b.mul(moments.distance, inverse),
                                           channels.align(HamKaasDnnAttrScale),
                                           channels.align(HamKaasDnnAttrBias)));
  node.giveReshaped(HamKaasDnnAttrMean, moments.mean);
  node.giveReshaped(HamKaasDnnAttrInvVariance, inverse);
  Tensor nextMean, nextVariance;
  if (hasRunning && !b.hasFailed()) {
    nextMean = average(node, channels.align(HamKaasDnnAttrPrevRunningMean),
                       moments.mean);
    // That of the population from which the batch is a sample; of one element
    // there is none.
    double n = double(channels.count);
    Tensor unbiased =
        n > 1 ? b.mul(moments.variance, n / (n - 1)) : moments.variance;
    nextVariance = average(
        node, channels.align(HamKaasDnnAttrPrevRunningVariance), unbiased);
  }
  StringRef condition = "with the previous running statistics and momentum";
  giveIf(node, hasRunning, HamKaasDnnAttrNextRunningMean, nextMean, condition);
  giveIf(node, hasRunning, HamKaasDnnAttrNextRunningVariance, nextVariance,
         condition);
}

void nodes::lowerBatchNormInference(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Channels channels(node);
  if (node.has(HamKaasDnnAttrInvVariance) == node.has(HamKaasDnnAttrVariance)) {
    node.fail("expected 'inv_variance' or 'variance', and not both");
    return;
  }
  if (!checkPair(node, HamKaasDnnAttrVariance, HamKaasDnnAttrEpsilon))
    return;
  Tensor inverse = node.has(HamKaasDnnAttrVariance)
                       ? invert(node, channels.align(HamKaasDnnAttrVariance))
                       : channels.align(HamKaasDnnAttrInvVariance);
  // Factor and summand of each channel, as docs/Dnn.md says.
  Tensor factor = b.mul(inverse, channels.align(HamKaasDnnAttrScale));
  Tensor summand = b.sub(channels.align(HamKaasDnnAttrBias),
                         b.mul(channels.align(HamKaasDnnAttrMean), factor));
  node.give(HamKaasDnnAttrY, b.add(b.mul(channels.x, factor), summand));
}

/// The gradient of `normal * scale` by what `normal` is made of by subtracting
/// the mean and dividing by the deviation over `dims`: `inverse * (g - mean(g)
/// - normal * mean(g * normal))`, where `g` is that of `normal`.
static Tensor differentiateNormal(GraphBuilder &b, Tensor g, Tensor normal,
                                  Tensor inverse, ArrayRef<int64_t> dims) {
  Tensor centred = b.sub(g, graph::mean(b, g, dims));
  Tensor along = graph::mean(b, b.mul(g, normal), dims);
  return b.mul(inverse, b.sub(centred, b.mul(normal, along)));
}

namespace {

/// The mean and the inverse deviation, given or computed, and the normalized
/// operand.
struct Statistics {
  Tensor inverse, normal;
};

} // namespace

/// `align` makes a given statistic broadcast to `x`.
static std::optional<Statistics>
findStatistics(NodeBuilder &node, Tensor x, ArrayRef<int64_t> dims,
               llvm::function_ref<Tensor(int32_t)> align) {
  GraphBuilder &b = node.b;
  if (!checkPair(node, HamKaasDnnAttrMean, HamKaasDnnAttrInvVariance) ||
      b.hasFailed())
    return std::nullopt;
  Statistics statistics;
  if (node.has(HamKaasDnnAttrMean)) {
    statistics.inverse = align(HamKaasDnnAttrInvVariance);
    Tensor mean = align(HamKaasDnnAttrMean);
    statistics.normal = b.mul(b.sub(x, mean), statistics.inverse);
  } else if (node.has(HamKaasDnnAttrEpsilon)) {
    graph::Moments moments = graph::getMoments(b, x, dims);
    statistics.inverse = invert(node, moments.variance);
    statistics.normal = b.mul(moments.distance, statistics.inverse);
  } else {
    node.fail("expected 'mean' and 'inv_variance', or 'epsilon' to compute "
              "them");
  }
  if (b.hasFailed())
    return std::nullopt;
  return statistics;
}

void nodes::lowerBatchNormBackward(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Channels channels(node);
  Tensor dy = node.input(HamKaasDnnAttrDy);
  if (!b.hasFailed() && dy.shape() != channels.x.shape())
    node.fail("expected 'dy' and 'x' to have the same dims");
  auto found =
      findStatistics(node, channels.x, channels.dims, [&](int32_t attribute) {
        return channels.align(attribute);
      });
  if (!found)
    return;
  Tensor g = b.mul(dy, channels.align(HamKaasDnnAttrScale));
  node.give(
      HamKaasDnnAttrDx,
      differentiateNormal(b, g, found->normal, found->inverse, channels.dims));
  node.giveReshaped(HamKaasDnnAttrDscale,
                    sum(b, b.mul(dy, found->normal), channels.dims));
  node.giveReshaped(HamKaasDnnAttrDbias, sum(b, dy, channels.dims));
}

//===----------------------------------------------------------------------===//
// By row
//===----------------------------------------------------------------------===//

namespace {

/// The operand `x` of a norm over the dimensions where `scale` has its size.
struct Rows {
  explicit Rows(NodeBuilder &node)
      : node(node), x(node.input(HamKaasDnnAttrX)) {
    Tensor scale = node.given(HamKaasDnnAttrScale);
    if (node.b.hasFailed())
      return;
    if (scale.rank() > x.rank()) {
      fail(scale);
      return;
    }
    scaleShape.assign(x.rank() - scale.rank(), 1);
    llvm::append_range(scaleShape, scale.shape());
    int64_t first = x.rank() - scale.rank();
    for (int64_t dim = 0; dim < x.rank(); ++dim) {
      if (scaleShape[dim] != x.dim(dim) && scaleShape[dim] != 1) {
        fail(scale);
        return;
      }
      bool isNormalized = dim >= first && scaleShape[dim] == x.dim(dim);
      (isNormalized ? dims : others).push_back(dim);
    }
    if (dims.empty())
      fail(scale);
  }

  void fail(const Tensor &scale) {
    node.fail("expected 'scale' to have the size of 'x' in the dimensions to "
              "normalize, and 1 in the others, got the dims " +
              graph::formatList(scale.shape()) + " for " +
              graph::formatList(x.shape()));
  }

  /// `scale` or `bias` as what broadcasts to `x`; null if it is left out.
  Tensor align(int32_t attribute) { return reshape(attribute, scaleShape); }
  /// The same of a statistic.
  Tensor alignStatistic(int32_t attribute) {
    Shape shape(x.shape());
    for (int64_t dim : dims)
      shape[dim] = 1;
    return reshape(attribute, shape);
  }

  Tensor reshape(int32_t attribute, ArrayRef<int64_t> shape) {
    Tensor y = node.input(attribute);
    if (!y || node.b.hasFailed())
      return {};
    if (y.count() != graph::countElements(shape))
      return node.fail("expected '" + findAttribute(attribute)->text +
                       "' to have " + Twine(graph::countElements(shape)) +
                       " elements, got the dims " +
                       graph::formatList(y.shape()));
    return node.b.reshape(y, shape);
  }

  NodeBuilder &node;
  Tensor x;
  Shape dims, others, scaleShape;
};

} // namespace

void nodes::lowerLayerNorm(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Rows rows(node);
  if (b.hasFailed())
    return;
  Tensor mean, inverse, normal;
  std::optional<double> epsilon = node.number(HamKaasDnnAttrEpsilon);
  if (isTraining(node) || !epsilon) {
    graph::Moments moments = graph::getMoments(b, rows.x, rows.dims);
    mean = moments.mean;
    inverse = invert(node, moments.variance);
    normal = b.mul(moments.distance, inverse);
  }
  if (epsilon) {
    if (!(*epsilon >= 0 && std::isfinite(*epsilon))) {
      node.fail("expected 'epsilon' to be finite and at least 0, got " +
                Twine(std::to_string(*epsilon)));
      return;
    }
    // The operation of the dialect, which is one kernel.
    normal = graph::alongDims(b, rows.x, rows.dims, [&](Tensor x) {
      return b.layerNorm(x, *epsilon);
    });
  }
  node.give(HamKaasDnnAttrY,
            scaleAndShift(b, normal, rows.align(HamKaasDnnAttrScale),
                          rows.align(HamKaasDnnAttrBias)));
  StringRef condition = "in the training phase";
  giveIf(node, isTraining(node), HamKaasDnnAttrMean, mean, condition);
  giveIf(node, isTraining(node), HamKaasDnnAttrInvVariance, inverse, condition);
}

/// Sums over the dimensions that the norm leaves alone.
static void giveParameterGradients(NodeBuilder &node, Rows &rows, Tensor dy,
                                   Tensor normal) {
  GraphBuilder &b = node.b;
  Shape dims;
  for (int64_t dim = 0; dim < rows.x.rank(); ++dim)
    if (rows.scaleShape[dim] == 1)
      dims.push_back(dim);
  Shape shape(node.given(HamKaasDnnAttrScale).shape());
  if (node.has(HamKaasDnnAttrDscale))
    node.giveReshaped(HamKaasDnnAttrDscale,
                      b.reshape(sum(b, b.mul(dy, normal), dims), shape));
  if (node.has(HamKaasDnnAttrDbias))
    node.giveReshaped(HamKaasDnnAttrDbias, b.reshape(sum(b, dy, dims), shape));
}

/// Null after a failure.
static Tensor readGradient(NodeBuilder &node, const Rows &rows) {
  Tensor dy = node.input(HamKaasDnnAttrDy);
  if (node.b.hasFailed() || dy.shape() == rows.x.shape())
    return dy;
  return node.fail("expected 'dy' and 'x' to have the same dims");
}

void nodes::lowerLayerNormBackward(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Rows rows(node);
  Tensor dy = readGradient(node, rows);
  if (b.hasFailed())
    return;
  auto found = findStatistics(node, rows.x, rows.dims, [&](int32_t attribute) {
    return rows.alignStatistic(attribute);
  });
  if (!found)
    return;
  Tensor g = b.mul(dy, rows.align(HamKaasDnnAttrScale));
  node.give(HamKaasDnnAttrDx, differentiateNormal(b, g, found->normal,
                                                  found->inverse, rows.dims));
  giveParameterGradients(node, rows, dy, found->normal);
}

void nodes::lowerRmsNorm(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Rows rows(node);
  if (b.hasFailed())
    return;
  Tensor squares = graph::mean(b, b.mul(rows.x, rows.x), rows.dims);
  Tensor inverse = invert(node, squares);
  node.give(HamKaasDnnAttrY, scaleAndShift(b, b.mul(rows.x, inverse),
                                           rows.align(HamKaasDnnAttrScale),
                                           rows.align(HamKaasDnnAttrBias)));
  giveIf(node, isTraining(node), HamKaasDnnAttrInvRms, inverse,
         "in the training phase");
}

void nodes::lowerRmsNormBackward(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Rows rows(node);
  Tensor dy = readGradient(node, rows);
  if (b.hasFailed())
    return;
  Tensor inverse = rows.alignStatistic(HamKaasDnnAttrInvRms);
  Tensor normal = b.mul(rows.x, inverse);
  Tensor g = b.mul(dy, rows.align(HamKaasDnnAttrScale));
  Tensor along = graph::mean(b, b.mul(g, normal), rows.dims);
  node.give(HamKaasDnnAttrDx, b.mul(inverse, b.sub(g, b.mul(normal, along))));
  giveParameterGradients(node, rows, dy, normal);
}
