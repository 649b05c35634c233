//===- Numbers.h - Numbers of all element types as text ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_NUMBERS_H
#define HAMKAAS_FRONTEND_BUILDER_NUMBERS_H

#include "mlir/IR/BuiltinAttributes.h"

namespace hamkaas::graph {

/// Longer texts are no numbers: converting one takes the square of its length.
inline constexpr size_t longestNumber = 400;

/// The bits of the element of `type` that `text` is: an integer, a number as in
/// C, `inf` or `nan` with or without a sign, the bits of a float as
/// `0x7fc00001` with all their digits, `true` or `false` for a boolean. None if
/// the type has no such element; a float that lies between two is rounded.
std::optional<llvm::APInt> parseNumber(llvm::StringRef text, mlir::Type type);

/// The same as an attribute, or null.
mlir::TypedAttr parseNumberAttr(llvm::StringRef text, mlir::Type type);

/// Writes an element such that `parseNumber` gives the same bits: a float in
/// the fewest digits that tell it from its neighbours.
void printNumber(llvm::raw_ostream &stream, const llvm::APInt &bits,
                 mlir::Type type);

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_NUMBERS_H
