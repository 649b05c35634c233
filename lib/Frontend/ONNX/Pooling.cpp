//===- Pooling.cpp - Pooling ------------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// Pools `x`, whose channels are last.
static Tensor pool(GraphBuilder &b, StringRef kind, Tensor x,
                   const Windows &windows) {
  return b.pool(kind, x, windows.sizes, windows.strides, windows.dilations,
                windows.padLow, windows.padHigh);
}

/// The windows of a pooling operator, of which 'pads' alone are paddings: what
/// is added to round up is not.
static std::optional<Windows> readPool(OpContext &op, GraphBuilder &b,
                                       Tensor x) {
  if (!op.expectRank(x, 3, 5))
    return std::nullopt;
  if (!op.attributes.has("kernel_shape")) {
    b.fail("expected an attribute 'kernel_shape', found none");
    return std::nullopt;
  }
  return readWindows(op, b, x.shape().drop_front(2), {}, /*mayRoundUp=*/true);
}

static Tensors importMaxPool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  auto windows = readPool(op, b, x);
  op.attributes.getInt("storage_order");
  if (!windows)
    return {};
  return {channelsFirst(b, pool(b, "max", channelsLast(b, x), *windows))};
}

//===----------------------------------------------------------------------===//
// Averages
//===----------------------------------------------------------------------===//

/// How many elements each window along dimension `i` counts, from the position
/// `low` on to before `high`.
static std::vector<double> countElements(const Windows &windows, int64_t i,
                                         int64_t size, int64_t low,
                                         int64_t high) {
  int64_t last =
      size + windows.padLow[i] + windows.padHigh[i] - windows.extent(i);
  std::vector<double> counts;
  for (int64_t start = 0; start <= last; start += windows.strides[i]) {
    int64_t count = 0;
    for (int64_t k = 0; k < windows.sizes[i]; ++k) {
      int64_t position = start - windows.padLow[i] + k * windows.dilations[i];
      count += position >= low && position < high;
    }
    // A window of padding alone sums to 0.
    counts.push_back(std::max<int64_t>(count, 1));
  }
  return counts;
}

/// Divides sums by the number of elements of each window.
static Tensor divideByCounts(OpContext &op, GraphBuilder &b, Tensor sum,
                             const Windows &windows,
                             ArrayRef<int64_t> spatial) {
  bool countsPads = op.attributes.getInt("count_include_pad").value_or(0) != 0;
  Shape pads =
      op.attributes.getInts("pads").value_or(Shape(2 * spatial.size(), 0));
  bool isAuto = op.attributes.getString("auto_pad").value_or("NOTSET") !=
                StringRef("NOTSET");
  for (size_t i = 0; i < spatial.size(); ++i) {
    int64_t low = 0, high = spatial[i];
    if (countsPads) {
      low -= windows.padLow[i];
      high += isAuto ? windows.padHigh[i] : pads[spatial.size() + i];
    }
    if (high - low > (int64_t(1) << 28) / windows.sizes[i])
      return b.fail("windows of padded pictures as large as these are not "
                    "supported");
    std::vector<double> counts =
        countElements(windows, i, spatial[i], low, high);
    Shape shape(sum.rank(), 1);
    shape[i + 1] = counts.size();
    if (llvm::all_equal(counts))
      sum = b.div(sum, counts.front());
    else
      sum = b.div(sum, b.constantOf(sum.elementType(), counts, shape));
    if (!sum)
      return {};
  }
  return sum;
}

static Tensors importAveragePool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  auto windows = readPool(op, b, x);
  if (!windows)
    return {};
  Tensor sum = pool(b, "sum", channelsLast(b, x), *windows);
  if (!sum)
    return {};
  return {channelsFirst(
      b, divideByCounts(op, b, sum, *windows, x.shape().drop_front(2)))};
}

/// The p-th root of the sum of `sum(|x|^p)`.
template <typename Fn>
static Tensor computeNorm(GraphBuilder &b, Tensor x, double p, Fn sum) {
  Tensor magnitude = b.unary("abs", x);
  if (p == 1)
    return sum(magnitude);
  if (p == 2)
    return b.root(sum(b.mul(x, x)));
  Tensor power = b.scalar(x.elementType(), p);
  return b.binary("pow", sum(b.binary("pow", magnitude, power)),
                  b.scalar(x.elementType(), 1 / p));
}

static Tensors importLpPool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t p = op.attributes.getInt("p").value_or(2);
  auto windows = readPool(op, b, x);
  if (!windows)
    return {};
  return {channelsFirst(
      b, computeNorm(b, channelsLast(b, x), double(p), [&](Tensor powers) {
        return pool(b, "sum", powers, *windows);
      }))};
}

//===----------------------------------------------------------------------===//
// Whole pictures
//===----------------------------------------------------------------------===//

static Shape spatialDims(const Tensor &x) {
  return llvm::to_vector(llvm::seq<int64_t>(2, std::max<int64_t>(x.rank(), 2)));
}

static Tensors importGlobalAveragePool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (!op.expectRank(x, 2))
    return {};
  Tensor sum = b.reduce("sum", x, spatialDims(x), /*keepDims=*/true);
  return {b.div(sum, double(x.count() / (x.dim(0) * x.dim(1))))};
}

static Tensors importGlobalMaxPool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (!op.expectRank(x, 2))
    return {};
  return {b.reduce("max", x, spatialDims(x), /*keepDims=*/true)};
}

static Tensors importGlobalLpPool(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t p = op.attributes.getInt("p").value_or(2);
  if (!op.expectRank(x, 2))
    return {};
  return {computeNorm(b, x, double(p), [&](Tensor powers) {
    return b.reduce("sum", powers, spatialDims(x), /*keepDims=*/true);
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
  };
  return ops;
}
