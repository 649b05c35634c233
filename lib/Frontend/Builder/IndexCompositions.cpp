//===- IndexCompositions.cpp - Tables, indices and orders -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using namespace hamkaas::graph::compositions;

Tensor compositions::compose(GraphBuilder &b, const Embedding &given) {
  if (given.weight.rank() < 1)
    return b.fail("expected 'weight' with dimensions, got a scalar");
  return b.gather(given.weight, given.indices, 0);
}

Tensor compositions::compose(GraphBuilder &b, const Take &given) {
  Tensor x = given.axis ? given.x : b.reshape(given.x, {given.x.count()});
  std::optional<int64_t> axis =
      findAxis(b, "axis", given.axis.value_or(0), x.rank());
  return axis ? b.gather(x, given.indices, *axis) : Tensor();
}

Tensor compositions::compose(GraphBuilder &b, const TakeAlongAxis &given) {
  Tensor x = given.x, indices = given.indices;
  std::optional<int64_t> axis = findAxis(b, "axis", given.axis, x.rank());
  if (!axis)
    return {};
  std::optional<Shape> shape;
  if (x.rank() == indices.rank())
    shape = getBroadcastShape(b.keepDim(x, *axis), b.keepDim(indices, *axis));
  if (!shape)
    return b.fail("expected 'indices' of the rank of 'x' that can be broadcast "
                  "but along 'axis', got the shapes " +
                  formatList(indices.shape()) + " and " +
                  formatList(x.shape()));
  (*shape)[*axis] = indices.dim(*axis);
  Tensor checked = checkIndices(b, indices, x.dim(*axis), *axis);
  return gatherAlong(b, x, b.broadcast(checked, *shape), *axis);
}

Tensor compositions::compose(GraphBuilder &b, const GatherNd &given) {
  Tensor x = given.x, indices = given.indices;
  int64_t batch = given.batch_dims, rank = indices.rank(),
          length = rank ? indices.shape().back() : 0;
  bool fits = rank > 0 && batch >= 0 && batch < rank &&
              length <= x.rank() - batch &&
              x.shape().take_front(batch) == indices.shape().take_front(batch);
  if (!fits)
    return b.fail("expected 'indices' to have points of " +
                  formatList(x.shape()) + " behind 'batch_dims' (" +
                  Twine(batch) + ") dimensions, got the shape " +
                  formatList(indices.shape()));
  Shape rows = {countElements(x.shape().take_front(batch + length))};
  llvm::append_range(rows, x.shape().drop_front(batch + length));
  return b.gather(b.reshape(x, rows),
                  linearizeTuples(b, indices, x.shape(), batch), 0,
                  /*areChecked=*/true);
}

Tensor compositions::compose(GraphBuilder &b, const OneHot &given) {
  Shape aligned(given.indices.shape()), shape(aligned);
  aligned.push_back(1);
  shape.push_back(given.classes);
  if (given.classes < 1 || !hasFewElements(shape))
    return b.fail("expected 'classes' from 1, of fewer than 2^47 elements, "
                  "got " +
                  Twine(given.classes));
  Type wide = IntegerType::get(b.context(), 64);
  Tensor indices = b.reshape(b.cast(given.indices, wide), aligned);
  Tensor hits = b.eq(b.broadcast(indices, shape), b.count(given.classes, wide));
  return b.cast(hits, given.type);
}

/// The first `count` elements of `x` along `axis` in their order, then their
/// indices.
static Tensors sortAlong(GraphBuilder &b, Tensor x, int64_t axis,
                         bool isDescending, int64_t count) {
  // NaN comes first in this order, and is the extreme.
  if (count == 1 && isDescending && !x.elementType().isInteger(1)) {
    Tensor largest = b.argExtreme(Combiner::Max, x, axis, /*isLast=*/false);
    if (!largest)
      return {};
    Tensor place = b.reshape(largest, b.keepDim(x, axis));
    return {gatherAlong(b, x, place, axis), place};
  }
  Shape permutation = getDimRange(0, x.rank());
  std::swap(permutation[axis], permutation.back());
  Tensor rows = b.permute(x, permutation);
  std::optional<int64_t> first;
  if (count < x.dim(axis))
    first = count;
  Tensor order = b.argsort(rows, isDescending, first);
  if (!order)
    return {};
  Tensor values = gatherAlong(b, rows, order, x.rank() - 1);
  return {b.permute(values, permutation), b.permute(order, permutation)};
}

Tensors compositions::compose(GraphBuilder &b, const Topk &given) {
  std::optional<int64_t> axis = findAxis(b, "axis", given.axis, given.x.rank());
  if (!axis)
    return {};
  if (given.k < 1 || given.k > given.x.dim(*axis))
    return {b.fail("expected 'k' from 1 to " + Twine(given.x.dim(*axis)) +
                   ", got " + Twine(given.k))};
  return sortAlong(b, given.x, *axis, !given.smallest, given.k);
}

Tensor compositions::compose(GraphBuilder &b, const Sort &given) {
  std::optional<int64_t> axis = findAxis(b, "axis", given.axis, given.x.rank());
  if (!axis)
    return {};
  Tensors sorted =
      sortAlong(b, given.x, *axis, given.descending, given.x.dim(*axis));
  return sorted.empty() ? Tensor() : sorted.front();
}
