//===- OperandFacts.h - What arithmetic knows of operands -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_OPERANDFACTS_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_OPERANDFACTS_H

#include "llvm/ADT/StringRef.h"

namespace hamkaas {

/// On an exponential, no value: its operand is a rounded difference that is NaN
/// or at most 0, or its result is not used. It cannot overflow, and need not be
/// more exact than the difference, which saves a third of its instructions.
inline constexpr llvm::StringLiteral nonPositiveAttrName =
    "hamkaas.nonpositive";

/// On a `linalg.unpack`, no value: the panels are written in each run, just
/// before they are read, so each thread has those that it wrote in its cache.
inline constexpr llvm::StringLiteral freshAttrName = "hamkaas.fresh";

/// On a convolution, `[before, after]`: so many of the first and of the last
/// rows of its images, the first dimension of windows, are zeros.
inline constexpr llvm::StringLiteral zeroRowsAttrName = "hamkaas.zero_rows";

/// On a convolution to few channels, no value: it is a reduction of images
/// whose channels come first, one channel after the other.
inline constexpr llvm::StringLiteral planarAttrName = "hamkaas.planar";

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_OPERANDFACTS_H
