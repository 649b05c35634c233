//===- Winograd.cpp - Winograd's transforms to linalg -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream has linalg operations for the transforms, too. They do not serve
// here: they fix the points, at three times the error.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "CombinerBuilder.h"
#include "GenericBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace hamkaas;

using mlir::utils::IteratorType;

/// A matrix with `columns` columns as a constant.
static Value createMatrix(OpBuilder &builder, Location loc,
                          ArrayRef<double> matrix, int64_t columns) {
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(matrix.size()) / columns, columns},
      builder.getF32Type());
  SmallVector<float> elements(matrix.begin(), matrix.end());
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef(elements)));
}

namespace {
using Exprs = SmallVector<AffineExpr>;

/// Two dimensions of a result are linear combinations, by one matrix, of two of
/// an operand. The loops are six parallel ones and the two that are reduced.
struct Transform {
  ArrayRef<double> matrix;
  int64_t columns;
  /// The indices of the matrix for each dimension, of the operand and of the
  /// result.
  Exprs first, second, from, to;
};
} // namespace

static Exprs getLoops(OpBuilder &builder) {
  Exprs loops;
  for (unsigned i = 0; i < 8; ++i)
    loops.push_back(builder.getAffineDimExpr(i));
  return loops;
}

static Value buildTransform(Operation *op, OpBuilder &builder, Value x,
                            const Transform &transform) {
  SmallVector<AffineMap> maps;
  for (const Exprs &exprs :
       {transform.first, transform.second, transform.from, transform.to})
    maps.push_back(AffineMap::get(8, 0, exprs, builder.getContext()));
  SmallVector<IteratorType> iterators(6, IteratorType::parallel);
  iterators.append(2, IteratorType::reduction);
  Value coefficients =
      createMatrix(builder, op->getLoc(), transform.matrix, transform.columns);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  CombinerBuilder combiner(builder, op->getLoc(), Combiner::Sum,
                           type.getElementType());
  return combiner.build(
      type.getShape(), {coefficients, coefficients, x}, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange elements) {
        return combiner.buildProduct(
            b, combiner.buildProduct(b, elements[0], elements[1]), elements[2]);
      });
}

/// Of the tiles of images, `tile` apart. Loops: a, b, n, i, j, c, k, l.
static Value buildTiles(Operation *op, OpBuilder &builder, Value x,
                        ArrayRef<double> matrix, int64_t columns,
                        int64_t tile) {
  Exprs d = getLoops(builder);
  return buildTransform(
      op, builder, x,
      {matrix, columns, /*first=*/{d[0], d[6]}, /*second=*/{d[1], d[7]},
       /*from=*/{d[2], d[3] * tile + d[6], d[4] * tile + d[7], d[5]},
       /*to=*/{d[0], d[1], d[2], d[3], d[4], d[5]}});
}

namespace {

struct LowerWinogradInput
    : LinalgLoweringOpInterface::ExternalModel<LowerWinogradInput,
                                               WinogradInputOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    int64_t tile = cast<WinogradInputOp>(op).getTile();
    return buildTiles(op, builder, operands[0], getWinogradMatrices(tile).input,
                      /*columns=*/tile + 2, tile);
  }
};

/// Loops: n, i, j, c, p, q, a, b.
struct LowerWinogradOutput
    : LinalgLoweringOpInterface::ExternalModel<LowerWinogradOutput,
                                               WinogradOutputOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    int64_t tile = cast<WinogradOutputOp>(op).getTile();
    Exprs d = getLoops(builder);
    return buildTransform(
        op, builder, operands[0],
        {getWinogradMatrices(tile).output, tile + 2, /*first=*/{d[4], d[6]},
         /*second=*/{d[5], d[7]},
         /*from=*/{d[6], d[7], d[0], d[1], d[2], d[3]},
         /*to=*/{d[0], d[1] * tile + d[4], d[2] * tile + d[5], d[3]}});
  }
};

struct LowerWinogradGradient
    : LinalgLoweringOpInterface::ExternalModel<LowerWinogradGradient,
                                               WinogradGradientOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    int64_t tile = cast<WinogradGradientOp>(op).getTile();
    return buildTiles(op, builder, operands[0], getTransposedOutput(tile),
                      /*columns=*/tile, tile);
  }
};

} // namespace

void hamkaas::registerWinogradLowerings(MLIRContext *context) {
  WinogradInputOp::attachInterface<LowerWinogradInput>(*context);
  WinogradOutputOp::attachInterface<LowerWinogradOutput>(*context);
  WinogradGradientOp::attachInterface<LowerWinogradGradient>(*context);
}
