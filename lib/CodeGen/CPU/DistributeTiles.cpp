//===- DistributeTiles.cpp - Bounds of tile loops as arguments --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/CPU/Passes.h"

#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/FusedCalls.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

namespace hamkaas {
#define GEN_PASS_DEF_DISTRIBUTETILES
#include "HamKaas/CodeGen/CPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

static void distribute(func::FuncOp kernel) {
  Type index = IndexType::get(kernel.getContext());
  Location loc = kernel.getLoc();
  unsigned count = kernel.getNumArguments();
  (void)kernel.insertArguments({count, count}, {index, index}, {{}, {}},
                               {loc, loc});
  // The bounds are arguments of none of the calls.
  kernel->removeAttr(fusedCallsAttrName);
  // A loop of one iteration may have been simplified away.
  for (auto loop : kernel.getBody().front().getOps<scf::ForOp>()) {
    if (!loop->hasAttr(HamKaasDialect::tileLoopAttrName))
      continue;
    loop.setLowerBound(kernel.getArgument(count));
    loop.setUpperBound(kernel.getArgument(count + 1));
  }
}

static void passWholeRange(func::CallOp call, int64_t tiles) {
  OpBuilder builder(call);
  SmallVector<Value> operands(call.getOperands());
  for (int64_t bound : {int64_t(0), tiles})
    operands.push_back(
        arith::ConstantIndexOp::create(builder, call.getLoc(), bound));
  call->setOperands(operands);
}

namespace {
struct DistributeTilesPass
    : hamkaas::impl::DistributeTilesBase<DistributeTilesPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto kernel : getOperation().getOps<func::FuncOp>())
      if (!kernel.isExternal() &&
          kernel->hasAttr(HamKaasDialect::tilesAttrName))
        distribute(kernel);
    getOperation().walk([&](func::CallOp call) {
      auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
      auto tiles = kernel && !kernel.isExternal()
                       ? kernel->getAttrOfType<IntegerAttr>(
                             HamKaasDialect::tilesAttrName)
                       : IntegerAttr();
      if (tiles)
        passWholeRange(call, tiles.getInt());
    });
  }
};
} // namespace
