//===- MatchWindow.cpp - What slides over what ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

/// Accumulators: enough to hide the latency of a multiply-add.
static constexpr int64_t maxAccumulators = 8;
/// Windows to compute at once if lanes are windows, too, of several vectors,
/// which share the other factors. The rows of a single vector share what is
/// read: all 14 rows of 14 take 0.6 of the time of 4 at a time (7 x 7, Zen 5).
static constexpr int64_t maxRows = 4;
/// The same where sums are long chains of multiply-adds and registers few. Few
/// rows of a block have elements where it begins and ends, so more vectors are
/// more chains at once.
static constexpr int64_t maxRowsOfChains = 2;
static constexpr int64_t chainRows = 5;
/// Limits on code size: elements of a window along unrolled dimensions, and
/// blocks of windows that reach into the padding.
static constexpr int64_t maxTaps = 64;
static constexpr int64_t maxEdgeBlocks = 8;

/// Appends the axis that `factors` describe: a loop over windows and one over
/// their elements.
bool WindowEmitter::matchAxis(int64_t dim, ArrayRef<int64_t> factors) {
  WindowAxis axis{};
  axis.dim = dim;
  axis.window = axis.tap = -1;
  for (auto [loop, factor] : llvm::enumerate(factors.drop_back())) {
    if (factor == 0)
      continue;
    bool isTap = llvm::is_contained(reduction.loops, loop);
    int64_t &found = isTap ? axis.tap : axis.window;
    if (found >= 0 || factor < 0)
      return false;
    found = loop;
    (isTap ? axis.dilation : axis.stride) = factor;
  }
  if (factors.back() != 0)
    return false;
  if (axis.window < 0) {
    bool isChannel =
        channelLoop < 0 && axis.tap >= 0 && axis.dilation == 1 && low[dim] == 0;
    channelLoop = axis.tap;
    sourceLoops.push_back(axis.tap);
    return isChannel;
  }
  if (axis.tap < 0) {
    sourceLoops.push_back(axis.window);
    return axis.stride == 1;
  }
  sourceLoops.push_back(-1);
  axis.low = low[dim];
  axis.windows = extents[axis.window];
  axis.taps = extents[axis.tap];
  axis.size = cast<RankedTensorType>(source.getType()).getDimSize(dim);
  outerAxes.push_back(axis);
  return true;
}

bool WindowEmitter::matchOperand(OpOperand &candidate) {
  operand = &candidate;
  source = candidate.get();
  outerAxes.clear();
  sourceLoops.clear();
  channelLoop = -1;
  low.assign(cast<RankedTensorType>(source.getType()).getRank(), 0);
  padding = Value();
  if (auto pad = source.getDefiningOp<tensor::PadOp>()) {
    low.assign(pad.getStaticLow().begin(), pad.getStaticLow().end());
    padding = pad.getConstantPaddingValue();
    source = pad.getSource();
  }
  AffineMap map = root.getMatchingIndexingMap(operand);
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim)
    if (!matchAxis(dim, getFactors(map, dim)))
      return false;
  size_t reduced = outerAxes.size() + (channelLoop >= 0);
  return !outerAxes.empty() && reduced == reduction.loops.size() &&
         matchPadding();
}

/// Padding must be neutral, because it is skipped.
bool WindowEmitter::matchPadding() {
  if (!padding)
    return true;
  for (auto [dim, loop] : llvm::enumerate(sourceLoops))
    if (loop >= 0 && low[dim] != 0)
      return false;
  Value element = root.getMatchingBlockArgument(operand);
  if (reduction.contribution == element)
    return matchPattern(padding, m_Constant()) &&
           cast<arith::ConstantOp>(padding.getDefiningOp()).getValue() ==
               reduction.neutral;
  auto product = reduction.contribution.getDefiningOp<arith::MulFOp>();
  return product && isa<arith::AddFOp>(reduction.combiner) &&
         llvm::is_contained(product->getOperands(), element) &&
         matchPattern(padding, m_AnyZeroFloat());
}

/// Sorts the loops into those of lanes, of a block, and others.
bool WindowEmitter::matchLoops() {
  AffineMap map = root.getIndexingMapsArray().back();
  SmallVector<int64_t> loops;
  for (int64_t dim : order) {
    auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
    if (!loop)
      return false;
    loops.push_back(loop.getPosition());
  }
  auto take = [&](int64_t loop) -> std::optional<WindowAxis> {
    auto *axis = llvm::find_if(
        outerAxes, [&](const WindowAxis &axis) { return axis.window == loop; });
    if (axis == outerAxes.end())
      return std::nullopt;
    WindowAxis taken = *axis;
    outerAxes.erase(axis);
    return taken;
  };
  laneLoop = loops.pop_back_val();
  laneAxis = take(laneLoop);
  std::optional<WindowAxis> found;
  outer = loops;
  for (int64_t loop : llvm::reverse(loops))
    if (!found && extents[loop] > 1 && (found = take(loop)))
      outer.erase(llvm::find(outer, loop));
  if (!found && laneAxis && !outer.empty() && channelLoop < 0)
    found = matchRows();
  if (!found)
    return false;
  blockAxis = *found;
  if (channelLoop >= 0 && !matchChannels())
    return false;
  // A sum has the order of the loops; that over the channels comes first.
  llvm::sort(outerAxes, [](const WindowAxis &a, const WindowAxis &b) {
    return a.tap < b.tap;
  });
  if (channelLoop >= 0)
    return outerAxes.back().tap < laneAxis->tap;
  return (outerAxes.empty() || outerAxes.back().tap < blockAxis.tap) &&
         (!laneAxis || blockAxis.tap < laneAxis->tap);
}

/// Makes blocks of rows of sequences, along which windows slide: each row has
/// one window across. None if there is one row, or if rows of the result are
/// not rows of the source.
std::optional<WindowAxis> WindowEmitter::matchRows() {
  int64_t loop = outer.back(), rows = extents[loop];
  auto *dim = llvm::find(sourceLoops, loop);
  if (dim == sourceLoops.end() || rows == 1)
    return std::nullopt;
  outer.pop_back();
  *dim = -1;
  return WindowAxis{/*dim=*/dim - sourceLoops.begin(),
                    /*window=*/loop,
                    /*tap=*/-1,
                    /*stride=*/1,
                    /*dilation=*/1,
                    /*low=*/0,
                    /*windows=*/rows,
                    /*taps=*/1,
                    /*size=*/rows};
}

/// Makes blocks of the channels of the result, which share what is read. The
/// axis that was found for them becomes a loop.
bool WindowEmitter::matchChannels() {
  auto *channels = llvm::find_if(outer, [&](int64_t loop) {
    return !llvm::is_contained(sourceLoops, loop);
  });
  if (!laneAxis || !outerAxes.empty() || channels == outer.end() ||
      !kernel.costs().fitsStack(extents[*channels] * extents[laneLoop]))
    return false;
  outerAxes.push_back(blockAxis);
  blockAxis = {/*dim=*/-1,
               /*window=*/*channels,
               /*tap=*/-1,
               /*stride=*/0,
               /*dilation=*/1,
               /*low=*/0,
               /*windows=*/extents[*channels],
               /*taps=*/1,
               /*size=*/1};
  outer.erase(channels);
  outer.push_back(outerAxes.back().window);
  return true;
}

/// The size of balanced chunks of `extent`, at most `most`.
static int64_t balance(int64_t extent, int64_t most) {
  return llvm::divideCeil(extent, llvm::divideCeil(extent, most));
}

/// Returns whether all windows of a vector multiply their elements by the same
/// numbers.
bool WindowEmitter::sharesFactors() {
  for (OpOperand *other : root.getDpsInputOperands())
    if (other != operand &&
        root.getMatchingIndexingMap(other).isFunctionOfDim(laneLoop))
      return false;
  return !root.hasIndexSemantics();
}

/// The order of windows in the lanes of a vector such that one instruction
/// selects all first or all second elements of two vectors: those of 128 bits
/// stay where they are.
static SmallVector<int64_t> getInterleavedOrder(int64_t lanes) {
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < lanes / 2; i += 2)
    order.append({i, i + 1, lanes / 2 + i, lanes / 2 + i + 1});
  return order;
}

/// Returns whether each sum is a chain of so many multiply-adds that processors
/// do not reach the next block before it ends.
bool WindowEmitter::hasLongChains() {
  return blockAxis.taps >= chainRows && kernel.target().fma &&
         kernel.target().hasFewRegisters() &&
         isa_and_nonnull<arith::MulFOp>(reduction.contribution.getDefiningOp());
}

void WindowEmitter::chooseSizes() {
  for (int64_t loop : outer)
    outerShape.push_back(extents[loop]);
  lanes = chooseLanes(kernel.target(), extents[laneLoop]);
  int64_t bits = reduction.neutral.getType().getIntOrFloatBitWidth();
  int64_t registers = std::max<int64_t>(1, bits / 32);
  int64_t half = kernel.target().registers / 2 / registers;
  int64_t budget = std::clamp<int64_t>(half, 1, maxAccumulators);
  int64_t needed = llvm::divideCeil(extents[laneLoop], lanes);
  int64_t most = budget;
  bool areChains = laneAxis && needed > 2 && hasLongChains();
  if (channelLoop >= 0)
    most = half;
  else if (areChains)
    most = std::min(budget, maxRowsOfChains);
  else if (laneAxis)
    most = needed > 1 ? std::min(budget, maxRows) : std::max(half, budget);
  rows = balance(blockAxis.windows, most);
  chooseParts();
  vectors = std::clamp<int64_t>(budget / rows, 1, needed);
  copy = chooseCopy();
  // Both vectors of a line at once: 28 x 28 pixels of 256 channels take 0.72 of
  // the time with 3 x 3 windows and strides of 2 (AMD Zen 3).
  if (!copy && !laneAxis && blockAxis.stride > 1 &&
      kernel.costs().hasOwnCache() && lanes < kernel.costs().lineElements() &&
      countLines() > kernel.costs().l1Lines(extents[laneLoop])) {
    rows = balance(blockAxis.windows, budget / 2);
    vectors = std::clamp<int64_t>(budget / rows, 1, needed);
  }
  // A last block of one vector would take as long as one of several.
  if (areChains)
    vectors = balance(needed, vectors + 1);
  // One register has a factor, and one is spare.
  if (channelLoop >= 0)
    vectors = balance(
        needed,
        std::min(needed, std::max<int64_t>(1, (2 * half - 2) / (rows + 1))));
  if (laneAxis && laneAxis->stride == 2 && bits == 32 && lanes >= 4 &&
      !kernel.target().gathers && sharesFactors())
    laneOrder = getInterleavedOrder(lanes);
}

/// The blocks of `size` windows that do not lie within the source.
static int64_t countEdges(const WindowAxis &axis, int64_t size) {
  int64_t count = 0;
  for (int64_t i = 0; i < axis.windows && count <= maxEdgeBlocks; i += size)
    count += i + size > axis.windows || !axis.isInside(i, size);
  return count;
}

bool WindowEmitter::match() {
  auto isOperand = [&](OpOperand *candidate) {
    return !root.getMatchingBlockArgument(candidate).use_empty() &&
           isa<RankedTensorType>(candidate->get().getType()) &&
           matchOperand(*candidate);
  };
  if (llvm::none_of(root.getDpsInputOperands(), isOperand) || !matchLoops())
    return false;
  chooseSizes();
  return blockAxis.taps * (laneAxis ? laneAxis->taps : 1) <= maxTaps &&
         countEdges(blockAxis, rows) <= maxEdgeBlocks &&
         (!laneAxis || countEdges(*laneAxis, vectors * lanes) <= maxEdgeBlocks);
}
