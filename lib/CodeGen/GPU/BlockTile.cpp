//===- BlockTile.cpp - Contractions of a block of threads -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockTile.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"

using namespace hamkaas;

using llvm::divideCeil;

/// Contractions smaller than this in any dimension are left to single warps.
static constexpr int64_t minRows = 8, minColumns = 32, minDepth = 32;
/// Warps that keep a multiprocessor busy; fewer are slower in proportion. So
/// many blocks have enough registers at a time.
static constexpr double wantedWarps = 8;
static constexpr int64_t maxResidentBlocks = 2;
/// Time to write a sum to shared memory and read it, in multiply-adds.
static constexpr double exchangeCost = 8;
/// Depth of a stage for tensor cores.
static constexpr int64_t tensorDepth = 16;

namespace {
struct Candidate {
  int64_t warps, rows, vectors;
  /// Share of issue slots with multiply-adds where all warps are resident. The
  /// other slots are reads of shared memory.
  double efficiency;
  int64_t columnWarps = 1;
  int64_t stages = 2;
  int64_t depthWarps = 1;
  int64_t depth = tensorDepth;
};
} // namespace

/// A thread has 8 x 8 sums, 8 x 4 or fewer. Many are in blocks of four warps,
/// which then have enough registers for ptxas to read them without conflicts of
/// banks. Few are in blocks of eight, which split the depth; deep stages have
/// fewer barriers. The efficiencies follow measurements on an H100.
static constexpr Candidate candidates[] = {
    {4, 32, 2, 0.72, 2, 3, 1, 16},  {4, 32, 2, 0.66, 1, 2, 2, 32},
    {8, 32, 1, 0.58, 1, 2, 8, 128}, {8, 32, 1, 0.55, 1, 2, 8, 64},
    {8, 16, 1, 0.48, 1, 2, 8, 128}, {8, 16, 1, 0.45, 1, 3, 8, 64},
    {8, 8, 1, 0.35, 1, 3, 8, 128},  {8, 8, 1, 0.30, 1, 4, 8, 64}};

/// A warp of tensor cores with 64 rows and 64 columns reads least per product,
/// and its sums are half of its registers. Four stages of the largest tile are
/// 97 KB.
static constexpr Candidate tensorCandidates[] = {
    {8, 64, 2, 0.92, 4, 4}, {4, 64, 2, 0.88, 2, 4}, {4, 32, 2, 0.82, 2, 4},
    {4, 32, 1, 0.74, 2, 4}, {4, 32, 1, 0.70, 4, 4}, {4, 16, 1, 0.60, 1, 4},
    {4, 16, 1, 0.60, 2, 4}, {4, 16, 1, 0.60, 4, 4}};

std::optional<BlockTile>
hamkaas::chooseBlockTile(const CostModel &costs, int64_t batches, int64_t rows,
                         int64_t columns, int64_t depth, int64_t panelWidth) {
  if (rows < minRows || columns < minColumns || depth < minDepth)
    return std::nullopt;
  std::optional<BlockTile> best;
  double bestCost = 0;
  bool isExact = costs.target.precision == Precision::Exact;
  llvm::ArrayRef<Candidate> choices = candidates;
  if (!isExact)
    choices = tensorCandidates;
  for (const Candidate &candidate : choices) {
    BlockTile tile{candidate.warps,
                   candidate.rows,
                   candidate.vectors * costs.target.lanes,
                   candidate.depth,
                   candidate.columnWarps,
                   candidate.stages,
                   candidate.depthWarps};
    if (panelWidth && tile.columns() != panelWidth)
      continue;
    int64_t blocks = batches * divideCeil(rows, tile.blockRows()) *
                     divideCeil(columns, tile.columns());
    double sums = double(tile.blockRows() * tile.columns());
    double products =
        sums * double(llvm::alignTo(depth, tile.depth)) / candidate.efficiency;
    double exchange = sums * double(tile.depthWarps) * exchangeCost;
    int64_t turns = divideCeil(blocks, costs.machine.processors);
    int64_t resident = candidate.warps * std::min(turns, maxResidentBlocks);
    double latency =
        isExact ? std::max(1.0, wantedWarps / double(resident)) : 1.0;
    double cost = double(turns) * (products * latency + exchange);
    if (!best || cost < bestCost) {
      best = tile;
      bestCost = cost;
    }
  }
  return best;
}
