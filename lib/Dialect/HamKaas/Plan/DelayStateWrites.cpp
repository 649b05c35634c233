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

/// Per state the first step that writes to it.
static llvm::MapVector<Value, size_t>
findFirstWrites(const ProgramBuffers &buffers) {
  llvm::MapVector<Value, size_t> first;
  for (auto [i, step] : llvm::enumerate(buffers.getSteps()))
    for (OpOperand &operand : step->getOpOperands()) {
      auto argument =
          dyn_cast<BlockArgument>(buffers.getView(operand.get()).buffer);
      if (argument && writesTo(operand) &&
          getRegion(argument) == MemoryRegion::State)
        first.try_emplace(argument, i);
    }
  return first;
}

/// Replaces `state` in `steps` by a copy of it.
static Value useCopy(ArrayRef<Operation *> steps, Value state) {
  OpBuilder builder(steps.front());
  Location loc = steps.front()->getLoc();
  auto type = cast<MemRefType>(state.getType());
  Value copy = memref::AllocOp::create(builder, loc, type);
  memref::CopyOp::create(builder, loc, state, copy);
  for (Operation *step : steps) {
    builder.setInsertionPoint(step);
    for (OpOperand &operand : step->getOpOperands())
      if (getViewedBuffer(operand.get()) == state)
        operand.set(cloneView(builder, operand.get(), copy));
  }
  return copy;
}

LogicalResult hamkaas::delayStateWrites(func::FuncOp entry,
                                        const SymbolTable &symbols) {
  FailureOr<ProgramBuffers> buffers = ProgramBuffers::analyze(entry, symbols);
  if (failed(buffers))
    return failure();
  std::optional<size_t> last =
      findLastLateCheck(*buffers, symbols, StateChecks::Early);
  if (!last)
    return success();
  Operation *end = entry.getBody().front().getTerminator();
  for (auto [state, first] : findFirstWrites(*buffers)) {
    if (first > *last ||
        (first == *last && checksBeforeItWrites(buffers->getSteps()[first])))
      continue;
    Value copy = useCopy(buffers->getSteps().drop_front(first), state);
    OpBuilder builder(end);
    memref::CopyOp::create(builder, end->getLoc(), copy, state);
  }
  return success();
}
