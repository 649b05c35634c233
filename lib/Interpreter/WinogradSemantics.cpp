//===- WinogradSemantics.cpp - Meaning of Winograd's transforms -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "Semantics.h"

using namespace mlir;
using namespace hamkaas;

namespace {
/// A matrix by rows of as many columns.
struct Matrix {
  ArrayRef<double> elements;
  int64_t columns;

  double at(int64_t row, int64_t column) const {
    return elements[row * columns + column];
  }
};
/// Those for the first and for the second dimension of images.
using Matrices = std::array<Matrix, 2>;
} // namespace

/// The sum over k and l of `first[row, k] * second[column, l] * element(k, l)`,
/// where no element of the matrices is 0. Sums of integers of 16 and 32 bits
/// fit `T`.
template <typename T>
static T transform(const Matrices &matrices, int64_t row, int64_t column,
                   function_ref<T(int64_t k, int64_t l)> element) {
  T sum = 0;
  const auto &[first, second] = matrices;
  for (int64_t k = 0; k < first.columns; ++k)
    for (int64_t l = 0; l < second.columns; ++l) {
      T factor = T(first.at(row, k) * second.at(column, l));
      if (factor != 0)
        sum += factor * element(k, l);
    }
  return sum;
}

/// Calls `write` with the transformed elements, in row-major order, of the
/// tiles of images `x`, as far apart as `tiles` says. Groups are the third of 7
/// dimensions.
template <typename T, typename Element>
static void transformTiles(const Matrices &matrices,
                           std::array<int64_t, 2> tiles,
                           const ReferenceTensor &x, ArrayRef<int64_t> shape,
                           function_ref<void(T)> write) {
  const auto &from = getElements<Element>(x);
  forEachIndex(shape, [&](ArrayRef<int64_t> at) {
    ArrayRef<int64_t> place = at.take_back(4);
    int64_t channel = place[3];
    if (at.size() == 7)
      channel += at[2] * shape.back();
    write(transform<T>(matrices, at[0], at[1], [&](int64_t k, int64_t l) -> T {
      return from[getOffset(x.shape(), {place[0], place[1] * tiles[0] + k,
                                        place[2] * tiles[1] + l, channel})];
    }));
  });
}

static void transformFloats(const Matrices &matrices,
                            std::array<int64_t, 2> tiles,
                            const ReferenceTensor &x, ReferenceTensor &result) {
  int64_t i = 0;
  transformTiles<double, float>(
      matrices, tiles, x, result.shape(),
      [&](double sum) { result.f32[i++] = static_cast<float>(sum); });
}

namespace {

struct WinogradInputSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<WinogradInputSemantics,
                                                   WinogradInputOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    // Those of integers are the same.
    auto [rows, columns] = cast<WinogradInputOp>(op).getSides();
    WinogradMatrices first = getWinogradMatrices(rows),
                     second = getWinogradMatrices(columns);
    Matrices matrices{Matrix{first.input, rows.size()},
                      Matrix{second.input, columns.size()}};
    std::array<int64_t, 2> tiles{rows.tile, columns.tile};
    if (result.type.getElementType().isF32()) {
      transformFloats(matrices, tiles, *operands[0], result);
      return success();
    }
    int64_t i = 0;
    transformTiles<int64_t, int64_t>(
        matrices, tiles, *operands[0], result.shape(),
        [&](int64_t sum) { result.i64[i++] = static_cast<int16_t>(sum); });
    return success();
  }
};

struct WinogradOutputSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<WinogradOutputSemantics,
                                                   WinogradOutputOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto sides = cast<WinogradOutputOp>(op).getSides();
    if (result.type.getElementType().isF32()) {
      int64_t i = 0;
      transformProducts<double, float>(
          getWinogradMatrices(sides[0]).output,
          getWinogradMatrices(sides[1]).output, sides, *operands[0],
          result.shape(),
          [&](double sum) { result.f32[i++] = static_cast<float>(sum); });
      return success();
    }
    const IntegerWinograd &method = getIntegerWinograd(sides[0].tile);
    int64_t i = 0;
    transformProducts<int64_t, int64_t>(
        method.output, method.output, sides, *operands[0], result.shape(),
        [&](int64_t sum) {
          uint32_t multiple = static_cast<uint32_t>(sum) * method.inverse;
          result.i64[i++] = static_cast<int32_t>(multiple) >> method.shift;
        });
    return success();
  }

private:
  template <typename T, typename Element>
  static void
  transformProducts(ArrayRef<double> first, ArrayRef<double> second,
                    std::array<WinogradSide, 2> sides, const ReferenceTensor &x,
                    ArrayRef<int64_t> shape, function_ref<void(T)> write) {
    auto [rows, columns] = sides;
    Matrices matrices{Matrix{first, rows.size()},
                      Matrix{second, columns.size()}};
    const auto &from = getElements<Element>(x);
    int64_t channels = x.shape().back();
    forEachIndex(shape, [&](ArrayRef<int64_t> at) {
      SmallVector<int64_t> place{0, 0};
      if (x.shape().size() == 7)
        place.push_back(at[3] / channels);
      place.append(
          {at[0], at[1] / rows.tile, at[2] / columns.tile, at[3] % channels});
      write(transform<T>(matrices, at[1] % rows.tile, at[2] % columns.tile,
                         [&](int64_t a, int64_t b) -> T {
                           place[0] = a;
                           place[1] = b;
                           return from[getOffset(x.shape(), place)];
                         }));
    });
  }
};

struct WinogradGradientSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<WinogradGradientSemantics,
                                                   WinogradGradientOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    int64_t tile = cast<WinogradGradientOp>(op).getTile();
    SmallVector<double> elements = getTransposedOutput(tile);
    Matrix matrix{elements, /*columns=*/tile};
    transformFloats({matrix, matrix}, {tile, tile}, *operands[0], result);
    return success();
  }
};

} // namespace

void hamkaas::attachWinogradSemantics(MLIRContext &context) {
  WinogradInputOp::attachInterface<WinogradInputSemantics>(context);
  WinogradOutputOp::attachInterface<WinogradOutputSemantics>(context);
  WinogradGradientOp::attachInterface<WinogradGradientSemantics>(context);
}
