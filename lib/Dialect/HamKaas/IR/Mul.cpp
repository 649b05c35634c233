//===- Mul.cpp - Elementwise product ----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult MulOp::inferReturnTypes(MLIRContext *,
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
