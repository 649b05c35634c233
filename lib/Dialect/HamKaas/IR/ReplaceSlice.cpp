//===- ReplaceSlice.cpp - Replacement of rows -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult ReplaceSliceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto target = cast<ShapedType>(adaptor.getTarget().getType());
  auto replacement = cast<ShapedType>(adaptor.getReplacement().getType());
  // C1.
  if (target.getRank() == 0)
    return emitOptionalError(loc,
                             "expected target to have at least rank 1, got 0");
  if (replacement.getRank() != target.getRank())
    return emitOptionalError(
        loc, "expected the rank of replacement (", replacement.getRank(),
        ") to match the rank of target (", target.getRank(), ")");
  if (replacement.getElementType() != target.getElementType()) // C2.
    return emitOptionalError(loc, "expected the element type of replacement (",
                             replacement.getElementType(),
                             ") to match that of target (",
                             target.getElementType(), ")");
  for (int64_t i = 1; i < target.getRank(); ++i)
    if (replacement.getDimSize(i) != target.getDimSize(i)) // C3.
      return emitOptionalError(loc, "expected dimension ", i,
                               " of replacement (", replacement.getDimSize(i),
                               ") to match that of target (",
                               target.getDimSize(i), ")");
  if (replacement.getDimSize(0) > target.getDimSize(0)) // C4.
    return emitOptionalError(loc, "expected replacement to have at most the ",
                             target.getDimSize(0), " rows of target, got ",
                             replacement.getDimSize(0));
  types.push_back(target);
  return success();
}

int64_t ReplaceSliceOp::getFlops() { return 0; }

OpOperand *ReplaceSliceOp::getUpdatedOperand() { return &getTargetMutable(); }

bool ReplaceSliceOp::checksValues() { return !getUnchecked(); }
