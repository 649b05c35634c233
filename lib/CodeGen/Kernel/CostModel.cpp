//===- CostModel.cpp - What pays on a machine -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/CostModel.h"
#include "llvm/ADT/bit.h"
#include <algorithm>
#include <numeric>

using namespace hamkaas;

CostModel::CostModel(const TargetDescription &target)
    : target(target), machine(*target.machine) {}

int64_t CostModel::tileSize(int64_t size) const {
  return std::max<int64_t>(1, size / machine.tilesPerCoreTile);
}

int64_t CostModel::tileUnits(int64_t fitting, int64_t units) const {
  if (int64_t warps = wantedWarps())
    fitting = std::min(fitting, units / warps);
  return std::clamp<int64_t>(fitting, 1, units);
}

int64_t CostModel::l1Lines(int64_t pitch) const {
  // Each way has the sets of a page.
  int64_t ways = machine.l1Bytes / machine.pageBytes;
  int64_t bytes = std::gcd(machine.pageBytes, pitch * elementBytes);
  return ways * (machine.pageBytes / std::max(bytes, machine.lineBytes));
}

/// Elements of a tile of a transposition.
static constexpr int64_t transposedElements = 4096;

TransposedTile CostModel::transposedTile(int64_t rows, int64_t columns,
                                         int64_t pitch, bool streams) const {
  auto limit = [&](int64_t tileRows, int64_t tileColumns, bool tilesAlongRead,
                   bool squaresAlongRead) -> TransposedTile {
    return {std::min(rows, tileRows), std::min(columns, tileColumns),
            tilesAlongRead, squaresAlongRead};
  };
  if (!hasOwnCache())
    return limit(32, 64, columns > 64, columns <= 64);
  // Lines of the operand that share a set of the L1 cache are used completely:
  // 1024 x 256 takes 34 us on a Zen 5 core, 52 along the result.
  if (!streams && sharesSet(rows) && !sharesSet(pitch))
    return limit(64, 32, true, true);
  // So are those of the result, if a line takes several vectors: 1024 x 4096
  // takes 2.1 to 3.5 ms on a Zen 3 core instead of 3.2 to 5.9.
  bool isNarrow = target.lanes < lineElements();
  if (!streams && isNarrow && sharesSet(rows) &&
      rows * columns > l2Elements()) {
    TransposedTile tile = limit(64, 32, true, true);
    tile.fillsLines = true;
    return tile;
  }
  // Tiles that are one line wide use few lines of each set: with several
  // vectors to a line, 2048 x 4096 takes 5.8 ms on a Zen 3 core, 7.2 in tiles
  // of 32 x 64.
  if (streams && isNarrow && sharesSet(rows) && sharesSet(pitch))
    return limit(64, lineElements(), true, false);
  // Between two lines of a row of a large operand, prefetched ones would be
  // evicted: 50000 x 512 takes 6.2 ms on a Zen 5 core, 8.7 along the result.
  // Where rows of both sides share sets, the same happens in some places of
  // memory: 2048 x 2048 takes 1.2 ms, 0.95 or 1.9 along the result.
  if (streams && (columns * lineElements() > l2Elements() ||
                  (sharesSet(rows) && sharesSet(pitch))))
    return limit(32, 64, true, false);
  // As few rows of the result as use lines of the operand completely, because
  // prefetchers follow some streams of stores only. With 12 MB of other data in
  // between, 2 x 784 x 1024 takes 0.31 ms on a Zen 5 core, 0.50 in tiles of
  // 32 x 64 along the operand. Tiles of short rows are as large.
  int64_t wide = std::min<int64_t>(columns, 256);
  int64_t tall = llvm::alignDown(transposedElements / wide, lineElements());
  return limit(std::clamp<int64_t>(tall, lineElements(), 256), wide, false,
               isNarrow && sharesSet(rows));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Shortest row for nontemporal stores. The ends of rows use ordinary stores,
/// which fetch lines next to nontemporal ones: rows of 64 elements took ten
/// times as long as without, those of 1024 1.2 times.
static constexpr int64_t minStreamedRow = 2048;

bool CostModel::streams(int64_t elements, int64_t columns) const {
  return machine.streamedBytes > 0 &&
         elements * elementBytes >= machine.streamedBytes &&
         columns >= minStreamedRow && columns % lineElements() == 0;
}

bool CostModel::prefetchesElements(int64_t elements) const {
  return machine.prefetches && elements >= 4 * l1Elements();
}

int64_t CostModel::stepsAtOnce(int64_t products) const {
  constexpr int64_t most = 4, iterationProducts = 48;
  // Numbers of steps are mostly multiples of a power of two.
  auto steps = llvm::bit_floor<uint64_t>(iterationProducts / products);
  return std::clamp<int64_t>(steps, 1, most);
}

int64_t CostModel::keptRowElements() const {
  // A third of the registers: twice as many elements for one operand as for
  // two.
  return hasOwnCache() ? 0 : target.lanes * target.registers / 3;
}

//===----------------------------------------------------------------------===//
// Right sides of contractions
//===----------------------------------------------------------------------===//

/// Of more blocks of rows, the first, which alone waits for the L3 cache,
/// hardly counts. 8 x 200 x 384 x 80 takes 380 us instead of 420 without the
/// prefetches, with AVX2 810 instead of 1050; other sizes change by 2 % at most
/// (Zen 5).
static constexpr int64_t maxPrefetchedUses = 3;

bool CostModel::prefetchesColumns(int64_t elements, int64_t uses) const {
  return machine.prefetches && elements >= l1Elements() &&
         uses <= maxPrefetchedUses;
}

int64_t CostModel::stepsAhead(int64_t columns) const {
  constexpr int64_t most = 8, requests = 32;
  return std::clamp<int64_t>(requests * lineElements() / columns, 1, most);
}

bool CostModel::prefetchesCopies() const {
  // A block of 16 registers has 12 multiply-adds a step, in 6 cycles that the
  // other instructions and the address of a prefetch fill: 128 x 784 x 1000
  // runs at 73 GFLOP/s with it on Zen 3, at 88 without.
  return machine.prefetches && !target.hasFewRegisters();
}

bool CostModel::prefetchesFarCopies(int64_t elements) const {
  // All that a block needs in one go, before its steps. 112 x 192 x 12544 takes
  // 6.6 ms instead of 7.1 on Zen 3, 64 x 128 x 25600 5.4 instead of 5.8; with
  // smaller right sides nothing is gained.
  return machine.prefetches && elements >= 5 * l2Elements();
}

bool CostModel::isCopied(int64_t depth, int64_t columns) const {
  if (!hasOwnCache())
    return false;
  if (depth * columns >= l2Elements() / 4)
    return true;
  // A way of the L1 cache is a page. Rows whose distance has a large power of
  // two as a factor share sets: of 64 x 512, each panel has 32 lines in a set
  // of 8, and 128 rows run at 72 GFLOP/s in place, at 95 from copies. Measured
  // for copies that do not prefetch.
  int64_t distance = std::gcd(columns * elementBytes, machine.pageBytes);
  // Lines of a panel are also half used where rows do not begin at one, as in a
  // buffer of the caller, and share sets with those of the left side. 200 rows
  // of 384 x 80 run at 85 GFLOP/s in place, at 98 from copies, 60 of 160 x 96
  // at 75 and 95. With depths of up to 96, copies take up to 1.04 times as
  // long.
  bool isLong = 2 * depth * machine.lineBytes > machine.l1Bytes / 2;
  return !prefetchesCopies() && (isLong || depth * distance >= machine.l1Bytes);
}

bool CostModel::isEvicted(int64_t depth, int64_t columns) const {
  // Half of the L2 cache is what a neighbour leaves. 21 x 512 times 512 x 1024
  // takes half of the time from copies, 18 x 256 times 256 x 4096 0.7; with
  // fewer lines or other distances, so few uses do not pay for a copy (Zen 3).
  int64_t distance = std::gcd(columns * elementBytes, machine.pageBytes);
  return depth * distance > machine.l2Bytes / 2;
}

bool CostModel::readsRowsAcross(int64_t depth, int64_t columns) const {
  // Each step reads another line of the left side, once for each panel. With 16
  // registers, panels are narrow and a step takes 6 cycles: 1024 x 768 x 200
  // takes 1.5 times as long as with a permute, with 32 registers 0.9 (Zen 5).
  return hasOwnCache() && !target.hasFewRegisters() &&
         depth * columns <= l2Elements() * 3 / 4;
}

/// Packing moves each element of the right side once, and saves time in every
/// row block that reads it: it breaks even at 128 rows.
static constexpr int64_t minPackedRows = 192, minPackedElements = 1 << 16;
/// Up to this number of rows, tiles themselves copy a right side that fits the
/// L2 cache, so that it never moves from one core's cache to another's.
static constexpr int64_t maxCopiedRows = 512;

bool CostModel::isWorthPacking(int64_t rows, int64_t elements) const {
  return rows >= minPackedRows && elements >= minPackedElements;
}

bool CostModel::tilesCopy(int64_t rows, int64_t elements) const {
  return rows <= maxCopiedRows && elements <= l2Elements();
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

/// Elements of a block of queries: half of a first-level cache.
static constexpr int64_t queryElements = 4096;

int64_t CostModel::queryVectors(int64_t queries, int64_t width) const {
  if (machine.scratchBytes < queryElements * elementBytes)
    return 1;
  int64_t registers = !target.hasFewRegisters() ? 4 : 2;
  int64_t needed = llvm::divideCeil(queries, target.lanes);
  int64_t fitting = queryElements / (width * target.lanes);
  return std::clamp<int64_t>(fitting, 1, std::min(registers, needed));
}
