//===- RowRules.cpp - Gradients of normalizations of rows -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
#include "Rules.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

static Tensor sumRows(GraphBuilder &b, Tensor x) {
  return b.reduce(Combiner::Sum, x, {x.rank() - 1}, /*keepDims=*/true);
}

static Tensor averageRows(GraphBuilder &b, Tensor x) {
  return b.mul(sumRows(b, x), 1.0 / double(x.shape().back()));
}

/// `1 / sqrt(mean(x^2) + epsilon)` of each row.
static Tensor buildScale(GraphBuilder &b, Tensor x, double epsilon) {
  Tensor squares = b.add(averageRows(b, b.mul(x, x)), epsilon);
  return b.div(b.scalar(x.elementType(), 1), b.sqrt(squares));
}

static Tensors differentiateRmsNorm(RmsNormOp op, GraphBuilder &b, Tensor g) {
  Tensor x(op.getX()), w(op.getW());
  Tensor r = buildScale(b, x, op.getEpsilon().convertToDouble());
  Tensor normal = b.mul(x, r);
  Tensor weighted = b.mul(g, w);
  Tensor mean = averageRows(b, b.mul(weighted, normal));
  Tensor toX = b.mul(b.sub(weighted, b.mul(normal, mean)), r);
  Shape rows;
  for (int64_t i = 0; i < x.rank() - 1; ++i)
    rows.push_back(i);
  Tensor toW = b.reduce(Combiner::Sum, b.mul(g, normal), rows,
                        /*keepDims=*/false);
  return {toX, toW};
}

static Tensors differentiateLayerNorm(LayerNormOp op, GraphBuilder &b,
                                      Tensor g) {
  Tensor x(op.getX()), result(op.getResult());
  Tensor centred = b.sub(x, averageRows(b, x));
  Tensor r = buildScale(b, centred, op.getEpsilon().convertToDouble());
  Tensor shared = b.mul(result, averageRows(b, b.mul(g, result)));
  return {b.mul(b.sub(b.sub(g, averageRows(b, g)), shared), r)};
}

static Tensors differentiateLogSumExp(LogSumExpOp op, GraphBuilder &b,
                                      Tensor g) {
  Tensor x(op.getX());
  Shape column = GraphBuilder::keepDim(x, x.rank() - 1);
  Tensor result = b.reshape(Tensor(op.getResult()), column);
  return {b.mul(b.exp(b.sub(x, result)), b.reshape(g, column))};
}

/// Which entries of each row the softmax is over; null for all.
static Tensor findPrefix(SlicedSoftmaxOp op, GraphBuilder &b, const Tensor &x) {
  int64_t last = x.shape().back();
  if (std::optional<uint64_t> prefix = op.getStaticPrefix()) {
    if (int64_t(*prefix) == last)
      return {};
    return b.lt(b.iota({last}, 0), b.constant({int64_t(*prefix)}));
  }
  return b.lt(b.iota({last}, 0), Tensor(op.getPrefix()));
}

static Tensors differentiateSlicedSoftmax(SlicedSoftmaxOp op, GraphBuilder &b,
                                          Tensor g) {
  Tensor result(op.getResult());
  Tensor isInside = findPrefix(op, b, result);
  Tensor weighted = b.mul(g, result);
  if (isInside)
    weighted = keepWhere(b, isInside, weighted);
  Tensor inside = b.mul(result, b.sub(g, sumRows(b, weighted)));
  return {isInside ? b.select(isInside, inside, g) : inside};
}

void gradient::attachRowRules(MLIRContext &context) {
  attach<RmsNormOp, differentiateRmsNorm>(context);
  attach<LayerNormOp, differentiateLayerNorm>(context);
  attach<LogSumExpOp, differentiateLogSumExp>(context);
  attach<SlicedSoftmaxOp, differentiateSlicedSoftmax>(context);
}
