//===- TfIdf.cpp - Counts of short sequences of words -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// The counts of all sequences are a product with a table of that size at most.
static constexpr int64_t largestTable = int64_t(1) << 22;

namespace {

/// The sequences of one length that are counted.
struct Sequences {
  int64_t length;
  /// Words, one sequence after the other, and where the counts go.
  Shape words, outputs;

  int64_t count() const { return outputs.size(); }
};

struct Vocabulary {
  std::vector<Sequences> all;
  int64_t mostSkipped = 0, outputs = 0;
  StringRef mode;
  /// One an output, or none.
  SmallVector<double> weights;
};

} // namespace

static bool refuse(GraphBuilder &b, const Twine &reason) {
  b.fail(reason);
  return false;
}

/// The sequences of the attributes 'pool_int64s' and 'ngram_counts', which says
/// where those of each length begin.
static bool readSequences(OpContext &op, GraphBuilder &b, Vocabulary &v) {
  Attributes &a = op.attributes;
  Shape pool = a.getInts("pool_int64s").value_or(Shape());
  Shape begins = a.getInts("ngram_counts").value_or(Shape());
  Shape outputs = a.getInts("ngram_indexes").value_or(Shape());
  int64_t least = a.getInt("min_gram_length").value_or(1);
  int64_t most = a.getInt("max_gram_length").value_or(1);
  size_t next = 0;
  for (size_t i = 0; i < begins.size(); ++i) {
    int64_t length = int64_t(i) + 1;
    int64_t size = int64_t(pool.size());
    int64_t end = i + 1 < begins.size() ? begins[i + 1] : size;
    if (begins[i] < 0 || begins[i] > end || end > size)
      return refuse(b, "expected ascending numbers in the attribute "
                       "'ngram_counts', within 'pool_int64s'");
    int64_t count = (end - begins[i]) / length;
    if (outputs.size() - next < size_t(count))
      return refuse(b, "expected an entry of the attribute 'ngram_indexes' for "
                       "each sequence");
    ArrayRef<int64_t> words = ArrayRef(pool).slice(begins[i], count * length);
    ArrayRef<int64_t> places = ArrayRef(outputs).slice(next, count);
    if (count > 0 && length >= least && length <= most)
      v.all.push_back({length, Shape(words), Shape(places)});
    next += count;
  }
  for (int64_t output : outputs) {
    if (output < 0 || output >= largestTable)
      return refuse(b, "expected the attribute 'ngram_indexes' to hold numbers "
                       "from 0 to 2^22");
    v.outputs = std::max(v.outputs, output + 1);
  }
  return true;
}

static bool readVocabulary(OpContext &op, GraphBuilder &b, Vocabulary &v) {
  Attributes &a = op.attributes;
  v.mode = a.getString("mode").value_or("");
  v.mostSkipped = a.getInt("max_skip_count").value_or(0);
  if (auto weights = a.getFloats("weights"))
    v.weights = *weights;
  if (!readSequences(op, b, v) ||
      !expectOneOf(b, "mode", v.mode, {"IDF", "TF", "TFIDF"}))
    return false;
  int64_t count = 0;
  for (const Sequences &sequences : v.all)
    count += sequences.count();
  if (v.all.empty() || count > largestTable / v.outputs || v.mostSkipped < 0 ||
      v.mostSkipped > 64)
    return refuse(b,
                  "vocabularies without sequences, of more than 2^22 sequences "
                  "times outputs, or with more than 64 words to skip are not "
                  "supported");
  if (v.weights.empty() || int64_t(v.weights.size()) == v.outputs)
    return true;
  return refuse(b, "expected " + Twine(v.outputs) + " weights, got " +
                       Twine(v.weights.size()));
}

/// How often each of the sequences occurs in each row of `x`, with `step` from
/// word to word; null if no row is long enough.
static Tensor countSequences(GraphBuilder &b, Tensor x, const Sequences &all,
                             int64_t step) {
  int64_t places = x.dim(1) - step * (all.length - 1);
  if (places < 1)
    return {};
  Tensor isFound;
  for (int64_t i = 0; i < all.length; ++i) {
    Shape words;
    for (int64_t k = 0; k < all.count(); ++k)
      words.push_back(all.words[k * all.length + i]);
    Tensor found = addDim(b, b.sliceDim(x, 1, i * step, places), 2);
    Shape compared = {x.dim(0), places, all.count()};
    found = b.eq(b.broadcast(found, compared), b.constant(words));
    isFound = isFound ? b.bitAnd(isFound, found) : found;
  }
  Type f32 = Float32Type::get(b.context());
  return b.reduce(Combiner::Sum, b.cast(isFound, f32), 1, /*keepDims=*/false);
}

/// The counts of all sequences, rows x outputs.
static Tensor countAll(GraphBuilder &b, Tensor x, const Vocabulary &v) {
  Type f32 = Float32Type::get(b.context());
  SmallVector<Tensor> counts;
  std::vector<double> table;
  for (const Sequences &sequences : v.all) {
    Tensor sum = b.broadcast(b.scalar(f32, 0), {x.dim(0), sequences.count()});
    // Single words have nothing between them.
    int64_t steps = sequences.length == 1 ? 1 : v.mostSkipped + 1;
    for (int64_t step = 1; step <= steps; ++step)
      if (Tensor part = countSequences(b, x, sequences, step))
        sum = b.add(sum, part);
    counts.push_back(sum);
    for (int64_t output : sequences.outputs)
      for (int64_t i = 0; i < v.outputs; ++i)
        table.push_back(i == output ? 1 : 0);
  }
  Tensor all = b.concat(counts, 1);
  if (!all)
    return {};
  return b.matmul(all, b.constantOf(f32, table, {all.dim(1), v.outputs}));
}

static Tensors importTfIdfVectorizer(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  Vocabulary v;
  if (!op.expectRank(x, 1, 2) || !expectElements(b, x) ||
      !readVocabulary(op, b, v))
    return {};
  Shape shape(x.shape().drop_back());
  shape.push_back(v.outputs);
  Type i64 = IntegerType::get(b.context(), 64);
  Tensor rows = b.reshape(b.cast(x, i64),
                          {x.count() / x.shape().back(), x.shape().back()});
  Tensor y = countAll(b, rows, v);
  if (!y)
    return {};
  Type f32 = y.elementType();
  if (v.mode == "IDF")
    y = b.cast(b.gt(y, b.scalar(f32, 0)), f32);
  if (v.mode != "TF" && !v.weights.empty())
    y = b.mul(y, b.constantOf(f32, v.weights, {v.outputs}));
  return {b.reshape(y, shape)};
}

ArrayRef<OpDefinition> onnx::getTfIdfOps() {
  static constexpr OpDefinition ops[] = {
      {"TfIdfVectorizer", importTfIdfVectorizer, 9},
  };
  return ops;
}
