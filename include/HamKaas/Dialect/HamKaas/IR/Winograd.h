//===- Winograd.h - Matrices of Winograd's convolution ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_WINOGRAD_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_WINOGRAD_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>

namespace hamkaas {

/// How one dimension of images is cut: tiles of `tile` positions, each the sum
/// of `taps` products. A window of one element leaves the dimension as it is:
/// its tiles are single elements.
struct WinogradSide {
  int64_t tile, taps;

  /// Elements of a transformed tile.
  int64_t size() const { return tile + taps - 1; }
};

/// Of F(t, r), by rows: the transposed B of `n = t + r - 1` rows and columns, G
/// of `n` rows and `r` columns, and the transposed A of `t` rows and `n`
/// columns. As in hamkaas.winograd_input; `G` is for the weights, `G w G^T`.
struct WinogradMatrices {
  llvm::SmallVector<double> input, weights, output;
};

/// The elements of a transformed tile along a dimension for which there are
/// matrices, the smallest first.
llvm::ArrayRef<int64_t> getWinogradSizes();

/// Returns whether there are matrices for `side`.
bool isWinogradSide(WinogradSide side);

/// Those of a side for which there are.
WinogradMatrices getWinogradMatrices(WinogradSide side);

/// Tiles of `tile` positions along each dimension along which `window` has more
/// than one element.
std::array<WinogradSide, 2> getWinogradSides(int64_t tile,
                                             llvm::ArrayRef<int64_t> window);

/// The largest error of a convolution to be expected in float32, in parts of
/// its largest value, with `size` elements of a tile along one dimension or
/// along both.
double getWinogradError(int64_t size, bool isAlongBoth);

/// The same of integers, with windows of 3: rows of G and columns of the
/// transposed A have factors that make them integers, so that results are
/// multiplied by `2^shift` and by an odd number, whose inverse of 32 bits is
/// `inverse`.
struct IntegerWinograd {
  int64_t tile;
  uint32_t inverse;
  int64_t shift;
  llvm::ArrayRef<double> weights, output;

  WinogradMatrices getMatrices() const;
};

/// Of all tiles there are, the smallest first.
llvm::ArrayRef<IntegerWinograd> getIntegerWinograd();

/// `tile` is 2 or 4.
const IntegerWinograd &getIntegerWinograd(int64_t tile);

/// The matrix A of windows of 3, the transpose of `output`, by rows.
llvm::SmallVector<double> getTransposedOutput(int64_t tile);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_WINOGRAD_H
