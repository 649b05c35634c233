//===- Layout.cpp - How a tensor with strides lies in memory ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Dnn/Layout.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::nodes;
using llvm::createStringError;
using llvm::Error;

/// The dimensions by falling strides; equal ones stay as they are.
static Shape sortByStride(ArrayRef<int64_t> strides) {
  Shape order = graph::getDimRange(0, strides.size());
  llvm::sort(order, [&](int64_t i, int64_t j) {
    return std::pair(-strides[i], i) < std::pair(-strides[j], j);
  });
  return order;
}

Layout::Layout(ArrayRef<int64_t> dims, ArrayRef<int64_t> strides)
    : dims(dims), strides(strides), order(sortByStride(strides)) {
  int64_t expected = 1;
  for (int64_t dim : llvm::reverse(order)) {
    if (dims[dim] == 1)
      continue;
    dense &= strides[dim] == expected;
    // Sufficient, and necessary for all layouts that are in use.
    injective &= strides[dim] >= extent;
    extent += (dims[dim] - 1) * strides[dim];
    expected *= dims[dim];
  }
}

Shape Layout::storedShape() const {
  return llvm::map_to_vector(order, [&](int64_t dim) { return dims[dim]; });
}

/// The operands of a permutation that undoes `order`.
static Shape invert(ArrayRef<int64_t> order) {
  Shape inverse(order.size());
  for (auto [place, dim] : llvm::enumerate(order))
    inverse[dim] = place;
  return inverse;
}

Tensor Layout::read(GraphBuilder &b, Tensor stored) const {
  if (isDense())
    return b.permute(stored, invert(order));
  // Dimensions of one element lie anywhere.
  int64_t within = INT64_MAX;
  bool isNested = isInjective();
  for (int64_t dim : order)
    if (dims[dim] > 1) {
      isNested &= within == INT64_MAX || within % strides[dim] == 0;
      within = strides[dim];
    }
  return isNested ? readNested(b, stored) : readAnywhere(b, stored);
}

// Each stride is a multiple of the next one: a tensor whose dimensions are
// longer by the holes, of which a slice is taken.
Tensor Layout::readNested(GraphBuilder &b, Tensor stored) const {
  Shape filled, sizes;
  int64_t outer = 0;
  for (int64_t dim : order) {
    if (dims[dim] == 1)
      continue;
    filled.push_back(outer == 0 ? dims[dim] : outer / strides[dim]);
    sizes.push_back(dims[dim]);
    outer = strides[dim];
  }
  filled.push_back(outer);
  sizes.push_back(1);
  int64_t missing = graph::countElements(filled) - span();
  Tensor all =
      b.pad(stored, b.scalar(stored.elementType(), 0), {0}, {missing}, {0});
  Tensor slice = b.stridedSlice(b.reshape(all, filled), Shape(filled.size(), 0),
                                sizes, Shape(filled.size(), 1));
  return b.permute(b.reshape(slice, storedShape()), invert(order));
}

Tensor Layout::readAnywhere(GraphBuilder &b, Tensor stored) const {
  Type index = IntegerType::get(b.context(), 64);
  Tensor places = b.broadcast(b.scalar(index, 0), dims);
  for (auto [dim, stride] : llvm::enumerate(strides))
    places = b.add(places, b.mul(b.iota(dims, dim), double(stride)));
  return b.gather(stored, places, 0, /*areChecked=*/true);
}

Tensor Layout::store(GraphBuilder &b, Tensor x) const {
  return b.permute(x, order);
}

std::vector<int64_t> nodes::makeStrides(ArrayRef<int64_t> dims,
                                        ArrayRef<int64_t> like) {
  Shape order =
      like.empty() ? graph::getDimRange(0, dims.size()) : sortByStride(like);
  std::vector<int64_t> strides(dims.size(), 1);
  int64_t next = 1;
  for (int64_t dim : llvm::reverse(order)) {
    strides[dim] = next;
    next *= dims[dim];
  }
  return strides;
}

Error nodes::checkLayout(ArrayRef<int64_t> dims, ArrayRef<int64_t> strides) {
  if (dims.size() > 8)
    return createStringError("expected at most 8 dims, got " +
                             Twine(dims.size()));
  for (int64_t dim : dims)
    if (dim < 1)
      return createStringError("expected dims of at least 1, got " +
                               graph::formatList(dims));
  if (!graph::hasFewElements(dims))
    return createStringError(
        "expected fewer than 2^47 elements, got the dims " +
        graph::formatList(dims));
  if (dims.empty() || strides.empty())
    return Error::success();
  if (strides.size() != dims.size())
    return createStringError("expected " + Twine(dims.size()) +
                             " strides, one for each dim, got " +
                             Twine(strides.size()));
  int64_t extent = 1;
  for (auto [dim, stride] : llvm::zip_equal(dims, strides)) {
    if (stride < 1)
      return createStringError("expected strides of at least 1, got " +
                               graph::formatList(strides));
    if (stride >= graph::elementLimit ||
        (dim - 1) > (graph::elementLimit - extent) / stride)
      return createStringError("expected a tensor within 2^47 elements, got "
                               "the dims " +
                               graph::formatList(dims) + " and the strides " +
                               graph::formatList(strides));
    extent += (dim - 1) * stride;
  }
  return Error::success();
}
