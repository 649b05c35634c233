//===- Einsum.cpp - Sums of products over labelled dimensions ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/Compositions.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;

namespace {

/// A tensor with a label for each dimension. Dimensions of the ellipsis have
/// labels from -1 down, from the last one on.
struct Labelled {
  Tensor tensor;
  SmallVector<int> labels;

  int64_t find(int label) const {
    auto found = llvm::find(labels, label);
    return found == labels.end() ? -1 : found - labels.begin();
  }
};

class Einsum {
public:
  explicit Einsum(GraphBuilder &b) : b(b) {}

  Tensor run(StringRef equation, ArrayRef<Tensor> inputs);

private:
  bool parseTerm(StringRef term, int64_t rank, SmallVectorImpl<int> &labels);
  bool parseOutput(StringRef equation, SmallVectorImpl<int> &labels);
  void takeDiagonals(Labelled &x);
  void sumOut(Labelled &x, ArrayRef<Labelled> others, ArrayRef<int> output);
  void repeatOnes(Labelled &x);
  Labelled multiply(const Labelled &lhs, const Labelled &rhs,
                    ArrayRef<Labelled> rest, ArrayRef<int> output);
  Tensor arrange(const Labelled &x, ArrayRef<int> labels);
  bool fail(const Twine &reason) {
    b.fail(reason);
    return false;
  }

  GraphBuilder &b;
  llvm::DenseMap<int, int64_t> sizes;
  llvm::DenseMap<int, int> counts;
  int ellipsisRank = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

/// `rank` is that of the tensor, or -1 for the output, whose ellipsis stands
/// for all dimensions that those of the inputs do.
bool Einsum::parseTerm(StringRef term, int64_t rank,
                       SmallVectorImpl<int> &labels) {
  StringRef whole = term;
  bool hasEllipsis = false;
  int64_t letters = llvm::count_if(term, llvm::isAlpha);
  while (!term.empty()) {
    if (term.consume_front("...") && !hasEllipsis) {
      hasEllipsis = true;
      int64_t count = rank < 0 ? ellipsisRank : rank - letters;
      for (int64_t i = count; i > 0; --i)
        labels.push_back(-int(i));
      if (rank >= 0)
        ellipsisRank = std::max<int>(ellipsisRank, int(count));
      continue;
    }
    if (term.empty() || !llvm::isAlpha(term.front()))
      return fail("expected letters and one '...' in a term of the equation, "
                  "got " +
                  quote(whole));
    labels.push_back(term.front());
    term = term.drop_front();
  }
  if (rank >= 0 && rank != int64_t(labels.size()))
    return fail("expected a label for each of " + Twine(rank) +
                " dimensions, got " + quote(whole));
  return true;
}

bool Einsum::parseOutput(StringRef equation, SmallVectorImpl<int> &labels) {
  auto [inputs, output] = equation.split("->");
  if (equation.contains("->"))
    return parseTerm(output, -1, labels);
  // The ellipsis, then the letters that occur once.
  for (int i = ellipsisRank; i > 0; --i)
    labels.push_back(-i);
  for (int letter = 'A'; letter <= 'z'; ++letter)
    if (counts.lookup(letter) == 1)
      labels.push_back(letter);
  return true;
}

//===----------------------------------------------------------------------===//
// One tensor
//===----------------------------------------------------------------------===//

/// Where a label occurs twice, the elements whose indices are equal.
void Einsum::takeDiagonals(Labelled &x) {
  for (int64_t i = 0; x.tensor && i < x.tensor.rank(); ++i) {
    int64_t first = x.find(x.labels[i]);
    if (first == i)
      continue;
    int64_t size = x.tensor.dim(i), rank = x.tensor.rank();
    Shape permutation;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != i && dim != first)
        permutation.push_back(dim);
    Shape rest = b.dropDims(x.tensor, {first, i});
    permutation.append({first, i});
    Shape flat(rest), offsets(rest.size() + 1, 0), strides(rest.size() + 1, 1);
    flat.push_back(size * size);
    strides.back() = size + 1;
    Shape taken(rest);
    taken.push_back(size);
    x.tensor = b.stridedSlice(b.reshape(b.permute(x.tensor, permutation), flat),
                              offsets, taken, strides);
    int label = x.labels[i];
    x.labels.erase(x.labels.begin() + i);
    x.labels.erase(x.labels.begin() + first);
    x.labels.push_back(label);
    i = -1;
  }
}

/// Dimensions of size 1 stand for those of other tensors.
void Einsum::repeatOnes(Labelled &x) {
  Shape shape;
  for (int label : x.labels)
    shape.push_back(sizes.lookup(label));
  x.tensor = b.broadcast(x.tensor, shape);
}

/// Sums over the labels that nothing else has.
void Einsum::sumOut(Labelled &x, ArrayRef<Labelled> others,
                    ArrayRef<int> output) {
  Shape dims;
  SmallVector<int> kept;
  for (auto [i, label] : llvm::enumerate(x.labels)) {
    bool isNeeded = llvm::is_contained(output, label) ||
                    llvm::any_of(others, [label = label](const Labelled &y) {
                      return y.find(label) >= 0;
                    });
    if (isNeeded)
      kept.push_back(label);
    else
      dims.push_back(int64_t(i));
  }
  x.tensor = b.reduce(Combiner::Sum, x.tensor, dims, /*keepDims=*/false);
  x.labels = kept;
}

/// The dimensions in the order of `labels`, all of which `x` has.
Tensor Einsum::arrange(const Labelled &x, ArrayRef<int> labels) {
  Shape permutation;
  for (int label : labels)
    permutation.push_back(x.find(label));
  return b.permute(x.tensor, permutation);
}

//===----------------------------------------------------------------------===//
// Two tensors
//===----------------------------------------------------------------------===//

Labelled Einsum::multiply(const Labelled &lhs, const Labelled &rhs,
                          ArrayRef<Labelled> rest, ArrayRef<int> output) {
  SmallVector<int> batch, left, right, inner;
  for (int label : lhs.labels) {
    bool isNeeded = llvm::is_contained(output, label) ||
                    llvm::any_of(rest, [&](const Labelled &y) {
                      return y.find(label) >= 0;
                    });
    (rhs.find(label) < 0 ? left : isNeeded ? batch : inner).push_back(label);
  }
  for (int label : rhs.labels)
    if (lhs.find(label) < 0)
      right.push_back(label);
  auto count = [&](ArrayRef<int> labels) {
    int64_t product = 1;
    for (int label : labels)
      product *= sizes.lookup(label);
    return product;
  };
  auto join = [](ArrayRef<int> a, ArrayRef<int> c, ArrayRef<int> d) {
    SmallVector<int> all(a);
    llvm::append_range(all, c);
    llvm::append_range(all, d);
    return all;
  };
  Tensor l = b.reshape(arrange(lhs, join(batch, left, inner)),
                       {count(batch), count(left), count(inner)});
  Tensor r = b.reshape(arrange(rhs, join(batch, inner, right)),
                       {count(batch), count(inner), count(right)});
  Labelled result{multiplyAsNumpy(b, l, r), join(batch, left, right)};
  Shape shape;
  for (int label : result.labels)
    shape.push_back(sizes.lookup(label));
  result.tensor = b.reshape(result.tensor, shape);
  return result;
}

//===----------------------------------------------------------------------===//
// Equations of tensors
//===----------------------------------------------------------------------===//

Tensor Einsum::run(StringRef equation, ArrayRef<Tensor> inputs) {
  SmallVector<StringRef> terms;
  equation.split("->").first.split(terms, ',');
  if (terms.size() != inputs.size())
    return b.fail("expected a term of the equation for each of " +
                  Twine(inputs.size()) + " tensors, got " + quote(equation));
  for (const Tensor &input : inputs)
    if (input.elementType() != inputs.front().elementType())
      return b.fail("expected tensors of one element type, got " +
                    describeType(inputs.front()) + " and " +
                    describeType(input));
  SmallVector<Labelled> operands;
  for (auto [term, input] : llvm::zip_equal(terms, inputs)) {
    Labelled &operand = operands.emplace_back();
    operand.tensor = input;
    if (!parseTerm(term, input.rank(), operand.labels))
      return {};
    for (auto [label, size] : llvm::zip_equal(operand.labels, input.shape())) {
      ++counts[label];
      int64_t &known = sizes.try_emplace(label, size).first->second;
      if (known != size && known != 1 && size != 1)
        return b.fail("expected dimensions of one label to have one size, "
                      "got " +
                      Twine(known) + " and " + Twine(size));
      known = std::max(known, size);
    }
  }
  SmallVector<int> output;
  if (!parseOutput(equation, output))
    return {};
  for (int label : output)
    if (!sizes.contains(label) || llvm::count(output, label) != 1)
      return b.fail("expected each label of the result once, and in a term "
                    "before it, got " +
                    quote(equation));
  for (Labelled &operand : operands) {
    repeatOnes(operand);
    takeDiagonals(operand);
  }
  for (auto [i, operand] : llvm::enumerate(operands)) {
    SmallVector<Labelled> others(operands);
    others.erase(others.begin() + i);
    sumOut(operand, others, output);
  }
  Labelled result = operands.front();
  for (size_t i = 1; i < operands.size() && result.tensor; ++i)
    result = multiply(result, operands[i], ArrayRef(operands).drop_front(i + 1),
                      output);
  return b.hasFailed() ? Tensor() : arrange(result, output);
}

Tensor graph::einsum(GraphBuilder &b, StringRef equation,
                     ArrayRef<Tensor> operands) {
  std::string text = equation.str();
  llvm::erase_if(text, llvm::isSpace);
  return Einsum(b).run(text, operands);
}
