//===- DenseConvolutions.cpp - As 3 x 3 without dilations -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseConvolutions.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "PadConvolutions.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace hamkaas;

bool hamkaas::isAll(ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [&](int64_t value) { return value == expected; });
}

Value hamkaas::reshape(OpBuilder &builder, Location loc, Value x,
                       ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(x.getType());
  return ReshapeOp::create(builder, loc, type.clone(shape), x);
}

bool hamkaas::isPlain(ConvOp conv) {
  return conv.getType().getRank() == 4 && isAll(conv.getStrides(), 1) &&
         isAll(conv.getDilations(), 1);
}

bool hamkaas::isDense(ConvOp conv) {
  return isPlain(conv) && conv.getGroups() == 1 &&
         conv.getType().getElementType().isF32();
}

/// `values` with `first` before the last `count`.
static SmallVector<int64_t> insertBefore(ArrayRef<int64_t> values, size_t count,
                                         int64_t first) {
  SmallVector<int64_t> inserted(values.drop_back(count));
  inserted.push_back(first);
  llvm::append_range(inserted, values.take_back(count));
  return inserted;
}

void hamkaas::makeImages(ConvOp conv) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  auto addRow = [&](Value operand, size_t count) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(operand.getType()).getShape();
    return reshape(builder, loc, operand, insertBefore(shape, count, 1));
  };
  auto images = ConvOp::create(
      builder, loc, addRow(conv.getX(), 2), addRow(conv.getW(), 3),
      insertBefore(conv.getStrides(), 1, 1),
      insertBefore(conv.getDilations(), 1, 1),
      insertBefore(conv.getPadLow(), 1, 0),
      insertBefore(conv.getPadHigh(), 1, 0), conv.getGroups());
  setKnobs(images, getKnobs(conv));
  conv.replaceAllUsesWith(
      reshape(builder, loc, images, conv.getType().getShape()));
  conv.erase();
}

//===----------------------------------------------------------------------===//
// Dilations
//===----------------------------------------------------------------------===//

int64_t hamkaas::getDilation(ConvOp conv, int64_t dim) {
  return conv.getW().getType().getDimSize(dim) == 1 ? 1
                                                    : conv.getDilations()[dim];
}

bool hamkaas::isDilated(ConvOp conv) {
  auto dims = llvm::seq<int64_t>(conv.getDilations().size());
  return llvm::any_of(dims,
                      [&](int64_t dim) { return getDilation(conv, dim) > 1; });
}

bool hamkaas::hasSeparateImages(ConvOp conv) {
  auto dims = llvm::seq<int64_t>(conv.getDilations().size());
  return conv.getGroups() == 1 && !isStrided(conv) &&
         llvm::all_of(dims, [&](int64_t dim) {
           return conv.getType().getDimSize(dim + 1) % getDilation(conv, dim) ==
                  0;
         });
}

ConvOp hamkaas::separateImages(ConvOp conv) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  SmallVector<int64_t> zeros{0, 0}, ones{1, 1};
  Value x = conv.isPadded() ? padOperand(builder, conv, conv.getX(), zeros)
                            : conv.getX();
  ArrayRef<int64_t> images = cast<RankedTensorType>(x.getType()).getShape();
  int64_t rows = getDilation(conv, 0), columns = getDilation(conv, 1);
  int64_t height = images[1] / rows, width = images[2] / columns;
  int64_t count = images[0] * rows * columns;
  x = reshape(builder, loc, x,
              {images[0], height, rows, width, columns, images[3]});
  x = PermuteOp::create(builder, loc, x, ArrayRef<int64_t>{0, 2, 4, 1, 3, 5});
  x = reshape(builder, loc, x, {count, height, width, images[3]});
  auto dense = ConvOp::create(builder, loc, x, conv.getW(), ones, ones, zeros,
                              zeros, /*groups=*/1);
  setKnobs(dense, getKnobs(conv));
  ArrayRef<int64_t> shape = conv.getType().getShape();
  Value y = reshape(
      builder, loc, dense,
      {shape[0], rows, columns, shape[1] / rows, shape[2] / columns, shape[3]});
  y = PermuteOp::create(builder, loc, y, ArrayRef<int64_t>{0, 3, 1, 4, 2, 5});
  conv.replaceAllUsesWith(reshape(builder, loc, y, shape));
  conv.erase();
  return dense;
}

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

bool hamkaas::isStrided(ConvOp conv) { return !isAll(conv.getStrides(), 1); }

/// The rows of images that windows read, in steps of `stride`.
static int64_t getSteps(int64_t positions, int64_t taps, int64_t stride) {
  return positions + llvm::divideCeilSigned(taps, stride) - 1;
}

bool hamkaas::hasPhases(ConvOp conv) {
  if (conv.getGroups() != 1)
    return false;
  for (auto [positions, taps, stride, size, low] : llvm::zip_equal(
           conv.getType().getShape().drop_front().drop_back(),
           conv.getW().getType().getShape().drop_back(2), conv.getStrides(),
           conv.getX().getType().getShape().drop_front().drop_back(),
           conv.getPadLow()))
    if (stride > 2 || (stride == 2 && taps <= stride) ||
        stride * getSteps(positions, taps, stride) < size + low)
      return false;
  return true;
}

ConvOp hamkaas::separatePhases(ConvOp conv) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  ArrayRef<int64_t> x = conv.getX().getType().getShape();
  ArrayRef<int64_t> w = conv.getW().getType().getShape();
  ArrayRef<int64_t> strides = conv.getStrides();
  SmallVector<int64_t> steps, moreRows, moreTaps(4, 0);
  for (int64_t i : {0, 1}) {
    steps.push_back(
        getSteps(conv.getType().getDimSize(i + 1), w[i], strides[i]));
    moreRows.push_back(strides[i] * steps[i] - x[i + 1] - conv.getPadLow()[i] -
                       conv.getPadHigh()[i]);
    moreTaps[i] = llvm::alignTo(w[i], strides[i]) - w[i];
  }
  Value images = conv.isPadded() || !isAll(moreRows, 0)
                     ? padOperand(builder, conv, conv.getX(), moreRows)
                     : conv.getX();
  int64_t channels = strides[0] * strides[1] * x[3];
  images = reshape(builder, loc, images,
                   {x[0], steps[0], strides[0], steps[1], strides[1], x[3]});
  images = PermuteOp::create(builder, loc, images,
                             ArrayRef<int64_t>{0, 1, 3, 2, 4, 5});
  images = reshape(builder, loc, images, {x[0], steps[0], steps[1], channels});

  SmallVector<int64_t> zeros(4, 0), none{0, 0}, ones{1, 1};
  Value weights = PadOp::create(builder, loc, conv.getW(), zeros, moreTaps,
                                zeros, builder.getF32FloatAttr(0));
  int64_t rows = llvm::divideCeilSigned(w[0], strides[0]);
  int64_t columns = llvm::divideCeilSigned(w[1], strides[1]);
  weights = reshape(builder, loc, weights,
                    {rows, strides[0], columns, strides[1], w[2], w[3]});
  weights = PermuteOp::create(builder, loc, weights,
                              ArrayRef<int64_t>{0, 2, 1, 3, 4, 5});
  weights = reshape(builder, loc, weights, {rows, columns, channels, w[3]});
  auto dense = ConvOp::create(builder, loc, images, weights, ones, ones, none,
                              none, /*groups=*/1);
  setKnobs(dense, getKnobs(conv));
  conv.replaceAllUsesWith(dense.getResult());
  conv.erase();
  return dense;
}

SmallVector<ConvPhase> hamkaas::findPhases(ConvOp conv) {
  ArrayRef<int64_t> window = conv.getW().getType().getShape().drop_back(2);
  SmallVector<ConvPhase> phases;
  if (window.size() != 2 || !isAll(window, 3) || !isAll(conv.getStrides(), 2) ||
      conv.getGroups() != 1 || isDilated(conv))
    return phases;
  for (int64_t row : {0, 1})
    for (int64_t column : {0, 1})
      phases.push_back({{row, column}, {2 - row, 2 - column}});
  return phases;
}

Operation *hamkaas::findStridedImages(Operation *op) {
  auto transform = dyn_cast<WinogradInputOp>(op);
  if (!transform)
    return nullptr;
  auto slice = transform.getX().getDefiningOp<StridedSliceOp>();
  return slice && slice->hasOneUse() && slice.getStrides().back() == 1
             ? slice.getOperation()
             : nullptr;
}

//===----------------------------------------------------------------------===//
// Larger windows
//===----------------------------------------------------------------------===//

/// Limit on windows: the copies take as many times the memory.
static constexpr int64_t maxWindows = 9;

SmallVector<int64_t> hamkaas::matchWindows(ConvOp conv) {
  ArrayRef<int64_t> window = conv.getW().getType().getShape().drop_back(2);
  if (!isDense(conv) ||
      llvm::all_of(window, [](int64_t size) { return size <= 3; }))
    return {};
  int64_t rows = llvm::divideCeilSigned(window[0], 3);
  int64_t columns = llvm::divideCeilSigned(window[1], 3);
  if (multiplyCounts(rows, columns) > maxWindows)
    return {};
  return {rows, columns};
}

ConvOp hamkaas::cutWindow(ConvOp conv, ArrayRef<int64_t> windows) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  ArrayRef<int64_t> weights = conv.getW().getType().getShape();
  ArrayRef<int64_t> result = conv.getType().getShape();
  SmallVector<int64_t> more{3 * windows[0] - weights[0],
                            3 * windows[1] - weights[1]};
  Value x = conv.isPadded() || !isAll(more, 0)
                ? padOperand(builder, conv, conv.getX(), more)
                : conv.getX();
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> sizes{result[0], result[1] + 2, result[2] + 2,
                             weights[2]};
  SmallVector<Value> copies;
  for (int64_t i = 0; i < windows[0]; ++i)
    for (int64_t j = 0; j < windows[1]; ++j)
      copies.push_back(
          StridedSliceOp::create(builder, loc, type.clone(sizes), x,
                                 SmallVector<int64_t>{0, 3 * i, 3 * j, 0},
                                 sizes, SmallVector<int64_t>{1, 1, 1, 1}));
  x = ConcatOp::create(builder, loc, copies, /*dim=*/3);

  SmallVector<int64_t> zeros(4, 0), none{0, 0}, ones{1, 1};
  Value w = PadOp::create(builder, loc, conv.getW(), zeros,
                          SmallVector<int64_t>{more[0], more[1], 0, 0}, zeros,
                          builder.getF32FloatAttr(0));
  w = reshape(builder, loc, w,
              {windows[0], 3, windows[1], 3, weights[2], weights[3]});
  w = PermuteOp::create(builder, loc, w, ArrayRef<int64_t>{1, 3, 0, 2, 4, 5});
  w = reshape(builder, loc, w,
              {3, 3, windows[0] * windows[1] * weights[2], weights[3]});
  auto dense = ConvOp::create(builder, loc, x, w, ones, ones, none, none,
                              /*groups=*/1);
  setKnobs(dense, getKnobs(conv));
  conv.replaceAllUsesWith(dense.getResult());
  conv.erase();
  return dense;
}
