//===- Winograd.cpp - hamkaas.winograd_input and _output --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

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

WinogradMatrices hamkaas::getWinogradMatrices(int64_t tile) {
  assert((tile == 2 || tile == 4) && "unsupported tile");
  if (tile == 2)
    return {input2, weights2, output2};
  return {input4, weights4, output4};
}

//===----------------------------------------------------------------------===//
// winograd_input
//===----------------------------------------------------------------------===//

LogicalResult WinogradInputOp::inferReturnTypes(MLIRContext *,
                                                std::optional<Location> loc,
                                                Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  auto x = cast<ShapedType>(adaptor.getX().getType());
  int64_t tile = adaptor.getTile();
  if (x.getRank() != 4) // C1.
    return emitOptionalError(loc, "expected x of rank 4, got ", x.getRank());
  if (tile != 2 && tile != 4) // C2.
    return emitOptionalError(loc, "expected tiles of 2 or 4, got ", tile);
  SmallVector<int64_t> shape{tile + 2, tile + 2, x.getDimSize(0)};
  for (int64_t dim : {1, 2}) {
    int64_t size = x.getDimSize(dim) - 2;
    if (size <= 0 || size % tile) // C3.
      return emitOptionalError(loc, "expected dimension ", dim,
                               " of x to be 2 more than a multiple of ", tile,
                               ", got ", x.getDimSize(dim));
    shape.push_back(size / tile);
  }
  shape.push_back(x.getDimSize(3));
  types.push_back(x.clone(shape));
  return success();
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
  if (x.getRank() != 6) // C1.
    return emitOptionalError(loc, "expected x of rank 6, got ", x.getRank());
  int64_t size = x.getDimSize(0);
  if ((size != 4 && size != 6) || x.getDimSize(1) != size) // C2.
    return emitOptionalError(
        loc,
        "expected the first two dimensions of x to be both 4 or both 6, "
        "got ",
        size, " and ", x.getDimSize(1));
  int64_t tile = size - 2;
  types.push_back(x.clone({x.getDimSize(2), tile * x.getDimSize(3),
                           tile * x.getDimSize(4), x.getDimSize(5)}));
  return success();
}

/// Of each tile first `tile` of its `tile + 2` rows, then as many columns.
int64_t WinogradOutputOp::getFlops() {
  int64_t tile = getTile(), size = tile + 2;
  int64_t tiles = getElementCount(getType()) / (tile * tile);
  return multiplyCounts(2 * size * (tile * size + tile * tile), tiles);
}
