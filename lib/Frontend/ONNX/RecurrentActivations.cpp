//===- RecurrentActivations.cpp - Functions of recurrent nodes --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RecurrentActivations.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// A function of `x` with two parameters, of which it may have none or one.
struct onnx::ActivationKind {
  StringRef name;
  Tensor (*apply)(GraphBuilder &b, Tensor x, double alpha, double beta);
  /// The parameters that are not given; none for those that it does not have.
  std::optional<double> alpha = std::nullopt, beta = std::nullopt;
};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static Tensor selectPositive(GraphBuilder &b, Tensor x, Tensor ifTrue,
                             Tensor ifFalse) {
  Tensor isPositive = b.gt(x, b.scalar(x.elementType(), 0));
  return b.select(isPositive, ifTrue, ifFalse);
}

static Tensor affine(GraphBuilder &b, Tensor x, double alpha, double beta) {
  return b.add(b.mul(x, alpha), beta);
}

static Tensor elu(GraphBuilder &b, Tensor x, double alpha, double) {
  return selectPositive(b, x, x, b.mul(b.sub(b.exp(x), 1.0), alpha));
}

static Tensor hardSigmoid(GraphBuilder &b, Tensor x, double alpha,
                          double beta) {
  x = b.max(affine(b, x, alpha, beta), b.scalar(x.elementType(), 0));
  return b.min(x, 1.0);
}

static Tensor leakyRelu(GraphBuilder &b, Tensor x, double alpha, double) {
  return selectPositive(b, x, x, b.mul(x, alpha));
}

static Tensor scaledTanh(GraphBuilder &b, Tensor x, double alpha, double beta) {
  return b.mul(b.tanh(b.mul(x, beta)), alpha);
}

static Tensor softplus(GraphBuilder &b, Tensor x, double, double) {
  Tensor small = b.exp(b.neg(b.abs(x)));
  return b.add(b.relu(x), b.log(b.add(small, 1.0)));
}

static Tensor softsign(GraphBuilder &b, Tensor x, double, double) {
  return b.div(x, b.add(b.abs(x), 1.0));
}

static Tensor thresholdedRelu(GraphBuilder &b, Tensor x, double alpha, double) {
  Tensor isReached = b.ge(x, b.scalar(x.elementType(), alpha));
  return b.select(isReached, x, b.scalar(x.elementType(), 0));
}

static Tensor relu(GraphBuilder &b, Tensor x, double, double) {
  return b.relu(x);
}

static Tensor sigmoid(GraphBuilder &b, Tensor x, double, double) {
  return b.sigmoid(x);
}

static Tensor tanh(GraphBuilder &b, Tensor x, double, double) {
  return b.tanh(x);
}

static ArrayRef<ActivationKind> getKinds() {
  static const ActivationKind kinds[] = {
      {"Affine", affine, 1, 0},
      {"Elu", elu, 1},
      {"HardSigmoid", hardSigmoid, 0.2f, 0.5},
      {"LeakyRelu", leakyRelu, 0.01f},
      {"Relu", relu},
      {"ScaledTanh", scaledTanh, 1, 1},
      {"Sigmoid", sigmoid},
      {"Softplus", softplus},
      {"Softsign", softsign},
      {"Tanh", ::tanh},
      {"ThresholdedRelu", thresholdedRelu, 1},
  };
  return kinds;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The first number of `left`, which it drops, for a parameter that is there.
static double takeParameter(ArrayRef<double> &left,
                            std::optional<double> standard) {
  if (!standard || left.empty())
    return standard.value_or(0);
  double value = left.front();
  left = left.drop_front();
  return value;
}

std::vector<Activation> onnx::readActivations(OpContext &op, GraphBuilder &b,
                                              ArrayRef<std::string> standard,
                                              int64_t directions) {
  SmallVector<std::string> names(standard);
  if (directions == 2)
    names.append(standard.begin(), standard.end());
  auto given = op.attributes.getStrings("activations");
  auto alphas = op.attributes.getFloats("activation_alpha");
  auto betas = op.attributes.getFloats("activation_beta");
  ArrayRef<double> leftAlphas, leftBetas;
  if (alphas)
    leftAlphas = *alphas;
  if (betas)
    leftBetas = *betas;
  // RNN's default has two names for its one direction, too.
  if (given && given->size() < names.size()) {
    b.fail("expected " + Twine(names.size()) + " activations, got " +
           Twine(given->size()));
    return {};
  }
  std::vector<Activation> activations;
  for (size_t i = 0; i < names.size(); ++i) {
    StringRef name = given ? (*given)[i] : names[i];
    const ActivationKind *kind =
        llvm::find_if(getKinds(), [&](const ActivationKind &kind) {
          return kind.name.equals_insensitive(name);
        });
    if (kind == getKinds().end()) {
      b.fail("the activation " + quote(name) + " is not supported");
      return {};
    }
    double alpha = takeParameter(leftAlphas, kind->alpha);
    activations.push_back({kind, alpha, takeParameter(leftBetas, kind->beta)});
  }
  return activations;
}

Tensor onnx::applyActivation(GraphBuilder &b, const Activation &activation,
                             Tensor x) {
  return activation.kind->apply(b, x, activation.alpha, activation.beta);
}
