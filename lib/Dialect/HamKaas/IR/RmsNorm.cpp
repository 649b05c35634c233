//===- RmsNorm.cpp - Root mean square normalisation -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  auto w = cast<ShapedType>(adaptor.getW().getType());
  if (x.getRank() == 0) // C1.
    return emitOptionalError(loc, "expected x to have at least rank 1, got 0");
  if (w.getRank() != 1 || w.getDimSize(0) != x.getShape().back()) // C2.
    return emitOptionalError(loc,
                             "expected w to have rank 1 and the size of "
                             "the last dimension of x (",
                             x.getShape().back(), "), got ", w);
  types.push_back(x);
  return success();
}

LogicalResult RmsNormOp::verify() {
  APFloat epsilon = getEpsilon();
  if (!epsilon.isFinite() || epsilon.isNegative()) // C3.
    return emitOpError("expected a finite epsilon of at least 0, got ")
           << getEpsilonAttr();
  return success();
}

// An element is squared, added, scaled and divided; a row takes the mean, its
// sum with the constant and the root.
int64_t RmsNormOp::getFlops() {
  int64_t elements = getElementCount(getType());
  return 4 * elements + 3 * (elements / getType().getShape().back());
}
