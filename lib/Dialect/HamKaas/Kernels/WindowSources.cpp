//===- WindowSources.cpp - Operands of sliding windows ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowSources.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hamkaas;

Value hamkaas::getWindowOperand(Operation *op) {
  if (auto conv = dyn_cast_or_null<ConvOp>(op))
    return conv.isDepthwise() ? conv.getX() : Value();
  auto pool = dyn_cast_or_null<PoolOp>(op);
  return pool ? pool.getX() : Value();
}

static unsigned getElementBits(Value value) {
  return cast<ShapedType>(value.getType()).getElementTypeBitWidth();
}

static bool isDequantizing(Operation *op) {
  DenseElementsAttr number;
  return isa<CastOp>(op) ||
         (isa<SubOp, MulOp>(op) &&
          op->getOperand(0).getType() == op->getResult(0).getType() &&
          matchPattern(op->getOperand(1), m_Constant(&number)) &&
          number.isSplat());
}

SmallVector<Operation *> hamkaas::findDequantizing(Value value) {
  SmallVector<Operation *> chain;
  size_t count = 0;
  unsigned least = getElementBits(value);
  for (Operation *op = value.getDefiningOp();
       op && value.hasOneUse() && isDequantizing(op);
       op = value.getDefiningOp()) {
    chain.push_back(op);
    value = op->getOperand(0);
    if (getElementBits(value) < least) {
      least = getElementBits(value);
      count = chain.size();
    }
  }
  chain.resize(count);
  return chain;
}

/// `op`, which dequantizes, on an operand of another shape.
static Value dequantizeAlike(OpBuilder &builder, Operation *op, Value operand) {
  auto type = cast<RankedTensorType>(operand.getType());
  Operation *clone = builder.clone(*op);
  clone->setOperand(0, operand);
  clone->getResult(0).setType(type.clone(
      cast<ShapedType>(op->getResult(0).getType()).getElementType()));
  DenseElementsAttr number;
  if (op->getNumOperands() == 2 &&
      matchPattern(op->getOperand(1), m_Constant(&number))) {
    builder.setInsertionPoint(clone);
    auto one = RankedTensorType::get(SmallVector<int64_t>(type.getRank(), 1),
                                     number.getElementType());
    clone->setOperand(
        1, ConstantOp::create(builder, op->getLoc(), number.resizeSplat(one)));
    builder.setInsertionPointAfter(clone);
  }
  return clone->getResult(0);
}

void hamkaas::reshapeBeforeDequantizing(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    Value source = getWindowOperand(&op);
    auto reshape = source ? source.getDefiningOp<ReshapeOp>() : nullptr;
    if (!reshape || !reshape->hasOneUse())
      continue;
    SmallVector<Operation *> chain = findDequantizing(reshape.getX());
    if (chain.empty())
      continue;
    OpBuilder builder(reshape);
    Value narrow = chain.back()->getOperand(0);
    Value value = ReshapeOp::create(
        builder, reshape.getLoc(),
        reshape.getType().clone(
            cast<ShapedType>(narrow.getType()).getElementType()),
        narrow);
    for (Operation *dequantizing : llvm::reverse(chain))
      value = dequantizeAlike(builder, dequantizing, value);
    reshape.replaceAllUsesWith(value);
    reshape.erase();
    for (Operation *unused : chain)
      unused->erase();
  }
}
