//===- WindowOperand.h - Elements that windows cover ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_WINDOWOPERAND_H
#define HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_WINDOWOPERAND_H

#include "CombinerBuilder.h"

namespace hamkaas {

/// A tensor `[n, ..., c]` that windows slide over. In the loops of the
/// reduction that reads it, loop 0 is that of `n`, those of the windows follow.
struct WindowOperand {
  mlir::Value tensor;
  llvm::ArrayRef<int64_t> strides, dilations, padLow, padHigh;
  /// The first of the loops over the elements of a window.
  unsigned firstTap;
  /// The channel in terms of the loops.
  mlir::AffineExpr channel;

  /// The tensor with its padding, of elements `outside`.
  mlir::Value buildPadded(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::TypedAttr outside) const;
  /// Where a reduction of `loops` loops reads that.
  mlir::AffineMap getMap(unsigned loops) const;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_WINDOWOPERAND_H
