//===- Difference.cpp - How tensors of two devices differ -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/Difference.h"
#include "HamKaas/Program/ElementTypes.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <tuple>

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

namespace {

/// The scale of each row.
struct RowScales {
  std::vector<double> largest; ///< One a row: the largest finite magnitude.
  double median = 0;           ///< Of these.

  double get(size_t row) const { return std::max(largest[row], median); }
};

} // namespace

static size_t getRowSize(const ReferenceTensor &tensor) {
  return tensor.shape().empty() ? 1 : tensor.shape().back();
}

template <typename T>
static RowScales measureRows(const std::vector<T> &elements, size_t rowSize) {
  RowScales scales;
  for (size_t first = 0; first < elements.size(); first += rowSize) {
    double &magnitude = scales.largest.emplace_back(0);
    for (size_t i = first; i < first + rowSize; ++i)
      if (std::isfinite(elements[i]))
        magnitude = std::max<double>(magnitude, std::abs(elements[i]));
  }
  // Where a sum has cancelled, a row is small but its error is not: that of a
  // usual row is the least to measure by.
  std::vector<double> sorted = scales.largest;
  auto median = sorted.begin() + (sorted.size() - 1) / 2;
  std::nth_element(sorted.begin(), median, sorted.end());
  scales.median = *median;
  return scales;
}

double hamkaas::getUsualScale(const ReferenceTensor &tensor) {
  if (!tensor.f32.empty())
    return measureRows(tensor.f32, getRowSize(tensor)).median;
  if (!tensor.f64.empty())
    return measureRows(tensor.f64, getRowSize(tensor)).median;
  return 0;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// True if one of the two is NaN or infinite and the other is not the same.
static bool isOfOtherKind(double actual, double expected) {
  return !(std::isfinite(actual) && std::isfinite(expected)) &&
         actual != expected && !(std::isnan(actual) && std::isnan(expected));
}

/// The differences of float tensors, row by row of the last dimension.
template <typename T>
static void compareRows(const std::vector<T> &actual,
                        const std::vector<T> &expected, size_t rowSize,
                        Difference &difference) {
  RowScales scales = measureRows(expected, rowSize);
  for (size_t row = 0; row < scales.largest.size(); ++row) {
    double error = 0;
    for (size_t i = row * rowSize; i < (row + 1) * rowSize; ++i) {
      double a = actual[i], e = expected[i];
      if (std::isfinite(a) && std::isfinite(e))
        error = std::max(error, std::abs(a - e));
      else
        difference.special += isOfOtherKind(a, e);
      difference.nan += std::isnan(a) && std::isnan(e);
    }
    difference.addRow(error, scales.get(row));
  }
}

void Difference::addRow(double error, double scale) {
  // Any difference from zeros is infinitely large.
  auto rank = [](double error, double scale) {
    return std::tuple(error == 0 ? 0 : error / scale, error, scale);
  };
  if (rank(error, scale) <= rank(largest, magnitude))
    return;
  largest = error;
  magnitude = scale;
}

Difference hamkaas::compare(const ReferenceTensor &actual,
                            const ReferenceTensor &expected) {
  Difference difference;
  if (!expected.f32.empty())
    compareRows(actual.f32, expected.f32, getRowSize(expected), difference);
  if (!expected.f64.empty())
    compareRows(actual.f64, expected.f64, getRowSize(expected), difference);
  // A double does not hold every integer: those that differ count as special.
  for (auto [a, e] : llvm::zip_equal(actual.i64, expected.i64))
    difference.special += a != e;
  return difference;
}

template <typename T>
static std::optional<WrongElement>
findWrongFloat(const std::vector<T> &actual, const std::vector<T> &expected,
               size_t rowSize, double tolerance, double leastScale) {
  RowScales scales = measureRows(expected, rowSize);
  for (size_t i = 0; i < expected.size(); ++i) {
    double a = actual[i], e = expected[i];
    double scale = std::max(scales.get(i / rowSize), leastScale);
    if (isOfOtherKind(a, e) || std::abs(a - e) > tolerance * scale)
      return WrongElement{int64_t(i), scale};
  }
  return std::nullopt;
}

std::optional<WrongElement>
hamkaas::findWrongElement(const ReferenceTensor &actual,
                          const ReferenceTensor &expected, double leastScale) {
  double tolerance = getElementType(expected.type).tolerance;
  size_t rowSize = getRowSize(expected);
  if (!expected.f32.empty())
    return findWrongFloat(actual.f32, expected.f32, rowSize, tolerance,
                          leastScale);
  if (!expected.f64.empty())
    return findWrongFloat(actual.f64, expected.f64, rowSize, tolerance,
                          leastScale);
  for (size_t i = 0; i < expected.i64.size(); ++i)
    if (actual.i64[i] != expected.i64[i])
      return WrongElement{int64_t(i), /*scale=*/0};
  return std::nullopt;
}

std::string hamkaas::describeDifference(RankedTensorType type,
                                        const Difference &difference,
                                        bool showTolerance) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!isa<FloatType>(type.getElementType())) {
    os << difference.special << " of " << type.getNumElements()
       << " elements differ";
    return text;
  }
  os << "largest difference " << llvm::format("%.3g", difference.largest)
     << ", largest value " << llvm::format("%.3g", difference.magnitude);
  if (difference.special)
    os << ", " << difference.special
       << " elements of another kind (NaN or infinity)";
  if (difference.nan)
    os << ", " << difference.nan << " of " << type.getNumElements()
       << " elements NaN in both";
  if (showTolerance)
    os << ", allowed " << llvm::format("%.0e", getElementType(type).tolerance)
       << " times that";
  return text;
}
