//===- OptimizerCompositions.cpp - Updates of parameters --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositionChecks.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using namespace hamkaas::graph::compositions;

//===----------------------------------------------------------------------===//
// Operands and results
//===----------------------------------------------------------------------===//

/// Fails unless `value` is in [0, end), or 0 or above if there is no end.
static bool checkFactor(GraphBuilder &b, StringRef name, double value,
                        std::optional<int64_t> end = std::nullopt) {
  if (value >= 0 && !(end && value >= double(*end)) && std::isfinite(value))
    return true;
  b.fail("expected '" + name + "' of at least 0" +
         (end ? " and less than " + llvm::Twine(*end) : llvm::Twine("")) +
         ", got " + std::to_string(value));
  return false;
}

namespace {

/// The tensors of an update, which is computed in one type.
class Update {
public:
  template <typename T>
  Update(GraphBuilder &b, const T &given)
      : b(b), parameter(toComputed(b, given.parameter)) {
    gradient = take("gradient", given.gradient);
    rate = takeScalar("learning_rate", given.learning_rate);
    checkFactor(b, "weight_decay", given.weight_decay);
  }

  /// An operand of the shape of the parameter; null for one that is left out.
  Tensor take(StringRef name, const Tensor &x) {
    if (!x || !checkShape(b, name, x, parameter.shape()))
      return {};
    return b.cast(x, parameter.elementType());
  }
  Tensor takeScalar(StringRef name, const Tensor &x) {
    if (!checkShape(b, name, x, {}))
      return {};
    return b.cast(x, parameter.elementType());
  }

  /// `gradient + decay * parameter`.
  Tensor decayGradient(double decay) {
    return decay == 0 ? gradient : b.add(gradient, b.mul(parameter, decay));
  }
  /// `parameter - rate * decay * parameter`.
  Tensor decayParameter(double decay) {
    return decay == 0 ? parameter : descend(parameter, b.mul(parameter, decay));
  }
  /// `from - rate * direction`.
  Tensor descend(Tensor from, Tensor direction) {
    return b.sub(from, b.mul(direction, rate));
  }
  /// `factor * mean + (1 - factor) * x`.
  Tensor average(Tensor mean, Tensor x, double factor) {
    return b.add(b.mul(mean, factor), b.mul(x, 1 - factor));
  }
  Tensor averageSquares(Tensor variance, Tensor x, double factor) {
    return average(variance, b.mul(x, x), factor);
  }

  GraphBuilder &b;
  Tensor parameter, gradient, rate;
};

} // namespace

/// The results, each with the type of its operand; none after a failure.
static Tensors finish(GraphBuilder &b,
                      ArrayRef<std::pair<Tensor, Tensor>> results) {
  Tensors finished;
  if (b.hasFailed())
    return finished;
  for (const auto &[result, operand] : results)
    finished.push_back(b.cast(result, operand.elementType()));
  return finished;
}

//===----------------------------------------------------------------------===//
// Gradient descent
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const SgdUpdate &given) {
  Update update(b, given);
  Tensor updated = update.descend(update.parameter,
                                  update.decayGradient(given.weight_decay));
  return b.cast(updated, given.parameter.elementType());
}

Tensors compositions::compose(GraphBuilder &b, const MomentumUpdate &given) {
  Update update(b, given);
  Tensor velocity = update.take("velocity", given.velocity);
  if (!checkFactor(b, "momentum", given.momentum, 1))
    return {};
  Tensor share = update.decayGradient(given.weight_decay);
  if (given.rule == MomentumRule::Average)
    share = b.mul(share, 1 - given.momentum);
  velocity = b.add(b.mul(velocity, given.momentum), share);
  Tensor direction =
      given.nesterov ? b.add(share, b.mul(velocity, given.momentum)) : velocity;
  return finish(b,
                {{update.descend(update.parameter, direction), given.parameter},
                 {velocity, given.velocity}});
}

//===----------------------------------------------------------------------===//
// Moments
//===----------------------------------------------------------------------===//

/// `1 - beta^step`, of which a difference would lose most digits at first.
static Tensor getBiasCorrection(GraphBuilder &b, Tensor step, double beta) {
  if (beta == 0)
    return b.scalar(step.elementType(), 1);
  return b.neg(compose(b, Expm1{b.mul(step, std::log(beta))}));
}

Tensors compositions::compose(GraphBuilder &b, const AdamUpdate &given) {
  Update update(b, given);
  Tensor mean = update.take("mean", given.mean);
  Tensor variance = update.take("variance", given.variance);
  Tensor step = update.takeScalar("step", given.step);
  if (!checkFactor(b, "beta1", given.beta1, 1) ||
      !checkFactor(b, "beta2", given.beta2, 1) ||
      !checkFactor(b, "epsilon", given.epsilon) || b.hasFailed())
    return {};
  double decay = given.weight_decay;
  Tensor slope =
      given.decoupled ? update.gradient : update.decayGradient(decay);
  Tensor from =
      given.decoupled ? update.decayParameter(decay) : update.parameter;
  mean = update.average(mean, slope, given.beta1);
  variance = update.averageSquares(variance, slope, given.beta2);
  // Factors are scalars: each element takes one root and one quotient.
  Tensor scale = b.div(b.scalar(step.elementType(), 1),
                       b.sqrt(getBiasCorrection(b, step, given.beta2)));
  Tensor rate = b.div(update.rate, getBiasCorrection(b, step, given.beta1));
  Tensor deviation = b.add(b.mul(b.sqrt(variance), scale), given.epsilon);
  Tensor updated = b.sub(from, b.mul(b.div(mean, deviation), rate));
  return finish(b, {{updated, given.parameter},
                    {mean, given.mean},
                    {variance, given.variance}});
}

Tensors compositions::compose(GraphBuilder &b, const RmspropUpdate &given) {
  Update update(b, given);
  Tensor variance = update.take("variance", given.variance);
  Tensor velocity = update.take("velocity", given.velocity);
  Tensor mean = update.take("mean", given.mean);
  if (!checkFactor(b, "alpha", given.alpha, 1) ||
      !checkFactor(b, "momentum", given.momentum, 1) ||
      !checkFactor(b, "epsilon", given.epsilon) || b.hasFailed())
    return {};
  Tensor slope = update.decayGradient(given.weight_decay);
  variance = update.averageSquares(variance, slope, given.alpha);
  Tensor square = variance;
  if (mean) {
    mean = update.average(mean, slope, given.alpha);
    square = b.sub(variance, b.mul(mean, mean));
  }
  Tensor direction = b.div(slope, b.add(b.sqrt(square), given.epsilon));
  if (velocity)
    direction = velocity = b.add(b.mul(velocity, given.momentum), direction);
  Tensors results =
      finish(b, {{update.descend(update.parameter, direction), given.parameter},
                 {variance, given.variance}});
  if (velocity)
    results.append(finish(b, {{velocity, given.velocity}}));
  if (mean)
    results.append(finish(b, {{mean, given.mean}}));
  return results;
}

Tensors compositions::compose(GraphBuilder &b, const LionUpdate &given) {
  Update update(b, given);
  Tensor mean = update.take("mean", given.mean);
  if (!checkFactor(b, "beta1", given.beta1, 1) ||
      !checkFactor(b, "beta2", given.beta2, 1) || b.hasFailed())
    return {};
  Tensor direction = b.sign(update.average(mean, update.gradient, given.beta1));
  return finish(
      b, {{update.descend(update.decayParameter(given.weight_decay), direction),
           given.parameter},
          {update.average(mean, update.gradient, given.beta2), given.mean}});
}

//===----------------------------------------------------------------------===//
// Clipping
//===----------------------------------------------------------------------===//

static Tensor sumSquares(GraphBuilder &b, Tensor x) {
  return b.reduce(Combiner::Sum, b.mul(x, x), getDimRange(0, x.rank()),
                  /*keepDims=*/false);
}

Tensors compositions::compose(GraphBuilder &b, const ClipByNorm &given) {
  if (!(given.max_norm > 0)) {
    b.fail("expected 'max_norm' above 0, got " +
           std::to_string(given.max_norm));
    return {};
  }
  bool isWide = llvm::any_of(
      given.operands, [](const Tensor &x) { return x.elementType().isF64(); });
  Type type = isWide ? Type(Float64Type::get(b.context()))
                     : Type(Float32Type::get(b.context()));
  Tensor sum = b.scalar(type, 0);
  for (const Tensor &x : given.operands)
    sum = b.add(sum, sumSquares(b, b.cast(x, type)));
  // NOTE: PyTorch adds 1e-6, too.
  Tensor norm = b.sqrt(sum);
  Tensor factor =
      b.min(b.div(b.scalar(type, given.max_norm), b.add(norm, 1e-6)), 1.0);
  Tensors results = {norm};
  for (const Tensor &x : given.operands)
    results.push_back(b.cast(b.mul(b.cast(x, type), factor), x.elementType()));
  return results;
}
