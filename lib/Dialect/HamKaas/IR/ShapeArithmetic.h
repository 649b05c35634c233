//===- ShapeArithmetic.h - Rules that ops on shapes share -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_IR_SHAPEARITHMETIC_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_IR_SHAPEARITHMETIC_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

namespace hamkaas {

/// Checks that `entries` has one for each dimension of `x`; `what` are they.
llvm::LogicalResult verifyEntries(std::optional<mlir::Location> loc,
                                  llvm::StringRef what,
                                  llvm::ArrayRef<int64_t> entries,
                                  mlir::ShapedType x);

/// Checks that `dim` is one of `rank` dimensions.
llvm::LogicalResult verifyDimension(std::optional<mlir::Location> loc,
                                    int64_t dim, int64_t rank);

/// Appends the type of a result, or fails with an error if it has too many
/// elements. A negative size stands for one that does not fit an int64_t.
llvm::LogicalResult inferShape(std::optional<mlir::Location> loc,
                               llvm::ArrayRef<int64_t> shape,
                               mlir::Type element,
                               llvm::SmallVectorImpl<mlir::Type> &types);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_IR_SHAPEARITHMETIC_H
