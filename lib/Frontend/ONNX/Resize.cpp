//===- Resize.cpp - Sampling at other positions, by dimension ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// Each element along a dimension has a row of a table of constants.
static constexpr int64_t largestTable = int64_t(1) << 24;

namespace {

/// How elements between those that there are come about.
struct Sampling {
  StringRef mode = "nearest", coordinates = "half_pixel",
            rounding = "round_prefer_floor";
  double cubicA = -0.75, outsideValue = 0;
  bool antialias = false, excludesOutside = false;
};

/// One dimension.
struct Line {
  int64_t dim, size, newSize;
  double scale;
  /// The part of the input that is taken, of 1.
  double begin = 0, end = 1;

  bool isKept() const {
    return size == newSize && std::abs(scale - 1) <= 1e-9 && begin == 0 &&
           end == 1;
  }
};

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

/// Where element `i` lies in the input, in elements.
static double getPosition(const Sampling &sampling, const Line &line,
                          double i) {
  // May be no whole number, unlike the new size.
  double newSize = line.scale * double(line.size), last = double(line.size - 1);
  StringRef mode = sampling.coordinates;
  if (mode == "asymmetric")
    return i / line.scale;
  if (mode == "align_corners")
    return newSize == 1 ? 0 : i * last / (newSize - 1);
  if (mode == "tf_crop_and_resize") {
    double length = (line.end - line.begin) * last;
    double offset = newSize == 1 ? length / 2 : i * length / (newSize - 1);
    return offset + line.begin * last;
  }
  if (mode == "tf_half_pixel_for_nn")
    return (i + 0.5) / line.scale;
  if (mode == "pytorch_half_pixel" && newSize == 1)
    return -0.5;
  double offset = 0;
  if (mode == "half_pixel_symmetric")
    offset = double(line.size) / 2 * (1 - double(line.newSize) / newSize);
  return offset + (i + 0.5) / line.scale - 0.5;
}

static int64_t roundPosition(double x, StringRef rounding) {
  if (rounding == "floor")
    return std::floor(x);
  if (rounding == "ceil")
    return std::ceil(x);
  return rounding == "round_prefer_ceil" ? std::floor(x + 0.5)
                                         : std::ceil(x - 0.5);
}

/// The weight of an element at the distance `x`.
static double getWeight(const Sampling &sampling, double x) {
  x = std::abs(x);
  if (sampling.mode == "linear")
    return std::max(0.0, 1 - x);
  double a = sampling.cubicA;
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// The largest number of elements below the position, and above it. With
/// `stretch` below 1 the weights reach farther, because fewer elements
/// represent all.
static double getReach(const Sampling &sampling, double stretch) {
  return -std::floor((sampling.mode == "linear" ? -1 : -2) / stretch);
}

/// Adds the elements around the position `x`.
static void addTaps(const Sampling &sampling, const Line &line, double x,
                    double stretch, Taps &taps) {
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

static std::optional<Taps> getTaps(GraphBuilder &b, const Sampling &sampling,
                                   const Line &line) {
  Taps taps;
  double stretch = sampling.antialias ? std::min(line.scale, 1.0) : 1;
  bool isNearest = sampling.mode == "nearest";
  double reach = isNearest ? 1 : getReach(sampling, stretch);
  if (double(line.newSize) * reach > double(largestTable)) {
    b.fail("resizing to " + Twine(line.newSize) +
           " elements along a dimension is not supported");
    return std::nullopt;
  }
  taps.count = isNearest ? 1 : 2 * int64_t(reach);
  bool crops = sampling.coordinates == "tf_crop_and_resize";
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

static Tensor resizeLine(GraphBuilder &b, Tensor x, const Sampling &sampling,
                         const Line &line) {
  if (!x || line.isKept())
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

/// Integers are computed as floats and rounded.
static Tensor resize(GraphBuilder &b, Tensor x, const Sampling &sampling,
                     ArrayRef<Line> lines) {
  Type type = x.elementType();
  bool isNearest = sampling.mode == "nearest";
  Tensor result = isNearest ? x : toComputed(b, x);
  for (const Line &line : lines)
    result = resizeLine(b, result, sampling, line);
  if (!isNearest && x.isInteger())
    result = b.round(result);
  return b.cast(result, type);
}

//===----------------------------------------------------------------------===//
// Attributes and inputs
//===----------------------------------------------------------------------===//

static bool readSampling(OpContext &op, GraphBuilder &b, Sampling &s) {
  Attributes &a = op.attributes;
  s.mode = a.getString("mode").value_or("nearest");
  if (op.version < 11) {
    s.coordinates = "asymmetric";
    s.rounding = "floor";
    if (s.mode == "bilinear" || s.mode == "trilinear")
      s.mode = "linear";
    return expectOneOf(b, "mode", s.mode, {"nearest", "linear"});
  }
  s.coordinates =
      a.getString("coordinate_transformation_mode").value_or("half_pixel");
  s.rounding = a.getString("nearest_mode").value_or("round_prefer_floor");
  s.cubicA = a.getFloat("cubic_coeff_a").value_or(-0.75);
  s.outsideValue = a.getFloat("extrapolation_value").value_or(0);
  s.excludesOutside = a.getInt("exclude_outside").value_or(0) != 0;
  s.antialias = op.version >= 18 && a.getInt("antialias").value_or(0) != 0 &&
                s.mode != "nearest";
  return expectOneOf(b, "mode", s.mode, {"nearest", "linear", "cubic"}) &&
         expectOneOf(b, "coordinate_transformation_mode", s.coordinates,
                     {"align_corners", "asymmetric", "half_pixel",
                      "half_pixel_symmetric", "pytorch_half_pixel",
                      "tf_crop_and_resize", "tf_half_pixel_for_nn"}) &&
         expectOneOf(
             b, "nearest_mode", s.rounding,
             {"ceil", "floor", "round_prefer_ceil", "round_prefer_floor"});
}

/// The numbers of an input, or none if it is left out or has no elements.
static std::optional<SmallVector<double>> readNumbers(OpContext &op,
                                                      unsigned i) {
  Tensor x = op.optionalInput(i);
  if (!x || x.isEmpty())
    return std::nullopt;
  return op.constantFloats(i);
}

/// Lines of new sizes; with another policy than to stretch, all by one scale.
static bool setSizes(GraphBuilder &b, ArrayRef<double> sizes, StringRef policy,
                     SmallVectorImpl<Line> &lines) {
  double least = 0, most = 0;
  for (auto [i, line] : llvm::enumerate(lines)) {
    line.scale = sizes[i] / double(line.size);
    line.newSize = sizes[i];
    least = i == 0 ? line.scale : std::min(least, line.scale);
    most = std::max(most, line.scale);
  }
  if (policy == "stretch")
    return true;
  for (Line &line : lines) {
    line.scale = policy == "not_larger" ? least : most;
    line.newSize = line.scale * double(line.size) + 0.5;
  }
  return true;
}

/// Fails unless there is a number of at least `least` for each line.
static bool checkNumbers(GraphBuilder &b, StringRef what,
                         ArrayRef<double> numbers, size_t count, double least) {
  if (numbers.size() != count) {
    b.fail("expected " + Twine(count) + " " + what + ", got " +
           Twine(numbers.size()));
    return false;
  }
  for (double number : numbers)
    if (!(number >= least && number < 1e9)) {
      b.fail("expected " + what + " that are at least " +
             std::to_string(least) + " and below 10^9, got " +
             std::to_string(number));
      return false;
    }
  return true;
}

static bool readLineSizes(OpContext &op, GraphBuilder &b,
                          SmallVectorImpl<Line> &lines) {
  StringRef policy = "stretch";
  if (op.version >= 18)
    policy =
        op.attributes.getString("keep_aspect_ratio_policy").value_or("stretch");
  if (!expectOneOf(b, "keep_aspect_ratio_policy", policy,
                   {"not_larger", "not_smaller", "stretch"}))
    return false;
  auto scales = readNumbers(op, op.version < 11 ? 1 : 2);
  auto sizes = op.version < 11 ? std::nullopt : readNumbers(op, 3);
  if (b.hasFailed())
    return false;
  if (!scales == !sizes) {
    b.fail("expected either scales or sizes");
    return false;
  }
  if (sizes)
    return checkNumbers(b, "sizes", *sizes, lines.size(), 1) &&
           setSizes(b, *sizes, policy, lines);
  if (!checkNumbers(b, "scales", *scales, lines.size(), 1e-6))
    return false;
  for (auto [line, scale] : llvm::zip(lines, *scales)) {
    line.scale = scale;
    line.newSize = std::floor(scale * double(line.size));
  }
  return true;
}

/// The part that is taken: all begins, then all ends.
static bool readRegion(OpContext &op, GraphBuilder &b, const Sampling &sampling,
                       SmallVectorImpl<Line> &lines) {
  op.optionalInput(1);
  if (sampling.coordinates != "tf_crop_and_resize")
    return true;
  auto region = readNumbers(op, 1);
  if (b.hasFailed())
    return false;
  if (!region || region->size() != 2 * lines.size()) {
    b.fail("expected a region 'roi' of " + Twine(2 * lines.size()) +
           " numbers, got " + Twine(region ? region->size() : 0));
    return false;
  }
  for (auto [i, line] : llvm::enumerate(lines)) {
    line.begin = (*region)[i];
    line.end = (*region)[lines.size() + i];
  }
  return true;
}

static Tensors finishResize(OpContext &op, GraphBuilder &b, Tensor x,
                            const Sampling &sampling, ArrayRef<Line> lines) {
  Shape shape(x.shape());
  for (const Line &line : lines)
    shape[line.dim] = line.newSize;
  if (b.hasFailed() || !op.checkShape(shape))
    return {};
  return {resize(b, x, sampling, lines)};
}

static Tensors importResize(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  Sampling sampling;
  if (!op.expectRank(x, 1) || !expectElements(b, x) ||
      !readSampling(op, b, sampling))
    return {};
  Shape dims = getDimRange(0, x.rank());
  if (op.version >= 18)
    if (auto axes = op.attributes.getInts("axes"))
      dims = op.normalizeAxes(*axes, x.rank());
  SmallVector<Line> lines;
  for (int64_t dim : dims)
    lines.push_back({dim, x.dim(dim), x.dim(dim), 1});
  if (b.hasFailed() || !readLineSizes(op, b, lines) ||
      (op.version >= 11 && !readRegion(op, b, sampling, lines)))
    return {};
  return finishResize(op, b, x, sampling, lines);
}

/// The older Resize; its scales are an attribute at first.
static Tensors importUpsample(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  Sampling sampling;
  sampling.mode = op.attributes.getString("mode").value_or("nearest");
  sampling.coordinates = "asymmetric";
  sampling.rounding = "floor";
  if (!op.expectRank(x, 1) || !expectElements(b, x) ||
      !expectOneOf(b, "mode", sampling.mode, {"nearest", "linear"}))
    return {};
  auto scales = op.version >= 9 ? op.constantFloats(1)
                                : op.attributes.getFloats("scales");
  if (b.hasFailed() ||
      !checkNumbers(b, "scales", scales ? *scales : SmallVector<double>(),
                    x.rank(), 1e-6))
    return {};
  SmallVector<Line> lines;
  for (auto [dim, scale] : llvm::enumerate(*scales))
    lines.push_back({int64_t(dim), x.dim(dim),
                     int64_t(std::floor(scale * double(x.dim(dim)))), scale});
  return finishResize(op, b, x, sampling, lines);
}

ArrayRef<OpDefinition> onnx::getResizeOps() {
  static constexpr OpDefinition ops[] = {
      {"Resize", importResize, 19},
      {"Upsample", importUpsample, 10},
  };
  return ops;
}
