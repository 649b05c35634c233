//===- Winograd.cpp - hamkaas.winograd_input and _output --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

// Each row of an input matrix is scaled to small integers, which are exact, and
// the row of the weights by the inverse.

static constexpr double input2[] = {1, 0,  -1, 0, //
                                    0, 1,  1,  0, //
                                    0, -1, 1,  0, //
                                    0, -1, 0,  1};
static constexpr double weights2[] = {1,      0,       0,      //
                                      1. / 2, 1. / 2,  1. / 2, //
                                      1. / 2, -1. / 2, 1. / 2, //
                                      0,      0,       1};
static constexpr double output2[] = {1, 1, 1,  0, //
                                     0, 1, -1, 1};

static constexpr double input4[] = {2, -3, -4, 3,  2,  0, //
                                    0, -2, 1,  5,  2,  0, //
                                    0, -2, 5,  -1, -2, 0, //
                                    0, 2,  1,  -2, -1, 0, //
                                    0, 1,  -2, -1, 2,  0, //
                                    0, 2,  -3, -4, 3,  2};
static constexpr double weights4[] = {1. / 2,   0,        0,       //
                                      1. / 6,   1. / 6,   1. / 6,  //
                                      1. / 6,   -1. / 6,  1. / 6,  //
                                      16. / 15, 8. / 15,  4. / 15, //
                                      1. / 30,  -1. / 15, 2. / 15, //
                                      0,        0,        1. / 2};
static constexpr double output4[] = {1, 1, 1,  1,      1,  0, //
                                     0, 1, -1, 1. / 2, -2, 0, //
                                     0, 1, 1,  1. / 4, 4,  0, //
                                     0, 1, -1, 1. / 8, -8, 1};

static constexpr double input6[] = {4, 0,  -21, 0,   21,  0,   -4, 0, //
                                    0, 4,  4,   -17, -17, 4,   4,  0, //
                                    0, -4, 4,   17,  -17, -4,  4,  0, //
                                    0, 4,  8,   -5,  -10, 1,   2,  0, //
                                    0, -4, 8,   5,   -10, -1,  2,  0, //
                                    0, 2,  1,   -10, -5,  8,   4,  0, //
                                    0, -2, 1,   10,  -5,  -8,  4,  0, //
                                    0, -4, 0,   21,  0,   -21, 0,  4};
static constexpr double weights6[] = {1. / 4,   0,         0,        //
                                      -1. / 18, -1. / 18,  -1. / 18, //
                                      -1. / 18, 1. / 18,   -1. / 18, //
                                      16. / 45, 8. / 45,   4. / 45,  //
                                      16. / 45, -8. / 45,  4. / 45,  //
                                      1. / 360, 1. / 180,  1. / 90,  //
                                      1. / 360, -1. / 180, 1. / 90,  //
                                      0,        0,         1. / 4};
static constexpr double output6[] = {1, 1, 1,  1,       1,        1,  1,   0, //
                                     0, 1, -1, 1. / 2,  -1. / 2,  2,  -2,  0, //
                                     0, 1, 1,  1. / 4,  1. / 4,   4,  4,   0, //
                                     0, 1, -1, 1. / 8,  -1. / 8,  8,  -8,  0, //
                                     0, 1, 1,  1. / 16, 1. / 16,  16, 16,  0, //
                                     0, 1, -1, 1. / 32, -1. / 32, 32, -32, 1};

// Errors are measured: the largest of a result, in parts of its largest value,
// with 256 channels of normal numbers.
static constexpr WinogradMatrices matrices[] = {
    {2, 7e-7, input2, weights2, output2},
    {4, 5e-6, input4, weights4, output4},
    {6, 3e-5, input6, weights6, output6}};

ArrayRef<WinogradMatrices> hamkaas::getWinogradMatrices() { return matrices; }

const WinogradMatrices &hamkaas::getWinogradMatrices(int64_t tile) {
  for (const WinogradMatrices &candidate : matrices)
    if (candidate.tile == tile)
      return candidate;
  llvm_unreachable("unsupported tile");
}

static constexpr double integerWeights2[] = {1, 0,  0, //
                                             1, 1,  1, //
                                             1, -1, 1, //
                                             0, 0,  1};
static constexpr double integerOutput2[] = {2, 1, 1,  0, //
                                            0, 1, -1, 2};

// Of these points, each has one other whose difference is even, modulo which
// there are three numbers. With 2 instead of 1/2, the factor would be 576, and
// only 26 bits of a result would be known.
static constexpr double integerWeights4[] = {1, 0,  0, //
                                             1, 1,  1, //
                                             1, -1, 1, //
                                             4, 2,  1, //
                                             1, -2, 4, //
                                             0, 0,  1};
static constexpr double integerOutput4[] = {15, 5, 5,  8, 1,  0, //
                                            0,  5, -5, 4, -2, 0, //
                                            0,  5, 5,  2, 4,  0, //
                                            0,  5, -5, 1, -8, 15};

/// 30^2 = 4 * 225.
static constexpr uint32_t inverseOf225 = 0x87654321;
static_assert(225 * inverseOf225 == 1);

static constexpr IntegerWinograd integerWinograd[] = {
    {{2, /*error=*/0, input2, integerWeights2, integerOutput2},
     /*inverse=*/1,
     /*shift=*/2},
    {{4, /*error=*/0, input4, integerWeights4, integerOutput4},
     inverseOf225,
     /*shift=*/2}};

ArrayRef<IntegerWinograd> hamkaas::getIntegerWinograd() {
  return integerWinograd;
}

const IntegerWinograd &hamkaas::getIntegerWinograd(int64_t tile) {
  for (const IntegerWinograd &candidate : integerWinograd)
    if (candidate.matrices.tile == tile)
      return candidate;
  llvm_unreachable("unsupported tile");
}

SmallVector<double> hamkaas::getTransposedOutput(int64_t tile) {
  ArrayRef<double> output = getWinogradMatrices(tile).output;
  SmallVector<double> matrix;
  for (int64_t row = 0; row < tile + 2; ++row)
    for (int64_t column = 0; column < tile; ++column)
      matrix.push_back(output[column * (tile + 2) + row]);
  return matrix;
}

//===----------------------------------------------------------------------===//
// winograd_input
//===----------------------------------------------------------------------===//

static bool isSupportedTile(int64_t tile, ShapedType type) {
  if (type.getElementType().isInteger())
    return llvm::any_of(integerWinograd, [&](const IntegerWinograd &candidate) {
      return candidate.matrices.tile == tile;
    });
  return llvm::any_of(matrices, [&](const WinogradMatrices &candidate) {
    return candidate.tile == tile;
  });
}

/// The type of the tiles of images `x`, `extent` less than whose heights and
/// widths are multiples of `tile`.
static LogicalResult inferTilesType(std::optional<Location> loc, ShapedType x,
                                    int64_t tile, int64_t extent,
                                    std::optional<int64_t> groups,
                                    SmallVectorImpl<Type> &types) {
  if (x.getRank() != 4) // C1.
    return emitOptionalError(loc, "expected x of rank 4, got ", x.getRank());
  if (!isSupportedTile(tile, x)) // C2.
    return emitOptionalError(loc, "expected tiles of ",
                             x.getElementType().isInteger() ? "2 or 4"
                                                            : "2, 4 or 6",
                             ", got ", tile);
  int64_t channels = x.getDimSize(3);
  if (groups && (*groups <= 0 || channels % *groups)) // C4.
    return emitOptionalError(loc, "expected groups to divide the ", channels,
                             " channels of x, got ", *groups);
  SmallVector<int64_t> shape{tile + 2, tile + 2};
  if (groups)
    shape.push_back(*groups);
  shape.push_back(x.getDimSize(0));
  for (int64_t dim : {1, 2}) {
    int64_t size = x.getDimSize(dim) - extent;
    if (size <= 0 || size % tile) // C3.
      return emitOptionalError(loc, "expected dimension ", dim, " of x to be ",
                               extent ? "2 more than a multiple of "
                                      : "a multiple of ",
                               tile, ", got ", x.getDimSize(dim));
    shape.push_back(size / tile);
  }
  shape.push_back(channels / groups.value_or(1));
  types.push_back(x.clone(shape));
  return success();
}

LogicalResult WinogradInputOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  return inferTilesType(loc, cast<ShapedType>(adaptor.getX().getType()),
                        adaptor.getTile(), /*extent=*/2, adaptor.getGroups(),
                        types);
}

/// Both matrices are applied to one dimension after the other.
int64_t WinogradInputOp::getFlops() {
  return multiplyCounts(4 * (getTile() + 2), getElementCount(getType()));
}

//===----------------------------------------------------------------------===//
// winograd_output
//===----------------------------------------------------------------------===//

LogicalResult WinogradOutputOp::inferReturnTypes(MLIRContext *,
                                                 std::optional<Location> loc,
                                                 Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  if (x.getRank() != 6 && x.getRank() != 7) // C1.
    return emitOptionalError(loc, "expected x of rank 6 or 7, got ",
                             x.getRank());
  int64_t size = x.getDimSize(0);
  if (!isSupportedTile(size - 2, x) || x.getDimSize(1) != size) // C2.
    return emitOptionalError(
        loc, "expected the first two dimensions of x to be ",
        x.getElementType().isInteger() ? "both 4 or both 6"
                                       : "both 4, both 6 or both 8",
        ", got ", size, " and ", x.getDimSize(1));
  int64_t tile = size - 2;
  ArrayRef<int64_t> shape = x.getShape();
  int64_t groups = shape.size() == 7 ? shape[2] : 1;
  ArrayRef<int64_t> images = shape.take_back(4);
  SmallVector<int64_t> whole{tile * images[1], tile * images[2]};
  ArrayRef<int64_t> part = adaptor.getSize().value_or(whole);
  if (part.size() != 2) // C3.
    return emitOptionalError(loc, "expected a size of 2 numbers, got ",
                             part.size());
  for (auto [dim, most] : llvm::enumerate(whole))
    if (part[dim] <= most - tile || part[dim] > most) // C3.
      return emitOptionalError(loc, "expected number ", dim,
                               " of the size to be ", most - tile + 1, " to ",
                               most, ", got ", part[dim]);
  types.push_back(x.clone(
      {images[0], part[0], part[1], multiplyCounts(groups, images[3])}));
  return success();
}

/// Of each tile first `tile` of its `tile + 2` rows, then as many columns.
int64_t WinogradOutputOp::getFlops() {
  int64_t tile = getTile(), size = tile + 2;
  int64_t tiles = getElementCount(getX().getType()) / (size * size);
  return multiplyCounts(2 * size * (tile * size + tile * tile), tiles);
}

//===----------------------------------------------------------------------===//
// winograd_gradient
//===----------------------------------------------------------------------===//

LogicalResult
WinogradGradientOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                                     Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  return inferTilesType(loc, cast<ShapedType>(adaptor.getX().getType()),
                        adaptor.getTile(), /*extent=*/0,
                        /*groups=*/std::nullopt, types);
}

/// Of each tile first the `tile + 2` rows, then as many columns.
int64_t WinogradGradientOp::getFlops() {
  int64_t tile = getTile(), size = tile + 2;
  int64_t tiles = getElementCount(getType()) / (size * size);
  return multiplyCounts(2 * tile * (tile * size + size * size), tiles);
}
