//===- DenseConvolutions.cpp - As 3 x 3 without dilations -------*- C++ -*-===//
//-*-===//
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

int64_t hamkaas::matchDilation(ConvOp conv) {
  if (conv.getType().getRank() != 4 ||
      !conv.getType().getElementType().isF32() ||
      !isAll(conv.getStrides(), 1) || conv.getGroups() != 1 ||
      !isAll(conv.getW().getType().getShape().take_front(2), 3))
    return 1;
  int64_t dilation = conv.getDilations().front();
  bool divides =
      llvm::all_of(conv.getType().getShape().slice(1, 2),
                   [&](int64_t size) { return size % dilation == 0; });
  return isAll(conv.getDilations(), dilation) && divides ? dilation : 1;
}

ConvOp hamkaas::separateImages(ConvOp conv, int64_t dilation) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  SmallVector<int64_t> zeros{0, 0}, ones{1, 1};
  Value x = conv.isPadded() ? padOperand(builder, conv, conv.getX(), zeros)
                            : conv.getX();
  ArrayRef<int64_t> images = cast<RankedTensorType>(x.getType()).getShape();
  int64_t count = images[0] * dilation * dilation;
  int64_t height = images[1] / dilation, width = images[2] / dilation;
  x = reshape(builder, loc, x,
              {images[0], height, dilation, width, dilation, images[3]});
  x = PermuteOp::create(builder, loc, x, ArrayRef<int64_t>{0, 2, 4, 1, 3, 5});
  x = reshape(builder, loc, x, {count, height, width, images[3]});
  auto dense = ConvOp::create(builder, loc, x, conv.getW(), ones, ones, zeros,
                              zeros, /*groups=*/1);
  setKnobs(dense, getKnobs(conv));
  ArrayRef<int64_t> shape = conv.getType().getShape();
  Value y = reshape(builder, loc, dense,
                    {shape[0], dilation, dilation, shape[1] / dilation,
                     shape[2] / dilation, shape[3]});
  y = PermuteOp::create(builder, loc, y, ArrayRef<int64_t>{0, 3, 1, 4, 2, 5});
  conv.replaceAllUsesWith(reshape(builder, loc, y, shape));
  conv.erase();
  return dense;
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
