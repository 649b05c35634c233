//===- Reduce.cpp - Reductions of dimensions --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  SmallVector<int64_t> shape(x.getShape());
  int64_t least = 0;
  for (int64_t dim : adaptor.getDims()) {
    if (dim < least || dim >= x.getRank()) // C1.
      return emitOptionalError(loc, "expected ascending dimensions from 0 to ",
                               x.getRank() - 1, ", got [", adaptor.getDims(),
                               "]");
    least = dim + 1;
    shape[dim] = 0;
  }
  Combiner combiner = adaptor.getCombiner();
  if (x.getElementType().isInteger(1) && combiner != Combiner::Max &&
      combiner != Combiner::Min) // C2.
    return emitOptionalError(loc,
                             "expected to combine booleans by max or min, "
                             "got ",
                             stringifyCombiner(combiner));
  llvm::erase(shape, 0);
  types.push_back(x.clone(shape));
  return success();
}

bool ReduceOp::readsInOrder() { return true; }

int64_t ReduceOp::getFlops() { return getElementCount(getX().getType()); }

OpFoldResult ReduceOp::fold(FoldAdaptor) {
  if (getDims().empty())
    return getX();
  return {};
}
