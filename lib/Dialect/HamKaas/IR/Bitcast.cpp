//===- Bitcast.cpp - The same bits as another type --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult BitcastOp::verify() {
  auto x = getX().getType(), result = getType();
  if (x.getShape() != result.getShape()) // C1.
    return emitOpError("expected the result to have the shape of x (")
           << x << "), got " << result;
  Type from = x.getElementType(), to = result.getElementType();
  bool hasBooleans = from.isInteger(1) || to.isInteger(1);
  if (hasBooleans ||
      from.getIntOrFloatBitWidth() != to.getIntOrFloatBitWidth()) // C2.
    return emitOpError("expected elements of one width, none of them booleans, "
                       "got ")
           << from << " and " << to;
  return success();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  if (auto producer = getX().getDefiningOp<BitcastOp>())
    if (producer.getX().getType() == getType())
      return producer.getX();
  return {};
}
