//===- FoldedGraph.cpp - One block of those that repeat ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FoldedGraph.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hamkaas;

/// A drawing of so many operations can be taken in as it is.
static constexpr size_t maxUnfolded = 40;

/// Returns whether `op` stores a state.
static bool isStore(Operation *op) {
  return op->getNumResults() == 0 && op->getNumOperands() == 1 &&
         op->hasAttr("global");
}

FoldedGraph::FoldedGraph(func::FuncOp main, bool fold) {
  Block &body = main.getBody().front();
  for (Operation &op : body.without_terminator())
    if (!isLeaf(&op) && !isStore(&op)) {
      indices[&op] = allOps.size();
      allOps.push_back(&op);
    }
  if (fold && allOps.size() > maxUnfolded)
    repeated = findRepeatedBlocks(allOps);
  for (BlockArgument argument : main.getArguments())
    addLeaf(argument);
  for (Operation &op : body.without_terminator())
    if (isLeaf(&op))
      addLeaf(op.getResult(0));
    else if (isStore(&op))
      addSink(op.getOpOperand(0));
  for (OpOperand &use : body.getTerminator()->getOpOperands())
    addSink(use);
}

const RepeatedBlock *FoldedGraph::getBlock(size_t i) const {
  auto after =
      llvm::upper_bound(repeated, i, [](size_t i, const RepeatedBlock &block) {
        return i < block.begin;
      });
  if (after == repeated.begin() || i >= std::prev(after)->end())
    return nullptr;
  return &*std::prev(after);
}

size_t FoldedGraph::getDrawn(size_t i) const {
  const RepeatedBlock *block = getBlock(i);
  return block ? block->begin + (i - block->begin) % block->period : i;
}

size_t FoldedGraph::countDrawn() const {
  size_t count = allOps.size();
  for (const RepeatedBlock &block : repeated)
    count -= block.period * (block.count - 1);
  return count;
}

std::optional<size_t> FoldedGraph::getIndex(Value value) const {
  auto found = indices.find(value.getDefiningOp());
  if (found == indices.end())
    return std::nullopt;
  return found->second;
}

/// The uses of `leaf` in one repetition of one block; nothing if anything else
/// uses it.
std::optional<std::vector<FoldedGraph::Slot>>
FoldedGraph::getSlots(Value leaf) const {
  std::vector<Slot> slots;
  std::optional<size_t> repetition;
  for (OpOperand &use : leaf.getUses()) {
    auto found = indices.find(use.getOwner());
    if (found == indices.end())
      return std::nullopt;
    const RepeatedBlock *block = getBlock(found->second);
    if (!block)
      return std::nullopt;
    size_t place = found->second - block->begin;
    size_t number = block->begin + place / block->period;
    if (repetition.value_or(number) != number)
      return std::nullopt;
    repetition = number;
    slots.push_back({block - repeated.data(), place % block->period,
                     use.getOperandNumber()});
  }
  llvm::sort(slots);
  return slots;
}

void FoldedGraph::addLeaf(Value leaf) {
  auto slots = getSlots(leaf);
  bool isInBlock = slots && !slots->empty();
  if (!isInBlock) {
    leavesOf[leaf] = allLeaves.size();
    allLeaves.push_back({leaf, leaf});
    return;
  }
  auto [place, isNew] =
      leavesAt.try_emplace(std::move(*slots), allLeaves.size());
  leavesOf[leaf] = place->second;
  // One alone is used by one repetition, as the input of the first one is.
  if (isNew)
    allLeaves.push_back({leaf, leaf});
  else
    allLeaves[place->second].block =
        &repeated[std::get<0>(place->first.front())];
  allLeaves[place->second].last = leaf;
}

void FoldedGraph::addSink(OpOperand &use) {
  std::optional<size_t> index = getIndex(use.get());
  const RepeatedBlock *block = index ? getBlock(*index) : nullptr;
  if (!block) {
    allSinks.push_back({&use, &use});
    return;
  }
  auto [place, isNew] = sinksOf.try_emplace(
      {getDrawn(*index), cast<OpResult>(use.get()).getResultNumber(),
       isStore(use.getOwner())},
      allSinks.size());
  if (isNew)
    allSinks.push_back({&use, &use});
  // One alone is that of the last repetition.
  else
    allSinks[place->second].block = block;
  allSinks[place->second].last = &use;
}
