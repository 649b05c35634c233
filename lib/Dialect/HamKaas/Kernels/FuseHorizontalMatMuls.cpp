//===- FuseHorizontalMatMuls.cpp - One row by several matrices --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace hamkaas {
#define GEN_PASS_DEF_FUSEHORIZONTALMATMULS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// The products of one row with a matrix each.
using Products = SmallVector<MatMulOp>;

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The parameters that several entry functions read: joined for one of them,
/// they would be packed again for the others.
static llvm::StringSet<> findSharedParameters(ModuleOp module) {
  llvm::StringMap<func::FuncOp> readers;
  llvm::StringSet<> shared;
  for (auto function : module.getOps<func::FuncOp>())
    for (auto load : function.getOps<ml_program::GlobalLoadConstOp>()) {
      StringRef name = load.getGlobal().getRootReference();
      if (readers.try_emplace(name, function).first->second != function)
        shared.insert(name);
    }
  return shared;
}

static bool dependsOn(Value value, const llvm::StringSet<> &parameters) {
  if (parameters.empty())
    return false;
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  (void)getBackwardSlice(value, &slice, options);
  return llvm::any_of(slice, [&](Operation *op) {
    auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op);
    return load && parameters.contains(load.getGlobal().getRootReference());
  });
}

/// Returns whether it multiplies one row and a matrix of parameters.
static bool isMergeable(MatMulOp product,
                        const DenseSet<Operation *> &parameterOps,
                        const llvm::StringSet<> &shared) {
  auto isOne = [](int64_t size) { return size == 1; };
  Operation *right = product.getRhs().getDefiningOp();
  return right && parameterOps.contains(right) &&
         !parameterOps.contains(product) &&
         llvm::all_of(getShape(product.getLhs()).drop_back(), isOne) &&
         llvm::all_of(getShape(product.getRhs()).drop_back(2), isOne) &&
         !dependsOn(product.getRhs(), shared);
}

/// The matmuls of `block` by their row and knobs, in order; only rows of
/// several matrices without other users, because a matrix is packed once.
static SmallVector<Products> findProducts(Block &block,
                                          const llvm::StringSet<> &shared) {
  DenseSet<Operation *> parameterOps = findParameterOps(block);
  llvm::MapVector<std::pair<Value, Attribute>, Products> byRow;
  for (auto product : block.getOps<MatMulOp>())
    if (isMergeable(product, parameterOps, shared) &&
        product.getRhs().hasOneUse())
      byRow[{product.getLhs(), getKnobs(product)}].push_back(product);
  SmallVector<Products> found;
  for (auto &[row, products] : byRow)
    if (products.size() > 1)
      found.push_back(std::move(products));
  return found;
}

/// The operands of casts whose results `matrices` are, if these operands have
/// one type of elements; else none.
static SmallVector<Value> findNarrow(ArrayRef<Value> matrices) {
  SmallVector<Value> narrow;
  for (Value matrix : matrices) {
    auto cast = matrix.getDefiningOp<CastOp>();
    if (!cast || (!narrow.empty() && getElementTypeOrSelf(cast.getX()) !=
                                         getElementTypeOrSelf(narrow.front())))
      return {};
    narrow.push_back(cast.getX());
  }
  return narrow;
}

/// Concatenates `matrices`. If all are transposed, concatenates before the
/// permute, because packing reads transposed matrices in place; and before
/// casts, which products compute.
static Value joinMatrices(OpBuilder &builder, Location loc,
                          ArrayRef<Value> matrices) {
  if (SmallVector<Value> narrow = findNarrow(matrices); !narrow.empty()) {
    Value joined = joinMatrices(builder, loc, narrow);
    auto type = cast<RankedTensorType>(joined.getType());
    return CastOp::create(builder, loc,
                          type.clone(getElementTypeOrSelf(matrices.front())),
                          joined);
  }
  SmallVector<Value> sources;
  ArrayRef<int64_t> permutation;
  for (Value matrix : matrices) {
    auto permute = matrix.getDefiningOp<PermuteOp>();
    if (!permute ||
        (!sources.empty() && permute.getPermutation() != permutation))
      continue;
    permutation = permute.getPermutation();
    sources.push_back(permute.getX());
  }
  int64_t dim = getShape(matrices.front()).size() - 1;
  if (sources.size() != matrices.size())
    return ConcatOp::create(builder, loc, matrices, dim);
  Value joined = ConcatOp::create(builder, loc, sources, permutation[dim]);
  return PermuteOp::create(builder, loc, joined, permutation);
}

/// One matmul that replaces `products`, which become slices of its row. It
/// takes the place of the first one; the definitions of the matrices move
/// before it.
static LogicalResult merge(IRRewriter &rewriter, ArrayRef<MatMulOp> products) {
  MatMulOp first = products.front();
  DominanceInfo dominance;
  for (MatMulOp product : products.drop_front())
    if (Operation *right = product.getRhs().getDefiningOp();
        !right->isBeforeInBlock(first)) {
      if (failed(moveOperationDependencies(rewriter, right, first, dominance)))
        return product.emitError(
            "expected a right side that can be computed before the first "
            "product of the same row");
      rewriter.moveOpBefore(right, first);
    }

  SmallVector<Location> locations;
  for (MatMulOp product : products)
    locations.push_back(product.getLoc());
  Location loc = rewriter.getFusedLoc(locations);
  rewriter.setInsertionPoint(first);
  Value matrix = joinMatrices(
      rewriter, loc, llvm::map_to_vector(products, [](MatMulOp product) {
        return Value(product.getRhs());
      }));
  auto joined = MatMulOp::create(rewriter, loc, first.getLhs(), matrix);
  setKnobs(joined, getKnobs(first));
  Value row = joined;
  auto type = cast<RankedTensorType>(row.getType());
  row = ReshapeOp::create(rewriter, loc, type.clone({type.getNumElements()}),
                          row);
  int64_t begin = 0;
  for (MatMulOp product : products) {
    int64_t end = begin + product.getType().getNumElements();
    Value part = SliceOp::create(rewriter, product.getLoc(), row, begin, end);
    rewriter.replaceOpWithNewOp<ReshapeOp>(product, product.getType(), part);
    begin = end;
  }
  return success();
}

namespace {
struct FuseHorizontalMatMuls
    : hamkaas::impl::FuseHorizontalMatMulsBase<FuseHorizontalMatMuls> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    llvm::StringSet<> shared = findSharedParameters(getOperation());
    WalkResult result = getOperation().walk([&](Block *block) {
      for (const Products &products : findProducts(*block, shared))
        if (failed(merge(rewriter, products)))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
