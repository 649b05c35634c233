//===- LossCompositions.cpp - Losses ----------------------------*- C++ -*-===//
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

/// Combines losses of `batch` entries, of which `counts` are 1 and the others
/// 0, or their weights; all are 1 if it is null.
static Tensor reduceLosses(GraphBuilder &b, Tensor losses, Tensor counts,
                           LossReduction reduction) {
  auto sum = [&](Tensor x) {
    return b.reduce(Combiner::Sum, x, getDimRange(0, x.rank()),
                    /*keepDims=*/false);
  };
  if (!losses)
    return {};
  switch (reduction) {
  case LossReduction::None:
    return losses;
  case LossReduction::Sum:
    return sum(losses);
  case LossReduction::Mean:
    return counts ? b.div(sum(losses), sum(counts))
                  : b.div(sum(losses), double(losses.count()));
  case LossReduction::BatchMean:
    if (losses.rank() == 0)
      return b.fail("expected losses of a batch beside batchmean, got a "
                    "scalar");
    return b.div(sum(losses), double(losses.dim(0)));
  }
  llvm_unreachable("all reductions are handled");
}

/// Fails unless both have one type.
static bool checkTarget(GraphBuilder &b, const Tensor &x,
                        const Tensor &target) {
  if (x.type() == target.type())
    return true;
  b.fail("expected 'x' and 'target' of one type, got " + describeType(x) +
         " and " + describeType(target));
  return false;
}

/// `losses * factors`, which may be left out and are broadcast.
static Tensor weigh(GraphBuilder &b, StringRef name, Tensor losses,
                    Tensor factors) {
  if (!factors || !losses)
    return losses;
  if (getBroadcastShape(losses.shape(), factors.shape()) !=
      Shape(losses.shape()))
    return b.fail("expected '" + name + "' that can be broadcast to " +
                  formatList(losses.shape()) + ", got " +
                  formatList(factors.shape()));
  return b.mul(losses, toComputed(b, factors));
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// `getLosses` computes them of `x` and the target.
template <typename T, typename Fn>
static Tensor computeLoss(GraphBuilder &b, const T &given, Fn getLosses) {
  if (!checkTarget(b, given.x, given.target))
    return {};
  Tensor losses =
      getLosses(toComputed(b, given.x), toComputed(b, given.target));
  return b.cast(reduceLosses(b, losses, {}, given.reduction),
                given.x.elementType());
}

Tensor compositions::compose(GraphBuilder &b, const MseLoss &given) {
  return computeLoss(b, given, [&](Tensor x, Tensor target) {
    Tensor distance = b.sub(x, target);
    return b.mul(distance, distance);
  });
}

static Tensor getDistance(GraphBuilder &b, Tensor x, Tensor target) {
  return b.abs(b.sub(x, target));
}

Tensor compositions::compose(GraphBuilder &b, const L1Loss &given) {
  return computeLoss(b, given, [&](Tensor x, Tensor target) {
    return getDistance(b, x, target);
  });
}

Tensor compositions::compose(GraphBuilder &b, const SmoothL1Loss &given) {
  double beta = given.beta;
  if (!(beta >= 0))
    return b.fail("expected 'beta' of at least 0, got " + std::to_string(beta));
  return computeLoss(b, given, [&](Tensor x, Tensor target) {
    Tensor distance = getDistance(b, x, target);
    if (beta == 0 || !distance)
      return distance;
    Tensor isSmall = b.lt(distance, b.scalar(distance.elementType(), beta));
    return b.select(isSmall, b.mul(b.mul(distance, distance), 0.5 / beta),
                    b.sub(distance, 0.5 * beta));
  });
}

Tensor compositions::compose(GraphBuilder &b, const HuberLoss &given) {
  double delta = given.delta;
  if (!(delta > 0))
    return b.fail("expected 'delta' above 0, got " + std::to_string(delta));
  return computeLoss(b, given, [&](Tensor x, Tensor target) {
    Tensor distance = getDistance(b, x, target);
    if (!distance)
      return distance;
    Tensor isSmall = b.le(distance, b.scalar(distance.elementType(), delta));
    return b.select(isSmall, b.mul(b.mul(distance, distance), 0.5),
                    b.mul(b.sub(distance, 0.5 * delta), delta));
  });
}

Tensor compositions::compose(GraphBuilder &b, const KlDiv &given) {
  return computeLoss(b, given, [&](Tensor x, Tensor target) {
    if (given.log_target)
      return b.mul(b.exp(target), b.sub(target, x));
    Tensor zero = b.scalar(target.elementType(), 0);
    Tensor entropy =
        b.select(b.eq(target, zero), zero, b.mul(target, b.log(target)));
    return b.sub(entropy, b.mul(target, x));
  });
}

// Where a logarithm is infinite, so is its gradient. The gradient is that of
// PyTorch, `(x - target) / max(x * (1 - x), 1e-12)`, of a term that is 0.
Tensor compositions::compose(GraphBuilder &b, const BinaryCrossEntropy &given) {
  constexpr double leastLogarithm = -100, leastProduct = 1e-12;
  return computeLoss(b, given, [&](Tensor x, Tensor target) {
    auto stop = [&](Tensor value) { return compose(b, StopGradient{value}); };
    Tensor fixed = stop(x);
    Tensor yes = b.max(b.log(fixed), leastLogarithm);
    Tensor no = b.max(compose(b, Log1p{b.neg(fixed)}), leastLogarithm);
    Tensor losses = b.sub(b.mul(b.sub(target, 1), no), b.mul(target, yes));
    Tensor one = b.scalar(x.elementType(), 1);
    Tensor slope =
        b.div(b.sub(x, target), b.max(b.mul(x, b.sub(one, x)), leastProduct));
    losses = b.add(losses, b.mul(b.sub(x, fixed), stop(slope)));
    return weigh(b, "weight", losses, given.weight);
  });
}

Tensor compositions::compose(GraphBuilder &b,
                             const BinaryCrossEntropyWithLogits &given) {
  return computeLoss(b, given, [&](Tensor x, Tensor target) {
    Tensor one = b.scalar(x.elementType(), 1);
    Tensor yes = compose(b, LogSigmoid{x});
    // 1 where the target is 0, `pos_weight` where it is 1.
    if (given.pos_weight)
      yes = b.mul(yes, b.add(weigh(b, "pos_weight", target,
                                   b.sub(toComputed(b, given.pos_weight), one)),
                             one));
    Tensor losses = b.sub(b.mul(b.sub(one, target), x), yes);
    return weigh(b, "weight", losses, given.weight);
  });
}

//===----------------------------------------------------------------------===//
// Classes
//===----------------------------------------------------------------------===//

/// `target`, checked at run time to be classes: other numbers end the run.
static Tensor checkClasses(GraphBuilder &b, Tensor target, int64_t classes) {
  if (!target)
    return {};
  Shape tuples(target.shape());
  tuples.push_back(1);
  return b.flattenIndices(b.reshape(target, tuples), {classes}, /*dim=*/1,
                          /*areNonnegative=*/true);
}

/// The losses of logarithms `x`, at least batch x classes, whose targets are
/// the numbers of classes.
template <typename T>
static Tensor computeClassLoss(GraphBuilder &b, const T &given, Tensor x,
                               double smoothing) {
  int64_t classes = x.dim(1);
  Shape aligned = b.keepDim(x, 1), others = b.dropDims(x, {1});
  if (!checkShape(b, "target", given.target, others) ||
      !checkShape(b, "weight", given.weight, {classes}))
    return {};
  Type type = x.elementType(), wide = IntegerType::get(b.context(), 64);
  Tensor zero = b.scalar(type, 0);
  Tensor target = b.reshape(b.cast(given.target, wide), aligned);
  Tensor isUsed;
  if (given.ignore_index) {
    isUsed = b.ne(target, b.constant({*given.ignore_index}, {}));
    target = b.select(isUsed, target, b.constant({0}, {}));
    isUsed = b.reshape(isUsed, others);
  }
  target = checkClasses(b, target, classes);
  Tensor isRight = b.eq(b.broadcast(target, x.shape()),
                        alignToChannels(b, b.count(classes, wide), x.rank()));
  auto sumClasses = [&](Tensor terms) {
    return b.reduce(Combiner::Sum, terms, 1, /*keepDims=*/false);
  };
  auto pickRight = [&](Tensor terms) {
    return sumClasses(b.select(isRight, terms, zero));
  };
  Tensor losses = b.neg(pickRight(x)), counts, spread = x;
  if (given.weight) {
    Tensor weights = alignToChannels(b, toComputed(b, given.weight), x.rank());
    counts = pickRight(weights);
    losses = b.mul(losses, counts);
    spread = b.mul(x, weights);
  }
  if (smoothing != 0)
    losses = b.sub(b.mul(losses, 1 - smoothing),
                   b.mul(sumClasses(spread), smoothing / double(classes)));
  if (given.ignore_index) {
    losses = b.select(isUsed, losses, zero);
    counts = counts ? b.select(isUsed, counts, zero) : b.cast(isUsed, type);
  }
  return reduceLosses(b, losses, counts, given.reduction);
}

/// The loss of `given`, whose scores may be classes without a batch, by
/// `getLoss` of a batch.
template <typename T, typename Fn>
static Tensor withBatch(GraphBuilder &b, T given, Fn getLoss) {
  Tensor x = given.x, target = given.target;
  if (!checkRank(b, x, 1))
    return {};
  if (x.rank() > 1)
    return b.cast(getLoss(given), x.elementType());
  auto addBatch = [&](Tensor single) { return addDim(b, single, 0); };
  given.x = addBatch(x);
  given.target = addBatch(target);
  Tensor loss = getLoss(given);
  return b.reshape(b.cast(loss, x.elementType()), {});
}

Tensor compositions::compose(GraphBuilder &b, const NllLoss &given) {
  return withBatch(b, given, [&](const NllLoss &batch) {
    return computeClassLoss(b, batch, toComputed(b, batch.x), 0);
  });
}

/// The losses of logarithms `x` whose targets are probabilities.
static Tensor computeShareLoss(GraphBuilder &b, const CrossEntropy &given,
                               Tensor x) {
  int64_t classes = x.dim(1);
  if (!checkTarget(b, given.x, given.target) ||
      !checkShape(b, "weight", given.weight, {classes}))
    return {};
  Tensor target = toComputed(b, given.target);
  double smoothing = given.label_smoothing;
  if (smoothing != 0)
    target = b.add(b.mul(target, 1 - smoothing), smoothing / double(classes));
  Tensor terms = b.mul(x, target);
  if (given.weight)
    terms =
        b.mul(terms, alignToChannels(b, toComputed(b, given.weight), x.rank()));
  Tensor losses = b.neg(b.reduce(Combiner::Sum, terms, 1, /*keepDims=*/false));
  return reduceLosses(b, losses, {}, given.reduction);
}

Tensor compositions::compose(GraphBuilder &b, const CrossEntropy &given) {
  double smoothing = given.label_smoothing;
  if (!(smoothing >= 0 && smoothing <= 1))
    return b.fail("expected 'label_smoothing' from 0 to 1, got " +
                  std::to_string(smoothing));
  return withBatch(b, given, [&](const CrossEntropy &batch) {
    Tensor x = logSoftmax(b, toComputed(b, batch.x), 1);
    if (!x)
      return x;
    return batch.target.isFloat() ? computeShareLoss(b, batch, x)
                                  : computeClassLoss(b, batch, x, smoothing);
  });
}
