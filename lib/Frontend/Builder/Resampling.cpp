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

/// Each element along a dimension has a row of a table of constants.
static constexpr int64_t largestTable = int64_t(1) << 24;

namespace {

/// Each element of a line, as a sum of elements of the input.
struct Taps {
  /// In each sum.
  int64_t count = 1;
  std::vector<int64_t> indices;
  std::vector<double> weights;
  /// True if an element lies outside of the input; empty if none does.
  std::vector<int64_t> isOutside;
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

/// Where element `i` lies in the input, in elements.
static double getPosition(const Resampling &sampling, const ResampledDim &line,
                          double i) {
  // May be no whole number, unlike the new size.
  double newSize = line.scale * double(line.size), last = double(line.size - 1);
  Coordinates mode = sampling.coordinates;
  if (mode == Coordinates::Distance)
    return sampling.isSingle
               ? double(float(i + sampling.offset) * float(line.distance))
               : (i + sampling.offset) * line.distance;
  if (mode == Coordinates::Asymmetric)
    return i / line.scale;
  if (mode == Coordinates::AlignCorners)
    return newSize == 1 ? 0 : i * last / (newSize - 1);
  if (mode == Coordinates::CropAndResize) {
    double length = (line.end - line.begin) * last;
    double offset = newSize == 1 ? length / 2 : i * length / (newSize - 1);
    return offset + line.begin * last;
  }
  if (mode == Coordinates::HalfPixelNearest)
    return (i + 0.5) / line.scale;
  if (mode == Coordinates::HalfPixelTorch && newSize == 1)
    return -0.5;
  double offset = 0;
  if (mode == Coordinates::HalfPixelSymmetric)
    offset = double(line.size) / 2 * (1 - double(line.newSize) / newSize);
  return offset + (i + 0.5) / line.scale - 0.5;
}

static int64_t roundPosition(double x, Rounding rounding) {
  switch (rounding) {
  case Rounding::Floor:
    return std::floor(x);
  case Rounding::Ceil:
    return std::ceil(x);
  case Rounding::PreferCeil:
    return std::floor(x + 0.5);
  case Rounding::PreferFloor:
    return std::ceil(x - 0.5);
  }
  llvm_unreachable("all roundings are handled");
}

/// The weight of an element at the distance `x`.
static double getWeight(const Resampling &sampling, double x) {
  x = std::abs(x);
  if (sampling.mode == Mode::Linear)
    return std::max(0.0, 1 - x);
  double a = sampling.cubicA;
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// The largest number of elements below the position, and above it. With
/// `stretch` below 1 the weights reach farther, because fewer elements
/// represent all.
static double getReach(const Resampling &sampling, double stretch) {
  return -std::floor((sampling.mode == Mode::Linear ? -1 : -2) / stretch);
}

/// Adds the elements around the position `x`.
static void addTaps(const Resampling &sampling, const ResampledDim &line,
                    double x, double stretch, Taps &taps) {
  int64_t first = int64_t(std::ceil(x)) - taps.count / 2;
  std::vector<double> weights(taps.count);
  double sum = 0;
  for (int64_t k = 0; k < taps.count; ++k) {
    int64_t i = first + k;
    bool isOutside = i < 0 || i >= line.size;
    if (!isOutside || !sampling.excludesOutside)
      weights[k] = getWeight(sampling, (double(i) - x) * stretch);
    sum += weights[k];
    taps.indices.push_back(std::clamp<int64_t>(i, 0, line.size - 1));
  }
  bool isScaled = sampling.antialias || sampling.excludesOutside;
  for (double weight : weights)
    taps.weights.push_back(isScaled && sum != 0 ? weight / sum : weight);
}

static std::optional<Taps> getTaps(GraphBuilder &b, const Resampling &sampling,
                                   const ResampledDim &line) {
  Taps taps;
  double stretch = sampling.antialias ? std::min(line.scale, 1.0) : 1;
  bool isNearest = sampling.mode == Mode::Nearest;
  double reach = isNearest ? 1 : getReach(sampling, stretch);
  if (double(line.newSize) * reach > double(largestTable)) {
    b.fail("resizing to " + Twine(line.newSize) +
           " elements along a dimension is not supported");
    return std::nullopt;
  }
  taps.count = isNearest ? 1 : 2 * int64_t(reach);
  bool crops = sampling.coordinates == Coordinates::CropAndResize;
  for (int64_t i = 0; i < line.newSize; ++i) {
    double x = getPosition(sampling, line, double(i)),
           last = double(line.size - 1);
    bool isOutside = !(x >= 0 && x <= last);
    if (crops)
      taps.isOutside.push_back(isOutside);
    // Up to half an element outside, unless it is cropped.
    x = std::isnan(x) ? 0 : std::clamp(x, -1.0, last + 1);
    if (isNearest)
      taps.indices.push_back(std::clamp<int64_t>(
          roundPosition(x, sampling.rounding), 0, line.size - 1));
    else
      addTaps(sampling, line, x, stretch, taps);
  }
  if (!llvm::is_contained(taps.isOutside, 1))
    taps.isOutside.clear();
  return taps;
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

static Tensor resizeLine(GraphBuilder &b, Tensor x, const Resampling &sampling,
                         const ResampledDim &line) {
  if (!x || isKept(sampling, line))
    return x;
  std::optional<Taps> taps = getTaps(b, sampling, line);
  if (!taps)
    return {};
  int64_t behind = x.rank() - 1 - line.dim;
  Shape column = {line.newSize};
  if (taps->count > 1) {
    Shape table = {line.newSize, taps->count};
    x = b.gather(x, b.constant(taps->indices, table), line.dim);
    Shape aligned = table;
    aligned.append(behind, 1);
    x = b.mul(x, b.constantOf(x.elementType(), taps->weights, aligned));
    x = b.reduce(Combiner::Sum, x, line.dim + 1, /*keepDims=*/false);
  } else {
    x = b.gather(x, b.constant(taps->indices, column), line.dim);
  }
  if (taps->isOutside.empty() || !x)
    return x;
  column.append(behind, 1);
  Tensor isOutside = b.cast(b.constant(taps->isOutside, column),
                            IntegerType::get(b.context(), 1));
  return b.select(isOutside, b.scalar(x.elementType(), sampling.outsideValue),
                  x);
}

Tensor graph::resample(GraphBuilder &b, Tensor x, const Resampling &sampling,
                       ArrayRef<ResampledDim> lines) {
  if (!x)
    return {};
  Type type = x.elementType();
  bool isNearest = sampling.mode == Mode::Nearest;
  Tensor result = isNearest ? x : toComputed(b, x);
  for (const ResampledDim &line : lines)
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
