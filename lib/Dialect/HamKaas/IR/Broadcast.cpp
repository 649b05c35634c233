//===- Broadcast.cpp - Repeating dimensions of size 1 -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Broadcast.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"

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

LogicalResult hamkaas::verifyBinary(std::optional<Location> loc, Type lhs,
                                    Type rhs) {
  if (failed(verifySameRank(loc, lhs, rhs)) ||
      failed(verifyBroadcast(loc, lhs, rhs, cast<ShapedType>(lhs).getRank())))
    return failure();
  Type lhsElement = cast<ShapedType>(lhs).getElementType();
  Type rhsElement = cast<ShapedType>(rhs).getElementType();
  if (lhsElement != rhsElement) // C3.
    return emitOptionalError(loc, "expected the element type of rhs (",
                             rhsElement, ") to be that of lhs (", lhsElement,
                             ")");
  return success();
}

LogicalResult hamkaas::inferBroadcast(std::optional<Location> loc,
                                      ValueRange operands,
                                      SmallVectorImpl<Type> &types) {
  types.push_back(operands[0].getType());
  return verifyBinary(loc, operands[0].getType(), operands[1].getType());
}

LogicalResult BroadcastOp::verify() {
  auto x = getX().getType(), result = getType();
  // C1.
  if (x.getRank() != result.getRank())
    return emitOpError("expected the rank of the result (")
           << result.getRank() << ") to match the rank of x (" << x.getRank()
           << ")";
  if (x.getElementType() != result.getElementType())
    return emitOpError("expected the result to have the element type of x (")
           << x.getElementType() << "), got " << result.getElementType();
  for (int64_t i = 0; i < x.getRank(); ++i)
    if (x.getDimSize(i) != result.getDimSize(i) && x.getDimSize(i) != 1) // C2.
      return emitOpError("expected dimension ")
             << i << " of x (" << x.getDimSize(i)
             << ") to be 1 or that of the result (" << result.getDimSize(i)
             << ")";
  return success();
}

int64_t BroadcastOp::getFlops() { return 0; }

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  return {};
}
