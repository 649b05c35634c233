//===- Indices.cpp - Elements by their indices ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Compositions.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

Tensor graph::checkIndices(GraphBuilder &b, Tensor indices, int64_t size,
                           int64_t dim, bool areNonnegative) {
  if (!indices)
    return {};
  Shape tuples(indices.shape());
  tuples.push_back(1);
  return b.flattenIndices(b.reshape(indices, tuples), size, dim,
                          areNonnegative);
}

/// Adds the indices along dimension `dim`, `stride` elements apart.
static Tensor addIndices(GraphBuilder &b, Tensor linear, int64_t dim,
                         int64_t stride) {
  if (!linear)
    return {};
  Shape along(linear.rank(), 1);
  along[dim] = linear.dim(dim);
  Tensor indices = b.count(linear.dim(dim), linear.elementType());
  return b.add(linear, b.mul(b.reshape(indices, along), double(stride)));
}

Tensor graph::linearize(GraphBuilder &b, Tensor indices,
                        ArrayRef<int64_t> shape, int64_t axis) {
  Tensor linear =
      b.mul(indices, double(countElements(shape.drop_front(axis + 1))));
  for (int64_t i = 0; i < int64_t(shape.size()); ++i)
    if (i != axis && shape[i] != 1)
      linear = addIndices(b, linear, i, countElements(shape.drop_front(i + 1)));
  return linear;
}

Tensor graph::linearizeTuples(GraphBuilder &b, Tensor indices,
                              ArrayRef<int64_t> shape, int64_t batch) {
  Shape places(indices.shape().drop_back());
  int64_t length = indices.shape().back();
  if (length == 0)
    return b.broadcast(b.constant({0}, {}), places);
  ArrayRef<int64_t> indexed = shape.take_front(batch + length);
  Tensor linear = b.flattenIndices(indices, indexed.drop_front(batch), batch);
  for (int64_t i = 0; i < batch; ++i)
    linear = addIndices(b, linear, i, countElements(indexed.drop_front(i + 1)));
  return linear;
}

Tensor graph::gatherAlong(GraphBuilder &b, Tensor x, Tensor indices,
                          int64_t axis) {
  if (!x || !indices)
    return {};
  if (indices.isEmpty())
    return b.empty(indices.shape(), x.elementType());
  Shape places(indices.shape());
  if (axis == x.rank() - 1 &&
      x.shape().drop_back() == indices.shape().drop_back()) {
    // Rows: one number for all dimensions before them.
    int64_t rows = countElements(x.shape().drop_back());
    x = b.reshape(x, {rows, x.shape().back()});
    indices = b.reshape(indices, {rows, places.back()});
    axis = 1;
  }
  Tensor linear = linearize(b, indices, x.shape(), axis);
  return b.reshape(b.gather(b.reshape(x, {x.count()}), linear, 0,
                            /*areChecked=*/true),
                   places);
}
