//===- Compositions.cpp - What is made of several operations ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

std::optional<int64_t> graph::findAxis(GraphBuilder &b, StringRef name,
                                       int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  if (rank == 0)
    b.fail("expected a tensor with dimensions for '" + name +
           "', got a scalar");
  else
    b.fail("expected '" + name + "' from " + Twine(-rank) + " to " +
           Twine(rank - 1) + ", got " + Twine(axis));
  return std::nullopt;
}

std::optional<Shape> graph::findAxes(GraphBuilder &b, StringRef name,
                                     std::optional<ArrayRef<int64_t>> axes,
                                     int64_t rank) {
  if (!axes)
    return getDimRange(0, rank);
  Shape found;
  for (int64_t given : *axes) {
    std::optional<int64_t> axis = findAxis(b, name, given, rank);
    if (!axis)
      return std::nullopt;
    if (llvm::is_contained(found, *axis)) {
      b.fail("expected '" + name + "' to have each dimension once, got " +
             formatList(*axes));
      return std::nullopt;
    }
    found.push_back(*axis);
  }
  llvm::sort(found);
  return found;
}

Tensor graph::makeScalar(GraphBuilder &b, TypedAttr number) {
  Type type = number.getType();
  ReferenceTensor tensor(RankedTensorType::get({}, type));
  if (auto real = dyn_cast<FloatAttr>(number))
    fillElements(tensor, real.getValueAsDouble());
  else if (type.isSignlessInteger() && !type.isInteger(1))
    tensor.i64.front() = cast<IntegerAttr>(number).getValue().getSExtValue();
  else
    tensor.i64.front() = cast<IntegerAttr>(number).getValue().getZExtValue();
  return Tensor(std::move(tensor));
}

std::string graph::describeType(const Tensor &x) {
  return formatType(x.type());
}

//===----------------------------------------------------------------------===//
// Shapes and types
//===----------------------------------------------------------------------===//

Shape graph::getDimRange(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, std::max(begin, end)));
}

int64_t graph::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Tensor graph::swapDims(GraphBuilder &b, Tensor x, int64_t i, int64_t j) {
  if (!x)
    return {};
  Shape permutation = getDimRange(0, x.rank());
  std::swap(permutation[i], permutation[j]);
  return b.permute(x, permutation);
}

Tensor graph::addDim(GraphBuilder &b, Tensor x, int64_t dim) {
  if (!x)
    return {};
  Shape shape(x.shape());
  shape.insert(shape.begin() + dim, 1);
  return b.reshape(x, shape);
}

Tensor graph::selectDim(GraphBuilder &b, Tensor x, int64_t dim, int64_t i) {
  if (!x)
    return {};
  Shape shape(x.shape());
  shape.erase(shape.begin() + dim);
  return b.reshape(b.sliceDim(x, dim, i, 1), shape);
}

Tensor graph::toComputed(GraphBuilder &b, Tensor x) {
  if (!x || x.elementType().isF64())
    return x;
  return b.cast(x, Float32Type::get(b.context()));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

Tensor graph::clamp(GraphBuilder &b, Tensor x, double low, double high) {
  return b.min(b.max(x, low), high);
}

// W. Kahan: what is lost in 1 + x is lost in both factors of the quotient.
Tensor graph::log1pOfFinite(GraphBuilder &b, Tensor x) {
  if (!x)
    return {};
  Tensor sum = b.add(x, 1.0);
  Tensor one = b.scalar(x.elementType(), 1);
  Tensor isTiny = b.eq(sum, one);
  // Not 0, whose quotient would have gradients that are no numbers.
  Tensor rest = b.select(isTiny, one, b.sub(sum, 1.0));
  return b.select(isTiny, x, b.mul(b.log(sum), b.div(x, rest)));
}

Tensor graph::softplus(GraphBuilder &b, Tensor x) {
  Tensor small = b.exp(b.neg(b.abs(x)));
  return b.add(b.max(x, 0.0), log1pOfFinite(b, small));
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

Tensor graph::multiplyBatches(GraphBuilder &b, Tensor lhs, Tensor rhs) {
  if (!lhs || !rhs)
    return {};
  Shape batch(lhs.shape().drop_back(2)), result = batch;
  int64_t count = countElements(batch), rank = lhs.rank();
  result.append({lhs.dim(rank - 2), rhs.dim(rank - 1)});
  lhs = b.reshape(lhs, {count, lhs.dim(rank - 2), lhs.dim(rank - 1)});
  rhs = b.reshape(rhs, {count, rhs.dim(rank - 2), rhs.dim(rank - 1)});
  return b.reshape(b.matmul(lhs, rhs), result);
}

/// `x` as a batch of matrices of that leading shape.
static Tensor toBatch(GraphBuilder &b, Tensor x, ArrayRef<int64_t> batch,
                      int64_t count) {
  Shape full(batch);
  llvm::append_range(full, x.shape().take_back(2));
  x = b.broadcast(x, full);
  return b.reshape(x, {count, full[full.size() - 2], full.back()});
}

/// The product of matrices of at least rank 2, as numpy has it.
static Tensor multiplyMatrices(GraphBuilder &b, Tensor lhs, Tensor rhs) {
  std::optional<Shape> batch =
      getBroadcastShape(lhs.shape().drop_back(2), rhs.shape().drop_back(2));
  if (!batch)
    return b.fail("expected batches that can be broadcast, got the shapes " +
                  formatShape(lhs.shape()) + " and " +
                  formatShape(rhs.shape()));
  Shape result(*batch);
  result.push_back(lhs.dim(lhs.rank() - 2));
  result.push_back(rhs.shape().back());
  int64_t count = 1;
  for (int64_t size : *batch)
    count *= size;
  bool isShared = rhs.count() == rhs.shape().back() * rhs.dim(rhs.rank() - 2);
  if (isShared) {
    // One matrix on the right: the batch is more rows.
    int64_t depth = lhs.shape().back();
    Shape left(*batch);
    left.push_back(lhs.dim(lhs.rank() - 2));
    left.push_back(depth);
    lhs = b.broadcast(lhs, left);
    lhs = b.reshape(lhs, {lhs.count() / depth, depth});
    rhs = b.reshape(rhs, rhs.shape().take_back(2));
  } else {
    lhs = toBatch(b, lhs, *batch, count);
    rhs = toBatch(b, rhs, *batch, count);
  }
  return b.reshape(b.matmul(lhs, rhs), result);
}

Tensor graph::multiplyAsNumpy(GraphBuilder &b, Tensor lhs, Tensor rhs) {
  if (!lhs || !rhs)
    return {};
  if (lhs.isEmpty() || rhs.isEmpty())
    return b.fail("products of matrices without elements are not supported");
  int64_t depth = rhs.rank() == 0   ? 0
                  : rhs.rank() == 1 ? rhs.dim(0)
                                    : rhs.dim(rhs.rank() - 2);
  if (lhs.rank() == 0 || rhs.rank() == 0 || lhs.shape().back() != depth)
    return b.failMismatch("cannot multiply matrices of the shapes " +
                          formatShape(lhs.shape()) + " and " +
                          formatShape(rhs.shape()));
  Tensor left = lhs.rank() == 1 ? b.reshape(lhs, {1, lhs.dim(0)}) : lhs;
  Tensor right = rhs.rank() == 1 ? b.reshape(rhs, {rhs.dim(0), 1}) : rhs;
  Tensor product = multiplyMatrices(b, left, right);
  if (!product)
    return {};
  Shape shape(product.shape());
  if (rhs.rank() == 1)
    shape.pop_back();
  if (lhs.rank() == 1)
    shape.erase(shape.end() - (rhs.rank() == 1 ? 1 : 2));
  return b.reshape(product, shape);
}

Tensor graph::addBias(GraphBuilder &b, Tensor product, Tensor bias) {
  if (!bias || !product)
    return product;
  if (getBroadcastShape(product.shape(), bias.shape()) !=
      Shape(product.shape()))
    return b.fail("expected a bias that can be broadcast to " +
                  formatShape(product.shape()) + ", got " +
                  formatShape(bias.shape()));
  return b.add(product, bias);
}

Tensor graph::linear(GraphBuilder &b, Tensor x, Tensor w, Tensor bias) {
  return addBias(b, multiplyAsNumpy(b, x, w), bias);
}

//===----------------------------------------------------------------------===//
// Windows over images
//===----------------------------------------------------------------------===//

Tensor graph::channelsLast(GraphBuilder &b, Tensor x) {
  if (!x)
    return {};
  Shape permutation = {0};
  llvm::append_range(permutation, getDimRange(2, x.rank()));
  permutation.push_back(1);
  return b.permute(x, permutation);
}

Tensor graph::channelsFirst(GraphBuilder &b, Tensor x) {
  if (!x)
    return {};
  Shape permutation = {0, x.rank() - 1};
  llvm::append_range(permutation, getDimRange(1, x.rank() - 1));
  return b.permute(x, permutation);
}

Tensor graph::weightsLast(GraphBuilder &b, Tensor w) {
  if (!w)
    return {};
  Shape permutation = getDimRange(2, w.rank());
  permutation.append({1, 0});
  return b.permute(w, permutation);
}

void graph::roundUpWindows(Windows &windows, ArrayRef<int64_t> spatial) {
  for (int64_t i = 0; i < windows.count(); ++i) {
    int64_t room =
        spatial[i] + windows.padLow[i] + windows.padHigh[i] - windows.extent(i);
    int64_t stride = windows.strides[i];
    if (room < 0 || room % stride == 0)
      continue;
    int64_t last = (room / stride + 1) * stride;
    if (last < spatial[i] + windows.padLow[i])
      windows.padHigh[i] += last - room;
  }
}

/// How many elements each of `count` windows along dimension `i` counts, from
/// the position `low` on to before `high`.
static Tensor countWindows(GraphBuilder &b, const Windows &windows, int64_t i,
                           int64_t count, int64_t low, int64_t high) {
  Tensor start = b.mul(b.count(count, IntegerType::get(b.context(), 64)),
                       double(windows.strides[i]));
  // The elements of a window before a position.
  auto countBefore = [&](int64_t position) {
    Tensor end =
        b.scalar(start.elementType(), double(position + windows.padLow[i] +
                                             windows.dilations[i] - 1));
    Tensor steps =
        b.div(b.max(b.sub(end, start), 0.0), double(windows.dilations[i]));
    return b.min(steps, double(windows.sizes[i]));
  };
  Tensor counts = b.sub(countBefore(high), countBefore(low));
  // A window of padding alone sums to 0.
  return b.max(counts, 1.0);
}

Tensor graph::divideByWindows(GraphBuilder &b, Tensor sum,
                              const Windows &windows, ArrayRef<int64_t> spatial,
                              ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  for (size_t i = 0; sum && i < spatial.size(); ++i) {
    int64_t count = sum.dim(i + 1), begin = -windows.padLow[i];
    int64_t end = begin + (count - 1) * windows.strides[i] + windows.extent(i);
    if (begin >= -low[i] && end <= spatial[i] + high[i]) {
      sum = b.div(sum, double(windows.sizes[i]));
      continue;
    }
    Tensor counts =
        countWindows(b, windows, i, count, -low[i], spatial[i] + high[i]);
    Shape shape(sum.rank(), 1);
    shape[i + 1] = count;
    sum = b.div(sum, b.reshape(b.cast(counts, sum.elementType()), shape));
  }
  return sum;
}

//===----------------------------------------------------------------------===//
// Statistics and normalizations
//===----------------------------------------------------------------------===//

Tensor graph::mean(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims,
                   bool keepDims) {
  if (!x)
    return {};
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= x.dim(dim);
  return b.div(b.reduce(Combiner::Sum, x, dims, keepDims), double(count));
}

Moments graph::getMoments(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims) {
  Tensor average = mean(b, x, dims);
  Tensor distance = b.sub(x, average);
  return {average, distance, mean(b, b.mul(distance, distance), dims)};
}

Tensor graph::alignToChannels(GraphBuilder &b, Tensor x, int64_t rank) {
  Shape shape = {x.count()};
  shape.append(std::max<int64_t>(rank - 2, 0), 1);
  return b.reshape(x, shape);
}

Tensor graph::batchNorm(GraphBuilder &b, Tensor x, const BatchNorm &norm) {
  Type type = x.elementType();
  Tensor scale = toComputed(b, norm.scale);
  Tensor mean = toComputed(b, norm.mean);
  Tensor variance = toComputed(b, norm.variance);
  Tensor factor = b.div(scale, b.sqrt(b.add(variance, norm.epsilon)));
  Tensor offset = b.sub(toComputed(b, norm.bias), b.mul(mean, factor));
  Tensor scaled = b.mul(toComputed(b, x), alignToChannels(b, factor, x.rank()));
  return b.cast(b.add(scaled, alignToChannels(b, offset, x.rank())), type);
}

Tensor graph::layerNorm(GraphBuilder &b, Tensor x, int64_t axis,
                        double epsilon) {
  if (!x)
    return {};
  Shape shape(x.shape()), rows(x.shape().take_front(axis));
  rows.push_back(countElements(x.shape().drop_front(axis)));
  return b.reshape(b.layerNorm(b.reshape(x, rows), epsilon), shape);
}

Tensor graph::rmsNorm(GraphBuilder &b, Tensor x, int64_t axis, double epsilon) {
  Tensor squares = mean(b, b.mul(x, x), getDimRange(axis, x.rank()));
  return b.div(x, b.sqrt(b.add(squares, epsilon)));
}

//===----------------------------------------------------------------------===//
// Exponentials of rows
//===----------------------------------------------------------------------===//

/// Softmax of the last dimension.
static Tensor softmaxLast(GraphBuilder &b, Tensor x) {
  if (x.elementType().isF32())
    return b.softmax(x);
  // The definition, each step of which is rounded.
  Shape last = {x.rank() - 1};
  Tensor most = b.reduce(Combiner::Max, x, last, /*keepDims=*/true);
  Tensor powers = b.exp(b.sub(x, most));
  return b.div(powers,
               b.reduce(Combiner::Sum, powers, last, /*keepDims=*/true));
}

/// `x` with the elements along `dims` as its last dimension; `order` is how its
/// dimensions were permuted before these became one.
static Tensor toRows(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims,
                     Shape &order) {
  Shape shape;
  for (int64_t dim : getDimRange(0, x.rank()))
    if (!llvm::is_contained(dims, dim)) {
      order.push_back(dim);
      shape.push_back(x.dim(dim));
    }
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= x.dim(dim);
  llvm::append_range(order, dims);
  shape.push_back(count);
  return b.reshape(b.permute(x, order), shape);
}

Tensor graph::alongDims(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims,
                        llvm::function_ref<Tensor(Tensor rows)> compute) {
  if (!x)
    return {};
  Shape order;
  Tensor y = compute(toRows(b, x, dims, order));
  Shape shape = applyPermutation(x.shape(), order);
  return b.permute(b.reshape(y, shape), invertPermutationVector(order));
}

Tensor graph::softmax(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims) {
  return alongDims(b, x, dims,
                   [&](Tensor rows) { return softmaxLast(b, rows); });
}

Tensor graph::logSoftmax(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims) {
  Tensor most = b.reduce(Combiner::Max, x, dims, /*keepDims=*/true);
  Tensor shifted = b.sub(x, most);
  Tensor sum = b.reduce(Combiner::Sum, b.exp(shifted), dims, /*keepDims=*/true);
  return b.sub(shifted, b.log(sum));
}

Tensor graph::logSumExp(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims,
                        bool keepDims) {
  if (!x)
    return {};
  // Of no elements the logarithm of an empty sum.
  if (x.isEmpty())
    return b.log(b.reduce(Combiner::Sum, x, dims, keepDims));
  Shape order, shape;
  for (int64_t dim : getDimRange(0, x.rank())) {
    bool isReduced = llvm::is_contained(dims, dim);
    if (!isReduced || keepDims)
      shape.push_back(isReduced ? 1 : x.dim(dim));
  }
  return b.reshape(b.logSumExp(toRows(b, x, dims, order)), shape);
}
