//===- Cast.cpp - Conversion of element types -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult CastOp::verify() {
  auto x = getX().getType(), result = getType();
  if (x.getShape() != result.getShape()) // C1.
    return emitOpError("expected the result to have the shape of x (")
           << x << "), got " << result;
  return success();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  return {};
}
