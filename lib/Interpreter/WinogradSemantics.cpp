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
/// l)`, where no element of the matrix is 0.
static double transform(ArrayRef<double> matrix, int64_t row, int64_t column,
                        int64_t size,
                        function_ref<double(int64_t k, int64_t l)> element) {
  double sum = 0;
  for (int64_t k = 0; k < size; ++k)
    for (int64_t l = 0; l < size; ++l) {
      double factor = matrix[row * size + k] * matrix[column * size + l];
      if (factor != 0)
        sum += factor * element(k, l);
    }
  return sum;
}

/// The tiles of images `x`, `tile` apart and of `columns` x `columns` elements,
/// transformed by `matrix`.
static void transformTiles(ArrayRef<double> matrix, int64_t columns,
                           int64_t tile, const ReferenceTensor &x,
                           ReferenceTensor &result) {
  const auto &from = getElements<float>(x);
  std::vector<float> &to = result.f32;
  int64_t i = 0;
  forEachIndex(result.shape(), [&](ArrayRef<int64_t> at) {
    to[i++] =
        transform(matrix, at[0], at[1], columns, [&](int64_t k, int64_t l) {
          return from[getOffset(
              x.shape(), {at[2], at[3] * tile + k, at[4] * tile + l, at[5]})];
        });
  });
}

namespace {

struct WinogradInputSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<WinogradInputSemantics,
                                                   WinogradInputOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    int64_t tile = cast<WinogradInputOp>(op).getTile();
    transformTiles(getWinogradMatrices(tile).input, /*columns=*/tile + 2, tile,
                   *operands[0], result);
    return success();
  }
};

struct WinogradOutputSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<WinogradOutputSemantics,
                                                   WinogradOutputOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    int64_t tile = cast<WinogradOutputOp>(op).getTile();
    const ReferenceTensor &x = *operands[0];
    const auto &from = getElements<float>(x);
    ArrayRef<double> matrix = getWinogradMatrices(tile).output;
    std::vector<float> &to = result.f32;
    int64_t i = 0;
    forEachIndex(result.shape(), [&](ArrayRef<int64_t> at) {
      to[i++] = transform(
          matrix, at[1] % tile, at[2] % tile, tile + 2,
          [&](int64_t a, int64_t b) {
            return from[getOffset(
                x.shape(), {a, b, at[0], at[1] / tile, at[2] / tile, at[3]})];
          });
    });
    return success();
  }
};

struct WinogradGradientSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<WinogradGradientSemantics,
                                                   WinogradGradientOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    int64_t tile = cast<WinogradGradientOp>(op).getTile();
    transformTiles(getTransposedOutput(tile), /*columns=*/tile, tile,
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
