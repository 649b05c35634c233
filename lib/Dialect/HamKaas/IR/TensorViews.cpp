//===- TensorViews.cpp - What tensors are views of --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/QuantizationOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hamkaas;

bool hamkaas::isTensorView(Operation *op) {
  return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op);
}

Value hamkaas::getViewedTensor(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isTensorView(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool hamkaas::isParameterSource(Operation *op) {
  return isa<ml_program::GlobalLoadConstOp, arith::ConstantOp, ConstantOp>(op);
}

/// The ops of `block` that `isCandidate` holds for and whose operands are
/// all given by such ops before them.
static DenseSet<Operation *>
findClosed(Block &block, function_ref<bool(Operation *)> isCandidate) {
  DenseSet<Operation *> known;
  for (Operation &op : block)
    if (isCandidate(&op) && llvm::all_of(op.getOperands(), [&](Value operand) {
          return known.contains(operand.getDefiningOp());
        }))
      known.insert(&op);
  return known;
}

DenseSet<Operation *> hamkaas::findParameterOps(Block &block) {
  return findClosed(block, [](Operation *op) {
    // Kernels dequantize as they read: floats would take more memory.
    return isParameterSource(op) ||
           (isa<KernelOpInterface>(op) && !isa<DequantizePanelsOp>(op));
  });
}

DenseSet<Operation *> hamkaas::findMovableOps(Block &block) {
  return findClosed(block, [](Operation *op) {
    auto group = dyn_cast<GroupOp>(op);
    return isParameterSource(op) || isTensorView(op) ||
           (group && group.getBody().getOps<CheckOp>().empty());
  });
}
