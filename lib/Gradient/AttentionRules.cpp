//===- AttentionRules.cpp - Gradients of attention --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operation keeps no weights. They are computed again for a block of
// queries at a time, so that the scores in memory are those of one block (Dao
// et al., FlashAttention, 2022).
//
//===----------------------------------------------------------------------===//

#include "AttentionBlocks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Rules.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::gradient;

namespace {

/// Some queries of some batches, the gradients of their results, and what their
/// scores have of the mask and the bias, which may be null.
struct Queries {
  Tensor q, g, mask, bias;
};

/// All keys and values of some batches.
struct Keys {
  Tensor k, transposedK, transposedV;
};

/// Gradients of the keys and values of some batches, null if there are none yet
/// or they are not wanted.
struct Sums {
  Tensor k, v;
};

class AttentionGradient {
public:
  AttentionGradient(AttentionOp op, GraphBuilder &b,
                    const llvm::BitVector &wanted);

  Tensors build(Tensor g);

private:
  Tensors buildLoop(const Queries &all);
  Tensors buildBatches(const Queries &all, Tensor k, Tensor v);
  Tensor buildSegment(const AttentionSegment &segment, const Queries &all,
                      const Keys &keys, Sums &sums);
  Tensor buildBlocks(const AttentionSegment &segment, const Queries &queries,
                     const Keys &keys, Sums &sums);
  Tensor buildBlock(int64_t keyCount, const Queries &queries, const Keys &keys,
                    Sums &sums);
  Tensor buildWeights(int64_t keyCount, const Queries &queries,
                      const Keys &keys);
  Tensor scale(Tensor x) { return b.mul(x, op.getScale().convertToDouble()); }
  Tensor transpose(Tensor x) { return graph::swapDims(b, x, 1, 2); }

  AttentionOp op;
  GraphBuilder &b;
  bool toQ, toK, toV, toBias;
  AttentionBlocks blocks;
  /// The dimension of the keys in `Sums`. If it is 2, these are transposed; so
  /// the weights are the right side of their products, which is read in place.
  /// Otherwise the weights are transposed.
  int64_t keyDim;
  Tensor biasGradient;
};

} // namespace

/// Chooses what has fewer elements to transpose: the weights of the largest
/// block and their gradients, or its queries, their gradients and the sums.
static int64_t chooseKeyDim(AttentionOp op, const AttentionBlocks &blocks) {
  int64_t widths =
      op.getK().getType().getDimSize(2) + op.getV().getType().getDimSize(2);
  bool hasFewScores =
      llvm::all_of(blocks.segments, [&](const AttentionSegment &segment) {
        return 2 * segment.block * segment.keys <
               (segment.block + segment.keys) * widths;
      });
  return hasFewScores ? 1 : 2;
}

// The gradient of a bias takes the scores of all queries.
AttentionGradient::AttentionGradient(AttentionOp op, GraphBuilder &b,
                                     const llvm::BitVector &wanted)
    : op(op), b(b), toQ(wanted.test(0)), toK(wanted.test(1)),
      toV(wanted.test(2)),
      toBias(op.getBias() && wanted.test(wanted.size() - 1)),
      blocks(toBias ? makeSingleBlock(op) : chooseAttentionBlocks(op)),
      keyDim(chooseKeyDim(op, blocks)) {}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

static Tensor makeZeros(GraphBuilder &b, ArrayRef<int64_t> shape) {
  return b.broadcast(b.scalar(b.getPlace().getF32Type(), 0), shape);
}

/// Some queries; a tensor that is the same for all stays.
static Tensor sliceQueries(GraphBuilder &b, Tensor x, int64_t begin,
                           int64_t count) {
  return !x || x.dim(1) == 1 ? x : b.sliceDim(x, 1, begin, count);
}

static Queries slice(GraphBuilder &b, const Queries &all,
                     const AttentionSegment &segment) {
  auto take = [&](const Tensor &x) {
    return sliceQueries(b, x, segment.begin, segment.size);
  };
  return {take(all.q), take(all.g), take(all.mask), take(all.bias)};
}

/// The first keys, which are columns.
static Tensor sliceKeys(GraphBuilder &b, Tensor x, int64_t count) {
  return !x || x.dim(2) == 1 ? x : b.sliceDim(x, 2, 0, count);
}

/// Removes all but the first keys from `sum`, and puts the others into `rest`.
static void cutKeys(GraphBuilder &b, Tensor &sum, int64_t keyDim, int64_t count,
                    Tensors &rest) {
  if (!sum || sum.dim(keyDim) == count)
    return;
  rest.push_back(b.sliceDim(sum, keyDim, count, sum.dim(keyDim) - count));
  sum = b.sliceDim(sum, keyDim, 0, count);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

Tensor AttentionGradient::buildWeights(int64_t keyCount, const Queries &queries,
                                       const Keys &keys) {
  Tensor scores =
      scale(b.matmul(queries.q, sliceKeys(b, keys.transposedK, keyCount)));
  if (queries.bias)
    scores = b.add(scores, sliceKeys(b, queries.bias, keyCount));
  if (!queries.mask)
    return b.softmax(scores);
  Tensor mask = sliceKeys(b, queries.mask, keyCount);
  double masked = op.getMaskedScore().convertToDouble();
  Tensor weights =
      b.softmax(b.select(mask, b.scalar(scores.elementType(), masked), scores));
  // Those of a query that sees no key would be NaN.
  return blocks.hasVisibleKeys || !hasNoMaskedWeights(op)
             ? weights
             : b.select(mask, b.scalar(weights.elementType(), 0), weights);
}

/// Returns the gradient of the queries, and adds to those of the first keys.
Tensor AttentionGradient::buildBlock(int64_t keyCount, const Queries &queries,
                                     const Keys &keys, Sums &sums) {
  auto addTo = [&](Tensor &sum, Tensor rows, Tensor scores) {
    Tensor product = keyDim == 2 ? b.matmul(transpose(rows), scores)
                                 : b.matmul(transpose(scores), rows);
    sum = sum ? b.add(product, sum) : product;
  };
  Tensor weights = buildWeights(keyCount, queries, keys);
  if (toV)
    addTo(sums.v, queries.g, weights);
  if (!toQ && !toK && !toBias)
    return {};
  Tensor h = b.matmul(queries.g, sliceKeys(b, keys.transposedV, keyCount));
  Tensor sum =
      b.reduce(Combiner::Sum, b.mul(weights, h), {2}, /*keepDims=*/true);
  Tensor t = b.mul(weights, b.sub(h, sum));
  if (queries.mask && !hasNoMaskedWeights(op))
    t = b.select(sliceKeys(b, queries.mask, keyCount),
                 b.scalar(t.elementType(), 0), t);
  if (toBias)
    biasGradient = sumRepeated(b, t, Tensor(op.getBias()));
  Tensor scaled = scale(t);
  if (toK)
    addTo(sums.k, queries.q, scaled);
  if (!toQ)
    return {};
  return b.matmul(scaled, b.sliceDim(keys.k, 1, 0, keyCount));
}

/// The loop over the blocks of a segment, for a single batch.
Tensor AttentionGradient::buildBlocks(const AttentionSegment &segment,
                                      const Queries &queries, const Keys &keys,
                                      Sums &sums) {
  graph::LoopInputs loop{segment.blockCount()};
  auto addSum = [&](bool isWanted, const Tensor &sum, int64_t width) {
    Shape shape{1, segment.keys, width};
    if (keyDim == 2)
      std::swap(shape[1], shape[2]);
    if (isWanted)
      loop.inits.push_back(sum ? sum : makeZeros(b, shape));
  };
  addSum(toK, sums.k, keys.k.dim(2));
  addSum(toV, sums.v, keys.transposedV.dim(1));
  auto isCut = [](const Tensor &x) { return x && x.dim(1) != 1; };
  Queries all = queries;
  for (Tensor *x : {&all.q, &all.g, &all.mask, &all.bias})
    if (isCut(*x))
      loop.inputs.push_back(
          b.reshape(*x, {segment.blockCount(), 1, segment.block, x->dim(2)}));
  Tensors built =
      b.scan(loop, [&](ArrayRef<Tensor> carried, ArrayRef<Tensor> rows) {
        Queries block = all;
        for (Tensor *x : {&block.q, &block.g, &block.mask, &block.bias})
          if (isCut(*x)) {
            *x = rows.front();
            rows = rows.drop_front();
          }
        Sums inner{toK ? carried.front() : Tensor(),
                   toV ? carried.back() : Tensor()};
        Tensor q = buildBlock(segment.keys, block, keys, inner);
        Tensors results;
        for (const Tensor &result : {inner.k, inner.v, q})
          if (result)
            results.push_back(result);
        return results;
      });
  if (b.hasFailed())
    return {};
  if (toK)
    sums.k = built.front();
  if (toV)
    sums.v = built[toK ? 1 : 0];
  return toQ ? b.reshape(built.back(), all.q.shape()) : Tensor();
}

Tensor AttentionGradient::buildSegment(const AttentionSegment &segment,
                                       const Queries &all, const Keys &keys,
                                       Sums &sums) {
  Queries queries = slice(b, all, segment);
  return segment.blockCount() > 1
             ? buildBlocks(segment, queries, keys, sums)
             : buildBlock(segment.keys, queries, keys, sums);
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// The gradients that are wanted of `q`, `k` and `v`.
Tensors AttentionGradient::buildBatches(const Queries &all, Tensor k,
                                        Tensor v) {
  Keys keys{k, transpose(k), transpose(v)};
  Sums sums;
  Tensors queries, restK, restV;
  // From the most keys to the fewest, so that each adds to the first ones.
  for (const AttentionSegment &segment : llvm::reverse(blocks.segments)) {
    cutKeys(b, sums.k, keyDim, segment.keys, restK);
    cutKeys(b, sums.v, keyDim, segment.keys, restV);
    queries.push_back(buildSegment(segment, all, keys, sums));
  }
  auto join = [&](Tensors &parts, int64_t dim) {
    std::reverse(parts.begin(), parts.end());
    return parts.size() == 1 ? parts.front() : b.concat(parts, dim);
  };
  if (b.hasFailed())
    return {};
  auto joinKeys = [&](Tensor sum, Tensors &rest) {
    rest.push_back(sum);
    Tensor whole = join(rest, keyDim);
    Shape missing(whole.shape());
    missing[keyDim] = k.dim(1) - blocks.segments.back().keys;
    if (missing[keyDim] != 0)
      whole = b.concat({whole, makeZeros(b, missing)}, keyDim);
    return keyDim == 2 ? transpose(whole) : whole;
  };
  Tensors results;
  if (toQ)
    results.push_back(join(queries, 1));
  if (toK)
    results.push_back(joinKeys(sums.k, restK));
  if (toV)
    results.push_back(joinKeys(sums.v, restV));
  return results;
}

/// The loop over chunks of the batches.
Tensors AttentionGradient::buildLoop(const Queries &all) {
  Tensor k(op.getK()), v(op.getV());
  int64_t batches = all.q.dim(0), steps = batches / blocks.batches;
  if (steps == 1)
    return buildBatches(all, k, v);
  graph::LoopInputs loop{steps};
  auto isCut = [](const Tensor &x) { return x && x.dim(0) != 1; };
  auto cut = [&](const Tensor &x) {
    Shape shape(x.shape());
    shape[0] = blocks.batches;
    shape.insert(shape.begin(), steps);
    loop.inputs.push_back(b.reshape(x, shape));
  };
  cut(k);
  cut(v);
  for (const Tensor &x : {all.q, all.g, all.mask, all.bias})
    if (isCut(x))
      cut(x);
  Tensors built = b.scan(loop, [&](ArrayRef<Tensor>, ArrayRef<Tensor> rows) {
    Queries chunk = all;
    ArrayRef<Tensor> queries = rows.drop_front(2);
    for (Tensor *x : {&chunk.q, &chunk.g, &chunk.mask, &chunk.bias})
      if (isCut(*x)) {
        *x = queries.front();
        queries = queries.drop_front();
      }
    return buildBatches(chunk, rows[0], rows[1]);
  });
  for (Tensor &x : built) {
    Shape shape(x.shape().drop_front());
    shape[0] = batches;
    x = b.reshape(x, shape);
  }
  return built;
}

//===----------------------------------------------------------------------===//
// The rule
//===----------------------------------------------------------------------===//

static Tensor orNull(Value value) { return value ? Tensor(value) : Tensor(); }

Tensors AttentionGradient::build(Tensor g) {
  Queries all{Tensor(op.getQ()), g, orNull(op.getMask()), orNull(op.getBias())};
  Tensors built = buildLoop(all);
  Tensors results(op->getNumOperands());
  if (b.hasFailed())
    return results;
  size_t next = 0;
  const bool wanted[] = {toQ, toK, toV};
  for (auto [i, isWanted] : llvm::enumerate(wanted))
    if (isWanted)
      results[i] = built[next++];
  if (toBias)
    results.back() = biasGradient;
  return results;
}

namespace {

struct AttentionRule
    : GradientOpInterface::ExternalModel<AttentionRule, AttentionOp> {
  StringRef getMissingGradientReason(Operation *) const { return {}; }

  Tensors buildGradients(Operation *op, GraphBuilder &b,
                         ArrayRef<Tensor> gradients,
                         const llvm::BitVector &wanted) const {
    return AttentionGradient(cast<AttentionOp>(op), b, wanted)
        .build(gradients.front());
  }
};

} // namespace

void gradient::attachAttentionRules(MLIRContext &context) {
  AttentionOp::attachInterface<AttentionRule>(context);
}
