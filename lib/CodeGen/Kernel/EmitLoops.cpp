//===- EmitLoops.cpp - Kernels that are loops already -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "LaneLoop.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hamkaas;

/// The number of iterations of a loop from 0 in steps of 1.
static FailureOr<int64_t> getTiles(scf::ForOp loop) {
  std::optional<int64_t> tiles = getConstantIntValue(loop.getUpperBound());
  if (getConstantIntValue(loop.getLowerBound()) != 0 ||
      getConstantIntValue(loop.getStep()) != 1 || !tiles)
    return loop.emitError("expected a loop from 0 to a constant in steps of 1");
  return *tiles;
}

FailureOr<Tile> hamkaas::emitLoops(KernelBuilder &kernel, Value result) {
  auto loop = result.getDefiningOp<scf::ForOp>();
  if (!loop || loop.getNumResults() != 1)
    return emitError(kernel.loc(), "expected a loop that carries the result "
                                   "alone");
  Value initial = loop.getInitArgs().front();
  if (!initial.getDefiningOp<tensor::EmptyOp>() &&
      initial != kernel.destinationArgument())
    return loop.emitError("expected the loop to begin with the destination or "
                          "an empty tensor");
  FailureOr<int64_t> tiles = getTiles(loop);
  if (failed(tiles))
    return failure();
  // Iterations may read any element.
  for (Value argument : kernel.arguments())
    kernel.forbidAlias(argument);
  if (!kernel.target().gathers)
    if (std::optional<LaneLoop> lanes = LaneLoop::match(loop, *tiles))
      return lanes->emit(kernel);
  kernel.tileLoop(*tiles, [&](Value tile) {
    IRMapping values;
    values.map(loop.getInductionVar(), tile);
    values.map(loop.getRegionIterArg(0), kernel.destination);
    for (Operation &op : loop.getBody()->without_terminator())
      kernel.ir().clone(op, values);
    kernel.destination =
        values.lookupOrDefault(loop.getBody()->getTerminator()->getOperand(0));
  });
  return Tile{1};
}
