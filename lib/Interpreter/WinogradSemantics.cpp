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

/// The sum over k and l of `matrix[row, k] * matrix[column, l] * element(k,
/// l)`, where no element of the matrix is 0. Sums of integers of 16 and 32 bits
/// fit `T`.
template <typename T>
static T transform(ArrayRef<double> matrix, int64_t row, int64_t column,
                   int64_t size,
                   function_ref<T(int64_t k, int64_t l)> element) {
  T sum = 0;
  for (int64_t k = 0; k < size; ++k)
    for (int64_t l = 0; l < size; ++l) {
      T factor = T(matrix[row * size + k] * matrix[column * size + l]);
      if (factor != 0)
        sum += factor * element(k, l);
    }
  return sum;
}

/// Calls `write` with the transformed elements, in row-major order, of the
/// tiles of images `x`, `tile` apart and of `columns` x `columns` elements.
/// Groups are the third of 7 dimensions.
template <typename T, typename Element>
static void transformTiles(ArrayRef<double> matrix, int64_t columns,
                           int64_t tile, const ReferenceTensor &x,
                           ArrayRef<int64_t> shape,
                           function_ref<void(T)> write) {
  const auto &from = getElements<Element>(x);
  forEachIndex(shape, [&](ArrayRef<int64_t> at) {
    ArrayRef<int64_t> place = at.take_back(4);
    int64_t channel = place[3];
    if (at.size() == 7)
      channel += at[2] * shape.back();
    write(transform<T>(
        matrix, at[0], at[1], columns, [&](int64_t k, int64_t l) -> T {
          return from[getOffset(x.shape(), {place[0], place[1] * tile + k,
                                            place[2] * tile + l, channel})];
        }));
  });
}

static void transformFloats(ArrayRef<double> matrix, int64_t columns,
                            int64_t tile, const ReferenceTensor &x,
                            ReferenceTensor &result) {
  int64_t i = 0;
  transformTiles<double, float>(
      matrix, columns, tile, x, result.shape(),
      [&](double sum) { result.f32[i++] = static_cast<float>(sum); });
}

namespace {

struct WinogradInputSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<WinogradInputSemantics,
                                                   WinogradInputOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    int64_t tile = cast<WinogradInputOp>(op).getTile();
    if (result.type.getElementType().isF32()) {
      transformFloats(getWinogradMatrices(tile).input, /*columns=*/tile + 2,
                      tile, *operands[0], result);
      return success();
    }
    int64_t i = 0;
    transformTiles<int64_t, int64_t>(
        getIntegerWinograd(tile).matrices.input, /*columns=*/tile + 2, tile,
        *operands[0], result.shape(),
        [&](int64_t sum) { result.i64[i++] = static_cast<int16_t>(sum); });
    return success();
  }
};

struct WinogradOutputSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<WinogradOutputSemantics,
                                                   WinogradOutputOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    int64_t tile = cast<WinogradOutputOp>(op).getTile();
    if (result.type.getElementType().isF32()) {
      int64_t i = 0;
      transformProducts<double, float>(
          getWinogradMatrices(tile).output, tile, *operands[0], result.shape(),
          [&](double sum) { result.f32[i++] = static_cast<float>(sum); });
      return success();
    }
    const IntegerWinograd &method = getIntegerWinograd(tile);
    int64_t i = 0;
    transformProducts<int64_t, int64_t>(
        method.matrices.output, tile, *operands[0], result.shape(),
        [&](int64_t sum) {
          uint32_t multiple = static_cast<uint32_t>(sum) * method.inverse;
          result.i64[i++] = static_cast<int32_t>(multiple) >> method.shift;
        });
    return success();
  }

private:
  template <typename T, typename Element>
  static void transformProducts(ArrayRef<double> matrix, int64_t tile,
                                const ReferenceTensor &x,
                                ArrayRef<int64_t> shape,
                                function_ref<void(T)> write) {
    const auto &from = getElements<Element>(x);
    int64_t channels = x.shape().back();
    forEachIndex(shape, [&](ArrayRef<int64_t> at) {
      SmallVector<int64_t> place{0, 0};
      if (x.shape().size() == 7)
        place.push_back(at[3] / channels);
      place.append({at[0], at[1] / tile, at[2] / tile, at[3] % channels});
      write(transform<T>(matrix, at[1] % tile, at[2] % tile, tile + 2,
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
    transformFloats(getTransposedOutput(tile), /*columns=*/tile, tile,
                    *operands[0], result);
    return success();
  }
};

} // namespace

void hamkaas::attachWinogradSemantics(MLIRContext &context) {
  WinogradInputOp::attachInterface<WinogradInputSemantics>(context);
  WinogradOutputOp::attachInterface<WinogradOutputSemantics>(context);
  WinogradGradientOp::attachInterface<WinogradGradientSemantics>(context);
}
