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
/// Depth of a stage: two stages of the largest tile are 32 KB of the 48 KB that
/// a block may have without opt-in. For tensor cores, three are 56 KB.
static constexpr int64_t stageDepth = 16;

namespace {
struct Candidate {
  int64_t warps, rows, vectors;
  /// Share of issue slots with multiply-adds. The other slots are shared-memory
  /// reads of four rows or four columns each.
  double efficiency;
  int64_t columnWarps = 1;
  int64_t stages = 2;
};
} // namespace

static constexpr Candidate candidates[] = {
    {8, 16, 4, 0.90}, {8, 8, 4, 0.84}, {8, 8, 2, 0.78}, {4, 8, 4, 0.74},
    {4, 8, 2, 0.66},  {4, 4, 2, 0.50}, {4, 4, 1, 0.33}, {4, 2, 1, 0.20}};

/// Tensor cores multiply 16 rows by 8 columns: a warp with more of both reads
/// less per product. They finish so fast that two stages must be in flight.
static constexpr Candidate tensorCandidates[] = {
    {8, 64, 1, 0.90, 4, 3}, {8, 32, 1, 0.80, 2, 3}, {4, 32, 1, 0.76, 2, 3},
    {4, 32, 1, 0.74, 4, 3}, {4, 16, 1, 0.60, 1, 3}, {4, 16, 1, 0.60, 2, 3},
    {4, 16, 1, 0.60, 4, 3}};

std::optional<BlockTile>
hamkaas::chooseBlockTile(const CostModel &costs, int64_t batches, int64_t rows,
                         int64_t columns, int64_t depth, int64_t panelWidth) {
  if (rows < minRows || columns < minColumns || depth < minDepth)
    return std::nullopt;
  std::optional<BlockTile> best;
  double bestCost = 0;
  llvm::ArrayRef<Candidate> choices = candidates;
  if (costs.target.precision != Precision::Exact)
    choices = tensorCandidates;
  for (const Candidate &candidate : choices) {
    BlockTile tile{candidate.warps,
                   candidate.rows,
                   candidate.vectors * costs.target.lanes,
                   stageDepth,
                   candidate.columnWarps,
                   candidate.stages};
    if (panelWidth && tile.columns() != panelWidth)
      continue;
    int64_t blocks = batches * divideCeil(rows, tile.blockRows()) *
                     divideCeil(columns, tile.columns());
    double cost = double(divideCeil(blocks, costs.machine.processors)) *
                  double(tile.blockRows() * tile.columns()) /
                  candidate.efficiency;
    if (!best || cost < bestCost) {
      best = tile;
      bestCost = cost;
    }
  }
  return best;
}
