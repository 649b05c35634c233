//===- IndexingRules.cpp - Gradients of indexing ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Rules.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

/// Moves `count` dimensions from `first` on to the front.
static Shape getToFront(int64_t rank, int64_t first, int64_t count) {
  Shape permutation = graph::getDimRange(first, first + count);
  llvm::append_range(permutation, graph::getDimRange(0, first));
  llvm::append_range(permutation, graph::getDimRange(first + count, rank));
  return permutation;
}

/// Adds each slice of `g` to the slice of `x` that it was gathered from. With
/// the indexed dimension in front, slices are rows.
static Tensors differentiateGather(GatherOp op, GraphBuilder &b, Tensor g) {
  Tensor x(op.getX()), indices(op.getIndices());
  int64_t dim = op.getDim();
  Shape toFront = getToFront(x.rank(), dim, 1);
  Shape shape = applyPermutation(x.shape(), ArrayRef<int64_t>(toFront));
  Shape updatesShape = shape;
  updatesShape[0] = indices.count();
  Tensor updates = b.permute(g, getToFront(g.rank(), dim, indices.rank()));
  Tensor zeros = b.broadcast(b.scalar(g.elementType(), 0), shape);
  Tensor sums = b.scatter(zeros, b.reshape(indices, {indices.count()}),
                          b.reshape(updates, updatesShape),
                          ScatterReduction::Add, op.getUnchecked());
  return {b.permute(sums, invertPermutationVector(toFront))};
}

/// Which updates are the last ones of their row, and so are in the result: all
/// that do not share their index.
static Tensor findLastWrites(ScatterOp op, GraphBuilder &b, Tensor indices,
                             int64_t rows) {
  Type i64 = IntegerType::get(op.getContext(), 64);
  Tensor order = b.count(indices.count(), i64);
  Tensor nobody = b.broadcast(b.scalar(i64, 0), {rows});
  Tensor last = b.scatter(nobody, indices, order, ScatterReduction::None,
                          op.getUnchecked());
  return b.eq(b.gather(last, indices, 0, op.getUnchecked()), order);
}

static Tensors differentiateReplacement(ScatterOp op, GraphBuilder &b,
                                        Tensor g) {
  Tensor indices(op.getIndices()), updates(op.getUpdates());
  Tensor toTarget = b.scatter(g, indices, makeZeros(b, updates),
                              ScatterReduction::None, op.getUnchecked());
  Tensor isLast = findLastWrites(op, b, indices, g.dim(0));
  Shape column(updates.rank(), 1);
  column[0] = updates.dim(0);
  Tensor rows = b.gather(g, indices, 0, op.getUnchecked());
  return {toTarget, {}, keepWhere(b, b.reshape(isLast, column), rows)};
}

static Tensors differentiateScatter(ScatterOp op, GraphBuilder &b, Tensor g) {
  switch (op.getReduction()) {
  case ScatterReduction::None:
    return differentiateReplacement(op, b, g);
  case ScatterReduction::Add:
    return {g, {}, b.gather(g, Tensor(op.getIndices()), 0, op.getUnchecked())};
  default:
    return {b.fail("expected the reduction 'none' or 'add', whose gradients "
                   "are supported, got '" +
                   stringifyScatterReduction(op.getReduction()) + "'")};
  }
}

static Tensors differentiateReplaceSlice(ReplaceSliceOp op, GraphBuilder &b,
                                         Tensor g) {
  Tensor replacement(op.getReplacement()), begin(op.getBegin());
  Tensor toTarget = b.create<ReplaceSliceOp>(
      {g, makeZeros(b, replacement), begin, Tensor(op.getEnd())},
      {.unchecked = op.getUncheckedAttr()});
  Tensor rows = b.add(b.count(replacement.dim(0), begin.elementType()), begin);
  return {toTarget, b.gather(g, rows, 0, op.getUnchecked())};
}

static Tensors differentiateCumsum(CumsumOp op, GraphBuilder &b, Tensor g) {
  return {b.cumsum(g, op.getDim(), op.getExclusive(), !op.getReverse())};
}

void gradient::attachIndexingRules(MLIRContext &context) {
  attach<GatherOp, differentiateGather>(context);
  attach<ScatterOp, differentiateScatter>(context);
  attach<ReplaceSliceOp, differentiateReplaceSlice>(context);
  attach<CumsumOp, differentiateCumsum>(context);
}
