//===- AttentionBlocks.cpp - Blocks of the gradient of attention *- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AttentionBlocks.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

/// Scores of a block. Two buffers of so many are in use at once: larger ones
/// leave the L3 cache, smaller ones are too few for many threads.
static constexpr int64_t mostScores = 1 << 20;
/// Queries of a block, but for the last ones of a segment.
static constexpr int64_t leastQueries = 64;
/// Each segment has kernels of its own. With that many, causal attention takes
/// 5/8 of all products.
static constexpr int64_t mostSegments = 4;

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

namespace {

/// The numbers of a constant that is the same for all batches.
class ConstantScores {
public:
  static std::optional<ConstantScores> read(Value value);

  double at(int64_t query, int64_t key) const {
    return numbers[query * queryStride + key * keyStride];
  }

private:
  std::vector<double> numbers;
  int64_t queryStride, keyStride;
};

/// A mask that is a constant, or compares two of them.
class ConstantMask {
public:
  static std::optional<ConstantMask> read(Value mask);

  bool hides(int64_t query, int64_t key) const;

private:
  ConstantScores lhs;
  std::optional<ConstantScores> rhs;
  ComparePredicate predicate = ComparePredicate::Eq;
};

} // namespace

/// Evaluates a value that depends on constants only, by a few operations.
static std::optional<ReferenceTensor> evaluate(Value value, unsigned depth) {
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return getReferenceTensor(elements);
  auto op = value.getDefiningOp<ReferenceSemanticsOpInterface>();
  if (!op || depth == 0 || op->getNumResults() != 1 ||
      !graph::GraphBuilder::canFold(op))
    return std::nullopt;
  SmallVector<ReferenceTensor, 2> operands;
  for (Value operand : op->getOperands()) {
    std::optional<ReferenceTensor> known = evaluate(operand, depth - 1);
    if (!known)
      return std::nullopt;
    operands.push_back(std::move(*known));
  }
  SmallVector<const ReferenceTensor *> pointers;
  for (const ReferenceTensor &operand : operands)
    pointers.push_back(&operand);
  ReferenceTensor result(cast<RankedTensorType>(value.getType()));
  // The run will report an error.
  ScopedDiagnosticHandler quiet(op->getContext(),
                                [](Diagnostic &) { return success(); });
  if (failed(op.interpret(pointers, result)))
    return std::nullopt;
  roundToType(result);
  return result;
}

std::optional<ConstantScores> ConstantScores::read(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getX();
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() != 3 || shape[0] != 1 ||
      type.getElementType().isUnsignedInteger())
    return std::nullopt;
  std::optional<ReferenceTensor> elements = evaluate(value, /*depth=*/4);
  if (!elements)
    return std::nullopt;
  ConstantScores scores;
  elements->withElements([&](const auto &numbers) {
    scores.numbers.assign(numbers.begin(), numbers.end());
  });
  scores.queryStride = shape[1] == 1 ? 0 : shape[2];
  scores.keyStride = shape[2] == 1 ? 0 : 1;
  return scores;
}

std::optional<ConstantMask> ConstantMask::read(Value mask) {
  while (auto broadcast = mask.getDefiningOp<BroadcastOp>())
    mask = broadcast.getX();
  ConstantMask result;
  auto compare = mask.getDefiningOp<CompareOp>();
  auto lhs = ConstantScores::read(compare ? compare.getLhs() : mask);
  if (!lhs)
    return std::nullopt;
  result.lhs = std::move(*lhs);
  if (!compare)
    return result;
  result.predicate = compare.getPredicate();
  result.rhs = ConstantScores::read(compare.getRhs());
  return result.rhs ? std::optional(std::move(result)) : std::nullopt;
}

bool ConstantMask::hides(int64_t query, int64_t key) const {
  double a = lhs.at(query, key);
  if (!rhs)
    return a;
  double b = rhs->at(query, key);
  switch (predicate) {
  case ComparePredicate::Eq:
    return a == b;
  case ComparePredicate::Ne:
    return a != b;
  case ComparePredicate::Lt:
    return a < b;
  case ComparePredicate::Le:
    return a <= b;
  case ComparePredicate::Gt:
    return a > b;
  case ComparePredicate::Ge:
    return a >= b;
  }
  llvm_unreachable("all predicates are handled");
}

//===----------------------------------------------------------------------===//
// Segments
//===----------------------------------------------------------------------===//

/// The number of keys up to the last one that some query from `begin` up to
/// `end` sees; none if one of these sees no key.
static std::optional<int64_t> countVisible(const ConstantMask &mask,
                                           int64_t begin, int64_t end,
                                           int64_t keys) {
  int64_t count = 0;
  for (int64_t query = end - 1; query >= begin; --query) {
    int64_t first = 0;
    while (first < keys && mask.hides(query, first))
      ++first;
    if (first == keys)
      return std::nullopt;
    int64_t last = keys;
    while (last > count && mask.hides(query, last - 1))
      --last;
    count = std::max(count, last);
  }
  return count;
}

bool gradient::hasNoMaskedWeights(AttentionOp op) {
  return op.getMaskedScore().isInfinity() && op.getMaskedScore().isNegative();
}

AttentionBlocks gradient::makeSingleBlock(AttentionOp op) {
  ArrayRef<int64_t> q = op.getQ().getType().getShape();
  return {q[0], {{0, q[1], q[1], op.getK().getType().getDimSize(1)}}};
}

/// Segments of one block that leave out keys.
static AttentionBlocks cutQueries(AttentionOp op) {
  AttentionBlocks whole = makeSingleBlock(op);
  if (!op.getMask() || !hasNoMaskedWeights(op))
    return whole;
  auto mask = ConstantMask::read(op.getMask());
  if (!mask)
    return whole;
  int64_t queries = whole.segments.front().size;
  int64_t keys = whole.segments.front().keys;
  int64_t count = std::clamp<int64_t>(queries / leastQueries, 1, mostSegments);
  // In whole vectors.
  int64_t size = llvm::alignTo(llvm::divideCeil(queries, count), 16);
  AttentionBlocks cut{whole.batches, {}, /*hasVisibleKeys=*/true};
  int64_t seen = 0;
  for (int64_t begin = 0; begin < queries; begin += size) {
    int64_t end = std::min(begin + size, queries);
    std::optional<int64_t> visible = countVisible(*mask, begin, end, keys);
    if (!visible)
      return whole;
    int64_t before = seen;
    seen = std::max<int64_t>(
        seen, std::min<int64_t>(llvm::alignTo(*visible, 16), keys));
    if (seen == before)
      cut.segments.back().size += end - begin;
    else
      cut.segments.push_back({begin, end - begin, end - begin, seen});
  }
  return cut;
}

/// Cuts the segments into blocks. What remains of one is another.
static SmallVector<AttentionSegment>
cutSegments(ArrayRef<AttentionSegment> segments) {
  SmallVector<AttentionSegment> result;
  for (AttentionSegment segment : segments) {
    int64_t block = mostScores / segment.keys / leastQueries * leastQueries;
    segment.block = std::min(segment.size, std::max(block, leastQueries));
    int64_t rest = segment.size % segment.block;
    segment.size -= rest;
    result.push_back(segment);
    if (rest != 0)
      result.push_back(
          {segment.begin + segment.size, rest, rest, segment.keys});
  }
  return result;
}

AttentionBlocks gradient::chooseAttentionBlocks(AttentionOp op) {
  AttentionBlocks blocks = cutQueries(op);
  blocks.segments = cutSegments(blocks.segments);
  int64_t batches = std::exchange(blocks.batches, 1);
  int64_t largest = 0;
  for (const AttentionSegment &segment : blocks.segments) {
    if (segment.blockCount() > 1)
      return blocks;
    largest = std::max(largest, segment.size * segment.keys);
  }
  blocks.batches = std::clamp<int64_t>(mostScores / largest, 1, batches);
  while (batches % blocks.batches != 0)
    --blocks.batches;
  return blocks;
}
