//===- ComplexMul.cpp - Product of complex numbers --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult ComplexMulOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto lhs = cast<ShapedType>(adaptor.getLhs().getType());
  auto rhs = cast<ShapedType>(adaptor.getRhs().getType());
  if (failed(verifySameRank(loc, lhs, rhs)))
    return failure();
  // C3.
  if (lhs.getRank() == 0)
    return emitOptionalError(loc, "expected lhs to have a last dimension of 2, "
                                  "real and imaginary part, got rank 0");
  if (lhs.getShape().back() != 2)
    return emitOptionalError(loc, "expected the last dimension of lhs (",
                             lhs.getShape().back(),
                             ") to be 2, real and imaginary part");
  if (rhs.getShape().back() != 2)
    return emitOptionalError(loc, "expected the last dimension of rhs (",
                             rhs.getShape().back(),
                             ") to be 2, real and imaginary part");
  if (failed(verifyBroadcast(loc, lhs, rhs, lhs.getRank() - 1)))
    return failure();
  types.push_back(lhs);
  return success();
}

// Of the two products and the sum that an element is.
int64_t ComplexMulOp::getFlops() { return 3 * getElementCount(getType()); }
