//===- ReductionCompositions.cpp - Reductions and rows ----------*- C++ -*-===//
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

static std::optional<Shape> findReduced(GraphBuilder &b, const Tensor &x,
                                        std::optional<ArrayRef<int64_t>> axes) {
  return findAxes(b, "axes", axes, x.rank());
}

/// Those of a function of rows: the last one if they are left out.
static std::optional<Shape> findRows(GraphBuilder &b, const Tensor &x,
                                     std::optional<ArrayRef<int64_t>> axes) {
  static constexpr int64_t last = -1;
  return findAxes(b, "axes", axes ? *axes : ArrayRef(last), x.rank());
}

//===----------------------------------------------------------------------===//
// One operation
//===----------------------------------------------------------------------===//

template <typename T>
static Tensor reduce(GraphBuilder &b, Combiner combiner, Tensor x,
                     const T &given) {
  std::optional<Shape> dims = findReduced(b, x, given.axes);
  return dims ? b.reduce(combiner, x, *dims, given.keepdims) : Tensor();
}

Tensor compositions::compose(GraphBuilder &b, const Sum &given) {
  return reduce(b, Combiner::Sum, given.x, given);
}
Tensor compositions::compose(GraphBuilder &b, const Prod &given) {
  return reduce(b, Combiner::Prod, given.x, given);
}
Tensor compositions::compose(GraphBuilder &b, const Amax &given) {
  return reduce(b, Combiner::Max, given.x, given);
}
Tensor compositions::compose(GraphBuilder &b, const Amin &given) {
  return reduce(b, Combiner::Min, given.x, given);
}

static Tensor isTrue(GraphBuilder &b, Tensor x) {
  return x.isBool() ? x : b.ne(x, b.scalar(x.elementType(), 0));
}

Tensor compositions::compose(GraphBuilder &b, const Any &given) {
  return reduce(b, Combiner::Max, isTrue(b, given.x), given);
}
Tensor compositions::compose(GraphBuilder &b, const All &given) {
  return reduce(b, Combiner::Min, isTrue(b, given.x), given);
}

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Mean &given) {
  std::optional<Shape> dims = findReduced(b, given.x, given.axes);
  if (!dims)
    return {};
  Tensor average = mean(b, toComputed(b, given.x), *dims, given.keepdims);
  return b.cast(average, given.x.elementType());
}

Tensors compositions::compose(GraphBuilder &b, const VarMean &given) {
  Tensor x = toComputed(b, given.x);
  std::optional<Shape> dims = findReduced(b, x, given.axes);
  if (!dims)
    return {};
  int64_t count = 1;
  for (int64_t dim : *dims)
    count *= x.dim(dim);
  double divisor = double(count) - given.correction;
  if (!(divisor > 0))
    return {b.fail("expected 'correction' to be less than the " + Twine(count) +
                   " elements reduced, got " +
                   std::to_string(given.correction))};
  Tensor average = mean(b, x, *dims), distance = b.sub(x, average);
  Tensor sum =
      b.reduce(Combiner::Sum, b.mul(distance, distance), *dims, given.keepdims);
  Tensor variance = b.div(sum, divisor);
  average = b.reshape(average, variance.shape());
  Type type = given.x.elementType();
  return {b.cast(variance, type), b.cast(average, type)};
}

Tensor compositions::compose(GraphBuilder &b, const Var &given) {
  Tensors both = compose(
      b, VarMean{given.x, given.axes, given.keepdims, given.correction});
  return both.empty() ? Tensor() : both.front();
}

/// `root(x)` of numbers that are not negative, whose gradient at 0 is 0.
template <typename Fn>
static Tensor takeRoot(GraphBuilder &b, Tensor x, Fn root) {
  Tensor zero = b.scalar(x.elementType(), 0), isZero = b.eq(x, zero);
  Tensor positive = b.select(isZero, b.scalar(x.elementType(), 1), x);
  return b.select(isZero, zero, root(positive));
}

static Tensor takeSquareRoot(GraphBuilder &b, Tensor x) {
  return takeRoot(b, x, [&](Tensor positive) { return b.sqrt(positive); });
}

Tensor compositions::compose(GraphBuilder &b, const Std &given) {
  Tensor variance =
      compose(b, Var{given.x, given.axes, given.keepdims, given.correction});
  return variance ? takeSquareRoot(b, variance) : Tensor();
}

Tensor compositions::compose(GraphBuilder &b, const VectorNorm &given) {
  Tensor x = toComputed(b, given.x);
  std::optional<Shape> dims = findReduced(b, x, given.axes);
  if (!dims)
    return {};
  auto sum = [&](Tensor terms) {
    return b.reduce(Combiner::Sum, terms, *dims, given.keepdims);
  };
  double ord = given.ord;
  Tensor norm, magnitude = b.abs(x);
  if (std::isinf(ord))
    norm = b.reduce(ord > 0 ? Combiner::Max : Combiner::Min, magnitude, *dims,
                    given.keepdims);
  else if (ord == 0)
    norm = sum(b.cast(isTrue(b, x), x.elementType()));
  else if (ord == 1)
    norm = sum(magnitude);
  else if (ord == 2)
    norm = takeSquareRoot(b, sum(b.mul(x, x)));
  else if (ord < 0)
    norm = b.pow(sum(b.pow(magnitude, ord)), 1 / ord);
  else
    norm = takeRoot(b, sum(b.pow(magnitude, ord)),
                    [&](Tensor positive) { return b.pow(positive, 1 / ord); });
  return b.cast(norm, given.x.elementType());
}

//===----------------------------------------------------------------------===//
// Places of extremes
//===----------------------------------------------------------------------===//

template <typename T>
static Tensor findExtreme(GraphBuilder &b, Combiner combiner, const T &given) {
  Tensor x = given.x;
  Shape shape(x.rank(), 1);
  std::optional<int64_t> axis = 0;
  if (given.axis) {
    axis = findAxis(b, "axis", *given.axis, x.rank());
    if (!axis)
      return {};
    shape = b.keepDim(x, *axis);
  } else {
    x = b.reshape(x, {x.count()});
  }
  Tensor index = b.argExtreme(combiner, x, *axis, /*isLast=*/false);
  return given.keepdims ? b.reshape(index, shape) : index;
}

Tensor compositions::compose(GraphBuilder &b, const Argmax &given) {
  return findExtreme(b, Combiner::Max, given);
}
Tensor compositions::compose(GraphBuilder &b, const Argmin &given) {
  return findExtreme(b, Combiner::Min, given);
}

//===----------------------------------------------------------------------===//
// Exponentials
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const LogSumExp &given) {
  std::optional<Shape> dims = findRows(b, given.x, given.axes);
  return dims ? logSumExp(b, given.x, *dims, given.keepdims) : Tensor();
}

Tensor compositions::compose(GraphBuilder &b, const Softmax &given) {
  std::optional<Shape> dims = findRows(b, given.x, given.axes);
  if (!dims)
    return {};
  return b.cast(softmax(b, toComputed(b, given.x), *dims),
                given.x.elementType());
}

Tensor compositions::compose(GraphBuilder &b, const LogSoftmax &given) {
  std::optional<Shape> dims = findRows(b, given.x, given.axes);
  if (!dims)
    return {};
  return b.cast(logSoftmax(b, toComputed(b, given.x), *dims),
                given.x.elementType());
}

//===----------------------------------------------------------------------===//
// Products of prefixes
//===----------------------------------------------------------------------===//

/// `x` moved by `distance` along a dimension, with ones where it came from.
static Tensor shift(GraphBuilder &b, Tensor x, int64_t dim, int64_t distance,
                    bool isReverse) {
  if (!x)
    return {};
  Shape shape(x.shape());
  int64_t rest = shape[dim] - distance;
  shape[dim] = distance;
  Tensor ones = b.broadcast(b.scalar(x.elementType(), 1), shape);
  Tensor moved = b.sliceDim(x, dim, isReverse ? distance : 0, rest);
  return isReverse ? b.concat({moved, ones}, dim)
                   : b.concat({ones, moved}, dim);
}

/// Prefix products, of twice as many elements in each step.
Tensor graph::cumprod(GraphBuilder &b, Tensor x, int64_t dim, bool isExclusive,
                      bool isReverse) {
  if (!x)
    return {};
  int64_t size = x.dim(dim);
  Tensor product = isExclusive ? shift(b, x, dim, 1, isReverse) : x;
  for (int64_t distance = 1; distance < size; distance *= 2)
    product = b.mul(product, shift(b, product, dim, distance, isReverse));
  return product;
}

Tensor compositions::compose(GraphBuilder &b, const Cumprod &given) {
  std::optional<int64_t> axis = findAxis(b, "axis", given.axis, given.x.rank());
  return axis ? cumprod(b, given.x, *axis, given.exclusive, given.reverse)
              : Tensor();
}
