//===- WindowCompositions.cpp - Convolutions and pools ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositionChecks.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include <numeric>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using namespace hamkaas::graph::compositions;

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

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

/// The windows over spatial dimensions; the paddings are those before and
/// after.
static std::optional<Windows>
readWindows(GraphBuilder &b, ArrayRef<int64_t> kernel,
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
  return Windows{*sizes, *strides, *dilations, *pads, *pads};
}

/// Fails unless the windows fit into `x`, channels first, and its padding.
static bool checkFit(GraphBuilder &b, const Tensor &x, const Windows &windows) {
  for (int64_t i = 0; i < windows.count(); ++i)
    if (x.dim(i + 2) + 2 * windows.padLow[i] < windows.extent(i)) {
      b.fail("expected windows that fit into " + formatList(x.shape()) +
             " and its padding, got ones of " + formatList(windows.sizes));
      return false;
    }
  return true;
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
  auto windows = readWindows(b, w.shape().drop_front(2), given.stride,
                             given.padding, given.dilation, Shape(count, 1));
  if (!windows || !checkFit(b, x, *windows) ||
      !checkShape(b, "bias", given.bias, {w.dim(0)}))
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

template <int64_t count, typename T>
static Tensor convolveTransposed(GraphBuilder &b, const T &given) {
  Tensor x = given.x, w = given.weight;
  if (!checkImages(b, x, count))
    return {};
  int64_t groups = given.groups;
  bool fits = w.rank() == x.rank() && w.dim(0) == x.dim(1) && groups >= 1 &&
              x.dim(1) % groups == 0;
  if (!fits)
    return b.fail("expected 'weight' of " + Twine(x.dim(1)) + " channels in " +
                  Twine(groups) + " groups, got the shape " +
                  formatList(w.shape()));
  auto windows = readWindows(b, w.shape().drop_front(2), given.stride,
                             given.padding, given.dilation, Shape(count, 1));
  auto added =
      readList(b, "output_padding", given.output_padding, Shape(count, 0), 0);
  if (!windows || !added ||
      !checkShape(b, "bias", given.bias, {w.dim(1) * groups}))
    return {};
  for (int64_t i = 0; i < count; ++i)
    if ((*added)[i] >= std::max(windows->strides[i], windows->dilations[i]))
      return b.fail("expected 'output_padding' less than 'stride' or "
                    "'dilation', got " +
                    formatList(*added));
  Tensor y = convTransposed(b, channelsLast(b, x), weightsLast(b, w), *windows,
                            *added, groups);
  return channelsFirst(b, given.bias ? b.add(y, given.bias) : y);
}

Tensor compositions::compose(GraphBuilder &b, const ConvTranspose1d &given) {
  return convolveTransposed<1>(b, given);
}
Tensor compositions::compose(GraphBuilder &b, const ConvTranspose2d &given) {
  return convolveTransposed<2>(b, given);
}
Tensor compositions::compose(GraphBuilder &b, const ConvTranspose3d &given) {
  return convolveTransposed<3>(b, given);
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
  auto windows = readWindows(b, given.kernel, given.stride, given.padding,
                             dilation, given.kernel);
  if (!windows || !checkFit(b, given.x, *windows))
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
// Pooling to a size
//===----------------------------------------------------------------------===//

/// Combines the elements of `size` parts of dimension `dim`, which may share
/// some: a table has the elements of each. A part with fewer than others has
/// its last one again, which does not change the maximum and has no weight.
static Tensor poolParts(GraphBuilder &b, Tensor x, int64_t dim, int64_t size,
                        Combiner combiner) {
  int64_t old = x.dim(dim);
  if (old > INT64_MAX / (size + 1))
    return b.fail("expected fewer parts of " + formatList(x.shape()) +
                  ", got " + Twine(size));
  // Part i is from floor(i * old / size) to ceil((i + 1) * old / size); the
  // longest begins at the largest remainder.
  int64_t most = llvm::divideCeil(old + size - std::gcd(old, size), size);
  Type type = IntegerType::get(b.context(), 64);
  Tensor i = b.reshape(b.count(size, type), {size, 1});
  Tensor scaled = b.mul(i, double(old)), parts = b.scalar(type, double(size));
  Tensor begin = b.div(scaled, parts);
  Tensor end = b.div(b.add(scaled, double(old + size - 1)), parts);
  Tensor k = b.add(begin, b.count(most, type));
  Tensor elements = b.min(k, b.sub(end, 1.0));
  Tensor pooled = b.gather(x, elements, dim, /*areChecked=*/true);
  if (combiner == Combiner::Sum && pooled) {
    Type wide = Float64Type::get(b.context());
    Tensor share = b.div(b.scalar(wide, 1), b.cast(b.sub(end, begin), wide));
    Tensor weights = b.select(b.lt(k, end), share, b.scalar(wide, 0));
    Shape aligned = {size, most};
    aligned.append(x.rank() - 1 - dim, 1);
    pooled =
        b.mul(pooled, b.reshape(b.cast(weights, x.elementType()), aligned));
  }
  return b.reduce(combiner, pooled, dim + 1, /*keepDims=*/false);
}

/// The maximum, or by Sum the mean, of `given.size` parts of each dimension.
template <int64_t count, typename T>
static Tensor poolAdaptively(GraphBuilder &b, const T &given,
                             Combiner combiner) {
  Tensor x = given.x;
  if (!checkImages(b, x, count))
    return {};
  auto size = readList(b, "size", given.size, x.shape().drop_front(2), 1);
  if (!size)
    return {};
  bool isMean = combiner == Combiner::Sum;
  Tensor y = isMean ? toComputed(b, x) : x;
  // Equal parts are windows.
  Windows windows{Shape(), Shape(), Shape(count, 1), Shape(count, 0),
                  Shape(count, 0)};
  bool areEqual = true;
  for (int64_t i = 0; i < count; ++i) {
    windows.sizes.push_back(x.dim(i + 2) / (*size)[i]);
    areEqual &= x.dim(i + 2) % (*size)[i] == 0;
  }
  windows.strides = windows.sizes;
  if (areEqual) {
    y = channelsFirst(b, b.pool(combiner, channelsLast(b, y), windows));
    if (isMean)
      y = b.div(y, double(countElements(windows.sizes)));
  }
  for (int64_t i = 0; i < count && y && !areEqual; ++i)
    y = poolParts(b, y, i + 2, (*size)[i], combiner);
  return b.cast(y, x.elementType());
}

Tensor compositions::compose(GraphBuilder &b, const AdaptiveAvgPool1d &given) {
  return poolAdaptively<1>(b, given, Combiner::Sum);
}
Tensor compositions::compose(GraphBuilder &b, const AdaptiveAvgPool2d &given) {
  return poolAdaptively<2>(b, given, Combiner::Sum);
}
Tensor compositions::compose(GraphBuilder &b, const AdaptiveAvgPool3d &given) {
  return poolAdaptively<3>(b, given, Combiner::Sum);
}
Tensor compositions::compose(GraphBuilder &b, const AdaptiveMaxPool1d &given) {
  return poolAdaptively<1>(b, given, Combiner::Max);
}
Tensor compositions::compose(GraphBuilder &b, const AdaptiveMaxPool2d &given) {
  return poolAdaptively<2>(b, given, Combiner::Max);
}
Tensor compositions::compose(GraphBuilder &b, const AdaptiveMaxPool3d &given) {
  return poolAdaptively<3>(b, given, Combiner::Max);
}
