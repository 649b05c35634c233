//===- Attention.cpp - Lowering of attention ------------------ -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombinerBuilder.h"
#include "GenericBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hamkaas;
using utils::IteratorType;

/// Sums of products over the last of four loops; the first three index the
/// result of `shape`.
static Value buildProducts(OpBuilder &builder, Location loc,
                           ArrayRef<int64_t> shape, Value lhs, Value rhs,
                           ArrayRef<unsigned> lhsLoops,
                           ArrayRef<unsigned> rhsLoops) {
  SmallVector<AffineMap> maps;
  const unsigned resultLoops[] = {0, 1, 2};
  for (ArrayRef<unsigned> loops : {lhsLoops, rhsLoops, ArrayRef(resultLoops)}) {
    SmallVector<AffineExpr> exprs;
    for (unsigned loop : loops)
      exprs.push_back(builder.getAffineDimExpr(loop));
    maps.push_back(AffineMap::get(4, 0, exprs, builder.getContext()));
  }
  SmallVector<IteratorType> iterators(4, IteratorType::parallel);
  iterators.back() = IteratorType::reduction;
  CombinerBuilder combiner(builder, loc, Combiner::Sum, builder.getF32Type());
  return combiner.build(shape, {lhs, rhs}, maps, iterators,
                        [&](OpBuilder &b, Location, ValueRange x) {
                          return combiner.buildProduct(b, x[0], x[1]);
                        });
}

namespace {

struct LowerAttention
    : LinalgLoweringOpInterface::ExternalModel<LowerAttention, AttentionOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto attention = cast<AttentionOp>(op);
    Location loc = op->getLoc();
    Value q = operands[0], k = operands[1], v = operands[2];
    ArrayRef<int64_t> result = attention.getType().getShape();
    auto type = RankedTensorType::get(
        {result[0], result[1], attention.getK().getType().getDimSize(1)},
        builder.getF32Type());
    Value scores =
        buildProducts(builder, loc, type.getShape(), q, k,
                      /*lhsLoops=*/{0, 1, 3}, /*rhsLoops=*/{0, 2, 3});
    scores = buildScaled(attention, builder, operands, scores);
    if (attention.getMask())
      scores = buildMasked(attention, builder, operands[3], scores);
    Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                          type.getElementType());
    Value weights = linalg::SoftmaxOp::create(builder, loc, TypeRange(type),
                                              scores, empty, /*dimension=*/2)
                        .getResult()
                        .front();
    return buildProducts(builder, loc, result, weights, v,
                         /*lhsLoops=*/{0, 1, 3}, /*rhsLoops=*/{0, 3, 2});
  }

private:
  static Value buildScaled(AttentionOp op, OpBuilder &builder,
                           ValueRange operands, Value scores) {
    auto type = cast<RankedTensorType>(scores.getType());
    SmallVector<Value> read{scores};
    SmallVector<AffineMap> maps{builder.getMultiDimIdentityMap(3)};
    if (op.getBias()) {
      read.push_back(operands.back());
      maps.push_back(getBroadcastMap(op.getBias().getType(), type));
    }
    float scale = op.getScale().convertToFloat();
    return buildParallel(
        builder, op.getLoc(), type, read, maps,
        [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
          Value score = x[0];
          if (scale != 1)
            score =
                arith::MulFOp::create(b, loc, score, buildFloat(b, loc, scale));
          return !op.getBias() ? score
                               : arith::AddFOp::create(b, loc, score, x[1]);
        });
  }

  static Value buildMasked(AttentionOp op, OpBuilder &builder, Value mask,
                           Value scores) {
    auto type = cast<RankedTensorType>(scores.getType());
    return buildParallel(
        builder, op.getLoc(), type, {mask, scores},
        {getBroadcastMap(op.getMask().getType(), type),
         builder.getMultiDimIdentityMap(3)},
        [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
          Value isMasked = decode(b, loc, x[0], b.getI1Type());
          Value score =
              buildFloat(b, loc, op.getMaskedScore().convertToFloat());
          return arith::SelectOp::create(b, loc, isMasked, score, x[1]);
        });
  }
};

} // namespace

void hamkaas::registerAttentionLowerings(MLIRContext *context) {
  AttentionOp::attachInterface<LowerAttention>(*context);
}
