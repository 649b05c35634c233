//===- MatrixProduct.cpp - Products of tensor cores -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"

#include <cstring>

using namespace hamkaas::emulation;

static constexpr int rows = 16, columns = 8;
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

void hamkaas::emulation::addMatrixProduct(ProductKind kind,
                                          uint32_t *const (&lanes)[warpSize]) {
  int depths = 2 * lanesOfLine * getPacked(kind);
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      int lower = row / rowsBetween;
      int line = row % rowsBetween;
      uint32_t *sumRegister = lanes[line * lanesOfLine + column / 2] +
                              firstSumRegister + 2 * lower + column % 2;
      double sum = toFloat(*sumRegister);
      for (int depth = 0; depth < depths; ++depth)
        sum += double(getElement(kind, lanes, line, depth, lower, 2)) *
               double(getElement(kind, lanes, column, depth, 4, 1));
      auto rounded = static_cast<float>(sum);
      memcpy(sumRegister, &rounded, sizeof(rounded));
    }
}
