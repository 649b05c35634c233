//===- MatMulToReduction.cpp - Products of few rows -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace hamkaas {
#define GEN_PASS_DEF_MATMULTOREDUCTION
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Limit on rows: each reads the whole right side, so for more rows a permute
/// pays off.
static constexpr int64_t maxRows = 4;

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The permute that turns contiguous rows into columns, if it is the right side
/// of a matmul of few rows; null otherwise.
static PermuteOp findTransposed(MatMulOp product,
                                const DenseSet<Operation *> &parameterOps,
                                int64_t dotDepth) {
  auto permute = product.getRhs().getDefiningOp<PermuteOp>();
  if (!permute || !permute->hasOneUse() || parameterOps.contains(permute) ||
      !product.getType().getElementType().isF32())
    return nullptr;
  ArrayRef<int64_t> permutation = permute.getPermutation();
  bool isTransposed =
      permutation.drop_back().back() + 1 == int64_t(permutation.size());
  ArrayRef<int64_t> left = getShape(product.getLhs());
  // A vector has no rows to count.
  if (left.size() < 2 || !isTransposed)
    return nullptr;
  int64_t rows = left[left.size() - 2];
  bool stays = dotDepth && rows > 1 && left.back() >= dotDepth;
  return rows <= maxRows && !stays ? permute : nullptr;
}

/// `x` with a dimension of 1 before dimension `dim`.
static Value insertDimension(OpBuilder &builder, Location loc, Value x,
                             int64_t dim) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, 1);
  return ReshapeOp::create(builder, loc, type.clone(shape), x);
}

/// With rows i and columns j: the sum over k of `lhs[i, 1, k] * rhs[1, j, k]`.
static void replaceByReduction(MatMulOp product, PermuteOp permute) {
  OpBuilder builder(product);
  Location loc = product.getLoc();
  int64_t rank = product.getType().getRank();
  SmallVector<int64_t> permutation(permute.getPermutation());
  std::swap(permutation[rank - 1], permutation[rank - 2]);
  Value right = permute.getX();
  if (!isIdentityPermutation(permutation))
    right = PermuteOp::create(builder, permute.getLoc(), right, permutation);
  right = insertDimension(builder, loc, right, rank - 2);
  Value left = insertDimension(builder, loc, product.getLhs(), rank - 1);
  // The right side has all dimensions but that of the rows.
  SmallVector<int64_t> shape(getShape(right));
  shape[rank - 2] = getShape(left)[rank - 2];
  auto type = product.getType().clone(shape);
  if (right.getType() != type)
    right = BroadcastOp::create(builder, loc, type, right);
  Value products = MulOp::create(builder, loc, right, left);
  Value sums =
      ReduceOp::create(builder, loc, Combiner::Sum, products, ArrayRef(rank));
  product.replaceAllUsesWith(sums);
  product.erase();
  permute.erase();
}

/// Sums of one product each: `lhs[b, i, 0] * rhs[b, 0, j]`. A contraction would
/// take five times as long as writing 1024 x 1024 of them (AMD Zen 3).
static void replaceByProducts(MatMulOp product) {
  OpBuilder builder(product);
  auto repeat = [&](Value x) -> Value {
    return x.getType() == product.getType()
               ? x
               : BroadcastOp::create(builder, product.getLoc(),
                                     product.getType(), x);
  };
  Value products =
      MulOp::create(builder, product.getLoc(), repeat(product.getLhs()),
                    repeat(product.getRhs()));
  product.replaceAllUsesWith(products);
  product.erase();
}

/// Returns whether `product` is an outer product of vectors, and not an
/// engine's.
static bool isOuter(MatMulOp product) {
  ArrayRef<int64_t> left = getShape(product.getLhs());
  return left.size() >= 2 && left.back() == 1 &&
         product.getType().getElementType().isF32() &&
         !isa<GroupOp>(product->getParentOp());
}

namespace {
struct MatMulToReduction
    : hamkaas::impl::MatMulToReductionBase<MatMulToReduction> {
  using MatMulToReductionBase::MatMulToReductionBase;

  void runOnOperation() override {
    SmallVector<std::pair<MatMulOp, PermuteOp>> found;
    getOperation().walk([&](Block *block) {
      DenseSet<Operation *> parameterOps = findParameterOps(*block);
      for (auto product : block->getOps<MatMulOp>())
        if (PermuteOp permute = findTransposed(product, parameterOps, dotDepth))
          found.push_back({product, permute});
    });
    for (auto [product, permute] : found)
      replaceByReduction(product, permute);
    getOperation().walk([](MatMulOp product) {
      if (isOuter(product))
        replaceByProducts(product);
    });
  }
};
} // namespace
