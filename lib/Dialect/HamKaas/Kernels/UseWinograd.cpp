//===- UseWinograd.cpp - Convolutions with fewer products -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Winograd.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "PadConvolutions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace hamkaas {
#define GEN_PASS_DEF_USEWINOGRAD
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// With fewer channels, the transforms cost more than Winograd saves.
static constexpr int64_t minChannels = 32;
/// With fewer tiles, each weight is used too rarely, because there are more
/// weights.
static constexpr int64_t minTiles = 32;

static bool isAll(ArrayRef<int64_t> values, int64_t expected) {
  return llvm::all_of(values, [&](int64_t value) { return value == expected; });
}

/// Returns whether the transformed images are tensors, too: they are up to 4
/// times as large.
static bool fits(RankedTensorType type, int64_t channels, int64_t tile) {
  int64_t size = tile + 2;
  ArrayRef<int64_t> shape = type.getShape();
  return isSupportedShape(type.clone(
      {size * size, shape[0], shape[1] / tile, shape[2] / tile, channels}));
}

/// Positions of a tile along each dimension, 0 if the convolution stays as it
/// is. Larger tiles need fewer products.
static int64_t chooseTile(ConvOp conv, double maxError) {
  ArrayRef<int64_t> weights = conv.getW().getType().getShape();
  ArrayRef<int64_t> result = conv.getType().getShape();
  if (result.size() != 4 || !conv.getType().getElementType().isF32() ||
      !isAll(weights.take_front(2), 3) || !isAll(conv.getStrides(), 1) ||
      !isAll(conv.getDilations(), 1) || conv.getGroups() != 1 ||
      std::min(weights[2], weights[3]) < minChannels)
    return 0;
  for (const WinogradMatrices &matrices :
       llvm::reverse(getWinogradMatrices())) {
    int64_t tile = matrices.tile;
    if (matrices.error <= maxError && result[1] % tile == 0 &&
        result[2] % tile == 0 &&
        result[0] * result[1] * result[2] >= minTiles * tile * tile &&
        fits(conv.getType(), std::max(weights[2], weights[3]), tile))
      return tile;
  }
  return 0;
}

/// `G w G^T` per pair of channels, as one matmul with the products of elements
/// of two rows of G.
static Value transformWeights(OpBuilder &builder, ConvOp conv, int64_t tile) {
  ArrayRef<double> g = getWinogradMatrices(tile).weights;
  int64_t size = tile + 2;
  SmallVector<float> products;
  for (int64_t row = 0; row < size * size; ++row)
    for (int64_t column = 0; column < 9; ++column)
      products.push_back(static_cast<float>(g[row / size * 3 + column / 3] *
                                            g[row % size * 3 + column % 3]));
  Location loc = conv.getLoc();
  RankedTensorType type = conv.getW().getType();
  int64_t from = type.getDimSize(2), to = type.getDimSize(3);
  RankedTensorType matrixType = type.clone({size * size, 9});
  Value matrix = ConstantOp::create(
      builder, loc, DenseElementsAttr::get(matrixType, ArrayRef(products)));
  Value w =
      ReshapeOp::create(builder, loc, type.clone({9, from * to}), conv.getW());
  Value product = MatMulOp::create(builder, loc, matrix, w);
  return ReshapeOp::create(builder, loc, type.clone({size * size, from, to}),
                           product);
}

static void replaceByWinograd(ConvOp conv, int64_t tile) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  Value x = conv.isPadded() ? padOperand(builder, conv) : conv.getX();
  auto input = WinogradInputOp::create(builder, loc, x, tile);
  auto type = cast<RankedTensorType>(input.getType());
  int64_t channels = type.getShape().back();
  int64_t matrices = (tile + 2) * (tile + 2);
  int64_t tiles = getElementCount(type) / channels / matrices;
  Value left = ReshapeOp::create(
      builder, loc, type.clone({matrices, tiles, channels}), input);
  Value product = MatMulOp::create(builder, loc, left,
                                   transformWeights(builder, conv, tile));
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = conv.getType().getShape().back();
  Value products = ReshapeOp::create(builder, loc, type.clone(shape), product);
  Value result = WinogradOutputOp::create(builder, loc, products);
  conv.replaceAllUsesWith(result);
  conv.erase();
}

namespace {
struct UseWinograd : hamkaas::impl::UseWinogradBase<UseWinograd> {
  using UseWinogradBase::UseWinogradBase;

  void runOnOperation() override {
    SmallVector<ConvOp> convolutions;
    getOperation().walk([&](Block *block) {
      DenseSet<Operation *> parameterOps = findParameterOps(*block);
      for (auto conv : block->getOps<ConvOp>())
        if (parameterOps.contains(conv.getW().getDefiningOp()) &&
            !parameterOps.contains(conv) && chooseTile(conv, maxError))
          convolutions.push_back(conv);
    });
    for (ConvOp conv : convolutions)
      replaceByWinograd(conv, chooseTile(conv, maxError));
  }
};
} // namespace
