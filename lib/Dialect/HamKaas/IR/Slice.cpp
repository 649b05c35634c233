//===- Slice.cpp - Slices of the first dimension ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Locations.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult SliceOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> loc,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  if (x.getRank() == 0) // C1.
    return emitOptionalError(loc, "expected x to have at least rank 1, got 0");
  int64_t begin = adaptor.getBegin(), end = adaptor.getEnd();
  if (begin < 0 || begin >= end || end > x.getDimSize(0)) // C2.
    return emitOptionalError(
        loc, "expected 0 <= begin < end <= the first dimension of x (",
        x.getDimSize(0), "), got begin ", begin, " and end ", end);
  SmallVector<int64_t> shape(x.getShape());
  shape.front() = end - begin;
  types.push_back(x.clone(shape));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  // All rows.
  if (getX().getType() == getType())
    return getX();
  return {};
}

/// Only the last rows of a chain of slices are observable.
static LogicalResult combine(SliceOp op, PatternRewriter &rewriter) {
  auto producer = op.getX().getDefiningOp<SliceOp>();
  if (!producer)
    return rewriter.notifyMatchFailure(op, "the operand is no slice");
  int64_t offset = producer.getBegin();
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(producer.getX());
    op.setBegin(op.getBegin() + offset);
    op.setEnd(op.getEnd() + offset);
    op->setLoc(fuseLocations(producer, op));
  });
  return success();
}

/// Rows of one operand of a concatenation are taken from that.
static LogicalResult takeFromPiece(SliceOp op, PatternRewriter &rewriter) {
  auto concat = op.getX().getDefiningOp<ConcatOp>();
  if (!concat || concat.getDim() != 0)
    return rewriter.notifyMatchFailure(op, "the operand joins no rows");
  auto [piece, begin] = concat.findPiece(op.getBegin(), op.getEnd() - 1);
  if (!piece)
    return rewriter.notifyMatchFailure(op, "the rows are of several operands");
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(piece);
    op.setBegin(op.getBegin() - begin);
    op.setEnd(op.getEnd() - begin);
  });
  return success();
}

LogicalResult SliceOp::canonicalize(SliceOp op, PatternRewriter &rewriter) {
  if (succeeded(combine(op, rewriter)))
    return success();
  return takeFromPiece(op, rewriter);
}
