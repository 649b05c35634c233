//===- WideLanes.cpp - Several elements a thread ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU thread moves 16 aligned bytes by one instruction. A tree that is read
// in this way needs a quarter of the instructions. Elsewhere, threads four
// elements apart would request four times the memory.
//
//===----------------------------------------------------------------------===//

#include "WideLanes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

using Indices = SmallVector<LaneUse::Index>;

/// Returns whether `share` elements from each multiple of it on are contiguous
/// and aligned to their size, or all lanes have one element.
static bool isReadInShares(const LaneUse &use, int64_t share) {
  auto depends = [](LaneUse::Index index) { return index.factor != 0; };
  if (llvm::none_of(use.at, depends))
    return true;
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(use.tensor.getType()).getShape();
  bool isOneRow = ShapedType::getNumElements(shape) == shape.back();
  return llvm::none_of(ArrayRef(use.at).drop_back(), depends) &&
         use.at.back().factor == 1 && use.at.back().rest % share == 0 &&
         (isOneRow || shape.back() % share == 0);
}

/// The operand uses of `use`, whose tensor is the result of `op`; none if the
/// body of `op` reads memory directly.
static std::optional<SmallVector<LaneUse>> getOperandUses(linalg::LinalgOp op,
                                                          const LaneUse &use) {
  if (!op.getBlock()->getOps<tensor::ExtractOp>().empty())
    return std::nullopt;
  Indices loops(op.getNumLoops());
  AffineMap map = op.getIndexingMapMatchingResult(cast<OpResult>(use.tensor));
  for (auto [expr, index] : llvm::zip_equal(map.getResults(), use.at))
    loops[cast<AffineDimExpr>(expr).getPosition()] = index;
  SmallVector<LaneUse> operands;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<RankedTensorType>(operand.get().getType()) &&
        !op.getMatchingBlockArgument(&operand).use_empty())
      operands.push_back(
          {operand.get(),
           applyToLanes(op.getMatchingIndexingMap(&operand), loops)});
  return operands;
}

/// The use of the source of `pad`; none if lanes may lie in the padding.
static std::optional<LaneUse> getPaddedUse(tensor::PadOp pad,
                                           const LaneUse &use) {
  LaneUse source{pad.getSource(), use.at};
  for (auto [dim, index] : llvm::enumerate(source.at)) {
    if (!pad.getStaticLow()[dim] && !pad.getStaticHigh()[dim])
      continue;
    if (index.factor)
      return std::nullopt;
    index.rest = 1;
  }
  return source;
}

/// Returns whether all memory reads of `uses` are shares.
static bool areReadInShares(SmallVector<LaneUse> uses, int64_t share,
                            function_ref<bool(Value)> isLeaf) {
  auto add = [&](const LaneUse &use) {
    if (!llvm::is_contained(uses, use))
      uses.push_back(use);
  };
  for (size_t i = 0; i < uses.size(); ++i) {
    LaneUse use = uses[i];
    Operation *op = use.tensor.getDefiningOp();
    if ((isLeaf && isLeaf(use.tensor)) ||
        isa_and_present<linalg::FillOp, tensor::EmptyOp>(op))
      continue;
    if (auto pad = dyn_cast_if_present<tensor::PadOp>(op)) {
      std::optional<LaneUse> source = getPaddedUse(pad, use);
      if (!source)
        return false;
      add(*source);
    } else if (auto definition = dyn_cast_if_present<linalg::LinalgOp>(op)) {
      std::optional<SmallVector<LaneUse>> operands =
          getOperandUses(definition, use);
      if (!operands)
        return false;
      llvm::for_each(*operands, add);
    } else if (isa_and_present<linalg::UnPackOp>(op) ||
               !isReadInShares(use, share)) {
      return false;
    }
  }
  return true;
}

int64_t hamkaas::chooseWideLanes(const CostModel &costs, int64_t extent,
                                 ArrayRef<LaneUse> uses,
                                 function_ref<bool(Value)> isLeaf) {
  if (uses.empty())
    return chooseLanes(costs.target, extent);
  Type type = getElementTypeOrSelf(uses.front().tensor.getType());
  int64_t bytes = llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  const TargetDescription &target = costs.target;
  // Narrow types get no more elements than 32-bit ones: each is a register, and
  // their results may be wider.
  int64_t share = costs.machine.accessBytes /
                  std::max<int64_t>(bytes, CostModel::elementBytes);
  for (; share > 1; share /= 2)
    if (extent >= share * target.lanes &&
        areReadInShares(llvm::to_vector(uses), share, isLeaf))
      return share * target.lanes;
  return chooseLanes(target, extent);
}
