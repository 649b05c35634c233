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

namespace {
/// One value for the target and one for the updates of a scatter.
struct Parts {
  Tensor target, updates;
};
} // namespace

/// `target` with the rows of `updates` reduced into it as `op` does it.
static Tensor scatterLike(ScatterOp op, GraphBuilder &b, const Parts &parts,
                          ScatterReduction reduction) {
  return b.scatter(parts.target, Tensor(op.getIndices()), parts.updates,
                   reduction, op.getUnchecked());
}

/// The value that belongs to each element of the target and of the updates.
static Parts spread(ScatterOp op, GraphBuilder &b, Tensor rows) {
  return {rows, b.gather(rows, Tensor(op.getIndices()), 0, op.getUnchecked())};
}

/// How many elements of target and updates meet a condition, element by
/// element of the result.
static Tensor countParts(ScatterOp op, GraphBuilder &b, const Parts &is) {
  Type type = op.getResult().getType().getElementType();
  return scatterLike(op, b, {b.cast(is.target, type), b.cast(is.updates, type)},
                     ScatterReduction::Add);
}

/// Equal extremes share the gradient, as those of PyTorch's scatter_reduce.
static Tensors differentiateScatteredExtreme(ScatterOp op, GraphBuilder &b,
                                             Tensor g) {
  Parts y = spread(op, b, Tensor(op.getResult()));
  Parts isExtreme = {b.eq(Tensor(op.getTarget()), y.target),
                     b.eq(Tensor(op.getUpdates()), y.updates)};
  Parts share = spread(op, b, b.div(g, countParts(op, b, isExtreme)));
  return {keepWhere(b, isExtreme.target, share.target),
          {},
          keepWhere(b, isExtreme.updates, share.updates)};
}

/// A factor gets the product of the others, as in the rule of `prod`.
static Tensors differentiateScatteredProduct(ScatterOp op, GraphBuilder &b,
                                             Tensor g) {
  Tensor target(op.getTarget()), updates(op.getUpdates());
  Tensor zero = b.scalar(g.elementType(), 0),
         one = b.scalar(g.elementType(), 1);
  Parts isZero = {b.eq(target, zero), b.eq(updates, zero)};
  Parts filled = {b.select(isZero.target, one, target),
                  b.select(isZero.updates, one, updates)};
  Parts zeros = spread(op, b, countParts(op, b, isZero));
  Parts product = spread(
      op, b, b.mul(g, scatterLike(op, b, filled, ScatterReduction::Mul)));
  auto getShare = [&](Tensor isZero, Tensor zeros, Tensor product,
                      Tensor filled) {
    Tensor isFree = b.eq(b.cast(isZero, g.elementType()), zeros);
    return keepWhere(b, isFree, b.div(product, filled));
  };
  return {
      getShare(isZero.target, zeros.target, product.target, filled.target),
      {},
      getShare(isZero.updates, zeros.updates, product.updates, filled.updates)};
}

static Tensors differentiateScatter(ScatterOp op, GraphBuilder &b, Tensor g) {
  switch (op.getReduction()) {
  case ScatterReduction::None:
    return differentiateReplacement(op, b, g);
  case ScatterReduction::Add:
    return {g, {}, b.gather(g, Tensor(op.getIndices()), 0, op.getUnchecked())};
  case ScatterReduction::Mul:
    return differentiateScatteredProduct(op, b, g);
  case ScatterReduction::Max:
  case ScatterReduction::Min:
    return differentiateScatteredExtreme(op, b, g);
  }
  llvm_unreachable("all reductions are handled");
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
