//===- Loss.cpp - Losses of classifications ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

namespace {

/// The classes of the elements: batch x classes x others, true at the class
/// that is right. An element whose class is to be ignored has none.
struct Labels {
  Tensor isRight;
  /// 1 of each element that counts, batch x others; null if all do.
  Tensor counts;
};

} // namespace

static std::optional<Labels> readLabels(OpContext &op, GraphBuilder &b,
                                        const Tensor &scores) {
  Tensor labels = op.input(1);
  if (!op.expectRank(scores, 2) || !expectElements(b, scores))
    return std::nullopt;
  Shape shape = GraphBuilder::keepDim(scores, 1), aligned = shape;
  shape.erase(shape.begin() + 1);
  if (!expectShape(b, "labels", labels, shape))
    return std::nullopt;
  Type i64 = IntegerType::get(b.context(), 64);
  Tensor wide = b.reshape(b.cast(labels, i64), aligned);
  Labels result;
  result.isRight = b.eq(b.iota(scores.shape(), 1), wide);
  if (auto ignored = op.attributes.getInt("ignore_index")) {
    Tensor isUsed = b.ne(wide, b.constant({*ignored}, {}));
    result.isRight = b.bitAnd(result.isRight, isUsed);
    result.counts = b.cast(b.reshape(isUsed, shape), scores.elementType());
  }
  return result;
}

/// The number of `x`, one a class or an element and class, for the right class.
static Tensor pickRight(GraphBuilder &b, const Labels &labels, Tensor x) {
  if (!x)
    return {};
  Tensor zero = b.scalar(x.elementType(), 0);
  return b.reduce(Combiner::Sum, b.select(labels.isRight, x, zero), 1,
                  /*keepDims=*/false);
}

static Tensor sumAll(GraphBuilder &b, Tensor x) {
  return b.reduce(Combiner::Sum, x, getDimRange(0, x.rank()),
                  /*keepDims=*/false);
}

/// The loss from the logarithms of the probabilities.
static Tensor computeLoss(OpContext &op, GraphBuilder &b, Tensor logarithms) {
  StringRef reduction = op.attributes.getString("reduction").value_or("mean");
  std::optional<Labels> labels = readLabels(op, b, logarithms);
  if (!labels ||
      !expectOneOf(b, "reduction", reduction, {"mean", "none", "sum"}))
    return {};
  Tensor loss = b.neg(pickRight(b, *labels, logarithms));
  Tensor counts = labels->counts;
  if (Tensor weights = op.optionalInput(2)) {
    if (!expectShape(b, "weights", weights, {logarithms.dim(1)}))
      return {};
    weights = toComputed(b, weights);
    counts =
        pickRight(b, *labels, alignToChannels(b, weights, logarithms.rank()));
    loss = b.mul(loss, counts);
  }
  if (reduction == "none" || b.hasFailed())
    return loss;
  Tensor sum = sumAll(b, loss);
  if (reduction == "sum")
    return sum;
  return counts ? b.div(sum, sumAll(b, counts))
                : b.div(sum, double(loss.count()));
}

static Tensors importNegativeLogLikelihoodLoss(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  Tensor loss = computeLoss(op, b, toComputed(b, x));
  return {b.cast(loss, x.elementType())};
}

static Tensors importSoftmaxCrossEntropyLoss(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (!op.expectRank(x, 2))
    return {};
  Tensor logarithms = logSoftmax(b, toComputed(b, x), 1);
  Tensor loss = computeLoss(op, b, logarithms);
  return {b.cast(loss, x.elementType()), b.cast(logarithms, x.elementType())};
}

ArrayRef<OpDefinition> onnx::getLossOps() {
  static constexpr OpDefinition ops[] = {
      {"NegativeLogLikelihoodLoss", importNegativeLogLikelihoodLoss, 22},
      {"SoftmaxCrossEntropyLoss", importSoftmaxCrossEntropyLoss, 13},
  };
  return ops;
}
