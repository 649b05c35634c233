//===- Pool.cpp - Reductions of windows -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "Window.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult PoolOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Combiner combiner = adaptor.getCombiner();
  if (combiner != Combiner::Max && combiner != Combiner::Sum) // C1.
    return emitOptionalError(loc, "expected to combine by max or sum, got ",
                             stringifyCombiner(combiner));
  auto x = cast<ShapedType>(adaptor.getX().getType());
  SmallVector<int64_t> shape;
  Windows windows{adaptor.getWindow(), adaptor.getStrides(),
                  adaptor.getDilations(), adaptor.getPadLow(),
                  adaptor.getPadHigh()};
  if (failed(countWindows(loc, x, windows, shape))) // C2, C3, C4.
    return failure();
  shape.insert(shape.begin(), x.getShape().front());
  shape.push_back(x.getShape().back());
  types.push_back(x.clone(shape));
  return success();
}

int64_t PoolOp::getFlops() {
  int64_t flops = getElementCount(getType());
  for (int64_t size : getWindow())
    flops = multiplyCounts(flops, size);
  return flops;
}
