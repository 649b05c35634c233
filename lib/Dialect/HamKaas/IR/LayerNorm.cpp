//===- LayerNorm.cpp - Normalization of rows --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult LayerNormOp::verify() {
  if (getX().getType().getRank() == 0) // C1.
    return emitOpError("expected x to have at least rank 1, got 0");
  APFloat epsilon = getEpsilon();
  if (!epsilon.isFinite() || epsilon.isNegative()) // C2.
    return emitOpError("expected a finite epsilon of at least 0, got ")
           << getEpsilonAttr();
  return success();
}

// A sum, a difference, a square and its sum, and a product an element.
int64_t LayerNormOp::getFlops() {
  return multiplyCounts(5, getElementCount(getType()));
}
