//===- ProductNodes.cpp - Products of matrices and reductions ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "NodeBuilder.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::nodes;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The dimensions before the matrices, where those of one operand divide those
/// of the other; none if they do not.
static std::optional<Shape> mergeBatches(ArrayRef<int64_t> lhs,
                                         ArrayRef<int64_t> rhs) {
  Shape merged;
  for (auto [left, right] :
       llvm::zip_equal(lhs.drop_back(2), rhs.drop_back(2))) {
    int64_t most = std::max(left, right);
    if (most % left != 0 || most % right != 0)
      return std::nullopt;
    merged.push_back(most);
  }
  return merged;
}

/// Repeats matrices: of 4 and 2, number i of the 4 meets i / 2.
static Tensor repeatBatch(GraphBuilder &b, Tensor x, ArrayRef<int64_t> batch) {
  Shape split, repeated;
  for (auto [i, size] : llvm::enumerate(batch)) {
    split.append({x.dim(i), 1});
    repeated.append({x.dim(i), size / x.dim(i)});
  }
  Shape matrix(x.shape().take_back(2)), result(batch);
  llvm::append_range(split, matrix);
  llvm::append_range(repeated, matrix);
  llvm::append_range(result, matrix);
  return b.reshape(b.broadcast(b.reshape(x, split), repeated), result);
}

/// Returns whether numpy's broadcasting is all that the batches need.
static bool isBroadcast(ArrayRef<int64_t> shape, ArrayRef<int64_t> batch) {
  return llvm::all_of(llvm::zip_equal(shape.drop_back(2), batch),
                      [](auto pair) {
                        auto [size, wanted] = pair;
                        return size == wanted || size == 1;
                      });
}

void nodes::lowerMatmul(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  auto [lhs, rhs] =
      node.factors(HamKaasDnnAttrA, HamKaasDnnAttrB, HamKaasDnnAttrC);
  if (b.hasFailed())
    return;
  auto fail = [&, lhs = lhs, rhs = rhs](const Twine &expected) {
    node.fail("expected " + expected + ", got the dims " +
              graph::formatList(lhs.shape()) + " and " +
              graph::formatList(rhs.shape()));
  };
  int64_t rank = lhs.rank();
  if (rank < 2 || rhs.rank() != rank)
    return fail("operands of one rank of at least 2");
  if (lhs.dim(rank - 1) != rhs.dim(rank - 2))
    return fail("as many columns of a as rows of b");
  auto batch = mergeBatches(lhs.shape(), rhs.shape());
  if (!batch)
    return fail("batches that divide each other");
  if (!isBroadcast(lhs.shape(), *batch) || !isBroadcast(rhs.shape(), *batch)) {
    lhs = repeatBatch(b, lhs, *batch);
    rhs = repeatBatch(b, rhs, *batch);
  }
  node.give(HamKaasDnnAttrC, graph::multiplyAsNumpy(b, lhs, rhs));
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static Tensor reduce(NodeBuilder &node, Tensor x, ArrayRef<int64_t> dims) {
  GraphBuilder &b = node.b;
  auto combine = [&](Combiner combiner, Tensor x) {
    return b.reduce(combiner, x, dims, /*keepDims=*/true);
  };
  switch (node.integer(HamKaasDnnAttrReductionMode)) {
  case HamKaasDnnReduceAdd:
    return combine(Combiner::Sum, x);
  case HamKaasDnnReduceMul:
    return combine(Combiner::Prod, x);
  case HamKaasDnnReduceMin:
    return combine(Combiner::Min, x);
  case HamKaasDnnReduceMax:
    return combine(Combiner::Max, x);
  case HamKaasDnnReduceAmax:
    return combine(Combiner::Max, b.abs(x));
  case HamKaasDnnReduceAvg:
    return graph::mean(b, x, dims);
  case HamKaasDnnReduceNorm1:
    return combine(Combiner::Sum, b.abs(x));
  case HamKaasDnnReduceNorm2:
    return b.sqrt(combine(Combiner::Sum, b.mul(x, x)));
  case HamKaasDnnReduceMulNoZeros: {
    Type type = x.elementType();
    Tensor isZero = b.eq(x, b.scalar(type, 0));
    return combine(Combiner::Prod, b.select(isZero, b.scalar(type, 1), x));
  }
  }
  llvm_unreachable("the mode is one of the table");
}

void nodes::lowerReduction(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Tensor x = node.input(HamKaasDnnAttrX);
  ArrayRef<int64_t> dims = node.requiredDims(HamKaasDnnAttrY);
  if (b.hasFailed())
    return;
  Shape reduced;
  bool isRight = int64_t(dims.size()) == x.rank();
  for (int64_t dim = 0; isRight && dim < x.rank(); ++dim) {
    if (dims[dim] == x.dim(dim))
      continue;
    isRight = dims[dim] == 1;
    reduced.push_back(dim);
  }
  if (!isRight) {
    node.fail("expected y to have the dims of x, and 1 where they are "
              "reduced, got " +
              graph::formatList(dims) + " for " + graph::formatList(x.shape()));
    return;
  }
  if (x.isBool() ||
      (!x.isFloat() &&
       node.integer(HamKaasDnnAttrReductionMode) == HamKaasDnnReduceNorm2)) {
    node.fail("expected operands of other elements than " +
              formatType(x.elementType()) + " for this mode");
    return;
  }
  node.give(HamKaasDnnAttrY, reduce(node, x, reduced));
}
