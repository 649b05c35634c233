//===- EngineCall.cpp - Kernels of engine libraries -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"

using namespace mlir;
using namespace hamkaas;

LogicalResult EngineCallOp::verify() {
  bool hasResults = getNumResults() != 0;
  for (Value operand : getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type || !type.hasStaticShape() ||
        isa<RankedTensorType>(type) != hasResults) // C1.
      return emitOpError("expected ")
             << (hasResults ? "tensors" : "buffers") << " of static shape, got "
             << operand.getType();
  }
  int64_t workspace = getEngine().getPacks() ? 0 : getEngine().getWorkspace();
  size_t expected = workspace > 0 ? 2 : 1;
  if (getInits().size() != expected) // C2.
    return emitOpError("expected ")
           << expected << " inits, got " << getInits().size();
  if (workspace > 0)
    if (auto type = cast<ShapedType>(getInits().front().getType());
        !type.getElementType().isInteger(8) ||
        type.getNumElements() != workspace) // C2.
      return emitOpError("expected a workspace of ")
             << workspace << " bytes, got " << type;
  return success();
}

void EngineCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}
