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
  types.push_back(x.clone(IntegerType::get(context, 64)));
  return success();
}

/// About as many comparisons as a sort makes.
int64_t ArgsortOp::getFlops() {
  RankedTensorType type = getType();
  return multiplyCounts(type.getNumElements(),
                        llvm::Log2_64_Ceil(type.getShape().back()));
}
