//===- FlashDecoding.cpp - Attention in small blocks ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FlashDecoding.h"
#include "CooperativeGroups.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace hamkaas;

/// Queries of a block.
static constexpr int64_t maxRows = 4;
static constexpr int64_t minKeys = 64, maxGroupWarps = 16;
/// Accumulators of values per thread.
static constexpr int64_t maxSums = 16;

static int64_t countVectors(const Attention &attention) {
  return llvm::divideCeil(attention.valueWidth, warpSize);
}

static int64_t countRows(const Attention &attention) {
  return std::min(attention.queries, maxRows);
}

/// Warps with a query per lane read each key and value less often.
static bool fillsLanes(const CostModel &costs, const Attention &attention) {
  return 2 * attention.batches * (attention.queries / warpSize) >=
         getWantedWarps(costs);
}

bool FlashDecoding::fits(const CostModel &costs, const Attention &attention) {
  return attention.keys >= minKeys &&
         countRows(attention) * countVectors(attention) <= maxSums &&
         !fillsLanes(costs, attention);
}

FlashDecoding::FlashDecoding(KernelBuilder &kernel, const Attention &attention)
    : kernel(kernel), attention(attention), steps(kernel, attention),
      rows(countRows(attention)), vectors(countVectors(attention)),
      group(maxGroupWarps) {
  int64_t sumBytes = rows * vectors * warpSize * 4;
  const CostModel &costs = kernel.costs();
  // The rest of the shared memory is for statistics, and for the other blocks.
  int64_t maxBytes = costs.machine.sharedBytes * 2 / 3;
  while (group > 1 &&
         (group * sumBytes > maxBytes || attention.keys < group * warpSize ||
          attention.batches * blocksOfBatch() * group > getWantedWarps(costs)))
    group /= 2;
}

int64_t FlashDecoding::blocksOfBatch() const {
  return llvm::divideCeil(attention.queries, rows);
}

/// Rows beyond the last query repeat it and are not stored.
Value FlashDecoding::query(int64_t row) {
  Value query = kernel.add(firstQuery, row);
  return attention.queries % rows ? kernel.minimum(query, attention.queries - 1)
                                  : query;
}

Point FlashDecoding::keysOf(int64_t row, Value key) {
  return lanePoint({batch, query(row)}, key);
}

SmallVector<Value> FlashDecoding::Sums::all() const {
  SmallVector<Value> joined(largest);
  joined.append(weights);
  joined.append(values);
  return joined;
}

FlashDecoding::Sums FlashDecoding::split(ValueRange all) const {
  return {all.take_front(rows), all.slice(rows, rows),
          all.drop_front(2 * rows)};
}

/// Active lanes of a vector of columns of the values.
int64_t FlashDecoding::active(int64_t vector) const {
  return std::min(warpSize, attention.valueWidth - vector * warpSize);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Tile FlashDecoding::emit() {
  Type number = kernel.ir().getF32Type();
  sharedStatistics = allocateShared(kernel, {group, 2 * rows}, number);
  sharedValues =
      allocateShared(kernel, {group, rows * vectors, warpSize}, number);
  int64_t blocks = attention.batches * blocksOfBatch();
  kernel.tileLoop(blocks * group, [&](Value tile) {
    warp = kernel.remainder(tile, group);
    Value block = kernel.divide(tile, group);
    batch = kernel.divide(block, blocksOfBatch());
    firstQuery =
        kernel.multiply(kernel.remainder(block, blocksOfBatch()), rows);
    share(addAllKeys());
    blockBarrier(kernel);
    for (int64_t i = 0; i < rows * vectors; ++i) {
      Value isMine = isWarpNumber(kernel, warp, i % group);
      if (int64_t rest = attention.queries % rows; rest && i / vectors >= rest)
        isMine = arith::AndIOp::create(
            kernel.ir(), kernel.loc(), isMine,
            kernel.isLess(kernel.add(firstQuery, i / vectors),
                          attention.queries));
      kernel.writingBranch(
          isMine, [&] { finish(i / vectors, i % vectors); }, [] {});
    }
  });
  return {rows, attention.keys};
}

/// The key blocks of a warp, strided by the number of warps. So even if only
/// the first part of a long row is unmasked, all warps have work.
FlashDecoding::Sums FlashDecoding::addAllKeys() {
  Sums sums;
  sums.largest.assign(rows,
                      steps.splat(-std::numeric_limits<float>::infinity()));
  sums.weights.assign(rows, steps.splat(0));
  sums.values.assign(rows * vectors, steps.splat(0));
  int64_t whole = attention.keys / warpSize, rest = attention.keys % warpSize;
  sums = split(kernel.loop(warp, kernel.constant(whole), group, sums.all(),
                           /*writes=*/false, [&](Value part, ValueRange all) {
                             Value key = kernel.multiply(part, warpSize);
                             return addKeys(key, warpSize, split(all)).all();
                           }));
  if (rest == 0)
    return sums;
  SmallVector<Value> all = sums.all();
  return split(kernel.branch(
      isWarpNumber(kernel, warp, whole % group), ValueRange(all).getTypes(),
      /*writes=*/false,
      [&] {
        return addKeys(kernel.constant(whole * warpSize), rest, sums).all();
      },
      [&] { return all; }));
}

//===----------------------------------------------------------------------===//
// Keys and values
//===----------------------------------------------------------------------===//

FlashDecoding::Sums FlashDecoding::addKeys(Value key, int64_t active,
                                           Sums sums) {
  SmallVector<Value> products = multiplyKeys(key, active), weights;
  auto add = [&](Value a, Value b) { return steps.maximum(a, b); };
  for (int64_t r = 0; r < rows; ++r) {
    Value scores = score(r, products[r], key, active);
    Value largest =
        steps.maximum(steps.combineLanes(scores, add), sums.largest[r]);
    Value subtracted = steps.finiteOrZero(largest);
    Value factor = steps.exponential(sums.largest[r], subtracted);
    weights.push_back(steps.exponential(scores, subtracted));
    sums.largest[r] = largest;
    sums.weights[r] =
        steps.multiplyAdd(sums.weights[r], factor, weights.back());
    for (int64_t v = 0; v < vectors; ++v) {
      Value &sum = sums.values[r * vectors + v];
      sum = steps.multiply(sum, factor);
    }
  }
  sums.values = kernel.branch(
      steps.anyNonzero(weights), ValueRange(sums.values).getTypes(),
      /*writes=*/false,
      [&] { return addValues(key, active, weights, sums.values); },
      [&] { return sums.values; });
  return sums;
}

/// Zeros if all of the keys are masked.
SmallVector<Value> FlashDecoding::multiplyKeys(Value key, int64_t active) {
  ComputedKeys keys(kernel, attention);
  auto compute = [&] {
    SmallVector<Value> products;
    for (int64_t r = 0; r < rows; ++r)
      products.push_back(
          steps.multiplyKeys(keys, batch, query(r), key, active));
    return products;
  };
  if (!attention.masking || active < warpSize)
    return compute();
  Value masked;
  for (int64_t r = 0; r < rows; ++r) {
    Value here = steps.isMasked(keysOf(r, key), warpSize, active);
    masked =
        masked ? arith::AndIOp::create(kernel.ir(), kernel.loc(), masked, here)
               : here;
  }
  SmallVector<Value> zeros(rows, steps.splat(0));
  return kernel.branch(
      steps.allSet(masked), ValueRange(zeros).getTypes(), /*writes=*/false,
      [&] { return zeros; }, compute);
}

/// The scores of a query, negative infinity where there is no key.
Value FlashDecoding::score(int64_t row, Value product, Value key,
                           int64_t active) {
  TreeEmitter tree(kernel, warpSize, active, [&](Value tensor, PointRef) {
    return tensor == attention.products->getResult(0) ? product : Value();
  });
  Value scores = tree.evaluateVector(attention.scores, keysOf(row, key));
  return steps.keepActive(scores, active,
                          steps.splat(-std::numeric_limits<float>::infinity()));
}

SmallVector<Value> FlashDecoding::addValues(Value key, int64_t active,
                                            ValueRange weights,
                                            ValueRange sums) {
  SmallVector<Value> next(sums);
  for (int64_t j = 0; j < active; ++j) {
    SmallVector<Value> factors;
    for (Value vector : weights)
      factors.push_back(kernel.broadcast(
          vector::ExtractOp::create(kernel.ir(), kernel.loc(), vector, j),
          warpSize));
    for (int64_t v = 0; v < vectors; ++v) {
      TreeEmitter tree(kernel, warpSize, this->active(v));
      Value values = tree.evaluateVector(
          attention.v, lanePoint({batch, kernel.add(key, j)},
                                 kernel.constant(v * warpSize)));
      for (int64_t r = 0; r < rows; ++r) {
        Value &sum = next[r * vectors + v];
        sum = steps.multiplyAdd(factors[r], values, sum);
      }
    }
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

/// Publishes the sums of the warp.
void FlashDecoding::share(const Sums &sums) {
  OpBuilder &ir = kernel.ir();
  Location loc = kernel.loc();
  auto add = [&](Value a, Value b) { return steps.add(a, b); };
  auto store = [&](Value vector, int64_t number) {
    Value element = vector::ExtractOp::create(ir, loc, vector, 0);
    memref::StoreOp::create(ir, loc, element, sharedStatistics,
                            ValueRange{warp, kernel.constant(number)});
  };
  for (int64_t r = 0; r < rows; ++r) {
    store(sums.largest[r], 2 * r);
    store(steps.combineLanes(sums.weights[r], add), 2 * r + 1);
  }
  for (auto [i, value] : llvm::enumerate(sums.values))
    vector::StoreOp::create(
        ir, loc, value, sharedValues,
        ValueRange{warp, kernel.constant(i), kernel.constant(0)});
}

Value FlashDecoding::loadStatistic(int64_t warp, int64_t number) {
  Value element = memref::LoadOp::create(
      kernel.ir(), kernel.loc(), sharedStatistics,
      ValueRange{kernel.constant(warp), kernel.constant(number)});
  return kernel.broadcast(element, warpSize);
}

/// Writes one vector of the result of a query.
void FlashDecoding::finish(int64_t row, int64_t vector) {
  OpBuilder &ir = kernel.ir();
  SmallVector<Value> largest;
  for (int64_t i = 0; i < group; ++i)
    largest.push_back(loadStatistic(i, 2 * row));
  Value subtracted = largest.front();
  for (Value other : ArrayRef(largest).drop_front())
    subtracted = steps.maximum(other, subtracted);
  subtracted = steps.finiteOrZero(subtracted);
  Value weights = steps.splat(0), values = steps.splat(0);
  for (int64_t i = 0; i < group; ++i) {
    Value factor = steps.exponential(largest[i], subtracted);
    weights = steps.multiplyAdd(loadStatistic(i, 2 * row + 1), factor, weights);
    Value value = vector::LoadOp::create(
        ir, kernel.loc(), VectorType::get(warpSize, ir.getF32Type()),
        sharedValues,
        ValueRange{kernel.constant(i), kernel.constant(row * vectors + vector),
                   kernel.constant(0)});
    values = steps.multiplyAdd(value, factor, values);
  }
  kernel.store(steps.divide(values, weights),
               steps.resultIndices(batch, query(row),
                                   kernel.constant(vector * warpSize)),
               active(vector));
}
