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
#include <cstdint>

namespace hamkaas {

/// Of F(t x t, 3 x 3), by rows: the transposed B of `t + 2` rows and columns, G
/// of `t + 2` rows and 3 columns, and the transposed A of `t` rows and `t + 2`
/// columns. As in hamkaas.winograd_input; `G` is for the weights, `G w G^T`.
struct WinogradMatrices {
  /// Positions of a tile along one dimension: `t`.
  int64_t tile;
  /// The largest error of a convolution to be expected in float32, in parts of
  /// its largest value.
  double error;
  llvm::ArrayRef<double> input, weights, output;
};

/// Of all tiles there are, the smallest first.
llvm::ArrayRef<WinogradMatrices> getWinogradMatrices();

/// `tile` is 2, 4 or 6.
const WinogradMatrices &getWinogradMatrices(int64_t tile);

/// The same of integers: rows of G and columns of the transposed A have factors
/// that make them integers, so that results are multiplied by `2^shift` and by
/// an odd number, whose inverse of 32 bits is `inverse`.
struct IntegerWinograd {
  WinogradMatrices matrices;
  uint32_t inverse;
  int64_t shift;
};

/// Of all tiles there are, the smallest first.
llvm::ArrayRef<IntegerWinograd> getIntegerWinograd();

/// `tile` is 2 or 4.
const IntegerWinograd &getIntegerWinograd(int64_t tile);

/// The matrix A, the transpose of `output`, by rows.
llvm::SmallVector<double> getTransposedOutput(int64_t tile);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_WINOGRAD_H
