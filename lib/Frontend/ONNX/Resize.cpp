//===- Resize.cpp - Pictures of another size --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Diagnostics.h"
#include "OpContext.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

namespace {

/// What the attributes and inputs say.
struct ResizeOptions {
  StringRef mode, coordinates, rounding;
  double cubicFactor = -0.75, extrapolation = 0;
  bool excludesOutside = false, isAntialiased = false;
};

/// One dimension that is resized.
struct ResizedDim {
  int64_t dim = 0, from = 1, to = 1;
  double scale = 1;
  /// What part of the dimension is shown, for tf_crop_and_resize.
  double start = 0, end = 1;
};

/// Which elements make up each element of the result: as many for each, by
/// index and weight, in one list a tap.
struct Taps {
  std::vector<Shape> indices;
  std::vector<std::vector<double>> weights;
  /// The elements of the result that lie outside of the dimension.
  std::vector<bool> isOutside;
};

} // namespace

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

/// Where element `i` of the result lies in the dimension.
static double getCoordinate(const ResizedDim &d, StringRef mode, int64_t i) {
  double from = double(d.from), to = double(d.to);
  double half = (double(i) + 0.5) / d.scale - 0.5;
  if (mode == "asymmetric")
    return double(i) / d.scale;
  if (mode == "align_corners")
    return to == 1 ? 0 : double(i) * (from - 1) / (to - 1);
  if (mode == "pytorch_half_pixel")
    return to > 1 ? half : 0;
  if (mode == "tf_half_pixel_for_nn")
    return half + 0.5;
  if (mode == "tf_crop_and_resize")
    return to > 1 ? (d.start + double(i) * (d.end - d.start) / (to - 1)) *
                        (from - 1)
                  : 0.5 * (d.start + d.end) * (from - 1);
  if (mode == "half_pixel_symmetric")
    return from / 2 * (1 - to / (d.scale * from)) + half;
  return half;
}

static bool isCoordinateMode(StringRef mode) {
  return llvm::is_contained({"half_pixel", "asymmetric", "align_corners",
                             "pytorch_half_pixel", "tf_half_pixel_for_nn",
                             "tf_crop_and_resize", "half_pixel_symmetric"},
                            mode);
}

static int64_t roundCoordinate(double x, StringRef mode) {
  if (mode == "floor")
    return int64_t(std::floor(x));
  if (mode == "ceil")
    return int64_t(std::ceil(x));
  return int64_t(mode == "round_prefer_ceil" ? std::floor(x + 0.5)
                                             : std::ceil(x - 0.5));
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

static double getWeight(const ResizeOptions &options, double distance) {
  double d = std::abs(distance), a = options.cubicFactor;
  if (options.mode == "linear")
    return std::max(0.0, 1 - d);
  if (d <= 1)
    return (a + 2) * d * d * d - (a + 3) * d * d + 1;
  return d < 2 ? a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a : 0;
}

static Taps makeTaps(const ResizedDim &d, const ResizeOptions &options) {
  // A filter against aliasing reaches as far as an element of the result.
  double shrink = options.isAntialiased ? std::min(d.scale, 1.0) : 1;
  double reach = options.mode == "linear" ? 1 : 2;
  int64_t first = int64_t(std::floor(-reach / shrink)) + 1;
  int64_t count = 2 - 2 * first;
  Taps taps;
  taps.indices.resize(count);
  taps.weights.resize(count);
  for (int64_t i = 0; i < d.to; ++i) {
    double x = getCoordinate(d, options.coordinates, i);
    double left = std::ceil(x) - 1;
    std::vector<double> weights;
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) {
      double index = left + double(first + k);
      double weight = getWeight(options, (index - x) * shrink);
      if (options.excludesOutside && (index < 0 || index >= double(d.from)))
        weight = 0;
      sum += weight;
      weights.push_back(weight);
      taps.indices[k].push_back(
          int64_t(std::clamp(index, 0.0, double(d.from - 1))));
    }
    bool isScaled = options.excludesOutside || options.isAntialiased;
    for (int64_t k = 0; k < count; ++k)
      taps.weights[k].push_back(isScaled && sum != 0 ? weights[k] / sum
                                                     : weights[k]);
    taps.isOutside.push_back(x < 0 || x > double(d.from - 1));
  }
  return taps;
}

//===----------------------------------------------------------------------===//
// One dimension
//===----------------------------------------------------------------------===//

/// Elements by their index. Where each is repeated as often, that is a
/// broadcast.
static Tensor takeNearest(GraphBuilder &b, Tensor x, const ResizedDim &d,
                          ArrayRef<int64_t> indices) {
  int64_t factor = d.to / d.from;
  bool isRepeated = d.to % d.from == 0;
  for (auto [i, index] : llvm::enumerate(indices))
    isRepeated = isRepeated && index == int64_t(i) / factor;
  if (!isRepeated)
    return b.gather(x, b.constant(indices), d.dim);
  Shape split(x.shape()), repeated(x.shape()), joined(x.shape());
  split.insert(split.begin() + d.dim + 1, 1);
  repeated.insert(repeated.begin() + d.dim + 1, factor);
  joined[d.dim] = d.to;
  return b.reshape(b.broadcast(b.reshape(x, split), repeated), joined);
}

static Tensor interpolate(GraphBuilder &b, Tensor x, const ResizedDim &d,
                          const ResizeOptions &options,
                          std::vector<bool> &isOutside) {
  Taps taps = makeTaps(d, options);
  isOutside = taps.isOutside;
  Shape along(x.rank(), 1);
  along[d.dim] = d.to;
  Tensor sum;
  for (auto [indices, weights] : llvm::zip_equal(taps.indices, taps.weights)) {
    if (llvm::all_of(weights, [](double w) { return w == 0; }))
      continue;
    Tensor term = b.mul(b.gather(x, b.constant(indices), d.dim),
                        b.constantOf(x.elementType(), weights, along));
    sum = sum ? b.add(sum, term) : term;
  }
  return sum;
}

static Tensor resizeDim(GraphBuilder &b, Tensor x, const ResizedDim &d,
                        const ResizeOptions &options) {
  constexpr int64_t largest = 1 << 20;
  if (!x)
    return {};
  if (d.to > largest || d.from > largest ||
      (options.isAntialiased && d.scale < 1e-3))
    return b.fail("expected dimensions of at most 2^20, found " +
                  Twine(d.from) + " and " + Twine(d.to));
  std::vector<bool> isOutside(d.to);
  Tensor y;
  if (options.mode == "nearest") {
    Shape indices;
    for (int64_t i = 0; i < d.to; ++i) {
      double position = getCoordinate(d, options.coordinates, i);
      indices.push_back(std::clamp<int64_t>(
          roundCoordinate(position, options.rounding), 0, d.from - 1));
      isOutside[i] = position < 0 || position > double(d.from - 1);
    }
    y = takeNearest(b, x, d, indices);
  } else {
    y = interpolate(b, x, d, options, isOutside);
  }
  if (options.coordinates != "tf_crop_and_resize" || !y)
    return y;
  Shape along(x.rank(), 1);
  along[d.dim] = d.to;
  std::vector<double> mask(isOutside.begin(), isOutside.end());
  return b.select(b.constantOf(IntegerType::get(b.context(), 1), mask, along),
                  b.scalar(x.elementType(), options.extrapolation), y);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

static bool readSizes(OpContext &op, GraphBuilder &b, ArrayRef<int64_t> axes,
                      ArrayRef<int64_t> sizes,
                      SmallVectorImpl<ResizedDim> &dims) {
  StringRef policy =
      op.attributes.getString("keep_aspect_ratio_policy").value_or("stretch");
  for (auto [i, axis] : llvm::enumerate(axes)) {
    dims[axis].to = sizes[i];
    dims[axis].scale = double(sizes[i]) / double(dims[axis].from);
  }
  if (policy == "stretch")
    return true;
  if (policy != "not_larger" && policy != "not_smaller") {
    b.fail("expected the attribute 'keep_aspect_ratio_policy' to be stretch, "
           "not_larger or not_smaller, found " +
           quote(policy));
    return false;
  }
  double scale = dims[axes.front()].scale;
  for (int64_t axis : axes)
    scale = policy == "not_larger" ? std::min(scale, dims[axis].scale)
                                   : std::max(scale, dims[axis].scale);
  for (int64_t axis : axes) {
    dims[axis].scale = scale;
    dims[axis].to = int64_t(std::floor(scale * double(dims[axis].from) + 0.5));
  }
  return true;
}

/// `scales` and `sizes` are the numbers of these inputs; one of them is there.
static std::optional<SmallVector<ResizedDim>>
readDims(OpContext &op, GraphBuilder &b, Tensor x, unsigned scales,
         unsigned sizes) {
  Shape axes =
      op.normalizeAxes(op.attributes.getInts("axes").value_or(
                           llvm::to_vector(llvm::seq<int64_t>(0, x.rank()))),
                       x.rank());
  SmallVector<ResizedDim> dims(x.rank());
  for (auto [i, size] : llvm::enumerate(x.shape()))
    dims[i] = {int64_t(i), size, size};
  bool hasScales = op.has(scales) && !op.optionalInput(scales).isEmpty();
  if (hasScales) {
    auto given = op.constantFloats(scales);
    if (!given || given->size() != axes.size())
      return std::nullopt;
    for (auto [axis, scale] : llvm::zip_equal(axes, *given)) {
      double to = std::floor(double(dims[axis].from) * scale);
      if (!(to >= 1) || !(to < double(int64_t(1) << 47)))
        return std::nullopt;
      dims[axis].scale = scale;
      dims[axis].to = int64_t(to);
    }
  } else {
    auto given = op.constantInts(sizes);
    if (!given || given->size() != axes.size() || axes.empty() ||
        llvm::any_of(*given,
                     [](int64_t size) {
                       return size < 1 || size >= int64_t(1) << 47;
                     }) ||
        !readSizes(op, b, axes, *given, dims))
      return std::nullopt;
  }
  for (const ResizedDim &d : dims)
    if (d.to < 1)
      return std::nullopt;
  return dims;
}

static bool readRoi(OpContext &op, GraphBuilder &b,
                    MutableArrayRef<ResizedDim> dims) {
  auto roi = op.constantFloats(1);
  Shape axes = op.attributes.getInts("axes").value_or(
      llvm::to_vector(llvm::seq<int64_t>(0, dims.size())));
  axes = op.normalizeAxes(axes, dims.size());
  if (!roi || b.hasFailed() || roi->size() != 2 * axes.size() ||
      !llvm::all_of(*roi, [](double edge) { return std::isfinite(edge); }))
    return false;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    dims[axis].start = (*roi)[i];
    dims[axis].end = (*roi)[i + axes.size()];
  }
  return true;
}

static Tensor resize(GraphBuilder &b, Tensor x, ArrayRef<ResizedDim> dims,
                     const ResizeOptions &options) {
  Type type = x.elementType();
  bool isNearest = options.mode == "nearest";
  if (!isNearest && !x.isFloat())
    x = b.cast(x, Float32Type::get(b.context()));
  for (const ResizedDim &d : dims)
    if (d.from != d.to || (d.scale != 1 && !isNearest) ||
        (options.coordinates == "tf_crop_and_resize" &&
         (d.start != 0 || d.end != 1)))
      x = resizeDim(b, x, d, options);
  return b.cast(x, type);
}

static bool checkModes(GraphBuilder &b, const ResizeOptions &options) {
  if (!llvm::is_contained({"nearest", "linear", "cubic"}, options.mode))
    b.fail("expected the attribute 'mode' to be nearest, linear or cubic, "
           "found " +
           quote(options.mode));
  if (!isCoordinateMode(options.coordinates))
    b.fail("unknown coordinate_transformation_mode " +
           quote(options.coordinates));
  return !b.hasFailed();
}

static Tensors importResize(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  Attributes &attributes = op.attributes;
  bool isFirst = op.version < 11;
  ResizeOptions options;
  options.mode = attributes.getString("mode").value_or("nearest");
  options.coordinates = attributes.getString("coordinate_transformation_mode")
                            .value_or(isFirst ? "asymmetric" : "half_pixel");
  options.rounding = attributes.getString("nearest_mode")
                         .value_or(isFirst ? "floor" : "round_prefer_floor");
  options.cubicFactor = attributes.getFloat("cubic_coeff_a").value_or(-0.75);
  options.extrapolation =
      attributes.getFloat("extrapolation_value").value_or(0);
  options.excludesOutside = attributes.getInt("exclude_outside").value_or(0);
  options.isAntialiased = attributes.getInt("antialias").value_or(0);
  attributes.getString("keep_aspect_ratio_policy");
  attributes.getInts("axes");
  if (!op.expectElements(x) || !checkModes(b, options))
    return {};
  op.optionalInput(isFirst ? 0 : 1);
  auto dims = isFirst ? readDims(op, b, x, 1, 1) : readDims(op, b, x, 2, 3);
  if (!dims ||
      (options.coordinates == "tf_crop_and_resize" && !readRoi(op, b, *dims)))
    return {b.fail("expected scales or sizes for the dimensions of " +
                   formatShape(x.shape()))};
  return {resize(b, x, *dims, options)};
}

/// The operator before Resize.
static Tensors importUpsample(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  ResizeOptions options;
  options.mode = op.attributes.getString("mode").value_or("nearest");
  options.coordinates = "asymmetric";
  options.rounding = "floor";
  std::optional<SmallVector<double>> scales =
      op.version < 9 ? op.attributes.getFloats("scales") : op.constantFloats(1);
  if (!op.expectElements(x) || !checkModes(b, options))
    return {};
  if (!scales || int64_t(scales->size()) != x.rank())
    return {b.fail("expected a scale for each dimension of " +
                   formatShape(x.shape()))};
  SmallVector<ResizedDim> dims;
  for (auto [i, scale] : llvm::enumerate(*scales)) {
    double to = std::floor(double(x.dim(i)) * scale);
    if (!(to >= 1) || !(to < double(int64_t(1) << 47)))
      return {b.fail("expected scales that leave an element")};
    dims.push_back({int64_t(i), x.dim(i), int64_t(to), scale});
  }
  return {resize(b, x, dims, options)};
}

ArrayRef<OpDefinition> onnx::getResizeOps() {
  static constexpr OpDefinition ops[] = {
      {"Resize", importResize, 19},
      {"Upsample", importUpsample, 10},
  };
  return ops;
}
