//===- LogSumExp.cpp - Logarithm of a sum of exponentials -----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult LogSumExpOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  if (x.getRank() == 0) // C1.
    return emitOptionalError(loc, "expected x to have at least rank 1, got 0");
  types.push_back(x.clone(x.getShape().drop_back()));
  return success();
}

// An entry is compared, made less by the largest, exponentiated and added.
int64_t LogSumExpOp::getFlops() {
  return multiplyCounts(4, getElementCount(getX().getType()));
}
