//===- RepeatedBlocks.cpp - Equal parts of a graph in a row -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RepeatedBlocks.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Fewer operations are not worth a frame around their block.
static constexpr size_t minSaved = 6;

bool hamkaas::isLeaf(Operation *op) {
  return op->getNumOperands() == 0 && op->getNumRegions() == 0 &&
         op->getNumResults() == 1;
}

/// The attributes but for the name of a parameter or a state.
static DictionaryAttr getComparedAttributes(Operation *op) {
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase("global");
  return attributes.getDictionary(op->getContext());
}

namespace {

class BlockFinder {
public:
  explicit BlockFinder(ArrayRef<Operation *> ops);
  std::vector<RepeatedBlock> find();

private:
  void countCrossings();
  SmallVector<size_t> findPeriods() const;
  void addDistances(size_t window, SmallVectorImpl<size_t> &periods) const;
  void addBlocks(size_t period);
  void addBlock(size_t begin, size_t end, size_t period);
  bool matches(size_t i, size_t begin, size_t period) const;
  bool operandMatches(Value here, Value there, size_t i, size_t begin,
                      size_t period) const;
  std::optional<size_t> getIndex(Value value) const;

  ArrayRef<Operation *> ops;
  DenseMap<Operation *, size_t> indices;
  std::vector<DictionaryAttr> attributes;
  /// A hash of an operation without regard to where its operands come from.
  std::vector<uint64_t> signatures;
  /// The values that are computed before each operation and used at or behind
  /// it.
  std::vector<int64_t> crossings;
  std::vector<RepeatedBlock> candidates;
};

} // namespace

BlockFinder::BlockFinder(ArrayRef<Operation *> ops) : ops(ops) {
  for (auto [i, op] : llvm::enumerate(ops)) {
    indices[op] = i;
    attributes.push_back(getComparedAttributes(op));
    llvm::hash_code hash = llvm::hash_combine(
        op->getName().getAsOpaquePointer(), attributes.back(),
        llvm::hash_combine_range(op->result_type_begin(),
                                 op->result_type_end()),
        llvm::hash_combine_range(op->operand_type_begin(),
                                 op->operand_type_end()));
    // The bodies of loops are not compared.
    signatures.push_back(op->getNumRegions() ? reinterpret_cast<uint64_t>(op)
                                             : uint64_t(hash));
  }
}

std::optional<size_t> BlockFinder::getIndex(Value value) const {
  Operation *op = value.getDefiningOp();
  auto found = op ? indices.find(op) : indices.end();
  if (found == indices.end())
    return std::nullopt;
  return found->second;
}

void BlockFinder::countCrossings() {
  DenseMap<Value, size_t> lastUses;
  for (auto [i, op] : llvm::enumerate(ops))
    for (Value operand : op->getOperands())
      lastUses[operand] = i;
  crossings.assign(ops.size() + 2, 0);
  for (auto [value, last] : lastUses)
    if (std::optional<size_t> index = getIndex(value)) {
      ++crossings[*index + 1];
      --crossings[last + 1];
    }
  for (size_t i = 1; i < crossings.size(); ++i)
    crossings[i] += crossings[i - 1];
}

//===----------------------------------------------------------------------===//
// Periods
//===----------------------------------------------------------------------===//

/// The most frequent distances between equal sequences of `window` signatures.
/// Within repeated blocks a sequence that occurs once in a block comes again
/// after a period.
void BlockFinder::addDistances(size_t window,
                               SmallVectorImpl<size_t> &periods) const {
  constexpr size_t kept = 4;
  constexpr uint64_t base = 0x9e3779b97f4a7c15;
  uint64_t power = 1;
  for (size_t i = 0; i < window; ++i)
    power *= base;
  uint64_t hash = 0;
  DenseMap<uint64_t, size_t> last;
  DenseMap<size_t, size_t> counts;
  for (size_t i = 0; i < signatures.size(); ++i) {
    hash = hash * base + signatures[i];
    if (i + 1 < window)
      continue;
    if (i >= window)
      hash -= power * signatures[i - window];
    // Two values are no keys of a DenseMap.
    auto [place, isNew] = last.try_emplace(hash >> 2, i);
    if (!isNew)
      ++counts[i - std::exchange(place->second, i)];
  }
  SmallVector<std::pair<size_t, size_t>> sorted;
  for (auto [distance, count] : counts)
    sorted.push_back({count, distance});
  llvm::sort(sorted, std::greater<>());
  for (auto [count, distance] : ArrayRef(sorted).take_front(kept))
    periods.push_back(distance);
}

SmallVector<size_t> BlockFinder::findPeriods() const {
  SmallVector<size_t> periods;
  // The longer a sequence, the more surely it occurs once in a block; the
  // shorter, the fewer blocks have to be there.
  for (size_t window : {1, 4, 16, 64})
    addDistances(window, periods);
  llvm::sort(periods);
  periods.erase(llvm::unique(periods), periods.end());
  return periods;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// `here` is an operand of operation `i`, `there` that of operation
/// `i + period`.
bool BlockFinder::operandMatches(Value here, Value there, size_t i,
                                 size_t begin, size_t period) const {
  std::optional<size_t> first = getIndex(here), second = getIndex(there);
  bool isOutside = !first || *first < begin;
  if (here == there)
    return isOutside;
  if (first && second && *first + period == *second)
    return cast<OpResult>(here).getResultNumber() ==
           cast<OpResult>(there).getResultNumber();
  // Inputs of the first block from outside are the second's from the first.
  if (second)
    return i < begin + period && isOutside && *second >= begin &&
           *second < begin + period;
  if (first)
    return false;
  Operation *leaf = here.getDefiningOp(), *other = there.getDefiningOp();
  if (!leaf || !other)
    return !leaf && !other;
  return leaf->getName() == other->getName() &&
         getComparedAttributes(leaf) == getComparedAttributes(other);
}

/// Returns whether the operations `i` and `i + period` are equal in blocks from
/// `begin` on.
bool BlockFinder::matches(size_t i, size_t begin, size_t period) const {
  Operation *here = ops[i], *there = ops[i + period];
  return signatures[i] == signatures[i + period] &&
         here->getName() == there->getName() &&
         attributes[i] == attributes[i + period] &&
         here->getResultTypes() == there->getResultTypes() &&
         llvm::all_of(
             llvm::zip_equal(here->getOperands(), there->getOperands()),
             [&](auto pair) {
               auto [operand, other] = pair;
               return operand.getType() == other.getType() &&
                      operandMatches(operand, other, i, begin, period);
             });
}

/// Adds the blocks in a stretch where each operation equals the one a period
/// before. It may begin anywhere in a block: the cut that the fewest values
/// cross is the natural one.
void BlockFinder::addBlock(size_t begin, size_t end, size_t period) {
  size_t count = (end - begin) / period;
  if (count < 2 || (count - 1) * period < minSaved)
    return;
  size_t best = begin;
  for (size_t cut = begin; cut + count * period <= end; ++cut)
    if (crossings[cut + period] < crossings[best + period])
      best = cut;
  candidates.push_back({best, period, count});
}

void BlockFinder::addBlocks(size_t period) {
  size_t begin = 0;
  for (size_t i = 0; i + period < ops.size(); ++i)
    if (!matches(i, begin, period)) {
      addBlock(begin, i + period, period);
      begin = i + 1;
    }
  addBlock(begin, ops.size(), period);
}

std::vector<RepeatedBlock> BlockFinder::find() {
  countCrossings();
  for (size_t period : findPeriods())
    addBlocks(period);
  llvm::stable_sort(candidates, [](auto &a, auto &b) {
    return (a.count - 1) * a.period > (b.count - 1) * b.period;
  });
  std::vector<bool> isTaken(ops.size());
  std::vector<RepeatedBlock> blocks;
  for (const RepeatedBlock &block : candidates) {
    auto first = isTaken.begin() + block.begin;
    auto last = isTaken.begin() + block.end();
    if (std::find(first, last, true) != last)
      continue;
    std::fill(first, last, true);
    blocks.push_back(block);
  }
  llvm::sort(blocks, [](auto &a, auto &b) { return a.begin < b.begin; });
  return blocks;
}

std::vector<RepeatedBlock>
hamkaas::findRepeatedBlocks(ArrayRef<Operation *> ops) {
  return BlockFinder(ops).find();
}
