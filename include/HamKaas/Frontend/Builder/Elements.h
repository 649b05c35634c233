//===- Elements.h - Elements as bytes and as numbers ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_BUILDER_ELEMENTS_H
#define HAMKAAS_FRONTEND_BUILDER_ELEMENTS_H

#include "HamKaas/Dialect/HamKaas/IR/ReferenceTensor.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace hamkaas::graph {

/// Bytes of an element as a program stores it.
int64_t getElementBytes(mlir::Type type);

/// Elements from and to their bytes as a program stores them. A boolean is a
/// byte of 0 or 1; when read, any other byte is true.
ReferenceTensor decodeElements(mlir::RankedTensorType type,
                               llvm::ArrayRef<char> bytes);
std::vector<char> encodeElements(const ReferenceTensor &tensor);

/// The elements as numbers; large integers are rounded.
void appendElements(const ReferenceTensor &tensor,
                    llvm::SmallVectorImpl<double> &values);

/// Sets all elements.
void fillElements(ReferenceTensor &tensor, double value);

} // namespace hamkaas::graph

#endif // HAMKAAS_FRONTEND_BUILDER_ELEMENTS_H
