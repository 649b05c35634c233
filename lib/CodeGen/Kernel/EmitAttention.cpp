//===- EmitAttention.cpp - Kernels of attention -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Attention of few queries, as in decode: multiply each key with the queries in
// place, then add each value to as many sums. Masked keys and values of zero
// weight are skipped, about sixteen at a time.
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/Attention.h"
#include "HamKaas/CodeGen/Kernel/Emitters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace hamkaas;

/// Queries to compute at once with each key and value.
static constexpr int64_t maxFewQueries = 4;
/// Keys of a chunk, whose weights are in scratch memory. The order of a sum
/// depends on it, so it is the same for every machine.
static constexpr int64_t maxPart = 1024;
/// Vectors of keys by which keys are prefetched ahead. With AVX-512, two or
/// eight take as long (Zen 4).
static constexpr int64_t blocksAhead = 4;
/// Accumulator vectors of values, of all queries.
static constexpr int64_t valueSums = 8;

namespace {
class FewQueriesEmitter {
public:
  FewQueriesEmitter(KernelBuilder &kernel, const Attention &attention);

  Tile emit();

private:
  void emitTile(Value tile);
  void emitPart(Value base, int64_t count, SmallVectorImpl<Value> &carried);
  void emitScores(Value base, int64_t count, MutableArrayRef<Value> largest);
  SmallVector<Value> emitProducts(Value key, int64_t active);
  void prefetchRows(Value tensor, Value key);
  Value emitExponentials(int64_t row, int64_t count, Value largest);
  void emitValues(Value base, int64_t count, ArrayRef<Value> factors,
                  ArrayRef<Value> scales);
  void emitColumns(Value base, int64_t count, ArrayRef<Value> factors,
                   ArrayRef<Value> scales, const ColumnBlock &columns);
  SmallVector<Value> addValues(Value base, Value offset, Value end,
                               const ColumnBlock &columns, ValueRange sums);

  KernelBuilder &kernel;
  const Attention &attention;
  AttentionSteps steps;
  int64_t lanes, rows, part;
  Scratch weights;
  ComputedKeys keys;

  /// State while a tile is emitted.
  Value batch;
  SmallVector<Value> queries;
};
} // namespace

static int64_t getRows(const Attention &attention) {
  return attention.queries <= maxFewQueries ? attention.queries : 1;
}

static int64_t getPart(const Attention &attention, int64_t lanes) {
  return std::min<int64_t>(llvm::alignTo(attention.keys, lanes), maxPart);
}

FewQueriesEmitter::FewQueriesEmitter(KernelBuilder &kernel,
                                     const Attention &attention)
    : kernel(kernel), attention(attention), steps(kernel, attention),
      lanes(kernel.target().lanes), rows(getRows(attention)),
      part(getPart(attention, lanes)), weights(kernel, rows, part),
      keys(kernel, attention, lanes, rows) {}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

Tile FewQueriesEmitter::emit() {
  kernel.tileLoop(attention.batches * (attention.queries / rows),
                  [&](Value tile) { emitTile(tile); });
  return {rows, part};
}

/// Iter args over chunks are the maximum score and the weight sum of each
/// query. The destination accumulates the values of the chunks.
void FewQueriesEmitter::emitTile(Value tile) {
  int64_t tilesOfBatch = attention.queries / rows;
  batch = kernel.divide(tile, tilesOfBatch);
  Value first = kernel.multiply(kernel.remainder(tile, tilesOfBatch), rows);
  queries.clear();
  for (int64_t r = 0; r < rows; ++r)
    queries.push_back(kernel.add(first, r));
  SmallVector<Value> carried(
      rows, steps.splat(-std::numeric_limits<float>::infinity()));
  carried.append(rows, steps.splat(0));
  if (attention.keys <= part)
    return emitPart(kernel.constant(0), attention.keys, carried);
  for (Value query : queries)
    steps.scaleRow(batch, query, /*factor=*/nullptr);
  forEachPart(kernel, attention.keys, part, carried,
              [&](Value base, int64_t count, SmallVectorImpl<Value> &carried) {
                emitPart(base, count, carried);
              });
  for (auto [query, sum] :
       llvm::zip_equal(queries, ArrayRef(carried).drop_front(rows)))
    steps.scaleRow(batch, query, steps.divide(steps.splat(1), sum));
}

void FewQueriesEmitter::emitPart(Value base, int64_t count,
                                 SmallVectorImpl<Value> &carried) {
  MutableArrayRef<Value> all(carried);
  MutableArrayRef<Value> largest = all.take_front(rows);
  MutableArrayRef<Value> sums = all.drop_front(rows);
  SmallVector<Value> before(largest), factors, scales;
  emitScores(base, count, largest);
  for (int64_t r = 0; r < rows; ++r) {
    largest[r] = steps.combineLanes(
        largest[r], [&](Value a, Value b) { return steps.maximum(a, b); });
    Value subtracted = steps.finiteOrZero(largest[r]);
    Value sum = emitExponentials(r, count, subtracted);
    sum = steps.combineLanes(sum,
                             [&](Value a, Value b) { return steps.add(a, b); });
    if (attention.keys > part) {
      factors.push_back(steps.exponential(before[r], subtracted));
      sums[r] = steps.multiplyAdd(sums[r], factors[r], sum);
    } else {
      scales.push_back(steps.divide(steps.splat(1), sum));
    }
  }
  emitValues(base, count, factors, scales);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// Stores the scores to scratch memory. Updates `largest` to the maxima of each
/// lane.
void FewQueriesEmitter::emitScores(Value base, int64_t count,
                                   MutableArrayRef<Value> largest) {
  SmallVector<Value> carried(largest);
  forEachLaneBlock(
      kernel, kernel.constant(0), count, lanes, /*unroll=*/1, carried,
      /*writes=*/false, [&](LaneBlock block, MutableArrayRef<Value> current) {
        Value key = kernel.add(base, block.index);
        SmallVector<Value> products = emitProducts(key, block.active);
        for (int64_t r = 0; r < rows; ++r) {
          TreeEmitter tree(
              kernel, lanes, block.active, [&](Value tensor, PointRef) {
                return tensor == attention.products->getResult(0) ? products[r]
                                                                  : Value();
              });
          Value scores = tree.evaluateVector(
              attention.scores, lanePoint({batch, queries[r]}, key));
          scores = steps.keepActive(
              scores, block.active,
              steps.splat(-std::numeric_limits<float>::infinity()));
          weights.store(scores, kernel.constant(r), block.index);
          current[r] = steps.maximum(scores, current[r]);
        }
      });
  llvm::copy(carried, largest.begin());
}

/// The products of each query with `active` keys from `key` on, zeros if all of
/// them are masked.
SmallVector<Value> FewQueriesEmitter::emitProducts(Value key, int64_t active) {
  auto compute = [&] {
    if (active == lanes) {
      prefetchRows(attention.k, kernel.add(key, blocksAhead * lanes));
      prefetchRows(attention.v, key);
    }
    keys.compute(batch, key, active);
    SmallVector<Value> products;
    for (Value query : queries)
      products.push_back(steps.multiplyKeys(keys, batch, query, key, active));
    return products;
  };
  if (!attention.masking || active < lanes)
    return compute();
  Value masked;
  for (Value query : queries) {
    Value here = steps.isMasked(lanePoint({batch, query}, key), lanes, active);
    masked =
        masked ? arith::AndIOp::create(kernel.ir(), kernel.loc(), masked, here)
               : here;
  }
  Value zero = steps.splat(0);
  SmallVector<Type> types(rows, zero.getType());
  return kernel.branch(
      steps.allSet(masked), types, /*writes=*/false,
      [&] { return SmallVector<Value>(rows, zero); }, compute);
}

/// The argument that `tensor`, batches x keys x columns, is read from element
/// by element, null if there is none.
static BlockArgument getSource(Value tensor) {
  while (auto op = tensor.getDefiningOp<linalg::GenericOp>()) {
    if (op.getNumDpsInputs() != 1 ||
        !llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isIdentity(); }))
      return {};
    tensor = op.getDpsInputs().front();
  }
  return dyn_cast<BlockArgument>(tensor);
}

/// Prefetches the rows of a vector of keys, or values, from `key` on. The
/// hardware prefetcher does not follow keys, of which a vector each is read at
/// a time. Values are not needed until all scores are known.
void FewQueriesEmitter::prefetchRows(Value tensor, Value key) {
  BlockArgument source = getSource(tensor);
  auto type = source ? cast<RankedTensorType>(source.getType()) : nullptr;
  if (!type || !kernel.costs().prefetchesElements(type.getNumElements()))
    return;
  int64_t width = type.getDimSize(2);
  Value first = kernel.multiply(
      kernel.add(kernel.multiply(batch, type.getDimSize(1)), key), width);
  int64_t line =
      kernel.costs().machine.lineBytes * 8 / type.getElementTypeBitWidth();
  for (int64_t at = 0; at < lanes * width; at += line)
    kernel.prefetch(source, kernel.add(first, at));
}

/// Replaces the scores of a query by exponentials, and returns the sums of each
/// lane.
Value FewQueriesEmitter::emitExponentials(int64_t row, int64_t count,
                                          Value largest) {
  return kernel
      .loop(kernel.constant(0), kernel.constant(llvm::alignTo(count, lanes)),
            lanes, steps.splat(0), /*writes=*/false,
            [&](Value offset, ValueRange sum) {
              Value at = kernel.constant(row);
              Value weight =
                  steps.exponential(weights.load(at, offset, lanes), largest);
              weights.store(weight, at, offset);
              return SmallVector<Value>{steps.add(sum.front(), weight)};
            })
      .front();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Adds weighted values to the destination, which is multiplied by `factors` if
/// there are any; otherwise writes them, multiplied by `scales`.
void FewQueriesEmitter::emitValues(Value base, int64_t count,
                                   ArrayRef<Value> factors,
                                   ArrayRef<Value> scales) {
  int64_t vectors = llvm::divideCeil(attention.valueWidth, lanes);
  int64_t atOnce = std::min(vectors, std::max<int64_t>(valueSums / rows, 1));
  steps.forEachColumnBlock(atOnce, [&](const ColumnBlock &columns) {
    emitColumns(base, count, factors, scales, columns);
  });
}

void FewQueriesEmitter::emitColumns(Value base, int64_t count,
                                    ArrayRef<Value> factors,
                                    ArrayRef<Value> scales,
                                    const ColumnBlock &columns) {
  SmallVector<Value> sums(rows * columns.vectors, steps.splat(0));
  if (!factors.empty())
    sums = steps.loadRows(batch, queries, columns, factors);
  sums = kernel.loop(
      kernel.constant(0), kernel.constant(count), lanes, sums,
      /*writes=*/false, [&](Value offset, ValueRange current) {
        SmallVector<Value> all;
        for (int64_t r = 0; r < rows; ++r)
          all.push_back(weights.load(kernel.constant(r), offset, lanes));
        Value end = kernel.minimum(kernel.add(offset, lanes), count);
        return kernel.branch(
            steps.anyNonzero(all), current.getTypes(), /*writes=*/false,
            [&] { return addValues(base, offset, end, columns, current); },
            [&] { return SmallVector<Value>(current); });
      });
  steps.storeRows(batch, queries, columns, sums, scales);
}

SmallVector<Value> FewQueriesEmitter::addValues(Value base, Value offset,
                                                Value end,
                                                const ColumnBlock &columns,
                                                ValueRange sums) {
  return kernel.loop(
      offset, end, 1, sums, /*writes=*/false,
      [&](Value at, ValueRange current) {
        SmallVector<Value> next(current);
        Value key = kernel.add(base, at);
        for (int64_t v = 0; v < columns.vectors; ++v) {
          TreeEmitter tree(kernel, lanes, columns.active(v));
          Value value = tree.evaluateVector(
              attention.v, lanePoint({batch, key}, columns.at(kernel, v)));
          for (int64_t r = 0; r < rows; ++r) {
            Value weight = kernel.broadcast(
                weights.loadElement(kernel.constant(r), at), lanes);
            Value &sum = next[r * columns.vectors + v];
            sum = steps.multiplyAdd(weight, value, sum);
          }
        }
        return next;
      });
}

FailureOr<Tile> hamkaas::emitAttention(KernelBuilder &kernel, Value result) {
  FailureOr<Attention> attention = Attention::match(kernel, result);
  if (failed(attention))
    return failure();
  // All of a batch's keys and values are read after the first result is
  // written.
  for (Value argument : kernel.arguments())
    kernel.forbidAlias(argument);
  if (attention->queries <= maxFewQueries ||
      attention->keyWidth > kernel.costs().maxBlockWidth())
    return FewQueriesEmitter(kernel, *attention).emit();
  return emitAttentionBlocks(kernel, *attention);
}
