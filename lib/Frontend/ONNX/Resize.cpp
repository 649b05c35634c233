//===- Resize.cpp - Sampling at other positions, by dimension ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/Resampling.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Attributes and inputs
//===----------------------------------------------------------------------===//

/// Sets `value` to that of a word, which must be one of the list.
template <typename T>
static bool readWord(GraphBuilder &b, StringRef attribute, StringRef word,
                     ArrayRef<std::pair<StringRef, T>> words, T &value) {
  for (const auto &[known, meaning] : words)
    if (known == word) {
      value = meaning;
      return true;
    }
  return expectOneOf(b, attribute, word,
                     llvm::to_vector(llvm::make_first_range(words)));
}

static bool readMode(OpContext &op, GraphBuilder &b, Resampling &s) {
  using Mode = Resampling::Mode;
  using Word = std::pair<StringRef, Mode>;
  static constexpr Word words[] = {{"nearest", Mode::Nearest},
                                   {"linear", Mode::Linear},
                                   {"cubic", Mode::Cubic}};
  StringRef mode = op.attributes.getString("mode").value_or("nearest");
  if (op.version < 11 && (mode == "bilinear" || mode == "trilinear"))
    mode = "linear";
  return readWord(b, "mode", mode,
                  ArrayRef(words).drop_back(op.version < 11 ? 1 : 0), s.mode);
}

static bool readCoordinates(OpContext &op, GraphBuilder &b, Resampling &s) {
  using Coordinates = Resampling::Coordinates;
  using Word = std::pair<StringRef, Coordinates>;
  return readWord(
      b, "coordinate_transformation_mode",
      op.attributes.getString("coordinate_transformation_mode")
          .value_or("half_pixel"),
      ArrayRef<Word>{{"align_corners", Coordinates::AlignCorners},
                     {"asymmetric", Coordinates::Asymmetric},
                     {"half_pixel", Coordinates::HalfPixel},
                     {"half_pixel_symmetric", Coordinates::HalfPixelSymmetric},
                     {"pytorch_half_pixel", Coordinates::HalfPixelTorch},
                     {"tf_crop_and_resize", Coordinates::CropAndResize},
                     {"tf_half_pixel_for_nn", Coordinates::HalfPixelNearest}},
      s.coordinates);
}

static bool readRounding(OpContext &op, GraphBuilder &b, Resampling &s) {
  using Rounding = Resampling::Rounding;
  using Word = std::pair<StringRef, Rounding>;
  return readWord(
      b, "nearest_mode",
      op.attributes.getString("nearest_mode").value_or("round_prefer_floor"),
      ArrayRef<Word>{{"ceil", Rounding::Ceil},
                     {"floor", Rounding::Floor},
                     {"round_prefer_ceil", Rounding::PreferCeil},
                     {"round_prefer_floor", Rounding::PreferFloor}},
      s.rounding);
}

static void sampleAsymmetrically(Resampling &s) {
  s.coordinates = Resampling::Coordinates::Asymmetric;
  s.rounding = Resampling::Rounding::Floor;
}

static bool readSampling(OpContext &op, GraphBuilder &b, Resampling &s) {
  Attributes &a = op.attributes;
  if (op.version < 11) {
    sampleAsymmetrically(s);
    return readMode(op, b, s);
  }
  s.cubicA = a.getFloat("cubic_coeff_a").value_or(-0.75);
  s.outsideValue = a.getFloat("extrapolation_value").value_or(0);
  s.excludesOutside = a.getInt("exclude_outside").value_or(0) != 0;
  bool isSmoothed = op.version >= 18 && a.getInt("antialias").value_or(0) != 0;
  if (!readMode(op, b, s) || !readCoordinates(op, b, s) ||
      !readRounding(op, b, s))
    return false;
  s.antialias = isSmoothed && s.mode != Resampling::Mode::Nearest;
  return true;
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
                     SmallVectorImpl<ResampledDim> &lines) {
  double least = 0, most = 0;
  for (auto [i, line] : llvm::enumerate(lines)) {
    line.scale = sizes[i] / double(line.size);
    line.newSize = sizes[i];
    least = i == 0 ? line.scale : std::min(least, line.scale);
    most = std::max(most, line.scale);
  }
  if (policy == "stretch")
    return true;
  for (ResampledDim &line : lines) {
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
                          SmallVectorImpl<ResampledDim> &lines) {
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
static bool readRegion(OpContext &op, GraphBuilder &b,
                       const Resampling &sampling,
                       SmallVectorImpl<ResampledDim> &lines) {
  op.optionalInput(1);
  if (sampling.coordinates != Resampling::Coordinates::CropAndResize)
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
                            const Resampling &sampling,
                            ArrayRef<ResampledDim> lines) {
  Shape shape(x.shape());
  for (const ResampledDim &line : lines)
    shape[line.dim] = line.newSize;
  if (b.hasFailed() || !op.checkShape(shape))
    return {};
  return {resample(b, x, sampling, lines)};
}

static Tensors importResize(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  Resampling sampling;
  if (!op.expectRank(x, 1) || !expectElements(b, x) ||
      !readSampling(op, b, sampling))
    return {};
  Shape dims = getDimRange(0, x.rank());
  if (op.version >= 18)
    if (auto axes = op.attributes.getInts("axes"))
      dims = op.normalizeAxes(*axes, x.rank());
  SmallVector<ResampledDim> lines;
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
  Resampling sampling;
  sampleAsymmetrically(sampling);
  if (!op.expectRank(x, 1) || !expectElements(b, x) ||
      !readMode(op, b, sampling))
    return {};
  auto scales = op.version >= 9 ? op.constantFloats(1)
                                : op.attributes.getFloats("scales");
  if (b.hasFailed() ||
      !checkNumbers(b, "scales", scales ? *scales : SmallVector<double>(),
                    x.rank(), 1e-6))
    return {};
  SmallVector<ResampledDim> lines;
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
