//===- Selection.cpp - Results as long as values say ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// How many elements these operators choose depends on values, so that these
// must be constants. What is chosen from need not be.

#include "DataTypes.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include "OpContext.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// Calls `visit` with the elements of a constant as they compare: those of ui64
/// as unsigned numbers.
template <typename Fn> static void visitElements(const Tensor &x, Fn visit) {
  x.elements().withElements([&](const auto &elements) {
    using T = std::decay_t<decltype(elements[0])>;
    if constexpr (std::is_same_v<T, int64_t>)
      if (x.elementType().isUnsignedInteger(64))
        return visit(
            ArrayRef(reinterpret_cast<const uint64_t *>(elements.data()),
                     elements.size()));
    visit(ArrayRef(elements));
  });
}

//===----------------------------------------------------------------------===//
// Elements that are not zero
//===----------------------------------------------------------------------===//

/// The places of the elements of a constant that are not zero.
static Shape findNonZero(const Tensor &x) {
  Shape places;
  visitElements(x, [&](auto elements) {
    for (auto [i, element] : llvm::enumerate(elements))
      if (element != 0)
        places.push_back(i);
  });
  return places;
}

static Tensors importNonZero(OpContext &op, GraphBuilder &b) {
  if (!op.expectConstant(0))
    return {};
  Tensor x = op.input(0);
  // A scalar is a list of one.
  Shape sizes = x.rank() == 0 ? Shape{1} : Shape(x.shape());
  Shape places = findNonZero(x), indices;
  int64_t stride = x.count();
  for (int64_t size : sizes) {
    stride /= std::max<int64_t>(size, 1);
    for (int64_t place : places)
      indices.push_back(place / stride % size);
  }
  return {b.constant(indices, {int64_t(sizes.size()), int64_t(places.size())})};
}

static Tensors importCompress(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<int64_t> axis = op.attributes.getInt("axis");
  if (!x || !op.expectConstant(1))
    return {};
  Tensor condition = op.input(1);
  if (!axis)
    x = b.reshape(x, {x.count()});
  int64_t dim = op.normalizeAxis(axis.value_or(0), x.rank());
  if (b.hasFailed())
    return {};
  Shape places = findNonZero(condition);
  if (condition.rank() != 1 || !condition.isBool() ||
      (!places.empty() && places.back() >= x.dim(dim)))
    return {b.fail("expected a list of at most " + Twine(x.dim(dim)) +
                   " booleans, got the shape " +
                   formatShape(condition.shape()))};
  return {b.gather(x, b.constant(places), dim)};
}

//===----------------------------------------------------------------------===//
// Elements that differ
//===----------------------------------------------------------------------===//

/// -1, 0 or 1. NaN is equal to itself and the largest of all.
template <typename T> static int compare(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(a) || std::isnan(b))
      return int(std::isnan(a)) - int(std::isnan(b));
  return int(a > b) - int(a < b);
}

namespace {

/// The slices of a tensor along a dimension, in groups of equal ones.
struct SliceGroups {
  /// Of each group, the places of its slices, ascending.
  std::vector<std::vector<int64_t>> groups;

  SliceGroups(const Tensor &x, int64_t dim) {
    visitElements(x, [&](auto elements) { group(elements, x.shape(), dim); });
  }

private:
  template <typename T>
  void group(ArrayRef<T> elements, ArrayRef<int64_t> shape, int64_t dim) {
    int64_t inner = 1, outer = 1;
    for (int64_t size : shape.drop_front(dim + 1))
      inner *= size;
    for (int64_t size : shape.take_front(dim))
      outer *= size;
    auto compareSlices = [&](int64_t a, int64_t b) {
      for (int64_t o = 0; o < outer; ++o)
        for (int64_t i = 0; i < inner; ++i)
          if (int order = compare(elements[(o * shape[dim] + a) * inner + i],
                                  elements[(o * shape[dim] + b) * inner + i]))
            return order;
      return 0;
    };
    std::vector<int64_t> order(shape[dim]);
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](int64_t a, int64_t b) {
      int result = compareSlices(a, b);
      return result != 0 ? result < 0 : a < b;
    });
    for (int64_t place : order) {
      if (groups.empty() || compareSlices(groups.back().front(), place) != 0)
        groups.emplace_back();
      groups.back().push_back(place);
    }
  }
};

} // namespace

static Tensors importUnique(OpContext &op, GraphBuilder &b) {
  std::optional<int64_t> axis = op.attributes.getInt("axis");
  bool isSorted = op.attributes.getInt("sorted").value_or(1) != 0;
  if (!op.expectConstant(0) || !op.expectElements(op.input(0)))
    return {};
  Tensor x = op.input(0);
  if (!axis)
    x = b.reshape(x, {x.count()});
  int64_t dim = op.normalizeAxis(axis.value_or(0), x.rank());
  if (b.hasFailed())
    return {};
  auto groups = SliceGroups(x, dim).groups;
  if (!isSorted)
    llvm::sort(groups, [](const auto &a, const auto &b) {
      return a.front() < b.front();
    });
  Shape first, inverse(x.dim(dim)), counts;
  for (auto [i, group] : llvm::enumerate(groups)) {
    first.push_back(group.front());
    counts.push_back(group.size());
    for (int64_t place : group)
      inverse[place] = i;
  }
  return {b.gather(x, b.constant(first), dim), b.constant(first),
          b.constant(inverse), b.constant(counts)};
}

//===----------------------------------------------------------------------===//
// Boxes that do not overlap
//===----------------------------------------------------------------------===//

namespace {

struct Box {
  float low[2], high[2];

  Box(const float *numbers, bool hasCenter) {
    for (int i = 0; i < 2; ++i) {
      float a = numbers[i], b = numbers[i + 2];
      low[i] = hasCenter ? a - b / 2 : std::min(a, b);
      high[i] = hasCenter ? a + b / 2 : std::max(a, b);
    }
  }

  float area() const { return (high[0] - low[0]) * (high[1] - low[1]); }
};

struct BoxSettings {
  int64_t most = 0;
  float largestOverlap = 0;
  std::optional<float> leastScore = std::nullopt;
};

} // namespace

/// Returns whether the part that both boxes have is more than `limit` of what
/// they cover.
static bool overlap(const Box &a, const Box &b, float limit) {
  float common = 1;
  for (int i = 0; i < 2; ++i) {
    float length =
        std::min(a.high[i], b.high[i]) - std::max(a.low[i], b.low[i]);
    if (!(length > 0))
      return false;
    common *= length;
  }
  float covered = a.area() + b.area() - common;
  return a.area() > 0 && b.area() > 0 && covered > 0 &&
         common / covered > limit;
}

/// The places of the boxes that are kept, those with the highest scores first.
static Shape selectBoxes(ArrayRef<Box> boxes, ArrayRef<float> scores,
                         const BoxSettings &s) {
  Shape candidates, kept;
  for (auto [i, score] : llvm::enumerate(scores))
    if (!std::isnan(score) && (!s.leastScore || score > *s.leastScore))
      candidates.push_back(i);
  llvm::sort(candidates, [&](int64_t a, int64_t b) {
    return scores[a] != scores[b] ? scores[a] > scores[b] : a < b;
  });
  for (int64_t i : candidates) {
    if (int64_t(kept.size()) >= s.most)
      break;
    if (llvm::none_of(kept, [&](int64_t other) {
          return overlap(boxes[i], boxes[other], s.largestOverlap);
        }))
      kept.push_back(i);
  }
  return kept;
}

static std::optional<BoxSettings> readBoxSettings(OpContext &op) {
  BoxSettings s;
  if (op.has(2))
    if (auto most = op.constantInts(2); most && most->size() == 1)
      s.most = most->front();
  if (op.has(3))
    if (auto limit = op.constantFloats(3); limit && limit->size() == 1)
      s.largestOverlap = float(limit->front());
  if (op.has(4))
    if (auto least = op.constantFloats(4); least && least->size() == 1)
      s.leastScore = float(least->front());
  return s;
}

static Tensors importNonMaxSuppression(OpContext &op, GraphBuilder &b) {
  bool hasCenter = op.attributes.getInt("center_point_box").value_or(0) != 0;
  std::optional<BoxSettings> s = readBoxSettings(op);
  if (b.hasFailed() || !op.expectConstant(0) || !op.expectConstant(1))
    return {};
  Tensor boxes = op.input(0), scores = op.input(1);
  if (!op.expectRank(boxes, 3, 3) || !op.expectRank(scores, 3, 3))
    return {};
  int64_t count = boxes.dim(1), classes = scores.dim(1);
  if (!boxes.elementType().isF32() || !scores.elementType().isF32() ||
      boxes.dim(2) != 4 || scores.dim(0) != boxes.dim(0) ||
      scores.dim(2) != count)
    return {b.fail("expected four float32 numbers of each box and its scores, "
                   "got the shapes " +
                   formatShape(boxes.shape()) + " and " +
                   formatShape(scores.shape()))};
  // Each pair of boxes may have to be compared.
  if (scores.count() > (int64_t(1) << 30) / count)
    return {b.fail("as many boxes as " + Twine(count) + " are not supported")};
  Shape rows;
  for (int64_t i = 0; i < scores.dim(0) * classes; ++i) {
    const float *numbers = &boxes.elements().f32[i / classes * count * 4];
    SmallVector<Box> places;
    for (int64_t k = 0; k < count; ++k)
      places.emplace_back(numbers + 4 * k, hasCenter);
    ArrayRef<float> all(scores.elements().f32);
    for (int64_t box : selectBoxes(places, all.slice(i * count, count), *s))
      rows.append({i / classes, i % classes, box});
  }
  return {b.constant(rows, {int64_t(rows.size()) / 3, 3})};
}

ArrayRef<OpDefinition> onnx::getSelectionOps() {
  static constexpr OpDefinition ops[] = {
      {"Compress", importCompress, 28},
      {"NonMaxSuppression", importNonMaxSuppression, 11},
      {"NonZero", importNonZero, 28},
      {"Unique", importUnique, 28},
  };
  return ops;
}
