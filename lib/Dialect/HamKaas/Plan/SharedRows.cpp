//===- SharedRows.cpp - Rows of a loop in one place -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that follow see two arguments of the body, which nothing orders.
// They join elementwise calls tile by tile, and reorder calls that need nothing
// of each other. So there must be a call between that is not elementwise, and
// the call that writes must depend on all that read.
//
//===----------------------------------------------------------------------===//

#include "SharedRows.h"
#include "BufferViews.h"
#include "HamKaas/Dialect/HamKaas/IR/KernelFamily.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace hamkaas;

namespace {

/// The bytes of an argument or a global that a step of a planned body uses.
struct UsedBytes {
  Value base;
  int64_t begin, end;

  bool overlaps(const UsedBytes &other) const {
    return base == other.base && begin < other.end && other.begin < end;
  }
};

struct BodyStep {
  SmallVector<UsedBytes> reads, writes;
  bool isElementwise = false;
};

/// The steps of the body of a loop.
class LoopBody {
public:
  LoopBody(func::FuncOp body, const SymbolTable &symbols);

  /// Returns whether a step that writes to the argument `output` comes behind
  /// all that read the argument `row`, and depends on them.
  bool writesBehindReads(Value row, Value output) const;

private:
  llvm::BitVector findSources(size_t step) const;

  SmallVector<BodyStep> steps;
};

} // namespace

static UsedBytes getUsedBytes(Value operand) {
  int64_t begin = 0;
  Value base = operand;
  if (auto view = operand.getDefiningOp<memref::ViewOp>()) {
    APInt shift;
    matchPattern(view.getByteShift(), m_ConstantInt(&shift));
    begin = shift.getSExtValue();
    base = view.getSource();
  }
  return {base, begin,
          begin + *getBufferBytes(cast<MemRefType>(operand.getType()))};
}

static bool isElementwise(Operation *step, const SymbolTable &symbols) {
  auto call = dyn_cast<func::CallOp>(step);
  auto kernel = call ? symbols.lookup<func::FuncOp>(call.getCallee()) : nullptr;
  return kernel && getKernelFamily(kernel) == KernelFamily::Elementwise;
}

LoopBody::LoopBody(func::FuncOp body, const SymbolTable &symbols) {
  for (Operation &op : body.getBody().front()) {
    if (!isStep(&op))
      continue;
    BodyStep step;
    step.isElementwise = isElementwise(&op, symbols);
    for (OpOperand &operand : op.getOpOperands()) {
      UsedBytes used = getUsedBytes(operand.get());
      // Iter args of a loop are both read and written.
      if (!writesTo(operand) || isLoop(&op))
        step.reads.push_back(used);
      if (writesTo(operand))
        step.writes.push_back(used);
    }
    steps.push_back(std::move(step));
  }
}

/// The steps that `step` depends on.
llvm::BitVector LoopBody::findSources(size_t step) const {
  llvm::BitVector sources(steps.size());
  SmallVector<UsedBytes> needed(steps[step].reads);
  for (size_t i = step; i-- > 0;) {
    bool isNeeded = llvm::any_of(steps[i].writes, [&](const UsedBytes &write) {
      return llvm::any_of(
          needed, [&](const UsedBytes &read) { return read.overlaps(write); });
    });
    if (!isNeeded)
      continue;
    sources.set(i);
    llvm::append_range(needed, steps[i].reads);
  }
  return sources;
}

static bool uses(ArrayRef<UsedBytes> list, Value base) {
  return llvm::any_of(list,
                      [&](const UsedBytes &used) { return used.base == base; });
}

bool LoopBody::writesBehindReads(Value row, Value output) const {
  const BodyStep *write = llvm::find_if(steps, [&](const BodyStep &step) {
    return uses(step.writes, output) || uses(step.reads, output);
  });
  if (write == steps.end())
    return false;
  size_t first = write - steps.begin();
  llvm::BitVector sources = findSources(first);
  std::optional<size_t> lastRead;
  for (auto [i, step] : llvm::enumerate(steps)) {
    if (uses(step.writes, row))
      return false;
    if (!uses(step.reads, row))
      continue;
    if (i >= first || !sources.test(i))
      return false;
    lastRead = i;
  }
  return lastRead &&
         llvm::any_of(ArrayRef(steps).slice(*lastRead, first - *lastRead + 1),
                      [](const BodyStep &step) { return !step.isElementwise; });
}

SmallVector<SharedRows> hamkaas::findSharedRows(RepeatOp repeat,
                                                const SymbolTable &symbols) {
  SmallVector<SharedRows> result;
  auto loop = symbols.lookup<func::FuncOp>(repeat.getCallee());
  if (!loop || loop.isExternal())
    return result;
  LoopBody body(loop, symbols);
  for (OpOperand &row : repeat.getRowsMutable())
    for (OpOperand &output : repeat.getOutputsMutable())
      if (row.get().getType() == output.get().getType() &&
          body.writesBehindReads(loop.getArgument(row.getOperandNumber()),
                                 loop.getArgument(output.getOperandNumber())))
        result.emplace_back(&row, &output);
  return result;
}
