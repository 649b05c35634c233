//===- RandomBits.cpp - Words from a counter --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult RandomBitsOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto generator = cast<ShapedType>(adaptor.getGenerator().getType());
  if (generator.getShape() != ArrayRef<int64_t>(3)) // C1.
    return emitOptionalError(loc,
                             "expected a generator of the shape 3, its "
                             "key and counter, got ",
                             generator);
  for (int64_t size : adaptor.getShape())
    if (size < 1) // C2.
      return emitOptionalError(loc, "expected sizes of at least 1, got ", size);
  int64_t offset = adaptor.getOffset();
  if (offset < 0) // C3.
    return emitOptionalError(loc, "expected an offset of at least 0, got ",
                             offset);
  Type word = IntegerType::get(context, 32, IntegerType::Unsigned);
  types.push_back(RankedTensorType::get(adaptor.getShape(), word));
  return success();
}

/// Two products, two shifts and four exclusive ors a round.
static constexpr int64_t flopsPerWord = 80;

int64_t RandomBitsOp::getFlops() {
  return multiplyCounts(getElementCount(getType()), flopsPerWord);
}

bool RandomBitsOp::isCheap() { return false; }
