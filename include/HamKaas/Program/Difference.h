//===- Difference.h - How tensors of two devices differ ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_DIFFERENCE_H
#define HAMKAAS_PROGRAM_DIFFERENCE_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include <optional>
#include <string>

namespace hamkaas {

/// How two tensors of one type differ. Each row of the last dimension is
/// measured by itself, so that a huge element hides nothing in other rows; this
/// is the row that differs most for its scale.
struct Difference {
  double largest = 0; ///< Largest absolute difference in that row.
  /// Scale of that row: the largest finite absolute value expected in it, or
  /// the median of those of all rows if that is larger.
  double magnitude = 0;
  /// Elements where one is NaN or infinite and the other is not the same, and
  /// integers that are not the same.
  int64_t special = 0;
  int64_t nan = 0; ///< Elements where both are NaN, which are equal.

  /// True if no element differs by more than `tolerance` times the scale of its
  /// row.
  bool isWithin(double tolerance) const {
    return special == 0 && largest <= tolerance * magnitude;
  }

  /// Takes a row of that largest difference and scale into account.
  void addRow(double error, double scale);
};

Difference compare(const ReferenceTensor &actual,
                   const ReferenceTensor &expected);

/// The element that breaks the rule of `Difference::isWithin`.
struct WrongElement {
  int64_t index; ///< In row-major order.
  double scale;  ///< Of its row; 0 for integers.
};

/// The first one for the tolerance of the element type. Rows have at least the
/// scale `leastScale`.
std::optional<WrongElement> findWrongElement(const ReferenceTensor &actual,
                                             const ReferenceTensor &expected,
                                             double leastScale = 0);

/// The median of the scales of all rows; 0 for integers.
double getUsualScale(const ReferenceTensor &tensor);

/// "largest difference 1e-06, largest value 3", how many elements are NaN, and
/// with `showTolerance` how much would be allowed for floats.
std::string describeDifference(mlir::RankedTensorType type,
                               const Difference &difference,
                               bool showTolerance = false);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_DIFFERENCE_H
