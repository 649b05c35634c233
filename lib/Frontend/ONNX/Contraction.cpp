//===- Contraction.cpp - Products of matrices -------------------*- C++ -*-===//
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
    return b.fail("expected batches that can be broadcast, found the shapes " +
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

Tensor onnx::multiplyAsNumpy(GraphBuilder &b, Tensor lhs, Tensor rhs) {
  if (!lhs || !rhs)
    return {};
  if (lhs.isEmpty() || rhs.isEmpty())
    return b.fail("products of matrices without elements are not supported");
  int64_t depth = rhs.rank() == 0   ? 0
                  : rhs.rank() == 1 ? rhs.dim(0)
                                    : rhs.dim(rhs.rank() - 2);
  if (lhs.rank() == 0 || rhs.rank() == 0 || lhs.shape().back() != depth)
    return b.fail("cannot multiply matrices of the shapes " +
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

static Tensors importMatMul(OpContext &op, GraphBuilder &b) {
  return {multiplyAsNumpy(b, op.input(0), op.input(1))};
}

/// Exchanges the last two dimensions.
static Tensor transposeLast(GraphBuilder &b, Tensor x) {
  if (!x || x.rank() < 2)
    return x;
  Shape permutation = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  std::swap(permutation[x.rank() - 1], permutation[x.rank() - 2]);
  return b.permute(x, permutation);
}

static Tensors importFusedMatMul(OpContext &op, GraphBuilder &b) {
  Tensor lhs = op.input(0), rhs = op.input(1);
  double alpha = op.attributes.getFloat("alpha").value_or(1);
  if (op.attributes.getInt("transBatchA").value_or(0) != 0 ||
      op.attributes.getInt("transBatchB").value_or(0) != 0)
    return {b.fail("transposed batches are not supported")};
  if (op.attributes.getInt("transA").value_or(0) != 0)
    lhs = transposeLast(b, lhs);
  if (op.attributes.getInt("transB").value_or(0) != 0)
    rhs = transposeLast(b, rhs);
  Tensor product = multiplyAsNumpy(b, lhs, rhs);
  return {alpha == 1 ? product : b.mul(product, alpha)};
}

static Tensors importGemm(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), w = op.input(1), c = op.optionalInput(2);
  double alpha = op.attributes.getFloat("alpha").value_or(1);
  double beta = op.attributes.getFloat("beta").value_or(1);
  bool transposesX = op.attributes.getInt("transA").value_or(0) != 0;
  bool transposesW = op.attributes.getInt("transB").value_or(0) != 0;
  // Whether the third operand is repeated, which it always may be since.
  if (op.version < 7)
    op.attributes.getInt("broadcast");
  if (!op.expectRank(x, 2, 2) || !op.expectRank(w, 2, 2))
    return {};
  Tensor product = multiplyAsNumpy(b, transposesX ? b.permute(x, {1, 0}) : x,
                                   transposesW ? b.permute(w, {1, 0}) : w);
  if (alpha != 1)
    product = b.mul(product, alpha);
  if (!c || !product)
    return {product};
  if (getBroadcastShape(product.shape(), c.shape()) != Shape(product.shape()))
    return {b.fail("expected an input C that can be broadcast to " +
                   formatShape(product.shape()) + ", found " +
                   formatShape(c.shape()))};
  return {b.add(product, beta == 1 ? c : b.mul(c, beta))};
}

//===----------------------------------------------------------------------===//
// Determinants
//===----------------------------------------------------------------------===//

/// Eliminates the first column of batch x n x n matrices: leaves those of the
/// other rows and columns, and multiplies `product` by the pivots.
static Tensor eliminate(GraphBuilder &b, Tensor x, Tensor &product) {
  int64_t batch = x.dim(0), size = x.dim(1);
  Tensor zero = b.scalar(x.elementType(), 0);
  Tensor column = b.unary("abs", b.sliceDim(x, 2, 0, 1));
  Tensor place = b.reshape(b.argExtreme("max", column, 1, /*isLast=*/false),
                           {batch, 1, 1});
  Tensor isPivot = b.compare("eq", b.iota({batch, size, 1}, 1), place);
  Tensor row =
      b.reduce("sum", b.select(isPivot, x, zero), {1}, /*keepDims=*/true);
  // The first row takes the place of the pivot's.
  Tensor rest = b.select(isPivot, b.sliceDim(x, 1, 0, 1), x);
  rest = b.sliceDim(rest, 1, 1, size - 1);
  Tensor pivot = b.sliceDim(row, 2, 0, 1);
  Tensor isSame = b.compare("eq", place, b.constant({0}, {}));
  product = b.mul(product, b.select(isSame, pivot, b.unary("neg", pivot)));
  // A pivot of 0 has a column of zeros.
  Tensor factor = b.select(b.compare("eq", pivot, zero), zero,
                           b.div(b.sliceDim(rest, 2, 0, 1), pivot));
  Tensor left = b.sliceDim(rest, 2, 1, size - 1);
  return b.sub(left, b.mul(b.broadcast(factor, left.shape()),
                           b.sliceDim(row, 2, 1, size - 1)));
}

static Tensors importDet(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  constexpr int64_t largest = 64;
  if (!op.expectRank(x, 2))
    return {};
  int64_t size = x.shape().back();
  if (x.dim(x.rank() - 2) != size)
    return {b.fail("expected square matrices, found the shape " +
                   formatShape(x.shape()))};
  if (size > largest)
    return {b.fail("determinants of more than " + Twine(largest) +
                   " rows are not supported")};
  Shape shape(x.shape().drop_back(2));
  int64_t batch = countElements(shape);
  Tensor rest = b.reshape(toComputed(b, x), {batch, size, size});
  Tensor product = b.broadcast(b.scalar(rest.elementType(), 1), {batch, 1, 1});
  while (rest && rest.dim(1) > 1)
    rest = eliminate(b, rest, product);
  return {b.cast(b.reshape(b.mul(product, rest), shape), x.elementType())};
}

ArrayRef<OpDefinition> onnx::getContractionOps() {
  static constexpr OpDefinition ops[] = {
      {"FusedMatMul", importFusedMatMul, 1, "com.microsoft"},
      {"Det", importDet, 22},
      {"Gemm", importGemm, 13},
      {"MatMul", importMatMul, 13},
  };
  return ops;
}
