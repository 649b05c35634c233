//===- SlicedSoftmax.cpp - Softmax of the first entries ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult SlicedSoftmaxOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  if (x.getRank() == 0) // C1.
    return emitOptionalError(loc, "expected x to have at least rank 1, got 0");
  types.push_back(x);
  return success();
}

LogicalResult SlicedSoftmaxOp::verify() {
  std::optional<int64_t> prefix = getStaticPrefix();
  if (prefix.has_value() == bool(getPrefix())) // C2.
    return emitOpError("expected the prefix either as an operand or as an "
                       "attribute, got ")
           << (prefix ? "both" : "neither");
  int64_t last = getX().getType().getShape().back();
  if (prefix && (*prefix < 0 || *prefix > last)) // C3.
    return emitOpError("expected a prefix from 0 to the last dimension of x (")
           << last << "), got " << *prefix;
  return success();
}

// An entry of the prefix is compared, made less by the largest, exponentiated,
// added and divided. A prefix that is known only at run time may be a whole
// row.
int64_t SlicedSoftmaxOp::getFlops() {
  int64_t rows = getElementCount(getType()) / getType().getShape().back();
  return 5 * rows * getStaticPrefix().value_or(getType().getShape().back());
}

bool SlicedSoftmaxOp::checksValues() { return getPrefix() && !getUnchecked(); }

OpFoldResult SlicedSoftmaxOp::fold(FoldAdaptor) {
  // Every row is copied.
  if (getStaticPrefix() == 0)
    return getX();
  return {};
}
