//===- ResampleNodes.cpp - Pooling and its gradient -------------*- C++ -*-===//
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

namespace {

/// Pooling of a tensor with channels last.
struct Pooling {
  int64_t mode;
  Windows windows;
  /// Elements of padding are zeros that count.
  bool countsZeros = false;
};

} // namespace

static std::optional<Pooling> readPooling(NodeBuilder &node, int64_t rank) {
  Pooling pooling;
  pooling.mode = node.integer(HamKaasDnnAttrResampleMode);
  if (pooling.mode == HamKaasDnnBilinear || pooling.mode == HamKaasDnnNearest) {
    node.unsupported("interpolation");
    return std::nullopt;
  }
  int64_t padding =
      node.integer(HamKaasDnnAttrPaddingMode, pooling.mode == HamKaasDnnMaxPool
                                                  ? HamKaasDnnNegInfPad
                                                  : HamKaasDnnZeroPad);
  if (padding == HamKaasDnnEdgeValPad) {
    node.unsupported("padding with the values of the edge");
    return std::nullopt;
  }
  if (padding == HamKaasDnnNegInfPad && pooling.mode != HamKaasDnnMaxPool) {
    node.fail("expected a mean to be padded with zeros");
    return std::nullopt;
  }
  pooling.countsZeros =
      pooling.mode == HamKaasDnnMaxPool && padding == HamKaasDnnZeroPad;
  int64_t count = rank - 2;
  if (count < 1 || count > 3) {
    node.fail("expected 'x' of 3 to 5 dims, got " + Twine(rank));
    return std::nullopt;
  }
  auto read = [&](int32_t attribute, int64_t least) -> Shape {
    Shape list(node.list(attribute));
    if (int64_t(list.size()) == count && llvm::all_of(list, [&](int64_t entry) {
          return entry >= least && entry <= INT32_MAX;
        }))
      return list;
    node.fail("expected '" + findAttribute(attribute)->text + "' to have " +
              Twine(count) + " entries from " + Twine(least) +
              " to 2^31 - 1, got " + graph::formatList(list));
    return {};
  };
  pooling.windows = {read(HamKaasDnnAttrWindow, 1),
                     read(HamKaasDnnAttrStride, 1), Shape(count, 1),
                     read(HamKaasDnnAttrPrePadding, 0),
                     read(HamKaasDnnAttrPostPadding, 0)};
  if (node.b.hasFailed())
    return std::nullopt;
  return pooling;
}

/// Puts the padding into the tensor.
static Tensor padSpatial(GraphBuilder &b, Tensor x, double value,
                         const Windows &windows) {
  Shape low(x.rank(), 0), high(x.rank(), 0);
  for (int64_t i = 0; i < windows.count(); ++i) {
    low[i + 1] = windows.padLow[i];
    high[i + 1] = windows.padHigh[i];
  }
  return b.pad(x, b.scalar(x.elementType(), value), low, high,
               Shape(x.rank(), 0));
}

static Windows withoutPadding(Windows windows) {
  llvm::fill(windows.padLow, 0);
  llvm::fill(windows.padHigh, 0);
  return windows;
}

/// `x` and the result have channels last.
static Tensor pool(GraphBuilder &b, Tensor x, const Pooling &pooling) {
  if (pooling.countsZeros)
    return b.pool(Combiner::Max, padSpatial(b, x, 0, pooling.windows),
                  withoutPadding(pooling.windows));
  if (pooling.mode == HamKaasDnnMaxPool)
    return b.pool(Combiner::Max, x, pooling.windows);
  Tensor sum = b.pool(Combiner::Sum, x, pooling.windows);
  if (!sum)
    return {};
  Shape spatial(x.shape().drop_front().drop_back()), zeros(spatial.size(), 0);
  bool counts = pooling.mode == HamKaasDnnAvgPoolIncludePadding;
  return graph::divideByWindows(b, sum, pooling.windows, spatial,
                                counts ? pooling.windows.padLow : zeros,
                                counts ? pooling.windows.padHigh : zeros);
}

//===----------------------------------------------------------------------===//
// The index of the maximum
//===----------------------------------------------------------------------===//

namespace {

/// Compares the elements of all windows, one position after the other, so that
/// the first of equal ones is taken.
class MaximumIndex {
public:
  MaximumIndex(NodeBuilder &node, Tensor x, Tensor largest,
               const Pooling &pooling)
      : node(node), b(node.b), largest(largest), windows(pooling.windows),
        spatial(x.shape().drop_front().drop_back()),
        padded(padSpatial(b, x, pooling.countsZeros ? 0 : -INFINITY, windows)) {
  }

  /// The index in the spatial dimensions of `x`, row-major; -1 for an element
  /// of the padding.
  Tensor build();

private:
  void add(ArrayRef<int64_t> position);
  Tensor locate(ArrayRef<int64_t> position);

  NodeBuilder &node;
  GraphBuilder &b;
  Tensor largest;
  const Windows &windows;
  Shape spatial;
  Tensor padded;
  Tensor found; ///< Null before the first position.
};

} // namespace

/// The index of the element at `position` of each window.
Tensor MaximumIndex::locate(ArrayRef<int64_t> position) {
  Type type = IntegerType::get(b.context(), 64);
  Shape ones(largest.rank(), 1);
  Tensor index = b.broadcast(b.scalar(type, 0), ones), isInside;
  for (int64_t i = 0; i < windows.count(); ++i) {
    Shape shape(ones);
    shape[i + 1] = largest.dim(i + 1);
    Tensor place =
        b.add(b.mul(b.iota(shape, i + 1), double(windows.strides[i])),
              double(position[i] - windows.padLow[i]));
    Tensor isHere = b.bitAnd(b.ge(place, b.scalar(type, 0)),
                             b.lt(place, b.scalar(type, double(spatial[i]))));
    isInside = isInside ? b.bitAnd(isInside, isHere) : isHere;
    index = b.add(b.mul(index, double(spatial[i])), place);
  }
  return b.select(isInside, index, b.scalar(type, -1));
}

void MaximumIndex::add(ArrayRef<int64_t> position) {
  Shape offsets(padded.rank(), 0), strides(padded.rank(), 1);
  for (int64_t i = 0; i < windows.count(); ++i) {
    offsets[i + 1] = position[i];
    strides[i + 1] = windows.strides[i];
  }
  Tensor elements = b.stridedSlice(padded, offsets, largest.shape(), strides);
  Tensor index = locate(position);
  Tensor isLargest = b.eq(elements, largest);
  Tensor none = b.scalar(index.elementType(), -1);
  if (!found)
    found = b.broadcast(none, largest.shape());
  // Padding never counts before an element.
  Tensor isFirst = b.bitAnd(isLargest, b.eq(found, none));
  found = b.select(isFirst, index, found);
}

Tensor MaximumIndex::build() {
  constexpr int64_t most = 1024;
  int64_t count = 1;
  for (int64_t size : windows.sizes)
    count = std::min(count * size, most + 1);
  if (count > most)
    return node.unsupported("the index of maxima of more than 1024 elements");
  Shape position(windows.count(), 0);
  for (int64_t i = 0; i < count && !b.hasFailed(); ++i) {
    add(position);
    for (size_t dim = position.size();
         dim-- > 0 && ++position[dim] == windows.sizes[dim];)
      position[dim] = 0;
  }
  return found;
}

void nodes::lowerResample(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Tensor x = graph::channelsLast(b, node.input(HamKaasDnnAttrX));
  auto pooling = b.hasFailed() ? std::nullopt : readPooling(node, x.rank());
  if (!pooling)
    return;
  Tensor y = pool(b, x, *pooling);
  node.give(HamKaasDnnAttrY, graph::channelsFirst(b, y));
  if (!node.has(HamKaasDnnAttrIndex) || b.hasFailed())
    return;
  if (pooling->mode != HamKaasDnnMaxPool || !x.isFloat()) {
    node.fail("expected 'index' of maxima of floats only");
    return;
  }
  node.give(
      HamKaasDnnAttrIndex,
      graph::channelsFirst(b, MaximumIndex(node, x, y, *pooling).build()));
}

/// Some tensor of that shape that is no constant: the gradient of a mean does
/// not depend on its operand.
static Tensor standIn(GraphBuilder &b, Tensor dy, ArrayRef<int64_t> dims) {
  Shape ones(dy.rank(), 1);
  Tensor element = b.stridedSlice(dy, Shape(dy.rank(), 0), ones, ones);
  return b.broadcast(b.reshape(element, Shape(dims.size(), 1)), dims);
}

void nodes::lowerResampleBackward(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Tensor dy = node.input(HamKaasDnnAttrDy);
  ArrayRef<int64_t> dims = node.requiredDims(HamKaasDnnAttrDx);
  auto pooling = b.hasFailed() ? std::nullopt : readPooling(node, dims.size());
  if (!pooling)
    return;
  bool hasX = node.has(HamKaasDnnAttrX);
  if (pooling->mode == HamKaasDnnMaxPool && !hasX) {
    node.fail("expected 'x' for the gradient of maxima");
    return;
  }
  Tensor x = hasX ? node.input(HamKaasDnnAttrX) : standIn(b, dy, dims);
  if (!b.hasFailed() && (x.shape() != dims || !x.isFloat()))
    node.fail("expected 'x' and 'dx' of floats to have the same dims");
  Tensor last = graph::channelsLast(b, x);
  Tensor y = b.hasFailed() ? Tensor() : pool(b, last, *pooling);
  Tensor seed = graph::channelsLast(b, dy);
  if (b.hasFailed())
    return;
  if (seed.shape() != y.shape()) {
    node.fail("expected 'dy' to have the dims " +
              graph::formatList(graph::channelsFirst(b, y).shape()) + ", got " +
              graph::formatList(dy.shape()));
    return;
  }
  node.give(HamKaasDnnAttrDx,
            graph::channelsFirst(b, differentiateBy(node, y, seed, last)));
}
