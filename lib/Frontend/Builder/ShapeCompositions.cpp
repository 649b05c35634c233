//===- ShapeCompositions.cpp - Shapes and movement --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "HamKaas/Frontend/Builder/CreateOperation.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using namespace hamkaas::graph::compositions;

//===----------------------------------------------------------------------===//
// Several tensors
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Stack &given) {
  if (given.operands.empty())
    return b.fail("expected at least one operand, got none");
  Tensor first = given.operands.front();
  std::optional<int64_t> axis =
      findAxis(b, "axis", given.axis, first.rank() + 1);
  if (!axis)
    return {};
  Tensors parts;
  for (const Tensor &part : given.operands) {
    if (part.type() != first.type())
      return b.fail("expected operands of one type, got " +
                    describeType(first) + " and " + describeType(part));
    parts.push_back(addDim(b, part, *axis));
  }
  return b.concat(parts, *axis);
}

Tensors compositions::compose(GraphBuilder &b, const Split &given) {
  Tensor x = given.x;
  std::optional<int64_t> axis = findAxis(b, "axis", given.axis, x.rank());
  if (!axis)
    return {};
  int64_t offset = 0, size = x.dim(*axis);
  Tensors parts;
  for (int64_t part : given.sizes) {
    if (part < 1 || part > size - offset)
      break;
    parts.push_back(b.sliceDim(x, *axis, offset, part));
    offset += part;
  }
  if (offset == size && parts.size() == given.sizes.size())
    return parts;
  return {b.fail("expected 'sizes' of at least 1 that add up to the size " +
                 Twine(size) + " of dimension " + Twine(*axis) + ", got " +
                 formatList(given.sizes))};
}

Tensors compositions::compose(GraphBuilder &b, const Unstack &given) {
  constexpr int64_t mostSlices = 4096;
  std::optional<int64_t> axis = findAxis(b, "axis", given.axis, given.x.rank());
  if (!axis)
    return {};
  int64_t count = given.x.dim(*axis);
  if (count > mostSlices)
    return {b.fail("expected at most " + Twine(mostSlices) +
                   " results, got the shape " + formatList(given.x.shape()))};
  Tensors slices;
  for (int64_t i = 0; i < count; ++i)
    slices.push_back(selectDim(b, given.x, *axis, i));
  return slices;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const ExpandDims &given) {
  int64_t rank = given.x.rank() + int64_t(given.axes.size());
  std::optional<Shape> axes = findAxes(b, "axes", given.axes, rank);
  if (!axes)
    return {};
  Shape shape(given.x.shape());
  for (int64_t axis : *axes)
    shape.insert(shape.begin() + axis, 1);
  return b.reshape(given.x, shape);
}

Tensor compositions::compose(GraphBuilder &b, const Squeeze &given) {
  Tensor x = given.x;
  std::optional<Shape> axes = findAxes(b, "axes", given.axes, x.rank());
  if (!axes)
    return {};
  Shape dropped;
  for (int64_t axis : *axes) {
    if (x.dim(axis) == 1)
      dropped.push_back(axis);
    else if (given.axes)
      return b.fail("expected dimension " + Twine(axis) +
                    " to have size 1, got the shape " + formatList(x.shape()));
  }
  return b.reshape(x, b.dropDims(x, dropped));
}

Tensor compositions::compose(GraphBuilder &b, const Moveaxis &given) {
  int64_t rank = given.x.rank();
  if (given.source.size() != given.destination.size())
    return b.fail("expected as many entries of 'source' and 'destination', "
                  "got " +
                  formatList(given.source) + " and " +
                  formatList(given.destination));
  // Checked as lists: they say where each dimension goes in their own order.
  if (!findAxes(b, "source", given.source, rank) ||
      !findAxes(b, "destination", given.destination, rank))
    return {};
  auto count = [&](int64_t axis) { return axis < 0 ? axis + rank : axis; };
  Shape permutation(rank, -1), rest = getDimRange(0, rank);
  for (auto [from, to] : llvm::zip_equal(given.source, given.destination)) {
    permutation[count(to)] = count(from);
    llvm::erase(rest, count(from));
  }
  const int64_t *next = rest.begin();
  for (int64_t &dim : permutation)
    if (dim < 0)
      dim = *next++;
  return b.permute(given.x, permutation);
}

Tensor compositions::compose(GraphBuilder &b, const Flatten &given) {
  Tensor x = given.x;
  if (x.rank() == 0)
    return b.reshape(x, {1});
  std::optional<int64_t> start = findAxis(b, "start", given.start, x.rank()),
                         end = findAxis(b, "end", given.end, x.rank());
  if (!start || !end)
    return {};
  if (*start > *end)
    return b.fail("expected 'start' before 'end', got " + Twine(given.start) +
                  " and " + Twine(given.end));
  Shape shape(x.shape().take_front(*start));
  shape.push_back(countElements(x.shape().slice(*start, *end - *start + 1)));
  llvm::append_range(shape, x.shape().drop_front(*end + 1));
  return b.reshape(x, shape);
}

/// Fails unless a tensor may have this shape.
static bool checkShape(GraphBuilder &b, ArrayRef<int64_t> shape) {
  bool hasElements = llvm::all_of(shape, [](int64_t size) { return size > 0; });
  if (hasElements && hasFewElements(shape))
    return true;
  b.fail("expected a shape of sizes from 1, with fewer than 2^47 elements, "
         "got " +
         formatList(shape));
  return false;
}

Tensor compositions::compose(GraphBuilder &b, const BroadcastTo &given) {
  ArrayRef<int64_t> from = given.x.shape();
  if (!checkShape(b, given.shape))
    return {};
  if (getBroadcastShape(from, given.shape) != Shape(given.shape))
    return b.fail("expected a 'shape' that " + formatList(from) +
                  " can be repeated to, got " + formatList(given.shape));
  return b.broadcast(given.x, given.shape);
}

//===----------------------------------------------------------------------===//
// Order and repetition
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Flip &given) {
  Tensor x = given.x;
  std::optional<Shape> axes = findAxes(b, "axes", given.axes, x.rank());
  if (!axes || axes->empty())
    return axes ? x : Tensor();
  Shape offsets(x.rank(), 0), strides(x.rank(), 1);
  for (int64_t axis : *axes) {
    offsets[axis] = x.dim(axis) - 1;
    strides[axis] = -1;
  }
  return b.stridedSlice(x, offsets, x.shape(), strides);
}

static Tensor rollDim(GraphBuilder &b, Tensor x, int64_t axis, int64_t shift) {
  int64_t size = x.dim(axis);
  shift = (shift % size + size) % size;
  if (shift == 0)
    return x;
  return b.concat({b.sliceDim(x, axis, size - shift, shift),
                   b.sliceDim(x, axis, 0, size - shift)},
                  axis);
}

Tensor compositions::compose(GraphBuilder &b, const Roll &given) {
  Tensor x = given.x;
  size_t count = given.axes ? given.axes->size() : 1;
  if (given.shifts.size() != count)
    return b.fail("expected " + Twine(count) + " entries of 'shifts', got " +
                  formatList(given.shifts));
  if (!given.axes)
    return b.reshape(
        rollDim(b, b.reshape(x, {x.count()}), 0, given.shifts.front()),
        x.shape());
  for (auto [axis, shift] : llvm::zip_equal(*given.axes, given.shifts)) {
    std::optional<int64_t> dim = findAxis(b, "axes", axis, x.rank());
    if (!dim)
      return {};
    x = rollDim(b, x, *dim, shift);
  }
  return x;
}

Tensor compositions::compose(GraphBuilder &b, const Tile &given) {
  int64_t rank = std::max<int64_t>(given.x.rank(), given.repeats.size());
  Tensor x = b.extendRank(given.x, rank);
  Shape repeats(rank - given.repeats.size(), 1), split, repeated, result;
  llvm::append_range(repeats, given.repeats);
  if (!x)
    return {};
  for (auto [count, size] : llvm::zip_equal(repeats, x.shape())) {
    std::optional<int64_t> product = llvm::checkedMul(count, size);
    split.append({1, size});
    repeated.append({count, size});
    result.push_back(product.value_or(-1));
  }
  if (!checkShape(b, result))
    return {};
  return b.reshape(b.broadcast(b.reshape(x, split), repeated), result);
}

Tensor compositions::compose(GraphBuilder &b, const RepeatElements &given) {
  Tensor x = given.axis ? given.x : b.reshape(given.x, {given.x.count()});
  std::optional<int64_t> axis =
      findAxis(b, "axis", given.axis.value_or(0), x.rank());
  if (!axis)
    return {};
  Shape repeated(x.shape()), result(x.shape());
  repeated.insert(repeated.begin() + *axis + 1, given.count);
  result[*axis] = llvm::checkedMul(result[*axis], given.count).value_or(-1);
  if (!checkShape(b, result))
    return {};
  return b.reshape(b.broadcast(addDim(b, x, *axis + 1), repeated), result);
}

//===----------------------------------------------------------------------===//
// Triangles
//===----------------------------------------------------------------------===//

Tensor graph::compareDiagonal(GraphBuilder &b, ComparePredicate predicate,
                              int64_t rows, int64_t columns, int64_t shift) {
  // Beyond the matrix, further makes no difference.
  shift = std::clamp(shift, -elementLimit, elementLimit);
  Type type = IntegerType::get(b.context(), 64);
  Tensor row = b.reshape(b.count(rows, type), {rows, 1});
  row = b.broadcast(b.add(row, double(shift)), {rows, columns});
  return b.compare(predicate, row,
                   b.reshape(b.count(columns, type), {1, columns}));
}

template <typename T>
static Tensor keepTriangle(GraphBuilder &b, ComparePredicate predicate,
                           const T &given) {
  Tensor x = given.x;
  if (x.rank() < 2)
    return b.fail("expected a tensor of rank 2 or more, got the shape " +
                  formatList(x.shape()));
  Tensor isKept = compareDiagonal(b, predicate, x.dim(x.rank() - 2),
                                  x.shape().back(), given.diagonal);
  return b.select(isKept, x, b.scalar(x.elementType(), 0));
}

Tensor compositions::compose(GraphBuilder &b, const Tril &given) {
  return keepTriangle(b, ComparePredicate::Ge, given);
}
Tensor compositions::compose(GraphBuilder &b, const Triu &given) {
  return keepTriangle(b, ComparePredicate::Le, given);
}

//===----------------------------------------------------------------------===//
// New tensors
//===----------------------------------------------------------------------===//

Tensor compositions::compose(GraphBuilder &b, const Eye &given) {
  int64_t rows = given.rows, columns = given.columns.value_or(rows);
  if (!checkShape(b, {rows, columns}))
    return {};
  return b.cast(
      compareDiagonal(b, ComparePredicate::Eq, rows, columns, given.diagonal),
      given.type);
}

/// `value`, which an integer type may not have, rounded to `type`.
static Tensor roundNumber(GraphBuilder &b, double value, Type type) {
  return b.cast(b.scalar(Float64Type::get(b.context()), value), type);
}

Tensor compositions::compose(GraphBuilder &b, const Full &given) {
  if (!checkShape(b, given.shape))
    return {};
  return b.broadcast(roundNumber(b, given.value, given.type), given.shape);
}

/// `start + i * step` for `i` from 0 to `count - 1`.
static Tensor countFrom(GraphBuilder &b, double start, double step,
                        int64_t count, Type type) {
  Type wide = Float64Type::get(b.context());
  Tensor numbers = b.mul(b.count(count, wide), step);
  return b.cast(b.add(numbers, start), type);
}

Tensor compositions::compose(GraphBuilder &b, const Arange &given) {
  double count = std::ceil((given.stop - given.start) / given.step);
  if (!(count >= 1 && count < double(elementLimit)))
    return b.fail(
        "expected at least one number and fewer than 2^47, got 'start' " +
        std::to_string(given.start) + ", 'stop' " + std::to_string(given.stop) +
        " and 'step' " + std::to_string(given.step));
  return countFrom(b, given.start, given.step, int64_t(count), given.type);
}

Tensor compositions::compose(GraphBuilder &b, const Linspace &given) {
  int64_t count = given.count, gaps = given.exclusive ? count : count - 1;
  if (!checkShape(b, {count}))
    return {};
  double step = gaps > 0 ? (given.stop - given.start) / double(gaps) : 0;
  return countFrom(b, given.start, step, count, given.type);
}
