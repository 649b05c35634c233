//===- UseWinograd.cpp - Convolutions with fewer products -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseConvolutions.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "NarrowProducts.h"
#include "PadConvolutions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace hamkaas {
#define GEN_PASS_DEF_USEWINOGRAD
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Limits where no cost of an element is known. With fewer channels, the
/// transforms cost more than Winograd saves. With fewer tiles, each weight is
/// used too rarely, because there are more weights. Weights that are no
/// parameters are transformed in each run.
static constexpr int64_t minChannels = 32, minTiles = 32, minTilesOfRun = 128;

/// Costs of weights, in those of an element of the transformed images: a
/// parameter is read from memory while products are computed, another weight
/// is also transformed. Cold 8 x 8 images of 256 channels take 0.5 of the time
/// of the direct convolution with tiles of 2 x 2 and 0.8 with 4 x 4, cold 12 x
/// 12 images 0.5 with both; 16 x 16 images take 0.7 with 4 x 4 if the weights
/// are known at run time (AMD Zen 3).
static constexpr double parameterCost = 1, runWeightCost = 3;
/// The most of the time of a direct convolution that pays off: the model is off
/// by more than the last tenth.
static constexpr double maxCost = 0.9;

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

/// Each slice has calls of its own, which take time to compile: a network of
/// four convolutions of 256 images took a minute with a slice an image.
static constexpr int64_t maxSlices = 16;

namespace {
/// The costs that decide, in multiply-adds.
struct Costs {
  /// Of an element of the transformed images; 0 if it is unknown.
  double element;
  bool isParameter;
  /// Tiles must be complete.
  bool needsWhole = false;
  /// The most of the time of the direct convolution that pays off.
  double most = maxCost;
  /// The most bytes of transformed images and results; 0 for any number.
  uint64_t mostBytes = 0;

  int64_t minTiles() const { return isParameter ? ::minTiles : minTilesOfRun; }
};

/// The sizes of a 3 x 3 convolution with strides of 1. The last tile of a
/// dimension may be incomplete.
struct Sizes {
  int64_t images, height, width, from, to;
  /// Products that the direct convolution takes for one of the result and each
  /// pair of channels, fewer than 9 if windows were cut.
  double taps = 9;

  /// Returns whether the transformed images are tensors, too: images of 1 x 1
  /// are up to 64 times as large.
  bool fits(Type elementType, int64_t tile) const {
    int64_t size = tile + 2;
    return isSupportedShape(RankedTensorType::get(
        {size * size, images, llvm::divideCeilSigned(height, tile),
         llvm::divideCeilSigned(width, tile), std::max(from, to)},
        elementType));
  }

  bool isWhole(int64_t tile) const {
    return height % tile == 0 && width % tile == 0;
  }

  int64_t getTiles(int64_t tile) const {
    return multiplyCounts(images,
                          multiplyCounts(llvm::divideCeilSigned(height, tile),
                                         llvm::divideCeilSigned(width, tile)));
  }

  /// The multiply-adds of the direct convolution, each pair of channels counted
  /// once.
  double getDirectCost() const {
    return taps * static_cast<double>(images) * static_cast<double>(height) *
           static_cast<double>(width);
  }

  /// The time of the method, in such multiply-adds. A tile has an element for
  /// each channel, a multiply-add for each pair.
  double getCost(int64_t tile, const Costs &costs) const {
    auto tiles = static_cast<double>(getTiles(tile));
    double elements = costs.element * (1.0 / static_cast<double>(from) +
                                       1.0 / static_cast<double>(to));
    double products = costs.isParameter
                          ? std::max(tiles, parameterCost * costs.element)
                          : tiles + runWeightCost * costs.element;
    int64_t size = tile + 2;
    return static_cast<double>(size * size) * (products + tiles * elements);
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
      if (slice.getTiles(tile) < tiles)
        break;
      slices = count;
      if (slice.getBytes(tile) <= maxBytes)
        break;
    }
    return slices;
  }

  /// The bytes of the transformed images and results, which are in memory
  /// together.
  uint64_t getBytes(int64_t tile) const {
    int64_t size = tile + 2;
    return sizeof(float) *
           multiplyCounts(multiplyCounts(size * size, getTiles(tile)),
                          from + to);
  }
};
} // namespace

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
                                   int64_t tile, bool needsWhole,
                                   double maxError) {
  if ((needsWhole && !sizes.isWhole(tile)) ||
      !sizes.fits(conv.getType().getElementType(), tile))
    return 0;
  double error = getWinogradMatrices(tile).error;
  if (error > maxError)
    return conv.emitError("expected --winograd-error to be at least ")
           << error << " for knob '" << winogradKnob << "' of " << tile
           << ", got " << maxError;
  return tile;
}

/// The positions of a tile along each dimension, 0 if the convolution stays as
/// it is: those that take the least time, or, where that is unknown, the most,
/// which need the fewest products.
static FailureOr<int64_t> chooseTile(ConvOp conv, std::optional<Sizes> sizes,
                                     const Costs &costs, double maxError) {
  if (!sizes)
    return 0;
  std::optional<int64_t> wished = Knobs::get(conv).winograd;
  if (wished == 0)
    return 0;
  if (wished)
    return takeTile(conv, *sizes, *wished, costs.needsWhole, maxError);
  bool isKnown = costs.element > 0;
  bool needsWhole = costs.needsWhole || !isKnown;
  if (!isKnown && std::min(sizes->from, sizes->to) < minChannels)
    return 0;
  Type elementType = conv.getType().getElementType();
  double least = costs.most * sizes->getDirectCost();
  int64_t best = 0;
  for (const WinogradMatrices &matrices :
       llvm::reverse(getWinogradMatrices())) {
    int64_t tile = matrices.tile;
    if (matrices.error > maxError || !sizes->fits(elementType, tile) ||
        (costs.mostBytes != 0 && sizes->getBytes(tile) > costs.mostBytes) ||
        (needsWhole && !sizes->isWhole(tile)))
      continue;
    if (!isKnown && sizes->getTiles(tile) < costs.minTiles())
      continue;
    if (!isKnown)
      return tile;
    double cost = sizes->getCost(tile, costs);
    if (cost >= least)
      continue;
    least = cost;
    best = tile;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

/// The products of elements of two rows of G, for each pair of rows and of
/// columns: a matrix of `t + 2` squared rows and 9 columns, or transposed.
static Value createWeightsMatrix(OpBuilder &builder, Location loc,
                                 const WinogradMatrices &matrices,
                                 Type elementType, bool isTransposed = false) {
  ArrayRef<double> g = matrices.weights;
  int64_t size = matrices.tile + 2, rows = size * size, columns = 9;
  if (isTransposed)
    std::swap(rows, columns);
  SmallVector<Attribute> products;
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      auto [row, column] = isTransposed ? std::pair(j, i) : std::pair(i, j);
      double product =
          g[row / size * 3 + column / 3] * g[row % size * 3 + column % 3];
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

/// `G w G^T` per pair of channels, as one matmul.
static Value transformWeights(OpBuilder &builder, Location loc, Value w,
                              const WinogradMatrices &matrices) {
  auto type = cast<RankedTensorType>(w.getType());
  int64_t from = type.getDimSize(2), to = type.getDimSize(3);
  int64_t size = matrices.tile + 2;
  Value matrix =
      createWeightsMatrix(builder, loc, matrices, type.getElementType());
  Value product =
      multiply(builder, loc, matrix, reshape(builder, loc, w, {9, from * to}));
  if (cast<RankedTensorType>(product.getType()).getElementType() !=
      type.getElementType())
    product = castTo(builder, loc, product, type.getElementType());
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
  ArrayRef<int64_t> positions = conv.getType().getShape().slice(1, 2);
  SmallVector<int64_t> more;
  for (int64_t size : positions)
    more.push_back(llvm::alignTo(size, tile) - size);
  bool isWhole = isAll(more, 0);
  Value x = conv.isPadded() || !isWhole
                ? padOperand(builder, conv, images, more)
                : images;
  auto input = WinogradInputOp::create(builder, loc, x, tile);
  MatMulOp product =
      multiply(builder, loc, makeMatrices(builder, loc, input), weights);
  setKnobs(product, getKnobs(conv));
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(input.getType()).getShape());
  shape.back() = conv.getType().getShape().back();
  Value products = reshape(builder, loc, product, shape);
  return WinogradOutputOp::create(
      builder, loc, products,
      isWhole ? nullptr : builder.getDenseI64ArrayAttr(positions));
}

static void replaceByWinograd(ConvOp conv, int64_t tile, int64_t slices) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  Value weights =
      transformWeights(builder, loc, conv.getW(), getWinogradMatrices(tile));
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
// Integers
//===----------------------------------------------------------------------===//

/// The cost of an element of the transformed images, in that of float32: half
/// of the elements have 16 bits, but products take half the time. An estimate:
/// convolutions of 14 x 14 and 56 x 56 images with 256 and 64 channels take
/// 0.43 and 0.37 of the time of the direct ones (AMD Zen 3). Few channels are
/// unmeasured.
static constexpr double integerCost = 1.5;

/// The range of `matrix * x * matrix^T` for elements of `x` within `range`.
/// Rows of the matrix have `columns` elements.
static Interval getTransformedRange(ArrayRef<double> matrix, int64_t columns,
                                    Interval range) {
  // The sums of positive and of negative elements of each row.
  SmallVector<std::pair<int64_t, int64_t>> rows;
  for (; !matrix.empty(); matrix = matrix.drop_front(columns)) {
    auto &[positive, negative] = rows.emplace_back(0, 0);
    for (double element : matrix.take_front(columns))
      (element > 0 ? positive : negative) += int64_t(element);
  }
  Interval transformed{0, 0};
  for (auto [p, n] : rows)
    for (auto [q, m] : rows) {
      int64_t positive = p * q + n * m, negative = p * m + n * q;
      transformed.least = std::min(
          transformed.least, positive * range.least + negative * range.most);
      transformed.most = std::max(transformed.most, positive * range.most +
                                                        negative * range.least);
    }
  return transformed;
}

/// Returns whether the method computes the sums of `conv` exactly.
static bool isExact(ConvOp conv, const IntegerWinograd &method) {
  std::optional<Interval> x = getRange(conv.getX()), w = getRange(conv.getW());
  if (!x || !w)
    return false;
  // Images are padded with 0.
  Interval images{std::min<int64_t>(x->least, 0),
                  std::max<int64_t>(x->most, 0)};
  const WinogradMatrices &matrices = method.matrices;
  int64_t tile = matrices.tile;
  if (!getTransformedRange(matrices.input, tile + 2, images).fits() ||
      !getTransformedRange(matrices.weights, /*columns=*/3, *w).fits())
    return false;
  // As many bits as are left of 32.
  int64_t most = std::max(std::max(-images.least, images.most) *
                              std::max(std::abs(w->least), std::abs(w->most)),
                          int64_t(1));
  int64_t depth =
      getElementCount(conv.getW().getType()) / conv.getType().getShape().back();
  return depth <= ((int64_t(1) << (31 - method.shift)) - 1) / most;
}

/// The 16-bit integers that `operand` is a cast of.
static Value getNarrow(Value operand) {
  return operand.getDefiningOp<CastOp>().getX();
}

/// The positions of a tile along each dimension that take the least time, 0 if
/// the convolution stays as it is.
static int64_t chooseIntegerTile(ConvOp conv, const Sizes &sizes,
                                 const Costs &costs) {
  std::optional<int64_t> wished = Knobs::get(conv).winograd;
  double least = costs.most * sizes.getDirectCost();
  int64_t best = 0;
  for (const IntegerWinograd &method : getIntegerWinograd()) {
    int64_t tile = method.matrices.tile;
    if (!isExact(conv, method) ||
        !sizes.fits(conv.getType().getElementType(), tile) ||
        (costs.mostBytes != 0 && sizes.getBytes(tile) > costs.mostBytes))
      continue;
    double cost = sizes.getCost(tile, costs);
    if (wished ? tile == *wished : cost < least) {
      least = cost;
      best = tile;
    }
  }
  return best;
}

static void replaceIntegersByWinograd(ConvOp conv, int64_t tile) {
  OpBuilder builder(conv);
  Value weights =
      transformWeights(builder, conv.getLoc(), getNarrow(conv.getW()),
                       getIntegerWinograd(tile).matrices);
  Value result = convolve(builder, conv, getNarrow(conv.getX()), weights, tile);
  conv.replaceAllUsesWith(result);
  conv.erase();
}

//===----------------------------------------------------------------------===//
// Dilations
//===----------------------------------------------------------------------===//

/// The cost of an element of the transformed images, in that without
/// dilations: images and results are also copied.
static constexpr double dilatedCost = 1.5;

/// The sizes of the convolution that separateImages() makes.
static Sizes getSeparateSizes(ConvOp conv, int64_t dilation) {
  ArrayRef<int64_t> weights = conv.getW().getType().getShape();
  ArrayRef<int64_t> result = conv.getType().getShape();
  return {result[0] * dilation * dilation, result[1] / dilation,
          result[2] / dilation, weights[2], weights[3]};
}

//===----------------------------------------------------------------------===//
// Larger windows
//===----------------------------------------------------------------------===//

/// The cost of an element of the transformed images, in that of one window of
/// 3 x 3: images are also copied for each.
static constexpr double windowsCost = 1.5;
/// The most of the time of the direct convolution that pays off: on two threads
/// (AMD Zen 3), copies and transforms scale worse than products. 5 x 5 windows
/// of 28 x 28 images from 32 to 64 channels take 0.5 of the time on one thread
/// by this model and by measurement, and 0.9 on two.
static constexpr double maxWindowsCost = 0.65;
/// Larger transformed images leave the caches: 5 x 5 windows of 512 x 512
/// images of 32 channels gain nothing in 437 MB (AMD Zen 3).
static constexpr uint64_t maxWindowsBytes = 64 << 20;

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
  Value matrix =
      createWeightsMatrix(builder, loc, getWinogradMatrices(tile),
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

  /// Others are computed in slices.
  uint64_t getMostBytes(bool isParameter) const {
    return isParameter ? uint64_t(mostBytes) : 0;
  }

  /// Replaces `conv` by separate images, if Winograd's method pays off then.
  FailureOr<ConvOp> replaceDilated(ConvOp conv, bool isParameter) {
    int64_t dilation = matchDilation(conv);
    if (dilation == 1 || elementCost == 0)
      return conv;
    FailureOr<int64_t> tile =
        chooseTile(conv, getSeparateSizes(conv, dilation),
                   {dilatedCost * elementCost, isParameter,
                    /*needsWhole=*/false, maxCost, getMostBytes(isParameter)},
                   maxError);
    if (failed(tile))
      return failure();
    return *tile ? separateImages(conv, dilation) : conv;
  }

  /// Replaces `conv` by one of smaller windows, if Winograd's method pays off
  /// then.
  FailureOr<ConvOp> replaceLarge(ConvOp conv, bool isParameter) {
    SmallVector<int64_t> windows = matchWindows(conv);
    if (windows.empty() || elementCost == 0 || !isParameter)
      return conv;
    ArrayRef<int64_t> weights = conv.getW().getType().getShape();
    ArrayRef<int64_t> result = conv.getType().getShape();
    auto count = static_cast<double>(windows[0] * windows[1]);
    Sizes sizes{result[0], result[1], result[2],
                windows[0] * windows[1] * weights[2], weights[3]};
    sizes.taps = static_cast<double>(weights[0] * weights[1]) / count;
    FailureOr<int64_t> tile =
        chooseTile(conv, sizes,
                   {windowsCost * elementCost, isParameter,
                    /*needsWhole=*/false, maxWindowsCost,
                    mostBytes ? std::min<uint64_t>(mostBytes, maxWindowsBytes)
                              : maxWindowsBytes},
                   maxError);
    if (failed(tile))
      return failure();
    return *tile ? cutWindow(conv, windows) : conv;
  }

  /// Weights known at run time would be transformed in each run.
  void replaceIntegers(ConvOp conv, bool isParameter) {
    ArrayRef<int64_t> weights = conv.getW().getType().getShape();
    ArrayRef<int64_t> result = conv.getType().getShape();
    int64_t tile = 0;
    if (isPlain(conv) && isAll(weights.take_front(2), 3) && isParameter &&
        elementCost != 0)
      tile = chooseIntegerTile(
          conv, {result[0], result[1], result[2], weights[2], weights[3]},
          {integerCost * elementCost, isParameter, /*needsWhole=*/false,
           maxCost, getMostBytes(isParameter)});
    if (tile)
      replaceIntegersByWinograd(conv, tile);
    else if (Knobs::get(conv).winograd > 0)
      setKnobs(conv, dropKnob(getKnobs(conv), winogradKnob));
  }

  LogicalResult replace(ConvOp conv, bool isParameter) {
    if (multipliesNarrow(conv)) {
      replaceIntegers(conv, isParameter);
      return success();
    }
    FailureOr<ConvOp> dense = replaceDilated(conv, isParameter);
    if (succeeded(dense))
      dense = replaceLarge(*dense, isParameter);
    if (failed(dense))
      return failure();
    conv = *dense;
    std::optional<Sizes> sizes = matchConvolution(conv);
    FailureOr<int64_t> tile =
        chooseTile(conv, sizes,
                   {elementCost, isParameter, /*needsWhole=*/false, maxCost,
                    getMostBytes(isParameter)},
                   maxError);
    if (failed(tile))
      return failure();
    if (*tile) {
      // Slices would be joined in front of the bias and the activation, which
      // networks that do not train have behind their convolutions.
      int64_t slices =
          isParameter ? 1 : sizes->chooseSlices(*tile, minTilesOfRun, maxBytes);
      replaceByWinograd(conv, *tile, slices);
      return success();
    }
    sizes = matchWeightsGradient(conv);
    // Sums over few tiles have short rows.
    tile = chooseTile(conv, sizes,
                      {/*element=*/0, /*isParameter=*/false,
                       /*needsWhole=*/true},
                      maxError);
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
