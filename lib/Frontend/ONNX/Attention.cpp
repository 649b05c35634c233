//===- Attention.cpp - Attention and what prepares it -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "DataTypes.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

/// batch x length x (heads * width) as batch x heads x length x width; rank 4
/// as it is.
static Tensor splitHeads(OpContext &op, GraphBuilder &b, Tensor x,
                         std::optional<int64_t> heads) {
  if (!op.expectRank(x, 3, 4) || x.rank() == 4)
    return b.hasFailed() ? Tensor() : x;
  if (!heads || *heads < 1 || x.dim(2) % *heads != 0)
    return b.fail("expected a number of heads that divides " + Twine(x.dim(2)) +
                  ", got " + Twine(heads.value_or(0)));
  x = b.reshape(x, {x.dim(0), x.dim(1), *heads, x.dim(2) / *heads});
  return b.permute(x, {0, 2, 1, 3});
}

static Tensor joinHeads(GraphBuilder &b, Tensor x) {
  if (!x)
    return {};
  Shape shape = {x.dim(0), x.dim(2), x.dim(1) * x.dim(3)};
  return b.reshape(b.permute(x, {0, 2, 1, 3}), shape);
}

namespace {

/// The inputs of Attention, batch x heads x length x width.
struct AttentionInputs {
  Tensor q, k, v;
  bool isJoined = false;
  /// Position of the first query among the keys: a number, or one a batch.
  int64_t offset = 0;
  Tensor offsets;
  /// Keys that are there, one a batch.
  Tensor lengths;

  int64_t queries() const { return q.dim(2); }
  int64_t keys() const { return k.dim(2); }
};

} // namespace

static bool checkHeads(GraphBuilder &b, const AttentionInputs &in) {
  Shape k = {in.q.dim(0), in.k.dim(1), in.k.dim(2), in.q.dim(3)};
  Shape v = {in.q.dim(0), in.k.dim(1), in.k.dim(2), in.v.dim(3)};
  if (!expectShape(b, "keys", in.k, k) || !expectShape(b, "values", in.v, v))
    return false;
  if (in.q.dim(1) % in.k.dim(1) == 0)
    return true;
  b.fail("expected a number of heads of queries that is a multiple of that of "
         "keys, got " +
         Twine(in.q.dim(1)) + " and " + Twine(in.k.dim(1)));
  return false;
}

static bool readPast(OpContext &op, GraphBuilder &b, AttentionInputs &in) {
  Tensor key = op.optionalInput(4), value = op.optionalInput(5);
  in.lengths = op.version >= 24 ? op.optionalInput(6) : Tensor();
  if (!key != !value) {
    b.fail("expected past keys and values, got one of them");
    return false;
  }
  if (in.lengths) {
    if (key) {
      b.fail("past keys together with 'nonpad_kv_seqlen' are not supported");
      return false;
    }
    if (!expectShape(b, "lengths", in.lengths, {in.q.dim(0)}))
      return false;
    in.lengths = b.reshape(in.lengths, {in.q.dim(0), 1, 1, 1});
    in.offsets = b.sub(in.lengths, double(in.queries()));
  }
  if (!key)
    return true;
  if (!op.expectRank(key, 4, 4) || !op.expectRank(value, 4, 4))
    return false;
  in.offset = key.dim(2);
  in.k = b.concat({key, in.k}, 2);
  in.v = b.concat({value, in.v}, 2);
  return !b.hasFailed();
}

static std::optional<AttentionInputs> readInputs(OpContext &op,
                                                 GraphBuilder &b) {
  AttentionInputs in;
  auto queryHeads = op.attributes.getInt("q_num_heads");
  auto keyHeads = op.attributes.getInt("kv_num_heads");
  in.isJoined = op.input(0).rank() == 3;
  in.q = splitHeads(op, b, op.input(0), queryHeads);
  in.k = splitHeads(op, b, op.input(1), keyHeads);
  in.v = splitHeads(op, b, op.input(2), keyHeads);
  if (!expectElements(b, {in.q, in.k, in.v}) || !readPast(op, b, in) ||
      !checkHeads(b, in))
    return std::nullopt;
  return in;
}

//===----------------------------------------------------------------------===//
// The mask
//===----------------------------------------------------------------------===//

/// 0 where `isAllowed`, else minus infinity.
static Tensor toBias(GraphBuilder &b, Tensor isAllowed, Type type) {
  return b.select(isAllowed, b.scalar(type, 0), b.scalar(type, -infinity));
}

/// The position of each key minus that of each query: queries x keys, or one a
/// batch.
static Tensor getDistances(GraphBuilder &b, const AttentionInputs &in) {
  Shape shape = {in.queries(), in.keys()};
  Tensor distance = b.sub(b.iota(shape, 1), b.iota(shape, 0));
  if (in.offsets)
    return b.sub(distance, b.cast(in.offsets, distance.elementType()));
  return in.offset ? b.sub(distance, double(in.offset)) : distance;
}

/// The mask as a bias. It may be shorter than the keys, of which it then
/// forbids the rest.
static Tensor readMask(OpContext &op, GraphBuilder &b,
                       const AttentionInputs &in, Type type) {
  Tensor mask = op.optionalInput(3);
  if (!mask || !op.expectRank(mask, 1, 4))
    return {};
  mask = mask.isBool() ? toBias(b, mask, type) : b.cast(mask, type);
  int64_t missing = mask ? in.keys() - mask.shape().back() : 0;
  if (missing <= 0 || mask.shape().back() == 1)
    return mask;
  Shape shape(mask.shape());
  shape.back() = missing;
  Tensor rest = b.broadcast(b.scalar(type, -infinity), shape);
  return b.concat({mask, rest}, mask.rank() - 1);
}

/// The sum of all that is added to the scores; null if there is nothing.
static Tensor readBias(OpContext &op, GraphBuilder &b,
                       const AttentionInputs &in, Type type) {
  Tensor bias = readMask(op, b, in, type);
  auto forbidUnless = [&](ComparePredicate predicate, Tensor l, double r) {
    Tensor limit = b.scalar(l.elementType(), r);
    Tensor part = toBias(b, b.compare(predicate, l, limit), type);
    bias = bias ? b.add(bias, part) : part;
  };
  if (op.attributes.getInt("is_causal").value_or(0) != 0)
    forbidUnless(ComparePredicate::Le, getDistances(b, in), 0);
  int64_t left = -1, right = -1;
  if (op.version >= 25) {
    left = op.attributes.getInt("left_window_size").value_or(-1);
    right = op.attributes.getInt("right_window_size").value_or(-1);
  }
  if (left >= 0)
    forbidUnless(ComparePredicate::Ge, getDistances(b, in), -double(left));
  if (right >= 0)
    forbidUnless(ComparePredicate::Le, getDistances(b, in), double(right));
  if (!in.lengths)
    return bias;
  Tensor index =
      b.cast(b.iota({1, 1, 1, in.keys()}, 3), in.lengths.elementType());
  Tensor part = toBias(b, b.lt(index, in.lengths), type);
  return bias ? b.add(bias, part) : part;
}

//===----------------------------------------------------------------------===//
// The product
//===----------------------------------------------------------------------===//

/// `x` of `heads` heads times the keys or values of perhaps fewer: each of
/// these serves a group of heads that follow each other.
static Tensor multiplyHeads(GraphBuilder &b, Tensor x, Tensor shared) {
  if (!x || !shared)
    return {};
  int64_t group = x.dim(1) / shared.dim(1);
  Shape result = {x.dim(0), x.dim(1), x.dim(2), shared.dim(3)};
  x = b.reshape(x, {x.dim(0), shared.dim(1), group * x.dim(2), x.dim(3)});
  return b.reshape(multiplyBatches(b, x, shared), result);
}

static double getScale(OpContext &op, const AttentionInputs &in) {
  return op.attributes.getFloat("scale").value_or(1 / std::sqrt(in.q.dim(3)));
}

/// The products of queries and keys. 16-bit elements are scaled on both sides,
/// by the square root, so that no product overflows.
static Tensor scoreKeys(OpContext &op, GraphBuilder &b,
                        const AttentionInputs &in) {
  double scale = getScale(op, in);
  Tensor q = in.q, k = in.k;
  if (q.elementType().getIntOrFloatBitWidth() == 16) {
    q = b.mul(q, std::sqrt(scale));
    k = b.mul(k, std::sqrt(scale));
  } else {
    q = b.mul(q, scale);
  }
  return multiplyHeads(b, q, b.permute(k, {0, 1, 3, 2}));
}

/// Where a row of the bias allows nothing.
static Tensor findEmptyRows(GraphBuilder &b, Tensor bias) {
  if (!bias)
    return {};
  Tensor most =
      b.reduce(Combiner::Max, bias, {bias.rank() - 1}, /*keepDims=*/true);
  return b.eq(most, b.scalar(bias.elementType(), -infinity));
}

/// Rows in which nothing is allowed are 0.
static Tensor computeProbabilities(OpContext &op, GraphBuilder &b,
                                   Tensor scores, Tensor bias) {
  if (!scores)
    return {};
  Type type = scores.elementType();
  if (auto precision = op.attributes.getInt("softmax_precision")) {
    Type computed = op.getElementType(*precision);
    if (computed && !isa<FloatType>(computed))
      b.fail("expected the attribute 'softmax_precision' to be a type of "
             "floats, got " +
             getDataTypeName(DataType(*precision)));
    if (b.hasFailed())
      return {};
    scores = b.cast(scores, computed);
  }
  Tensor probabilities = b.cast(softmax(b, scores, scores.rank() - 1), type);
  if (!bias)
    return probabilities;
  return b.select(findEmptyRows(b, bias), b.scalar(type, 0), probabilities);
}

//===----------------------------------------------------------------------===//
// The operation of the dialect
//===----------------------------------------------------------------------===//

/// Returns whether attention of the dialect is the same: of float32, each step
/// of which is computed as such, and whose scores nobody sees.
static bool isOperation(OpContext &op, const AttentionInputs &in,
                        const Tensor &bias, double softcap) {
  Shape scores = {in.q.dim(0), in.q.dim(1), in.queries(), in.keys()};
  int64_t precision =
      op.attributes.getInt("softmax_precision").value_or(int(DataType::Float));
  bool isBiasRepeated =
      !bias || getBroadcastShape(scores, bias.shape()) == scores;
  return in.q.elementType().isF32() && in.k.elementType().isF32() &&
         in.v.elementType().isF32() && precision == int(DataType::Float) &&
         !(softcap > 0) && !op.wants(3) && isBiasRepeated &&
         std::isfinite(float(getScale(op, in)));
}

/// `x`, batch x heads x length x width, with the heads of a group as rows of
/// one matrix.
static Tensor toMatrices(GraphBuilder &b, Tensor x, int64_t group) {
  return b.reshape(x,
                   {x.dim(0) * x.dim(1) / group, group * x.dim(2), x.dim(3)});
}

/// The bias for such matrices, with dimensions of 1 where it is the same.
static Tensor toBiasOfMatrices(GraphBuilder &b, const AttentionInputs &in,
                               Tensor bias, int64_t group) {
  bias = b.extendRank(bias, 4);
  if (!bias)
    return {};
  Shape shape(bias.shape());
  bool isOne = shape[0] == 1 && shape[1] == 1;
  if (isOne && shape[2] == 1)
    return b.reshape(bias, {1, 1, shape[3]});
  if (!isOne)
    shape[0] = in.q.dim(0);
  if (!isOne || group != 1)
    shape[1] = isOne ? group : in.q.dim(1);
  if (group != 1)
    shape[2] = in.queries();
  return toMatrices(b, b.broadcast(bias, shape), group);
}

/// Rows in which nothing is allowed are 0.
static Tensor computeAttention(OpContext &op, GraphBuilder &b,
                               const AttentionInputs &in, Tensor bias) {
  int64_t group = in.q.dim(1) / in.k.dim(1);
  if (bias)
    bias = toBiasOfMatrices(b, in, bias, group);
  Tensor y = b.attention(toMatrices(b, in.q, group), toMatrices(b, in.k, 1),
                         toMatrices(b, in.v, 1), bias, getScale(op, in));
  if (bias)
    y = b.select(findEmptyRows(b, bias), b.scalar(in.q.elementType(), 0), y);
  return b.reshape(y, {in.q.dim(0), in.q.dim(1), in.queries(), in.v.dim(3)});
}

static Tensors importAttention(OpContext &op, GraphBuilder &b) {
  std::optional<AttentionInputs> in = readInputs(op, b);
  double softcap = op.attributes.getFloat("softcap").value_or(0);
  int64_t mode = op.attributes.getInt("qk_matmul_output_mode").value_or(0);
  if (!in)
    return {};
  if (mode < 0 || mode > 3)
    return {b.fail("expected the attribute 'qk_matmul_output_mode' to be from "
                   "0 to 3, got " +
                   Twine(mode))};
  Tensor bias = readBias(op, b, *in, in->q.elementType());
  if (b.hasFailed())
    return {};
  auto join = [&](Tensor y) { return in->isJoined ? joinHeads(b, y) : y; };
  if (isOperation(op, *in, bias, softcap))
    return {join(computeAttention(op, b, *in, bias)), in->k, in->v};
  SmallVector<Tensor> stages = {scoreKeys(op, b, *in)};
  Tensor scores = stages[0];
  if (softcap > 0)
    scores = b.mul(b.tanh(b.div(scores, softcap)), softcap);
  stages.push_back(scores);
  if (bias)
    scores = b.add(scores, bias);
  stages.push_back(scores);
  stages.push_back(computeProbabilities(op, b, scores, bias));
  Tensor y = multiplyHeads(b, stages[3], in->v);
  return {join(y), in->k, in->v, stages[mode]};
}

//===----------------------------------------------------------------------===//
// Rotary embedding
//===----------------------------------------------------------------------===//

/// The cosines or sines of the positions of `x`, batch x length x half, aligned
/// to its dimensions.
static Tensor readRotations(OpContext &op, GraphBuilder &b, const Tensor &x,
                            unsigned input, int64_t half, int64_t headDim) {
  Tensor table = op.input(input), positions = op.optionalInput(3);
  int64_t length = x.dim(headDim == 1 ? 2 : 1);
  if (positions) {
    if (!op.expectRank(table, 2, 2) ||
        !expectShape(b, "positions", positions, {x.dim(0), length}))
      return {};
    table = b.gather(table, positions, 0);
  }
  if (!expectShape(b, "rotations", table, {x.dim(0), length, half}))
    return {};
  return addDim(b, table, headDim);
}

/// Rotates pairs of elements by angles: those of the two halves, or neighbours.
static Tensor rotate(GraphBuilder &b, Tensor x, Tensor cosine, Tensor sine,
                     bool isInterleaved) {
  Shape shape(x.shape()), offsets(4, 0), sizes(x.shape()), strides(4, 1);
  int64_t half = x.dim(3) / 2;
  sizes[3] = half;
  strides[3] = isInterleaved ? 2 : 1;
  Tensor left = b.stridedSlice(x, offsets, sizes, strides);
  offsets[3] = isInterleaved ? 1 : half;
  Tensor right = b.stridedSlice(x, offsets, sizes, strides);
  Tensor real = b.sub(b.mul(left, cosine), b.mul(right, sine));
  Tensor imaginary = b.add(b.mul(left, sine), b.mul(right, cosine));
  if (!isInterleaved)
    return b.concat({real, imaginary}, 3);
  Tensor pairs = b.concat({addDim(b, real, 4), addDim(b, imaginary, 4)}, 4);
  return b.reshape(pairs, shape);
}

static Tensors importRotaryEmbedding(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t heads = op.attributes.getInt("num_heads").value_or(0);
  int64_t size = op.attributes.getInt("rotary_embedding_dim").value_or(0);
  bool isInterleaved = op.attributes.getInt("interleaved").value_or(0) != 0;
  if (!op.expectRank(x, 3, 4))
    return {};
  Shape shape(x.shape());
  int64_t headDim = x.rank() == 4 ? 1 : 2;
  if (x.rank() == 3) {
    if (heads < 1 || x.dim(2) % heads != 0)
      return {b.fail("expected the attribute 'num_heads' to divide " +
                     Twine(x.dim(2)) + ", got " + Twine(heads))};
    x = b.reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
  }
  if (size == 0)
    size = x.dim(3);
  if (size < 2 || size > x.dim(3) || size % 2 != 0)
    return {b.fail("expected an even number of elements to rotate, at most " +
                   Twine(x.dim(3)) + ", got " + Twine(size))};
  Tensor cosine = readRotations(op, b, x, 1, size / 2, headDim);
  Tensor sine = readRotations(op, b, x, 2, size / 2, headDim);
  if (b.hasFailed())
    return {};
  Tensor rotated = b.sliceDim(x, 3, 0, size);
  if (!rotated)
    return {};
  Tensor result = rotate(b, rotated, cosine, sine, isInterleaved);
  if (size < x.dim(3))
    result = b.concat({result, b.sliceDim(x, 3, size, x.dim(3) - size)}, 3);
  return {b.reshape(result, shape)};
}

ArrayRef<OpDefinition> onnx::getAttentionOps() {
  static constexpr OpDefinition ops[] = {
      {"Attention", importAttention, 25},
      {"RotaryEmbedding", importRotaryEmbedding, 23},
  };
  return ops;
}
