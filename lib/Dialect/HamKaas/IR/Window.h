//===- Window.h - Windows over spatial dimensions ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_IR_WINDOW_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_IR_WINDOW_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace hamkaas {

/// Windows over the spatial dimensions of a tensor `[n, ..., c]`, one entry a
/// dimension.
struct Windows {
  llvm::ArrayRef<int64_t> sizes, strides, dilations, padLow, padHigh;
};

/// Checks that there are windows over the spatial dimensions of `x`, and
/// appends their numbers to `counts`.
llvm::LogicalResult countWindows(std::optional<mlir::Location> loc,
                                 mlir::ShapedType x, const Windows &windows,
                                 llvm::SmallVectorImpl<int64_t> &counts);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_IR_WINDOW_H
