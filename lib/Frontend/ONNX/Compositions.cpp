//===- Compositions.cpp - What several operators are made of ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compositions.h"
#include "Diagnostics.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

Shape onnx::getDimRange(int64_t begin, int64_t end) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, std::max(begin, end)));
}

int64_t onnx::countElements(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Tensor onnx::toComputed(GraphBuilder &b, Tensor x) {
  if (!x || x.elementType().isF64())
    return x;
  return b.cast(x, Float32Type::get(b.context()));
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

Tensor onnx::reduceMean(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims) {
  if (!x)
    return {};
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= x.dim(dim);
  return b.div(b.reduce("sum", x, dims, /*keepDims=*/true), double(count));
}

Tensor onnx::normalizeFrom(GraphBuilder &b, Tensor x, int64_t axis,
                           double epsilon) {
  if (!x)
    return {};
  Shape shape(x.shape()), rows(x.shape().take_front(axis));
  rows.push_back(countElements(x.shape().drop_front(axis)));
  Builder builder(b.context());
  Tensor normal = b.create(
      "layer_norm", b.reshape(x, rows),
      builder.getNamedAttr("epsilon", builder.getF64FloatAttr(epsilon)));
  return b.reshape(normal, shape);
}

Tensor onnx::alignToChannels(GraphBuilder &b, Tensor x, int64_t rank) {
  Shape shape = {x.count()};
  shape.append(std::max<int64_t>(rank - 2, 0), 1);
  return b.reshape(x, shape);
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

Tensor onnx::multiplyBatches(GraphBuilder &b, Tensor lhs, Tensor rhs) {
  if (!lhs || !rhs)
    return {};
  Shape batch(lhs.shape().drop_back(2)), result = batch;
  int64_t count = countElements(batch), rank = lhs.rank();
  result.append({lhs.dim(rank - 2), rhs.dim(rank - 1)});
  lhs = b.reshape(lhs, {count, lhs.dim(rank - 2), lhs.dim(rank - 1)});
  rhs = b.reshape(rhs, {count, rhs.dim(rank - 2), rhs.dim(rank - 1)});
  return b.reshape(b.matmul(lhs, rhs), result);
}

Tensor onnx::swapDims(GraphBuilder &b, Tensor x, int64_t i, int64_t j) {
  if (!x)
    return {};
  Shape permutation = getDimRange(0, x.rank());
  std::swap(permutation[i], permutation[j]);
  return b.permute(x, permutation);
}

Tensor onnx::addDim(GraphBuilder &b, Tensor x, int64_t dim) {
  if (!x)
    return {};
  Shape shape(x.shape());
  shape.insert(shape.begin() + dim, 1);
  return b.reshape(x, shape);
}

Tensor onnx::selectDim(GraphBuilder &b, Tensor x, int64_t dim, int64_t i) {
  if (!x)
    return {};
  Shape shape(x.shape());
  shape.erase(shape.begin() + dim);
  return b.reshape(b.sliceDim(x, dim, i, 1), shape);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

Tensor onnx::softmaxLast(GraphBuilder &b, Tensor x) {
  if (!x)
    return {};
  if (x.elementType().isF32())
    return b.create("sliced_softmax", x,
                    b.attribute("static_prefix", x.shape().back()));
  // The steps of ONNX's definition, each of which is rounded.
  Shape last = {x.rank() - 1};
  Tensor powers =
      b.unary("exp", b.sub(x, b.reduce("max", x, last, /*keepDims=*/true)));
  return b.div(powers, b.reduce("sum", powers, last, /*keepDims=*/true));
}

Tensor onnx::logSoftmax(GraphBuilder &b, Tensor x, int64_t dim) {
  Tensor shifted = b.sub(x, b.reduce("max", x, dim, /*keepDims=*/true));
  Tensor sum = b.reduce("sum", b.unary("exp", shifted), dim, /*keepDims=*/true);
  return b.sub(shifted, b.unary("log", sum));
}

Tensor onnx::logSumExp(GraphBuilder &b, Tensor x, ArrayRef<int64_t> dims,
                       bool keepDims) {
  if (!x)
    return {};
  // Of no elements the logarithm of an empty sum.
  if (x.isEmpty())
    return b.unary("log", b.reduce("sum", x, dims, keepDims));
  Shape order, kept, shape;
  int64_t count = 1;
  for (int64_t dim = 0; dim < x.rank(); ++dim) {
    bool isReduced = llvm::is_contained(dims, dim);
    if (isReduced)
      count *= x.dim(dim);
    else
      order.push_back(dim), kept.push_back(x.dim(dim));
    if (!isReduced || keepDims)
      shape.push_back(isReduced ? 1 : x.dim(dim));
  }
  llvm::append_range(order, dims);
  kept.push_back(count);
  Tensor rows = b.reshape(b.permute(x, order), kept);
  return b.reshape(b.create("log_sum_exp", rows), shape);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

bool onnx::expectOneOf(GraphBuilder &b, StringRef attribute, StringRef value,
                       ArrayRef<StringRef> allowed) {
  if (llvm::is_contained(allowed, value))
    return true;
  b.fail("expected the attribute '" + attribute + "' to be one of " +
         llvm::join(allowed, ", ") + ", found '" + value + "'");
  return false;
}

bool onnx::expectElements(GraphBuilder &b, ArrayRef<Tensor> tensors) {
  for (const Tensor &tensor : tensors) {
    if (tensor && tensor.isEmpty())
      b.fail("tensors without elements are not supported");
    if (!tensor || tensor.isEmpty())
      return false;
  }
  return true;
}

bool onnx::expectShape(GraphBuilder &b, StringRef what, const Tensor &x,
                       ArrayRef<int64_t> shape) {
  if (!x || x.shape() == shape)
    return bool(x);
  b.fail("expected " + what + " of the shape " + formatShape(shape) +
         ", found " + formatShape(x.shape()));
  return false;
}
