//===- MarkUnchecked.cpp - Positions that are vouched for -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace hamkaas;

void hamkaas::markUnchecked(Operation *root) {
  auto unchecked = StringAttr::get(root->getContext(), "unchecked");
  auto isKnownOnlyAtRunTime = [](Value operand) {
    return isPosition(operand.getType()) &&
           !matchPattern(operand, m_Constant());
  };
  auto hasIndices = [](Operation *op) {
    Value indices = llvm::TypeSwitch<Operation *, Value>(op)
                        .Case<FlattenIndicesOp, GatherOp, ScatterOp>(
                            [](auto indexing) { return indexing.getIndices(); })
                        .Default(Value());
    return indices && !matchPattern(indices, m_Constant());
  };
  root->walk([&](KernelOpInterface op) {
    if (llvm::is_contained(op->getName().getAttributeNames(), unchecked) &&
        (hasIndices(op) ||
         llvm::any_of(op->getOperands(), isKnownOnlyAtRunTime)))
      op->setAttr(unchecked, UnitAttr::get(root->getContext()));
  });
}
