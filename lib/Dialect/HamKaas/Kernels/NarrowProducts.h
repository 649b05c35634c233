//===- NarrowProducts.h - Products of narrow integers -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_NARROWPRODUCTS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_NARROWPRODUCTS_H

#include "mlir/IR/Operation.h"
#include <optional>

namespace hamkaas {

/// The least and the largest number that elements may be.
struct Interval {
  int64_t least, most;

  /// Returns whether 16 bits hold them.
  bool fits() const { return least >= INT16_MIN && most <= INT16_MAX; }
};

/// Of integers of which something is known.
std::optional<Interval> getRange(mlir::Value value);

/// Returns whether `op` moves the elements of its one operand.
bool movesElements(mlir::Operation *op);

/// `op`, which moves elements, for `operand` in the place of its own.
mlir::Value moveAlike(mlir::Operation *op, mlir::Value operand);

/// Returns whether `product` multiplies 32-bit integers that are casts of
/// 16-bit ones.
bool multipliesNarrow(mlir::Operation *product);

/// Returns whether `product` multiplies 32-bit integers that are casts of
/// unsigned bytes on its left side, and of signed ones on its right side.
bool multipliesBytes(mlir::Operation *product);

/// Returns whether `op` is a product of either kind that the contraction
/// emitter can block.
bool isNarrowContraction(mlir::Operation *op);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_NARROWPRODUCTS_H
