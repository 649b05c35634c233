//===- StridedSlice.cpp - Elements at regular distances ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Locations.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "ShapeArithmetic.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hamkaas;

/// Returns whether all of `size` elements, `stride` apart from `offset` on, are
/// within a dimension of `extent`. Nothing overflows.
static bool isWithin(int64_t offset, int64_t size, int64_t stride,
                     int64_t extent) {
  if (offset < 0 || offset >= extent)
    return false;
  uint64_t room = stride > 0 ? extent - 1 - offset : offset;
  uint64_t distance = stride > 0 ? uint64_t(stride) : -uint64_t(stride);
  return uint64_t(size - 1) <= room / distance;
}

LogicalResult StridedSliceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> loc,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  ArrayRef<int64_t> offsets = adaptor.getOffsets(), sizes = adaptor.getSizes(),
                    strides = adaptor.getStrides();
  // C1.
  if (failed(verifyEntries(loc, "offsets", offsets, x)) ||
      failed(verifyEntries(loc, "sizes", sizes, x)) ||
      failed(verifyEntries(loc, "strides", strides, x)))
    return failure();
  for (int64_t i = 0; i < x.getRank(); ++i) {
    if (sizes[i] < 1 || strides[i] == 0) // C2.
      return emitOptionalError(loc,
                               "expected a size of at least 1 and a "
                               "stride other than 0 for dimension ",
                               i, ", got ", sizes[i], " and ", strides[i]);
    if (!isWithin(offsets[i], sizes[i], strides[i], x.getDimSize(i))) // C3.
      return emitOptionalError(loc, "expected elements from 0 to ",
                               x.getDimSize(i) - 1, " of dimension ", i,
                               ", got ", sizes[i], " from ", offsets[i],
                               " on in steps of ", strides[i]);
  }
  types.push_back(x.clone(sizes));
  return success();
}

int64_t StridedSliceOp::getFlops() { return 0; }

OpFoldResult StridedSliceOp::fold(FoldAdaptor) {
  // Of a dimension's size with stride 1 there are only all elements; one
  // element is at any stride from itself.
  bool isWhole =
      llvm::all_of(llvm::zip_equal(getStrides(), getSizes()), [](auto entry) {
        auto [stride, size] = entry;
        return stride == 1 || size == 1;
      });
  return isWhole && getX().getType() == getType() ? getX() : OpFoldResult();
}

/// The slice of a slice takes elements of its operand.
static LogicalResult combine(StridedSliceOp op, PatternRewriter &rewriter) {
  auto producer = op.getX().getDefiningOp<StridedSliceOp>();
  if (!producer)
    return failure();
  SmallVector<int64_t> offsets, strides;
  for (auto [offset, stride, size, innerOffset, innerStride] :
       llvm::zip_equal(op.getOffsets(), op.getStrides(), op.getSizes(),
                       producer.getOffsets(), producer.getStrides())) {
    offsets.push_back(innerOffset + innerStride * offset);
    // A stride that nobody takes may be of any size.
    strides.push_back(size == 1 ? 1 : innerStride * stride);
  }
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(producer.getX());
    op.setOffsets(offsets);
    op.setStrides(strides);
    op->setLoc(fuseLocations(producer, op));
  });
  return success();
}

/// The dimension before which one position is taken and after which all
/// elements are, so that the elements taken are consecutive. None if they are
/// not.
static std::optional<int64_t> findCutDimension(StridedSliceOp op) {
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  ArrayRef<int64_t> sizes = op.getSizes(), strides = op.getStrides();
  int64_t rank = shape.size(), cut = 0;
  while (cut + 1 < rank && sizes[cut] == 1)
    ++cut;
  for (int64_t i = cut; i < rank; ++i)
    if ((strides[i] != 1 && sizes[i] != 1) || (i > cut && sizes[i] != shape[i]))
      return std::nullopt;
  return rank > 0 ? std::optional(cut) : std::nullopt;
}

/// Consecutive elements are rows of the first dimension in another shape.
static LogicalResult replaceByViews(StridedSliceOp op,
                                    PatternRewriter &rewriter) {
  std::optional<int64_t> cut = findCutDimension(op);
  if (!cut)
    return rewriter.notifyMatchFailure(op, "the elements are not consecutive");
  RankedTensorType x = op.getX().getType();
  int64_t rows = 1, begin = 0;
  for (int64_t i = 0; i <= *cut; ++i) {
    rows *= x.getDimSize(i);
    begin = begin * x.getDimSize(i) + op.getOffsets()[i];
  }
  SmallVector<int64_t> shape{rows};
  llvm::append_range(shape, x.getShape().drop_front(*cut + 1));
  Value flat = ReshapeOp::create(
      rewriter, op.getLoc(), RankedTensorType::get(shape, x.getElementType()),
      op.getX());
  Value slice = SliceOp::create(rewriter, op.getLoc(), flat, begin,
                                begin + op.getSizes()[*cut]);
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), slice);
  return success();
}

/// Elements of one operand of a concatenation are taken from that.
static LogicalResult takeFromPiece(StridedSliceOp op,
                                   PatternRewriter &rewriter) {
  auto concat = op.getX().getDefiningOp<ConcatOp>();
  if (!concat)
    return rewriter.notifyMatchFailure(op, "the operand is no concatenation");
  int64_t dim = concat.getDim();
  int64_t first = op.getOffsets()[dim];
  int64_t last = first + op.getStrides()[dim] * (op.getSizes()[dim] - 1);
  auto [piece, begin] =
      concat.findPiece(std::min(first, last), std::max(first, last));
  if (!piece)
    return rewriter.notifyMatchFailure(op, "taken from several operands");
  SmallVector<int64_t> offsets(op.getOffsets());
  offsets[dim] -= begin;
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(piece);
    op.setOffsets(offsets);
  });
  return success();
}

LogicalResult StridedSliceOp::canonicalize(StridedSliceOp op,
                                           PatternRewriter &rewriter) {
  if (succeeded(combine(op, rewriter)) ||
      succeeded(takeFromPiece(op, rewriter)))
    return success();
  return replaceByViews(op, rewriter);
}
