//===- FormGroups.cpp - Gathers what will be one kernel ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Group.h"
#include "HamKaas/Dialect/HamKaas/Graph/LayoutReshapes.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "JoinConcats.h"
#include "WindowSources.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace hamkaas {
#define GEN_PASS_DEF_FORMGROUPS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

struct FormGroups : hamkaas::impl::FormGroupsBase<FormGroups> {
  using FormGroupsBase::FormGroupsBase;

  void runOnOperation() override {
    // Collected first: groups are blocks, too.
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (isa<func::FuncOp, ScanOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      formGroups(*block);
  }

private:
  /// A broadcast for each pointwise operation that reads it: the reader's
  /// kernel computes it, and reads less.
  static void repeatBroadcasts(Block &block) {
    for (auto broadcast :
         llvm::make_early_inc_range(block.getOps<BroadcastOp>()))
      for (OpOperand &use :
           llvm::make_early_inc_range(llvm::drop_begin(broadcast->getUses())))
        if (isPointwise(use.getOwner()))
          use.set(OpBuilder(broadcast).clone(*broadcast)->getResult(0));
  }

  /// Pointwise readers of a broadcast number get it as a constant, which
  /// isNumber() takes into their kernels. As an operation on constants, the
  /// broadcast would be computed when the program is loaded, and be kept.
  static void foldBroadcastNumbers(Block &block) {
    for (auto broadcast :
         llvm::make_early_inc_range(block.getOps<BroadcastOp>())) {
      DenseElementsAttr elements;
      if (!matchPattern(broadcast.getX(), m_Constant(&elements)) ||
          !elements.isSplat())
        continue;
      OpBuilder builder(broadcast);
      Value number = ConstantOp::create(
          builder, broadcast.getLoc(),
          elements.resizeSplat(cast<RankedTensorType>(broadcast.getType())));
      broadcast->getResult(0).replaceUsesWithIf(
          number, [](OpOperand &use) { return isPointwise(use.getOwner()); });
      if (broadcast->use_empty())
        broadcast.erase();
      if (number.use_empty())
        number.getDefiningOp()->erase();
    }
  }

  static bool isPointwise(Operation *op) {
    auto kernelOp = dyn_cast<KernelOpInterface>(op);
    return kernelOp && kernelOp.isPointwise();
  }

  /// From the end, so that each op meets its users' groups first.
  void formGroups(Block &block) {
    movePointwiseBeforeConcats(block);
    moveReshapesOfMovedElements(block);
    foldBroadcastNumbers(block);
    repeatBroadcasts(block);
    reshapeBeforeDequantizing(block);
    DenseSet<Operation *> parameterOps = findParameterOps(block);
    FormGroupsOptions options{computeRows,   repeatLeft, narrowProducts,
                              narrowWeights, widenKeys,  rowsAcross};
    Operation *op = block.empty() ? nullptr : &block.back();
    while (op) {
      if (KernelOpInterface last = getKernelOp(op))
        op = Group(last, parameterOps, options).create();
      op = op->getPrevNode();
    }
  }
};

} // namespace
