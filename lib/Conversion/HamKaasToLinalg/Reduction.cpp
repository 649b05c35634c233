//===- Reduction.cpp - Lowering of reductions -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "WindowOperand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hamkaas;
using utils::IteratorType;

namespace {

struct LowerReduce
    : LinalgLoweringOpInterface::ExternalModel<LowerReduce, ReduceOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto reduce = cast<ReduceOp>(op);
    int64_t rank = reduce.getX().getType().getRank();
    SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
    for (int64_t dim : reduce.getDims())
      iterators[dim] = IteratorType::reduction;
    SmallVector<AffineExpr> kept;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (iterators[dim] == IteratorType::parallel)
        kept.push_back(builder.getAffineDimExpr(dim));
    CombinerBuilder combiner(builder, op->getLoc(), reduce.getCombiner(),
                             reduce.getX().getType().getElementType());
    return combiner.build(reduce.getType().getShape(), operands,
                          {builder.getMultiDimIdentityMap(rank),
                           AffineMap::get(rank, 0, kept, builder.getContext())},
                          iterators, [&](OpBuilder &b, Location, ValueRange x) {
                            return combiner.buildContribution(b, x[0]);
                          });
  }
};

struct LowerPool : LinalgLoweringOpInterface::ExternalModel<LowerPool, PoolOp> {
  /// Loops: the dimensions of the result, then those of a window.
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto pool = cast<PoolOp>(op);
    Location loc = op->getLoc();
    MLIRContext *context = builder.getContext();
    unsigned rank = pool.getType().getRank(), taps = rank - 2;
    unsigned loops = rank + taps;
    WindowOperand x{operands[0],
                    pool.getStrides(),
                    pool.getDilations(),
                    pool.getPadLow(),
                    pool.getPadHigh(),
                    rank,
                    builder.getAffineDimExpr(rank - 1)};
    Type element = pool.getX().getType().getElementType();
    CombinerBuilder combiner(builder, loc, pool.getCombiner(), element);
    SmallVector<Value> read{x.buildPadded(builder, loc, combiner.getNeutral())};
    SmallVector<AffineMap> maps{x.getMap(loops)};
    // Nobody reads it: it says how often the loops over a window run.
    read.push_back(tensor::EmptyOp::create(builder, loc, pool.getWindow(),
                                           getStorageElementType(element)));
    maps.push_back(AffineMap::getMultiDimMapWithTargets(
        loops, llvm::to_vector(llvm::seq<unsigned>(rank, loops)), context));
    maps.push_back(AffineMap::getMultiDimMapWithTargets(
        loops, llvm::to_vector(llvm::seq<unsigned>(0, rank)), context));
    SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
    iterators.append(taps, IteratorType::reduction);

    return combiner.build(pool.getType().getShape(), read, maps, iterators,
                          [&](OpBuilder &b, Location, ValueRange arguments) {
                            return combiner.buildContribution(
                                b, arguments.front());
                          });
  }
};

} // namespace

void hamkaas::registerReductionLowerings(MLIRContext *context) {
  PoolOp::attachInterface<LowerPool>(*context);
  ReduceOp::attachInterface<LowerReduce>(*context);
}
