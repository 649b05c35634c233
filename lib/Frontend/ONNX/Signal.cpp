//===- Signal.cpp - Fourier transforms and windows --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "DataTypes.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// Tables of constants have at most this many elements.
static constexpr int64_t largestTable = int64_t(1) << 23;

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

namespace {

/// A transform of `length` numbers, of which the input has the first `inputs`,
/// with `parts` each: real and perhaps imaginary. `bins` are computed.
struct Transform {
  int64_t length, inputs, parts, bins;
  bool isInverse = false;
  /// An inverse of which only the first half of the input is there: its output
  /// is real.
  bool isReal = false;

  int64_t outputParts() const { return isReal ? 1 : 2; }
};

} // namespace

/// The cosine of `i` of `n` parts of a circle, exact where it is 0, 1 or -1.
static double getCosine(int64_t i, int64_t n) {
  i %= n;
  if (4 * i % n == 0) {
    constexpr double exact[] = {1, 0, -1, 0};
    return exact[4 * i / n];
  }
  return std::cos(2 * M_PI * double(i) / double(n));
}

static double getSine(int64_t i, int64_t n) {
  i %= n;
  if (4 * i % n == 0) {
    constexpr double exact[] = {0, 1, 0, -1};
    return exact[4 * i / n];
  }
  return std::sin(2 * M_PI * double(i) / double(n));
}

/// The contribution of input `t` to bin `k`: from its parts to those of the
/// bin.
static void addEntries(const Transform &f, int64_t t, int64_t part, int64_t k,
                       std::vector<double> &matrix) {
  int64_t turn = (t * k) % f.length;
  double cosine = getCosine(turn, f.length), sine = getSine(turn, f.length);
  if (!f.isInverse)
    sine = -sine;
  double scale = f.isInverse ? 1 / double(f.length) : 1;
  // The other half is the conjugate.
  if (f.isReal && t != 0 && 2 * t != f.length)
    scale *= 2;
  matrix.push_back(scale * (part == 0 ? cosine : -sine));
  if (!f.isReal)
    matrix.push_back(scale * (part == 0 ? sine : cosine));
}

/// Transforms rows x (inputs * parts) to rows x (bins * parts) by a matmul in
/// float64: float32 sums are not exact enough to give zeros.
static Tensor transform(GraphBuilder &b, Tensor rows, const Transform &f) {
  int64_t height = f.inputs * f.parts, width = f.bins * f.outputParts();
  if (height > largestTable / width)
    return b.fail("Fourier transforms of " + std::to_string(f.length) +
                  " numbers are not supported");
  Type type = rows.elementType(), wide = Float64Type::get(b.context());
  std::vector<double> matrix;
  for (int64_t t = 0; t < f.inputs; ++t)
    for (int64_t part = 0; part < f.parts; ++part)
      for (int64_t k = 0; k < f.bins; ++k)
        addEntries(f, t, part, k, matrix);
  Tensor product =
      b.matmul(b.cast(rows, wide), b.constantOf(wide, matrix, {height, width}));
  return b.cast(product, type);
}

/// A positive number that an input holds, if it is there.
static std::optional<int64_t> readNumber(OpContext &op, GraphBuilder &b,
                                         unsigned input) {
  if (!op.has(input))
    return std::nullopt;
  std::optional<Shape> numbers = op.constantInts(input);
  if (!numbers)
    return std::nullopt;
  if (numbers->size() == 1)
    return numbers->front();
  b.fail("expected one number in input " + Twine(input) + ", got " +
         Twine(numbers->size()));
  return std::nullopt;
}

static std::optional<int64_t> readTransformAxis(OpContext &op, GraphBuilder &b,
                                                const Tensor &x) {
  std::optional<int64_t> axis;
  if (op.version < 20)
    axis = op.attributes.getInt("axis").value_or(1);
  else
    axis = readNumber(op, b, 2).value_or(-2);
  if (b.hasFailed())
    return std::nullopt;
  int64_t normalized = op.normalizeAxis(*axis, x.rank());
  if (!b.hasFailed() && normalized == x.rank() - 1)
    b.fail("expected an axis other than the last, which holds the parts of "
           "complex numbers");
  if (b.hasFailed())
    return std::nullopt;
  return normalized;
}

static Tensors importDFT(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  Transform f;
  f.isInverse = op.attributes.getInt("inverse").value_or(0) != 0;
  bool isOneSided = op.attributes.getInt("onesided").value_or(0) != 0;
  if (!op.expectRank(x, 2) || !expectElements(b, x))
    return {};
  std::optional<int64_t> axis = readTransformAxis(op, b, x);
  if (!axis)
    return {};
  f.isReal = f.isInverse && isOneSided;
  int64_t size = x.dim(*axis);
  f.parts = x.shape().back();
  f.length = readNumber(op, b, 1).value_or(f.isReal ? 2 * (size - 1) : size);
  if (b.hasFailed())
    return {};
  if (f.length < 1 || f.length > largestTable || f.parts < 1 || f.parts > 2)
    return {
        b.fail("expected a transform of 1 or more real or complex numbers")};
  int64_t half = f.length / 2 + 1;
  f.inputs = std::min(size, f.isReal ? half : f.length);
  f.bins = isOneSided && !f.isInverse ? half : f.length;
  int64_t last = x.rank() - 2;
  Tensor rows = swapDims(b, b.sliceDim(x, *axis, 0, f.inputs), *axis, last);
  if (!rows)
    return {};
  Shape shape(rows.shape());
  shape[last] = f.bins;
  shape[last + 1] = f.outputParts();
  int64_t width = f.inputs * f.parts;
  rows = b.reshape(rows, {rows.count() / width, width});
  return {swapDims(b, b.reshape(transform(b, rows, f), shape), *axis, last)};
}

/// Frames of the signal, each as long as the window and `step` after the one
/// before it: batch x frames x length x parts.
static Tensor cutFrames(GraphBuilder &b, Tensor signal, int64_t count,
                        int64_t length, int64_t step) {
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < length; ++k)
      indices.push_back(i * step + k);
  return b.gather(signal, b.constant(indices, {count, length}), 1);
}

static Tensors importSTFT(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), window = op.optionalInput(2);
  std::optional<int64_t> step = readNumber(op, b, 1), given;
  given = readNumber(op, b, 3);
  bool isOneSided = op.attributes.getInt("onesided").value_or(1) != 0;
  if (b.hasFailed() || !op.expectRank(x, 2, 3) || !expectElements(b, x) ||
      (window && !op.expectRank(window, 1, 1)))
    return {};
  if (x.rank() == 2)
    x = addDim(b, x, 2);
  int64_t length = given ? *given : window ? window.dim(0) : x.dim(1);
  if (!step || *step < 1 || length < 1 || length > x.dim(1))
    return {b.fail("expected a step of at least 1 and a frame of at most " +
                   Twine(x.dim(1)) + " numbers")};
  if (window && !expectShape(b, "a window", window, {length}))
    return {};
  int64_t count = 1 + (x.dim(1) - length) / *step;
  if (length > largestTable / count)
    return {b.fail("more than 2^23 numbers in frames are not supported")};
  Tensor frames = cutFrames(b, x, count, length, *step);
  if (window)
    frames = b.mul(frames, b.reshape(window, {length, 1}));
  Transform f{length, length, x.dim(2), isOneSided ? length / 2 + 1 : length};
  Tensor rows = b.reshape(frames, {x.dim(0) * count, length * f.parts});
  if (!rows)
    return {};
  return {b.reshape(transform(b, rows, f), {x.dim(0), count, f.bins, 2})};
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// The type that the attribute 'output_datatype' names.
static Type readType(OpContext &op) {
  return op.getElementType(op.attributes.getInt("output_datatype").value_or(1));
}

/// A sum of cosines: `a - b * cos(t) + c * cos(2 t)` over a turn.
static Tensors computeWindow(OpContext &op, GraphBuilder &b, double constant,
                             double once, double twice) {
  std::optional<int64_t> size = readNumber(op, b, 0);
  bool isPeriodic = op.attributes.getInt("periodic").value_or(1) != 0;
  Type type = readType(op);
  if (b.hasFailed() || !op.expectConstant(0))
    return {};
  if (!size || *size < 0 || *size > largestTable)
    return {b.fail("expected a size from 0 to 2^23")};
  std::vector<double> window;
  double length = double(isPeriodic ? *size : *size - 1);
  for (int64_t i = 0; i < *size; ++i) {
    double t = length > 0 ? 2 * M_PI * double(i) / length : 0;
    window.push_back(constant - once * std::cos(t) + twice * std::cos(2 * t));
  }
  return {b.constantOf(type, window, {*size})};
}

static Tensors importHannWindow(OpContext &op, GraphBuilder &b) {
  return computeWindow(op, b, 0.5, 0.5, 0);
}

static Tensors importHammingWindow(OpContext &op, GraphBuilder &b) {
  return computeWindow(op, b, 25.0 / 46, 21.0 / 46, 0);
}

static Tensors importBlackmanWindow(OpContext &op, GraphBuilder &b) {
  return computeWindow(op, b, 0.42, 0.5, 0.08);
}

//===----------------------------------------------------------------------===//
// Mel scale
//===----------------------------------------------------------------------===//

/// The bins of the spectrum at which the triangles of `count` mel bins begin
/// and end, two more than these.
static std::vector<int64_t> placeMelBins(int64_t count, double length,
                                         double rate, double low, double high) {
  auto toMel = [](double hertz) {
    return 2595 * std::log1p(hertz / 700) / std::log(10.0);
  };
  double step = (toMel(high) - toMel(low)) / double(count + 2);
  std::vector<int64_t> bins;
  for (int64_t i = 0; i < count + 2; ++i) {
    double mel = double(i) * step + toMel(low);
    double hertz = 700 * std::expm1(mel / 2595 * std::log(10.0));
    bins.push_back(std::floor((length + 1) * hertz / rate));
  }
  return bins;
}

/// The height of a triangle at `i`.
static double getTriangle(int64_t i, int64_t low, int64_t middle,
                          int64_t high) {
  if (i >= middle && i < high)
    return double(high - i) / double(high - middle);
  if (i < low || i > middle)
    return 0;
  return low == middle ? 1 : double(i - low) / double(middle - low);
}

static Tensors importMelWeightMatrix(OpContext &op, GraphBuilder &b) {
  SmallVector<double> settings;
  for (unsigned i = 0; i < 5; ++i) {
    auto numbers = op.constantFloats(i);
    if (!numbers)
      return {};
    if (numbers->size() != 1)
      return {b.fail("expected one number in input " + Twine(i) + ", got " +
                     Twine(numbers->size()))};
    settings.push_back(numbers->front());
  }
  Type type = readType(op);
  double count = settings[0], length = settings[1];
  bool isSane = count >= 1 && length >= 1 && count < 1e6 && length < 1e6 &&
                settings[2] > 0 && settings[3] >= 0 &&
                settings[4] >= settings[3] && 2 * settings[4] <= settings[2];
  if (!isSane || count * length > double(largestTable))
    return {b.fail("expected from 1 to 10^6 bins and edges in ascending order "
                   "from 0 to half of the sample rate")};
  std::vector<int64_t> bins = placeMelBins(int64_t(count), length, settings[2],
                                           settings[3], settings[4]);
  std::vector<double> matrix;
  int64_t rows = int64_t(length) / 2 + 1;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < int64_t(count); ++k)
      matrix.push_back(getTriangle(i, bins[k], bins[k + 1], bins[k + 2]));
  if (b.hasFailed())
    return {};
  return {b.constantOf(type, matrix, {rows, int64_t(count)})};
}

ArrayRef<OpDefinition> onnx::getSignalOps() {
  static constexpr OpDefinition ops[] = {
      {"BlackmanWindow", importBlackmanWindow, 17},
      {"DFT", importDFT, 20},
      {"HammingWindow", importHammingWindow, 17},
      {"HannWindow", importHannWindow, 17},
      {"MelWeightMatrix", importMelWeightMatrix, 17},
      {"STFT", importSTFT, 17},
  };
  return ops;
}
