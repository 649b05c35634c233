//===- Attention.cpp - Attention ------------------------------ -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto q = cast<ShapedType>(adaptor.getQ().getType());
  auto k = cast<ShapedType>(adaptor.getK().getType());
  auto v = cast<ShapedType>(adaptor.getV().getType());
  // C1.
  if (q.getRank() != 3 || k.getRank() != 3 || v.getRank() != 3)
    return emitOptionalError(loc, "expected q, k and v to have rank 3, got ",
                             q.getRank(), ", ", k.getRank(), " and ",
                             v.getRank());
  if (k.getDimSize(0) != q.getDimSize(0) || v.getDimSize(0) != q.getDimSize(0))
    return emitOptionalError(
        loc, "expected q, k and v to have the same first dimension, got ",
        q.getDimSize(0), ", ", k.getDimSize(0), " and ", v.getDimSize(0));
  // C2.
  if (k.getDimSize(2) != q.getDimSize(2))
    return emitOptionalError(loc, "expected the last dimension of k (",
                             k.getDimSize(2), ") to match that of q (",
                             q.getDimSize(2), ")");
  // C3.
  if (v.getDimSize(1) != k.getDimSize(1))
    return emitOptionalError(loc, "expected the rows of v (", v.getDimSize(1),
                             ") to match those of k (", k.getDimSize(1), ")");
  types.push_back(q.clone({q.getDimSize(0), q.getDimSize(1), v.getDimSize(2)}));
  return success();
}

/// (C4) for one of the operands, called `name`.
static LogicalResult verifyRepeated(AttentionOp op, Value operand,
                                    StringRef name) {
  if (!operand)
    return success();
  auto type = cast<RankedTensorType>(operand.getType());
  ArrayRef<int64_t> q = op.getQ().getType().getShape();
  int64_t scores[] = {q[0], q[1], op.getK().getType().getDimSize(1)};
  bool fits = type.getRank() == 3;
  for (int64_t i = 0; fits && i < 3; ++i)
    fits = type.getDimSize(i) == scores[i] || type.getDimSize(i) == 1;
  if (fits)
    return success();
  return op.emitOpError("expected the dimensions of ")
         << name << " to be 1 or those of the scores (" << scores[0] << " x "
         << scores[1] << " x " << scores[2] << "), got " << type;
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyRepeated(*this, getMask(), "mask")) ||
      failed(verifyRepeated(*this, getBias(), "bias")))
    return failure();
  if (!getScale().isFinite()) // C5.
    return emitOpError("expected a finite scale, got ") << getScaleAttr();
  if (getMaskedScore().isNaN()) // C6.
    return emitOpError("expected a masked score that is a number, got ")
           << getMaskedScoreAttr();
  return success();
}

// A score is a sum of products, scaled, compared, subtracted, exponentiated,
// added and divided by the sum; the bias is one more addition.
int64_t AttentionOp::getFlops() {
  ArrayRef<int64_t> q = getQ().getType().getShape();
  ArrayRef<int64_t> v = getV().getType().getShape();
  int64_t scores = multiplyCounts(q[0] * q[1], v[1]);
  int64_t products = 2 * (q[2] + v[2]);
  return multiplyCounts(scores, products + 6 + (getBias() ? 1 : 0));
}
