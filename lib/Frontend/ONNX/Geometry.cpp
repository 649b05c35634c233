//===- Geometry.cpp - Images taken apart and put together -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Checks.h"
#include "HamKaas/Frontend/Builder/Compositions.h"
#include "Windows.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::onnx;

/// `x` with zeros around its elements, and between them.
static Tensor padZeros(GraphBuilder &b, Tensor x, ArrayRef<int64_t> low,
                       ArrayRef<int64_t> high, ArrayRef<int64_t> interior) {
  return b.pad(x, b.scalar(x.elementType(), 0), low, high, interior);
}

//===----------------------------------------------------------------------===//
// CenterCropPad
//===----------------------------------------------------------------------===//

static Tensors importCenterCropPad(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<Shape> sizes = op.constantInts(1);
  auto given = op.attributes.getInts("axes");
  Shape axes =
      given ? op.normalizeAxes(*given, x.rank()) : getDimRange(0, x.rank());
  if (!sizes || b.hasFailed())
    return {};
  if (sizes->size() != axes.size())
    return {b.fail("expected " + Twine(axes.size()) + " sizes, got " +
                   Twine(sizes->size()))};
  Shape shape(x.shape());
  for (auto [axis, size] : llvm::zip(axes, *sizes))
    shape[axis] = size;
  if (!op.checkShape(shape))
    return {};
  Shape low(x.rank(), 0), high(x.rank(), 0);
  for (auto [axis, size] : llvm::zip(axes, *sizes)) {
    int64_t missing = size - x.dim(axis);
    if (missing < 0)
      x = b.sliceDim(x, axis, -missing / 2, size);
    low[axis] = std::max<int64_t>(missing, 0) / 2;
    high[axis] = std::max<int64_t>(missing, 0) - low[axis];
    if (!x)
      return {};
  }
  return {padZeros(b, x, low, high, Shape(x.rank(), 0))};
}

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

namespace {

/// Blocks that were cut from an image with a border.
struct Blocks {
  Shape image, block, strides, dilations, padLow, padHigh, counts;

  int64_t padded(int64_t i) const { return image[i] + padLow[i] + padHigh[i]; }
};

} // namespace

static std::optional<Blocks> readBlocks(OpContext &op, GraphBuilder &b) {
  std::optional<Shape> image = op.constantInts(1), block = op.constantInts(2);
  if (!image || !block)
    return std::nullopt;
  size_t count = image->size();
  auto strides = readList(op, b, "strides", count, 1, 1);
  auto dilations = readList(op, b, "dilations", count, 1, 1);
  auto pads = readList(op, b, "pads", 2 * count, 0, 0);
  if (!strides || !dilations || !pads)
    return std::nullopt;
  Blocks blocks{*image,
                *block,
                *strides,
                *dilations,
                Shape(pads->begin(), pads->begin() + count),
                Shape(pads->begin() + count, pads->end()),
                {}};
  constexpr int64_t limit = int64_t(1) << 31;
  if (count < 1 || block->size() != count) {
    b.fail("expected blocks of as many dimensions as images have");
    return std::nullopt;
  }
  for (size_t i = 0; i < count; ++i) {
    int64_t size = (*image)[i], width = (*block)[i];
    if (size < 1 || width < 1 || size > limit || width > limit ||
        (*strides)[i] > limit || (*dilations)[i] > limit ||
        blocks.padLow[i] > limit || blocks.padHigh[i] > limit ||
        (width - 1) * (*dilations)[i] + 1 > blocks.padded(i)) {
      b.fail("expected blocks within the images, got blocks of " +
             formatShape(*block) + " and images of " + formatShape(*image));
      return std::nullopt;
    }
    blocks.counts.push_back(
        (blocks.padded(i) - (width - 1) * (*dilations)[i] - 1) / (*strides)[i] +
        1);
  }
  return blocks;
}

/// The elements at one position of all blocks, in the padded image. `place` has
/// one entry per dimension.
static Tensor spreadElements(GraphBuilder &b, Tensor x, const Blocks &blocks,
                             ArrayRef<int64_t> place) {
  Shape low(2, 0), high(2, 0), interior(2, 0);
  for (size_t i = 0; i < place.size(); ++i) {
    low.push_back(place[i] * blocks.dilations[i]);
    int64_t extent = (blocks.counts[i] - 1) * blocks.strides[i] + 1;
    high.push_back(blocks.padded(i) - extent - low.back());
    interior.push_back(blocks.strides[i] - 1);
  }
  return padZeros(b, x, low, high, interior);
}

/// Elements that lie in several blocks are added up.
static Tensors importCol2Im(OpContext &op, GraphBuilder &b) {
  Tensor x = op.input(0);
  std::optional<Blocks> blocks = readBlocks(op, b);
  if (!blocks || !op.expectRank(x, 3, 3))
    return {};
  int64_t size = 1;
  for (int64_t width : blocks->block)
    if (llvm::MulOverflow(size, width, size) || size > 1024)
      return {b.fail("blocks of more than 1024 elements are not supported")};
  if (x.dim(1) % size != 0)
    return {b.fail("expected blocks of " + Twine(size) + " elements, got " +
                   Twine(x.dim(1)))};
  int64_t channels = x.dim(1) / size;
  Shape shape = {x.dim(0), channels};
  llvm::append_range(shape, blocks->counts);
  if (!expectShape(b, "blocks", x,
                   {x.dim(0), x.dim(1), countElements(blocks->counts)}))
    return {};
  x = b.reshape(x, {x.dim(0), channels, size, x.dim(2)});
  Shape place(blocks->block.size(), 0);
  Tensor sum;
  for (int64_t i = 0; i < size && !b.hasFailed(); ++i) {
    Tensor elements = b.reshape(b.sliceDim(x, 2, i, 1), shape);
    Tensor part = spreadElements(b, elements, *blocks, place);
    sum = sum ? b.add(sum, part) : part;
    for (size_t k = place.size(); k-- > 0;) {
      if (++place[k] < blocks->block[k])
        break;
      place[k] = 0;
    }
  }
  for (size_t i = 0; i < place.size(); ++i)
    sum = b.sliceDim(sum, int64_t(i) + 2, blocks->padLow[i], blocks->image[i]);
  return {sum};
}

ArrayRef<OpDefinition> onnx::getGeometryOps() {
  static constexpr OpDefinition ops[] = {
      {"CenterCropPad", importCenterCropPad, 18},
      {"Col2Im", importCol2Im, 18},
  };
  return ops;
}
