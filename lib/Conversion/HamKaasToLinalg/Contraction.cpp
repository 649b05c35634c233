//===- Contraction.cpp - Lowering of sums of products -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "WindowOperand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hamkaas;
using utils::IteratorType;

namespace {

struct LowerMatMul
    : LinalgLoweringOpInterface::ExternalModel<LowerMatMul, MatMulOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    // Iterators: the dimensions of the result, then k.
    int64_t rank = type.getRank();
    SmallVector<AffineExpr> result, lhs, rhs;
    for (int64_t i = 0; i < rank; ++i)
      result.push_back(builder.getAffineDimExpr(i));
    AffineExpr k = builder.getAffineDimExpr(rank);
    lhs = result;
    lhs.back() = k;
    rhs = {k, result.back()};
    if (rank == 3)
      rhs.insert(rhs.begin(), result.front());

    SmallVector<AffineMap> maps;
    for (ArrayRef<AffineExpr> exprs : {lhs, rhs, result})
      maps.push_back(AffineMap::get(rank + 1, 0, exprs, builder.getContext()));
    SmallVector<IteratorType> iterators(rank + 1, IteratorType::parallel);
    iterators.back() = IteratorType::reduction;
    CombinerBuilder combiner(builder, op->getLoc(), Combiner::Sum,
                             type.getElementType());
    return combiner.build(type.getShape(), operands, maps, iterators,
                          [&](OpBuilder &b, Location, ValueRange x) {
                            return combiner.buildProduct(
                                b, combiner.buildContribution(b, x[0]),
                                combiner.buildContribution(b, x[1]));
                          });
  }
};

/// The tensor `[g, n, ..., c]` of which `x`, `[n, ..., g * c]`, is a permute
/// and a reshape within the same kernel; null if it is none.
static Value findGroups(Value x) {
  auto merged = x.getDefiningOp<tensor::CollapseShapeOp>();
  auto moved =
      merged ? merged.getSrc().getDefiningOp<linalg::GenericOp>() : nullptr;
  return moved ? moved.getDpsInputs().front() : Value();
}

/// Loops of a convolution: the first dimension and the windows, the channels of
/// the result (their group and the channel within it, if there are several of
/// both), the elements of a window, and the channels of `x` in a group, if
/// there are several.
class ConvBuilder {
public:
  ConvBuilder(ConvOp op, OpBuilder &builder, ValueRange operands)
      : op(op), builder(builder), loc(op.getLoc()), operands(operands),
        type(op.getType()), spatialRank(type.getRank() - 2) {
    ArrayRef<int64_t> weights = op.getW().getType().getShape();
    fromChannels = weights[spatialRank];
    toChannels = weights.back() / op.getGroups();
    bool isDepthwise = fromChannels == 1 && toChannels == 1;
    hasGroups = op.getGroups() > 1 && !isDepthwise;
    hasDepth = op.getGroups() == 1 || fromChannels > 1;
    firstTap = spatialRank + (hasGroups ? 3 : 2);
    loops = firstTap + spatialRank + (hasDepth ? 1 : 0);
  }

  Value build() {
    WindowOperand x{operands[0],       op.getStrides(), op.getDilations(),
                    op.getPadLow(),    op.getPadHigh(), firstTap,
                    getSourceChannel()};
    CombinerBuilder combiner(builder, loc, Combiner::Sum,
                             type.getElementType());
    Value groups = hasGroups ? findGroups(operands[0]) : Value();
    SmallVector<Value> read{
        groups ? groups : x.buildPadded(builder, loc, combiner.getNeutral()),
        operands[1]};
    SmallVector<AffineMap> maps{groups ? moveGroups(x.getMap(loops))
                                       : x.getMap(loops),
                                getWeightsMap()};
    if (hasGroups)
      addGroupShape(read, maps);
    maps.push_back(getResultMap());
    SmallVector<IteratorType> iterators(firstTap, IteratorType::parallel);
    iterators.resize(loops, IteratorType::reduction);

    Value result =
        combiner.build(type.getShape(), read, maps, iterators,
                       [&](OpBuilder &b, Location, ValueRange arguments) {
                         return combiner.buildProduct(
                             b, combiner.buildContribution(b, arguments[0]),
                             combiner.buildContribution(b, arguments[1]));
                       });
    if (Attribute zeros = op->getAttr(zeroRowsAttrName))
      result.getDefiningOp()->setAttr(zeroRowsAttrName, zeros);
    return result;
  }

private:
  AffineExpr dim(unsigned loop) { return builder.getAffineDimExpr(loop); }

  /// The channel of the result: group * channels of a group + channel.
  AffineExpr getResultChannel() {
    AffineExpr first = dim(spatialRank + 1);
    return hasGroups ? first * toChannels + dim(spatialRank + 2) : first;
  }

  AffineExpr getSourceChannel() {
    if (!hasDepth)
      return dim(spatialRank + 1);
    AffineExpr depth = dim(loops - 1);
    return hasGroups ? dim(spatialRank + 1) * fromChannels + depth : depth;
  }

  AffineMap getMap(ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(loops, 0, exprs, builder.getContext());
  }

  /// The group of the last of `results` is the first dimension.
  AffineMap moveGroups(AffineMap map) {
    SmallVector<AffineExpr> exprs{dim(spatialRank + 1)};
    llvm::append_range(exprs, map.getResults().drop_back());
    exprs.push_back(dim(loops - 1));
    return getMap(exprs);
  }

  AffineMap getWeightsMap() {
    SmallVector<AffineExpr> exprs;
    for (int64_t i = 0; i < spatialRank; ++i)
      exprs.push_back(dim(firstTap + i));
    exprs.push_back(hasDepth ? dim(loops - 1)
                             : builder.getAffineConstantExpr(0));
    exprs.push_back(getResultChannel());
    return getMap(exprs);
  }

  AffineMap getResultMap() {
    SmallVector<AffineExpr> exprs;
    for (int64_t i = 0; i <= spatialRank; ++i)
      exprs.push_back(dim(i));
    exprs.push_back(getResultChannel());
    return getMap(exprs);
  }

  /// An operand that nobody reads: it says how often the loops over groups and
  /// their channels run, which index the others in sums only.
  void addGroupShape(SmallVectorImpl<Value> &read,
                     SmallVectorImpl<AffineMap> &maps) {
    SmallVector<int64_t> shape{static_cast<int64_t>(op.getGroups()),
                               toChannels};
    read.push_back(tensor::EmptyOp::create(
        builder, loc, shape, getElementTypeOrSelf(operands[0].getType())));
    maps.push_back(getMap({dim(spatialRank + 1), dim(spatialRank + 2)}));
  }

  ConvOp op;
  OpBuilder &builder;
  Location loc;
  ValueRange operands;
  RankedTensorType type;
  int64_t spatialRank, fromChannels, toChannels;
  bool hasGroups, hasDepth;
  unsigned firstTap, loops;
};

struct LowerConv : LinalgLoweringOpInterface::ExternalModel<LowerConv, ConvOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    return ConvBuilder(cast<ConvOp>(op), builder, operands).build();
  }
};

} // namespace

void hamkaas::registerContractionLowerings(MLIRContext *context) {
  ConvOp::attachInterface<LowerConv>(*context);
  MatMulOp::attachInterface<LowerMatMul>(*context);
}
