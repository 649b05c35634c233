//===- Reduction.cpp - Reductions of dimensions -----------------*- C++ -*-===//
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

//===----------------------------------------------------------------------===//
// Sums, products and extremes
//===----------------------------------------------------------------------===//

namespace {

struct Reduction {
  Tensor x;
  Shape dims;
  bool keepsDims = true;
  /// The input is the result: nothing is to be reduced.
  bool isIdentity = false;
};

} // namespace

/// The dimensions are an attribute at first, and an input from `inputVersion`.
static Reduction readReduction(OpContext &op, GraphBuilder &b,
                               int64_t inputVersion) {
  Reduction reduction;
  reduction.x = op.input(0);
  reduction.keepsDims = op.attributes.getInt("keepdims").value_or(1) != 0;
  bool keepsAll = false;
  std::optional<Shape> axes;
  if (op.version < inputVersion) {
    axes = op.attributes.getInts("axes");
  } else {
    keepsAll = op.attributes.getInt("noop_with_empty_axes").value_or(0) != 0;
    if (op.has(1))
      axes = op.constantInts(1);
  }
  if (b.hasFailed())
    return reduction;
  if (axes && !axes->empty())
    reduction.dims = op.normalizeAxes(*axes, reduction.x.rank());
  else if (keepsAll)
    reduction.isIdentity = true;
  else
    llvm::append_range(reduction.dims,
                       llvm::seq<int64_t>(0, reduction.x.rank()));
  return reduction;
}

static Tensor reduce(GraphBuilder &b, Combiner combiner, Tensor x,
                     const Reduction &reduction) {
  return b.reduce(combiner, x, reduction.dims, reduction.keepsDims);
}

/// Reduces `before(x)` by the combiner and applies `after` to the result.
template <typename Before, typename After>
static Tensors importReduction(OpContext &op, GraphBuilder &b,
                               Combiner combiner, Before before, After after,
                               int64_t inputVersion = 18) {
  Reduction reduction = readReduction(op, b, inputVersion);
  if (b.hasFailed())
    return {};
  return {
      after(reduce(b, combiner, before(reduction.x), reduction), reduction)};
}

static Tensor asItIs(Tensor x) { return x; }
static Tensor asResult(Tensor x, const Reduction &) { return x; }

static Tensors importSum(OpContext &op, GraphBuilder &b) {
  return importReduction(op, b, Combiner::Sum, asItIs, asResult,
                         /*inputVersion=*/13);
}
static Tensors importProd(OpContext &op, GraphBuilder &b) {
  return importReduction(op, b, Combiner::Prod, asItIs, asResult);
}
static Tensors importMax(OpContext &op, GraphBuilder &b) {
  return importReduction(op, b, Combiner::Max, asItIs, asResult);
}
static Tensors importMin(OpContext &op, GraphBuilder &b) {
  return importReduction(op, b, Combiner::Min, asItIs, asResult);
}

static Tensors importMean(OpContext &op, GraphBuilder &b) {
  Reduction reduction = readReduction(op, b, 18);
  if (b.hasFailed())
    return {};
  return {mean(b, reduction.x, reduction.dims, reduction.keepsDims)};
}

static Tensors importL1(OpContext &op, GraphBuilder &b) {
  return importReduction(
      op, b, Combiner::Sum, [&](Tensor x) { return b.abs(x); }, asResult);
}

static Tensors importSumSquare(OpContext &op, GraphBuilder &b) {
  return importReduction(
      op, b, Combiner::Sum, [&](Tensor x) { return b.mul(x, x); }, asResult);
}

static Tensors importL2(OpContext &op, GraphBuilder &b) {
  return importReduction(
      op, b, Combiner::Sum, [&](Tensor x) { return b.mul(x, x); },
      [&](Tensor sum, const Reduction &) { return b.sqrt(sum); });
}

static Tensors importLogSum(OpContext &op, GraphBuilder &b) {
  return importReduction(
      op, b, Combiner::Sum, asItIs,
      [&](Tensor sum, const Reduction &) { return b.log(sum); });
}

static Tensors importLogSumExp(OpContext &op, GraphBuilder &b) {
  Reduction reduction = readReduction(op, b, 18);
  if (b.hasFailed())
    return {};
  if (reduction.isIdentity)
    return {reduction.x};
  return {logSumExp(b, reduction.x, reduction.dims, reduction.keepsDims)};
}

//===----------------------------------------------------------------------===//
// Places of extremes
//===----------------------------------------------------------------------===//

static Tensors importArg(OpContext &op, GraphBuilder &b, Combiner combiner) {
  Tensor x = op.input(0);
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(0), x.rank());
  bool keepsDims = op.attributes.getInt("keepdims").value_or(1) != 0;
  bool isLast = op.attributes.getInt("select_last_index").value_or(0) != 0;
  if (b.hasFailed())
    return {};
  Tensor index = b.argExtreme(combiner, x, axis, isLast);
  return {keepsDims && index ? b.reshape(index, b.keepDim(x, axis)) : index};
}

static Tensors importArgMax(OpContext &op, GraphBuilder &b) {
  return importArg(op, b, Combiner::Max);
}
static Tensors importArgMin(OpContext &op, GraphBuilder &b) {
  return importArg(op, b, Combiner::Min);
}

ArrayRef<OpDefinition> onnx::getReductionOps() {
  static constexpr OpDefinition ops[] = {
      {"ArgMax", importArgMax, 13},
      {"ArgMin", importArgMin, 13},
      {"ReduceL1", importL1, 18},
      {"ReduceL2", importL2, 18},
      {"ReduceLogSum", importLogSum, 28},
      {"ReduceLogSumExp", importLogSumExp, 28},
      {"ReduceMax", importMax, 20},
      {"ReduceMean", importMean, 18},
      {"ReduceMin", importMin, 20},
      {"ReduceProd", importProd, 18},
      {"ReduceSum", importSum, 13},
      {"ReduceSumSquare", importSumSquare, 18},
  };
  return ops;
}
