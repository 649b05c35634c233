//===- WinogradCosts.cpp - When Winograd pays off ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WinogradCosts.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "NarrowProducts.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

/// Limits where no cost of an element is known. With fewer channels, the
/// transforms cost more than Winograd saves. With fewer tiles, each weight is
/// used too rarely, because there are more weights. Weights that are no
/// parameters are transformed in each run.
static constexpr int64_t minChannels = 32, minTiles = 32;

/// Costs of weights, in those of an element of the transformed images: a
/// parameter is read from memory while products are computed, another weight
/// is also transformed. Cold 8 x 8 images of 256 channels take 0.5 of the time
/// of the direct convolution with tiles of 2 x 2 and 0.8 with 4 x 4, cold 12 x
/// 12 images 0.5 with both; 16 x 16 images take 0.7 with 4 x 4 if the weights
/// are known at run time (AMD Zen 3).
static constexpr double parameterCost = 1, runWeightCost = 3;
/// The most times that weights may grow: 3 x 3 windows with strides of 2, whose
/// weights would grow sixteenfold with phases as channels, are sums of parts.
static constexpr double maxWeightsGrowth = 10;
/// Each slice has calls of its own, which take time to compile: a network of
/// four convolutions of 256 images took a minute with a slice an image.
static constexpr int64_t maxSlices = 16;

int64_t WinogradCosts::minTiles() const {
  return isParameter ? ::minTiles : minTilesOfRun;
}

bool WinogradSizes::fits(Type elementType, int64_t tile) const {
  auto [rows, columns] = getSides(tile);
  return isSupportedShape(RankedTensorType::get(
      {getElements(tile), groups, images,
       llvm::divideCeilSigned(height, rows.tile),
       llvm::divideCeilSigned(width, columns.tile), std::max(from, to)},
      elementType));
}

bool WinogradSizes::isWhole(int64_t tile) const {
  auto [rows, columns] = getSides(tile);
  return height % rows.tile == 0 && width % columns.tile == 0;
}

int64_t WinogradSizes::getElements(int64_t tile) const {
  auto [rows, columns] = getSides(tile);
  return rows.size() * columns.size();
}

int64_t WinogradSizes::getTiles(int64_t tile) const {
  auto [rows, columns] = getSides(tile);
  return multiplyCounts(
      images, multiplyCounts(llvm::divideCeilSigned(height, rows.tile),
                             llvm::divideCeilSigned(width, columns.tile)));
}

double WinogradSizes::getDirectCost() const {
  return taps * static_cast<double>(images) * static_cast<double>(height) *
         static_cast<double>(width);
}

double WinogradSizes::getCost(int64_t tile, const WinogradCosts &costs) const {
  auto tiles = static_cast<double>(getTiles(tile));
  double elements = costs.element * (1.0 / static_cast<double>(from) +
                                     1.0 / static_cast<double>(to));
  double products = costs.isParameter
                        ? std::max(tiles, parameterCost * costs.element)
                        : tiles + runWeightCost * costs.element;
  return static_cast<double>(getElements(tile)) *
         (costs.product * products + tiles * elements);
}

int64_t WinogradSizes::chooseSlices(int64_t tile, int64_t tiles,
                                    uint64_t maxBytes) const {
  int64_t slices = 1;
  int64_t most = std::min(images, maxSlices);
  for (int64_t count = 1; count <= most && maxBytes != 0; ++count) {
    if (images % count != 0)
      continue;
    WinogradSizes slice = *this;
    slice.images /= count;
    if (slice.getTiles(tile) < tiles)
      break;
    slices = count;
    if (slice.getBytes(tile) <= maxBytes)
      break;
  }
  return slices;
}

uint64_t WinogradSizes::getBytes(int64_t tile) const {
  return sizeof(float) *
         multiplyCounts(multiplyCounts(getElements(tile), getTiles(tile)),
                        multiplyCounts(groups, from + to));
}

static double getError(const WinogradSizes &sizes, int64_t tile) {
  return getWinogradError(tile + std::max(sizes.window[0], sizes.window[1]) - 1,
                          sizes.isAlongBoth());
}

/// The tile that a knob asks for, 0 where it does not fit. An error if it has
/// larger errors than the user allows.
static FailureOr<int64_t> takeTile(Operation *conv, const WinogradSizes &sizes,
                                   int64_t tile, bool needsWhole,
                                   double maxError) {
  if (!llvm::all_of(sizes.getSides(tile), isWinogradSide) ||
      (needsWhole && !sizes.isWhole(tile)) ||
      !sizes.fits(getElementTypeOrSelf(conv->getResult(0)), tile))
    return 0;
  double error = getError(sizes, tile);
  if (error > maxError)
    return conv->emitError("expected --winograd-error to be at least ")
           << error << " for knob '" << winogradKnob << "' of " << tile
           << ", got " << maxError;
  return tile;
}

FailureOr<int64_t>
hamkaas::chooseWinogradTile(Operation *conv, std::optional<WinogradSizes> sizes,
                            const WinogradCosts &costs, double maxError) {
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
  Type elementType = getElementTypeOrSelf(conv->getResult(0));
  double least = costs.most * sizes->getDirectCost();
  int64_t best = 0;
  for (int64_t size : llvm::reverse(getWinogradSizes())) {
    int64_t tile = size - std::max(sizes->window[0], sizes->window[1]) + 1;
    if (!llvm::all_of(sizes->getSides(tile), isWinogradSide) ||
        getError(*sizes, tile) > maxError || !sizes->fits(elementType, tile) ||
        static_cast<double>(sizes->getElements(tile)) >
            maxWeightsGrowth * sizes->taps ||
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
// Integers
//===----------------------------------------------------------------------===//

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
static bool isExact(Operation *conv, const IntegerWinograd &method) {
  std::optional<Interval> x = getRange(conv->getOperand(0)),
                          w = getRange(conv->getOperand(1));
  if (!x || !w)
    return false;
  // Images are padded with 0.
  Interval images{std::min<int64_t>(x->least, 0),
                  std::max<int64_t>(x->most, 0)};
  WinogradMatrices matrices = method.getMatrices();
  int64_t tile = method.tile;
  if (!getTransformedRange(matrices.input, tile + 2, images).fits() ||
      !getTransformedRange(matrices.weights, /*columns=*/3, *w).fits())
    return false;
  // As many bits as are left of 32.
  int64_t most = std::max(std::max(-images.least, images.most) *
                              std::max(std::abs(w->least), std::abs(w->most)),
                          int64_t(1));
  int64_t depth =
      getElementCount(cast<ShapedType>(conv->getOperand(1).getType())) /
      cast<ShapedType>(conv->getResult(0).getType()).getShape().back();
  return depth <= ((int64_t(1) << (31 - method.shift)) - 1) / most;
}

/// Returns whether bytes hold the operands, each less a number.
static bool isOfBytes(Operation *conv) {
  return llvm::all_of(conv->getOperands().take_front(2), [](Value operand) {
    std::optional<Interval> range = getRange(operand);
    return range && range->most - range->least <= UINT8_MAX;
  });
}

int64_t hamkaas::chooseIntegerWinogradTile(Operation *conv,
                                           const WinogradSizes &sizes,
                                           WinogradCosts costs) {
  // Others are multiplied as words in any case.
  if (!isOfBytes(conv))
    costs.product = 1;
  std::optional<int64_t> wished = Knobs::get(conv).winograd;
  double least = costs.most * sizes.getDirectCost();
  int64_t best = 0;
  for (const IntegerWinograd &method : getIntegerWinograd()) {
    int64_t tile = method.tile;
    if (!isExact(conv, method) ||
        !sizes.fits(getElementTypeOrSelf(conv->getResult(0)), tile) ||
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
