//===- ReplaceByWinograd.cpp - Winograd in operations -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplaceByWinograd.h"
#include "DenseConvolutions.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "PadConvolutions.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

/// The products of elements of a row of each G, `first` and `second`, for each
/// pair of rows and of columns, by rows or transposed.
static Value createWeightsMatrix(OpBuilder &builder, Location loc,
                                 std::array<WinogradSide, 2> sides,
                                 ArrayRef<double> first,
                                 ArrayRef<double> second, Type elementType,
                                 bool isTransposed = false) {
  auto [height, width] = sides;
  int64_t rows = height.size() * width.size();
  int64_t columns = height.taps * width.taps;
  if (isTransposed)
    std::swap(rows, columns);
  SmallVector<Attribute> products;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      auto [row, column] = isTransposed ? std::pair(j, i) : std::pair(i, j);
      double product =
          first[row / width.size() * height.taps + column / width.taps] *
          second[row % width.size() * width.taps + column % width.taps];
      products.push_back(
          isa<FloatType>(elementType)
              ? Attribute(builder.getFloatAttr(elementType, product))
              : builder.getIntegerAttr(elementType, int64_t(product)));
    }
  auto type = RankedTensorType::get({rows, columns}, elementType);
  return ConstantOp::create(builder, loc,
                            DenseElementsAttr::get(type, products));
}

static Value castTo(OpBuilder &builder, Location loc, Value value,
                    Type elementType) {
  auto type = cast<RankedTensorType>(value.getType());
  return CastOp::create(builder, loc, type.clone(elementType), value);
}

/// The product of matrices. 16-bit integers have sums of 32 bits.
static MatMulOp multiply(OpBuilder &builder, Location loc, Value left,
                         Value right) {
  if (cast<RankedTensorType>(left.getType()).getElementType().isInteger(16)) {
    left = castTo(builder, loc, left, builder.getI32Type());
    right = castTo(builder, loc, right, builder.getI32Type());
  }
  return MatMulOp::create(builder, loc, left, right);
}

/// `G w G^T` per pair of channels, as one matmul. Groups have matrices of their
/// own.
static Value transformWeights(OpBuilder &builder, Location loc, Value w,
                              Value matrix, int64_t groups) {
  auto type = cast<RankedTensorType>(w.getType());
  int64_t from = type.getDimSize(2), to = type.getDimSize(3);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(matrix.getType()).getShape();
  int64_t elements = shape[0], taps = shape[1];
  Value product = multiply(builder, loc, matrix,
                           reshape(builder, loc, w, {taps, from * to}));
  if (cast<RankedTensorType>(product.getType()).getElementType() !=
      type.getElementType())
    product = castTo(builder, loc, product, type.getElementType());
  if (groups == 1)
    return reshape(builder, loc, product, {elements, from, to});
  product =
      reshape(builder, loc, product, {elements, from, groups, to / groups});
  product =
      PermuteOp::create(builder, loc, product, ArrayRef<int64_t>{0, 2, 1, 3});
  return reshape(builder, loc, product, {elements * groups, from, to / groups});
}

/// Transformed images as matrices: a row for each tile, a column for each
/// channel.
static Value makeMatrices(OpBuilder &builder, Location loc, Value tiles) {
  auto type = cast<RankedTensorType>(tiles.getType());
  ArrayRef<int64_t> shape = type.getShape();
  ArrayRef<int64_t> images = shape.take_back(4);
  int64_t matrices = shape[0] * shape[1] * (shape.size() == 7 ? shape[2] : 1);
  return reshape(builder, loc, tiles,
                 {matrices, images[0] * images[1] * images[2], images[3]});
}

/// The images number `slice` of `slices` equal parts.
static Value takeImages(OpBuilder &builder, Location loc, Value images,
                        int64_t slice, int64_t slices) {
  if (slices == 1)
    return images;
  // Pad no more than a slice at once.
  if (auto pad = images.getDefiningOp<PadOp>(); pad && pad.getLow()[0] == 0 &&
                                                pad.getHigh()[0] == 0 &&
                                                pad.getInterior()[0] == 0) {
    Value inner = takeImages(builder, loc, pad.getX(), slice, slices);
    return PadOp::create(builder, loc, inner, pad.getLow(), pad.getHigh(),
                         pad.getInterior(), pad.getValue());
  }
  int64_t count = cast<RankedTensorType>(images.getType()).getDimSize(0);
  int64_t size = count / slices;
  return SliceOp::create(builder, loc, images, slice * size,
                         (slice + 1) * size);
}

/// The transformed tiles of `images`, a part of the batch, with `more` rows and
/// columns of zeros behind them. Groups are a dimension before that of images.
static Value transformImages(OpBuilder &builder, ConvOp conv, Value images,
                             ArrayRef<int64_t> more, int64_t tile) {
  Location loc = conv.getLoc();
  ArrayRef<int64_t> window = conv.getW().getType().getShape().take_front(2);
  DenseI64ArrayAttr windowAttr =
      isAll(window, 3) ? nullptr : builder.getDenseI64ArrayAttr(window);
  auto groups = static_cast<int64_t>(conv.getGroups());
  bool copies = conv.isPadded() || !isAll(more, 0);
  IntegerAttr tileAttr = builder.getI64IntegerAttr(tile);
  if (!copies || !copiesGroups(conv))
    return WinogradInputOp::create(
        builder, loc, copies ? padOperand(builder, conv, images, more) : images,
        tileAttr, windowAttr,
        groups == 1 ? nullptr : builder.getI64IntegerAttr(groups));
  // A copy with the images of each group.
  Value copy = padGroups(builder, conv, more);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(copy.getType()).getShape().drop_front());
  int64_t count = std::exchange(shape.front(), shape.front() * groups);
  Value tiles =
      WinogradInputOp::create(builder, loc, reshape(builder, loc, copy, shape),
                              tileAttr, windowAttr, nullptr);
  ArrayRef<int64_t> transformed =
      cast<RankedTensorType>(tiles.getType()).getShape();
  shape.assign({transformed[0], transformed[1], groups, count});
  llvm::append_range(shape, transformed.take_back(3));
  return reshape(builder, loc, tiles, shape);
}

/// The results of `images`, a part of the batch.
static Value convolve(OpBuilder &builder, ConvOp conv, Value images,
                      Value weights, int64_t tile) {
  Location loc = conv.getLoc();
  ArrayRef<int64_t> positions = conv.getType().getShape().slice(1, 2);
  ArrayRef<int64_t> window = conv.getW().getType().getShape().take_front(2);
  SmallVector<int64_t> more;
  for (auto [size, side] :
       llvm::zip_equal(positions, getWinogradSides(tile, window)))
    more.push_back(llvm::alignTo(size, side.tile) - size);
  bool isWhole = isAll(more, 0);
  Value input = transformImages(builder, conv, images, more, tile);
  MatMulOp product =
      multiply(builder, loc, makeMatrices(builder, loc, input), weights);
  setKnobs(product, getKnobs(conv));
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(input.getType()).getShape());
  shape.back() =
      conv.getType().getShape().back() / static_cast<int64_t>(conv.getGroups());
  Value products = reshape(builder, loc, product, shape);
  return WinogradOutputOp::create(
      builder, loc, products,
      isAll(window, 3) ? nullptr : builder.getDenseI64ArrayAttr(window),
      isWhole ? nullptr : builder.getDenseI64ArrayAttr(positions));
}

void hamkaas::replaceByWinograd(ConvOp conv, int64_t tile, int64_t slices) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  auto groups = static_cast<int64_t>(conv.getGroups());
  std::array<WinogradSide, 2> sides =
      getWinogradSides(tile, conv.getW().getType().getShape().take_front(2));
  Value matrix = createWeightsMatrix(
      builder, loc, sides, getWinogradMatrices(sides[0]).weights,
      getWinogradMatrices(sides[1]).weights, builder.getF32Type());
  Value weights = transformWeights(builder, loc, conv.getW(), matrix, groups);
  SmallVector<Value> results;
  for (int64_t slice = 0; slice < slices; ++slice) {
    Value images = takeImages(builder, loc, conv.getX(), slice, slices);
    results.push_back(convolve(builder, conv, images, weights, tile));
  }
  Value result = slices == 1
                     ? results.front()
                     : ConcatOp::create(builder, loc, results, /*dim=*/0);
  Operation *source = conv.getX().getDefiningOp();
  conv.replaceAllUsesWith(result);
  conv.erase();
  // The copy may permute instead.
  if (isa_and_nonnull<PermuteOp>(source) && source->use_empty())
    source->erase();
}

/// The 16-bit integers that `operand` is a cast of.
static Value getNarrow(Value operand) {
  return operand.getDefiningOp<CastOp>().getX();
}

void hamkaas::replaceIntegersByWinograd(ConvOp conv, int64_t tile) {
  OpBuilder builder(conv);
  auto groups = static_cast<int64_t>(conv.getGroups());
  WinogradSide side{tile, /*taps=*/3};
  ArrayRef<double> g = getIntegerWinograd(tile).weights;
  Value narrow = getNarrow(conv.getW());
  Value matrix = createWeightsMatrix(builder, conv.getLoc(), {side, side}, g, g,
                                     getElementTypeOrSelf(narrow));
  Value weights =
      transformWeights(builder, conv.getLoc(), narrow, matrix, groups);
  Value result = convolve(builder, conv, getNarrow(conv.getX()), weights, tile);
  conv.replaceAllUsesWith(result);
  conv.erase();
}

//===----------------------------------------------------------------------===//
// Gradients of weights
//===----------------------------------------------------------------------===//

/// `x` with its dimensions in another order, without the permute that made
/// `x` if it is undone.
static Value permute(OpBuilder &builder, Location loc, Value x,
                     ArrayRef<int64_t> permutation) {
  if (auto producer = x.getDefiningOp<PermuteOp>())
    if (isIdentityPermutation(
            applyPermutation(producer.getPermutation(), permutation)))
      return producer.getX();
  if (auto pad = x.getDefiningOp<PadOp>()) {
    Value inner = permute(builder, loc, pad.getX(), permutation);
    return PadOp::create(
        builder, loc, inner, applyPermutation(pad.getLow(), permutation),
        applyPermutation(pad.getHigh(), permutation),
        applyPermutation(pad.getInterior(), permutation), pad.getValue());
  }
  return PermuteOp::create(builder, loc, x, permutation);
}

/// Erases the permutes and pads behind `values` that nothing uses any more.
static void eraseUnused(ArrayRef<Value> values) {
  llvm::SetVector<Operation *> ops;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (isa_and_nonnull<PermuteOp, PadOp>(op))
      ops.insert(op);
  };
  llvm::for_each(values, add);
  for (size_t i = 0; i < ops.size(); ++i)
    add(ops[i]->getOperand(0));
  // Users first: one value may be computed from the other.
  SmallVector<Operation *> users = ops.takeVector();
  llvm::sort(users,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : users)
    if (op->use_empty())
      op->erase();
}

/// The products of transformed data and gradients, summed over the tiles.
static Value multiplyTransformed(OpBuilder &builder, ConvOp conv, Value data,
                                 Value gradient, int64_t tile) {
  Location loc = conv.getLoc();
  Value left =
      makeMatrices(builder, loc,
                   WinogradInputOp::create(builder, loc, data,
                                           builder.getI64IntegerAttr(tile),
                                           nullptr, nullptr));
  Value right = makeMatrices(
      builder, loc, WinogradGradientOp::create(builder, loc, gradient, tile));
  left = PermuteOp::create(builder, loc, left, ArrayRef<int64_t>{0, 2, 1});
  auto product = MatMulOp::create(builder, loc, left, right);
  setKnobs(product, getKnobs(conv));
  return product;
}

void hamkaas::replaceGradientByWinograd(ConvOp conv, const WinogradSizes &sizes,
                                        int64_t tile, int64_t slices) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  Value x = conv.getX(), w = conv.getW();
  Value data = permute(builder, loc, x, {3, 1, 2, 0});
  Value gradient = permute(builder, loc, w, {2, 0, 1, 3});
  Value product;
  for (int64_t slice = 0; slice < slices; ++slice) {
    Value images = takeImages(builder, loc, data, slice, slices);
    Value results = takeImages(builder, loc, gradient, slice, slices);
    Value part = multiplyTransformed(builder, conv, images, results, tile);
    product = product ? AddOp::create(builder, loc, part, product) : part;
  }
  int64_t size = tile + 2;
  product =
      reshape(builder, loc, product, {size * size, sizes.from * sizes.to});
  WinogradSide side{tile, /*taps=*/3};
  SmallVector<double> g = getWinogradMatrices(side).weights;
  Value matrix =
      createWeightsMatrix(builder, loc, {side, side}, g, g,
                          builder.getF32Type(), /*isTransposed=*/true);
  Value sums = MatMulOp::create(builder, loc, matrix, product);
  sums = reshape(builder, loc, sums, {3, 3, sizes.from, sizes.to});

  SmallVector<int64_t> permutation{2, 0, 1, 3};
  Value result = PermuteOp::create(builder, loc, sums, permutation);
  for (Operation *user : llvm::make_early_inc_range(conv->getUsers()))
    if (auto back = dyn_cast<PermuteOp>(user);
        back && isIdentityPermutation(
                    applyPermutation(permutation, back.getPermutation()))) {
      back.replaceAllUsesWith(sums);
      back.erase();
    }
  conv.replaceAllUsesWith(result);
  conv.erase();
  eraseUnused({result, x, w, data, gradient});
}
