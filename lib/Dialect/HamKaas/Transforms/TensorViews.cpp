//===- TensorViews.cpp - What tensors are views of --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Transforms/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
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

bool hamkaas::isMovableGroup(Operation *op) {
  auto group = dyn_cast<GroupOp>(op);
  return group && group.getBody().getOps<CheckOp>().empty();
}

bool hamkaas::dependsOnParametersOnly(Value value) {
  // Iterative: a chain of groups may be long.
  SmallVector<Value> worklist{value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty()) {
    Operation *op = getViewedTensor(worklist.pop_back_val()).getDefiningOp();
    if (!op)
      return false;
    if (isParameterSource(op) || !seen.insert(op).second)
      continue;
    if (!isMovableGroup(op))
      return false;
    llvm::append_range(worklist, op->getOperands());
  }
  return true;
}

DenseSet<Operation *> hamkaas::findParameterOps(Block &block) {
  DenseSet<Operation *> known;
  for (Operation &op : block)
    if (isParameterSource(&op) ||
        (isa<KernelOpInterface>(op) &&
         llvm::all_of(op.getOperands(), [&](Value operand) {
           return known.contains(operand.getDefiningOp());
         })))
      known.insert(&op);
  return known;
}
