//===- Contraction.cpp - Products of matrices -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

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
  // True if the third operand is repeated, which it always may be since.
  if (op.version < 7)
    op.attributes.getInt("broadcast");
  if (!op.expectRank(x, 2, 2) || !op.expectRank(w, 2, 2))
    return {};
  Tensor product = multiplyAsNumpy(b, transposesX ? b.permute(x, {1, 0}) : x,
                                   transposesW ? b.permute(w, {1, 0}) : w);
  if (alpha != 1)
    product = b.mul(product, alpha);
  return {addBias(b, product, beta == 1 ? c : b.mul(c, beta))};
}

static Tensors importEinsum(OpContext &op, GraphBuilder &b) {
  StringRef equation = op.attributes.getString("equation").value_or("");
  ArrayRef<Tensor> inputs = op.allInputs();
  if (b.hasFailed())
    return {};
  return {einsum(b, equation, inputs)};
}

//===----------------------------------------------------------------------===//
// Determinants
//===----------------------------------------------------------------------===//

/// Eliminates the first column of batch x n x n matrices: leaves those of the
/// other rows and columns, and multiplies `product` by the pivots.
static Tensor eliminate(GraphBuilder &b, Tensor x, Tensor &product) {
  int64_t batch = x.dim(0), size = x.dim(1);
  Tensor zero = b.scalar(x.elementType(), 0);
  Tensor column = b.abs(b.sliceDim(x, 2, 0, 1));
  Tensor place = b.reshape(
      b.argExtreme(Combiner::Max, column, 1, /*isLast=*/false), {batch, 1, 1});
  Tensor isPivot = b.eq(b.iota({batch, size, 1}, 1), place);
  Tensor row = b.reduce(Combiner::Sum, b.select(isPivot, x, zero), {1},
                        /*keepDims=*/true);
  // The first row takes the place of the pivot's.
  Tensor rest = b.select(isPivot, b.sliceDim(x, 1, 0, 1), x);
  rest = b.sliceDim(rest, 1, 1, size - 1);
  Tensor pivot = b.sliceDim(row, 2, 0, 1);
  Tensor isSame = b.eq(place, b.constant({0}, {}));
  product = b.mul(product, b.select(isSame, pivot, b.neg(pivot)));
  // A pivot of 0 has a column of zeros.
  Tensor factor = b.select(b.eq(pivot, zero), zero,
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
    return {b.fail("expected square matrices, got the shape " +
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
      {"Einsum", importEinsum, 28},
      {"Gemm", importGemm, 13},
      {"MatMul", importMatMul, 13},
  };
  return ops;
}
