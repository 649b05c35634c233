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

namespace {
using Exprs = SmallVector<AffineExpr>;

/// A matrix by rows of as many columns.
struct Matrix {
  ArrayRef<double> elements;
  int64_t columns;
};

/// Two dimensions of a result are linear combinations, by a matrix each, of two
/// of an operand. The loops are parallel ones and the last two, which are
/// reduced.
struct Transform {
  std::array<Matrix, 2> matrices;
  /// The indices of the matrix for each dimension, of the operand and of the
  /// result.
  Exprs first, second, from, to;
  unsigned loops;
};
} // namespace

static Value createMatrix(OpBuilder &builder, Location loc, Matrix matrix,
                          Type elementType) {
  SmallVector<Attribute> elements;
  for (double element : matrix.elements)
    elements.push_back(
        isa<FloatType>(elementType)
            ? Attribute(builder.getFloatAttr(elementType, element))
            : builder.getIntegerAttr(elementType, int64_t(element)));
  auto type = RankedTensorType::get(
      {static_cast<int64_t>(matrix.elements.size()) / matrix.columns,
       matrix.columns},
      elementType);
  return arith::ConstantOp::create(builder, loc,
                                   DenseElementsAttr::get(type, elements));
}

static Exprs getLoops(OpBuilder &builder, unsigned count) {
  Exprs loops;
  for (unsigned i = 0; i < count; ++i)
    loops.push_back(builder.getAffineDimExpr(i));
  return loops;
}

static Value buildTransform(Operation *op, OpBuilder &builder, Value x,
                            const Transform &transform) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  unsigned loops = transform.loops;
  SmallVector<AffineMap> maps;
  for (const Exprs &exprs :
       {transform.first, transform.second, transform.from, transform.to})
    maps.push_back(AffineMap::get(loops, 0, exprs, builder.getContext()));
  SmallVector<IteratorType> iterators(loops - 2, IteratorType::parallel);
  iterators.append(2, IteratorType::reduction);
  auto [rows, columns] = transform.matrices;
  auto create = [&](Matrix matrix) {
    return createMatrix(builder, op->getLoc(), matrix, type.getElementType());
  };
  Value first = create(rows);
  SmallVector<Value> operands{
      first, rows.elements == columns.elements ? first : create(columns), x};
  CombinerBuilder combiner(builder, op->getLoc(), Combiner::Sum,
                           type.getElementType());
  return combiner.build(
      type.getShape(), operands, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange elements) {
        return combiner.buildProduct(
            b, combiner.buildProduct(b, elements[0], elements[1]), elements[2]);
      });
}

/// Of the tiles of images, as far apart as `tiles` says. Loops: a, b, n, i, j,
/// c, k, l, and groups before n where the result has them.
static Value buildTiles(Operation *op, OpBuilder &builder, Value x,
                        std::array<Matrix, 2> matrices,
                        std::array<int64_t, 2> tiles) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op->getResult(0).getType()).getShape();
  Exprs d = getLoops(builder, shape.size() + 2);
  AffineExpr k = d[shape.size()], l = d[shape.size() + 1];
  ArrayRef<AffineExpr> to = ArrayRef(d).drop_back(2), image = to.take_back(4);
  AffineExpr channel = image[3];
  if (shape.size() == 7)
    channel = d[2] * shape.back() + channel;
  return buildTransform(
      op, builder, x,
      {matrices,
       /*first=*/{d[0], k},
       /*second=*/{d[1], l},
       /*from=*/
       {image[0], image[1] * tiles[0] + k, image[2] * tiles[1] + l, channel},
       Exprs(to),
       unsigned(d.size())});
}

namespace {

struct LowerWinogradInput
    : LinalgLoweringOpInterface::ExternalModel<LowerWinogradInput,
                                               WinogradInputOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    // Those of integers are the same.
    auto [rows, columns] = cast<WinogradInputOp>(op).getSides();
    WinogradMatrices first = getWinogradMatrices(rows),
                     second = getWinogradMatrices(columns);
    return buildTiles(op, builder, operands[0],
                      {Matrix{first.input, rows.size()},
                       Matrix{second.input, columns.size()}},
                      {rows.tile, columns.tile});
  }
};

/// The numbers whose multiples the integers `sums` are.
static Value divideSums(OpBuilder &builder, Location loc, Value sums,
                        int64_t tile) {
  auto type = cast<RankedTensorType>(sums.getType());
  const IntegerWinograd &method = getIntegerWinograd(tile);
  return buildParallel(
      builder, loc, type, sums, builder.getMultiDimIdentityMap(type.getRank()),
      [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
        Value multiple = arith::MulIOp::create(
            b, loc, x[0],
            arith::ConstantIntOp::create(b, loc, b.getI32Type(),
                                         int32_t(method.inverse)));
        return arith::ShRSIOp::create(
            b, loc, multiple,
            arith::ConstantIntOp::create(b, loc, b.getI32Type(), method.shift));
      });
}

/// Loops: n, row, column, c, a, b, and groups before c where `x` has them.
struct LowerWinogradOutput
    : LinalgLoweringOpInterface::ExternalModel<LowerWinogradOutput,
                                               WinogradOutputOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto [rows, columns] = cast<WinogradOutputOp>(op).getSides();
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    bool isFloat = type.getElementType().isF32();
    auto getMatrices = [&](WinogradSide side) {
      return isFloat ? getWinogradMatrices(side)
                     : getIntegerWinograd(side.tile).getMatrices();
    };
    WinogradMatrices first = getMatrices(rows), second = getMatrices(columns);
    bool hasGroups = cast<WinogradOutputOp>(op).hasGroups();
    Exprs d = getLoops(builder, hasGroups ? 7 : 6);
    AffineExpr b = d.pop_back_val(), a = d.pop_back_val(), channel = d.back();
    Exprs from{a, b};
    if (hasGroups) {
      from.push_back(d[3]);
      channel =
          d[3] *
              cast<RankedTensorType>(operands[0].getType()).getShape().back() +
          channel;
    }
    from.append({d[0], d[1].floorDiv(rows.tile), d[2].floorDiv(columns.tile),
                 d.back()});
    Value sums = buildTransform(op, builder, operands[0],
                                {{Matrix{first.output, rows.size()},
                                  Matrix{second.output, columns.size()}},
                                 /*first=*/{d[1] % rows.tile, a},
                                 /*second=*/{d[2] % columns.tile, b},
                                 from,
                                 /*to=*/{d[0], d[1], d[2], channel},
                                 unsigned(d.size()) + 2});
    return isFloat ? sums : divideSums(builder, op->getLoc(), sums, rows.tile);
  }
};

struct LowerWinogradGradient
    : LinalgLoweringOpInterface::ExternalModel<LowerWinogradGradient,
                                               WinogradGradientOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    int64_t tile = cast<WinogradGradientOp>(op).getTile();
    SmallVector<double> elements = getTransposedOutput(tile);
    Matrix matrix{elements, /*columns=*/tile};
    return buildTiles(op, builder, operands[0], {matrix, matrix}, {tile, tile});
  }
};

} // namespace

void hamkaas::registerWinogradLowerings(MLIRContext *context) {
  WinogradInputOp::attachInterface<LowerWinogradInput>(*context);
  WinogradOutputOp::attachInterface<LowerWinogradOutput>(*context);
  WinogradGradientOp::attachInterface<LowerWinogradGradient>(*context);
}
