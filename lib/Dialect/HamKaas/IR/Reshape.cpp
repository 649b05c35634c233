//===- Reshape.cpp - Reshape ------------------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Locations.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult ReshapeOp::verify() {
  auto x = getX().getType(), result = getType();
  if (x.getNumElements() != result.getNumElements()) // C1.
    return emitOpError("expected the result to have as many elements as x (")
           << x.getNumElements() << "), got " << result.getNumElements();
  if (x.getElementType() != result.getElementType()) // C2.
    return emitOpError("expected the result to have the element type of x (")
           << x.getElementType() << "), got " << result.getElementType();
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  return {};
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  // Only the last shape of a chain of reshapes is observable.
  auto producer = op.getX().getDefiningOp<ReshapeOp>();
  if (!producer)
    return rewriter.notifyMatchFailure(op, "the operand is no reshape");
  rewriter.modifyOpInPlace(op, [&] {
    op.getXMutable().assign(producer.getX());
    op->setLoc(fuseLocations(producer, op));
  });
  return success();
}
