//===- ConstantIndices.h - Indices that are known ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_IR_CONSTANTINDICES_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_IR_CONSTANTINDICES_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace hamkaas {

/// Marks `op` unchecked if all its indices are known to count elements of a
/// dimension of `size`, from its beginning or from its end.
template <typename OpTy>
llvm::LogicalResult uncheckConstantIndices(OpTy op, int64_t size,
                                           mlir::PatternRewriter &rewriter) {
  using namespace mlir;
  DenseIntElementsAttr indices;
  if (op.getUnchecked())
    return rewriter.notifyMatchFailure(op, "the indices are not checked");
  if (!matchPattern(op.getIndices(), m_Constant(&indices)))
    return rewriter.notifyMatchFailure(op, "the indices are not constant");
  if (!llvm::all_of(indices.template getValues<APInt>(), [&](const APInt &at) {
        return at.getSExtValue() >= -size && at.getSExtValue() < size;
      }))
    return rewriter.notifyMatchFailure(op, "an index is out of range");
  rewriter.modifyOpInPlace(op, [&] { op.setUnchecked(true); });
  return success();
}

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_IR_CONSTANTINDICES_H
