//===- CustomGradient.cpp - A gradient of the user's own --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult CustomGradientOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  TypeRange given = adaptor.getOperands().getTypes();
  if (given.size() < 4 || given.size() % 2 != 0) // C1.
    return emitOptionalError(loc,
                             "expected a value, a stand-in for its gradient, "
                             "and as many gradients as values that get one, "
                             "got ",
                             given.size(), " operands");
  if (given[1] != given[0]) // C2.
    return emitOptionalError(loc,
                             "expected a stand-in of the type of the "
                             "value, ",
                             given[0], ", got ", given[1]);
  size_t count = given.size() / 2 - 1;
  for (size_t i = 0; i < count; ++i)
    if (Type x = given[2 + i], gradient = given[2 + count + i];
        gradient != x) // C3.
      return emitOptionalError(loc, "expected gradient ", i,
                               " to have the type of its value, ", x, ", got ",
                               gradient);
  types.push_back(given[0]);
  return success();
}

OpFoldResult CustomGradientOp::fold(FoldAdaptor) { return getOperand(0); }
