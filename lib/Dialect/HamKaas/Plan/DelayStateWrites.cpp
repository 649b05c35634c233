//===- DelayStateWrites.cpp - States of runs that may fail ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ProgramSignature.h"
#include "LateChecks.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace hamkaas;

namespace {
/// How the steps use a state.
struct StateUses {
  std::optional<size_t> firstWrite;
  SmallVector<std::pair<size_t, OpOperand *>> operands;
};
} // namespace

static llvm::MapVector<Value, StateUses>
findStateUses(const ProgramBuffers &buffers) {
  llvm::MapVector<Value, StateUses> states;
  for (auto [i, step] : llvm::enumerate(buffers.getSteps()))
    for (OpOperand &operand : step->getOpOperands()) {
      auto argument =
          dyn_cast<BlockArgument>(buffers.getView(operand.get()).buffer);
      if (!argument || getRegion(argument) != MemoryRegion::State)
        continue;
      StateUses &uses = states[argument];
      uses.operands.emplace_back(i, &operand);
      if (writesTo(operand) && !uses.firstWrite)
        uses.firstWrite = i;
    }
  return states;
}

/// Replaces `state` by a copy of it from its first write on.
static Value useCopy(Operation *first, Value state, const StateUses &uses) {
  OpBuilder builder(first);
  auto type = cast<MemRefType>(state.getType());
  Value copy = memref::AllocOp::create(builder, first->getLoc(), type);
  memref::CopyOp::create(builder, first->getLoc(), state, copy);
  for (auto [step, operand] : uses.operands) {
    if (step < *uses.firstWrite)
      continue;
    builder.setInsertionPoint(operand->getOwner());
    operand->set(cloneView(builder, operand->get(), copy));
  }
  return copy;
}

LogicalResult hamkaas::delayStateWrites(func::FuncOp entry,
                                        const SymbolTable &symbols) {
  FailureOr<ProgramBuffers> buffers = ProgramBuffers::analyze(entry, symbols);
  if (failed(buffers))
    return failure();
  if (!mayFail(entry, symbols))
    return success();
  std::optional<size_t> last =
      findLastLateCheck(*buffers, symbols, StateChecks::Early);
  Operation *end = entry.getBody().front().getTerminator();
  for (const auto &[state, uses] : findStateUses(*buffers)) {
    if (!uses.firstWrite)
      continue;
    Operation *first = buffers->getSteps()[*uses.firstWrite];
    bool isLate = !last || *uses.firstWrite > *last ||
                  (*uses.firstWrite == *last && checksBeforeItWrites(first));
    bool isAlwaysWritten = llvm::any_of(uses.operands, [&](const auto &use) {
      return writesTo(*use.second) &&
             writesAfterFailure(use.second->getOwner(), symbols);
    });
    if (isLate && !isAlwaysWritten)
      continue;
    Value copy = useCopy(first, state, uses);
    OpBuilder builder(end);
    memref::CopyOp::create(builder, end->getLoc(), copy, state);
  }
  return success();
}
