//===- ActivationCompositions.cpp - Activations -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using namespace hamkaas::graph::compositions;

//===----------------------------------------------------------------------===//
// Linear on one side
//===----------------------------------------------------------------------===//

/// `positive` where `x` is above 0, `other` elsewhere.
static Tensor selectPositive(GraphBuilder &b, Tensor x, Tensor positive,
                             Tensor other) {
  return b.select(b.gt(x, b.scalar(x.elementType(), 0)), positive, other);
}

/// `x` where it is not positive, 0 elsewhere: the exponential of a large number
/// would have an infinite gradient, whose product with 0 is no number.
static Tensor dropPositive(GraphBuilder &b, Tensor x) {
  return selectPositive(b, x, b.scalar(x.elementType(), 0), x);
}

/// `alpha * (exp(x) - 1)`.
static Tensor scaledExp(GraphBuilder &b, Tensor x, double alpha) {
  return b.mul(b.sub(b.exp(x), 1.0), alpha);
}

Tensor compositions::compose(GraphBuilder &b, const LeakyRelu &given) {
  Tensor x = given.x;
  return selectPositive(b, x, x, b.mul(x, given.negative_slope));
}

Tensor compositions::compose(GraphBuilder &b, const Elu &given) {
  return selectPositive(b, given.x, given.x,
                        scaledExp(b, dropPositive(b, given.x), given.alpha));
}

Tensor compositions::compose(GraphBuilder &b, const Celu &given) {
  double alpha = given.alpha;
  Tensor negative = b.div(dropPositive(b, given.x), alpha);
  return selectPositive(b, given.x, given.x, scaledExp(b, negative, alpha));
}

Tensor compositions::compose(GraphBuilder &b, const Selu &given) {
  constexpr double alpha = 1.67326324235437728, scale = 1.05070098735548049;
  return b.mul(compose(b, Elu{given.x, alpha}), scale);
}

Tensor compositions::compose(GraphBuilder &b, const Prelu &given) {
  Tensor x = given.x, slope = given.weight;
  int64_t channels = x.rank() == 0 ? 1 : x.dim(x.rank() > 1 ? 1 : 0);
  if (slope.rank() > 1 || (slope.count() != 1 && slope.count() != channels))
    return b.fail("expected 'weight' to have 1 or " + Twine(channels) +
                  " elements, got the shape " + formatList(slope.shape()));
  if (slope.count() == 1)
    slope = b.reshape(slope, {});
  else
    slope = alignToChannels(b, slope, x.rank());
  return selectPositive(b, x, x, b.mul(x, slope));
}

//===----------------------------------------------------------------------===//
// Smooth
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Softplus &given) {
  Tensor x = given.beta == 1 ? given.x : b.mul(given.x, given.beta);
  Tensor y = softplus(b, x);
  return given.beta == 1 ? y : b.div(y, given.beta);
}

Tensor compositions::compose(GraphBuilder &b, const LogSigmoid &given) {
  return b.neg(softplus(b, b.neg(given.x)));
}

Tensor compositions::compose(GraphBuilder &b, const Mish &given) {
  return b.mul(given.x, b.tanh(softplus(b, given.x)));
}

Tensor compositions::compose(GraphBuilder &b, const Softsign &given) {
  return b.div(given.x, b.add(b.abs(given.x), 1.0));
}

Tensor compositions::compose(GraphBuilder &b, const TanhShrink &given) {
  return b.sub(given.x, b.tanh(given.x));
}

Tensor compositions::compose(GraphBuilder &b, const Logit &given) {
  Tensor x = given.x;
  if (given.eps)
    x = clamp(b, x, *given.eps, 1 - *given.eps);
  return b.log(b.div(x, b.sub(b.scalar(x.elementType(), 1), x)));
}

// The dialect has it for float32.
Tensor compositions::compose(GraphBuilder &b, const Gelu &given) {
  Tensor x = given.x, inner;
  if (!x || x.elementType().isF32())
    return b.gelu(x, given.approximate);
  if (given.approximate == GeluApproximation::Tanh) {
    Tensor cube = b.mul(b.mul(x, x), x);
    inner = b.tanh(b.mul(b.add(x, b.mul(cube, 0.044715)), std::sqrt(2 / M_PI)));
  } else {
    inner = b.erf(b.mul(x, M_SQRT1_2));
  }
  return b.mul(b.mul(x, 0.5), b.add(inner, 1.0));
}

//===----------------------------------------------------------------------===//
// Piecewise linear
//===----------------------------------------------------------------------===//

/// `clamp`, whose gradient is 0 at the limits.
static Tensor limit(GraphBuilder &b, Tensor x, double low, double high) {
  Tensor least = b.scalar(x.elementType(), low);
  Tensor most = b.scalar(x.elementType(), high);
  return b.select(b.le(x, least), least, b.select(b.ge(x, most), most, x));
}

Tensor compositions::compose(GraphBuilder &b, const HardSigmoid &given) {
  Tensor line = b.add(b.mul(given.x, given.alpha), given.beta);
  return limit(b, line, 0, 1);
}

// The dialect has it for float32.
Tensor compositions::compose(GraphBuilder &b, const HardSwish &given) {
  Tensor x = given.x;
  if (!x || x.elementType().isF32())
    return b.hardSwish(x);
  return b.mul(x, limit(b, b.add(b.mul(x, 1.0 / 6), 0.5), 0, 1));
}

Tensor compositions::compose(GraphBuilder &b, const HardTanh &given) {
  return limit(b, given.x, given.min_value, given.max_value);
}

Tensor compositions::compose(GraphBuilder &b, const Relu6 &given) {
  return limit(b, given.x, 0, 6);
}

Tensor compositions::compose(GraphBuilder &b, const Threshold &given) {
  Type type = given.x.elementType();
  return b.select(b.le(given.x, b.scalar(type, given.threshold)),
                  b.scalar(type, given.value), given.x);
}

/// Fails unless `lambd` is at least 0.
static bool checkShrink(GraphBuilder &b, double lambd) {
  if (lambd >= 0)
    return true;
  b.fail("expected 'lambd' to be at least 0, got " + std::to_string(lambd));
  return false;
}

Tensor compositions::compose(GraphBuilder &b, const HardShrink &given) {
  Tensor x = given.x, zero = b.scalar(x.elementType(), 0);
  if (!checkShrink(b, given.lambd))
    return {};
  Tensor limit = b.scalar(x.elementType(), given.lambd);
  return b.select(b.le(b.abs(x), limit), zero, x);
}

Tensor compositions::compose(GraphBuilder &b, const SoftShrink &given) {
  Tensor x = given.x, zero = b.scalar(x.elementType(), 0);
  if (!checkShrink(b, given.lambd))
    return {};
  Tensor within = b.le(b.abs(x), b.scalar(x.elementType(), given.lambd));
  Tensor shrunk =
      b.select(b.lt(x, zero), b.add(x, given.lambd), b.sub(x, given.lambd));
  return b.select(within, zero, shrunk);
}

//===----------------------------------------------------------------------===//
// Gates
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Glu &given) {
  Tensor x = given.x;
  std::optional<int64_t> axis = findAxis(b, "axis", given.axis, x.rank());
  if (!axis)
    return {};
  int64_t half = x.dim(*axis) / 2;
  if (x.dim(*axis) % 2 != 0)
    return b.fail("expected an even size of dimension " + Twine(*axis) +
                  ", got the shape " + formatList(x.shape()));
  Tensor gate = b.sigmoid(b.sliceDim(x, *axis, half, half));
  return b.mul(b.sliceDim(x, *axis, 0, half), gate);
}
