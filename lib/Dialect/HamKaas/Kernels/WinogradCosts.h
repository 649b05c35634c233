//===- WinogradCosts.h - When Winograd pays off -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_WINOGRADCOSTS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_WINOGRADCOSTS_H

#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace hamkaas {

/// The most of the time of a direct convolution that pays off: the model is off
/// by more than the last tenth.
inline constexpr double maxWinogradCost = 0.9;

/// The costs that decide, in multiply-adds.
struct WinogradCosts {
  /// Of an element of the transformed images; 0 if it is unknown.
  double element;
  bool isParameter;
  /// Tiles must be complete.
  bool needsWhole = false;
  /// The most of the time of the direct convolution that pays off.
  double most = maxWinogradCost;
  /// The most bytes of transformed images and results; 0 for any number.
  uint64_t mostBytes = 0;
  /// Of a product, in that of one that the direct convolution computes.
  double product = 1;

  int64_t minTiles() const;
};

/// The sizes of a convolution with strides of 1. The last tile of a dimension
/// may be incomplete.
struct WinogradSizes {
  int64_t images, height, width, from, to;
  std::array<int64_t, 2> window{3, 3};
  /// Products that the direct convolution takes for one of the result and each
  /// pair of channels, fewer than the window has elements if windows were cut.
  double taps = 9;
  /// Each of as many channels as above.
  int64_t groups = 1;

  std::array<WinogradSide, 2> getSides(int64_t tile) const {
    return getWinogradSides(tile, window);
  }

  /// Returns whether windows have several elements along each dimension.
  bool isAlongBoth() const { return window[0] > 1 && window[1] > 1; }

  /// Returns whether the transformed images are tensors, too: images of 1 x 1
  /// are up to 64 times as large.
  bool fits(mlir::Type elementType, int64_t tile) const;

  bool isWhole(int64_t tile) const;

  /// Products of a tile for each pair of channels.
  int64_t getElements(int64_t tile) const;

  int64_t getTiles(int64_t tile) const;

  /// The multiply-adds of the direct convolution, each pair of channels counted
  /// once.
  double getDirectCost() const;

  /// The time of the method, in such multiply-adds. A tile has an element for
  /// each channel, a multiply-add for each pair.
  double getCost(int64_t tile, const WinogradCosts &costs) const;

  /// Into how many slices of equally many images the batch is cut, so that the
  /// transformed images of a slice take at most `maxBytes`, if that many tiles
  /// are left in each.
  int64_t chooseSlices(int64_t tile, int64_t tiles, uint64_t maxBytes) const;

  /// The bytes of the transformed images and results, which are in memory
  /// together.
  uint64_t getBytes(int64_t tile) const;
};

/// Tiles of a convolution in each of its slices that make up for the transform
/// of weights that are no parameters.
inline constexpr int64_t minTilesOfRun = 128;

/// The positions of a tile along each side of the window, 0 if the convolution
/// stays as it is: those that take the least time, or, where that is unknown,
/// the most, which need the fewest products. A knob decides before the costs;
/// it is an error if its tile has larger errors than `maxError`.
mlir::FailureOr<int64_t> chooseWinogradTile(mlir::Operation *conv,
                                            std::optional<WinogradSizes> sizes,
                                            const WinogradCosts &costs,
                                            double maxError);

/// The same for a product of narrow integers, of the methods that compute its
/// sums exactly. `costs.product` counts where these are bytes.
int64_t chooseIntegerWinogradTile(mlir::Operation *conv,
                                  const WinogradSizes &sizes,
                                  WinogradCosts costs);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_KERNELS_WINOGRADCOSTS_H
