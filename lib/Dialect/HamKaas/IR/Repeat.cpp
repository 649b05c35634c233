//===- Repeat.cpp - Loops over calls of a function --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace hamkaas;

MutableOperandRange RepeatOp::getDpsInitsMutable() {
  auto [begin, carried] = getODSOperandIndexAndLength(2);
  unsigned outputs = getODSOperandIndexAndLength(3).second;
  return MutableOperandRange(*this, begin, carried + outputs);
}

bool RepeatOp::isRow(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  auto isIn = [&](unsigned segment) {
    auto [begin, length] = getODSOperandIndexAndLength(segment);
    return number >= begin && number < begin + length;
  };
  return isIn(0) || isIn(3);
}

LogicalResult RepeatOp::verify() {
  int64_t steps = getSteps();
  if (steps < 1) // C1.
    return emitOpError("expected at least 1 step, got ") << steps;
  bool hasResults = getNumResults() != 0;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type || !type.hasStaticShape() ||
        isa<RankedTensorType>(type) != hasResults) // C2.
      return emitOpError("expected operand ")
             << operand.getOperandNumber() << " to be a "
             << (hasResults ? "tensor" : "buffer") << " of static shape, got "
             << operand.get().getType();
    if (isRow(operand) &&
        (type.getRank() == 0 || type.getDimSize(0) != steps)) // C1.
      return emitOpError("expected operand ")
             << operand.getOperandNumber() << " to have " << steps
             << " rows, got " << type;
  }
  return success();
}

LogicalResult RepeatOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!function || function.getNumArguments() != getNumOperands()) // C3.
    return emitOpError("expected @") << getCallee() << " to be a function of "
                                     << getNumOperands() << " arguments";
  return success();
}

void RepeatOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  MutableOperandRange written = getDpsInitsMutable();
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (llvm::is_contained(written.getAsOperandRange(), operand.get()))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}
