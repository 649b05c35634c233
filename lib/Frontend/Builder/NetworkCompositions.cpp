//===- NetworkCompositions.cpp - Layers of networks -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using namespace hamkaas::graph::compositions;

/// Fails unless `x` has one element for each of `count` channels.
static bool checkChannels(GraphBuilder &b, StringRef name, const Tensor &x,
                          int64_t count) {
  if (!x || (x.rank() == 1 && x.dim(0) == count))
    return true;
  b.fail("expected '" + name + "' to have the shape [" + Twine(count) +
         "], got " + formatList(x.shape()));
  return false;
}

/// Fails unless `x` has at least `least` dimensions.
static bool checkRank(GraphBuilder &b, const Tensor &x, int64_t least) {
  if (x.rank() >= least)
    return true;
  b.fail("expected 'x' of rank " + Twine(least) + " or more, got the shape " +
         formatList(x.shape()));
  return false;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b,
                             const compositions::Linear &given) {
  Tensor w = given.weight;
  if (w.rank() != 2 || given.x.rank() < 1 || w.dim(1) != given.x.shape().back())
    return b.fail("expected 'weight' to be a matrix of rows as long as those "
                  "of 'x', got the shapes " +
                  formatList(w.shape()) + " and " +
                  formatList(given.x.shape()));
  if (!checkChannels(b, "bias", given.bias, w.dim(0)))
    return {};
  return linear(b, given.x, b.permute(w, {1, 0}), given.bias);
}

/// One entry a spatial dimension.
static std::optional<Shape> readList(GraphBuilder &b, StringRef name,
                                     std::optional<ArrayRef<int64_t>> given,
                                     ArrayRef<int64_t> standard,
                                     int64_t least) {
  Shape list(given.value_or(standard));
  bool isValid =
      list.size() == standard.size() && llvm::all_of(list, [&](int64_t entry) {
        return entry >= least && entry <= INT32_MAX;
      });
  if (isValid)
    return list;
  b.fail("expected '" + name + "' to have " + Twine(standard.size()) +
         " entries from " + Twine(least) + " to 2^31 - 1, got " +
         formatList(list));
  return std::nullopt;
}

/// The windows over the spatial dimensions of `x`, channels first; the paddings
/// are those before and after.
static std::optional<Windows>
readWindows(GraphBuilder &b, const Tensor &x, ArrayRef<int64_t> kernel,
            std::optional<ArrayRef<int64_t>> stride,
            std::optional<ArrayRef<int64_t>> padding,
            std::optional<ArrayRef<int64_t>> dilation,
            ArrayRef<int64_t> standardStride) {
  size_t count = standardStride.size();
  auto sizes = readList(b, "kernel", kernel, standardStride, 1);
  auto strides = readList(b, "stride", stride, standardStride, 1);
  auto pads = readList(b, "padding", padding, Shape(count, 0), 0);
  auto dilations = readList(b, "dilation", dilation, Shape(count, 1), 1);
  if (!sizes || !strides || !pads || !dilations)
    return std::nullopt;
  Windows windows{*sizes, *strides, *dilations, *pads, *pads};
  for (size_t i = 0; i < count; ++i)
    if (x.dim(i + 2) + 2 * (*pads)[i] < windows.extent(i)) {
      b.fail("expected windows that fit into " + formatList(x.shape()) +
             " and its padding, got ones of " + formatList(*sizes));
      return std::nullopt;
    }
  return windows;
}

/// Fails unless `x` is a batch of images of `count` spatial dimensions.
static bool checkImages(GraphBuilder &b, const Tensor &x, int64_t count) {
  if (x.rank() == count + 2)
    return true;
  b.fail("expected 'x' of rank " + Twine(count + 2) + ", got the shape " +
         formatList(x.shape()));
  return false;
}

template <int64_t count, typename T>
static Tensor convolve(GraphBuilder &b, const T &given) {
  Tensor x = given.x, w = given.weight;
  if (!checkImages(b, x, count))
    return {};
  int64_t groups = given.groups;
  bool fits = w.rank() == x.rank() && groups >= 1 && x.dim(1) % groups == 0 &&
              w.dim(0) % groups == 0 && w.dim(1) == x.dim(1) / groups;
  if (!fits)
    return b.fail("expected 'weight' for " + Twine(x.dim(1)) + " channels in " +
                  Twine(groups) + " groups, got the shape " +
                  formatList(w.shape()));
  auto windows = readWindows(b, x, w.shape().drop_front(2), given.stride,
                             given.padding, given.dilation, Shape(count, 1));
  if (!windows || !checkChannels(b, "bias", given.bias, w.dim(0)))
    return {};
  Tensor y = b.conv(channelsLast(b, x), weightsLast(b, w), *windows, groups);
  return channelsFirst(b, given.bias ? b.add(y, given.bias) : y);
}

Tensor compositions::compose(GraphBuilder &b, const Conv1d &given) {
  return convolve<1>(b, given);
}
Tensor compositions::compose(GraphBuilder &b, const Conv2d &given) {
  return convolve<2>(b, given);
}
Tensor compositions::compose(GraphBuilder &b, const Conv3d &given) {
  return convolve<3>(b, given);
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// The windows of a pooling; `pads` are the paddings before they are rounded
/// up.
template <typename T>
static std::optional<Windows>
readPool(GraphBuilder &b, const T &given, int64_t count,
         std::optional<ArrayRef<int64_t>> dilation, Shape &pads) {
  if (!checkImages(b, given.x, count) ||
      !readList(b, "kernel", given.kernel, Shape(count, 1), 1))
    return std::nullopt;
  auto windows = readWindows(b, given.x, given.kernel, given.stride,
                             given.padding, dilation, given.kernel);
  if (!windows)
    return std::nullopt;
  pads = windows->padLow;
  for (auto [pad, size] : llvm::zip_equal(pads, windows->sizes))
    if (pad > size / 2) {
      b.fail("expected 'padding' of at most half of 'kernel', got " +
             formatList(pads) + " and " + formatList(windows->sizes));
      return std::nullopt;
    }
  if (given.ceil_mode)
    roundUpWindows(*windows, given.x.shape().drop_front(2));
  return windows;
}

template <int64_t count, typename T>
static Tensor poolMaximum(GraphBuilder &b, const T &given) {
  Shape pads;
  auto windows = readPool(b, given, count, given.dilation, pads);
  if (!windows)
    return {};
  return channelsFirst(
      b, b.pool(Combiner::Max, channelsLast(b, given.x), *windows));
}

template <int64_t count, typename T>
static Tensor poolMean(GraphBuilder &b, const T &given) {
  Shape pads;
  auto windows = readPool(b, given, count, std::nullopt, pads);
  if (!windows)
    return {};
  Tensor x = channelsLast(b, toComputed(b, given.x));
  Shape counted = given.count_include_pad ? pads : Shape(count, 0);
  Tensor mean =
      divideByWindows(b, b.pool(Combiner::Sum, x, *windows), *windows,
                      given.x.shape().drop_front(2), counted, counted);
  return b.cast(channelsFirst(b, mean), given.x.elementType());
}

Tensor compositions::compose(GraphBuilder &b, const MaxPool1d &given) {
  return poolMaximum<1>(b, given);
}
Tensor compositions::compose(GraphBuilder &b, const MaxPool2d &given) {
  return poolMaximum<2>(b, given);
}
Tensor compositions::compose(GraphBuilder &b, const MaxPool3d &given) {
  return poolMaximum<3>(b, given);
}
Tensor compositions::compose(GraphBuilder &b, const AvgPool1d &given) {
  return poolMean<1>(b, given);
}
Tensor compositions::compose(GraphBuilder &b, const AvgPool2d &given) {
  return poolMean<2>(b, given);
}
Tensor compositions::compose(GraphBuilder &b, const AvgPool3d &given) {
  return poolMean<3>(b, given);
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

/// The element of each channel, `standard` if they are left out.
static Tensor fillChannels(GraphBuilder &b, Tensor x, int64_t channels,
                           Type type, double standard) {
  return x ? x : b.broadcast(b.scalar(type, standard), {channels});
}

Tensor compositions::compose(GraphBuilder &b,
                             const compositions::BatchNorm &given) {
  Tensor x = given.x;
  if (!checkRank(b, x, 2))
    return {};
  int64_t channels = x.dim(1);
  if (!checkChannels(b, "mean", given.mean, channels) ||
      !checkChannels(b, "variance", given.variance, channels) ||
      !checkChannels(b, "weight", given.weight, channels) ||
      !checkChannels(b, "bias", given.bias, channels))
    return {};
  Type type = x.elementType();
  return batchNorm(b, x,
                   {fillChannels(b, given.weight, channels, type, 1),
                    fillChannels(b, given.bias, channels, type, 0), given.mean,
                    given.variance, given.epsilon});
}

Tensor compositions::compose(GraphBuilder &b, const GroupNorm &given) {
  Tensor x = given.x;
  if (!checkRank(b, x, 2))
    return {};
  int64_t channels = x.dim(1), groups = given.groups;
  if (groups < 1 || channels % groups != 0)
    return b.fail("expected 'groups' to divide the " + Twine(channels) +
                  " channels, got " + Twine(groups));
  if (!checkChannels(b, "weight", given.weight, channels) ||
      !checkChannels(b, "bias", given.bias, channels))
    return {};
  Shape grouped = {x.dim(0), groups, x.count() / x.dim(0) / groups};
  Tensor y =
      layerNorm(b, b.reshape(toComputed(b, x), grouped), 2, given.epsilon);
  y = b.reshape(y, x.shape());
  auto align = [&](Tensor factors) {
    return alignToChannels(b, toComputed(b, factors), x.rank());
  };
  if (given.weight)
    y = b.mul(y, align(given.weight));
  if (given.bias)
    y = b.add(y, align(given.bias));
  return b.cast(y, x.elementType());
}

Tensor compositions::compose(GraphBuilder &b, const InstanceNorm &given) {
  if (!checkRank(b, given.x, 2))
    return {};
  return compose(b, GroupNorm{given.x, given.weight, given.bias, given.x.dim(1),
                              given.epsilon});
}

//===----------------------------------------------------------------------===//
// Tables and orders
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Embedding &given) {
  if (given.weight.rank() < 1)
    return b.fail("expected 'weight' with dimensions, got a scalar");
  return b.gather(given.weight, given.indices, 0);
}

Tensor compositions::compose(GraphBuilder &b, const OneHot &given) {
  Shape aligned(given.indices.shape()), shape(aligned);
  aligned.push_back(1);
  shape.push_back(given.classes);
  if (given.classes < 1 || !hasFewElements(shape))
    return b.fail("expected 'classes' from 1, of fewer than 2^47 elements, "
                  "got " +
                  Twine(given.classes));
  Type wide = IntegerType::get(b.context(), 64);
  Tensor indices = b.reshape(b.cast(given.indices, wide), aligned);
  Tensor hits = b.eq(b.broadcast(indices, shape), b.count(given.classes, wide));
  return b.cast(hits, given.type);
}

/// The first `count` elements of `x` along `axis` in their order, then their
/// indices.
static Tensors sortAlong(GraphBuilder &b, Tensor x, int64_t axis,
                         bool isDescending, int64_t count) {
  Shape permutation = getDimRange(0, x.rank());
  std::swap(permutation[axis], permutation.back());
  Tensor rows = b.permute(x, permutation);
  Tensor order =
      b.sliceDim(b.argsort(rows, isDescending), x.rank() - 1, 0, count);
  if (!order)
    return {};
  int64_t size = x.dim(axis), rowCount = x.count() / size;
  Tensor begin = b.mul(b.count(rowCount, order.elementType()), double(size));
  Tensor places = b.add(b.reshape(order, {rowCount, count}),
                        b.reshape(begin, {rowCount, 1}));
  Tensor values = b.gather(b.reshape(rows, {x.count()}), places, 0,
                           /*areChecked=*/true);
  values = b.reshape(values, order.shape());
  return {b.permute(values, permutation), b.permute(order, permutation)};
}

Tensors compositions::compose(GraphBuilder &b, const Topk &given) {
  std::optional<int64_t> axis = findAxis(b, "axis", given.axis, given.x.rank());
  if (!axis)
    return {};
  if (given.k < 1 || given.k > given.x.dim(*axis))
    return {b.fail("expected 'k' from 1 to " + Twine(given.x.dim(*axis)) +
                   ", got " + Twine(given.k))};
  return sortAlong(b, given.x, *axis, !given.smallest, given.k);
}

Tensor compositions::compose(GraphBuilder &b, const Sort &given) {
  std::optional<int64_t> axis = findAxis(b, "axis", given.axis, given.x.rank());
  if (!axis)
    return {};
  Tensors sorted =
      sortAlong(b, given.x, *axis, given.descending, given.x.dim(*axis));
  return sorted.empty() ? Tensor() : sorted.front();
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// Combines losses, of which `counts` are 1 and the others 0; all are if it is
/// null.
static Tensor reduceLosses(GraphBuilder &b, Tensor losses, Tensor counts,
                           LossReduction reduction) {
  if (!losses || reduction == LossReduction::None)
    return losses;
  auto sum = [&](Tensor x) {
    return b.reduce(Combiner::Sum, x, getDimRange(0, x.rank()),
                    /*keepDims=*/false);
  };
  if (reduction == LossReduction::Sum)
    return sum(losses);
  return counts ? b.div(sum(losses), sum(counts))
                : b.div(sum(losses), double(losses.count()));
}

template <typename T, typename Fn>
static Tensor computeLoss(GraphBuilder &b, const T &given, Fn getLosses) {
  if (given.x.type() != given.target.type())
    return b.fail("expected 'x' and 'target' of one type, got " +
                  describeType(given.x) + " and " + describeType(given.target));
  Tensor distance = b.sub(toComputed(b, given.x), toComputed(b, given.target));
  Tensor losses = getLosses(distance);
  return b.cast(reduceLosses(b, losses, {}, given.reduction),
                given.x.elementType());
}

Tensor compositions::compose(GraphBuilder &b, const MseLoss &given) {
  return computeLoss(b, given, [&](Tensor d) { return b.mul(d, d); });
}
Tensor compositions::compose(GraphBuilder &b, const L1Loss &given) {
  return computeLoss(b, given, [&](Tensor d) { return b.abs(d); });
}

Tensor compositions::compose(GraphBuilder &b, const CrossEntropy &given) {
  if (!checkRank(b, given.x, 2))
    return {};
  Tensor x = toComputed(b, given.x);
  Type type = x.elementType(), wide = IntegerType::get(b.context(), 64);
  Shape aligned = b.keepDim(x, 1), others = b.dropDims(x, {1});
  if (given.target.shape() != ArrayRef(others))
    return b.fail("expected 'target' to have the shape " + formatList(others) +
                  ", got " + formatList(given.target.shape()));
  int64_t classes = x.dim(1);
  Shape along(x.rank(), 1);
  along[1] = classes;
  Tensor target = b.reshape(b.cast(given.target, wide), aligned);
  Tensor isRight = b.eq(b.broadcast(target, x.shape()),
                        b.reshape(b.count(classes, wide), along));
  Tensor logarithms = logSoftmax(b, x, 1), zero = b.scalar(type, 0);
  auto sumClasses = [&](Tensor terms) {
    return b.neg(b.reduce(Combiner::Sum, terms, 1, /*keepDims=*/false));
  };
  Tensor losses = sumClasses(b.select(isRight, logarithms, zero));
  double smoothing = given.label_smoothing;
  if (smoothing != 0)
    losses = b.add(b.mul(losses, 1 - smoothing),
                   b.mul(sumClasses(logarithms), smoothing / double(classes)));
  Tensor isUsed = b.reshape(
      b.ne(target, b.constant({given.ignore_index}, Shape(x.rank(), 1))),
      others);
  losses = b.select(isUsed, losses, zero);
  losses = reduceLosses(b, losses, b.cast(isUsed, type), given.reduction);
  return b.cast(losses, given.x.elementType());
}
