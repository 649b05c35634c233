//===- Compare.cpp - Comparison and choice ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"

using namespace mlir;
using namespace hamkaas;

// C1, C2 and C3 are those of the binary ops.
LogicalResult CompareOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Type lhs = adaptor.getLhs().getType(), rhs = adaptor.getRhs().getType();
  types.push_back(
      cast<RankedTensorType>(lhs).clone(IntegerType::get(context, 1)));
  return verifyBinary(loc, lhs, rhs);
}

LogicalResult SelectOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto condition = cast<ShapedType>(adaptor.getCondition().getType());
  auto a = cast<ShapedType>(adaptor.getA().getType());
  auto b = cast<ShapedType>(adaptor.getB().getType());
  if (a != b) // C1.
    return emitOptionalError(loc, "expected b to have the type of a (", a,
                             "), got ", b);
  if (condition.getShape() != a.getShape()) // C2.
    return emitOptionalError(loc,
                             "expected the condition to have the shape of a (",
                             a, "), got ", condition);
  types.push_back(a);
  return success();
}
