//===- ContractionTile.cpp - Blocks of a contraction ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Contraction.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace hamkaas;

using llvm::ArrayRef;
using llvm::divideCeil;
using llvm::SmallVector;

/// Limit on rows: more only lengthen the code.
static constexpr int64_t maxRows = 16;
/// Limit on panel width: wider panels gain nothing, and leave fewer tiles to
/// share.
static constexpr int64_t maxVectors = 4;
/// Columns of the panels that `panelDepth` is for.
static constexpr int64_t usualColumns = 48;
/// Tiles that keep several threads busy, if each is worth handing out.
static constexpr int64_t wantedTiles = 32;
/// The same where each tile copies what it reads of the right side: fewer and
/// larger tiles copy it less often. 512 x 512 x 512 and 128 x 784 x 1000 gain 3
/// and 5 % on two threads.
static constexpr int64_t wantedCopyingTiles = 16;
static constexpr int64_t minTileFlops = 1 << 17;

/// How the second-level cache is divided. A panel takes up to 3/32 of it.
static int64_t getMaxDepth(const CostModel &costs) {
  return 3 * costs.l2Elements() / (32 * usualColumns);
}

/// The depth of a block of packed panels. With 16 registers they are narrow,
/// and partial sums every few products cost more than a panel that stays in the
/// second-level cache alone: on Zen 3, depths of up to 1024 gain 1.5 to 4 % of
/// products of depth 784 to 1536. Copied panels gain nothing.
static int64_t getMaxPackedDepth(const CostModel &costs, int64_t panelWidth) {
  int64_t depth = getMaxDepth(costs);
  if (!costs.target.hasFewRegisters())
    return depth;
  return std::max(depth, costs.l2Elements() / (16 * panelWidth));
}

/// A block of the left side takes up to a quarter.
static int64_t getMaxBlockRows(const CostModel &costs) {
  return costs.l2Elements() / (4 * getMaxDepth(costs));
}

/// An operand of up to three quarters stays there beside a panel or some rows.
static int64_t getMaxNearElements(const CostModel &costs) {
  return costs.l2Elements() * 3 / 4;
}

/// Registers beside accumulators and vectors of the right side: one of the left
/// side. Without FMA, the product needs a register of its own.
static int64_t getOtherRegisters(const CostModel &costs) {
  return costs.target.fma ? 1 : 2;
}

int64_t hamkaas::getMaxVectors(const CostModel &costs) {
  return (costs.target.registers - getOtherRegisters(costs)) / 2;
}

/// One row more would spill and halve the speed.
int64_t hamkaas::getMaxRows(const CostModel &costs, int64_t vectors) {
  int64_t others = vectors + getOtherRegisters(costs);
  return std::clamp<int64_t>((costs.target.registers - others) / vectors, 0,
                             maxRows);
}

/// Cycles more that a step takes where there is nothing but the stream: for one
/// row, panels of 32 columns are read at 16.0 GB/s from memory, of 64 at 17.0.
static constexpr double rowStepCycles = 0.5;

/// Tiles that are left to share where a row reads several panels at once.
static constexpr int64_t minPanelTiles = 16;

static double vectorBytes(const CostModel &costs) {
  return sizeof(float) * static_cast<double>(costs.target.lanes);
}

/// How much longer than counted the loads of a step take where they limit it,
/// as in blocks of 10 to 14 rows of a vector: 13 take 8.05 cycles on a Zen 3
/// core.
static constexpr double loadDelay = 1.15;

/// Cycles per step of the depth for one block of accumulators: the maximum of
/// its multiply-adds, its loads, the accumulator latency (and half a cycle,
/// since the next multiply-add rarely issues at once), and the stream of the
/// right side from the L2 cache, which limits blocks of few rows.
static double stepCost(const CostModel &costs, int64_t rows, int64_t vectors) {
  const MachineFacts &machine = costs.machine;
  double arithmetic = rows * vectors / machine.multiplyAddsPerCycle;
  double loads = (rows + vectors) / machine.loadsPerCycle;
  // Measured with 16 registers alone.
  if (costs.target.hasFewRegisters())
    loads *= loadDelay;
  double latency = machine.multiplyAddLatency + 0.5;
  double stream = vectors * vectorBytes(costs) / machine.l2BytesPerCycle;
  // The last term prefers fewer loads where the units are equally busy.
  return std::max({latency, arithmetic, loads, stream}) +
         0.01 * (rows + vectors);
}

/// Cycles per step for all rows of a panel, the first of which waits for it to
/// arrive in the L2 cache.
static double columnCost(const CostModel &costs, int64_t rows,
                         int64_t blockRows, int64_t vectors) {
  double block = stepCost(costs, blockRows, vectors);
  double arrival =
      vectors * vectorBytes(costs) / costs.machine.farBytesPerCycle;
  if (rows == 1)
    arrival += rowStepCycles;
  int64_t blocks = rows / blockRows;
  double cost = double(blocks) * block + std::max(0.0, arrival - block);
  if (rows % blockRows)
    cost += stepCost(costs, rows % blockRows, vectors);
  return cost;
}

/// Cycles that the sums of a short step wait for each other although their
/// latency is hidden; they have slack from `restedCycles` on. On a Zen 5 core
/// with AVX2, 500 rows of a convolution with 256 to 256 channels and windows of
/// 7 run at 118 GFLOP/s in blocks of 5 x 2 vectors, at 127 of 6 x 2. Steps of
/// 32 registers are longer.
static double waitCost(const CostModel &costs, int64_t rows, int64_t blockRows,
                       int64_t vectors) {
  constexpr double restedCycles = 6.5, waitingShare = 0.27;
  if (!costs.target.hasFewRegisters())
    return 0;
  double wait =
      std::max(0.0, restedCycles - stepCost(costs, blockRows, vectors));
  int64_t blocks = rows / blockRows;
  return waitingShare * wait * double(blocks);
}

static int64_t chooseRows(const CostModel &costs, int64_t rows,
                          int64_t vectors) {
  int64_t most =
      std::max<int64_t>(1, std::min(rows, getMaxRows(costs, vectors)));
  if (costs.knobs.rows)
    return std::min(costs.knobs.rows, most);
  auto getCost = [&](int64_t r) {
    return columnCost(costs, rows, r, vectors) +
           waitCost(costs, rows, r, vectors);
  };
  int64_t best = 1;
  for (int64_t r = 2; r <= most; ++r)
    if (getCost(r) < getCost(best))
      best = r;
  return best;
}

static int64_t chooseLanes(const CostModel &costs, int64_t columns) {
  return std::min<int64_t>(costs.target.lanes, llvm::PowerOf2Ceil(columns));
}

/// Cycles per step for all panels.
static double matrixCost(const CostModel &costs, int64_t rows,
                         int64_t columnVectors, TileShape shape) {
  auto [blockRows, v] = shape;
  int64_t panels = columnVectors / v;
  double cost = double(panels) * columnCost(costs, rows, blockRows, v);
  // The whole panel is brought into the cache, even if only some of its vectors
  // are read.
  if (columnVectors % v)
    cost +=
        columnCost(costs, rows, blockRows, rows == 1 ? v : columnVectors % v);
  return cost;
}

/// Most rows that read a large right side in place in wide pieces of its rows,
/// and the bytes of a piece. Each piece is on another page, and the hardware
/// prefetcher stays within a page. 1 x 1000 x 2048 takes 110 to 150 us in
/// pieces of 512 bytes, 160 to 330 in pieces of 256; 2 x 1000 x 2048 takes 135
/// to 150 and 270 to 450 (Zen 4, AVX-512).
static constexpr int64_t maxWideRows = 4, wideBytes = 512;

/// The vectors of such a piece, 0 where there should be none.
static int64_t chooseWideVectors(const CostModel &costs, int64_t rows,
                                 int64_t columns, int64_t depth) {
  if (costs.knobs.vectors || costs.knobs.rows || rows > maxWideRows ||
      depth * columns < costs.l2Elements() / 2)
    return 0;
  // The multiply-adds of one row have operands in memory.
  int64_t free = costs.target.registers - getOtherRegisters(costs);
  int64_t fitting = rows == 1 ? free - 1 : free / (rows + 1);
  int64_t wide = wideBytes / int64_t(costs.target.lanes * sizeof(float));
  return std::min({wide, fitting, columns / costs.target.lanes});
}

static int64_t chooseVectors(const CostModel &costs, int64_t rows,
                             int64_t columnVectors) {
  if (costs.knobs.vectors)
    return std::min({costs.knobs.vectors, columnVectors, getMaxVectors(costs)});
  int64_t best = 1;
  double bestCost = 0;
  for (int64_t v = 1; v <= std::min(columnVectors, maxVectors); ++v) {
    if (getMaxRows(costs, v) <
        std::min(rows, std::max<int64_t>(1, costs.knobs.rows)))
      break;
    double cost =
        matrixCost(costs, rows, columnVectors, {chooseRows(costs, rows, v), v});
    if (v == 1 || cost < bestCost) {
      best = v;
      bestCost = cost;
    }
  }
  return best;
}

/// Cycles per step for all panels of `vectors` vectors, which are in the cache.
static double cachedCost(const CostModel &costs, int64_t rows,
                         int64_t columnVectors, int64_t vectors) {
  auto getCost = [&](int64_t v) {
    int64_t r = chooseRows(costs, rows, v), blocks = rows / r, rest = rows % r;
    return double(blocks) * stepCost(costs, r, v) +
           (rest ? stepCost(costs, rest, v) : 0);
  };
  int64_t panels = columnVectors / vectors, rest = columnVectors % vectors;
  return double(panels) * getCost(vectors) + (rest ? getCost(rest) : 0);
}

/// Time that joined rows must take of that of others, by the model, and the
/// cycles that the addresses of a block of them take. Where a panel would fill
/// a quarter of the second-level cache, more rows should share each part of it:
/// 512 to 512 channels of 7 x 7 gain 4 % though the blocks are the same.
static constexpr double maxJoinedCost = 0.955, maxSharingCost = 1.05,
                        addressCycles = 20;

bool hamkaas::joinsRows(const CostModel &costs, int64_t outer, int64_t rows,
                        int64_t columns, int64_t depth, int64_t panelWidth) {
  // Measured with 16 registers alone. There are addresses for as many rows as
  // blocks of two or more vectors have.
  if (!costs.hasOwnCache() || !costs.target.hasFewRegisters() || outer == 1)
    return false;
  int64_t lanes = panelWidth ? std::min(costs.target.lanes, panelWidth)
                             : chooseLanes(costs, columns);
  int64_t columnVectors = divideCeil(columns, lanes);
  auto getVectors = [&](int64_t count) {
    return panelWidth ? panelWidth / lanes
                      : chooseVectors(costs, count, columnVectors);
  };
  int64_t vectors = getVectors(outer * rows);
  if (vectors == 1)
    return false;
  double blocks = static_cast<double>(outer * rows) /
                  chooseRows(costs, outer * rows, vectors) *
                  divideCeil(columnVectors, vectors);
  double joined = cachedCost(costs, outer * rows, columnVectors, vectors) +
                  blocks * addressCycles / depth;
  bool isLarge = depth * vectors * lanes > costs.l2Elements() / 4;
  return joined <= (isLarge ? maxSharingCost : maxJoinedCost) * outer *
                       cachedCost(costs, rows, columnVectors, getVectors(rows));
}

/// Panels, out of `count`, that a tile of one row reads at once, each with its
/// own accumulators and with memory operands in multiply-adds.
static int64_t choosePanels(const CostModel &costs, int64_t vectors,
                            int64_t outer, int64_t count) {
  int64_t fitting =
      (costs.target.registers - 1 - (costs.target.fma ? 0 : 1)) / vectors;
  int64_t wanted =
      std::min(outer * count / minPanelTiles, costs.machine.streams);
  return std::max<int64_t>(1, std::min({wanted, fitting, count}));
}

/// Rows of a tile: many, so that a panel is rarely read from memory, but few
/// enough to leave tiles to share.
static int64_t chooseBlockRows(int64_t rows, int64_t tileRows, int64_t others,
                               int64_t flopsPerRow, int64_t maxBlock,
                               int64_t wanted) {
  int64_t blocks = divideCeil(rows, maxBlock);
  blocks = std::max<int64_t>(blocks, divideCeil(wanted, others));
  int64_t minRows = divideCeil(minTileFlops, flopsPerRow);
  int64_t blockRows = std::max<int64_t>(divideCeil(rows, blocks), minRows);
  return std::min<int64_t>(rows, llvm::alignTo(blockRows, tileRows));
}

/// Returns whether consecutive tiles, which run on one thread, should share
/// rows instead of a panel. Either the left side is too large to be read again
/// for each panel; or the right side is small, and threads that keep their rows
/// find in their caches what the previous row-wise kernel left there. But fresh
/// panels are in the cache of the thread that wrote them, which the kernel that
/// packs chooses alike: 512 x 128 x 256 gains 5 % on two threads (Zen 5).
static bool isBetterByRows(const CostModel &costs, int64_t rows,
                           int64_t columns, int64_t depth, bool isFresh) {
  int64_t left = rows * depth, right = depth * columns;
  int64_t near = getMaxNearElements(costs);
  return left > near ||
         (!isFresh && right <= near && right <= left + rows * columns);
}

/// Rows and vectors of accumulators on a machine without a cache per thread.
static constexpr int64_t registerRows = 8, registerVectors = 4;

/// Without a cache per thread, a tile is one block of sums over the whole
/// depth. Its size minimizes reads per product while leaving enough blocks.
/// Facts alone decide it, and the shared emitter runs it, so it is no strategy.
static ContractionTile chooseRegisterTile(const CostModel &costs, int64_t outer,
                                          int64_t rows, int64_t columns,
                                          int64_t depth, int64_t panelWidth) {
  ContractionTile tile;
  tile.lanes = chooseLanes(costs, columns);
  tile.vectors =
      std::min<int64_t>(registerVectors, divideCeil(columns, tile.lanes));
  if (panelWidth) {
    tile.lanes = std::min(costs.target.lanes, panelWidth);
    tile.vectors = panelWidth / tile.lanes;
  }
  tile.rows = std::min(registerRows, rows);
  auto isTooFew = [&] {
    int64_t blocks = outer * divideCeil(rows, tile.rows) *
                     divideCeil(columns, tile.panelWidth());
    return blocks < costs.machine.busyWarps;
  };
  while (isTooFew() && (tile.rows > 1 || (tile.vectors > 1 && !panelWidth))) {
    if (tile.vectors > 1 && !panelWidth && 2 * tile.vectors >= tile.rows)
      tile.vectors = divideCeil(tile.vectors, 2);
    else
      tile.rows = divideCeil(tile.rows, 2);
  }
  tile.panels = 1;
  tile.depth = depth;
  tile.blockRows = tile.rows;
  tile.sharesRows = false;
  return tile;
}

/// Most rows of dot products, and of a block of them: those of 4 rows and 4
/// columns that are a multiple of 4 KB apart fill a set of the L1 cache. 16 x
/// 1024 x 384 takes 124 us, in blocks of 6 rows 148 (Zen 4, AVX-512); packing
/// the right side and multiplying that takes 237.
static constexpr int64_t maxDotRows = 32, dotRows = 4;

/// Of more rows than this, a panel is worth transposing until the depth has so
/// many vectors: 4 x 128 x 1024 takes 12 us instead of 27, but 16 x 128 x 512
/// 25 instead of 23 (Zen 4, AVX-512).
static constexpr int64_t fewDotRows = 8, longDotVectors = 16;

bool hamkaas::areDotProducts(const CostModel &costs, int64_t rows,
                             int64_t columns, int64_t depth) {
  int64_t lanes = costs.target.lanes;
  int64_t vectors = rows <= fewDotRows ? minDotVectors : longDotVectors;
  return costs.hasOwnCache() && rows > 1 && rows <= maxDotRows &&
         columns >= std::max(lanes, dotColumns) && depth >= vectors * lanes;
}

/// Each vector of the depth takes a register for each row, and one for a
/// column.
static ContractionTile chooseDotTile(const CostModel &costs, int64_t rows,
                                     int64_t depth) {
  int64_t most =
      (costs.target.registers - getOtherRegisters(costs)) / (dotColumns + 1);
  int64_t blocks = divideCeil(rows, std::min(most, dotRows));
  return {/*lanes=*/dotColumns,
          /*rows=*/int64_t(divideCeil(rows, blocks)),
          /*vectors=*/1,
          /*panels=*/1,
          depth,
          /*blockRows=*/rows,
          /*sharesRows=*/false};
}

ContractionTile hamkaas::chooseContractionTile(const CostModel &costs,
                                               int64_t outer, int64_t rows,
                                               int64_t columns, int64_t depth,
                                               int64_t panelWidth,
                                               RightSide right) {
  if (!costs.hasOwnCache())
    return chooseRegisterTile(costs, outer, rows, columns, depth, panelWidth);
  if (right == RightSide::Rows)
    return chooseDotTile(costs, rows, depth);
  ContractionTile tile;
  if (panelWidth) {
    tile.lanes = std::min(costs.target.lanes, panelWidth);
    tile.vectors = panelWidth / tile.lanes;
  } else {
    tile.lanes = chooseLanes(costs, columns);
    tile.vectors = chooseVectors(costs, rows, divideCeil(columns, tile.lanes));
    if (right == RightSide::InPlace)
      tile.vectors = std::max(tile.vectors,
                              chooseWideVectors(costs, rows, columns, depth));
  }
  tile.rows = chooseRows(costs, rows, tile.vectors);
  int64_t panels = divideCeil(columns, tile.panelWidth());
  // Of few rows, panels should be read once. Of many, where both sides are too
  // large for the second-level cache, smaller blocks gain 4 % on 2048 x 2048 x
  // 2048, on two threads as well.
  int64_t maxBlockRows = getMaxBlockRows(costs);
  int64_t near = getMaxNearElements(costs);
  bool isFar =
      rows >= 4 * maxBlockRows && rows * depth > near && depth * columns > near;
  bool isCopied = !panelWidth && (right == RightSide::Transposed ||
                                  costs.isCopied(depth, columns));
  int64_t maxBlock = isCopied ? 2 * maxBlockRows
                     : isFar  ? maxBlockRows / 2
                              : maxBlockRows;
  if (costs.knobs.blockRows)
    tile.blockRows = std::min<int64_t>(
        rows, llvm::alignTo(costs.knobs.blockRows, tile.rows));
  else
    tile.blockRows = chooseBlockRows(
        rows, tile.rows, outer * panels, 2 * depth * tile.panelWidth(),
        maxBlock, isCopied ? wantedCopyingTiles : wantedTiles);
  tile.panels = panelWidth && rows == 1
                    ? choosePanels(costs, tile.vectors, outer, panels)
                    : 1;
  tile.sharesRows =
      rows > tile.blockRows &&
      isBetterByRows(costs, rows, columns, depth, right == RightSide::Fresh);
  if (costs.knobs.depth) {
    tile.depth = std::min(depth, costs.knobs.depth);
    return tile;
  }
  // A panel that is used only once need not stay in the cache.
  bool reused = tile.blockRows > tile.rows;
  int64_t maxDepth = panelWidth ? getMaxPackedDepth(costs, tile.panelWidth())
                                : getMaxDepth(costs);
  tile.depth = reused ? divideCeil(depth, divideCeil(depth, maxDepth)) : depth;
  return tile;
}

/// How much worse than the best one a shape may be by the model, which is off
/// by as much.
static constexpr double maxModelledCost = 1.4;

SmallVector<TileShape> hamkaas::listTileShapes(const CostModel &costs,
                                               int64_t rows, int64_t columns,
                                               size_t count) {
  int64_t columnVectors = divideCeil(columns, chooseLanes(costs, columns));
  TileShape chosen{0, chooseVectors(costs, rows, columnVectors)};
  chosen.rows = chooseRows(costs, rows, chosen.vectors);
  double most =
      maxModelledCost * matrixCost(costs, rows, columnVectors, chosen);
  SmallVector<std::pair<double, TileShape>> near;
  for (int64_t v = 1; v <= std::min(columnVectors, maxVectors); ++v)
    for (int64_t r = 1; r <= std::min(rows, getMaxRows(costs, v)); ++r) {
      double cost = matrixCost(costs, rows, columnVectors, {r, v});
      if (cost <= most && (r != chosen.rows || v != chosen.vectors))
        near.push_back({cost, {r, v}});
    }
  llvm::stable_sort(near, llvm::less_first());
  SmallVector<TileShape> shapes;
  for (auto &[cost, shape] : ArrayRef(near).take_front(count))
    shapes.push_back(shape);
  return shapes;
}

int64_t hamkaas::choosePanelWidth(const CostModel &costs, int64_t outer,
                                  int64_t rows, int64_t columns,
                                  int64_t depth) {
  return chooseContractionTile(costs, outer, rows, columns, depth).panelWidth();
}
