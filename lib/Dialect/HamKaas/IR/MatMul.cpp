//===- MatMul.cpp - Products of vectors, matrices and batches ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto lhs = cast<ShapedType>(adaptor.getLhs().getType());
  auto rhs = cast<ShapedType>(adaptor.getRhs().getType());
  // C1.
  int64_t l = lhs.getRank(), r = rhs.getRank();
  if (!((l == 1 && r == 2) || (l == 2 && r == 2) || (l == 3 && r == 3)))
    return emitOptionalError(
        loc,
        "expected the ranks of lhs and rhs to be 1 and 2, 2 and 2, or 3 "
        "and 3, got ",
        l, " and ", r);
  // C2.
  int64_t rows = rhs.getDimSize(r - 2);
  if (lhs.getShape().back() != rows)
    return emitOptionalError(loc, "expected the last dimension of lhs (",
                             lhs.getShape().back(),
                             ") to match the rows of rhs (", rows, ")");
  // C3.
  if (l == 3 && lhs.getDimSize(0) != rhs.getDimSize(0))
    return emitOptionalError(loc, "expected the batch of lhs (",
                             lhs.getDimSize(0), ") to match that of rhs (",
                             rhs.getDimSize(0), ")");
  // C4.
  if (lhs.getElementType() != rhs.getElementType())
    return emitOptionalError(loc, "expected the element type of rhs (",
                             rhs.getElementType(), ") to match that of lhs (",
                             lhs.getElementType(), ")");
  SmallVector<int64_t> shape(lhs.getShape());
  shape.back() = rhs.getShape().back();
  types.push_back(lhs.clone(shape));
  return success();
}

KernelFamily MatMulOp::getKernelFamily() {
  return getType().getElementType().isF32() ? KernelFamily::Contraction
                                            : KernelFamily::Reduction;
}

int64_t MatMulOp::getFlops() {
  return multiplyCounts(2 * getElementCount(getType()),
                        getLhs().getType().getShape().back());
}

OpOperand *MatMulOp::getColumnWeights() { return &getRhsMutable(); }
