//===- Permute.cpp - Permutation of dimensions ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult PermuteOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  if (int64_t(permutation.size()) != x.getRank()) // C1.
    return emitOptionalError(loc, "expected a permutation of ", x.getRank(),
                             " entries, one a dimension of x, got ",
                             permutation.size());
  if (!isPermutationVector(permutation)) // C2.
    return emitOptionalError(loc, "expected each of 0 to ", x.getRank() - 1,
                             " once in the permutation, got [", permutation,
                             "]");
  types.push_back(x.clone(applyPermutation(x.getShape(), permutation)));
  return success();
}

int64_t PermuteOp::getFlops() { return 0; }

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (isIdentityPermutation(getPermutation()))
    return getX();
  return {};
}

LogicalResult PermuteOp::canonicalize(PermuteOp op, PatternRewriter &rewriter) {
  auto producer = op.getX().getDefiningOp<PermuteOp>();
  if (!producer)
    return rewriter.notifyMatchFailure(op, "the operand is no permute");
  SmallVector<int64_t> combined =
      applyPermutation(producer.getPermutation(), op.getPermutation());
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(producer.getX());
    op.setPermutation(combined);
  });
  return success();
}
