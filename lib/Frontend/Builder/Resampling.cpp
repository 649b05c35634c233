//===- Resampling.cpp - Elements between those of a tensor ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Resampling.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

using Mode = Resampling::Mode;
using Coordinates = Resampling::Coordinates;
using Rounding = Resampling::Rounding;

namespace {

/// Each element of a line, as a sum of elements of the input. They are computed
/// by the operations of the graph, which fold where a line is short; a program
/// computes others when it is loaded.
struct Taps {
  /// One a sum, or a row of those of a sum.
  Tensor indices;
  /// As `indices`; null for sums of one element.
  Tensor weights;
  /// For each sum, true if it lies outside of the input; null if none does.
  Tensor isOutside;
};

} // namespace

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// True for a dimension that stays as it is.
static bool isKept(const Resampling &sampling, const ResampledDim &line) {
  bool isSame = sampling.coordinates == Coordinates::Distance
                    ? line.distance == 1
                    : std::abs(line.scale - 1) <= 1e-9;
  return isSame && line.size == line.newSize && line.begin == 0 &&
         line.end == 1;
}

static Tensor repeat(GraphBuilder &b, double number, int64_t count) {
  return b.broadcast(b.scalar(Float64Type::get(b.context()), number), {count});
}

/// 0, 1, ... as float64.
static Tensor countDoubles(GraphBuilder &b, int64_t size) {
  Tensor i = b.count(size, IntegerType::get(b.context(), 64));
  return b.cast(i, Float64Type::get(b.context()));
}

/// `(i + offset) * distance`.
static Tensor getDistances(GraphBuilder &b, const Resampling &sampling,
                           const ResampledDim &line, Tensor i) {
  i = b.add(i, sampling.offset);
  if (!sampling.isSingle)
    return b.mul(i, line.distance);
  Tensor product = b.mul(b.cast(i, Float32Type::get(b.context())),
                         double(float(line.distance)));
  return b.cast(product, Float64Type::get(b.context()));
}

/// Where the new elements lie in the input, in elements.
static Tensor getPositions(GraphBuilder &b, const Resampling &sampling,
                           const ResampledDim &line) {
  Tensor i = countDoubles(b, line.newSize);
  // May be no whole number, unlike the new size.
  double newSize = line.scale * double(line.size), last = double(line.size - 1);
  Coordinates mode = sampling.coordinates;
  if (mode == Coordinates::Distance)
    return getDistances(b, sampling, line, i);
  if (mode == Coordinates::Asymmetric)
    return b.div(i, line.scale);
  if (mode == Coordinates::AlignCorners)
    return newSize == 1 ? repeat(b, 0, line.newSize)
                        : b.div(b.mul(i, last), newSize - 1);
  if (mode == Coordinates::CropAndResize) {
    double length = (line.end - line.begin) * last;
    Tensor offset = newSize == 1 ? repeat(b, length / 2, line.newSize)
                                 : b.div(b.mul(i, length), newSize - 1);
    return b.add(offset, line.begin * last);
  }
  Tensor middle = b.div(b.add(i, 0.5), line.scale);
  if (mode == Coordinates::HalfPixelNearest)
    return middle;
  if (mode == Coordinates::HalfPixelTorch && newSize == 1)
    return repeat(b, -0.5, line.newSize);
  if (mode == Coordinates::HalfPixelSymmetric)
    middle = b.add(middle, double(line.size) / 2 *
                               (1 - double(line.newSize) / newSize));
  return b.sub(middle, 0.5);
}

static Tensor roundPositions(GraphBuilder &b, Tensor x, Rounding rounding) {
  switch (rounding) {
  case Rounding::Floor:
    return b.floor(x);
  case Rounding::Ceil:
    return b.ceil(x);
  case Rounding::PreferCeil:
    return b.floor(b.add(x, 0.5));
  case Rounding::PreferFloor:
    return b.ceil(b.sub(x, 0.5));
  }
  llvm_unreachable("all roundings are handled");
}

/// The weights of elements at the distances `x`.
static Tensor getWeights(GraphBuilder &b, const Resampling &sampling,
                         Tensor x) {
  x = b.abs(x);
  Tensor one = b.scalar(Float64Type::get(b.context()), 1);
  if (sampling.mode == Mode::Linear)
    return b.max(b.sub(one, x), 0.0);
  double a = sampling.cubicA;
  Tensor inner = b.sub(b.mul(x, a + 2), a + 3);
  inner = b.add(b.mul(b.mul(inner, x), x), one);
  Tensor outer = b.add(b.mul(b.sub(b.mul(x, a), 5 * a), x), 8 * a);
  outer = b.sub(b.mul(outer, x), 4 * a);
  Tensor two = b.add(one, one);
  return b.select(b.le(x, one), inner,
                  b.select(b.lt(x, two), outer, b.sub(one, one)));
}

/// The largest number of elements below the position, and above it. With
/// `stretch` below 1 the weights reach farther, because fewer elements
/// represent all.
static double getReach(const Resampling &sampling, double stretch) {
  return -std::floor((sampling.mode == Mode::Linear ? -1 : -2) / stretch);
}

/// Positions within the input as indices.
static Tensor toIndices(GraphBuilder &b, const ResampledDim &line, Tensor x) {
  return b.cast(clamp(b, x, 0, double(line.size - 1)),
                IntegerType::get(b.context(), 64));
}

/// Adds up `count` elements around each position `x`.
static Taps getRows(GraphBuilder &b, const Resampling &sampling,
                    const ResampledDim &line, Tensor x, double stretch,
                    int64_t count) {
  x = b.reshape(x, {line.newSize, 1});
  int64_t before = count / 2;
  Tensor i = b.add(b.sub(b.ceil(x), double(before)), countDoubles(b, count));
  Tensor distances = b.sub(i, x);
  Tensor weights = getWeights(
      b, sampling, stretch == 1 ? distances : b.mul(distances, stretch));
  Tensor zero = b.scalar(x.elementType(), 0);
  if (sampling.excludesOutside) {
    Tensor last = b.scalar(x.elementType(), double(line.size - 1));
    Tensor isInside = b.bitAnd(b.ge(i, zero), b.le(i, last));
    weights = b.select(isInside, weights, zero);
  }
  if (sampling.antialias || sampling.excludesOutside) {
    Tensor sum = b.reduce(Combiner::Sum, weights, {1}, /*keepDims=*/true);
    weights = b.select(b.ne(sum, zero), b.div(weights, sum), weights);
  }
  return {toIndices(b, line, i), weights, {}};
}

static Taps getTaps(GraphBuilder &b, const Resampling &sampling,
                    const ResampledDim &line) {
  double stretch = sampling.antialias ? std::min(line.scale, 1.0) : 1;
  double last = double(line.size - 1);
  Tensor x = getPositions(b, sampling, line);
  if (!x)
    return {};
  Tensor isOutside;
  if (sampling.coordinates == Coordinates::CropAndResize) {
    Tensor zero = b.scalar(x.elementType(), 0);
    Tensor end = b.scalar(x.elementType(), last);
    // Also a position that is no number, for a region that is none.
    Tensor isInside = b.bitAnd(b.ge(x, zero), b.le(x, end));
    isOutside = b.bitNot(isInside);
    x = b.select(b.eq(x, x), x, zero);
  }
  // Up to half an element outside, unless it is cropped.
  x = clamp(b, x, -1, last + 1);
  Taps taps;
  if (sampling.mode == Mode::Nearest)
    taps.indices = toIndices(b, line, roundPositions(b, x, sampling.rounding));
  else
    taps = getRows(b, sampling, line, x, stretch,
                   2 * int64_t(getReach(sampling, stretch)));
  taps.isOutside = isOutside;
  return taps;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

/// Sums of at most so many elements are products and additions of one kernel:
/// the taps of linear and cubic interpolation.
static constexpr int64_t maxAddedTaps = 4;

/// The sums of the elements of `x` at `taps` along `dim`. `align` reshapes a
/// table of the new elements so that it is repeated along the other dimensions.
static Tensor sumTaps(GraphBuilder &b, Tensor x, const Taps &taps, int64_t dim,
                      function_ref<Tensor(Tensor)> align) {
  Tensor weights = b.cast(taps.weights, x.elementType());
  int64_t size = weights.shape()[0], count = weights.shape()[1];
  if (count > maxAddedTaps) {
    x = b.gather(x, taps.indices, dim, /*areChecked=*/true);
    x = b.mul(x, align(weights));
    return b.reduce(Combiner::Sum, x, dim + 1, /*keepDims=*/false);
  }
  auto take = [&](Tensor table, int64_t tap) {
    return b.reshape(b.sliceDim(table, 1, tap, 1), {size});
  };
  Tensor sum;
  for (int64_t tap = 0; tap < count; ++tap) {
    Tensor taken = b.gather(x, take(taps.indices, tap), dim,
                            /*areChecked=*/true);
    Tensor product = b.mul(taken, align(take(weights, tap)));
    sum = sum ? b.add(sum, product) : product;
  }
  return sum;
}

static Tensor resizeLine(GraphBuilder &b, Tensor x, const Resampling &sampling,
                         const ResampledDim &line) {
  if (!x || isKept(sampling, line))
    return x;
  int64_t rank = x.rank();
  Taps taps = getTaps(b, sampling, line);
  if (!taps.indices)
    return {};
  Shape behind(rank - 1 - line.dim, 1);
  auto align = [&](Tensor table) {
    Shape shape(table.shape());
    shape.append(behind);
    return b.reshape(table, shape);
  };
  if (taps.weights)
    x = sumTaps(b, x, taps, line.dim, align);
  else
    x = b.gather(x, taps.indices, line.dim, /*areChecked=*/true);
  if (!x || !taps.isOutside)
    return x;
  return b.select(align(taps.isOutside),
                  b.scalar(x.elementType(), sampling.outsideValue), x);
}

Tensor graph::resample(GraphBuilder &b, Tensor x, const Resampling &sampling,
                       ArrayRef<ResampledDim> lines) {
  if (!x)
    return {};
  Type type = x.elementType();
  bool isNearest = sampling.mode == Mode::Nearest;
  Tensor result = isNearest ? x : toComputed(b, x);
  // The last dimension first, while there are few rows: its elements are read
  // one by one, those of other dimensions in whole rows. Rows that get fewer
  // are taken first.
  SmallVector<ResampledDim> ordered(lines);
  llvm::stable_sort(ordered, [](const ResampledDim &a, const ResampledDim &b) {
    auto isFewer = [](const ResampledDim &line) {
      return line.newSize < line.size;
    };
    if (isFewer(a) != isFewer(b))
      return isFewer(a);
    return a.dim > b.dim;
  });
  for (const ResampledDim &line : ordered)
    result = resizeLine(b, result, sampling, line);
  if (!isNearest && x.isInteger())
    result = b.round(result);
  return b.cast(result, type);
}

//===----------------------------------------------------------------------===//
// Interpolation
//===----------------------------------------------------------------------===//

/// How torch samples by these modes.
static Resampling readSampling(const compositions::Interpolate &given) {
  Resampling sampling;
  sampling.isSingle = !given.x.elementType().isF64();
  switch (given.mode) {
  case InterpolateMode::Nearest:
  case InterpolateMode::NearestExact:
    sampling.coordinates = Coordinates::Distance;
    sampling.rounding = Rounding::Floor;
    sampling.offset = given.mode == InterpolateMode::Nearest ? 0 : 0.5;
    return sampling;
  case InterpolateMode::Linear:
  case InterpolateMode::Cubic:
    sampling.mode =
        given.mode == InterpolateMode::Linear ? Mode::Linear : Mode::Cubic;
    sampling.coordinates = given.align_corners ? Coordinates::AlignCorners
                                               : Coordinates::HalfPixel;
    return sampling;
  }
  llvm_unreachable("all modes are handled");
}

Tensor compositions::compose(GraphBuilder &b,
                             const compositions::Interpolate &given) {
  Tensor x = given.x;
  Shape spatial = getDimRange(2, x.rank());
  std::optional<Shape> axes =
      findAxes(b, "axes", given.axes.value_or(spatial), x.rank());
  if (!axes)
    return {};
  if (given.axes && !llvm::is_sorted(*given.axes))
    return b.fail("expected 'axes' in ascending order, got " +
                  formatList(*given.axes));
  bool isNearest = given.mode == InterpolateMode::Nearest ||
                   given.mode == InterpolateMode::NearestExact;
  if (isNearest && given.align_corners)
    return b.fail("expected no 'align_corners' beside a mode of nearest "
                  "elements");
  double distance = given.scale.value_or(1);
  if (!(distance > 0 && std::isfinite(distance)))
    return b.fail("expected 'scale' to be finite and above 0, got " +
                  std::to_string(distance));
  bool fits = given.size.size() == axes->size() &&
              llvm::all_of(given.size, [](int64_t size) {
                return size >= 1 && size <= INT32_MAX;
              });
  if (!fits)
    return b.fail("expected 'size' to have " + Twine(axes->size()) +
                  " entries from 1 to 2^31 - 1, got " + formatList(given.size));
  SmallVector<ResampledDim> dims;
  for (auto [axis, size] : llvm::zip_equal(*axes, given.size)) {
    ResampledDim dim{axis, x.dim(axis), size, 1};
    dim.distance = given.scale && !given.align_corners
                       ? distance
                       : double(dim.size) / double(size);
    dim.scale = 1 / dim.distance;
    dims.push_back(dim);
  }
  return resample(b, x, readSampling(given), dims);
}
