//===- Scatter.cpp - Rows that are replaced or changed ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantIndices.h"
#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult ScatterOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  auto target = cast<ShapedType>(adaptor.getTarget().getType());
  auto indices = cast<ShapedType>(adaptor.getIndices().getType());
  auto updates = cast<ShapedType>(adaptor.getUpdates().getType());
  // C1.
  if (target.getRank() == 0)
    return emitOptionalError(loc,
                             "expected target to have at least rank 1, got 0");
  if (indices.getRank() != 1)
    return emitOptionalError(loc, "expected indices of rank 1, got ",
                             indices.getRank());
  SmallVector<int64_t> expected(target.getShape());
  expected.front() = indices.getDimSize(0);
  if (updates.getShape() != ArrayRef(expected)) // C2.
    return emitOptionalError(loc, "expected updates of the shape [", expected,
                             "], a row for each index, got [",
                             updates.getShape(), "]");
  if (updates.getElementType() != target.getElementType()) // C3.
    return emitOptionalError(
        loc, "expected the element type of updates (", updates.getElementType(),
        ") to match that of target (", target.getElementType(), ")");
  if (target.getElementType().isInteger(1) &&
      adaptor.getReduction() != ScatterReduction::None) // C4.
    return emitOptionalError(loc,
                             "expected the reduction none for booleans, got ",
                             stringifyScatterReduction(adaptor.getReduction()));
  types.push_back(target);
  return success();
}

int64_t ScatterOp::getFlops() {
  return getReduction() == ScatterReduction::None
             ? 0
             : getElementCount(getUpdates().getType());
}

OpOperand *ScatterOp::getUpdatedOperand() { return &getTargetMutable(); }

bool ScatterOp::checksValues() { return !getUnchecked(); }

LogicalResult ScatterOp::canonicalize(ScatterOp op, PatternRewriter &rewriter) {
  return uncheckConstantIndices(op, op.getType().getDimSize(0), rewriter);
}
