//===- Movement.cpp - Slices, concatenations and paddings -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineForms.h"
#include "HamKaas/Frontend/Builder/Padding.h"
#include "OpContext.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// One dimension of a slice as numpy has it.
static void sliceDim(int64_t size, int64_t start, int64_t end, int64_t step,
                     int64_t &offset, int64_t &count) {
  // NOTE: the limits may be the least and the greatest number there are.
  auto place = [&](int64_t position, int64_t low, int64_t high) {
    return std::clamp(position < 0 ? position + size : position, low, high);
  };
  if (step > 0) {
    offset = place(start, 0, size);
    int64_t last = place(end, 0, size);
    count = last > offset ? (last - offset - 1) / step + 1 : 0;
  } else {
    offset = place(start, -1, size - 1);
    int64_t last = place(end, -1, size - 1);
    count = offset > last ? (offset - last - 1) / -step + 1 : 0;
  }
}

/// The elements of `x` along `axis` from `start` on to before `end`, known at
/// run time only: their difference is known. Bounds beyond the dimension, which
/// would leave fewer elements, end the run with an error.
static Tensor sliceAt(GraphBuilder &b, Tensor x, int64_t axis, Tensor start,
                      Tensor end, int64_t difference, int64_t step) {
  int64_t size = x.dim(axis);
  Shape shape(x.shape());
  shape[axis] = difference > 0 ? (difference - 1) / step + 1 : 0;
  if (shape[axis] == 0)
    return b.empty(shape, x.elementType());
  Type i64 = IntegerType::get(b.context(), 64);
  start = b.reshape(b.cast(start, i64), {});
  end = b.reshape(b.cast(end, i64), {});
  // Bounds that count from both ends leave nothing, and those of integers that
  // wrapped have another difference: an index that the gather refuses.
  Tensor zero = b.scalar(i64, 0), beyond = b.scalar(i64, double(size));
  Tensor fromEnd =
      b.select(b.lt(end, zero), b.add(start, double(size)), beyond);
  Tensor isApart = b.eq(b.sub(end, start), b.scalar(i64, double(difference)));
  start = b.select(b.lt(start, zero), fromEnd, start);
  start = b.select(isApart, start, beyond);
  // Nor does the gather count from the end.
  start = b.select(b.lt(start, zero), beyond, start);
  Tensor index = b.mul(b.iota({shape[axis]}, 0), double(step));
  return b.gather(x, b.add(index, start), axis);
}

/// A slice whose bounds are not constants.
static Tensors sliceAtRunTime(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0), starts = op.input(1), ends = op.input(2);
  int64_t count = starts.count();
  if (starts && count > x.rank())
    return {b.fail("expected at most " + Twine(x.rank()) + " starts, got " +
                   Twine(count))};
  Shape axes = llvm::to_vector(llvm::seq<int64_t>(0, count));
  Shape steps(count, 1);
  for (auto [i, list] : {std::pair(3, &axes), std::pair(4, &steps)})
    if (op.has(i))
      if (std::optional<Shape> given = op.constantInts(i))
        *list = *given;
  if (!op.expectElements(x) || b.hasFailed())
    return {};
  if (!starts.isInteger() || !ends.isInteger() || ends.count() != count ||
      int64_t(axes.size()) != count || int64_t(steps.size()) != count)
    return {b.fail("expected as many starts, ends, axes and steps, integers")};
  axes = op.normalizeAxes(axes, x.rank());
  if (b.hasFailed())
    return {};
  auto pick = [&](Tensor list, int64_t i) {
    return b.sliceDim(b.reshape(list, {count}), 0, i, 1);
  };
  for (int64_t i = 0; i < count; ++i) {
    std::optional<int64_t> difference = findDifference(starts, ends, i);
    // More than there are is clamped to a size that depends on the start. An
    // end before the start leaves nothing, or counts from the back.
    if (!difference || *difference < 0 || *difference > x.dim(axes[i]) ||
        steps[i] < 1) {
      op.expectConstant(1);
      op.expectConstant(2);
      return {};
    }
    x = sliceAt(b, x, axes[i], pick(starts, i), pick(ends, i), *difference,
                steps[i]);
  }
  return {x};
}

static Tensors importSlice(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  if (op.version >= 10 && op.input(1) && op.input(2) &&
      !(op.input(1).isConstant() && op.input(2).isConstant()))
    return sliceAtRunTime(op, b);
  std::optional<Shape> starts, ends, axes, steps;
  if (op.version < 10) {
    starts = op.attributes.getInts("starts");
    ends = op.attributes.getInts("ends");
    axes = op.attributes.getInts("axes");
  } else {
    starts = op.constantInts(1);
    ends = op.constantInts(2);
    if (op.has(3))
      axes = op.constantInts(3);
    if (op.has(4))
      steps = op.constantInts(4);
  }
  if (b.hasFailed() || !x)
    return {};
  if (!starts || !ends || starts->size() != ends->size())
    return {b.fail("expected as many starts as ends")};
  if (!axes)
    axes = llvm::to_vector(llvm::seq<int64_t>(0, starts->size()));
  if (!steps)
    steps = Shape(starts->size(), 1);
  if (axes->size() != starts->size() || steps->size() != starts->size())
    return {b.fail("expected an axis and a step for each start")};
  axes = op.normalizeAxes(*axes, x.rank());
  Shape offsets(x.rank(), 0), sizes(x.shape()), strides(x.rank(), 1);
  for (size_t i = 0; i < axes->size(); ++i) {
    int64_t axis = (*axes)[i], step = (*steps)[i];
    if (step == 0 || step == std::numeric_limits<int64_t>::min())
      return {b.fail("expected steps other than 0")};
    sliceDim(x.dim(axis), (*starts)[i], (*ends)[i], step, offsets[axis],
             sizes[axis]);
    strides[axis] = sizes[axis] > 1 ? step : 1;
  }
  return {b.stridedSlice(x, offsets, sizes, strides)};
}

static Tensors importSplit(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  int64_t axis =
      op.normalizeAxis(op.attributes.getInt("axis").value_or(0), x.rank());
  std::optional<Shape> sizes;
  if (op.version < 13)
    sizes = op.attributes.getInts("split");
  else if (op.has(1))
    sizes = op.constantInts(1);
  auto parts = int64_t(op.node.outputs.size());
  if (op.attributes.getInt("num_outputs").value_or(parts) != parts)
    b.fail("expected the attribute 'num_outputs' to be the number of outputs");
  if (b.hasFailed())
    return {};
  if (!sizes) {
    if (parts < 1 || parts > std::max<int64_t>(x.dim(axis), 1))
      return {b.fail("expected from 1 to " + Twine(x.dim(axis)) +
                     " parts, got " + Twine(parts))};
    int64_t size = llvm::divideCeil(x.dim(axis), parts);
    sizes = Shape(parts, size);
    sizes->back() = x.dim(axis) - (parts - 1) * size;
  }
  Tensors results;
  int64_t offset = 0;
  for (int64_t size : *sizes) {
    if (size < 0 || size > x.dim(axis) - offset)
      return {b.fail("expected parts of " + Twine(x.dim(axis)) +
                     " elements, got " + formatShape(*sizes))};
    results.push_back(b.sliceDim(x, axis, offset, size));
    offset += size;
  }
  if (offset != x.dim(axis))
    return {b.fail("expected parts of " + Twine(x.dim(axis)) +
                   " elements, got " + formatShape(*sizes))};
  return results;
}

//===----------------------------------------------------------------------===//
// Concatenations
//===----------------------------------------------------------------------===//

static Tensors importConcat(OpContext &op, GraphBuilder &b) {
  ArrayRef<Tensor> parts = op.allInputs();
  if (b.hasFailed())
    return {};
  Tensor first = parts.front();
  std::optional<int64_t> given = op.attributes.getInt("axis");
  if (!given)
    return {b.fail("expected an attribute 'axis', got none")};
  int64_t axis = op.normalizeAxis(*given, first.rank());
  for (const Tensor &part : parts)
    if (part.rank() != first.rank() ||
        part.elementType() != first.elementType() ||
        (!b.hasFailed() && b.keepDim(part, axis) != b.keepDim(first, axis)))
      b.fail("expected shapes that differ along dimension " + Twine(*given) +
             " alone, and one element type, got " + formatShape(first.shape()) +
             " and " + formatShape(part.shape()));
  return {b.hasFailed() ? Tensor() : b.concat(parts, axis)};
}

static Tensors importTile(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<Shape> repeats = op.constantInts(1);
  if (!x || !repeats)
    return {};
  if (int64_t(repeats->size()) != x.rank())
    return {b.fail("expected a count for each dimension of " +
                   formatShape(x.shape()) + ", got " + Twine(repeats->size()))};
  Shape split, repeated, result;
  for (auto [count, size] : llvm::zip_equal(*repeats, x.shape())) {
    int64_t product;
    if (count < 0 || llvm::MulOverflow(count, size, product))
      return {b.fail("expected counts from 0, got " + Twine(count))};
    llvm::append_range(split, ArrayRef<int64_t>{1, size});
    llvm::append_range(repeated, ArrayRef<int64_t>{count, size});
    result.push_back(product);
  }
  if (!op.checkShape(result))
    return {};
  return {b.reshape(b.broadcast(b.reshape(x, split), repeated), result)};
}

//===----------------------------------------------------------------------===//
// Paddings
//===----------------------------------------------------------------------===//

static std::optional<PadMode> findPadMode(StringRef mode) {
  return llvm::StringSwitch<std::optional<PadMode>>(mode)
      .Case("constant", PadMode::Constant)
      .Case("reflect", PadMode::Reflect)
      .Case("edge", PadMode::Replicate)
      .Case("wrap", PadMode::Circular)
      .Default(std::nullopt);
}

static Tensors importPad(OpContext &op, GraphBuilder &b) {
  constexpr int64_t largest = int64_t(1) << 47;
  Tensor x = op.input(0);
  Tensor value = b.scalar(x.elementType(), 0);
  StringRef mode = op.attributes.getString("mode").value_or("constant");
  std::optional<Shape> pads, axes;
  if (op.version < 11) {
    pads = op.attributes.getInts("pads");
    value =
        b.scalar(x.elementType(), op.attributes.getFloat("value").value_or(0));
  } else {
    pads = op.constantInts(1);
    if (op.has(2) && op.expectConstant(2))
      value = op.input(2);
    if (op.has(3))
      axes = op.constantInts(3);
  }
  if (b.hasFailed() || !x || !pads)
    return {b.fail("expected paddings, got none")};
  if (!axes)
    axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  axes = op.normalizeAxes(*axes, x.rank());
  if (b.hasFailed() || pads->size() != 2 * axes->size())
    return {b.fail("expected two paddings for each dimension, got " +
                   Twine(pads->size()))};
  Shape low(x.rank(), 0), high(x.rank(), 0);
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    low[axis] = (*pads)[i];
    high[axis] = (*pads)[i + axes->size()];
    for (int64_t padding : {low[axis], high[axis]})
      if (padding <= -largest || padding >= largest)
        return {b.fail("expected paddings of less than 2^47, got " +
                       Twine(padding))};
  }
  std::optional<PadMode> found = findPadMode(mode);
  if (!found)
    return {b.fail("expected the attribute 'mode' to be constant, reflect, "
                   "edge or wrap, got " +
                   quote(mode))};
  if (*found != PadMode::Constant && !op.expectElements(x))
    return {};
  return {pad(b, x, *found, value, low, high)};
}

//===----------------------------------------------------------------------===//
// Between channels and images
//===----------------------------------------------------------------------===//

static std::optional<int64_t> readBlock(OpContext &op, GraphBuilder &b,
                                        Tensor x) {
  int64_t block = op.attributes.getInt("blocksize").value_or(0);
  if (!op.expectRank(x, 4, 4))
    return std::nullopt;
  if (block >= 1 && block < (int64_t(1) << 20))
    return block;
  b.fail("expected an attribute 'blocksize' of at least 1, got " +
         Twine(block));
  return std::nullopt;
}

static Tensors importDepthToSpace(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  StringRef mode = op.attributes.getString("mode").value_or("DCR");
  std::optional<int64_t> block = readBlock(op, b, x);
  if (!block)
    return {};
  int64_t n = x.dim(0), c = x.dim(1), h = x.dim(2), w = x.dim(3), k = *block;
  if (c % (k * k) != 0)
    return {b.fail("expected a number of channels that the square of " +
                   Twine(k) + " divides, got " + Twine(c))};
  c /= k * k;
  Tensor y =
      mode == "CRD"
          ? b.permute(b.reshape(x, {n, c, k, k, h, w}), {0, 1, 4, 2, 5, 3})
          : b.permute(b.reshape(x, {n, k, k, c, h, w}), {0, 3, 4, 1, 5, 2});
  return {b.reshape(y, {n, c, h * k, w * k})};
}

static Tensors importSpaceToDepth(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  StringRef mode = op.attributes.getString("mode").value_or("DCR");
  std::optional<int64_t> block = readBlock(op, b, x);
  if (!block)
    return {};
  int64_t n = x.dim(0), c = x.dim(1), h = x.dim(2), w = x.dim(3), k = *block;
  if (h % k != 0 || w % k != 0)
    return {b.fail("expected an image whose sides " + Twine(k) +
                   " divides, got " + formatShape(x.shape()))};
  Tensor split = b.reshape(x, {n, c, h / k, k, w / k, k});
  Tensor y = mode == "CRD" ? b.permute(split, {0, 1, 3, 5, 2, 4})
                           : b.permute(split, {0, 3, 5, 1, 2, 4});
  return {b.reshape(y, {n, c * k * k, h / k, w / k})};
}

ArrayRef<OpDefinition> onnx::getMovementOps() {
  static constexpr OpDefinition ops[] = {
      {"Concat", importConcat, 13, "", Takes::Bits},
      {"DepthToSpace", importDepthToSpace, 28, "", Takes::Bits},
      {"Pad", importPad, 25},
      {"Slice", importSlice, 13, "", Takes::Bits},
      {"SpaceToDepth", importSpaceToDepth, 28, "", Takes::Bits},
      {"Split", importSplit, 18, "", Takes::Bits},
      {"Tile", importTile, 13, "", Takes::Bits},
  };
  return ops;
}
