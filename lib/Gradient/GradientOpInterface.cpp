//===- GradientOpInterface.cpp - What results depend on ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Gradient/GradientOpInterface.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

bool gradient::isOfFloats(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

Dependences gradient::dependOnAllFloats(Operation *op) {
  llvm::BitVector none(op->getNumOperands()), all = none;
  for (OpOperand &operand : op->getOpOperands())
    all[operand.getOperandNumber()] = isOfFloats(operand.get());
  Dependences found;
  for (Value result : op->getResults())
    found.push_back(isOfFloats(result) ? all : none);
  return found;
}

Dependences gradient::findDependences(Operation *op) {
  auto rule = dyn_cast<GradientOpInterface>(op);
  return rule ? rule.findDependences() : dependOnAllFloats(op);
}
