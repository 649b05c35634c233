//===- InterleaveChains.cpp - Orders independent computations ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InterleaveChains.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace hamkaas;

/// Shorter chains overlap in hardware.
static constexpr size_t minChain = 8;

/// Returns whether `op` may be reordered.
static bool isMovable(Operation &op) {
  if (op.getNumRegions() > 0 || op.hasTrait<OpTrait::IsTerminator>())
    return false;
  // Intrinsics with a result are arithmetic in kernels.
  if (isa<LLVM::CallIntrinsicOp>(op))
    return op.getNumResults() > 0;
  return isa<memref::PrefetchOp>(op) || isMemoryEffectFree(&op) ||
         hasSingleEffect<MemoryEffects::Read>(&op);
}

/// Returns whether `op` computes with vectors. Loads and broadcasts may serve
/// several chains and do not connect them.
static bool isArithmetic(Operation *op) {
  return (isMemoryEffectFree(op) || isa<LLVM::CallIntrinsicOp>(op)) &&
         llvm::any_of(op->getOperandTypes(), llvm::IsaPred<VectorType>);
}

namespace {
/// Consecutive movable operations.
class Segment {
public:
  Segment(ArrayRef<Operation *> operations)
      : operations(operations), inside(operations.begin(), operations.end()) {}

  void interleave(size_t count);

private:
  using Chain = SmallVector<Operation *>;
  SmallVector<Chain> findChains() const;
  void schedule(Operation *op);
  void scheduleInTurns(ArrayRef<Chain> chains);

  ArrayRef<Operation *> operations;
  llvm::DenseSet<Operation *> inside;
  llvm::SetVector<Operation *> scheduled;
};
} // namespace

/// The independent chains of arithmetic.
SmallVector<Segment::Chain> Segment::findChains() const {
  llvm::EquivalenceClasses<Operation *> connected;
  for (Operation *op : operations) {
    if (!isArithmetic(op))
      continue;
    connected.insert(op);
    for (Value operand : op->getOperands())
      if (Operation *definition = operand.getDefiningOp();
          definition && inside.contains(definition) && isArithmetic(definition))
        connected.unionSets(op, definition);
  }
  llvm::MapVector<Operation *, Chain> chains;
  for (Operation *op : operations)
    if (isArithmetic(op))
      chains[connected.getLeaderValue(op)].push_back(op);
  SmallVector<Chain> found;
  for (auto &[leader, chain] : chains)
    if (chain.size() >= minChain)
      found.push_back(std::move(chain));
  return found;
}

/// Appends `op` after its operands. They may be a long chain, so there is no
/// recursion.
void Segment::schedule(Operation *op) {
  SmallVector<Operation *> pending{op};
  while (!pending.empty()) {
    Operation *next = pending.back();
    if (!inside.contains(next) || scheduled.contains(next)) {
      pending.pop_back();
      continue;
    }
    size_t before = pending.size();
    for (Value operand : llvm::reverse(next->getOperands()))
      if (Operation *definition = operand.getDefiningOp();
          definition && inside.contains(definition) &&
          !scheduled.contains(definition))
        pending.push_back(definition);
    if (pending.size() == before)
      scheduled.insert(next);
  }
}

void Segment::scheduleInTurns(ArrayRef<Chain> chains) {
  size_t longest = 0;
  for (const Chain &chain : chains)
    longest = std::max(longest, chain.size());
  for (size_t i = 0; i < longest; ++i)
    for (const Chain &chain : chains)
      if (i < chain.size())
        schedule(chain[i]);
}

void Segment::interleave(size_t count) {
  SmallVector<Chain> chains = findChains();
  if (chains.size() < 2)
    return;
  for (size_t i = 0; i < chains.size(); i += count)
    scheduleInTurns(
        ArrayRef(chains).slice(i, std::min(count, chains.size() - i)));
  for (Operation *op : operations)
    schedule(op);
  Operation *end = operations.back()->getNextNode();
  for (Operation *op : scheduled)
    op->moveBefore(end);
}

void hamkaas::interleaveChains(Block &block, int64_t count) {
  SmallVector<SmallVector<Operation *>> segments(1);
  for (Operation &op : block) {
    if (isMovable(op))
      segments.back().push_back(&op);
    else
      segments.emplace_back();
  }
  for (ArrayRef<Operation *> operations : segments)
    if (!operations.empty())
      Segment(operations).interleave(count);
}
