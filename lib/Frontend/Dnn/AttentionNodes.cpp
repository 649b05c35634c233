//===- AttentionNodes.cpp - Attention and its gradient ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::nodes;

/// Each has a slope that is part of the program.
static constexpr int64_t maxAlibiHeads = 65536;

namespace {

/// The operands of attention as batches of heads: `q` is b x m x d, `k` b x n x
/// d, `v` b x n x e, where b counts batches and the heads of the queries.
class Heads {
public:
  explicit Heads(NodeBuilder &node) : node(node), b(node.b) {}

  /// Returns false after a failure.
  bool read();
  Tensor attend();
  /// The scaled scores; negative infinity where keys are masked.
  Tensor buildScores();

  /// `x` of the queries' heads as a batch of them, and back.
  Tensor flatten(Tensor x);
  Tensor split(Tensor x);
  /// Sums what the heads that share a key get; `attribute` is that key.
  Tensor sumShared(Tensor x, int32_t attribute);
  /// Sums the gradient of the scores to the dims of the bias.
  Tensor sumToBias(Tensor x);

  /// Returns whether the node masks keys of a query for certain, or perhaps.
  bool isMasked() const { return bool(mask); }
  /// Of each query, true if all keys are masked; null if that cannot be.
  Tensor buildEmpty();

  double scale = 1;
  Tensor q, k, v;

private:
  bool checkShapes();
  bool readBias();
  bool readMask();
  Tensor readLengths(int32_t attribute);
  Tensor positions(int64_t dim);
  void keep(Tensor isKept);
  bool readBand();
  Tensor repeatHeads(Tensor x);
  bool mayBeEmpty() const;

  NodeBuilder &node;
  GraphBuilder &b;
  int64_t batch = 0, heads = 0, queries = 0, keys = 0;
  /// Of the shape batch or 1, heads or 1, queries or 1, keys or 1.
  Tensor bias, mask;
  std::optional<int64_t> left, right;
  bool isBottomRight = false;
};

} // namespace

bool Heads::checkShapes() {
  Tensor queried = node.input(HamKaasDnnAttrQ);
  Tensor key = node.input(HamKaasDnnAttrK), value = node.input(HamKaasDnnAttrV);
  if (b.hasFailed())
    return false;
  auto fail = [&](const Twine &expected) {
    node.fail("expected " + expected + ", got q " +
              graph::formatList(queried.shape()) + ", k " +
              graph::formatList(key.shape()) + " and v " +
              graph::formatList(value.shape()));
    return false;
  };
  if (!queried.isFloat())
    return fail("operands of floats");
  if (queried.rank() != 4 || key.rank() != 4 || value.rank() != 4)
    return fail("operands of 4 dims: batch, head, position, element");
  batch = queried.dim(0), heads = queried.dim(1);
  queries = queried.dim(2), keys = key.dim(2);
  if (key.dim(0) != batch || value.dim(0) != batch)
    return fail("one batch");
  if (heads % key.dim(1) != 0 || heads % value.dim(1) != 0)
    return fail("the heads of k and v to divide those of q");
  if (key.dim(3) != queried.dim(3))
    return fail("keys as long as queries");
  if (value.dim(2) != keys)
    return fail("as many values as keys");
  scale = node.real(HamKaasDnnAttrAttentionScale,
                    1 / std::sqrt(double(queried.dim(3))));
  if (!std::isfinite(scale))
    return fail("a finite scale");
  q = flatten(queried);
  k = flatten(repeatHeads(key));
  v = flatten(repeatHeads(value));
  return !b.hasFailed();
}

Tensor Heads::flatten(Tensor x) {
  return b.reshape(x, {batch * heads, x.dim(2), x.dim(3)});
}

Tensor Heads::split(Tensor x) {
  return x ? b.reshape(x, {batch, heads, x.dim(1), x.dim(2)}) : Tensor();
}

/// Keys or values for each head of the queries.
Tensor Heads::repeatHeads(Tensor x) {
  int64_t own = x.dim(1);
  if (own == heads)
    return x;
  Tensor apart = b.reshape(x, {batch, own, 1, x.dim(2), x.dim(3)});
  Tensor repeated =
      b.broadcast(apart, {batch, own, heads / own, x.dim(2), x.dim(3)});
  return b.reshape(repeated, {batch, heads, x.dim(2), x.dim(3)});
}

Tensor Heads::sumShared(Tensor x, int32_t attribute) {
  Tensor whole = split(x);
  int64_t own = node.given(attribute).dim(1);
  if (!whole || own == heads)
    return whole;
  Tensor apart =
      b.reshape(whole, {batch, own, heads / own, whole.dim(2), whole.dim(3)});
  return b.reduce(Combiner::Sum, apart, {2}, /*keepDims=*/false);
}

//===----------------------------------------------------------------------===//
// Bias and masks
//===----------------------------------------------------------------------===//

bool Heads::readBias() {
  if (node.has(HamKaasDnnAttrBias)) {
    bias = node.input(HamKaasDnnAttrBias);
    int64_t wanted[] = {batch, heads, queries, keys};
    bool fits = bias.rank() <= 4;
    bias = fits ? b.extendRank(bias, 4) : bias;
    for (int64_t dim = 0; fits && dim < 4; ++dim)
      fits = bias.dim(dim) == wanted[dim] || bias.dim(dim) == 1;
    if (!fits) {
      node.fail("expected 'bias' to broadcast to the scores, " +
                graph::formatList(wanted) + ", got the dims " +
                graph::formatList(bias.shape()));
      return false;
    }
  }
  if (node.integer(HamKaasDnnAttrAlibiMask)) {
    if (heads > maxAlibiHeads) {
      node.unsupported("an ALiBi mask of more than " + Twine(maxAlibiHeads) +
                       " heads");
      return false;
    }
    // Head h of H has the slope 2^(-8 (h + 1) / H) (Press et al., 2022).
    SmallVector<double> slopes;
    for (int64_t head = 0; head < heads; ++head)
      slopes.push_back(std::exp2(-8.0 * double(head + 1) / double(heads)));
    Tensor slope = b.constantOf(node.computeType(), slopes, {1, heads, 1, 1});
    Tensor distance =
        b.cast(b.sub(positions(3), positions(2)), node.computeType());
    Tensor alibi = b.mul(slope, distance);
    bias = bias ? b.add(bias, alibi) : alibi;
  }
  return !b.hasFailed();
}

/// The index of each query (dimension 2) or key (3).
Tensor Heads::positions(int64_t dim) {
  Shape shape(4, 1);
  shape[dim] = dim == 2 ? queries : keys;
  return b.iota(shape, dim);
}

/// Masks what is not kept.
void Heads::keep(Tensor isKept) {
  Tensor masked = b.bitNot(isKept);
  mask = mask ? b.bitOr(mask, masked) : masked;
}

/// The number of queries or keys in each batch, which is padded behind them.
Tensor Heads::readLengths(int32_t attribute) {
  Tensor lengths = node.given(attribute);
  if (!lengths)
    return {};
  if (lengths.count() != batch || !lengths.isInteger())
    return node.fail("expected '" + findAttribute(attribute)->text +
                     "' to have " + Twine(batch) +
                     " integers, one for each batch, got the dims " +
                     graph::formatList(lengths.shape()));
  return b.reshape(b.cast(lengths, IntegerType::get(b.context(), 64)),
                   {batch, 1, 1, 1});
}

bool Heads::readBand() {
  bool isCausal = node.integer(HamKaasDnnAttrCausalMask) != 0;
  bool isLateCausal = node.integer(HamKaasDnnAttrCausalMaskBottomRight) != 0;
  bool hasBounds = node.has(HamKaasDnnAttrRightBound);
  if (isCausal + isLateCausal + hasBounds > 1) {
    node.fail("expected one of 'causal_mask', 'causal_mask_bottom_right' and "
              "'right_bound'");
    return false;
  }
  if (hasBounds)
    right = node.integer(HamKaasDnnAttrRightBound);
  else if (isCausal || isLateCausal)
    right = 0;
  if (node.has(HamKaasDnnAttrLeftBound))
    left = node.integer(HamKaasDnnAttrLeftBound);
  auto isValid = [](std::optional<int64_t> bound, int64_t least) {
    return !bound || (*bound >= least && *bound <= INT32_MAX);
  };
  if (!isValid(left, 1) || !isValid(right, 0)) {
    node.fail("expected a 'left_bound' of at least 1 and a 'right_bound' of at "
              "least 0");
    return false;
  }
  isBottomRight =
      isLateCausal ||
      node.integer(HamKaasDnnAttrDiagonalAlignment) == HamKaasDnnBottomRight;
  return true;
}

bool Heads::readMask() {
  if (!readBand())
    return false;
  if (node.has(HamKaasDnnAttrSeqLenQ) != node.has(HamKaasDnnAttrSeqLenKv)) {
    node.fail("expected 'seq_len_q' and 'seq_len_kv', or neither");
    return false;
  }
  Tensor lengthQ = readLengths(HamKaasDnnAttrSeqLenQ);
  Tensor lengthKv = readLengths(HamKaasDnnAttrSeqLenKv);
  if (b.hasFailed())
    return false;
  // The key on the diagonal of each query.
  Tensor diagonal = positions(2);
  if (isBottomRight && lengthQ)
    diagonal = b.add(diagonal, b.sub(lengthKv, lengthQ));
  else if (isBottomRight)
    diagonal = b.add(diagonal, double(keys - queries));
  if (right)
    keep(b.le(positions(3), b.add(diagonal, double(*right))));
  if (left)
    keep(b.gt(b.add(positions(3), double(*left)), diagonal));
  if (lengthKv) {
    keep(b.lt(positions(3), lengthKv));
    keep(b.lt(positions(2), lengthQ));
  }
  return !b.hasFailed();
}

bool Heads::read() { return checkShapes() && readBias() && readMask(); }

/// Returns whether a query may have no key.
bool Heads::mayBeEmpty() const {
  // A bias may be negative infinity.
  if (node.has(HamKaasDnnAttrBias) || node.has(HamKaasDnnAttrSeqLenKv))
    return true;
  int64_t shift = isBottomRight ? keys - queries : 0;
  int64_t first = shift, last = queries - 1 + shift;
  return (right && first + *right < 0) || (left && last - *left + 1 >= keys);
}

Tensor Heads::buildEmpty() {
  if (!mayBeEmpty())
    return {};
  Type type = node.computeType();
  Tensor lowest = b.scalar(type, -INFINITY);
  Tensor open = bias ? bias : b.scalar(type, 0);
  if (mask)
    open = b.select(mask, lowest, open);
  open = b.extendRank(open, 4);
  Tensor most = b.reduce(Combiner::Max, open, {3}, /*keepDims=*/true);
  return b.eq(most, lowest);
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

Tensor Heads::buildScores() {
  Tensor scores = split(b.mul(b.matmul(q, graph::swapDims(b, k, 1, 2)), scale));
  if (bias)
    scores = b.add(scores, bias);
  if (mask)
    scores = b.select(mask, b.scalar(node.computeType(), -INFINITY), scores);
  return scores;
}

/// A bias or a mask for a batch of heads.
static Tensor mergeHeads(GraphBuilder &b, Tensor x, int64_t batch,
                         int64_t heads) {
  if (!x)
    return {};
  Shape shape(x.shape());
  if (shape[0] == 1 && shape[1] == 1)
    return b.reshape(x, {1, shape[2], shape[3]});
  x = b.broadcast(x, {batch, heads, shape[2], shape[3]});
  return b.reshape(x, {batch * heads, shape[2], shape[3]});
}

Tensor Heads::attend() {
  Tensor o;
  if (node.computeType().isF32() && !mask) {
    o = b.attention(q, k, v, mergeHeads(b, bias, batch, heads), scale);
  } else if (node.computeType().isF32()) {
    // As a bias, which the operation also skips keys by.
    Tensor masked = b.select(mask, b.scalar(node.computeType(), -INFINITY),
                             bias ? bias : b.scalar(node.computeType(), 0));
    o = b.attention(q, k, v, mergeHeads(b, masked, batch, heads), scale);
  } else {
    Tensor weights = b.softmax(flatten(buildScores()));
    o = b.matmul(weights, v);
  }
  o = split(o);
  if (Tensor isEmpty = buildEmpty())
    o = b.select(isEmpty, b.scalar(node.computeType(), 0), o);
  return o;
}

void nodes::lowerAttention(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Heads heads(node);
  if (!heads.read())
    return;
  node.give(HamKaasDnnAttrO, heads.attend());
  if (!node.has(HamKaasDnnAttrStats))
    return;
  Tensor stats =
      graph::logSumExp(b, heads.buildScores(), {3}, /*keepDims=*/true);
  if (Tensor isEmpty = heads.buildEmpty())
    stats = b.select(isEmpty, b.scalar(node.computeType(), -INFINITY), stats);
  node.give(HamKaasDnnAttrStats, stats);
}

/// With the weights `w` and `h = dO * transpose(v)`, the scores get `w * (h -
/// sum(dO * o))`.
void nodes::lowerAttentionBackward(NodeBuilder &node) {
  GraphBuilder &b = node.b;
  Heads heads(node);
  if (!heads.read())
    return;
  Tensor o = node.input(HamKaasDnnAttrO), g = node.input(HamKaasDnnAttrDo);
  Tensor stats = node.input(HamKaasDnnAttrStats);
  Shape result = {node.given(HamKaasDnnAttrQ).dim(0),
                  node.given(HamKaasDnnAttrQ).dim(1), heads.q.dim(1),
                  heads.v.dim(2)};
  Shape row(result);
  row.back() = 1;
  if (b.hasFailed())
    return;
  if (ArrayRef<int64_t>(result) != o.shape() || o.shape() != g.shape() ||
      ArrayRef<int64_t>(row) != stats.shape()) {
    node.fail("expected 'o' and 'do' of the dims " + graph::formatList(result) +
              " and 'stats' of " + graph::formatList(row) + ", got " +
              graph::formatList(o.shape()) + ", " +
              graph::formatList(g.shape()) + " and " +
              graph::formatList(stats.shape()));
    return;
  }
  Tensor scores = heads.buildScores();
  Tensor weights = b.exp(b.sub(scores, stats));
  Tensor zero = b.scalar(node.computeType(), 0);
  // A query without keys has no weights: its scores and statistics are
  // infinite.
  if (Tensor isEmpty = heads.buildEmpty())
    weights = b.select(isEmpty, zero, weights);
  Tensor h = heads.split(
      b.matmul(heads.flatten(g), graph::swapDims(b, heads.v, 1, 2)));
  Tensor along = b.reduce(Combiner::Sum, b.mul(g, o), {3}, /*keepDims=*/true);
  Tensor toScores = b.mul(weights, b.sub(h, along));
  if (b.hasFailed())
    return;
  Tensor scaled = heads.flatten(b.mul(toScores, heads.scale));
  auto transpose = [&](Tensor x) { return graph::swapDims(b, x, 1, 2); };
  node.give(HamKaasDnnAttrDq, heads.split(b.matmul(scaled, heads.k)));
  node.give(
      HamKaasDnnAttrDk,
      heads.sumShared(b.matmul(transpose(scaled), heads.q), HamKaasDnnAttrK));
  node.give(HamKaasDnnAttrDv,
            heads.sumShared(
                b.matmul(transpose(heads.flatten(weights)), heads.flatten(g)),
                HamKaasDnnAttrV));
  if (node.has(HamKaasDnnAttrDbias))
    node.give(HamKaasDnnAttrDbias, heads.sumToBias(toScores));
}

Tensor Heads::sumToBias(Tensor x) {
  Tensor given = node.given(HamKaasDnnAttrBias);
  if (!given)
    return node.fail("expected 'dbias' only with 'bias'");
  Shape shape(4 - given.rank(), 1), dims;
  llvm::append_range(shape, given.shape());
  for (int64_t dim = 0; dim < 4; ++dim)
    if (shape[dim] == 1 && x.dim(dim) != 1)
      dims.push_back(dim);
  return b.reshape(b.reduce(Combiner::Sum, x, dims, /*keepDims=*/true),
                   given.shape());
}
