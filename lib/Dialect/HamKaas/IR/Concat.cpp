//===- Concat.cpp - Tensors joined along a dimension ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Locations.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "ShapeArithmetic.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// C3 and C4 for operand number `index`.
static LogicalResult verifyOperand(std::optional<Location> loc, ShapedType type,
                                   ShapedType first, int64_t dim,
                                   size_t index) {
  if (type.getElementType() != first.getElementType())
    return emitOptionalError(loc, "expected the element type of operand ",
                             index, " (", type.getElementType(),
                             ") to match that of the first (",
                             first.getElementType(), ")");
  if (type.getRank() != first.getRank())
    return emitOptionalError(loc, "expected the rank of operand ", index, " (",
                             type.getRank(), ") to match that of the first (",
                             first.getRank(), ")");
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dim && type.getDimSize(i) != first.getDimSize(i))
      return emitOptionalError(loc, "expected dimension ", i, " of operand ",
                               index, " (", type.getDimSize(i),
                               ") to match that of the first (",
                               first.getDimSize(i), ")");
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  ValueRange operands = adaptor.getOperands();
  if (operands.empty()) // C1.
    return emitOptionalError(loc, "expected at least one operand, got none");
  auto first = cast<ShapedType>(operands.front().getType());
  int64_t dim = adaptor.getDim();
  if (failed(verifyDimension(loc, dim, first.getRank()))) // C2.
    return failure();
  SmallVector<int64_t> shape(first.getShape());
  shape[dim] = 0;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    auto type = cast<ShapedType>(operand.getType());
    if (failed(verifyOperand(loc, type, first, dim, i))) // C3, C4.
      return failure();
    // NOTE: each operand has fewer than 2^47 elements.
    if (llvm::AddOverflow(shape[dim], type.getDimSize(dim), shape[dim]))
      shape[dim] = INT64_MIN;
  }
  return inferShape(loc, shape, first.getElementType(), types); // C5.
}

int64_t ConcatOp::getFlops() { return 0; }

std::pair<Value, int64_t> ConcatOp::findPiece(int64_t first, int64_t last) {
  int64_t begin = 0;
  for (Value operand : getOperands()) {
    int64_t end =
        begin + cast<ShapedType>(operand.getType()).getDimSize(getDim());
    if (first < end)
      return last < end ? std::pair(operand, begin) : std::pair(Value(), begin);
    begin = end;
  }
  return {Value(), begin};
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getNumOperands() == 1 ? getOperand(0) : OpFoldResult();
}

/// The operands of a concatenation that only this one reads take its place.
LogicalResult ConcatOp::canonicalize(ConcatOp op, PatternRewriter &rewriter) {
  SmallVector<Value> operands;
  SmallVector<Location> locations;
  for (Value operand : op.getOperands()) {
    auto producer = operand.getDefiningOp<ConcatOp>();
    if (producer && producer.getDim() == op.getDim() && producer->hasOneUse()) {
      llvm::append_range(operands, producer.getOperands());
      locations.push_back(producer.getLoc());
    } else {
      operands.push_back(operand);
    }
  }
  if (locations.empty())
    return rewriter.notifyMatchFailure(
        op, "no operand is a concatenation along the same dimension");
  locations.push_back(op.getLoc());
  rewriter.modifyOpInPlace(op, [&] {
    op->setOperands(operands);
    op->setLoc(fuseLocations(locations));
  });
  return success();
}
