//===- RoundFactors.cpp - Factors as bfloat16 in memory ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockTile.h"
#include "DeviceContraction.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/CodeGen/Kernel/DescribeTarget.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace hamkaas {
#define GEN_PASS_DEF_ROUNDFACTORS
#include "HamKaas/CodeGen/GPU/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// A factor that is known only at run time is worth a kernel of its own, of
/// about 2 us, if it has so many elements and each is in so many products.
static constexpr int64_t minElements = 1 << 18, minProducts = 1024;

/// `value` with its elements converted by an `OpTy`.
template <typename OpTy>
static Value convert(OpBuilder &builder, Location loc, Value value,
                     Type element) {
  auto type = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  auto map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), value, empty, ArrayRef{map, map},
             loops,
             [&](OpBuilder &body, Location loc, ValueRange arguments) {
               Value converted =
                   OpTy::create(body, loc, element, arguments.front());
               linalg::YieldOp::create(body, loc, converted);
             })
      .getResult(0);
}

namespace {
struct RoundFactorsPass : hamkaas::impl::RoundFactorsBase<RoundFactorsPass> {
  void runOnOperation() override {
    FailureOr<TargetDescription> described = describeTarget(getOperation());
    if (failed(described))
      return signalPassFailure();
    if (described->precision != Precision::BF16)
      return;
    target = *described;
    getOperation().walk(
        [&](Block *block) { movable.insert_range(findMovableOps(*block)); });
    SmallVector<GroupOp> groups;
    getOperation().walk([&](GroupOp group) {
      if (group.getFamily() == KernelFamily::Contraction &&
          !group->hasAttr(HamKaasDialect::matmulAttrName) &&
          !movable.contains(group))
        groups.push_back(group);
    });
    for (GroupOp group : groups)
      visit(group);
  }

private:
  void visit(GroupOp group) {
    for (auto root : group.getBody().getOps<linalg::GenericOp>()) {
      if (!root.hasPureTensorSemantics() || root.getNumResults() != 1 ||
          llvm::any_of(root.getStaticLoopRanges(), ShapedType::isDynamic))
        continue;
      StringRef reason;
      FailureOr<ContractionLoops> loops = ContractionLoops::match(root, reason);
      if (failed(loops))
        continue;
      if (isRead(root, *loops) &&
          llvm::all_of(
              root->getOpOperands().take_front(2),
              [&](OpOperand &factor) { return pays(group, factor, *loops); }))
        for (OpOperand &factor : root->getOpOperands().take_front(2))
          round(group, root, factor);
      return;
    }
  }

  /// Returns whether TensorCoreGemm reads both factors, also as bfloat16: 16
  /// bytes at a time.
  bool isRead(linalg::GenericOp root, const ContractionLoops &loops) const {
    auto left = OperandLayout::match(root, root->getOpOperand(0), -1);
    auto right =
        OperandLayout::match(root, root->getOpOperand(1), loops.column);
    if (!left || !right || left->isBF16 || right->isBF16 || left->panelWidth ||
        right->panelWidth ||
        !root.getDpsInits().front().getDefiningOp<linalg::FillOp>())
      return false;
    left->isBF16 = right->isBF16 = true;
    return left->factors[loops.depth] == 1 &&
           right->factors[loops.column] == 1 && right->isOneDepth(loops) &&
           left->isAligned(loops, loops.depth) &&
           right->isAligned(loops, loops.column) &&
           chooseBlockTile(CostModel(*target), loops.count(loops.batch),
                           loops.count(loops.shared) * loops.rowCount(),
                           loops.columnCount(), loops.productCount());
  }

  Value getGiven(GroupOp group, OpOperand &factor) const {
    auto argument = cast<BlockArgument>(factor.get());
    return group.getInputs()[argument.getArgNumber()];
  }

  bool pays(GroupOp group, OpOperand &factor,
            const ContractionLoops &loops) const {
    auto argument = cast<BlockArgument>(factor.get());
    if (argument.getArgNumber() >= group.getInputs().size() ||
        !argument.hasOneUse())
      return false;
    if (movable.contains(getGiven(group, factor).getDefiningOp()))
      return true;
    int64_t elements =
        cast<RankedTensorType>(argument.getType()).getNumElements();
    int64_t products = loops.outerCount() * loops.rowCount() *
                       loops.columnCount() * loops.productCount();
    return elements >= minElements && products / elements >= minProducts;
  }

  void round(GroupOp group, linalg::GenericOp root, OpOperand &factor) {
    auto argument = cast<BlockArgument>(factor.get());
    Value rounded = getRounded(group, getGiven(group, factor));
    group->setOperand(argument.getArgNumber(), rounded);
    argument.setType(rounded.getType());
    OpBuilder builder(root);
    factor.set(convert<arith::ExtFOp>(builder, group.getLoc(), argument,
                                      builder.getF32Type()));
  }

  /// `value` as bfloat16, by a group for all contractions that read it.
  Value getRounded(GroupOp user, Value value) {
    Value &rounded = roundedValues[value];
    if (rounded)
      return rounded;
    OpBuilder builder(user.getContext());
    builder.setInsertionPointAfterValue(value);
    Location loc = user.getLoc();
    Type element = builder.getBF16Type();
    auto type = cast<RankedTensorType>(value.getType());
    auto group = GroupOp::create(
        builder, loc, type.clone(element), value,
        KernelFamilyAttr::get(builder.getContext(), KernelFamily::Elementwise),
        /*updated=*/nullptr);
    group->setAttr(HamKaasDialect::opsAttrName, builder.getStringAttr("round"));
    Block &body = group.getBody().emplaceBlock();
    Value argument = body.addArgument(type, loc);
    builder.setInsertionPointToStart(&body);
    YieldOp::create(builder, loc,
                    convert<arith::TruncFOp>(builder, loc, argument, element));
    return rounded = group.getResult(0);
  }

  std::optional<TargetDescription> target;
  /// Operations that may run when the program is loaded.
  DenseSet<Operation *> movable;
  llvm::DenseMap<Value, Value> roundedValues;
};
} // namespace
