//===- PackQuantized.cpp - Packs weights of few bits ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "HamKaas/CodeGen/Kernel/DescribeTarget.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/Dialect/HamKaas/Graph/RowCodes.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "llvm/Support/MathExtras.h"

namespace hamkaas {
#define GEN_PASS_DEF_CPUPACKQUANTIZED
#include "HamKaas/CodeGen/Kernel/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// A product with a matrix of blocks or of codes, `n x k` as the right side of
/// the product, or transposed.
struct QuantizedProduct {
  MatMulOp product;
  Value matrix;
  bool isTransposed;

  bool isOfVector() { return product.getLhs().getType().getRank() == 1; }
  int64_t getRows() {
    return isOfVector() ? 1 : product.getLhs().getType().getDimSize(0);
  }
};

/// Panels of a matrix, as `hamkaas.dequantize_panels` reads them.
struct Panels {
  Value codes, scales, offsets, factors;
  int64_t bits, span, block, zero;
};

/// Rows as `hamkaas.dequantize_rows` reads them.
struct RoundedRows {
  Value codes, scales, sums;
};

/// Rounds the numbers of a matrix to codes of 8 bits.
class RowRounder {
public:
  RowRounder(OpBuilder &builder, Location loc, Value matrix)
      : builder(builder), loc(loc), matrix(matrix),
        rows(cast<ShapedType>(matrix.getType()).getDimSize(0)),
        columns(cast<ShapedType>(matrix.getType()).getDimSize(1)) {}

  /// Numbers that have one scale.
  static constexpr int64_t block = 32;

  /// Returns whether each block of the other side has a scale for each of its
  /// parts, or the other way round.
  static bool fits(int64_t otherBlock, int64_t depth) {
    return depth % block == 0 &&
           (otherBlock % block == 0 || block % otherBlock == 0);
  }

  RoundedRows round(int64_t step) {
    int64_t blocks = columns / block;
    Value x = reshape(matrix, {rows, blocks, block});
    Value largest =
        ReduceOp::create(builder, loc, Combiner::Max,
                         AbsOp::create(builder, loc, x), ArrayRef<int64_t>{2});
    largest = reshape(largest, {rows, blocks, 1});
    // Only zeros have a smaller one.
    Value positive = MaxOp::create(builder, loc, largest, number(0x1p-100f));
    Value factor = DivOp::create(
        builder, loc,
        BroadcastOp::create(builder, loc, positive.getType(), number(127)),
        positive);
    Value codes = cast(
        RoundOp::create(builder, loc, MulOp::create(builder, loc, x, factor)),
        builder.getI8Type());
    Value scales = MulOp::create(builder, loc, largest, number(1 / 127.0f));
    Value sums =
        ReduceOp::create(builder, loc, Combiner::Sum,
                         cast(reshape(codes, {rows, columns / step, step}),
                              builder.getI32Type()),
                         ArrayRef<int64_t>{2});
    return {reshape(codes, {rows, columns}), reshape(scales, {rows, blocks}),
            sums};
  }

private:
  Value reshape(Value x, ArrayRef<int64_t> shape) {
    auto type = mlir::cast<RankedTensorType>(x.getType()).clone(shape);
    return ReshapeOp::create(builder, loc, type, x);
  }

  Value cast(Value x, Type element) {
    auto type = mlir::cast<RankedTensorType>(x.getType());
    return CastOp::create(builder, loc, type.clone(element), x);
  }

  Value number(float value) {
    auto type = RankedTensorType::get({1, 1, 1}, builder.getF32Type());
    return ConstantOp::create(builder, loc,
                              DenseElementsAttr::get(type, value));
  }

  OpBuilder &builder;
  Location loc;
  Value matrix;
  int64_t rows, columns;
};

/// Lanes of the narrowest instruction for products of integers.
constexpr int64_t leastWidth = 4;

struct CPUPackQuantized
    : hamkaas::impl::CPUPackQuantizedBase<CPUPackQuantized> {
  using CPUPackQuantizedBase::CPUPackQuantizedBase;

  void runOnOperation() override {
    FailureOr<TargetDescription> described = describeTarget(getOperation());
    if (failed(described))
      return signalPassFailure();
    target = *described;
    SmallVector<QuantizedProduct> products = findProducts();
    // All functions of a program read a matrix in one layout.
    llvm::DenseMap<Type, int64_t> rows;
    for (QuantizedProduct found : products) {
      int64_t &most = rows[found.matrix.getType()];
      most = std::max(most, found.getRows());
    }
    for (QuantizedProduct found : products)
      replace(found, rows.at(found.matrix.getType()));
    // Nothing else reads most matrices.
    for (QuantizedProduct found : products)
      for (Operation *user :
           llvm::make_early_inc_range(found.matrix.getUsers()))
        if (isOpTriviallyDead(user))
          user->erase();
  }

private:
  SmallVector<QuantizedProduct> findProducts() {
    SmallVector<QuantizedProduct> products;
    getOperation().walk([&](Block *block) {
      DenseSet<Operation *> parameterOps = findParameterOps(*block);
      for (auto product : block->getOps<MatMulOp>()) {
        Operation *right = product.getRhs().getDefiningOp();
        if (!right || !parameterOps.contains(right) ||
            product.getRhs().getType().getRank() != 2)
          continue;
        QuantizedProduct found{product, product.getRhs(), true};
        if (auto permute = dyn_cast<PermuteOp>(right);
            permute && permute.getPermutation() == ArrayRef<int64_t>{1, 0})
          found = {product, permute.getX(), false};
        if (isOfCodes(found))
          products.push_back(found);
      }
    });
    return products;
  }

  static bool isOfCodes(QuantizedProduct found) {
    if (found.matrix.getDefiningOp<DequantizeBlocksOp>())
      return !found.isTransposed;
    // Such products are of integers (hamkaas-multiply-integers).
    return !isDequantized(found.product.getLhs()) &&
           matchRowCodes(found.matrix, found.isTransposed);
  }

  /// Returns whether `x` is bytes of a run, moved, shifted and scaled.
  static bool isDequantized(Value x) {
    while (Operation *op = x.getDefiningOp()) {
      if (auto cast = dyn_cast<CastOp>(op))
        return cast.getX().getType().getElementType().isInteger(8);
      if (!isa<ReshapeOp, PermuteOp, SubOp, MulOp>(op))
        return false;
      x = op->getOperand(0);
    }
    return false;
  }

  static BlockCodes split(OpBuilder &builder, const QuantizedProduct &found) {
    if (auto blocks = found.matrix.getDefiningOp<DequantizeBlocksOp>())
      return splitBlocks(builder, blocks);
    return splitRowCodes(builder, found.matrix.getLoc(),
                         *matchRowCodes(found.matrix, found.isTransposed));
  }

  void replace(QuantizedProduct found, int64_t rows) {
    auto [product, matrix, isTransposed] = found;
    ArrayRef<int64_t> shape = product.getRhs().getType().getShape();
    int64_t depth = shape[0], columns = shape[1];
    int64_t width =
        std::max(leastWidth, choosePanelWidth(CostModel(*target), /*outer=*/1,
                                              rows, columns, depth));
    Panels &panels = known[{matrix, width}];
    if (!panels.codes)
      panels = pack(found, width);
    OpBuilder builder(product);
    if (integers && !found.isOfVector() &&
        RowRounder::fits(panels.block, depth))
      roundLeftSide(builder, product,
                    std::min(panels.block, RowRounder::block));
    product.getRhsMutable().assign(DequantizePanelsOp::create(
        builder, matrix.getLoc(), panels.codes, panels.scales, panels.offsets,
        panels.factors, panels.bits, panels.span, panels.block, panels.zero,
        columns));
  }

  /// Products of one left side share its codes, but for what their kernels
  /// read.
  void roundLeftSide(OpBuilder &builder, MatMulOp product, int64_t step) {
    Value matrix = product.getLhs();
    RoundedRows &rows = rounded[{matrix, step}];
    if (!rows.codes)
      rows = RowRounder(builder, product.getLoc(), matrix).round(step);
    product.getLhsMutable().assign(DequantizeRowsOp::create(
        builder, product.getLoc(), rows.codes, rows.scales, rows.sums,
        RowRounder::block, step));
  }

  static Panels pack(const QuantizedProduct &found, int64_t width) {
    Value matrix = found.matrix;
    OpBuilder builder(matrix.getDefiningOp());
    BlockCodes blocks = split(builder, found);
    auto pack = [&](Value x, ArrayRef<int64_t> inner,
                    ArrayRef<int64_t> permutation) {
      return x ? packIntoPanels(builder, matrix.getLoc(), x, width, inner,
                                permutation)
               : x;
    };
    int64_t words = cast<ShapedType>(blocks.codes.getType()).getDimSize(1) / 4;
    int64_t count = cast<ShapedType>(blocks.scales.getType()).getDimSize(1);
    SmallVector<int64_t> factors;
    if (blocks.factors)
      llvm::append_range(
          factors,
          cast<ShapedType>(blocks.factors.getType()).getShape().drop_front());
    return {pack(blocks.codes, {words, 4}, {0, 2, 1, 3}),
            pack(blocks.scales, {count}, {0, 2, 1}),
            pack(blocks.offsets, {count}, {0, 2, 1}),
            pack(blocks.factors, factors, {0, 2, 3, 1}),
            blocks.bits,
            blocks.span,
            blocks.block,
            blocks.zero};
  }

  std::optional<TargetDescription> target;
  llvm::DenseMap<std::pair<Value, int64_t>, RoundedRows> rounded;
  llvm::DenseMap<std::pair<Value, int64_t>, Panels> known;
};

} // namespace
