//===- AttentionRules.cpp - Gradients of attention --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Rules.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

static Tensor transpose(GraphBuilder &b, Tensor x) {
  return graph::swapDims(b, x, 1, 2);
}

/// The weights of the values, which the operation does not keep.
static Tensor buildWeights(AttentionOp op, GraphBuilder &b) {
  Tensor q(op.getQ()), k(op.getK());
  Tensor scores =
      b.mul(b.matmul(q, transpose(b, k)), op.getScale().convertToDouble());
  if (op.getBias())
    scores = b.add(scores, Tensor(op.getBias()));
  if (op.getMask()) {
    double masked = op.getMaskedScore().convertToDouble();
    scores = b.select(Tensor(op.getMask()),
                      b.scalar(scores.elementType(), masked), scores);
  }
  return b.softmax(scores);
}

/// The gradient of the scores before they are masked.
static Tensor buildScoreGradient(AttentionOp op, GraphBuilder &b, Tensor g,
                                 Tensor weights) {
  Tensor h = b.matmul(g, transpose(b, Tensor(op.getV())));
  Tensor sums = b.reduce(Combiner::Sum, b.mul(weights, h), {2},
                         /*keepDims=*/true);
  Tensor t = b.mul(weights, b.sub(h, sums));
  if (op.getMask())
    t = b.select(Tensor(op.getMask()), b.scalar(t.elementType(), 0), t);
  return t;
}

static Tensors differentiateAttention(AttentionOp op, GraphBuilder &b,
                                      Tensor g) {
  Tensor weights = buildWeights(op, b);
  Tensor t = buildScoreGradient(op, b, g, weights);
  Tensor scaled = b.mul(t, op.getScale().convertToDouble());
  Tensors gradients = {b.matmul(scaled, Tensor(op.getK())),
                       b.matmul(transpose(b, scaled), Tensor(op.getQ())),
                       b.matmul(transpose(b, weights), g)};
  if (op.getMask())
    gradients.push_back({});
  if (op.getBias())
    gradients.push_back(sumRepeated(b, t, Tensor(op.getBias())));
  return gradients;
}

void gradient::attachAttentionRules(MLIRContext &context) {
  attach<AttentionOp, differentiateAttention>(context);
}
