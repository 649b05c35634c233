//===- Add.cpp - Addition, and the broadcasting rule ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult hamkaas::verifyBroadcast(std::optional<Location> loc, Type lhs,
                                       Type rhs, int64_t dims) {
  ArrayRef<int64_t> lhsShape = cast<ShapedType>(lhs).getShape();
  ArrayRef<int64_t> rhsShape = cast<ShapedType>(rhs).getShape();
  for (int64_t i = 0; i < dims; ++i)
    if (rhsShape[i] != lhsShape[i] && rhsShape[i] != 1) // C2.
      return emitOptionalError(loc, "expected dimension ", i, " of rhs (",
                               rhsShape[i], ") to be 1 or that of lhs (",
                               lhsShape[i], ")");
  return success();
}

LogicalResult hamkaas::verifySameRank(std::optional<Location> loc, Type lhs,
                                      Type rhs) {
  int64_t lhsRank = cast<ShapedType>(lhs).getRank();
  int64_t rhsRank = cast<ShapedType>(rhs).getRank();
  if (lhsRank != rhsRank) // C1.
    return emitOptionalError(loc, "expected the rank of rhs (", rhsRank,
                             ") to match the rank of lhs (", lhsRank, ")");
  return success();
}

LogicalResult AddOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  Type lhs = adaptor.getLhs().getType(), rhs = adaptor.getRhs().getType();
  if (failed(verifySameRank(loc, lhs, rhs)) ||
      failed(verifyBroadcast(loc, lhs, rhs, cast<ShapedType>(lhs).getRank())))
    return failure();
  types.push_back(lhs);
  return success();
}
