//===- ProgramBuffers.cpp - What a program does with its buffers *- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramBuffers.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "SharedRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace hamkaas;

FailureOr<ProgramBuffers> ProgramBuffers::analyze(func::FuncOp program,
                                                  const SymbolTable &symbols,
                                                  bool shareRows) {
  ProgramBuffers result;
  result.shareRows = shareRows;
  for (BlockArgument argument : program.getArguments())
    if (failed(result.addBuffer(argument)))
      return failure();
  for (Operation &op : program.getBody().front())
    if (failed(result.addOp(op)))
      return failure();
  result.findLifetimes();
  result.findReplacements(symbols);
  return result;
}

LogicalResult ProgramBuffers::addOp(Operation &op) {
  if (isBufferView(&op)) {
    FailureOr<BufferView> view =
        applyBufferView(&op, getView(op.getOperand(0)));
    if (failed(view))
      return failure();
    views.try_emplace(op.getResult(0), std::move(*view));
    return success();
  }
  if (isa<memref::AllocOp, memref::GetGlobalOp>(op))
    return addBuffer(op.getResult(0));
  if (isStep(&op))
    return addStep(op);
  if (isa<memref::DeallocOp>(op) || matchPattern(&op, m_Constant()))
    return success();
  if (isa<func::ReturnOp>(op) && op.getNumOperands() == 0)
    return success();
  return op.emitError(
             "expected a call of a kernel, a loop, a copy, an allocation "
             "or a view, got ")
         << op.getName() << (op.getNumOperands() ? " with operands" : "");
}

LogicalResult ProgramBuffers::addBuffer(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || !type.getLayout().isIdentity() || !getBufferBytes(type))
    return emitError(buffer.getLoc(), "expected a dense buffer of static shape "
                                      "below 2^63 bytes, got ")
           << buffer.getType();
  views.try_emplace(buffer, getWholeBuffer(buffer));
  return success();
}

LogicalResult ProgramBuffers::addStep(Operation &op) {
  if (op.getNumResults() != 0)
    return op.emitError("expected a kernel without results, got ")
           << op.getResultTypes();
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    auto view = views.find(operand);
    if (view == views.end())
      return op.emitError("expected operand ")
             << i << " to be a buffer, got " << operand.getType();
    if (!view->second.isDense())
      return op.emitError("expected operand ")
             << i << " to be a dense part of a buffer, got strides ["
             << view->second.strides << "] for sizes [" << view->second.sizes
             << "]";
  }
  steps.push_back(&op);
  return success();
}

void ProgramBuffers::findLifetimes() {
  allocations.clear();
  lifetimes.clear();
  indices.clear();
  // Steps come in order: the first that uses a buffer gives it its index.
  for (auto [time, step] : llvm::enumerate(steps)) {
    for (Value operand : step->getOperands()) {
      Value buffer = getView(operand).buffer;
      if (!buffer.getDefiningOp<memref::AllocOp>())
        continue;
      auto [it, isNew] = indices.try_emplace(buffer, allocations.size());
      if (isNew) {
        allocations.push_back(buffer);
        uint64_t bytes = *getBufferBytes(cast<MemRefType>(buffer.getType()));
        lifetimes.push_back({bytes, time, time});
      }
      lifetimes[it->second].lastUse = time;
    }
  }
}

/// The allocation that `operand` covers completely, if any.
std::optional<size_t> ProgramBuffers::getWholeAllocation(Value operand) const {
  const BufferView &view = getView(operand);
  auto it = indices.find(view.buffer);
  if (it == indices.end() ||
      getBufferBytes(cast<MemRefType>(operand.getType())) !=
          getBufferBytes(cast<MemRefType>(view.buffer.getType())))
    return std::nullopt;
  return it->second;
}

void ProgramBuffers::findReplacements(const SymbolTable &symbols) {
  for (Operation *step : steps) {
    if (auto copy = dyn_cast<memref::CopyOp>(step)) {
      findReplacement(step, copy.getSource());
      continue;
    }
    // A loop reads its operands again after it has written to others, but not
    // the same row.
    if (auto repeat = dyn_cast<RepeatOp>(step); repeat && shareRows)
      for (auto [row, output] : findSharedRows(repeat, symbols))
        if (isUsedOnce(step, row->get()) && isUsedOnce(step, output->get()))
          replace(row->get(), output->get());
    auto call = dyn_cast<func::CallOp>(step);
    if (!call)
      continue;
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!kernel)
      continue;
    auto mayDie = [&](OpOperand &operand) {
      return kernel.getArgAttr(operand.getOperandNumber(),
                               HamKaasDialect::inPlaceAttrName) != nullptr;
    };
    for (OpOperand &operand : call->getOpOperands()) {
      // Another operand may read the same buffer elsewhere.
      Value buffer = getView(operand.get()).buffer;
      if (llvm::all_of(call->getOpOperands(), [&](OpOperand &other) {
            return getView(other.get()).buffer != buffer ||
                   (mayDie(other) && getWholeAllocation(other.get()));
          }))
        findReplacement(step, operand.get());
    }
  }
}

/// Returns whether only this operand of `step` lies in its buffer.
bool ProgramBuffers::isUsedOnce(Operation *step, Value operand) const {
  Value buffer = getView(operand).buffer;
  return llvm::count_if(step->getOperands(), [&](Value other) {
           return getView(other).buffer == buffer;
         }) == 1;
}

/// Lets a buffer first written by `step` replace `dying`, an operand of the
/// same type, if that is not used after `step`.
void ProgramBuffers::findReplacement(Operation *step, Value dying) {
  for (Value operand : step->getOperands())
    if (replace(dying, operand))
      return;
}

/// Lets the buffer of `operand` replace that of `dying`, an operand of the same
/// step, if both have one type and this use is the last one of `dying` and the
/// first one of `operand`.
bool ProgramBuffers::replace(Value dying, Value operand) {
  std::optional<size_t> old = getWholeAllocation(dying);
  std::optional<size_t> created = getWholeAllocation(operand);
  auto oldType = cast<MemRefType>(dying.getType());
  auto newType = cast<MemRefType>(operand.getType());
  if (!old || !created || lifetimes[*created].mayReplace ||
      lifetimes[*created].firstUse != lifetimes[*old].lastUse ||
      lifetimes[*created].firstUse == lifetimes[*old].firstUse ||
      oldType.getElementType() != newType.getElementType() ||
      oldType.getShape() != newType.getShape())
    return false;
  assert(lifetimes[*created].bytes == lifetimes[*old].bytes &&
         "whole buffers of one type have one size");
  lifetimes[*created].mayReplace = *old;
  return true;
}
