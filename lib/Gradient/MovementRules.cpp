//===- MovementRules.cpp - Gradients of moving elements ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "Rules.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

static Tensors differentiateReshape(ReshapeOp op, GraphBuilder &b, Tensor g) {
  return {b.reshape(g, Tensor(op.getX()).shape())};
}

static Tensors differentiatePermute(PermuteOp op, GraphBuilder &b, Tensor g) {
  return {b.permute(g, invertPermutationVector(op.getPermutation()))};
}

static Tensors differentiateBroadcast(BroadcastOp op, GraphBuilder &b,
                                      Tensor g) {
  return {sumRepeated(b, g, Tensor(op.getX()))};
}

static Tensor padByZeros(GraphBuilder &b, Tensor g, ArrayRef<int64_t> low,
                         ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  return b.pad(g, b.scalar(g.elementType(), 0), low, high, interior);
}

static Tensors differentiateSlice(SliceOp op, GraphBuilder &b, Tensor g) {
  Tensor x(op.getX());
  Shape low(x.rank(), 0), high(x.rank(), 0);
  low[0] = op.getBegin();
  high[0] = x.dim(0) - int64_t(op.getEnd());
  return {padByZeros(b, g, low, high, Shape(x.rank(), 0))};
}

/// Puts `g` back where its elements came from. One that was taken in reverse
/// order is reversed first, because padding keeps the order.
static Tensors differentiateStridedSlice(StridedSliceOp op, GraphBuilder &b,
                                         Tensor g) {
  Tensor x(op.getX());
  Shape starts, steps, low, high, interior;
  for (auto [offset, size, stride, whole] : llvm::zip_equal(
           op.getOffsets(), op.getSizes(), op.getStrides(), x.shape())) {
    bool isReversed = stride < 0;
    int64_t last = offset + stride * (size - 1);
    starts.push_back(isReversed ? size - 1 : 0);
    steps.push_back(isReversed ? -1 : 1);
    low.push_back(std::min(offset, last));
    high.push_back(whole - 1 - std::max(offset, last));
    interior.push_back(size == 1 ? 0 : std::abs(stride) - 1);
  }
  Tensor forward = b.stridedSlice(g, starts, op.getSizes(), steps);
  return {padByZeros(b, forward, low, high, interior)};
}

static Tensors differentiatePad(PadOp op, GraphBuilder &b, Tensor g) {
  Shape strides;
  for (int64_t interior : op.getInterior())
    strides.push_back(interior + 1);
  return {b.stridedSlice(g, op.getLow(), Tensor(op.getX()).shape(), strides)};
}

static Tensors differentiateConcat(ConcatOp op, GraphBuilder &b, Tensor g) {
  Tensors gradients;
  int64_t dim = op.getDim(), offset = 0;
  for (Value operand : op.getOperands()) {
    int64_t size = Tensor(operand).dim(dim);
    gradients.push_back(b.sliceDim(g, dim, offset, size));
    offset += size;
  }
  return gradients;
}

void gradient::attachMovementRules(MLIRContext &context) {
  attach<ReshapeOp, differentiateReshape>(context);
  attach<PermuteOp, differentiatePermute>(context);
  attach<BroadcastOp, differentiateBroadcast>(context);
  attach<SliceOp, differentiateSlice>(context);
  attach<StridedSliceOp, differentiateStridedSlice>(context);
  attach<PadOp, differentiatePad>(context);
  attach<ConcatOp, differentiateConcat>(context);
}
