//===- WindowRules.cpp - Gradients of convolution and pooling ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Rules.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;
using graph::Windows;

//===----------------------------------------------------------------------===//
// Spatial dimensions
//===----------------------------------------------------------------------===//

template <typename OpTy>
static Windows getWindows(OpTy op, ArrayRef<int64_t> sizes) {
  return {Shape(sizes), Shape(op.getStrides()), Shape(op.getDilations()),
          Shape(op.getPadLow()), Shape(op.getPadHigh())};
}

/// Adds elements of `value` before and after the spatial dimensions of `x`,
/// and `interior` between each two; a negative number takes elements away.
static Tensor padSpatial(GraphBuilder &b, Tensor x, double value,
                         ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                         ArrayRef<int64_t> interior) {
  if (!x)
    return {};
  Shape before(x.rank(), 0), after(x.rank(), 0), between(x.rank(), 0);
  Shape offsets(x.rank(), 0), sizes(x.shape());
  for (auto [i, l, h, gap] : llvm::enumerate(low, high, interior)) {
    size_t dim = i + 1;
    before[dim] = std::max<int64_t>(l, 0);
    after[dim] = std::max<int64_t>(h, 0);
    between[dim] = gap;
    offsets[dim] = std::max<int64_t>(-l, 0);
    sizes[dim] = l + x.dim(dim) + (x.dim(dim) - 1) * gap + h;
  }
  Tensor padded =
      b.pad(x, b.scalar(x.elementType(), value), before, after, between);
  return b.stridedSlice(padded, offsets, sizes, Shape(x.rank(), 1));
}

/// The gradient of the result with zeros in place of the positions that strides
/// leave out, such that windows of `sizes` and `dilations`, one position apart,
/// give one for each position of `x`: each sees the results that it is part of.
static Tensor spreadGradient(GraphBuilder &b, Tensor g, const Tensor &x,
                             const Windows &windows) {
  Shape low, high, interior;
  for (int64_t i = 0; i < windows.count(); ++i) {
    int64_t spread = (g.dim(i + 1) - 1) * windows.strides[i] + 1;
    low.push_back(windows.extent(i) - 1 - windows.padLow[i]);
    high.push_back(x.dim(i + 1) - spread + windows.padLow[i]);
    interior.push_back(windows.strides[i] - 1);
  }
  return padSpatial(b, g, 0, low, high, interior);
}

/// Windows of the same sizes and dilations, one position apart, without
/// padding.
static Windows makeDense(const Windows &windows) {
  Shape ones(windows.count(), 1), zeros(windows.count(), 0);
  return {windows.sizes, ones, windows.dilations, zeros, zeros};
}

/// Calls `visit` with each position of a window, in row-major order.
static void forEachPosition(ArrayRef<int64_t> sizes,
                            function_ref<void(ArrayRef<int64_t>)> visit) {
  Shape position(sizes.size(), 0);
  while (true) {
    visit(position);
    size_t dim = sizes.size();
    while (dim > 0 && ++position[dim - 1] == sizes[dim - 1])
      position[--dim] = 0;
    if (dim == 0)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// The shape of `x` with dimension `dim` as two, of which the first has `size`
/// entries.
static Tensor splitDim(GraphBuilder &b, Tensor x, int64_t dim, int64_t size) {
  Shape shape(x.shape());
  shape[dim] /= size;
  shape.insert(shape.begin() + dim, size);
  return b.reshape(x, shape);
}

static Tensor differentiateByData(ConvOp op, GraphBuilder &b, Tensor g,
                                  const Windows &windows) {
  Tensor x(op.getX());
  Shape added; // Elements that no window reaches.
  for (int64_t i = 0; i < windows.count(); ++i)
    added.push_back(x.dim(i + 1) + windows.padLow[i] + windows.padHigh[i] -
                    (g.dim(i + 1) - 1) * windows.strides[i] -
                    windows.extent(i));
  return graph::convTransposed(b, g, Tensor(op.getW()), windows, added,
                               op.getGroups());
}

/// `x` with the batch as its channels, in groups, and the channels of a group
/// as its batch.
static Tensor exchangeBatch(GraphBuilder &b, Tensor x, int64_t groups) {
  int64_t last = x.rank() - 1;
  Tensor split = splitDim(b, x, last, groups);
  // n x h x g x c to c x h x g x n.
  Tensor exchanged = graph::swapDims(b, split, 0, last + 1);
  Shape shape(x.shape());
  shape[0] = x.dim(last) / groups;
  shape[last] = groups * x.dim(0);
  return b.reshape(exchanged, shape);
}

/// A convolution of `x` with `g`, summed over the batch, in which strides and
/// dilations change places.
static Tensor convolveWithGradient(ConvOp op, GraphBuilder &b, Tensor g,
                                   const Windows &windows) {
  Tensor x(op.getX());
  Windows exchanged = makeDense(windows);
  exchanged.strides = windows.dilations;
  exchanged.dilations = windows.strides;
  // Rows that no window reaches are taken away, which makes the windows as many
  // as the weights.
  Shape high;
  for (int64_t i = 0; i < windows.count(); ++i) {
    int64_t spread = (g.dim(i + 1) - 1) * windows.strides[i] + 1;
    high.push_back(windows.extent(i) + spread - 1 - windows.padLow[i] -
                   x.dim(i + 1));
  }
  Tensor padded = padSpatial(b, exchangeBatch(b, x, op.getGroups()), 0,
                             windows.padLow, high, Shape(windows.count(), 0));
  // n x h x o to h x n x o.
  Shape permutation = graph::getDimRange(1, g.rank() - 1);
  permutation.push_back(0);
  permutation.push_back(g.rank() - 1);
  Tensor product =
      b.conv(padded, b.permute(g, permutation), exchanged, op.getGroups());
  return b.permute(product, permutation);
}

/// The elements of the padded `x` that each window has at `position`.
static Tensor sliceWindows(GraphBuilder &b, Tensor padded, Tensor g,
                           ArrayRef<int64_t> position, const Windows &windows) {
  if (!padded)
    return {};
  Shape offsets(padded.rank(), 0), strides(padded.rank(), 1);
  Shape sizes(padded.shape());
  for (int64_t i = 0; i < windows.count(); ++i) {
    offsets[i + 1] = position[i] * windows.dilations[i];
    strides[i + 1] = windows.strides[i];
    sizes[i + 1] = g.dim(i + 1);
  }
  return b.stridedSlice(padded, offsets, sizes, strides);
}

/// Of windows with one element: a product of matrices.
static Tensor multiplyPositions(ConvOp op, GraphBuilder &b, Tensor g,
                                const Windows &windows) {
  Shape zeros(windows.count(), 0);
  Tensor padded = padSpatial(b, Tensor(op.getX()), 0, windows.padLow,
                             windows.padHigh, zeros);
  Tensor x = sliceWindows(b, padded, g, zeros, windows);
  if (!x)
    return {};
  int64_t from = x.dim(x.rank() - 1), to = g.dim(g.rank() - 1);
  int64_t rows = g.count() / to;
  Tensor product =
      b.matmul(graph::swapDims(b, b.reshape(x, {rows, from}), 0, 1),
               b.reshape(g, {rows, to}));
  return b.reshape(product, Tensor(op.getW()).shape());
}

/// Of one channel a group, in and out: for each position of the windows, a sum
/// of products of elements.
static Tensor sumProducts(ConvOp op, GraphBuilder &b, Tensor g,
                          const Windows &windows) {
  Shape zeros(windows.count(), 0);
  Tensor padded = padSpatial(b, Tensor(op.getX()), 0, windows.padLow,
                             windows.padHigh, zeros);
  SmallVector<Tensor> sums;
  forEachPosition(windows.sizes, [&](ArrayRef<int64_t> position) {
    Tensor x = sliceWindows(b, padded, g, position, windows);
    sums.push_back(b.reduce(Combiner::Sum, b.mul(x, g),
                            graph::getDimRange(0, g.rank() - 1),
                            /*keepDims=*/true));
  });
  return b.reshape(b.concat(sums, 0), Tensor(op.getW()).shape());
}

static Tensor differentiateByWeights(ConvOp op, GraphBuilder &b, Tensor g,
                                     const Windows &windows) {
  auto isOne = [](int64_t size) { return size == 1; };
  int64_t groups = op.getGroups();
  if (groups == 1 && llvm::all_of(windows.sizes, isOne))
    return multiplyPositions(op, b, g, windows);
  if (groups == Tensor(op.getX()).shape().back() && groups == g.shape().back())
    return sumProducts(op, b, g, windows);
  return convolveWithGradient(op, b, g, windows);
}

static Tensors differentiateConv(ConvOp op, GraphBuilder &b, Tensor g) {
  Windows windows = getWindows(op, Tensor(op.getW()).shape().drop_back(2));
  return {differentiateByData(op, b, g, windows),
          differentiateByWeights(op, b, g, windows)};
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

static Tensor differentiateSumPool(PoolOp op, GraphBuilder &b, Tensor g,
                                   const Windows &windows) {
  Tensor spread = spreadGradient(b, g, Tensor(op.getX()), windows);
  return b.pool(Combiner::Sum, spread, makeDense(windows));
}

namespace {

/// The gradient of a maximum, one position of the windows after the other, in
/// row-major order: the first of equal elements gets it, as in PyTorch.
class MaxPoolRule {
public:
  MaxPoolRule(PoolOp op, GraphBuilder &b, Tensor g, const Windows &windows)
      : b(b), g(g), result(op.getResult()), windows(windows),
        zeros(windows.count(), 0) {
    Tensor x(op.getX());
    constexpr double infinity = std::numeric_limits<double>::infinity();
    padded =
        padSpatial(b, x, -infinity, windows.padLow, windows.padHigh, zeros);
    for (int64_t i = 0; i < windows.count(); ++i) {
      low.push_back(-windows.padLow[i]);
      high.push_back(-windows.padHigh[i]);
    }
  }

  Tensor build() {
    forEachPosition(windows.sizes,
                    [&](ArrayRef<int64_t> position) { addPosition(position); });
    return padSpatial(b, sum, 0, low, high, zeros);
  }

private:
  /// Adds what one position of each window gets.
  void addPosition(ArrayRef<int64_t> position);

  GraphBuilder &b;
  Tensor g, result, padded;
  const Windows &windows;
  Shape zeros, low, high;
  /// Of the windows whose element has been found; null before the first.
  Tensor isFound;
  /// Of the padded `x`.
  Tensor sum;
};

} // namespace

void MaxPoolRule::addPosition(ArrayRef<int64_t> position) {
  if (!padded || b.hasFailed())
    return;
  Shape offsets(padded.rank(), 0), strides(padded.rank(), 1);
  Shape before, after, between;
  for (int64_t i = 0; i < windows.count(); ++i) {
    int64_t offset = position[i] * windows.dilations[i];
    int64_t spread = (g.dim(i + 1) - 1) * windows.strides[i] + 1;
    offsets[i + 1] = offset;
    strides[i + 1] = windows.strides[i];
    before.push_back(offset);
    after.push_back(padded.dim(i + 1) - offset - spread);
    between.push_back(windows.strides[i] - 1);
  }
  Tensor elements = b.stridedSlice(padded, offsets, g.shape(), strides);
  Tensor isLargest = b.eq(elements, result);
  Tensor isFirst = isFound ? b.bitAnd(isLargest, b.bitNot(isFound)) : isLargest;
  isFound = isFound ? b.bitOr(isFound, isLargest) : isLargest;
  Tensor part =
      padSpatial(b, keepWhere(b, isFirst, g), 0, before, after, between);
  sum = sum ? b.add(sum, part) : part;
}

static Tensors differentiatePool(PoolOp op, GraphBuilder &b, Tensor g) {
  Windows windows = getWindows(op, op.getWindow());
  if (op.getCombiner() == Combiner::Sum)
    return {differentiateSumPool(op, b, g, windows)};
  return {MaxPoolRule(op, b, g, windows).build()};
}

void gradient::attachWindowRules(MLIRContext &context) {
  attach<ConvOp, differentiateConv>(context);
  attach<PoolOp, differentiatePool>(context);
}
