//===- NormalizationCompositions.cpp - Normalization ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompositionChecks.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using namespace hamkaas::graph::compositions;

//===----------------------------------------------------------------------===//
// By channel
//===----------------------------------------------------------------------===//

/// The element of each channel, `standard` if they are left out.
static Tensor fillChannels(GraphBuilder &b, Tensor x, int64_t channels,
                           Type type, double standard) {
  return x ? x : b.broadcast(b.scalar(type, standard), {channels});
}

Tensor compositions::compose(GraphBuilder &b,
                             const compositions::BatchNorm &given) {
  Tensor x = given.x;
  if (!checkRank(b, x, 2))
    return {};
  int64_t channels = x.dim(1);
  if (!checkShape(b, "mean", given.mean, {channels}) ||
      !checkShape(b, "variance", given.variance, {channels}) ||
      !checkShape(b, "weight", given.weight, {channels}) ||
      !checkShape(b, "bias", given.bias, {channels}))
    return {};
  Type type = x.elementType();
  return batchNorm(b, x,
                   {fillChannels(b, given.weight, channels, type, 1),
                    fillChannels(b, given.bias, channels, type, 0), given.mean,
                    given.variance, given.epsilon});
}

Tensor compositions::compose(GraphBuilder &b, const GroupNorm &given) {
  Tensor x = given.x;
  if (!checkRank(b, x, 2))
    return {};
  int64_t channels = x.dim(1), groups = given.groups;
  if (groups < 1 || channels % groups != 0)
    return b.fail("expected 'groups' to divide the " + Twine(channels) +
                  " channels, got " + Twine(groups));
  if (!checkShape(b, "weight", given.weight, {channels}) ||
      !checkShape(b, "bias", given.bias, {channels}))
    return {};
  Shape grouped = {x.dim(0), groups, x.count() / x.dim(0) / groups};
  Tensor y =
      layerNorm(b, b.reshape(toComputed(b, x), grouped), 2, given.epsilon);
  y = b.reshape(y, x.shape());
  auto align = [&](Tensor factors) {
    return alignToChannels(b, toComputed(b, factors), x.rank());
  };
  if (given.weight)
    y = b.mul(y, align(given.weight));
  if (given.bias)
    y = b.add(y, align(given.bias));
  return b.cast(y, x.elementType());
}

Tensor compositions::compose(GraphBuilder &b, const InstanceNorm &given) {
  if (!checkRank(b, given.x, 2))
    return {};
  return compose(b, GroupNorm{given.x, given.weight, given.bias, given.x.dim(1),
                              given.epsilon});
}

//===----------------------------------------------------------------------===//
// By row
//===----------------------------------------------------------------------===//

/// The dimensions that are normalized, the last one if they are left out.
static std::optional<Shape> findRows(GraphBuilder &b, const Tensor &x,
                                     std::optional<ArrayRef<int64_t>> axes) {
  constexpr int64_t last[] = {-1};
  return findAxes(b, "axes", axes.value_or(last), x.rank());
}

/// The sizes of some dimensions.
static Shape getSizes(const Tensor &x, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return x.dim(dim); });
}

/// `factors`, which has the sizes of `dims`, as what broadcasts to `x`.
static Tensor alignToDims(GraphBuilder &b, Tensor factors, const Tensor &x,
                          ArrayRef<int64_t> dims) {
  Shape shape(x.rank(), 1);
  for (int64_t dim : dims)
    shape[dim] = x.dim(dim);
  return b.reshape(factors, shape);
}

Tensor compositions::compose(GraphBuilder &b, const LayerNorm &given) {
  Tensor x = given.x;
  std::optional<Shape> dims = findRows(b, x, given.axes);
  if (!dims || !checkShape(b, "weight", given.weight, getSizes(x, *dims)) ||
      !checkShape(b, "bias", given.bias, getSizes(x, *dims)))
    return {};
  Tensor y = alongDims(b, x, *dims, [&](Tensor rows) {
    return b.layerNorm(rows, given.epsilon);
  });
  if (given.weight)
    y = b.mul(y, alignToDims(b, given.weight, x, *dims));
  return given.bias ? b.add(y, alignToDims(b, given.bias, x, *dims)) : y;
}

/// Rows of `x` divided by their root mean square, times `w`. The dialect has it
/// for float32.
static Tensor scaleByRms(GraphBuilder &b, Tensor x, Tensor w, double epsilon) {
  Type type = x.elementType();
  if (type.isF32())
    return b.rmsNorm(
        x, w ? w : b.broadcast(b.scalar(type, 1), x.shape().take_back()),
        epsilon);
  Tensor y = b.cast(rmsNorm(b, toComputed(b, x), x.rank() - 1, epsilon), type);
  return w ? b.mul(y, w) : y;
}

Tensor compositions::compose(GraphBuilder &b, const RmsNorm &given) {
  std::optional<Shape> dims = findRows(b, given.x, given.axes);
  if (!dims || !checkShape(b, "w", given.w, getSizes(given.x, *dims)))
    return {};
  if (given.w && given.w.elementType() != given.x.elementType())
    return b.fail("expected 'w' to have the element type of 'x', " +
                  formatType(given.x.elementType()) + ", got " +
                  formatType(given.w.elementType()));
  if (!(given.epsilon >= 0 && std::isfinite(given.epsilon)))
    return b.fail("expected 'epsilon' to be finite and at least 0, got " +
                  std::to_string(given.epsilon));
  Tensor w = given.w ? b.reshape(given.w, {given.w.count()}) : Tensor();
  return alongDims(b, given.x, *dims, [&](Tensor rows) {
    return scaleByRms(b, rows, w, given.epsilon);
  });
}
