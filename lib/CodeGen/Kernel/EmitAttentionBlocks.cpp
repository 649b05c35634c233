//===- EmitAttentionBlocks.cpp - Attention of many queries ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Transpose each query block once so that queries occupy the vector lanes. Keys
// and values are then read in place, and the maximum score and the weight sum
// of each query are vector operations. Scores of a chunk of keys are in scratch
// memory; earlier sums are rescaled when a larger score appears (Milakov and
// Gimelshein, Online normalizer calculation for softmax, 2018; Dao et al.,
// FlashAttention, 2022).
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Attention.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace hamkaas;

/// Keys of a chunk: with 64 queries, their scores fill most of an L1 cache. The
/// order of a sum depends on it, so it is the same for every machine.
static constexpr int64_t partKeys = 128;
/// The largest number of keys to compute in a single chunk.
static constexpr int64_t maxSinglePart = 160;

namespace {
class BlockEmitter {
public:
  BlockEmitter(KernelBuilder &kernel, const Attention &attention);

  Tile emit();

private:
  void emitTile(Value index);
  void emitBlock(int64_t count);
  void turnQueries();
  void emitPart(Value base, int64_t count, SmallVectorImpl<Value> &carried);
  Value countLive(Value base, int64_t count);
  SmallVector<Value> emitScores(Value base, int64_t count, Value live);
  SmallVector<Value> computeScores(Value base, int64_t count, Value live);
  void emitKeys(Value key, Value at, int64_t count,
                MutableArrayRef<Value> largest);
  SmallVector<Value> emitProducts(Value key, int64_t count);
  Value areAllMasked(Value base, int64_t count);
  SmallVector<Value> emitExponentials(Value live, ArrayRef<Value> largest);
  void emitValues(Value base, Value live);
  void emitRows(Value base, Value live, Value first, int64_t rowCount);
  void emitColumns(Value base, Value live, Value first, int64_t rowCount,
                   const ColumnBlock &columns);
  void finishRows();

  bool isSinglePart() const { return attention.keys <= part; }
  Value queryAt(int64_t vector) {
    return kernel.add(firstQuery, vector * lanes);
  }

  KernelBuilder &kernel;
  const Attention &attention;
  AttentionSteps steps;
  int64_t lanes;
  /// Vectors of queries, keys and rows of values to hold in registers.
  int64_t queryVectors, keysAtOnce, rowsAtOnce, valueVectors;
  int64_t part;
  /// `transposed` has a row per column of the queries, `weights` one per key.
  /// `factors` rescale the sums of each query.
  Scratch transposed, weights, factors;
  TransposedMatrices matrices;
  ComputedKeys keys;

  /// State while a block is emitted.
  Value batch, firstQuery;
  int64_t rows = 0, vectors = 0;
};
} // namespace

/// Returns the number of accumulators that fit beside the vectors of one side
/// and one scalar.
static int64_t getAtOnce(const KernelBuilder &kernel, int64_t vectors) {
  int64_t free = kernel.target().registers - vectors - 2;
  return std::clamp<int64_t>(free / vectors, 1, 8);
}

/// Splits keys into equal chunks and a remainder.
static int64_t getPart(const Attention &attention, int64_t keysAtOnce) {
  if (attention.keys <= maxSinglePart)
    return attention.keys;
  int64_t parts = llvm::divideCeil(attention.keys, partKeys);
  return llvm::alignTo(llvm::divideCeil(attention.keys, parts), keysAtOnce);
}

BlockEmitter::BlockEmitter(KernelBuilder &kernel, const Attention &attention)
    : kernel(kernel), attention(attention), steps(kernel, attention),
      lanes(kernel.target().lanes), queryVectors(kernel.costs().queryVectors(
                                        attention.queries, attention.keyWidth)),
      keysAtOnce(getAtOnce(kernel, queryVectors)),
      valueVectors(
          std::min<int64_t>(kernel.costs().valueVectors(),
                            llvm::divideCeil(attention.valueWidth, lanes))),
      part(getPart(attention, keysAtOnce)),
      transposed(kernel, attention.keyWidth, queryVectors * lanes),
      weights(kernel, part, queryVectors * lanes),
      factors(kernel, 1, queryVectors * lanes),
      matrices(kernel, attention, part, queryVectors * lanes),
      keys(kernel, attention, keysAtOnce, attention.queries) {
  rowsAtOnce = getAtOnce(kernel, valueVectors);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Tile BlockEmitter::emit() {
  int64_t blocks = llvm::divideCeil(attention.queries, queryVectors * lanes);
  kernel.tileLoop(attention.batches * blocks,
                  [&](Value index) { emitTile(index); });
  return {std::min(attention.queries, queryVectors * lanes), part};
}

void BlockEmitter::emitTile(Value index) {
  int64_t size = queryVectors * lanes;
  int64_t blocks = llvm::divideCeil(attention.queries, size);
  int64_t rest = attention.queries % size;
  batch = kernel.divide(index, blocks);
  Value block = kernel.remainder(index, blocks);
  firstQuery = kernel.multiply(block, size);
  if (rest == 0)
    return emitBlock(size);
  if (blocks == 1)
    return emitBlock(rest);
  kernel.writingBranch(
      kernel.isLess(block, blocks - 1), [&] { emitBlock(size); },
      [&] { emitBlock(rest); });
}

/// Iter args over chunks are the maximum scores and weight sums, as vectors of
/// queries.
void BlockEmitter::emitBlock(int64_t count) {
  rows = count;
  vectors = llvm::divideCeil(rows, lanes);
  turnQueries();
  SmallVector<Value> carried(
      vectors, steps.splat(-std::numeric_limits<float>::infinity()));
  carried.append(vectors, steps.splat(0));
  if (isSinglePart())
    return emitPart(kernel.constant(0), attention.keys, carried);
  Value end = kernel.add(firstQuery, rows);
  kernel.writingLoop(firstQuery, end, 1, [&](Value query) {
    steps.scaleRow(batch, query, /*factor=*/nullptr);
  });
  forEachPart(kernel, attention.keys, part, carried,
              [&](Value base, int64_t count, SmallVectorImpl<Value> &carried) {
                emitPart(base, count, carried);
              });
  for (int64_t v = 0; v < vectors; ++v)
    factors.store(steps.divide(steps.splat(1), carried[vectors + v]),
                  kernel.constant(0), kernel.constant(v * lanes));
  finishRows();
}

void BlockEmitter::finishRows() {
  kernel.writingLoop(
      kernel.constant(0), kernel.constant(rows), 1, [&](Value row) {
        Value factor = kernel.broadcast(
            factors.loadElement(kernel.constant(0), row), lanes);
        steps.scaleRow(batch, kernel.add(firstQuery, row), factor);
      });
}

/// Lanes beyond the last query repeat one, so that they compute with valid
/// numbers.
void BlockEmitter::turnQueries() {
  SmallVector<Value> none;
  forEachLaneBlock(
      kernel, kernel.constant(0), rows, lanes, /*unroll=*/1, none,
      /*writes=*/false, [&](LaneBlock row, MutableArrayRef<Value>) {
        Value query = kernel.add(firstQuery, row.index);
        SmallVector<Value> none;
        forEachLaneBlock(
            kernel, kernel.constant(0), attention.keyWidth, lanes,
            /*unroll=*/1, none, /*writes=*/false,
            [&](LaneBlock column, MutableArrayRef<Value>) {
              TreeEmitter tree(kernel, lanes, column.active);
              SmallVector<Value> square;
              for (int64_t i = 0; i < lanes; ++i)
                square.push_back(tree.evaluateVector(
                    attention.q,
                    lanePoint(
                        {batch, kernel.add(query, std::min(i, row.active - 1))},
                        column.index)));
              transposeSquare(kernel, square);
              for (int64_t i = 0; i < column.active; ++i)
                transposed.store(square[i], kernel.add(column.index, i),
                                 row.index);
            });
      });
}

void BlockEmitter::emitPart(Value base, int64_t count,
                            SmallVectorImpl<Value> &carried) {
  Value live = countLive(base, count);
  SmallVector<Value> found = emitScores(base, count, live), subtracted;
  for (int64_t v = 0; v < vectors; ++v) {
    Value before = carried[v];
    carried[v] = steps.maximum(found[v], before);
    subtracted.push_back(steps.finiteOrZero(carried[v]));
    found[v] = steps.exponential(before, subtracted[v]);
  }
  SmallVector<Value> sums = emitExponentials(live, subtracted);
  for (int64_t v = 0; v < vectors; ++v) {
    Value &sum = carried[vectors + v];
    // A single chunk has no earlier sums.
    Value factor =
        isSinglePart() ? steps.divide(steps.splat(1), sums[v]) : found[v];
    sum = isSinglePart() ? sums[v] : steps.multiplyAdd(sum, found[v], sums[v]);
    factors.store(factor, kernel.constant(0), kernel.constant(v * lanes));
  }
  // Without weights, the maxima do not change, and all factors are 1.
  if (isSinglePart())
    return emitValues(base, live);
  kernel.writingBranch(
      steps.anyNonzero(sums), [&] { emitValues(base, live); }, [] {});
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Keys at the beginning of a chunk, behind which all are masked by minus
/// infinity, as those behind the last query of a block are where attention is
/// causal: their weights are 0. They are counted by the 32.
Value BlockEmitter::countLive(Value base, int64_t count) {
  constexpr int64_t group = 32;
  auto score = dyn_cast_or_null<FloatAttr>(attention.maskedScore);
  if (!attention.masking || !score || !score.getValue().isNegInfinity())
    return kernel.constant(count);
  auto update = [&](Value live, Value first, int64_t keys) -> Value {
    return arith::SelectOp::create(kernel.ir(), kernel.loc(),
                                   areAllMasked(kernel.add(base, first), keys),
                                   live, kernel.add(first, keys));
  };
  int64_t whole = count / group * group;
  SmallVector<Value> live{kernel.constant(0)};
  live = kernel.loop(kernel.constant(0), kernel.constant(whole), group, live,
                     /*writes=*/false, [&](Value first, ValueRange carried) {
                       return SmallVector<Value>{
                           update(carried.front(), first, group)};
                     });
  if (whole < count)
    live = {update(live.front(), kernel.constant(whole), count - whole)};
  Value blocks =
      kernel.divide(kernel.add(live.front(), keysAtOnce - 1), keysAtOnce);
  return kernel.minimum(kernel.multiply(blocks, keysAtOnce), count);
}

/// Stores the scores of the `live` keys of a chunk to scratch memory, and
/// returns the maximum of each query.
SmallVector<Value> BlockEmitter::emitScores(Value base, int64_t count,
                                            Value live) {
  SmallVector<Type> types(vectors, steps.splat(0).getType());
  auto compute = [&] { return computeScores(base, count, live); };
  if (!attention.masking)
    return compute();
  if (!getConstantIntValue(live))
    return kernel.branch(
        kernel.isLess(kernel.constant(0), live), types, /*writes=*/false,
        compute, [&] {
          return SmallVector<Value>(
              vectors, steps.splat(-std::numeric_limits<float>::infinity()));
        });
  return kernel.branch(
      areAllMasked(base, count), types, /*writes=*/false,
      [&] {
        Value score = kernel.broadcast(
            arith::ConstantOp::create(kernel.ir(), kernel.loc(),
                                      attention.maskedScore),
            lanes);
        kernel.loop(kernel.constant(0), kernel.constant(count), 1, {},
                    /*writes=*/false, [&](Value at, ValueRange) {
                      for (int64_t v = 0; v < vectors; ++v)
                        weights.store(score, at, kernel.constant(v * lanes));
                      return SmallVector<Value>();
                    });
        return SmallVector<Value>(vectors, score);
      },
      compute);
}

/// Returns whether the keys are masked for all queries of the block.
Value BlockEmitter::areAllMasked(Value base, int64_t count) {
  auto type = cast<RankedTensorType>(attention.masking->get().getType());
  int64_t checked = type.getDimSize(1) == 1 ? 1 : rows;
  // A register of bytes or numbers.
  bool holdsMore =
      kernel.target().packsNarrow && !type.getElementType().isF32();
  int64_t width = holdsMore ? 4 * lanes : lanes;
  SmallVector<Value> all{arith::ConstantOp::create(
      kernel.ir(), kernel.loc(),
      DenseElementsAttr::get(VectorType::get(width, kernel.ir().getI1Type()),
                             true))};
  all = kernel.loop(
      kernel.constant(0), kernel.constant(checked), 1, all, /*writes=*/false,
      [&](Value row, ValueRange carried) {
        SmallVector<Value> masked(carried);
        forEachLaneBlock(
            kernel, base, count, width, /*unroll=*/1, masked, /*writes=*/false,
            [&](LaneBlock block, MutableArrayRef<Value> current) {
              Value here = steps.isMasked(
                  lanePoint({batch, kernel.add(firstQuery, row)}, block.index),
                  width, block.active);
              if (block.active < width) {
                Value active = kernel.mask(block.active, width);
                here = arith::SelectOp::create(kernel.ir(), kernel.loc(),
                                               active, here, current.front());
              }
              current.front() = arith::AndIOp::create(kernel.ir(), kernel.loc(),
                                                      current.front(), here);
            });
        return masked;
      });
  return steps.allSet(all.front());
}

SmallVector<Value> BlockEmitter::computeScores(Value base, int64_t count,
                                               Value live) {
  matrices.transpose(batch, firstQuery, rows, base, count);
  SmallVector<Value> largest(
      vectors, steps.splat(-std::numeric_limits<float>::infinity()));
  int64_t whole = count / keysAtOnce * keysAtOnce;
  largest =
      kernel.loop(kernel.constant(0), kernel.minimum(live, whole), keysAtOnce,
                  largest, /*writes=*/false, [&](Value at, ValueRange carried) {
                    SmallVector<Value> current(carried);
                    emitKeys(kernel.add(base, at), at, keysAtOnce, current);
                    return current;
                  });
  auto emitLast = [&] {
    SmallVector<Value> found = largest;
    emitKeys(kernel.add(base, whole), kernel.constant(whole), count - whole,
             found);
    return found;
  };
  if (whole == count)
    return largest;
  if (getConstantIntValue(live))
    return emitLast();
  return kernel.branch(kernel.isLess(kernel.constant(whole), live),
                       ValueRange(largest).getTypes(), /*writes=*/false,
                       emitLast, [&] { return largest; });
}

/// Scores of `count` keys from `key` on, which is key `at` of the chunk.
void BlockEmitter::emitKeys(Value key, Value at, int64_t count,
                            MutableArrayRef<Value> largest) {
  SmallVector<Value> products = emitProducts(key, count);
  for (int64_t v = 0; v < vectors; ++v) {
    int64_t active = std::min(lanes, rows - v * lanes);
    for (int64_t j = 0; j < count; ++j) {
      Value row = kernel.add(at, j), column = kernel.constant(v * lanes);
      TreeEmitter tree(kernel, lanes, active, [&](Value tensor, PointRef) {
        return tensor == attention.products->getResult(0)
                   ? products[j * vectors + v]
                   : matrices.load(tensor, row, column);
      });
      Point point{{batch}, {queryAt(v), /*step=*/1}, {kernel.add(key, j)}};
      Value scores = tree.evaluateVector(attention.scores, point);
      weights.store(scores, row, column);
      largest[v] = steps.maximum(scores, largest[v]);
    }
  }
}

/// Accumulates in a register per query vector and key.
SmallVector<Value> BlockEmitter::emitProducts(Value key, int64_t count) {
  keys.compute(batch, key, count);
  SmallVector<Value> sums(count * vectors, steps.splat(0));
  int64_t width = attention.keyWidth;
  // Unrolling the remainder would only lengthen the code.
  int64_t atOnce =
      count == keysAtOnce ? kernel.costs().stepsAtOnce(sums.size()) : 1;
  return kernel.unrolledLoop(
      kernel.constant(0), kernel.constant(width), atOnce, width, sums,
      [&](Value column, ValueRange carried) {
        SmallVector<Value> next(carried), queries;
        for (int64_t v = 0; v < vectors; ++v)
          queries.push_back(
              transposed.load(column, kernel.constant(v * lanes), lanes));
        for (int64_t j = 0; j < count; ++j) {
          Value k = keys.read(batch, key, j, {column}, lanes);
          for (int64_t v = 0; v < vectors; ++v)
            next[j * vectors + v] =
                steps.multiplyAdd(k, queries[v], next[j * vectors + v]);
        }
        return next;
      });
}

/// Replaces the scores by exponentials, and returns their sums.
SmallVector<Value> BlockEmitter::emitExponentials(Value live,
                                                  ArrayRef<Value> largest) {
  SmallVector<Value> sums(vectors, steps.splat(0));
  return kernel.loop(kernel.constant(0), live, 1, sums,
                     /*writes=*/false, [&](Value at, ValueRange carried) {
                       SmallVector<Value> next;
                       for (int64_t v = 0; v < vectors; ++v) {
                         Value column = kernel.constant(v * lanes);
                         Value weight = steps.exponential(
                             weights.load(at, column, lanes), largest[v]);
                         weights.store(weight, at, column);
                         next.push_back(steps.add(carried[v], weight));
                       }
                       return next;
                     });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void BlockEmitter::emitValues(Value base, Value live) {
  int64_t whole = rows / rowsAtOnce * rowsAtOnce;
  kernel.writingLoop(
      kernel.constant(0), kernel.constant(whole), rowsAtOnce,
      [&](Value first) { emitRows(base, live, first, rowsAtOnce); });
  if (whole < rows)
    emitRows(base, live, kernel.constant(whole), rows - whole);
}

void BlockEmitter::emitRows(Value base, Value live, Value first,
                            int64_t rowCount) {
  steps.forEachColumnBlock(valueVectors, [&](const ColumnBlock &columns) {
    emitColumns(base, live, first, rowCount, columns);
  });
}

/// Weighted sums of values for `rowCount` queries: for a single chunk
/// multiplied by their factors, otherwise added to earlier sums.
void BlockEmitter::emitColumns(Value base, Value live, Value first,
                               int64_t rowCount, const ColumnBlock &columns) {
  SmallVector<Value> queries;
  for (int64_t r = 0; r < rowCount; ++r)
    queries.push_back(kernel.add(firstQuery, kernel.add(first, r)));
  auto getFactors = [&] {
    SmallVector<Value> found;
    for (int64_t r = 0; r < rowCount; ++r)
      found.push_back(kernel.broadcast(
          factors.loadElement(kernel.constant(0), kernel.add(first, r)),
          lanes));
    return found;
  };
  SmallVector<Value> sums(rowCount * columns.vectors, steps.splat(0));
  if (!isSinglePart())
    sums = steps.loadRows(batch, queries, columns, getFactors());
  int64_t atOnce =
      rowCount == rowsAtOnce ? kernel.costs().stepsAtOnce(sums.size()) : 1;
  sums = kernel.unrolledLoop(
      kernel.constant(0), live, atOnce, getConstantIntValue(live).value_or(1),
      sums, [&](Value at, ValueRange carried) {
        SmallVector<Value> next(carried), values;
        for (int64_t v = 0; v < columns.vectors; ++v) {
          TreeEmitter tree(kernel, lanes, columns.active(v));
          values.push_back(tree.evaluateVector(
              attention.v,
              lanePoint({batch, kernel.add(base, at)}, columns.at(kernel, v))));
        }
        for (int64_t r = 0; r < rowCount; ++r) {
          Value weight = kernel.broadcast(
              weights.loadElement(at, kernel.add(first, r)), lanes);
          for (int64_t v = 0; v < columns.vectors; ++v) {
            Value &sum = next[r * columns.vectors + v];
            sum = steps.multiplyAdd(weight, values[v], sum);
          }
        }
        return next;
      });
  steps.storeRows(batch, queries, columns, sums,
                  isSinglePart() ? getFactors() : SmallVector<Value>());
}

Tile hamkaas::emitAttentionBlocks(KernelBuilder &kernel,
                                  const Attention &attention) {
  return BlockEmitter(kernel, attention).emit();
}
