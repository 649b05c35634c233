//===- ReductionStreams.cpp - Reductions of large operands ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace hamkaas;

/// Rows that are added to sums in memory at once, and the rows ahead that are
/// prefetched of short pieces. In microseconds on one Zen 3 core, 2048 x 1536
/// in an L3 cache takes 550 with the sums of 64 columns in registers; with
/// those of 384 columns in memory it takes 410, prefetched 280.
static constexpr int64_t rowsAtOnce = 4, rowsAhead = 8;
/// The columns of a row that such a tile has: few enough for some tiles and for
/// half of an L1 cache, and enough that the hardware fetches them as a stream.
/// Of a page or more, prefetches take longer than they save: 16 x 64 x 4096
/// takes 300 us in whole rows, 370 with prefetches, 407 in pieces of 512.
static constexpr int64_t minColumns = 128, maxColumns = 4096, wantedTiles = 4;

/// Returns whether lanes run along rows of one operand that a second-level
/// cache does not hold. Of short pieces, sums of less than 4 MB take up to 1.3
/// times as long in memory.
bool ReductionEmitter::readsStreams() {
  if (isAcross || root.getNumDpsInputs() != 1 || extents.size() < 2 ||
      !reduction.neutral.getType().isF32() ||
      extents[laneLoop] < 2 * minColumns)
    return false;
  AffineMap map = root.getMatchingIndexingMap(root.getDpsInputOperand(0));
  if (!map.isPermutation() ||
      map.getDimPosition(map.getNumResults() - 1) != laneLoop)
    return false;
  unsigned rowDim = map.getNumResults() - 2;
  while (rowDim > 0 && extents[map.getDimPosition(rowDim)] == 1)
    --rowDim;
  int64_t last = reduction.loops.back();
  return map.getDimPosition(rowDim) == last &&
         extents[last] >= 2 * rowsAtOnce && isLarge(1) &&
         (isLarge(4) || !isShort(countStreamed()));
}

/// Returns whether the operand is larger than so many L2 caches.
bool ReductionEmitter::isLarge(int64_t caches) const {
  return kernel.costs().hasOwnCache() && kernel.costs().machine.prefetches &&
         ShapedType::getNumElements(extents) >
             caches * kernel.costs().l2Elements();
}

/// Returns whether pieces of `count` columns are shorter than a row and a page.
bool ReductionEmitter::isShort(int64_t count) const {
  return count < std::min(extents[laneLoop], kernel.costs().elementsAhead());
}

/// The columns of a row that a tile has.
int64_t ReductionEmitter::countStreamed() const {
  int64_t extent = extents[laneLoop];
  int64_t tiles =
      ShapedType::getNumElements(extents) / getReducedCount() / extent;
  int64_t blocks = std::clamp<int64_t>(wantedTiles / tiles,
                                       llvm::divideCeil(extent, maxColumns),
                                       extent / minColumns);
  int64_t line = std::max(lanes, kernel.costs().lineElements());
  return std::min<int64_t>(
      llvm::alignTo(llvm::divideCeil(extent, blocks), line), extent);
}

void ReductionEmitter::chooseStreams() {
  columns.size = countStreamed();
  sumMemory = kernel.allocate(1, llvm::alignTo(columns.size, lanes));
}

//===----------------------------------------------------------------------===//
// Sums in memory
//===----------------------------------------------------------------------===//

Value ReductionEmitter::loadSum(Value offset, int64_t vector) {
  return vector::LoadOp::create(
      kernel.ir(), kernel.loc(),
      VectorType::get(lanes, reduction.neutral.getType()), sumMemory,
      ValueRange{kernel.constant(0), kernel.add(offset, vector * lanes)});
}

void ReductionEmitter::storeSum(Value sum, Value offset, int64_t vector) {
  vector::StoreOp::create(
      kernel.ir(), kernel.loc(), sum, sumMemory,
      ValueRange{kernel.constant(0), kernel.add(offset, vector * lanes)});
}

/// Visits `count` columns, those of a cache line at once.
void ReductionEmitter::forEachLine(
    int64_t count, bool writes,
    function_ref<void(Value, int64_t, int64_t)> body) {
  int64_t line = std::max(lanes, kernel.costs().lineElements());
  int64_t whole = llvm::alignDown(count, line);
  kernel.loop(kernel.constant(0), kernel.constant(whole), line, {}, writes,
              [&](Value offset, ValueRange) {
                body(offset, line / lanes, lanes);
                return SmallVector<Value>();
              });
  if (int64_t rest = count - whole) {
    int64_t vectors = llvm::divideCeil(rest, lanes);
    body(kernel.constant(whole), vectors, rest - (vectors - 1) * lanes);
  }
}

/// The columns from `first` on. Each sum has the order that it has in a
/// register.
void ReductionEmitter::emitStreams(Value first, int64_t count) {
  forEachLine(count, /*writes=*/false,
              [&](Value offset, int64_t vectors, int64_t) {
                for (int64_t v = 0; v < vectors; ++v)
                  storeSum(steps.neutral(lanes), offset, v);
              });
  int64_t loop = reduction.loops.back();
  int64_t whole = llvm::alignDown(extents[loop], rowsAtOnce);
  reduce({}, ArrayRef(reduction.loops).drop_back(), [&](ValueRange) {
    kernel.loop(kernel.constant(0), kernel.constant(whole), rowsAtOnce, {},
                /*writes=*/false, [&](Value row, ValueRange) {
                  addRows(first, count, row, rowsAtOnce);
                  return SmallVector<Value>();
                });
    if (int64_t rest = extents[loop] - whole)
      addRows(first, count, kernel.constant(whole), rest);
    return SmallVector<Value>();
  });
  forEachLine(count, /*writes=*/true,
              [&](Value offset, int64_t vectors, int64_t lastActive) {
                SmallVector<Value> sums;
                for (int64_t v = 0; v < vectors; ++v)
                  sums.push_back(loadSum(offset, v));
                at[laneLoop] = {kernel.add(first, offset), /*step=*/1};
                finishSums({at, /*rows=*/1, vectors, lastActive}, sums);
              });
}

void ReductionEmitter::addRows(Value first, int64_t count, Value row,
                               int64_t rowCount) {
  Coordinate &at = this->at[reduction.loops.back()];
  forEachLine(count, /*writes=*/false,
              [&](Value offset, int64_t vectors, int64_t lastActive) {
                SmallVector<Value> sums;
                for (int64_t v = 0; v < vectors; ++v)
                  sums.push_back(loadSum(offset, v));
                for (int64_t r = 0; r < rowCount; ++r) {
                  this->at[laneLoop] = {kernel.add(first, offset), /*step=*/1};
                  if (isShort(columns.size)) {
                    at = {kernel.add(row, r + rowsAhead)};
                    prefetchOperand();
                  }
                  at = {kernel.add(row, r)};
                  visit({this->at, /*rows=*/1, vectors, lastActive},
                        /*leaf=*/{}, [&](TreeEmitter &tree, size_t v) {
                          sums[v] =
                              steps.accumulate(tree, this->at, sums[v], lanes);
                        });
                }
                for (int64_t v = 0; v < vectors; ++v)
                  storeSum(sums[v], offset, v);
              });
}

//===----------------------------------------------------------------------===//
// Prefetches
//===----------------------------------------------------------------------===//

/// Prefetches the line at the current point of the operand, or of what the
/// kernel computes it from. Rows that are reduced need none: the maximum of
/// 1024 x 1280 takes 0.072 ms with a prefetch of the next page, 0.054 without,
/// the means of 4096 rows of 2048 1.7 and 1.0 (AMD Zen 4). On Zen 3, where it
/// was not measured for rows, the maximum gained a tenth by prefetches.
void ReductionEmitter::prefetchOperand() {
  OpOperand *operand = root.getDpsInputOperand(0);
  auto type = cast<RankedTensorType>(operand->get().getType());
  Point point = applyLinear(kernel, root.getMatchingIndexingMap(operand), at);
  Value linear = kernel.constant(0);
  for (auto [size, coordinate] : llvm::zip_equal(type.getShape(), point))
    linear = kernel.add(kernel.multiply(linear, size), coordinate.index);
  linear = kernel.minimum(linear, type.getNumElements() - 1);
  for (BlockArgument argument : kernel.arguments().drop_back())
    if (argument.getType() == type && !argument.use_empty())
      kernel.prefetch(argument, linear);
}
