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

/// The matrix, by rows, of the products of elements of a row of each G, `first`
/// and `second`, which have columns for a dimension of `window`: a row for each
/// pair of rows, a column for each pair of columns.
static SmallVector<double> multiplyRows(ArrayRef<int64_t> window,
                                        ArrayRef<double> first,
                                        ArrayRef<double> second) {
  SmallVector<double> products;
  for (; !first.empty(); first = first.drop_front(window[0]))
    for (ArrayRef<double> rest = second; !rest.empty();
         rest = rest.drop_front(window[1]))
      for (double left : first.take_front(window[0]))
        for (double right : rest.take_front(window[1]))
          products.push_back(left * right);
  return products;
}

/// A constant of `elements` by rows of `columns`.
static Value createMatrix(OpBuilder &builder, Location loc,
                          ArrayRef<double> elements, int64_t columns,
                          Type elementType) {
  auto getAttr = [&](double element) -> Attribute {
    if (isa<FloatType>(elementType))
      return builder.getFloatAttr(elementType, element);
    return builder.getIntegerAttr(elementType, int64_t(element));
  };
  int64_t rows = static_cast<int64_t>(elements.size()) / columns;
  auto type = RankedTensorType::get({rows, columns}, elementType);
  return ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, llvm::map_to_vector(elements, getAttr)));
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

static DenseI64ArrayAttr getWindowAttr(OpBuilder &builder,
                                       ArrayRef<int64_t> window) {
  return isAll(window, 3) ? nullptr : builder.getDenseI64ArrayAttr(window);
}

/// The transformed tiles of `images`, a part of the batch, with `more` rows and
/// columns of zeros behind them. Groups are a dimension before that of images.
static Value transformImages(OpBuilder &builder, ConvOp conv, Value images,
                             ArrayRef<int64_t> more, int64_t tile) {
  Location loc = conv.getLoc();
  ArrayRef<int64_t> window = conv.getW().getType().getShape().take_front(2);
  DenseI64ArrayAttr windowAttr = getWindowAttr(builder, window);
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

/// How many positions the last tiles of the result of `conv` have beyond it.
static SmallVector<int64_t> getMore(ConvOp conv, ArrayRef<int64_t> window,
                                    int64_t tile) {
  SmallVector<int64_t> more;
  for (auto [size, side] :
       llvm::zip_equal(conv.getType().getShape().slice(1, 2),
                       getWinogradSides(tile, window)))
    more.push_back(llvm::alignTo(size, side.tile) - size);
  return more;
}

/// The results of `conv`, or of a part of its batch or window, of transformed
/// images and weights.
static Value multiplyTiles(OpBuilder &builder, ConvOp conv, Value input,
                           Value weights, ArrayRef<int64_t> window,
                           bool isWhole) {
  Location loc = conv.getLoc();
  ArrayRef<int64_t> result = conv.getType().getShape();
  MatMulOp product =
      multiply(builder, loc, makeMatrices(builder, loc, input), weights);
  setKnobs(product, getKnobs(conv));
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(input.getType()).getShape());
  shape.back() = result.back() / static_cast<int64_t>(conv.getGroups());
  Value products = reshape(builder, loc, product, shape);
  return WinogradOutputOp::create(
      builder, loc, products, getWindowAttr(builder, window),
      isWhole ? nullptr : builder.getDenseI64ArrayAttr(result.slice(1, 2)));
}

/// The results of `images`, a part of the batch.
static Value convolve(OpBuilder &builder, ConvOp conv, Value images,
                      Value weights, int64_t tile) {
  ArrayRef<int64_t> window = conv.getW().getType().getShape().take_front(2);
  SmallVector<int64_t> more = getMore(conv, window, tile);
  Value input = transformImages(builder, conv, images, more, tile);
  return multiplyTiles(builder, conv, input, weights, window, isAll(more, 0));
}

void hamkaas::replaceByWinograd(ConvOp conv, int64_t tile, int64_t slices) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  auto groups = static_cast<int64_t>(conv.getGroups());
  ArrayRef<int64_t> window = conv.getW().getType().getShape().take_front(2);
  std::array<WinogradSide, 2> sides = getWinogradSides(tile, window);
  Value matrix =
      createMatrix(builder, loc,
                   multiplyRows(window, getWinogradMatrices(sides[0]).weights,
                                getWinogradMatrices(sides[1]).weights),
                   window[0] * window[1], builder.getF32Type());
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

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

/// The images that `conv` reads, padded, with as many rows and columns of zeros
/// behind them as the tiles of its phases reach.
static Value padPhases(OpBuilder &builder, ConvOp conv,
                       ArrayRef<ConvPhase> phases, ArrayRef<int64_t> tiles) {
  ArrayRef<int64_t> x = conv.getX().getType().getShape();
  ArrayRef<int64_t> result = conv.getType().getShape();
  SmallVector<int64_t> more;
  bool copies = false;
  for (int64_t i : {0, 1}) {
    int64_t stride = conv.getStrides()[i], low = conv.getPadLow()[i];
    int64_t rows = 0;
    for (auto [phase, tile] : llvm::zip_equal(phases, tiles)) {
      int64_t positions = result[i + 1];
      if (tile)
        positions += getMore(conv, phase.window, tile)[i];
      int64_t last = positions + phase.window[i] - 2;
      rows = std::max(rows, stride * last + phase.offsets[i] + 1);
    }
    int64_t high = std::max<int64_t>(0, rows - low - x[i + 1]);
    copies |= low + high > 0;
    more.push_back(high - conv.getPadHigh()[i]);
  }
  return copies ? padOperand(builder, conv, conv.getX(), more) : conv.getX();
}

/// The rows of the matrix that transforms the weights of `phase` for tiles of
/// `tile` positions, or takes them if that is 0, with a column for each element
/// of `window`.
static SmallVector<double> getPhaseRows(const ConvPhase &phase, int64_t tile,
                                        ArrayRef<int64_t> window,
                                        ArrayRef<int64_t> strides) {
  // That of each dimension.
  SmallVector<double> matrices[2];
  for (int64_t i : {0, 1}) {
    int64_t taps = phase.window[i];
    SmallVector<double> g;
    if (tile) {
      g = getWinogradMatrices(getWinogradSides(tile, phase.window)[i]).weights;
    } else {
      g.assign(taps * taps, 0);
      for (int64_t tap = 0; tap < taps; ++tap)
        g[tap * taps + tap] = 1;
    }
    int64_t rows = static_cast<int64_t>(g.size()) / taps;
    matrices[i].assign(rows * window[i], 0);
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t tap = 0; tap < taps; ++tap)
        matrices[i][row * window[i] + phase.offsets[i] + strides[i] * tap] =
            g[row * taps + tap];
  }
  return multiplyRows(window, matrices[0], matrices[1]);
}

/// The convolution of `phase`, whose results are those of `conv`, of padded
/// images and of weights of its own.
static Value convolvePhase(OpBuilder &builder, ConvOp conv, Value images,
                           Value weights, const ConvPhase &phase,
                           int64_t tile) {
  Location loc = conv.getLoc();
  ArrayRef<int64_t> result = conv.getType().getShape();
  auto [rows, columns] = phase.window;
  SmallVector<int64_t> more{0, 0}, none{0, 0}, ones{1, 1};
  if (tile)
    more = getMore(conv, phase.window, tile);
  auto type = cast<RankedTensorType>(images.getType());
  int64_t channels = type.getShape().back();
  SmallVector<int64_t> offsets{0, phase.offsets[0], phase.offsets[1], 0};
  SmallVector<int64_t> sizes{result[0], result[1] + more[0] + rows - 1,
                             result[2] + more[1] + columns - 1, channels};
  SmallVector<int64_t> strides{1, conv.getStrides()[0], conv.getStrides()[1],
                               1};
  images = StridedSliceOp::create(builder, loc, type.clone(sizes), images,
                                  offsets, sizes, strides);
  if (tile) {
    Value input = WinogradInputOp::create(
        builder, loc, images, builder.getI64IntegerAttr(tile),
        getWindowAttr(builder, phase.window), nullptr);
    return multiplyTiles(builder, conv, input, weights, phase.window,
                         isAll(more, 0));
  }
  weights =
      reshape(builder, loc, weights, {rows, columns, channels, result.back()});
  auto direct = ConvOp::create(builder, loc, images, weights, ones, ones, none,
                               none, /*groups=*/1);
  setKnobs(direct, dropKnob(getKnobs(conv), winogradKnob));
  return direct;
}

void hamkaas::replacePhasesByWinograd(ConvOp conv, ArrayRef<ConvPhase> phases,
                                      ArrayRef<int64_t> tiles) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  ArrayRef<int64_t> window = conv.getW().getType().getShape().take_front(2);
  int64_t taps = window[0] * window[1];
  // One product transforms the weights of all.
  SmallVector<double> matrix;
  SmallVector<int64_t> ends{0};
  for (auto [phase, tile] : llvm::zip_equal(phases, tiles)) {
    llvm::append_range(matrix,
                       getPhaseRows(phase, tile, window, conv.getStrides()));
    ends.push_back(static_cast<int64_t>(matrix.size()) / taps);
  }
  Value transformed = transformWeights(
      builder, loc, conv.getW(),
      createMatrix(builder, loc, matrix, taps, builder.getF32Type()),
      /*groups=*/1);
  Value images = padPhases(builder, conv, phases, tiles);
  SmallVector<Value> results;
  for (auto [i, phase, tile] : llvm::enumerate(phases, tiles))
    results.push_back(convolvePhase(
        builder, conv, images,
        SliceOp::create(builder, loc, transformed, ends[i], ends[i + 1]), phase,
        tile));
  // The last one's kernel adds the others to its sums.
  Value sum = results.pop_back_val();
  for (Value result : llvm::reverse(results))
    sum = AddOp::create(builder, loc, sum, result);
  conv.replaceAllUsesWith(sum);
  conv.erase();
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The 16-bit integers that `operand` is a cast of.
static Value getNarrow(Value operand) {
  return operand.getDefiningOp<CastOp>().getX();
}

void hamkaas::replaceIntegersByWinograd(ConvOp conv, int64_t tile) {
  OpBuilder builder(conv);
  auto groups = static_cast<int64_t>(conv.getGroups());
  ArrayRef<double> g = getIntegerWinograd(tile).weights;
  Value narrow = getNarrow(conv.getW());
  Value matrix =
      createMatrix(builder, conv.getLoc(), multiplyRows({3, 3}, g, g),
                   /*columns=*/9, getElementTypeOrSelf(narrow));
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
  SmallVector<double> g = getWinogradMatrices(side).weights, transposed;
  for (int64_t tap = 0; tap < side.taps; ++tap)
    for (int64_t row = 0; row < size; ++row)
      transposed.push_back(g[row * side.taps + tap]);
  Value matrix = createMatrix(
      builder, loc, multiplyRows({size, size}, transposed, transposed),
      /*columns=*/size * size, builder.getF32Type());
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
