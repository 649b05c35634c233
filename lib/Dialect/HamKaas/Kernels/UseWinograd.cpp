//===- UseWinograd.cpp - Convolutions with fewer products -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DenseConvolutions.h"
#include "HamKaas/Dialect/HamKaas/Graph/LayoutReshapes.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "NarrowProducts.h"
#include "PadConvolutions.h"
#include "ReplaceByWinograd.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hamkaas {
#define GEN_PASS_DEF_USEWINOGRAD
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Windows along one dimension of at most so many elements have tiles of two
/// positions and more; larger square ones are cut.
static constexpr int64_t maxTaps = 7, maxSquareTaps = 4;

static bool isSupportedWindow(ArrayRef<int64_t> window) {
  auto [least, most] = std::minmax(window[0], window[1]);
  return least == 1 ? most > 1 && most <= maxTaps
                    : least == most && most <= maxSquareTaps;
}

/// The sizes of a convolution, or, with strides or dilations, of the one that
/// separatePhases() or separateImages() makes. Channels are those of a group,
/// and sequences are images of one row.
static std::optional<WinogradSizes> matchWindow(ConvOp conv) {
  ArrayRef<int64_t> result = conv.getType().getShape();
  ArrayRef<int64_t> weights = conv.getW().getType().getShape();
  if (result.size() > 4 || (isStrided(conv) && !hasPhases(conv)) ||
      (isDilated(conv) && !hasSeparateImages(conv)))
    return std::nullopt;
  auto groups = static_cast<int64_t>(conv.getGroups());
  ArrayRef<int64_t> channels = weights.take_back(2);
  WinogradSizes sizes{result[0], 1, 1, channels[0], channels[1] / groups};
  sizes.window = {1, 1};
  sizes.taps = 1;
  sizes.groups = groups;
  int64_t *extents[] = {&sizes.height, &sizes.width};
  for (size_t i = 0; i < result.size() - 2; ++i) {
    size_t place = i + 4 - result.size();
    int64_t stride = conv.getStrides()[i], dilation = getDilation(conv, i);
    *extents[place] = result[i + 1] / dilation;
    sizes.images *= dilation;
    sizes.from *= stride;
    sizes.taps *= static_cast<double>(weights[i]) / static_cast<double>(stride);
    sizes.window[place] = llvm::divideCeilSigned(weights[i], stride);
  }
  return sizes;
}

static bool isSquare(const WinogradSizes &sizes) {
  return isAll(sizes.window, 3);
}

/// The gradient of weights is a convolution, too: its images are the channels
/// of the data, its channels the batch, its weights the gradient of a result
/// and its results the weights.
static std::optional<WinogradSizes> matchWeightsGradient(ConvOp conv) {
  if (!isDense(conv) || conv.isPadded())
    return std::nullopt;
  ArrayRef<int64_t> weights = conv.getW().getType().getShape();
  ArrayRef<int64_t> result = conv.getType().getShape();
  if (!isAll(result.slice(1, 2), 3))
    return std::nullopt;
  return WinogradSizes{weights[2], weights[0], weights[1], result[0],
                       result[3]};
}

/// The cost of an element of the transformed images, in that of float32: half
/// of the elements have 16 bits, but products take half the time. An estimate:
/// convolutions of 14 x 14 and 56 x 56 images with 256 and 64 channels take
/// 0.43 and 0.37 of the time of the direct ones (AMD Zen 3). Where these
/// multiply bytes, 14 x 14, 28 x 28 and 56 x 56 images with 256, 128 and 64
/// channels take 1.0, 0.62 and 0.75 of their time (AMD Zen 4, AVX512-VNNI). Few
/// channels are unmeasured.
static constexpr double integerCost = 1.5;

/// The costs of an element of the transformed images, in that without dilations
/// and strides. With dilations, images and results are also copied. With
/// strides, images are, and few channels have many elements: windows of 4 x 4,
/// 5 x 5 and 7 x 7 take 0.45 to 0.7 of the time, sequences with windows of 3
/// 0.87 (AMD Zen 3).
static constexpr double dilatedCost = 1.5, phasesCost = 2;

/// The same where a convolution is a sum of several, and the cost of a copied
/// element. 3 x 3 windows with strides of 2 that this chooses take 0.85 to 1.15
/// of the estimated time: images of 16 to 384 channels, 10 x 10 to 112 x 112
/// (AMD Zen 3).
static constexpr double partsCost = 1.5, copyCost = 0.5;

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
  /// Groups, and windows other than 3 x 3, pay off where costs are known and
  /// weights are parameters.
  std::optional<WinogradSizes> matchConvolution(ConvOp conv,
                                                bool isParameter) const {
    if (!conv.getType().getElementType().isF32())
      return std::nullopt;
    std::optional<WinogradSizes> sizes = matchWindow(conv);
    bool isCommon = sizes && sizes->groups == 1 && isSquare(*sizes) &&
                    !isStrided(conv) && !isDilated(conv);
    if (!sizes || !isSupportedWindow(sizes->window) ||
        (!isCommon && (!isParameter || elementCost == 0)))
      return std::nullopt;
    return sizes;
  }

  FailureOr<int64_t> chooseTile(ConvOp conv, std::optional<WinogradSizes> sizes,
                                bool isParameter) const {
    double cost = elementCost * (isStrided(conv)   ? phasesCost
                                 : isDilated(conv) ? dilatedCost
                                                   : 1);
    return chooseWinogradTile(conv, sizes,
                              {cost, isParameter, /*needsWhole=*/false,
                               maxWinogradCost, getMostBytes(isParameter)},
                              maxError);
  }

  /// Makes images of sequences for which the method pays off. What follows a
  /// convolution keeps following it.
  LogicalResult replaceSequences(Block &block) {
    DenseSet<Operation *> parameterOps = findParameterOps(block);
    bool hasChanged = false;
    for (ConvOp conv : llvm::to_vector(block.getOps<ConvOp>())) {
      bool isParameter = parameterOps.contains(conv.getW().getDefiningOp());
      if (conv.getType().getRank() != 3 || parameterOps.contains(conv))
        continue;
      FailureOr<int64_t> tile =
          chooseTile(conv, matchConvolution(conv, isParameter), isParameter);
      if (failed(tile))
        return failure();
      if (!*tile)
        continue;
      makeImages(conv);
      hasChanged = true;
    }
    if (hasChanged) {
      moveReshapesBehindPointwise(block);
      moveReshapesOutward(block);
    }
    return success();
  }

  LogicalResult replaceConvolutions(Block &block) {
    if (failed(replaceSequences(block)))
      return failure();
    DenseSet<Operation *> parameterOps = findParameterOps(block);
    for (ConvOp conv : llvm::to_vector(block.getOps<ConvOp>()))
      if (!parameterOps.contains(conv) && !conv->hasAttr(planarAttrName) &&
          failed(replace(conv,
                         parameterOps.contains(conv.getW().getDefiningOp()))))
        return failure();
    return success();
  }

  /// Others are computed in slices.
  uint64_t getMostBytes(bool isParameter) const {
    return isParameter ? uint64_t(mostBytes) : 0;
  }

  /// Replaces `conv` by one of smaller windows, if Winograd's method pays off
  /// then.
  FailureOr<ConvOp> replaceLarge(ConvOp conv, bool isParameter) {
    SmallVector<int64_t> windows = matchWindows(conv);
    if (windows.empty() || elementCost == 0 || !isParameter ||
        matchConvolution(conv, isParameter))
      return conv;
    ArrayRef<int64_t> weights = conv.getW().getType().getShape();
    ArrayRef<int64_t> result = conv.getType().getShape();
    auto count = static_cast<double>(windows[0] * windows[1]);
    WinogradSizes sizes{result[0], result[1], result[2],
                        windows[0] * windows[1] * weights[2], weights[3]};
    sizes.taps = static_cast<double>(weights[0] * weights[1]) / count;
    FailureOr<int64_t> tile = chooseWinogradTile(
        conv, sizes,
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
    std::optional<WinogradSizes> sizes = matchWindow(conv);
    int64_t tile = 0;
    if (sizes && isSquare(*sizes) && !isStrided(conv) && !isDilated(conv) &&
        isParameter && elementCost != 0)
      tile = chooseIntegerWinogradTile(conv, *sizes,
                                       {integerCost * elementCost, isParameter,
                                        /*needsWhole=*/false, maxWinogradCost,
                                        getMostBytes(isParameter), wordCost});
    if (tile)
      replaceIntegersByWinograd(conv, tile);
    else if (Knobs::get(conv).winograd > 0)
      setKnobs(conv, dropKnob(getKnobs(conv), winogradKnob));
  }

  /// The tiles of the parts of `conv`, 0 for those that stay direct; empty if
  /// they do not pay off.
  FailureOr<SmallVector<int64_t>>
  choosePhaseTiles(ConvOp conv, ArrayRef<ConvPhase> phases) const {
    ArrayRef<int64_t> result = conv.getType().getShape();
    WinogradSizes sizes{result[0], result[1], result[2],
                        conv.getX().getType().getShape().back(), result[3]};
    WinogradCosts costs{elementCost * partsCost, /*isParameter=*/true,
                        /*needsWhole=*/false, maxWinogradCost,
                        getMostBytes(/*isParameter=*/true)};
    double direct = sizes.getDirectCost();
    double positions = direct / sizes.taps;
    double cost = static_cast<double>(phases.size()) * copyCost * elementCost *
                  positions / static_cast<double>(sizes.to);
    SmallVector<int64_t> tiles;
    for (const ConvPhase &phase : phases) {
      sizes.window = phase.window;
      sizes.taps = static_cast<double>(phase.window[0] * phase.window[1]);
      FailureOr<int64_t> tile =
          chooseWinogradTile(conv, sizes, costs, maxError);
      if (failed(tile))
        return failure();
      tiles.push_back(*tile);
      cost += *tile ? sizes.getCost(*tile, costs) : sizes.getDirectCost();
    }
    bool isWished = Knobs::get(conv).winograd.has_value();
    if (isAll(tiles, 0) || (!isWished && cost > maxWinogradCost * direct))
      tiles.clear();
    return tiles;
  }

  /// Replaces `conv` by a sum of convolutions without strides, if Winograd's
  /// method pays off for them.
  FailureOr<bool> replacePhases(ConvOp conv, bool isParameter) {
    SmallVector<ConvPhase> phases = findPhases(conv);
    if (phases.empty() || elementCost == 0 || !isParameter ||
        !conv.getType().getElementType().isF32())
      return false;
    FailureOr<SmallVector<int64_t>> tiles = choosePhaseTiles(conv, phases);
    if (failed(tiles))
      return failure();
    if (tiles->empty())
      return false;
    replacePhasesByWinograd(conv, phases, *tiles);
    return true;
  }

  LogicalResult replace(ConvOp conv, bool isParameter) {
    if (multipliesNarrow(conv)) {
      replaceIntegers(conv, isParameter);
      return success();
    }
    FailureOr<ConvOp> dense = replaceLarge(conv, isParameter);
    if (failed(dense))
      return failure();
    conv = *dense;
    FailureOr<bool> hasParts = replacePhases(conv, isParameter);
    if (failed(hasParts) || *hasParts)
      return hasParts;
    std::optional<WinogradSizes> sizes = matchConvolution(conv, isParameter);
    FailureOr<int64_t> tile = chooseTile(conv, sizes, isParameter);
    if (failed(tile))
      return failure();
    if (*tile) {
      // Slices would be joined in front of the bias and the activation, which
      // networks that do not train have behind their convolutions.
      int64_t slices =
          isParameter ? 1 : sizes->chooseSlices(*tile, minTilesOfRun, maxBytes);
      if (isStrided(conv))
        conv = separatePhases(conv);
      if (isDilated(conv))
        conv = separateImages(conv);
      replaceByWinograd(conv, *tile, slices);
      return success();
    }
    sizes = matchWeightsGradient(conv);
    // Sums over few tiles have short rows.
    tile = chooseWinogradTile(conv, sizes,
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
