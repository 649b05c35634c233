//===- Indexing.cpp - Elements that are chosen by their index ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "OpContext.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// Indices as i64 from 0; negative ones count from the end.
static Tensor normalizeIndices(GraphBuilder &b, Tensor indices, int64_t size) {
  indices = b.cast(indices, IntegerType::get(b.context(), 64));
  if (!indices)
    return {};
  return b.select(b.lt(indices, b.constant({0}, {})),
                  b.add(indices, double(size)), indices);
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

static Tensors importGather(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), indices = op.input(1);
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(0), x.rank());
  if (b.hasFailed())
    return {};
  bool isOne = indices.isConstant() && indices.count() == 1;
  if (!isOne)
    return {b.gather(x, indices, axis)};
  // A slice costs nothing.
  std::optional<Shape> index = op.constantInts(1);
  if (!index)
    return {};
  int64_t position =
      index->front() < 0 ? index->front() + x.dim(axis) : index->front();
  if (position < 0 || position >= x.dim(axis))
    return {b.fail("expected an index within " + Twine(x.dim(axis)) +
                   " elements, got " + Twine(index->front()))};
  Shape shape(x.shape().take_front(axis));
  llvm::append_range(shape, indices.shape());
  llvm::append_range(shape, x.shape().drop_front(axis + 1));
  return {b.reshape(b.sliceDim(x, axis, position, 1), shape)};
}

/// Fails unless `indices` may choose elements of `x`: no larger, but along
/// `axis`.
static bool checkShapes(GraphBuilder &b, Tensor x, Tensor indices,
                        int64_t axis) {
  bool fits = x.rank() == indices.rank();
  for (int64_t i = 0; fits && i < x.rank(); ++i)
    fits = i == axis || indices.dim(i) <= x.dim(i);
  if (!fits)
    b.fail("expected indices of a shape within " + formatShape(x.shape()) +
           ", got " + formatShape(indices.shape()));
  return fits;
}

static Tensors importGatherElements(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), indices = op.input(1);
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(0), x.rank());
  if (b.hasFailed() || !checkShapes(b, x, indices, axis))
    return {};
  Tensor checked = checkIndices(b, indices, x.dim(axis), axis);
  return {gatherAlong(b, x, checked, axis)};
}

static Tensors importGatherNd(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), indices = op.input(1);
  int64_t batch = op.attributes.getInt("batch_dims").value_or(0);
  if (!x || !indices)
    return {};
  return {compose(b, compositions::GatherNd{x, indices, batch})};
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

static ScatterReduction readReduction(OpContext &op, GraphBuilder &b) {
  StringRef name = op.attributes.getString("reduction").value_or("none");
  // ONNX has the dialect's names.
  std::optional<ScatterReduction> reduction = symbolizeScatterReduction(name);
  if (!reduction)
    b.fail("expected the attribute 'reduction' to be none, add, mul, max or "
           "min, got " +
           quote(name));
  return reduction.value_or(ScatterReduction::None);
}

static Tensors importScatterElements(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), indices = op.input(1), updates = op.input(2);
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(0), x.rank());
  ScatterReduction reduction = readReduction(op, b);
  if (b.hasFailed() || !checkShapes(b, x, indices, axis))
    return {};
  if (updates.shape() != indices.shape())
    return {b.fail("expected an update for each index, got the shapes " +
                   formatShape(updates.shape()) + " and " +
                   formatShape(indices.shape()))};
  int64_t count = indices.count();
  Tensor checked = checkIndices(b, indices, x.dim(axis), axis);
  Tensor flat =
      b.scatter(b.reshape(x, x.count()),
                b.reshape(linearize(b, checked, x.shape(), axis), count),
                b.reshape(updates, count), reduction, /*areChecked=*/true);
  return {b.reshape(flat, x.shape())};
}

static Tensors importScatterNd(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), indices = op.input(1), updates = op.input(2);
  ScatterReduction reduction = readReduction(op, b);
  if (!x || !indices || !updates || b.hasFailed() ||
      (!indices.isEmpty() && !op.expectRank(indices, 1)))
    return {};
  int64_t length = indices.shape().back();
  Shape expected(indices.shape().drop_back());
  if (length <= x.rank())
    llvm::append_range(expected, x.shape().drop_front(length));
  if (length > x.rank() || updates.shape() != ArrayRef(expected))
    return {b.fail("expected updates for tuples of indices into " +
                   formatShape(x.shape()) + ", got the shapes " +
                   formatShape(indices.shape()) + " and " +
                   formatShape(updates.shape()))};
  if (updates.isEmpty())
    return {x};
  if (!op.expectElements(indices))
    return {};
  Shape rows = {countElements(x.shape().take_front(length))};
  llvm::append_range(rows, x.shape().drop_front(length));
  int64_t count = countElements(indices.shape().drop_back());
  Shape updated = {count};
  llvm::append_range(updated, x.shape().drop_front(length));
  Tensor result =
      b.scatter(b.reshape(x, rows),
                b.reshape(linearizeTuples(b, indices, x.shape(), 0), count),
                b.reshape(updates, updated), reduction, /*areChecked=*/true);
  return {b.reshape(result, x.shape())};
}

/// Writes `updates` into a cache along a dimension, at an offset per batch
/// entry.
static Tensors importTensorScatter(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), updates = op.input(1), begin = op.optionalInput(2);
  StringRef mode = op.attributes.getString("mode").value_or("linear");
  if (!op.expectRank(x, 2) || !op.expectElements(updates))
    return {};
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(-2), x.rank());
  if (mode != "linear" && mode != "circular")
    b.fail("expected the attribute 'mode' to be linear or circular, got " +
           quote(mode));
  if (b.hasFailed())
    return {};
  int64_t size = x.dim(axis);
  int64_t length = axis < updates.rank() ? updates.dim(axis) : 0;
  Shape expected(x.shape());
  expected[axis] = length;
  if (axis == 0 || length > size || updates.shape() != ArrayRef(expected) ||
      (begin && begin.shape() != ArrayRef(x.dim(0))))
    return {b.fail("expected updates, and a place for each entry of the batch, "
                   "of a cache of the shape " +
                   formatShape(x.shape()) + ", got the shapes " +
                   formatShape(updates.shape()) + " and " +
                   formatShape(begin.shape()))};
  int64_t before = countElements(x.shape().take_front(axis));
  int64_t behind = countElements(x.shape().drop_front(axis + 1));
  Shape places = {x.dim(0), before / x.dim(0), length};
  Tensor place = b.broadcast(b.iota({1, 1, length}, 2), places);
  if (begin)
    place = b.add(
        place, b.reshape(b.cast(begin, place.elementType()), {x.dim(0), 1, 1}));
  place = mode == "circular"
              ? b.mod(place, b.constant({size}, {}))
              : checkIndices(b, place, size, axis, /*areNonnegative=*/true);
  Tensor row = b.mul(b.reshape(b.iota({before}, 0), {places[0], places[1], 1}),
                     double(size));
  Tensor result = b.scatter(b.reshape(x, {before * size, behind}),
                            b.reshape(b.add(place, row), {before * length}),
                            b.reshape(updates, {before * length, behind}),
                            ScatterReduction::None, /*areChecked=*/true);
  return {b.reshape(result, x.shape())};
}

//===----------------------------------------------------------------------===//
// Patterns of indices
//===----------------------------------------------------------------------===//

static Tensors importOneHot(OpContext &op, GraphBuilder &b) {
  Tensor indices = op.input(0), values = op.input(2);
  std::optional<SmallVector<double>> depth = op.constantFloats(1);
  if (!depth || !op.expectRank(values, 1, 1))
    return {};
  if (depth->size() != 1 || !(depth->front() >= 1) ||
      !(depth->front() < double(int64_t(1) << 47)) || values.dim(0) != 2)
    return {b.fail("expected a depth of at least 1 and two values")};
  auto count = int64_t(depth->front());
  int64_t axis = op.normalizeAxis(op.attributes.getInt("axis").value_or(-1),
                                  indices.rank() + 1);
  Shape shape(indices.shape());
  shape.insert(shape.begin() + axis, 1);
  Shape full(shape);
  full[axis] = count;
  if (b.hasFailed() || !op.checkShape(full))
    return {};
  Tensor wanted = b.reshape(normalizeIndices(b, indices, count), shape);
  Tensor isHit = b.eq(b.iota(full, axis), wanted);
  return {b.select(isHit, b.reshape(b.sliceDim(values, 0, 1, 1), {}),
                   b.reshape(b.sliceDim(values, 0, 0, 1), {}))};
}

static Tensors importTrilu(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  bool isUpper = op.attributes.getInt("upper").value_or(1) != 0;
  int64_t shift = 0;
  if (op.has(1)) {
    std::optional<Shape> given = op.constantInts(1);
    if (!given || given->size() != 1)
      return {b.fail("expected one number in input 1")};
    shift = given->front();
  }
  if (x.isEmpty() && x.rank() >= 2)
    return {x};
  if (!op.expectRank(x, 2))
    return {};
  Tensor isKept =
      compareDiagonal(b, isUpper ? ComparePredicate::Le : ComparePredicate::Ge,
                      x.dim(x.rank() - 2), x.shape().back(), shift);
  return {b.select(isKept, x, b.scalar(x.elementType(), 0))};
}

static Tensors importEyeLike(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t shift = op.attributes.getInt("k").value_or(0);
  std::optional<int64_t> type = op.attributes.getInt("dtype");
  if (!op.expectRank(x, 2, 2))
    return {};
  Type element = type ? op.getElementType(*type) : x.elementType();
  if (!element || b.hasFailed())
    return {};
  return {b.cast(
      compareDiagonal(b, ComparePredicate::Eq, x.dim(0), x.dim(1), shift),
      element)};
}

static Tensors importReverseSequence(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), lengths = op.input(1);
  int64_t time = op.attributes.getInt("time_axis").value_or(0);
  int64_t batch = op.attributes.getInt("batch_axis").value_or(1);
  if (!op.expectRank(x, 2) || !op.expectRank(lengths, 1, 1))
    return {};
  if (time < 0 || time > 1 || batch != 1 - time)
    return {b.fail("expected the attributes 'time_axis' and 'batch_axis' to be "
                   "0 and 1 or 1 and 0, got " +
                   Twine(time) + " and " + Twine(batch))};
  if (lengths.dim(0) != x.dim(batch))
    return {b.fail("expected a length for each sequence of " +
                   formatShape(x.shape()) + ", got " +
                   formatShape(lengths.shape()))};
  Shape along(x.rank(), 1);
  along[batch] = x.dim(batch);
  Tensor length =
      b.reshape(b.cast(lengths, IntegerType::get(b.context(), 64)), along);
  length = checkIndices(b, length, x.dim(time) + 1, time,
                        /*areNonnegative=*/true);
  Tensor step = b.iota(x.shape(), time);
  Tensor reversed = b.sub(b.sub(b.broadcast(length, x.shape()), 1.0), step);
  Tensor index = b.select(b.lt(step, length), reversed, step);
  return {gatherAlong(b, x, index, time)};
}

//===----------------------------------------------------------------------===//
// Sums and orders along a dimension
//===----------------------------------------------------------------------===//

static Tensors importCumSum(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<Shape> axis = op.constantInts(1);
  bool isExclusive = op.attributes.getInt("exclusive").value_or(0) != 0;
  bool isReverse = op.attributes.getInt("reverse").value_or(0) != 0;
  if (!x || !axis)
    return {};
  if (axis->size() != 1)
    return {b.fail("expected one axis")};
  int64_t dim = op.normalizeAxis(axis->front(), x.rank());
  return {b.hasFailed() ? Tensor() : b.cumsum(x, dim, isExclusive, isReverse)};
}

static Tensors importCumProd(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<Shape> axis = op.constantInts(1);
  bool isExclusive = op.attributes.getInt("exclusive").value_or(0) != 0;
  bool isReverse = op.attributes.getInt("reverse").value_or(0) != 0;
  if (!axis || !op.expectRank(x, 1))
    return {};
  if (axis->size() != 1)
    return {b.fail("expected one axis")};
  int64_t dim = op.normalizeAxis(axis->front(), x.rank());
  return {b.hasFailed() ? Tensor()
                        : cumprod(b, x, dim, isExclusive, isReverse)};
}

static Tensors importTopK(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(-1), x.rank());
  bool findsLargest = op.attributes.getInt("largest").value_or(1) != 0;
  op.attributes.getInt("sorted");
  int64_t count = 0;
  if (op.version < 10) {
    count = op.attributes.getInt("k").value_or(0);
  } else if (std::optional<Shape> k = op.constantInts(1)) {
    count = k->size() == 1 ? k->front() : 0;
  }
  if (b.hasFailed())
    return {};
  if (count < 1 || count > x.dim(axis))
    return {b.fail("expected a count of 1 to " + Twine(x.dim(axis)) + ", got " +
                   Twine(count))};
  return compose(b, compositions::Topk{x, count, axis, !findsLargest});
}

ArrayRef<OpDefinition> onnx::getIndexingOps() {
  static constexpr OpDefinition ops[] = {
      {"CumProd", importCumProd, 26},
      {"CumSum", importCumSum, 14},
      {"EyeLike", importEyeLike, 22},
      {"Gather", importGather, 13, "", Takes::Bits},
      {"GatherElements", importGatherElements, 13, "", Takes::Bits},
      {"GatherND", importGatherNd, 13, "", Takes::Bits},
      {"OneHot", importOneHot, 28},
      {"ReverseSequence", importReverseSequence, 28},
      {"Scatter", importScatterElements, 11},
      {"ScatterElements", importScatterElements, 18},
      {"ScatterND", importScatterNd, 18},
      {"TensorScatter", importTensorScatter, 24},
      {"TopK", importTopK, 24},
      {"Trilu", importTrilu, 14},
  };
  return ops;
}
