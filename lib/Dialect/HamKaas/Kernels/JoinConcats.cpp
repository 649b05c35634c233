//===- JoinConcats.cpp - Pointwise operations around concats ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinConcats.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hamkaas;

/// Limit on the operands that a kernel joins: the time of upstream's
/// bufferization analysis is cubic in their number.
static constexpr size_t maxPieces = 32;

static ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Returns whether operands lie apart in the result. Kernels write others in
/// place.
static bool copies(ConcatOp concat) {
  return llvm::any_of(getShape(concat).take_front(concat.getDim()),
                      [](int64_t size) { return size != 1; });
}

static KernelOpInterface getPointwise(Operation *op) {
  auto kernelOp = dyn_cast_or_null<KernelOpInterface>(op);
  return kernelOp && kernelOp.isPointwise() && !kernelOp.checksValues()
             ? kernelOp
             : KernelOpInterface();
}

//===----------------------------------------------------------------------===//
// Behind a concat
//===----------------------------------------------------------------------===//

/// Returns whether `op` computes each part of `concat` alone.
static bool isSeparable(Operation *op, ConcatOp concat) {
  return getPointwise(op) && op->getBlock() == concat->getBlock() &&
         op->getOperand(0) == concat.getResult() &&
         getShape(op->getResult(0)) == getShape(concat) &&
         llvm::all_of(op->getOperands().drop_front(), [&](Value operand) {
           ArrayRef<int64_t> shape = getShape(operand);
           return shape.size() > concat.getDim() && shape[concat.getDim()] == 1;
         });
}

/// The concat of the results of `op` on each operand of `concat`; both are
/// erased.
static ConcatOp moveBefore(Operation *op, ConcatOp concat) {
  OpBuilder builder(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<Value> parts;
  for (Value operand : concat.getOperands()) {
    IRMapping mapping;
    mapping.map(concat.getResult(), operand);
    Operation *part = builder.clone(*op, mapping);
    part->getResult(0).setType(type.clone(getShape(operand)));
    parts.push_back(part->getResult(0));
  }
  auto moved =
      ConcatOp::create(builder, concat.getLoc(), parts, concat.getDim());
  op->replaceAllUsesWith(moved);
  op->erase();
  concat->erase();
  return moved;
}

void hamkaas::movePointwiseBeforeConcats(Block &block) {
  // From the end: what moves before a concat may move before its operands.
  SmallVector<ConcatOp> concats(block.getOps<ConcatOp>());
  for (ConcatOp concat : llvm::reverse(concats))
    while (copies(concat) && concat->hasOneUse() &&
           isSeparable(*concat->user_begin(), concat))
      concat = moveBefore(*concat->user_begin(), concat);
}

//===----------------------------------------------------------------------===//
// Before a concat
//===----------------------------------------------------------------------===//

/// Returns whether another kernel can take `op`, which follows its root,
/// directly or behind other pointwise operations.
static bool isTaken(Operation *op) {
  llvm::SetVector<Operation *> ops;
  ops.insert(op);
  for (size_t i = 0; i < ops.size(); ++i)
    for (Value operand : ops[i]->getOperands()) {
      auto producer = operand.getDefiningOp<KernelOpInterface>();
      if (!producer || !operand.hasOneUse() ||
          getShape(operand) != getShape(op->getResult(0)))
        continue;
      if (producer.getKernelFamily() != KernelFamily::Elementwise)
        return true;
      ops.insert(producer);
    }
  return false;
}

std::optional<SmallVector<Operation *>> hamkaas::findJoined(Operation *op) {
  auto last = dyn_cast<ConcatOp>(op);
  if (!last)
    return std::nullopt;
  SmallVector<Operation *> joined;
  if (!copies(last))
    return joined;
  SmallVector<ConcatOp> concats{last};
  size_t pieces = last.getNumOperands();
  for (size_t i = 0; i < concats.size(); ++i)
    for (Value operand : concats[i].getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (!producer || producer->getBlock() != last->getBlock() ||
          !producer->hasOneUse())
        continue;
      auto inner = dyn_cast<ConcatOp>(producer);
      if (inner && pieces - 1 + inner.getNumOperands() <= maxPieces) {
        pieces += inner.getNumOperands() - 1;
        concats.push_back(inner);
        joined.push_back(inner);
      } else if (isa<StridedSliceOp>(producer) ||
                 (getPointwise(producer) && !isTaken(producer))) {
        joined.push_back(producer);
      }
    }
  return joined;
}

bool hamkaas::isJoinedSlice(Operation *op, Operation *root) {
  return isa<ConcatOp>(root) && isa<StridedSliceOp>(op);
}
