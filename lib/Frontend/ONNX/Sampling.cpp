//===- Sampling.cpp - Images at positions that are computed -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sampling.h"
#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// Returns whether `x` is from `low` to `high`.
static Tensor isWithin(GraphBuilder &b, Tensor x, double low, double high) {
  if (!x)
    return {};
  return b.bitAnd(b.ge(x, b.scalar(x.elementType(), low)),
                  b.le(x, b.scalar(x.elementType(), high)));
}

Tensor onnx::toRows(GraphBuilder &b, Tensor x) {
  Shape permutation = {0};
  llvm::append_range(permutation, getDimRange(2, x.rank()));
  permutation.push_back(1);
  return b.reshape(b.permute(x, permutation), {x.count() / x.dim(1), x.dim(1)});
}

using Combine = Tensor (GraphBuilder::*)(Tensor, Tensor);

/// Of two tensors that may be null, the one that is not, or both combined.
static Tensor both(GraphBuilder &b, Combine combine, Tensor l, Tensor r) {
  return l && r ? (b.*combine)(l, r) : l ? l : r;
}

Tensor onnx::takeElements(GraphBuilder &b, Tensor rows, Tensor batch,
                          ArrayRef<Tap> taps, ArrayRef<int64_t> sizes) {
  Type i64 = IntegerType::get(b.context(), 64);
  Tensor index = batch, weight, isInside;
  for (auto [tap, size] : llvm::zip(taps, sizes)) {
    index = b.add(b.mul(index, double(size)), b.cast(tap.index, i64));
    weight = both(b, &GraphBuilder::mul, weight, tap.weight);
    isInside = both(b, &GraphBuilder::bitAnd, isInside, tap.isInside);
  }
  if (b.hasFailed())
    return {};
  Tensor x = b.gather(rows, index, 0, /*areChecked=*/true);
  if (isInside)
    x = b.select(addDim(b, isInside, isInside.rank()), x,
                 b.scalar(x.elementType(), 0));
  if (weight)
    x = b.mul(x, b.cast(addDim(b, weight, weight.rank()), x.elementType()));
  return x;
}

void onnx::forEachChoice(ArrayRef<SmallVector<Tap>> dims,
                         llvm::function_ref<void(ArrayRef<Tap>)> use) {
  SmallVector<size_t> choice(dims.size(), 0);
  for (bool isDone = false; !isDone;) {
    SmallVector<Tap> taps;
    for (auto [dim, i] : llvm::zip(dims, choice))
      taps.push_back(dim[i]);
    use(taps);
    isDone = true;
    for (size_t i = dims.size(); isDone && i-- > 0;) {
      isDone = ++choice[i] == dims[i].size();
      if (isDone)
        choice[i] = 0;
    }
  }
}

//===----------------------------------------------------------------------===//
// GridSample
//===----------------------------------------------------------------------===//

/// `x` mirrored at both borders until it is between them.
static Tensor reflect(GraphBuilder &b, Tensor x, double low, double high) {
  if (low == high)
    return b.mul(x, 0);
  double length = high - low;
  Tensor distance = b.abs(b.sub(x, low));
  distance = b.mod(distance, b.scalar(x.elementType(), 2 * length));
  Tensor back = b.sub(b.scalar(x.elementType(), 2 * length), distance);
  return b.add(b.min(distance, back), low);
}

/// Brings positions outside to where the padding has them; zeros stay outside.
static Tensor padPosition(GraphBuilder &b, const GridMode &mode, Tensor x,
                          int64_t size) {
  double margin = mode.alignsCorners ? 0 : 0.5, last = double(size - 1);
  if (mode.padding == "border")
    return b.select(isWithin(b, x, -margin, last + margin), x,
                    clamp(b, x, 0, last));
  if (mode.padding == "reflection")
    return reflect(b, x, -margin, last + margin);
  return x;
}

static Tap makeTap(GraphBuilder &b, const GridMode &mode, Tensor index,
                   Tensor weight, int64_t size) {
  Tap tap;
  tap.weight = weight;
  if (mode.padding == "zeros")
    tap.isInside = isWithin(b, index, 0, double(size - 1));
  else
    index = padPosition(b, mode, index, size);
  tap.index = clamp(b, index, 0, double(size - 1));
  return tap;
}

/// Keys, Cubic convolution interpolation, 1981, with a = -0.75: the weight of
/// an element at a distance from `near` to `near` + 1.
static Tensor getCubicWeight(GraphBuilder &b, Tensor x, int near) {
  double a = -0.75;
  auto horner = [&](std::initializer_list<double> factors) {
    Tensor sum = b.scalar(x.elementType(), 0);
    for (double factor : factors)
      sum = b.add(b.mul(x, sum), factor);
    return sum;
  };
  return near == 0 ? horner({a + 2, -(a + 3), 0, 1})
                   : horner({a, -5 * a, 8 * a, -4 * a});
}

SmallVector<Tap> onnx::getTaps(GraphBuilder &b, const GridMode &mode, Tensor x,
                               int64_t size) {
  if (mode.mode == "nearest") {
    x = padPosition(b, mode, b.round(x), size);
    return {makeTap(b, mode, x, {}, size)};
  }
  // As PyTorch has it, a cubic goes on outside of the border.
  if (mode.mode == "linear" || mode.padding != "border")
    x = padPosition(b, mode, x, size);
  Tensor base = b.floor(x), above = b.sub(x, base);
  Tensor below = b.sub(b.scalar(x.elementType(), 1), above);
  if (mode.mode == "linear")
    return {makeTap(b, mode, base, below, size),
            makeTap(b, mode, b.add(base, 1.0), above, size)};
  return {makeTap(b, mode, b.sub(base, 1.0),
                  getCubicWeight(b, b.add(above, 1.0), 1), size),
          makeTap(b, mode, base, getCubicWeight(b, above, 0), size),
          makeTap(b, mode, b.add(base, 1.0), getCubicWeight(b, below, 0), size),
          makeTap(b, mode, b.add(base, 2.0),
                  getCubicWeight(b, b.add(below, 1.0), 1), size)};
}

/// From -1 to 1 to positions of elements.
static Tensor denormalize(GraphBuilder &b, const GridMode &mode, Tensor x,
                          int64_t size) {
  double length = double(size);
  x = b.add(x, 1.0);
  if (mode.alignsCorners)
    return b.mul(b.div(x, 2.0), length - 1);
  return b.div(b.sub(b.mul(x, length), 1.0), 2.0);
}

static bool readGridMode(OpContext &op, GraphBuilder &b, GridMode &mode) {
  mode.mode = op.attributes.getString("mode").value_or("linear");
  if (mode.mode == "bilinear")
    mode.mode = "linear";
  if (mode.mode == "bicubic")
    mode.mode = "cubic";
  mode.padding = op.attributes.getString("padding_mode").value_or("zeros");
  mode.alignsCorners = op.attributes.getInt("align_corners").value_or(0) != 0;
  return expectOneOf(b, "mode", mode.mode, {"cubic", "linear", "nearest"}) &&
         expectOneOf(b, "padding_mode", mode.padding,
                     {"border", "reflection", "zeros"});
}

static Tensors importGridSample(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), grid = op.input(1);
  GridMode mode;
  if (!readGridMode(op, b, mode) || !op.expectRank(x, 3, 5) ||
      !op.expectRank(grid, x.rank(), x.rank()) || !expectElements(b, {x, grid}))
    return {};
  int64_t count = x.rank() - 2;
  Shape places(grid.shape().drop_back()), expected = places;
  expected[0] = x.dim(0);
  expected.push_back(count);
  if (!expectShape(b, "a grid", grid, expected))
    return {};
  Shape sizes(x.shape().drop_front(2));
  SmallVector<SmallVector<Tap>> taps;
  for (int64_t i = 0; i < count; ++i) {
    // The last dimension comes first in the grid.
    Tensor position =
        selectDim(b, toComputed(b, grid), grid.rank() - 1, count - 1 - i);
    taps.push_back(
        getTaps(b, mode, denormalize(b, mode, position, sizes[i]), sizes[i]));
  }
  bool isNearest = mode.mode == "nearest";
  Tensor rows = toRows(b, isNearest ? x : toComputed(b, x)), sum;
  Tensor batch = b.iota(places, 0);
  forEachChoice(taps, [&](ArrayRef<Tap> choice) {
    sum = both(b, &GraphBuilder::add, sum,
               takeElements(b, rows, batch, choice, sizes));
  });
  Shape permutation = {0, count + 1};
  llvm::append_range(permutation, getDimRange(1, count + 1));
  return {b.cast(b.permute(sum, permutation), x.elementType())};
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

/// The positions along a dimension at which the regions are sampled: regions x
/// samples. `first` is the column of the regions with the beginnings.
static Tensor placeSamples(GraphBuilder &b, Tensor regions, int64_t first,
                           int64_t samples, double scale, bool isShifted) {
  regions = b.mul(regions, scale);
  if (isShifted)
    regions = b.sub(regions, 0.5);
  Tensor begin = b.sliceDim(regions, 1, first, 1);
  Tensor length = b.sub(b.sliceDim(regions, 1, first + 2, 1), begin);
  if (!isShifted)
    length = b.max(length, 1.0);
  Tensor middles =
      b.add(b.cast(b.iota({1, samples}, 1), regions.elementType()), 0.5);
  return b.add(b.mul(middles, b.div(length, double(samples))), begin);
}

/// Two elements for each sample; samples that lie more than one element outside
/// have none.
static SmallVector<Tap> getRegionTaps(GraphBuilder &b, Tensor x, int64_t size) {
  Tap low, high;
  low.isInside = high.isInside = isWithin(b, x, -1, double(size));
  x = clamp(b, x, 0, double(size - 1));
  low.index = b.floor(x);
  high.index = clamp(b, b.add(low.index, 1.0), 0, double(size - 1));
  high.weight = b.sub(x, low.index);
  low.weight = b.sub(b.scalar(x.elementType(), 1), high.weight);
  return {low, high};
}

/// Samples as columns of the other dimension's rows.
static void align(GraphBuilder &b, SmallVector<Tap> &taps, int64_t dim) {
  for (Tap &tap : taps)
    for (Tensor *part : {&tap.index, &tap.weight, &tap.isInside})
      *part = addDim(b, *part, dim);
}

namespace {

struct RegionSettings {
  int64_t height = 1, width = 1, samples = 0;
  double scale = 1;
  bool isShifted = false, isMax = false;
};

} // namespace

static bool readRegionSettings(OpContext &op, GraphBuilder &b,
                               RegionSettings &s) {
  Attributes &a = op.attributes;
  StringRef mode = a.getString("mode").value_or("avg");
  StringRef coordinates = "output_half_pixel";
  if (op.version >= 16)
    coordinates =
        a.getString("coordinate_transformation_mode").value_or("half_pixel");
  s.height = a.getInt("output_height").value_or(1);
  s.width = a.getInt("output_width").value_or(1);
  s.samples = a.getInt("sampling_ratio").value_or(0);
  s.scale = a.getFloat("spatial_scale").value_or(1);
  s.isShifted = coordinates == "half_pixel";
  s.isMax = mode == "max";
  if (s.samples == 0)
    b.fail("a sampling_ratio of 0, by the size of each region, is not "
           "supported");
  int64_t limit = 1 << 20;
  if (s.height < 1 || s.width < 1 || s.samples < 0 || s.height > limit ||
      s.width > limit || s.samples > limit)
    b.fail("expected the attributes 'output_height', 'output_width' and "
           "'sampling_ratio' to be from 1 to 2^20");
  return expectOneOf(b, "mode", mode, {"avg", "max"}) &&
         expectOneOf(b, "coordinate_transformation_mode", coordinates,
                     {"half_pixel", "output_half_pixel"}) &&
         !b.hasFailed();
}

static Tensors importRoiAlign(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), regions = op.input(1), batch = op.input(2);
  RegionSettings s;
  if (!readRegionSettings(op, b, s) || !op.expectRank(x, 4, 4) ||
      !op.expectRank(batch, 1, 1) || !expectElements(b, {x, regions}) ||
      !expectShape(b, "regions", regions, {batch.dim(0), 4}))
    return {};
  int64_t count = batch.dim(0);
  SmallVector<Tap> rows = getRegionTaps(
      b,
      placeSamples(b, regions, 1, s.height * s.samples, s.scale, s.isShifted),
      x.dim(2));
  SmallVector<Tap> columns = getRegionTaps(
      b, placeSamples(b, regions, 0, s.width * s.samples, s.scale, s.isShifted),
      x.dim(3));
  align(b, rows, 2);
  align(b, columns, 1);
  Tensor elements = toRows(b, x), result;
  Type i64 = IntegerType::get(b.context(), 64);
  Tensor images = b.flattenIndices(b.reshape(b.cast(batch, i64), {count, 1}),
                                   x.dim(0), /*dim=*/0);
  images = b.reshape(images, {count, 1, 1});
  Combine combine = &GraphBuilder::add;
  if (s.isMax)
    combine = &GraphBuilder::max;
  forEachChoice({rows, columns}, [&](ArrayRef<Tap> choice) {
    Tensor part =
        takeElements(b, elements, images, choice, {x.dim(2), x.dim(3)});
    result = both(b, combine, result, part);
  });
  result = b.reshape(
      result, {count, s.height, s.samples, s.width, s.samples, x.dim(1)});
  result =
      s.isMax
          ? b.reduce(Combiner::Max, result, {2, 4}, /*keepDims=*/false)
          : b.div(b.reduce(Combiner::Sum, result, {2, 4}, /*keepDims=*/false),
                  double(s.samples * s.samples));
  return {b.permute(result, {0, 3, 1, 2})};
}

//===----------------------------------------------------------------------===//
// AffineGrid
//===----------------------------------------------------------------------===//

/// The middles of `size` equal parts of [-1, 1], or points from end to end.
static Tensor getPoints(GraphBuilder &b, int64_t size, bool alignsCorners,
                        ArrayRef<int64_t> shape, int64_t dim, Type type) {
  double step = alignsCorners ? (size > 1 ? 2.0 / double(size - 1) : 0)
                              : 2.0 / double(size);
  Tensor index = b.cast(b.iota(shape, dim), type);
  return b.add(b.mul(index, step), alignsCorners ? -1 : -1 + step / 2);
}

static Tensors importAffineGrid(OpContext &op, GraphBuilder &b) {
  Tensor theta = op.input(0);
  std::optional<Shape> size = op.constantInts(1);
  bool alignsCorners = op.attributes.getInt("align_corners").value_or(0) != 0;
  if (!size || !op.expectRank(theta, 3, 3))
    return {};
  int64_t count = int64_t(size->size()) - 2;
  if (count != 2 && count != 3)
    return {b.fail("expected a size of 4 or 5 numbers, got " +
                   Twine(size->size()))};
  Shape shape = {(*size)[0]};
  shape.append(size->begin() + 2, size->end());
  shape.push_back(count);
  if (!expectShape(b, "matrices", theta, {(*size)[0], count, count + 1}) ||
      !op.checkShape(shape))
    return {};
  if (llvm::is_contained(shape, 0))
    return {b.empty(shape, theta.elementType())};
  // The last dimension comes first in the matrix; the last column is the shift.
  Shape column(count + 2, 1);
  column[0] = shape[0];
  column.back() = count;
  auto getColumn = [&](int64_t i) {
    return b.reshape(selectDim(b, theta, 2, i), column);
  };
  Tensor sum = b.broadcast(getColumn(count), shape);
  for (int64_t i = 0; i < count; ++i) {
    Shape line(count + 2, 1);
    int64_t dim = count - i;
    line[dim] = shape[dim];
    Tensor points =
        getPoints(b, shape[dim], alignsCorners, line, dim, theta.elementType());
    sum = b.add(sum, b.mul(b.broadcast(getColumn(i), shape), points));
  }
  return {sum};
}

ArrayRef<OpDefinition> onnx::getSamplingOps() {
  static constexpr OpDefinition ops[] = {
      {"AffineGrid", importAffineGrid, 20},
      {"GridSample", importGridSample, 22},
      {"RoiAlign", importRoiAlign, 22},
  };
  return ops;
}
