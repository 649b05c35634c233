//===- DnnAttentionTest.cpp - Attention and its gradient --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnTest.h"

using namespace hamkaas;
using namespace hamkaas::test;
using namespace hamkaas::dnn;
using testing::HasSubstr;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Sizes and options of attention.
struct Problem {
  int64_t batch = 2, heads = 4, keyHeads = 4, valueHeads = 4;
  int64_t queries = 5, keys = 7, depth = 6, width = 3;
  double scale = 0; ///< 0 for the default.
  bool hasBias = false, isCausal = false, isLateCausal = false;
  bool hasLengths = false, hasAlibi = false;
  int64_t left = 0, right = -1; ///< 0 and -1 for none.
  DataType type = DataType::FLOAT;
  /// The bias hides all keys of the first query.
  bool hidesRow = false;

  Shape q() const { return {batch, heads, queries, depth}; }
  Shape k() const { return {batch, keyHeads, keys, depth}; }
  Shape v() const { return {batch, valueHeads, keys, width}; }
  Shape o() const { return {batch, heads, queries, width}; }
  Shape stats() const { return {batch, heads, queries, 1}; }
};

/// Attention in double.
class Reference {
public:
  Reference(const Problem &problem, const Operand &q, const Operand &k,
            const Operand &v, const Operand *bias)
      : p(problem), q(q.numbers), k(k.numbers), v(v.numbers) {
    if (bias)
      this->bias = bias->numbers;
    double scale = p.scale != 0 ? p.scale : 1 / std::sqrt(double(p.depth));
    this->scale = scale;
    forEachIndex(p.stats(), [&](const Shape &at) { addRow(at); });
  }

  /// The gradients of q, k and v for that of o.
  void differentiate(const Numbers &g);

  const Problem &p;
  Numbers q, k, v, bias, o, stats, dq, dk, dv, dbias;

private:
  size_t keyHead(int64_t head, int64_t heads) const {
    return size_t(head / (p.heads / heads));
  }
  size_t key(const Shape &at, int64_t j, int64_t heads, int64_t size) const {
    return ((size_t(at[0] * heads) + keyHead(at[1], heads)) * size_t(p.keys) +
            size_t(j)) *
           size_t(size);
  }
  bool isMasked(const Shape &at, int64_t j) const;
  void addRow(const Shape &at);

  double scale = 1;
  std::vector<Numbers> weights;
};

} // namespace

bool Reference::isMasked(const Shape &at, int64_t j) const {
  int64_t queries = p.queries, keys = p.keys;
  if (p.hasLengths) {
    // Lengths of the test: one shorter in the second batch.
    queries -= at[0];
    keys -= 2 * at[0];
    if (at[2] >= queries || j >= keys)
      return true;
  }
  int64_t diagonal = at[2] + (p.isLateCausal ? keys - queries : 0);
  if ((p.isCausal || p.isLateCausal) && j > diagonal)
    return true;
  if (p.right >= 0 && j > diagonal + p.right)
    return true;
  return p.left > 0 && j + p.left <= diagonal;
}

void Reference::addRow(const Shape &at) {
  size_t row =
      (size_t(at[0] * p.heads + at[1])) * size_t(p.queries) + size_t(at[2]);
  Numbers scores;
  double most = -infinity;
  for (int64_t j = 0; j < p.keys; ++j) {
    double score = 0;
    for (int64_t d = 0; d < p.depth; ++d)
      score += q[row * size_t(p.depth) + size_t(d)] *
               k[key(at, j, p.keyHeads, p.depth) + size_t(d)];
    score *= scale;
    // The bias of the test has one head: it broadcasts.
    if (!bias.empty())
      score += bias[size_t((at[0] * p.queries + at[2]) * p.keys + j)];
    if (p.hasAlibi)
      score += std::exp2(-8.0 * double(at[1] + 1) / double(p.heads)) *
               double(j - at[2]);
    scores.push_back(isMasked(at, j) ? -infinity : score);
    most = std::max(most, scores.back());
  }
  double sum = 0;
  Numbers &weight = weights.emplace_back();
  for (double score : scores) {
    weight.push_back(most == -infinity ? 0 : std::exp(score - most));
    sum += weight.back();
  }
  for (double &each : weight)
    each = sum == 0 ? 0 : each / sum;
  stats.push_back(sum == 0 ? -infinity : most + std::log(sum));
  for (int64_t e = 0; e < p.width; ++e) {
    double result = 0;
    for (int64_t j = 0; j < p.keys; ++j)
      result +=
          weight[size_t(j)] * v[key(at, j, p.valueHeads, p.width) + size_t(e)];
    o.push_back(result);
  }
}

void Reference::differentiate(const Numbers &g) {
  dq.resize(q.size());
  dk.resize(k.size());
  dv.resize(v.size());
  dbias.resize(bias.size());
  size_t row = 0;
  forEachIndex(p.stats(), [&](const Shape &at) {
    double along = 0;
    for (size_t e = 0; e < size_t(p.width); ++e)
      along += g[row * size_t(p.width) + e] * o[row * size_t(p.width) + e];
    for (int64_t j = 0; j < p.keys; ++j) {
      size_t value = key(at, j, p.valueHeads, p.width);
      size_t other = key(at, j, p.keyHeads, p.depth);
      double h = 0, weight = weights[row][size_t(j)];
      for (size_t e = 0; e < size_t(p.width); ++e) {
        h += g[row * size_t(p.width) + e] * v[value + e];
        dv[value + e] += weight * g[row * size_t(p.width) + e];
      }
      double t = weight * (h - along);
      if (!bias.empty())
        dbias[size_t((at[0] * p.queries + at[2]) * p.keys + j)] += t;
      for (size_t d = 0; d < size_t(p.depth); ++d) {
        dq[row * size_t(p.depth) + d] += scale * t * k[other + d];
        dk[other + d] += scale * t * q[row * size_t(p.depth) + d];
      }
    }
    ++row;
  });
}

namespace {

template <typename Attributes>
Attributes configure(const Problem &p, const TensorPointer &bias,
                     const TensorPointer &lengthQ,
                     const TensorPointer &lengthKv) {
  Attributes attributes;
  attributes.set_name("attention").set_bias(bias);
  if (p.scale != 0)
    attributes.set_attn_scale(p.scale);
  if (p.isCausal)
    attributes.set_causal_mask(true);
  if (p.isLateCausal)
    attributes.set_causal_mask_bottom_right(true);
  if (p.left > 0)
    attributes.set_diagonal_band_left_bound(p.left);
  if (p.right >= 0)
    attributes.set_diagonal_band_right_bound(p.right);
  if (p.hasAlibi)
    attributes.set_alibi_mask(true);
  if (p.hasLengths)
    attributes.set_padding_mask(true).set_seq_len_q(lengthQ).set_seq_len_kv(
        lengthKv);
  return attributes;
}

void check(const Problem &p) {
  TestGraph test;
  Operand &q = test.add(p.q(), p.type), &k = test.add(p.k(), p.type);
  Operand &v = test.add(p.v(), p.type), &g = test.add(p.o(), p.type);
  Operand *bias =
      p.hasBias ? &test.add({p.batch, 1, p.queries, p.keys}) : nullptr;
  if (p.hidesRow) {
    Numbers numbers = bias->numbers;
    std::fill_n(numbers.begin(), p.keys, -infinity);
    bias->set(numbers);
  }
  Operand &lengthQ = test.add({p.batch}, DataType::INT32);
  Operand &lengthKv = test.add({p.batch}, DataType::INT32);
  lengthQ.set({double(p.queries), double(p.queries - 1)});
  lengthKv.set({double(p.keys), double(p.keys - 2)});
  TensorPointer biasTensor = bias ? bias->tensor : nullptr;
  auto forward = test.graph.sdpa(
      q.tensor, k.tensor, v.tensor,
      configure<SdpaAttributes>(p, biasTensor, lengthQ.tensor, lengthKv.tensor)
          .set_generate_stats(true));
  auto attributes = configure<SdpaBackwardAttributes>(
      p, biasTensor, lengthQ.tensor, lengthKv.tensor);
  TensorPointer dbias;
  if (bias) {
    dbias = test.graph.tensor_like(bias->tensor);
    attributes.set_dbias(test.output(dbias));
  }
  auto backward =
      test.graph.sdpa_backward(q.tensor, k.tensor, v.tensor, forward[0],
                               g.tensor, forward[1], attributes);
  test.output(forward[0], p.type);
  test.output(forward[1]);
  for (const TensorPointer &each : backward)
    test.output(each, p.type);
  ASSERT_EQ(test.run(), "");
  Reference exact(p, q, k, v, bias);
  double bound = p.type == DataType::FLOAT ? 2e-6 : 0;
  expectClose(test.result(forward[0]), exact.o, 2e-6);
  expectClose(test.result(forward[1]), exact.stats, 2e-6);
  // The gradient has the rounded o.
  exact.o = test.result(forward[0]).get();
  exact.differentiate(g.numbers);
  bound = std::max(bound, 4e-6);
  expectClose(test.result(backward[0]), exact.dq, bound);
  expectClose(test.result(backward[1]), exact.dk, bound);
  expectClose(test.result(backward[2]), exact.dv, bound);
  if (dbias)
    expectClose(test.result(dbias), exact.dbias, bound);
}

} // namespace

TEST(DnnAttentionTest, Plain) {
  for (DataType type : {DataType::FLOAT, DataType::HALF, DataType::BFLOAT16}) {
    Problem problem;
    problem.type = type;
    check(problem);
  }
}

TEST(DnnAttentionTest, ScaleAndBias) {
  Problem problem;
  problem.scale = 0.3;
  problem.hasBias = true;
  check(problem);
}

TEST(DnnAttentionTest, Masks) {
  Problem causal;
  causal.isCausal = true;
  check(causal);
  Problem late;
  late.isLateCausal = true;
  check(late);
  Problem band;
  band.left = 2;
  band.right = 1;
  check(band);
  Problem alibi;
  alibi.hasAlibi = true;
  check(alibi);
  Problem both;
  both.isCausal = both.hasBias = true;
  both.left = 3;
  check(both);
}

TEST(DnnAttentionTest, GroupedHeads) {
  Problem problem;
  problem.keyHeads = 2;
  problem.valueHeads = 1;
  problem.isCausal = true;
  check(problem);
}

TEST(DnnAttentionTest, PaddingMask) {
  Problem problem;
  problem.hasLengths = true;
  check(problem);
  problem.isLateCausal = true;
  check(problem);
}

// Queries without a key are 0, with statistics of negative infinity.
TEST(DnnAttentionTest, EmptyRows) {
  Problem problem;
  problem.isLateCausal = true;
  problem.queries = 7;
  problem.keys = 5;
  check(problem);
  Problem hidden;
  hidden.hasBias = hidden.hidesRow = true;
  check(hidden);
}

// Queries, keys and values that lie interleaved, as one product makes them.
TEST(DnnAttentionTest, PackedOperands) {
  TestGraph test;
  Problem p;
  p.keys = p.queries;
  p.width = p.depth;
  Shape strides = {5 * 72, 6, 72, 1};
  Operand &q = test.add(p.q(), strides, DataType::FLOAT);
  Operand &k = test.add(p.k(), strides, DataType::FLOAT);
  Operand &v = test.add(p.v(), strides, DataType::FLOAT);
  TensorPointer o = test.output(
      test.graph.sdpa(q.tensor, k.tensor, v.tensor, SdpaAttributes())[0]);
  ASSERT_EQ(test.run(), "");
  expectClose(test.result(o), Reference(p, q, k, v, nullptr).o, 2e-6);
}

TEST(DnnAttentionTest, UnsupportedFeatures) {
  auto check = [](SdpaAttributes attributes) {
    TestGraph test;
    Problem p;
    test.output(test.graph.sdpa(test.add(p.q()).tensor, test.add(p.k()).tensor,
                                test.add(p.v()).tensor,
                                attributes.set_name("attention"))[0]);
    return test.graph.validate();
  };
  // A scale that is known in the run only.
  EXPECT_THAT(check(SdpaAttributes().set_attn_scale(Graph::tensor(
                        TensorAttributes().set_dim({1}).set_data_type(
                            DataType::FLOAT))))
                  .message,
              HasSubstr("scale"));
  TensorPointer table = Graph::tensor(
      TensorAttributes().set_dim({1}).set_data_type(DataType::INT32));
  std::pair<SdpaAttributes, const char *> cases[] = {
      {SdpaAttributes().set_dropout(0.5), "dropout"},
      {SdpaAttributes().set_dropout_mask(table), "dropout_mask"},
      {SdpaAttributes().set_paged_attention_k_table(table), "page_table_k"},
      {SdpaAttributes().set_paged_attention_v_table(table), "page_table_v"},
      {SdpaAttributes().set_paged_attention_max_seq_len_kv(8),
       "max_seq_len_kv"},
      {SdpaAttributes().set_block_mask(table), "block_mask"},
      {SdpaAttributes().set_sink_token(table), "sink_token"},
      {SdpaAttributes().set_descale_q(table), "descale"}};
  for (const auto &[attributes, feature] : cases) {
    Error error = check(attributes);
    EXPECT_EQ(error.code, ErrorCode::GRAPH_NOT_SUPPORTED);
    EXPECT_EQ(error.message, "node 'attention': sdpa: '" +
                                 std::string(feature) + "' is not supported");
  }
}

TEST(DnnAttentionTest, Errors) {
  auto fail = [](Problem p, SdpaAttributes attributes) {
    TestGraph test;
    test.output(test.graph.sdpa(test.add(p.q()).tensor, test.add(p.k()).tensor,
                                test.add(p.v()).tensor,
                                attributes.set_name("a"))[0]);
    return test.run();
  };
  Problem problem;
  problem.keyHeads = 3;
  EXPECT_THAT(fail(problem, {}),
              HasSubstr("sdpa 'a': expected the heads of k and v to divide "
                        "those of q, got q [2, 4, 5, 6]"));
  problem = {};
  EXPECT_THAT(
      fail(problem,
           SdpaAttributes().set_causal_mask(true).set_causal_mask_bottom_right(
               true)),
      HasSubstr("expected one of 'causal_mask'"));
  EXPECT_THAT(fail(problem, SdpaAttributes().set_diagonal_band_left_bound(0)),
              HasSubstr("'left_bound' of at least 1"));
  EXPECT_THAT(fail(problem, SdpaAttributes().set_attn_scale(infinity)),
              HasSubstr("a finite scale"));
}
