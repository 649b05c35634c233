//===- PlanarWindows.cpp - Windows over channels-first images ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanarWindows.h"
#include "ChannelOrders.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hamkaas;

/// Windows of which each channel is reduced alone and whose channels come
/// first: the emitter unrolls them, and all that reach into the padding. Of
/// others it unrolls rows.
static constexpr int64_t maxPlanarWindow = 7, maxPlanarRow = 11;

/// Returns whether windows of these sizes over `type` can slide along the last
/// dimension of a tensor whose channels come first.
static bool arePlanar(RankedTensorType type, ArrayRef<int64_t> window,
                      ArrayRef<int64_t> padLow, ArrayRef<int64_t> padHigh,
                      int64_t most = maxPlanarWindow) {
  auto isSmall = [&](int64_t size) { return size < most; };
  ArrayRef<int64_t> positions = type.getShape().drop_front().drop_back();
  return type.getElementType().isF32() && !positions.empty() &&
         llvm::all_of(positions.take_back(2),
                      [](int64_t size) { return size > 1; }) &&
         llvm::all_of(window,
                      [&](int64_t size) { return isSmall(size - 1); }) &&
         llvm::all_of(padLow, isSmall) && llvm::all_of(padHigh, isSmall);
}

bool hamkaas::arePlanarWindows(ConvOp conv) {
  return arePlanar(cast<RankedTensorType>(conv.getResult().getType()),
                   conv.getW().getType().getShape().drop_back(2),
                   conv.getPadLow(), conv.getPadHigh(),
                   conv.isDepthwise() ? maxPlanarWindow : maxPlanarRow);
}

bool hamkaas::arePlanarWindows(PoolOp pool) {
  return arePlanar(cast<RankedTensorType>(pool.getResult().getType()),
                   pool.getWindow(), pool.getPadLow(), pool.getPadHigh());
}

/// The operand whose windows `op` reduces channel by channel, if that can be
/// computed from permuted operands; null otherwise.
static Value getPlanarOperand(Operation *op) {
  if (auto conv = dyn_cast<ConvOp>(op))
    if ((conv.isDepthwise() || conv->hasAttr(planarAttrName)) &&
        arePlanarWindows(conv))
      return conv.getX();
  if (auto pool = dyn_cast<PoolOp>(op))
    if (arePlanarWindows(pool))
      return pool.getX();
  return nullptr;
}

/// The operands of the pointwise `op` that are not broadcast.
static SmallVector<Value> getImages(Operation *op) {
  return llvm::filter_to_vector(op->getOperands(), [&](Value operand) {
    return cast<ShapedType>(operand.getType()).getShape() ==
           cast<ShapedType>(op->getResult(0).getType()).getShape();
  });
}

SmallVector<Operation *> hamkaas::findPlanarWindows(Operation *last,
                                                    size_t most) {
  if (!isChannelsFirst(last))
    return {};
  llvm::SetVector<Operation *> chain;
  auto isAlone = [&](Operation *op) {
    return op && op->getBlock() == last->getBlock() &&
           llvm::all_of(op->getUsers(),
                        [&](Operation *user) { return chain.contains(user); });
  };
  chain.insert(last);
  // The latest is next: all of its users are members by then, or none will be.
  llvm::SetVector<Operation *> producers;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (op && op->getBlock() == last->getBlock())
      producers.insert(op);
    return op && op->getBlock() == last->getBlock();
  };
  if (!add(last->getOperand(0)))
    return {};
  while (!producers.empty() && chain.size() < most) {
    Operation *op =
        *llvm::max_element(producers, [](Operation *a, Operation *b) {
          return a->isBeforeInBlock(b);
        });
    producers.remove(op);
    if (!isAlone(op))
      return {};
    chain.insert(op);
    if (isa<ConvOp, PoolOp>(op)) {
      Value operand = getPlanarOperand(op);
      Operation *first = operand ? operand.getDefiningOp() : nullptr;
      if (!producers.empty() || !isAlone(first) || !isChannelsLast(first))
        return {};
      chain.insert(first);
      return chain.takeVector();
    }
    auto kernelOp = dyn_cast<KernelOpInterface>(op);
    if (!kernelOp || !kernelOp.isPointwise() || kernelOp.checksValues() ||
        !llvm::all_of(getImages(op), add))
      return {};
  }
  return {};
}
