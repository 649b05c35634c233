//===- Loss.cpp - Losses of classifications ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

static std::optional<LossReduction> readReduction(OpContext &op,
                                                  GraphBuilder &b) {
  StringRef word = op.attributes.getString("reduction").value_or("mean");
  if (!expectOneOf(b, "reduction", word, {"mean", "none", "sum"}))
    return std::nullopt;
  return symbolizeLossReduction(word);
}

/// The loss from the logarithms of the probabilities.
static Tensor computeLoss(OpContext &op, GraphBuilder &b, Tensor logarithms) {
  compositions::NllLoss loss{logarithms, op.input(1), op.optionalInput(2)};
  loss.ignore_index = op.attributes.getInt("ignore_index");
  std::optional<LossReduction> reduction = readReduction(op, b);
  if (!op.expectRank(logarithms, 2) || !expectElements(b, logarithms) ||
      !reduction || b.hasFailed())
    return {};
  loss.reduction = *reduction;
  return compose(b, loss);
}

static Tensors importNegativeLogLikelihoodLoss(OpContext &op, GraphBuilder &b) {
  return {computeLoss(op, b, op.input(0))};
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
