//===- RoundFactors.cpp - Round factors of tensor cores ---------*- C++ -*-===//
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

/// As bfloat16, a factor that is known only at run time is worth a kernel of
/// its own, of about 2 us, if it has so many elements and each is in so many
/// products.
static constexpr int64_t minElements = 1 << 18, minProducts = 1024;

/// `value` with its elements converted by `convert` to type `element`.
static Value
convertElements(OpBuilder &builder, Location loc, Value value, Type element,
                function_ref<Value(OpBuilder &, Location, Value)> convert) {
  auto type = cast<RankedTensorType>(value.getType());
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(), element);
  auto map = builder.getMultiDimIdentityMap(type.getRank());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), value, empty, ArrayRef{map, map},
             loops,
             [&](OpBuilder &body, Location loc, ValueRange arguments) {
               Value converted = convert(body, loc, arguments.front());
               linalg::YieldOp::create(body, loc, converted);
             })
      .getResult(0);
}

/// The nearest number with 10 fraction bits; of two, the larger one.
static Value roundToTF32(OpBuilder &builder, Location loc, Value number) {
  Type i32 = builder.getI32Type();
  auto constant = [&](int64_t bits) {
    return arith::ConstantIntOp::create(builder, loc, bits, 32);
  };
  Value bits = arith::BitcastOp::create(builder, loc, i32, number);
  Value sum = arith::AddIOp::create(builder, loc, bits, constant(0x1000));
  Value upper = arith::AndIOp::create(builder, loc, sum, constant(~0x1fff));
  Value rounded =
      arith::BitcastOp::create(builder, loc, number.getType(), upper);
  // The sum of a NaN may overflow.
  Value isNaN = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      number, number);
  return arith::SelectOp::create(builder, loc, isNaN, number, rounded);
}

namespace {
struct RoundFactorsPass : hamkaas::impl::RoundFactorsBase<RoundFactorsPass> {
  void runOnOperation() override {
    FailureOr<TargetDescription> described = describeTarget(getOperation());
    if (failed(described))
      return signalPassFailure();
    if (described->precision != Precision::BF16 &&
        described->precision != Precision::TF32)
      return;
    target = *described;
    getOperation().walk(
        [&](Block *block) { movable.insert_range(findMovableOps(*block)); });
    SmallVector<GroupOp> groups;
    getOperation().walk([&](GroupOp group) {
      if (group.getFamily() == KernelFamily::Contraction &&
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
      if (isRead(root, *loops))
        roundBoth(group, root, *loops);
      return;
    }
  }

  bool isBF16() const { return target->precision == Precision::BF16; }

  void roundBoth(GroupOp group, linalg::GenericOp root,
                 const ContractionLoops &loops) {
    MutableArrayRef<OpOperand> factors = root->getOpOperands().take_front(2);
    if (isBF16() && !llvm::all_of(factors, [&](OpOperand &factor) {
          return isOwn(group, factor) && pays(group, factor, loops);
        }))
      return;
    for (OpOperand &factor : factors)
      if (isBF16() || (isOwn(group, factor) && isParameter(group, factor)))
        round(group, root, factor);
  }

  /// Returns whether TensorCoreGemm reads both factors, as bfloat16 if this is
  /// the precision: 16 bytes at a time.
  bool isRead(linalg::GenericOp root, const ContractionLoops &loops) const {
    auto left = OperandLayout::match(root, root->getOpOperand(0), -1);
    auto right =
        OperandLayout::match(root, root->getOpOperand(1), loops.column);
    if (!left || !right || left->isBF16 || right->isBF16 || left->panelWidth ||
        right->panelWidth ||
        !root.getDpsInits().front().getDefiningOp<linalg::FillOp>())
      return false;
    left->isBF16 = right->isBF16 = isBF16();
    bool isAligned = left->isAligned(loops, loops.depth) &&
                     right->isAligned(loops, loops.column);
    return left->factors[loops.depth] == 1 &&
           right->factors[loops.column] == 1 && right->isOneDepth(loops) &&
           (isAligned || !isBF16()) &&
           chooseBlockTile(CostModel(*target), loops.count(loops.batch),
                           loops.count(loops.shared) * loops.rowCount(),
                           loops.columnCount(), loops.productCount());
  }

  Value getGiven(GroupOp group, OpOperand &factor) const {
    auto argument = cast<BlockArgument>(factor.get());
    return group.getInputs()[argument.getArgNumber()];
  }

  /// Returns whether only the product reads the input of the group.
  static bool isOwn(GroupOp group, OpOperand &factor) {
    auto argument = cast<BlockArgument>(factor.get());
    return argument.getArgNumber() < group.getInputs().size() &&
           argument.hasOneUse();
  }

  bool isParameter(GroupOp group, OpOperand &factor) const {
    return movable.contains(getGiven(group, factor).getDefiningOp());
  }

  bool pays(GroupOp group, OpOperand &factor,
            const ContractionLoops &loops) const {
    if (isParameter(group, factor))
      return true;
    int64_t elements =
        cast<RankedTensorType>(factor.get().getType()).getNumElements();
    int64_t products = loops.outerCount() * loops.rowCount() *
                       loops.columnCount() * loops.productCount();
    return elements >= minElements && products / elements >= minProducts;
  }

  void round(GroupOp group, linalg::GenericOp root, OpOperand &factor) {
    auto argument = cast<BlockArgument>(factor.get());
    Value rounded = getRounded(group, getGiven(group, factor));
    group->setOperand(argument.getArgNumber(), rounded);
    if (!isBF16())
      return;
    argument.setType(rounded.getType());
    OpBuilder builder(root);
    Type number = builder.getF32Type();
    factor.set(convertElements(
        builder, group.getLoc(), argument, number,
        [&](OpBuilder &body, Location loc, Value element) {
          return arith::ExtFOp::create(body, loc, number, element);
        }));
  }

  /// `value` with rounded elements, by a group for all contractions that read
  /// it.
  Value getRounded(GroupOp user, Value value) {
    Value &rounded = roundedValues[value];
    if (rounded)
      return rounded;
    OpBuilder builder(user.getContext());
    builder.setInsertionPointAfterValue(value);
    Location loc = user.getLoc();
    Type element =
        isBF16() ? Type(builder.getBF16Type()) : builder.getF32Type();
    auto type = cast<RankedTensorType>(value.getType());
    auto group = GroupOp::create(
        builder, loc, type.clone(element), value,
        KernelFamilyAttr::get(builder.getContext(), KernelFamily::Elementwise),
        /*updated=*/nullptr);
    group->setAttr(HamKaasDialect::opsAttrName, builder.getStringAttr("round"));
    Block &body = group.getBody().emplaceBlock();
    Value argument = body.addArgument(type, loc);
    builder.setInsertionPointToStart(&body);
    Value elements = convertElements(
        builder, loc, argument, element,
        [&](OpBuilder &body, Location loc, Value number) -> Value {
          if (!isBF16())
            return roundToTF32(body, loc, number);
          return arith::TruncFOp::create(body, loc, element, number);
        });
    YieldOp::create(builder, loc, elements);
    return rounded = group.getResult(0);
  }

  std::optional<TargetDescription> target;
  /// Operations that may run when the program is loaded.
  DenseSet<Operation *> movable;
  llvm::DenseMap<Value, Value> roundedValues;
};
} // namespace
