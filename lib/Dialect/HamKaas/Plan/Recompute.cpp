//===- Recompute.cpp - Results computed again, not kept ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// On calls of kernels that exist, not on operations: a repeated call runs the
// same code on the same operands, so that no fusion can change its bits, and
// nothing merges it with the first one again.
//
//===----------------------------------------------------------------------===//

#include "Recompute.h"
#include "HamKaas/Dialect/HamKaas/Kernels/CheckedArguments.h"
#include "HamKaas/Planner/Recomputation.h"
#include "ProgramBuffers.h"
#include "SharedRows.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// The cost of moving a byte, in FLOPs: a core with AVX-512 does some 100
/// GFLOPs while its share of the memory moves 10 GB.
static constexpr uint64_t flopsPerByte = 8;

namespace {

/// The calls of a program as work of the planner, and back.
class CallRepeater {
public:
  CallRepeater(func::FuncOp program, const SymbolTable &symbols,
               ProgramBuffers buffers, uint64_t alignment, bool shareRows)
      : symbols(symbols), buffers(std::move(buffers)), alignment(alignment),
        shareRows(shareRows), builder(program) {}

  Work describe();
  void rewrite(const Recomputation &recomputation);

private:
  size_t getIndex(Value operand);
  WorkStep describe(Operation *step);
  bool mayRepeat(Operation *step);
  bool checksValues(func::FuncOp kernel);
  void addReplaceable(Operation *step, WorkStep &work);
  uint64_t getCost(Operation *step) const;
  bool isWhole(Value operand) const;
  void repeat(const ScheduledStep &scheduled, Operation *before);
  SmallVector<Value> getReads(const ScheduledStep &scheduled);

  const SymbolTable &symbols;
  ProgramBuffers buffers;
  uint64_t alignment;
  bool shareRows;
  OpBuilder builder;
  SmallVector<Value> values;
  std::vector<uint64_t> bytes;
  DenseMap<Value, size_t> indices;
  DenseMap<Operation *, bool> checkingKernels;
  /// Per step those that it had at first.
  SmallVector<SmallVector<Value>> operands;
  /// Per buffer the one that a repetition writes.
  DenseMap<size_t, Value> repeated;
};

} // namespace

//===----------------------------------------------------------------------===//
// The work
//===----------------------------------------------------------------------===//

/// The number of the buffer that `operand` is a part of.
size_t CallRepeater::getIndex(Value operand) {
  Value buffer = buffers.getView(operand).buffer;
  auto [it, isNew] = indices.try_emplace(buffer, values.size());
  if (isNew) {
    bool isOurs = buffer.getDefiningOp<memref::AllocOp>() != nullptr;
    uint64_t size = *getBufferBytes(cast<MemRefType>(buffer.getType()));
    values.push_back(buffer);
    bytes.push_back(isOurs ? llvm::alignTo(size, alignment) : 0);
  }
  return it->second;
}

bool CallRepeater::checksValues(func::FuncOp kernel) {
  auto [it, isNew] = checkingKernels.try_emplace(kernel, false);
  if (isNew)
    it->second = hasChecks(kernel);
  return it->second;
}

bool CallRepeater::isWhole(Value operand) const {
  Value buffer = buffers.getView(operand).buffer;
  return buffer.getDefiningOp<memref::AllocOp>() &&
         getBufferBytes(cast<MemRefType>(operand.getType())) ==
             getBufferBytes(cast<MemRefType>(buffer.getType()));
}

/// Calls of kernels and copies, which write their last operand.
bool CallRepeater::mayRepeat(Operation *step) {
  if (step->getNumOperands() == 0)
    return false;
  if (auto call = dyn_cast<func::CallOp>(step)) {
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!kernel || !kernel->hasAttr(HamKaasDialect::kernelAttrName) ||
        checksValues(kernel))
      return false;
  } else if (!isCopy(step)) {
    return false;
  }
  Value result = step->getOperands().back();
  return isWhole(result) &&
         llvm::none_of(step->getOperands().drop_back(), [&](Value operand) {
           return buffers.getView(operand).buffer ==
                  buffers.getView(result).buffer;
         });
}

/// Enters the operands whose place the result may take over. A copy does so if
/// nothing reads the operand later: the plan drops it then.
void CallRepeater::addReplaceable(Operation *step, WorkStep &work) {
  if (isCopy(step)) {
    if (llvm::all_of(step->getOperands(),
                     [&](Value operand) { return isWhole(operand); }))
      work.replaceable.push_back(getIndex(step->getOperands().front()));
    return;
  }
  if (auto repeat = dyn_cast<RepeatOp>(step); repeat && shareRows)
    for (auto [row, output] : findSharedRows(repeat, symbols))
      if (isWhole(row->get()) && isWhole(output->get()))
        work.replaceable.push_back(getIndex(row->get()));
  auto call = dyn_cast<func::CallOp>(step);
  auto kernel = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : nullptr;
  if (!kernel || call.getNumOperands() == 0)
    return;
  Value result = call.getOperands().back();
  auto isSame = [&](Value operand) {
    auto type = cast<MemRefType>(operand.getType());
    auto resultType = cast<MemRefType>(result.getType());
    return type.getShape() == resultType.getShape() &&
           type.getElementType() == resultType.getElementType() &&
           isWhole(operand) && isWhole(result);
  };
  for (OpOperand &operand : call->getOpOperands().drop_back())
    if (isSame(operand.get()) &&
        kernel.getArgAttr(operand.getOperandNumber(),
                          HamKaasDialect::inPlaceAttrName))
      work.replaceable.push_back(getIndex(operand.get()));
}

uint64_t CallRepeater::getCost(Operation *step) const {
  uint64_t cost = 0;
  if (auto flops =
          step->getAttrOfType<IntegerAttr>(HamKaasDialect::flopsAttrName))
    cost = flops.getInt();
  for (Value operand : step->getOperands())
    cost = llvm::SaturatingMultiplyAdd<uint64_t>(
        flopsPerByte, *getBufferBytes(cast<MemRefType>(operand.getType())),
        cost);
  return cost;
}

WorkStep CallRepeater::describe(Operation *step) {
  WorkStep result;
  for (OpOperand &operand : step->getOpOperands()) {
    size_t index = getIndex(operand.get());
    // Iter args of a loop are both read and written.
    if (!writesTo(operand) || isLoop(step))
      result.reads.push_back(index);
    if (writesTo(operand))
      result.writes.push_back(index);
  }
  result.cost = getCost(step);
  result.mayRepeat = mayRepeat(step);
  addReplaceable(step, result);
  return result;
}

Work CallRepeater::describe() {
  Work work;
  for (Operation *step : buffers.getSteps()) {
    operands.emplace_back(step->getOperands());
    work.steps.push_back(describe(step));
  }
  work.bytes = bytes;
  return work;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// The operands that a step or its repetition reads.
SmallVector<Value> CallRepeater::getReads(const ScheduledStep &scheduled) {
  SmallVector<Value> reads;
  for (Value operand : operands[scheduled.step]) {
    size_t index = indices.lookup(buffers.getView(operand).buffer);
    reads.push_back(llvm::is_contained(scheduled.repeatedReads, index)
                        ? cloneView(builder, operand, repeated.lookup(index))
                        : operand);
  }
  return reads;
}

void CallRepeater::repeat(const ScheduledStep &scheduled, Operation *before) {
  builder.setInsertionPoint(before);
  Value result = operands[scheduled.step].back();
  Value buffer = buffers.getView(result).buffer;
  Value copy = builder.clone(*buffer.getDefiningOp())->getResult(0);
  SmallVector<Value> reads = getReads(scheduled);
  reads.back() = cloneView(builder, result, copy);
  Operation *again = builder.clone(*buffers.getSteps()[scheduled.step]);
  again->setOperands(reads);
  again->setAttr(HamKaasDialect::recomputedAttrName, builder.getUnitAttr());
  repeated[indices.lookup(buffer)] = copy;
}

void CallRepeater::rewrite(const Recomputation &recomputation) {
  ArrayRef<ScheduledStep> waiting(recomputation.steps);
  for (const ScheduledStep &scheduled : recomputation.steps) {
    if (scheduled.isRepeated)
      continue;
    Operation *step = buffers.getSteps()[scheduled.step];
    for (; waiting.front().isRepeated; waiting = waiting.drop_front())
      repeat(waiting.front(), step);
    waiting = waiting.drop_front();
    if (scheduled.repeatedReads.empty())
      continue;
    builder.setInsertionPoint(step);
    step->setOperands(getReads(scheduled));
  }
}

RecomputedBuffers hamkaas::recomputeBuffers(func::FuncOp program,
                                            const SymbolTable &symbols,
                                            uint64_t limit, uint64_t alignment,
                                            bool shareRows) {
  FailureOr<ProgramBuffers> analyzed =
      ProgramBuffers::analyze(program, symbols, shareRows);
  if (failed(analyzed))
    return RecomputedBuffers::None;
  // Buffers that lie in an output or a state take no workspace. A state has
  // other contents from the step on that writes there: no repetition reads it
  // then.
  (void)analyzed->placeCopies(symbols,
                              [](Value host) { return !host.getDefiningOp(); });
  CallRepeater repeater(program, symbols, std::move(*analyzed), alignment,
                        shareRows);
  Recomputation recomputation = recompute(repeater.describe(), limit);
  if (!recomputation.hasRepeated)
    return RecomputedBuffers::None;
  repeater.rewrite(recomputation);
  return recomputation.peakBytes <= limit ? RecomputedBuffers::Enough
                                          : RecomputedBuffers::TooFew;
}
