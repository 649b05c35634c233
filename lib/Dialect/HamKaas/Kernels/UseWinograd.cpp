//===- UseWinograd.cpp - Convolutions with fewer products -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "PadConvolutions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace hamkaas {
#define GEN_PASS_DEF_USEWINOGRAD
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// With fewer channels, the transforms cost more than Winograd saves.
static constexpr int64_t minChannels = 32;
/// With fewer tiles, each weight is used too rarely, because there are more
/// weights. Weights that are no parameters are transformed in each run.
static constexpr int64_t minTiles = 32, minTilesOfRun = 128;

static bool isAll(ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [&](int64_t value) { return value == expected; });
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Each slice has calls of its own, which take time to compile: a network of
/// four convolutions of 256 images took a minute with a slice an image.
static constexpr int64_t maxSlices = 16;

namespace {
/// The sizes of a 3 x 3 convolution with strides of 1.
struct Sizes {
  int64_t images, height, width, from, to;

  /// Returns whether the transformed images are tensors, too: they are up to 4
  /// times as large.
  bool fits(Type elementType, int64_t tile) const {
    int64_t size = tile + 2;
    return isSupportedShape(RankedTensorType::get(
        {size * size, images, height / tile, width / tile, std::max(from, to)},
        elementType));
  }

  bool hasTiles(int64_t tile, int64_t tiles) const {
    return height % tile == 0 && width % tile == 0 &&
           multiplyCounts(images, multiplyCounts(height, width)) >=
               tiles * tile * tile;
  }

  /// Into how many slices of equally many images the batch is cut, so that the
  /// transformed images of a slice take at most `maxBytes`, if that many tiles
  /// are left in each.
  int64_t chooseSlices(int64_t tile, int64_t tiles, uint64_t maxBytes) const {
    int64_t slices = 1;
    int64_t most = std::min(images, maxSlices);
    for (int64_t count = 1; count <= most && maxBytes != 0; ++count) {
      if (images % count != 0)
        continue;
      Sizes slice = *this;
      slice.images /= count;
      if (!slice.hasTiles(tile, tiles))
        break;
      slices = count;
      if (slice.getBytes(tile) <= maxBytes)
        break;
    }
    return slices;
  }

private:
  /// The bytes of the transformed images and results.
  uint64_t getBytes(int64_t tile) const {
    int64_t size = tile + 2;
    return sizeof(float) *
           multiplyCounts(size * size * (height / tile) * (width / tile),
                          multiplyCounts(images, from + to));
  }
};
} // namespace

static bool isDense(ConvOp conv) {
  return conv.getType().getRank() == 4 &&
         conv.getType().getElementType().isF32() &&
         isAll(conv.getStrides(), 1) && isAll(conv.getDilations(), 1) &&
         conv.getGroups() == 1;
}

static std::optional<Sizes> matchConvolution(ConvOp conv) {
  if (!isDense(conv))
    return std::nullopt;
  ArrayRef<int64_t> weights = conv.getW().getType().getShape();
  ArrayRef<int64_t> result = conv.getType().getShape();
  if (!isAll(weights.take_front(2), 3))
    return std::nullopt;
  return Sizes{result[0], result[1], result[2], weights[2], weights[3]};
}

/// The gradient of weights is a convolution, too: its images are the channels
/// of the data, its channels the batch, its weights the gradient of a result
/// and its results the weights.
static std::optional<Sizes> matchWeightsGradient(ConvOp conv) {
  if (!isDense(conv) || conv.isPadded())
    return std::nullopt;
  ArrayRef<int64_t> weights = conv.getW().getType().getShape();
  ArrayRef<int64_t> result = conv.getType().getShape();
  if (!isAll(result.slice(1, 2), 3))
    return std::nullopt;
  return Sizes{weights[2], weights[0], weights[1], result[0], result[3]};
}

/// The tile that a knob asks for, 0 where it does not fit. An error if it has
/// larger errors than the user allows.
static FailureOr<int64_t> takeTile(ConvOp conv, const Sizes &sizes,
                                   int64_t tile, double maxError) {
  if (!sizes.hasTiles(tile, /*tiles=*/1) ||
      !sizes.fits(conv.getType().getElementType(), tile))
    return 0;
  double error = getWinogradMatrices(tile).error;
  if (error > maxError)
    return conv.emitError("expected --winograd-error to be at least ")
           << error << " for knob '" << winogradKnob << "' of " << tile
           << ", got " << maxError;
  return tile;
}

/// Positions of a tile along each dimension, 0 if the convolution stays as it
/// is. Larger tiles need fewer products.
static FailureOr<int64_t> chooseTile(ConvOp conv, std::optional<Sizes> sizes,
                                     int64_t tiles, double maxError) {
  if (!sizes)
    return 0;
  std::optional<int64_t> wished = Knobs::get(conv).winograd;
  if (wished == 0)
    return 0;
  if (wished)
    return takeTile(conv, *sizes, *wished, maxError);
  if (std::min(sizes->from, sizes->to) < minChannels)
    return 0;
  Type elementType = conv.getType().getElementType();
  for (const WinogradMatrices &matrices : llvm::reverse(getWinogradMatrices()))
    if (matrices.error <= maxError && sizes->hasTiles(matrices.tile, tiles) &&
        sizes->fits(elementType, matrices.tile))
      return matrices.tile;
  return 0;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// The products of elements of two rows of G, for each pair of rows and of
/// columns: a matrix of `t + 2` squared rows and 9 columns, or transposed.
static Value createWeightsMatrix(OpBuilder &builder, Location loc, int64_t tile,
                                 bool isTransposed) {
  ArrayRef<double> g = getWinogradMatrices(tile).weights;
  int64_t size = tile + 2, rows = size * size, columns = 9;
  if (isTransposed)
    std::swap(rows, columns);
  SmallVector<float> products;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      auto [row, column] = isTransposed ? std::pair(j, i) : std::pair(i, j);
      products.push_back(static_cast<float>(g[row / size * 3 + column / 3] *
                                            g[row % size * 3 + column % 3]));
    }
  auto type = RankedTensorType::get({rows, columns}, builder.getF32Type());
  return ConstantOp::create(builder, loc,
                            DenseElementsAttr::get(type, ArrayRef(products)));
}

static Value reshape(OpBuilder &builder, Location loc, Value x,
                     ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(x.getType());
  return ReshapeOp::create(builder, loc, type.clone(shape), x);
}

/// `G w G^T` per pair of channels, as one matmul.
static Value transformWeights(OpBuilder &builder, ConvOp conv, int64_t tile) {
  Location loc = conv.getLoc();
  ArrayRef<int64_t> shape = conv.getW().getType().getShape();
  int64_t from = shape[2], to = shape[3], size = tile + 2;
  Value matrix =
      createWeightsMatrix(builder, loc, tile, /*isTransposed=*/false);
  Value w = reshape(builder, loc, conv.getW(), {9, from * to});
  Value product = MatMulOp::create(builder, loc, matrix, w);
  return reshape(builder, loc, product, {size * size, from, to});
}

/// Transformed images as matrices: a row for each tile, a column for each
/// channel.
static Value makeMatrices(OpBuilder &builder, Location loc, Value tiles) {
  auto type = cast<RankedTensorType>(tiles.getType());
  ArrayRef<int64_t> shape = type.getShape();
  return reshape(
      builder, loc, tiles,
      {shape[0] * shape[1], shape[2] * shape[3] * shape[4], shape[5]});
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

/// The results of `images`, a part of the batch.
static Value convolve(OpBuilder &builder, ConvOp conv, Value images,
                      Value weights, int64_t tile) {
  Location loc = conv.getLoc();
  Value x = conv.isPadded() ? padOperand(builder, conv, images) : images;
  auto input = WinogradInputOp::create(builder, loc, x, tile);
  auto product = MatMulOp::create(builder, loc,
                                  makeMatrices(builder, loc, input), weights);
  setKnobs(product, getKnobs(conv));
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(input.getType()).getShape());
  shape.back() = conv.getType().getShape().back();
  Value products = reshape(builder, loc, product, shape);
  return WinogradOutputOp::create(builder, loc, products);
}

static void replaceByWinograd(ConvOp conv, int64_t tile, int64_t slices) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  Value weights = transformWeights(builder, conv, tile);
  SmallVector<Value> results;
  for (int64_t slice = 0; slice < slices; ++slice) {
    Value images = takeImages(builder, loc, conv.getX(), slice, slices);
    results.push_back(convolve(builder, conv, images, weights, tile));
  }
  Value result = slices == 1
                     ? results.front()
                     : ConcatOp::create(builder, loc, results, /*dim=*/0);
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
  Value left = makeMatrices(builder, loc,
                            WinogradInputOp::create(builder, loc, data, tile));
  Value right = makeMatrices(
      builder, loc, WinogradGradientOp::create(builder, loc, gradient, tile));
  left = PermuteOp::create(builder, loc, left, ArrayRef<int64_t>{0, 2, 1});
  auto product = MatMulOp::create(builder, loc, left, right);
  setKnobs(product, getKnobs(conv));
  return product;
}

/// `G^T u G` of `u`, the sum of the products of transformed data and gradients
/// over all tiles. This is the transpose of the convolution as a map of its
/// weights.
static void replaceGradientByWinograd(ConvOp conv, const Sizes &sizes,
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
  Value matrix = createWeightsMatrix(builder, loc, tile, /*isTransposed=*/true);
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

namespace {
struct UseWinograd : hamkaas::impl::UseWinogradBase<UseWinograd> {
  using UseWinogradBase::UseWinogradBase;

  void runOnOperation() override {
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      if (failed(replaceConvolutions(*block)))
        return signalPassFailure();
  }

private:
  LogicalResult replaceConvolutions(Block &block) {
    DenseSet<Operation *> parameterOps = findParameterOps(block);
    for (ConvOp conv : llvm::to_vector(block.getOps<ConvOp>()))
      if (!parameterOps.contains(conv) &&
          failed(replace(conv,
                         parameterOps.contains(conv.getW().getDefiningOp()))))
        return failure();
    return success();
  }

  LogicalResult replace(ConvOp conv, bool isParameter) {
    int64_t tiles = isParameter ? minTiles : minTilesOfRun;
    std::optional<Sizes> sizes = matchConvolution(conv);
    FailureOr<int64_t> tile = chooseTile(conv, sizes, tiles, maxError);
    if (failed(tile))
      return failure();
    if (*tile) {
      // Slices would be joined in front of the bias and the activation, which
      // networks that do not train have behind their convolutions.
      int64_t slices =
          isParameter ? 1 : sizes->chooseSlices(*tile, tiles, maxBytes);
      replaceByWinograd(conv, *tile, slices);
      return success();
    }
    sizes = matchWeightsGradient(conv);
    tile = chooseTile(conv, sizes, minTilesOfRun, maxError);
    if (failed(tile))
      return failure();
    if (*tile)
      replaceGradientByWinograd(
          conv, *sizes, *tile,
          sizes->chooseSlices(*tile, minTilesOfRun, maxBytes));
    else if (Knobs::get(conv).winograd > 0)
      // It does not fit.
      setKnobs(conv, dropKnob(getKnobs(conv), winogradKnob));
    return success();
  }
};
} // namespace
