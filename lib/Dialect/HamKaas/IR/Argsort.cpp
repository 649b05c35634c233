//===- Argsort.cpp - The order of elements ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult ArgsortOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  if (x.getRank() == 0) // C1.
    return emitOptionalError(loc, "expected x to have at least rank 1, got 0");
  SmallVector<int64_t> shape(x.getShape());
  if (std::optional<int64_t> first = adaptor.getFirst()) {
    if (*first < 1 || *first > shape.back()) // C2.
      return emitOptionalError(loc, "expected 'first' from 1 to ", shape.back(),
                               ", got ", *first);
    shape.back() = *first;
  }
  types.push_back(x.clone(shape, IntegerType::get(context, 64)));
  return success();
}

/// About as many comparisons as it takes to find the first and to sort them.
int64_t ArgsortOp::getFlops() {
  RankedTensorType type = getType();
  return addCounts(getX().getType().getNumElements(),
                   multiplyCounts(type.getNumElements(),
                                  llvm::Log2_64_Ceil(type.getShape().back())));
}
