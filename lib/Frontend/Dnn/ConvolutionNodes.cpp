//===- ConvolutionNodes.cpp - Convolutions and their gradients --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::nodes;
using graph::Windows;

/// Reads a setting with an entry for each spatial dimension.
static bool readList(NodeBuilder &node, int32_t attribute, int64_t count,
                     int64_t least, Shape &list) {
  list.assign(node.list(attribute).begin(), node.list(attribute).end());
  bool isValid =
      int64_t(list.size()) == count && llvm::all_of(list, [&](int64_t entry) {
        return entry >= least && entry <= INT32_MAX;
      });
  if (!isValid)
    node.fail("expected '" + findAttribute(attribute)->text + "' to have " +
              Twine(count) + " entries from " + Twine(least) +
              " to 2^31 - 1, got " + graph::formatList(list));
  return isValid;
}

/// The windows of the filter `w`, output and input channels first.
static std::optional<Windows> readWindows(NodeBuilder &node,
                                          ArrayRef<int64_t> filter) {
  Windows windows;
  windows.sizes.assign(filter.begin() + 2, filter.end());
  int64_t count = windows.count();
  if (readList(node, HamKaasDnnAttrStride, count, 1, windows.strides) &&
      readList(node, HamKaasDnnAttrDilation, count, 1, windows.dilations) &&
      readList(node, HamKaasDnnAttrPrePadding, count, 0, windows.padLow) &&
      readList(node, HamKaasDnnAttrPostPadding, count, 0, windows.padHigh))
    return windows;
  return std::nullopt;
}

/// The number of groups of a convolution from `x` to `y` by `w`; 0 after a
/// failure.
static int64_t checkShapes(NodeBuilder &node, ArrayRef<int64_t> x,
                           ArrayRef<int64_t> w, ArrayRef<int64_t> y,
                           const Windows &windows) {
  auto fail = [&](const Twine &expected) {
    node.fail("expected " + expected + ", got x " + graph::formatList(x) +
              ", w " + graph::formatList(w) + " and y " + graph::formatList(y));
    return 0;
  };
  if (x[1] % w[1] != 0)
    return fail("the channels of x to be groups of those of w");
  int64_t groups = x[1] / w[1];
  if (w[0] % groups != 0)
    return fail("the filters to be as many in each of the " + Twine(groups) +
                " groups");
  if (y.empty())
    return groups;
  if (y[0] != x[0] || y[1] != w[0])
    return fail("y to have the batch of x and a channel for each filter");
  for (int64_t i = 0; i < windows.count(); ++i) {
    int64_t room =
        x[i + 2] + windows.padLow[i] + windows.padHigh[i] - windows.extent(i);
    if (room < 0 || y[i + 2] != room / windows.strides[i] + 1)
      return fail("as many windows as y has elements along each dimension");
  }
  return groups;
}

/// Fails unless the ranks are equal, from 3 to 5.
static bool checkRanks(NodeBuilder &node, ArrayRef<int64_t> first,
                       ArrayRef<int64_t> second) {
  if (first.size() == second.size() && first.size() >= 3 && first.size() <= 5)
    return true;
  node.fail("expected two tensors of one rank from 3 to 5, got the dims " +
            graph::formatList(first) + " and " + graph::formatList(second));
  return false;
}

/// Filters with channels last; in reverse if the node asks for a convolution in
/// the mathematical sense.
static Tensor orderWeights(NodeBuilder &node, Tensor w) {
  Tensor last = graph::weightsLast(node.b, w);
  if (!last ||
      node.integer(HamKaasDnnAttrConvolutionMode, HamKaasDnnCrossCorrelation) ==
          HamKaasDnnCrossCorrelation)
    return last;
  Shape offsets(last.rank(), 0), strides(last.rank(), 1);
  for (int64_t i = 0; i + 2 < last.rank(); ++i) {
    offsets[i] = last.dim(i) - 1;
    strides[i] = -1;
  }
  return node.b.stridedSlice(last, offsets, last.shape(), strides);
}

void nodes::lowerConvForward(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  auto [x, w] = node.factors(HamKaasDnnAttrX, HamKaasDnnAttrW, HamKaasDnnAttrY);
  if (!checkRanks(node, x.shape(), w.shape()))
    return;
  auto windows = readWindows(node, w.shape());
  if (!windows)
    return;
  int64_t groups = checkShapes(node, x.shape(), w.shape(), {}, *windows);
  if (groups == 0)
    return;
  Tensor y = b.conv(graph::channelsLast(b, x), orderWeights(node, w), *windows,
                    groups);
  node.give(HamKaasDnnAttrY, graph::channelsFirst(b, y));
}

void nodes::lowerConvDataGradient(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  auto [dy, w] =
      node.factors(HamKaasDnnAttrDy, HamKaasDnnAttrW, HamKaasDnnAttrDx);
  ArrayRef<int64_t> dims = node.requiredDims(HamKaasDnnAttrDx);
  if (b.hasFailed() || !checkRanks(node, dy.shape(), w.shape()) ||
      !checkRanks(node, dims, w.shape()))
    return;
  auto windows = readWindows(node, w.shape());
  if (!windows)
    return;
  int64_t groups = checkShapes(node, dims, w.shape(), dy.shape(), *windows);
  if (groups == 0)
    return;
  Shape added; // Elements that no window reaches.
  for (int64_t i = 0; i < windows->count(); ++i)
    added.push_back(dims[i + 2] + windows->padLow[i] + windows->padHigh[i] -
                    (dy.dim(i + 2) - 1) * windows->strides[i] -
                    windows->extent(i));
  Tensor dx =
      graph::convTransposed(b, graph::channelsLast(b, dy),
                            orderWeights(node, w), *windows, added, groups);
  node.give(HamKaasDnnAttrDx, graph::channelsFirst(b, dx));
}

/// The inverse of weightsLast.
static Tensor weightsFirst(GraphBuilder &b, Tensor w) {
  if (!w)
    return {};
  Shape permutation = {w.rank() - 1, w.rank() - 2};
  llvm::append_range(permutation, graph::getDimRange(0, w.rank() - 2));
  return b.permute(w, permutation);
}

// The gradient of a convolution by its weights, which it does not depend on.
void nodes::lowerConvWeightGradient(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Tensor x = node.input(HamKaasDnnAttrX), dy = node.input(HamKaasDnnAttrDy);
  ArrayRef<int64_t> dims = node.requiredDims(HamKaasDnnAttrDw);
  if (b.hasFailed() || !checkRanks(node, x.shape(), dims) ||
      !checkRanks(node, dy.shape(), dims))
    return;
  auto windows = readWindows(node, dims);
  if (!windows)
    return;
  int64_t groups = checkShapes(node, x.shape(), dims, dy.shape(), *windows);
  if (groups == 0)
    return;
  Tensor zero = b.broadcast(b.scalar(x.elementType(), 0), dims);
  Tensor w = graph::weightsLast(b, zero);
  Tensor y = b.conv(graph::channelsLast(b, x), w, *windows, groups);
  Tensor dw = differentiateBy(node, y, graph::channelsLast(b, dy), w);
  // Of a mirrored filter, the gradient is mirrored.
  node.give(HamKaasDnnAttrDw,
            weightsFirst(b, orderWeights(node, weightsFirst(b, dw))));
}
