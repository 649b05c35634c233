//===- Contraction.cpp - Lowering of sums of products -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace hamkaas;
using utils::IteratorType;

namespace {

struct LowerMatMul
    : LinalgLoweringOpInterface::ExternalModel<LowerMatMul, MatMulOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Location loc = op->getLoc();
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
    Value zero = buildFilled(builder, loc, type, buildFloat(builder, loc, 0));
    auto generic = linalg::GenericOp::create(
        builder, loc, type, operands, zero, maps, iterators,
        [](OpBuilder &b, Location loc, ValueRange x) {
          Value product = arith::MulFOp::create(b, loc, x[0], x[1]);
          Value sum = arith::AddFOp::create(b, loc, x[2], product);
          linalg::YieldOp::create(b, loc, sum);
        });
    return generic.getResult(0);
  }
};

} // namespace

void hamkaas::registerContractionLowerings(MLIRContext *context) {
  MatMulOp::attachInterface<LowerMatMul>(*context);
}
