//===- Pooling.cpp - Pooling ------------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Windows.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// The windows of a pooling operator, of which 'pads' alone are paddings: what
/// is added to round up is not.
static std::optional<Windows> readPool(OpContext &op, GraphBuilder &b,
                                       Tensor x) {
  if (!op.expectRank(x, 3, 5))
    return std::nullopt;
  if (!op.attributes.has("kernel_shape")) {
    b.fail("expected an attribute 'kernel_shape', got none");
    return std::nullopt;
  }
  return readWindows(op, b, x.shape().drop_front(2), {}, /*mayRoundUp=*/true);
}

//===----------------------------------------------------------------------===//
// Largest elements
//===----------------------------------------------------------------------===//

/// The elements of the windows of `x`, whose spatial dimensions are behind the
/// first two, in a last dimension; `padding` where a window leaves the image.
static Tensor unfold(GraphBuilder &b, Tensor x, Tensor padding,
                     const Windows &windows) {
  Shape low = {0, 0}, high = {0, 0};
  llvm::append_range(low, windows.padLow);
  llvm::append_range(high, windows.padHigh);
  x = b.pad(x, padding, low, high, Shape(low.size(), 0));
  if (!x)
    return {};
  Shape sizes(x.shape()), strides = {1, 1}, place(windows.count(), 0);
  llvm::append_range(strides, windows.strides);
  for (int64_t i = 0; i < windows.count(); ++i)
    sizes[i + 2] = (sizes[i + 2] - windows.extent(i)) / windows.strides[i] + 1;
  Tensors parts;
  for (int64_t i = 0, count = countElements(windows.sizes); i < count; ++i) {
    Shape offsets(x.rank(), 0);
    for (int64_t dim = windows.count() - 1, rest = i; dim >= 0; --dim) {
      offsets[dim + 2] = rest % windows.sizes[dim] * windows.dilations[dim];
      rest /= windows.sizes[dim];
    }
    parts.push_back(
        addDim(b, b.stridedSlice(x, offsets, sizes, strides), x.rank()));
  }
  return b.concat(parts, x.rank());
}

/// Places counted from the last dimension as those counted from the first one.
static Tensor countFromFirst(GraphBuilder &b, Tensor place,
                             ArrayRef<int64_t> spatial) {
  int64_t stride = countElements(spatial);
  Tensor result;
  for (int64_t size : llvm::reverse(spatial)) {
    stride /= size;
    Tensor rest = b.div(place, double(size));
    Tensor part =
        b.mul(b.sub(place, b.mul(rest, double(size))), double(stride));
    result = result ? b.add(result, part) : part;
    place = rest;
  }
  return result;
}

/// The places of the largest elements of the windows among all of `x`.
static Tensor findLargest(GraphBuilder &b, Tensor x, const Windows &windows,
                          bool countsFromFirst) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr int64_t largestWindow = 1024;
  if (countElements(windows.sizes) > largestWindow)
    return b.fail("places in windows of more than " + Twine(largestWindow) +
                  " elements are not supported");
  ArrayRef<int64_t> spatial = x.shape().drop_front(2);
  Shape image = {1, 1};
  llvm::append_range(image, spatial);
  int64_t count = countElements(spatial), none = std::max<int64_t>(count, 1);
  Tensor place = b.reshape(b.iota({count}, 0), image);
  place = unfold(b, place, b.constant({none}, {}), windows);
  Tensor lowest = b.cast(b.scalar(Float64Type::get(b.context()), -infinity),
                         x.elementType());
  Tensor elements = unfold(b, x, lowest, windows);
  if (!elements)
    return {};
  Tensor isLargest =
      b.eq(elements, b.reduce(Combiner::Max, elements, elements.rank() - 1,
                              /*keepDims=*/true));
  if (x.isFloat())
    isLargest = b.bitOr(isLargest, b.ne(elements, elements));
  place = b.reduce(Combiner::Min,
                   b.select(isLargest, place, b.constant({none}, {})),
                   elements.rank() - 1, /*keepDims=*/false);
  if (countsFromFirst)
    place = countFromFirst(b, place, spatial);
  Shape planes(x.rank(), 1);
  planes[0] = x.dim(0);
  planes[1] = x.dim(1);
  Tensor plane = b.reshape(b.iota({x.dim(0) * x.dim(1)}, 0), planes);
  return b.add(place, b.mul(plane, double(count)));
}

static Tensors importMaxPool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  auto windows = readPool(op, b, x);
  bool countsFromFirst = op.attributes.getInt("storage_order").value_or(0) != 0;
  if (!windows)
    return {};
  Tensors results = {
      channelsFirst(b, b.pool(Combiner::Max, channelsLast(b, x), *windows))};
  if (op.wants(1))
    results.push_back(findLargest(b, x, *windows, countsFromFirst));
  return results;
}

/// Puts the elements back to where MaxPool found them, between zeros.
static Tensors importMaxUnpool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), places = op.input(1);
  if (!op.expectRank(x, 3, 5) || !expectShape(b, "places", places, x.shape()))
    return {};
  size_t count = x.rank() - 2;
  auto sizes = readList(op, b, "kernel_shape", count, 0, 1);
  auto strides = readList(op, b, "strides", count, 1, 1);
  auto pads = readList(op, b, "pads", 2 * count, 0, 0);
  if (!sizes || !strides || !pads)
    return {};
  Shape shape = {x.dim(0), x.dim(1)};
  for (size_t i = 0; i < count; ++i)
    shape.push_back((x.dim(i + 2) - 1) * (*strides)[i] + (*sizes)[i] -
                    (*pads)[i] - (*pads)[i + count]);
  // The places are those in an image of the shape that the windows give.
  Shape result = shape, high(shape.size(), 0), none(shape.size(), 0);
  if (op.has(2))
    result = op.constantInts(2).value_or(Shape());
  bool fits = result.size() == shape.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    high[i] = result[i] - shape[i];
    fits = shape[i] > 0 && high[i] >= 0;
  }
  if (!b.hasFailed() && !fits)
    b.fail("expected a result of at least " + formatShape(shape) + ", got " +
           formatShape(result));
  if (b.hasFailed() || !op.checkShape(result))
    return {};
  Tensor zero = b.scalar(x.elementType(), 0);
  Tensor flat = b.scatter(b.broadcast(zero, {countElements(shape)}),
                          b.reshape(places, {x.count()}),
                          b.reshape(x, {x.count()}), ScatterReduction::None);
  return {b.pad(b.reshape(flat, shape), zero, none, high, none)};
}

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

/// Divides sums by the number of elements of each window.
static Tensor divideByCounts(OpContext &op, GraphBuilder &b, Tensor sum,
                             const Windows &windows,
                             ArrayRef<int64_t> spatial) {
  bool countsPads = op.attributes.getInt("count_include_pad").value_or(0) != 0;
  Shape pads =
      op.attributes.getInts("pads").value_or(Shape(2 * spatial.size(), 0));
  bool isAuto = op.attributes.getString("auto_pad").value_or("NOTSET") !=
                StringRef("NOTSET");
  Shape low(spatial.size(), 0), high(spatial.size(), 0);
  if (countsPads) {
    low = windows.padLow;
    high =
        isAuto ? windows.padHigh : Shape(ArrayRef(pads).drop_front(low.size()));
  }
  return divideByWindows(b, sum, windows, spatial, low, high);
}

static Tensors importAveragePool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  auto windows = readPool(op, b, x);
  if (!windows)
    return {};
  Tensor sum = b.pool(Combiner::Sum, channelsLast(b, x), *windows);
  if (!sum)
    return {};
  return {channelsFirst(
      b, divideByCounts(op, b, sum, *windows, x.shape().drop_front(2)))};
}

/// The p-th root of the sum of `sum(|x|^p)`.
template <typename Fn>
static Tensor computeNorm(GraphBuilder &b, Tensor x, double p, Fn sum) {
  Tensor magnitude = b.abs(x);
  if (p == 1)
    return sum(magnitude);
  if (p == 2)
    return b.sqrt(sum(b.mul(x, x)));
  Tensor power = b.scalar(x.elementType(), p);
  return b.pow(sum(b.pow(magnitude, power)), b.scalar(x.elementType(), 1 / p));
}

static Tensors importLpPool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t p = op.attributes.getInt("p").value_or(2);
  auto windows = readPool(op, b, x);
  if (!windows)
    return {};
  return {channelsFirst(
      b, computeNorm(b, channelsLast(b, x), double(p), [&](Tensor powers) {
        return b.pool(Combiner::Sum, powers, *windows);
      }))};
}

//===----------------------------------------------------------------------===//
// Whole images
//===----------------------------------------------------------------------===//

static Shape spatialDims(const Tensor &x) {
  return llvm::to_vector(llvm::seq<int64_t>(2, std::max<int64_t>(x.rank(), 2)));
}

static Tensors importGlobalAveragePool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (!op.expectRank(x, 2))
    return {};
  Tensor sum = b.reduce(Combiner::Sum, x, spatialDims(x), /*keepDims=*/true);
  return {b.div(sum, double(x.count() / (x.dim(0) * x.dim(1))))};
}

static Tensors importGlobalMaxPool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (!op.expectRank(x, 2))
    return {};
  return {b.reduce(Combiner::Max, x, spatialDims(x), /*keepDims=*/true)};
}

static Tensors importGlobalLpPool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t p = op.attributes.getInt("p").value_or(2);
  if (!op.expectRank(x, 2))
    return {};
  return {computeNorm(b, x, double(p), [&](Tensor powers) {
    return b.reduce(Combiner::Sum, powers, spatialDims(x), /*keepDims=*/true);
  })};
}

ArrayRef<OpDefinition> onnx::getPoolingOps() {
  static constexpr OpDefinition ops[] = {
      {"AveragePool", importAveragePool, 22},
      {"GlobalAveragePool", importGlobalAveragePool, 22},
      {"GlobalLpPool", importGlobalLpPool, 22},
      {"GlobalMaxPool", importGlobalMaxPool, 22},
      {"LpPool", importLpPool, 22},
      {"MaxPool", importMaxPool, 22},
      {"MaxUnpool", importMaxUnpool, 22},
  };
  return ops;
}
