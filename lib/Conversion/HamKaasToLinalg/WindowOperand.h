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
  /// What the channel is in terms of the loops.
  mlir::AffineExpr channel;

  int64_t spatialRank() const { return strides.size(); }
  bool isPadded(int64_t dim) const { return padLow[dim] || padHigh[dim]; }

  /// Adds the operand to those of a reduction of `loops` loops. One with
  /// padding is none of them: the body reads it.
  void addTo(llvm::SmallVectorImpl<mlir::Value> &operands,
             llvm::SmallVectorImpl<mlir::AffineMap> &maps,
             unsigned loops) const;
  /// The contribution of the operand in the body of that reduction, which was
  /// given `arguments`; `outside` in the padding.
  mlir::Value buildContribution(mlir::OpBuilder &b, mlir::Location loc,
                                mlir::ValueRange arguments,
                                const CombinerBuilder &combiner,
                                mlir::TypedAttr outside) const;

private:
  bool isPadded() const;
  mlir::AffineExpr getPosition(int64_t dim) const;
};

} // namespace hamkaas

#endif // HAMKAAS_LIB_CONVERSION_HAMKAASTOLINALG_WINDOWOPERAND_H
