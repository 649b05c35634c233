//===- Gather.cpp - Slices by their indices ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantIndices.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegularIndices.h"
#include "ShapeArithmetic.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  auto indices = cast<ShapedType>(adaptor.getIndices().getType());
  int64_t dim = adaptor.getDim();
  if (failed(verifyDimension(loc, dim, x.getRank()))) // C1.
    return failure();
  SmallVector<int64_t> shape(x.getShape().take_front(dim));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, x.getShape().drop_front(dim + 1));
  return inferShape(loc, shape, x.getElementType(), types); // C2.
}

int64_t GatherOp::getFlops() { return 0; }

bool GatherOp::checksValues() { return !getUnchecked(); }

/// Evenly spaced elements are a strided slice.
static LogicalResult replaceBySlice(GatherOp op, PatternRewriter &rewriter) {
  std::optional<RegularIndices> at = findRegularIndices(
      op.getIndices(), op.getX().getType().getDimSize(op.getDim()));
  if (!at || at->groups != 1 || (at->size > 1 && at->step == 0))
    return rewriter.notifyMatchFailure(op, "the indices have no common step");
  RankedTensorType type = op.getX().getType();
  SmallVector<int64_t> offsets(type.getRank(), 0), sizes(type.getShape()),
      strides(type.getRank(), 1);
  offsets[op.getDim()] = at->first;
  sizes[op.getDim()] = at->size;
  strides[op.getDim()] = at->step;
  auto slice = StridedSliceOp::create(rewriter, op.getLoc(), op.getX(), offsets,
                                      sizes, strides);
  rewriter.replaceOp(op, slice);
  return success();
}

LogicalResult GatherOp::canonicalize(GatherOp op, PatternRewriter &rewriter) {
  if (succeeded(replaceBySlice(op, rewriter)))
    return success();
  return uncheckConstantIndices(op, op.getX().getType().getDimSize(op.getDim()),
                                rewriter);
}
