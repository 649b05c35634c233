//===- ReductionRules.cpp - Gradients of reductions -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "Rules.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

/// `x` without its dimensions of a reduction, with them of size 1.
static Tensor restoreDims(GraphBuilder &b, Tensor x, ReduceOp op) {
  Shape shape(Tensor(op.getX()).shape());
  for (int64_t dim : op.getDims())
    shape[dim] = 1;
  return b.reshape(x, shape);
}

static Tensor countWhere(GraphBuilder &b, Tensor condition, ReduceOp op,
                         Type type) {
  return b.reduce(Combiner::Sum, b.cast(condition, type), op.getDims(),
                  /*keepDims=*/true);
}

/// Equal extremes share the gradient, as those of PyTorch's amax.
static Tensor differentiateExtreme(ReduceOp op, GraphBuilder &b, Tensor g,
                                   Tensor x) {
  Tensor isExtreme = b.eq(x, restoreDims(b, Tensor(op.getResult()), op));
  Tensor count = countWhere(b, isExtreme, op, x.elementType());
  return keepWhere(b, isExtreme, b.broadcast(b.div(g, count), x.shape()));
}

/// An element gets the product of the others. With a zero among them that is 0
/// for all but the zero, and where there are several for all of them.
static Tensor differentiateProduct(ReduceOp op, GraphBuilder &b, Tensor g,
                                   Tensor x) {
  Tensor zero = b.scalar(x.elementType(), 0);
  Tensor isZero = b.eq(x, zero);
  Tensor filled = b.select(isZero, b.scalar(x.elementType(), 1), x);
  Tensor product = b.reduce(Combiner::Prod, filled, op.getDims(),
                            /*keepDims=*/true);
  Tensor zeros = countWhere(b, isZero, op, x.elementType());
  // 1 for a zero: as many as there have to be for its own share.
  Tensor own = b.cast(isZero, x.elementType());
  Tensor isFree = b.eq(own, zeros);
  return keepWhere(b, isFree,
                   b.div(b.broadcast(b.mul(product, g), x.shape()), filled));
}

static Tensors differentiateReduce(ReduceOp op, GraphBuilder &b, Tensor g) {
  Tensor x(op.getX());
  g = restoreDims(b, g, op);
  switch (op.getCombiner()) {
  case Combiner::Sum:
    return {b.broadcast(g, x.shape())};
  case Combiner::Prod:
    return {differentiateProduct(op, b, g, x)};
  case Combiner::Max:
  case Combiner::Min:
    return {differentiateExtreme(op, b, g, x)};
  }
  llvm_unreachable("all combiners are handled");
}

void gradient::attachReductionRules(MLIRContext &context) {
  attach<ReduceOp, differentiateReduce>(context);
}
