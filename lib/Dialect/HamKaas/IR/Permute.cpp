//===- Permute.cpp - Permutation of dimensions ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Locations.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> loc,
                                          Adaptor adaptor,
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

/// Returns whether the elements keep their row-major order: only dimensions of
/// size 1 change places with others.
static bool keepsOrder(PermuteOp op) {
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  SmallVector<int64_t> moved(llvm::make_filter_range(
      op.getPermutation(), [&](int64_t dim) { return shape[dim] != 1; }));
  return llvm::is_sorted(moved);
}

LogicalResult PermuteOp::canonicalize(PermuteOp op, PatternRewriter &rewriter) {
  if (keepsOrder(op)) {
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), op.getX());
    return success();
  }
  // One element everywhere has no order. Its kernel is part of its reader's, of
  // which the permute would make two kernels and a tensor of zeros, say.
  if (auto broadcast = op.getX().getDefiningOp<BroadcastOp>();
      broadcast && broadcast.getX().getType().getNumElements() == 1) {
    auto same = BroadcastOp::create(rewriter, fuseLocations(broadcast, op),
                                    op.getType(), broadcast.getX());
    rewriter.replaceOp(op, same);
    return success();
  }
  auto producer = op.getX().getDefiningOp<PermuteOp>();
  if (!producer)
    return rewriter.notifyMatchFailure(op, "the operand is no permute");
  SmallVector<int64_t> combined =
      applyPermutation(producer.getPermutation(), op.getPermutation());
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(producer.getX());
    op.setPermutation(combined);
    op->setLoc(fuseLocations(producer, op));
  });
  return success();
}
