//===- MatrixProduct.cpp - Products of tensor cores -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"

#include <cmath>
#include <cstring>

using namespace hamkaas::emulation;

static constexpr int rows = 16, columns = 8, maxDepth = 16;
/// Lanes that hold a row of the left factor and of the sums, or a column of the
/// right factor; and how far the registers of a lane are apart in the others.
static constexpr int lanesOfLine = 4;
static constexpr int rowsBetween = 8;

static float toFloat(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof(value));
  return value;
}

/// Neighbours along the depth that are in a register.
static int getPacked(ProductKind kind) { return kind == ProductBF16 ? 2 : 1; }

/// Number `i` of a register.
static float unpack(ProductKind kind, uint32_t bits, int i) {
  if (kind == ProductBF16)
    return toFloat(i == 0 ? bits << 16 : bits & 0xffff0000);
  return toFloat(bits & 0xffffe000);
}

/// Element `depth` of a row of the left factor (one of eight) or of a column of
/// the right one, whose registers are `stride` apart along the depth.
static float getElement(ProductKind kind, uint32_t *const (&lanes)[warpSize],
                        int line, int depth, int first, int stride) {
  int packed = getPacked(kind);
  int place = depth / packed;
  const uint32_t *registers = lanes[line * lanesOfLine + place % lanesOfLine];
  return unpack(kind, registers[first + place / lanesOfLine * stride],
                depth % packed);
}

/// The sum of what a float32 has and two bits more of the largest number, both
/// of it and of all others cut off: what measurements show of tensor cores
/// (Fasi et al., Numerical behavior of NVIDIA tensor cores, 2021).
static float addCut(const double *numbers, int count) {
  constexpr int digits = 24, extraDigits = 2;
  double largest = 0, sum = 0;
  for (int i = 0; i < count; ++i) {
    largest = std::fmax(largest, std::fabs(numbers[i]));
    sum += numbers[i];
  }
  // NaN, infinities, zeros.
  if (!std::isfinite(sum) || largest == 0)
    return static_cast<float>(sum);
  double unit = std::ldexp(1, std::ilogb(largest) + 1 - digits - extraDigits);
  sum = 0;
  for (int i = 0; i < count; ++i)
    sum += std::trunc(numbers[i] / unit) * unit;
  if (sum == 0)
    return 0;
  unit = std::ldexp(1, std::ilogb(sum) + 1 - digits);
  return static_cast<float>(std::trunc(sum / unit) * unit);
}

void hamkaas::emulation::addMatrixProduct(ProductKind kind, ProductSums sums,
                                          uint32_t *const (&lanes)[warpSize]) {
  int depths = 2 * lanesOfLine * getPacked(kind);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      int lower = row / rowsBetween;
      int line = row % rowsBetween;
      uint32_t *sumRegister = lanes[line * lanesOfLine + column / 2] +
                              firstSumRegister + 2 * lower + column % 2;
      double numbers[1 + maxDepth] = {toFloat(*sumRegister)}, sum = numbers[0];
      for (int depth = 0; depth < depths; ++depth)
        sum += numbers[1 + depth] =
            double(getElement(kind, lanes, line, depth, lower, 2)) *
            double(getElement(kind, lanes, column, depth, 4, 1));
      float rounded = sums == ProductSums::Cut ? addCut(numbers, 1 + depths)
                                               : static_cast<float>(sum);
      memcpy(sumRegister, &rounded, sizeof(rounded));
    }
}
