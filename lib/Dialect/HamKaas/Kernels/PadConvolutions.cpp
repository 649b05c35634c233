//===- PadConvolutions.cpp - Copies what convolutions pad -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PadConvolutions.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "NarrowProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"

namespace hamkaas {
#define GEN_PASS_DEF_PADCONVOLUTIONS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// A constant of `type`. Those of arith are signless, as all integers are once
/// groups are lowered.
static Value makeConstant(OpBuilder &builder, Location loc, Type type,
                          int64_t number) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, number));
  unsigned width = integer.getWidth();
  Value constant = arith::ConstantOp::create(
      builder, loc,
      builder.getIntegerAttr(builder.getIntegerType(width),
                             APInt(width, number, /*isSigned=*/false,
                                   /*implicitTrunc=*/true)));
  if (integer.isSignless())
    return constant;
  return UnrealizedConversionCastOp::create(builder, loc, type, constant)
      .getResult(0);
}

/// The group that copies `x` into elements that are `number`: `low` and `high`
/// of them along each dimension.
static Value buildPadded(OpBuilder &builder, Location loc, Value x,
                         ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                         int64_t number, ArrayRef<int64_t> permutation = {}) {
  auto read = cast<RankedTensorType>(x.getType()), type = read;
  if (!permutation.empty())
    type = read.clone(applyPermutation(read.getShape(), permutation));
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> before, after;
  for (auto [size, l, h] : llvm::zip_equal(type.getShape(), low, high)) {
    shape.push_back(size + l + h);
    before.push_back(builder.getIndexAttr(l));
    after.push_back(builder.getIndexAttr(h));
  }
  RankedTensorType padded = type.clone(shape);
  auto group = GroupOp::create(
      builder, loc, padded, x,
      KernelFamilyAttr::get(builder.getContext(), KernelFamily::Movement),
      /*updated=*/nullptr);
  StringRef ops = permutation.empty() ? "pad" : "permute+pad";
  group->setAttr(HamKaasDialect::opsAttrName, builder.getStringAttr(ops));
  Block &body = group.getBody().emplaceBlock();
  OpBuilder inner = OpBuilder::atBlockBegin(&body);
  Value source = body.addArgument(read, loc);
  if (!permutation.empty())
    source = PermuteOp::create(inner, loc, source, permutation);
  Value padding = makeConstant(inner, loc, type.getElementType(), number);
  Value result =
      tensor::PadOp::create(inner, loc, padded, source, before, after, padding);
  YieldOp::create(inner, loc, result);
  return group.getResult(0);
}

/// A copy that is much larger than the data read does not pay off.
static constexpr int64_t maxGrowth = 8;

bool hamkaas::isWorthPadding(ConvOp conv) {
  ArrayRef<int64_t> shape = conv.getX().getType().getShape();
  int64_t padded = shape.front() * shape.back();
  for (size_t dim = 0; dim < conv.getPadLow().size(); ++dim)
    padded = multiplyCounts(padded, shape[dim + 1] + conv.getPadLow()[dim] +
                                        conv.getPadHigh()[dim]);
  return padded <= maxGrowth * std::max(getElementCount(conv.getX().getType()),
                                        getElementCount(conv.getType()));
}

Value hamkaas::padOperand(OpBuilder &builder, ConvOp conv, Value x,
                          ArrayRef<int64_t> more, int64_t number) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t channels = type.getShape().back();
  SmallVector<int64_t> merged(type.getShape().drop_back());
  merged.back() *= channels;
  SmallVector<int64_t> low{0}, high{0}, shape(type.getShape());
  llvm::append_range(low, conv.getPadLow());
  llvm::append_range(high, conv.getPadHigh());
  for (size_t dim = 1; dim < low.size(); ++dim) {
    high[dim] += more[dim - 1];
    shape[dim] += low[dim] + high[dim];
  }
  low.back() *= channels;
  high.back() *= channels;
  Location loc = conv.getLoc();
  Value rows = ReshapeOp::create(builder, loc, type.clone(merged), x);
  return ReshapeOp::create(builder, loc, type.clone(shape),
                           buildPadded(builder, loc, rows, low, high, number));
}

/// Lets the copy that is `group` permute what is permuted for it alone: images
/// whose channels come first.
static void permuteInCopy(GroupOp group) {
  tensor::PadOp pad;
  if (group.getFamily() == KernelFamily::Movement)
    if (auto yield = group.getBody().front().getTerminator();
        yield->getNumOperands() == 1)
      pad = yield->getOperand(0).getDefiningOp<tensor::PadOp>();
  auto rows =
      pad ? group.getInputs().front().getDefiningOp<ReshapeOp>() : ReshapeOp();
  auto permute = rows ? rows.getX().getDefiningOp<PermuteOp>() : PermuteOp();
  if (!permute || !rows->hasOneUse() || !permute->hasOneUse() ||
      !permute.getType().getElementType().isF32())
    return;
  int64_t rank = permute.getType().getRank();
  auto channelsLast = llvm::to_vector(llvm::seq<int64_t>(rank));
  std::rotate(channelsLast.begin() + 1, channelsLast.begin() + 2,
              channelsLast.end());
  SmallVector<int64_t> low(pad.getStaticLow()), high(pad.getStaticHigh());
  if (permute.getPermutation() != ArrayRef(channelsLast) ||
      int64_t(low.size()) != rank - 1)
    return;
  int64_t channels = permute.getType().getShape().back();
  for (SmallVector<int64_t> *margin : {&low, &high}) {
    margin->back() /= channels;
    margin->push_back(0);
  }
  OpBuilder builder(group);
  Value padded = buildPadded(builder, group.getLoc(), permute.getX(), low, high,
                             /*number=*/0, channelsLast);
  Value result = group.getResult(0);
  result.replaceAllUsesWith(
      ReshapeOp::create(builder, group.getLoc(),
                        cast<RankedTensorType>(result.getType()), padded));
  for (Operation *op :
       {group.getOperation(), rows.getOperation(), permute.getOperation()})
    op->erase();
}

namespace {
struct PadConvolutions : hamkaas::impl::PadConvolutionsBase<PadConvolutions> {
  using PadConvolutionsBase::PadConvolutionsBase;

  void runOnOperation() override {
    SmallVector<ConvOp> convolutions;
    getOperation().walk([&](ConvOp conv) {
      // A depthwise convolution reads each element for few products: it skips
      // positions outside instead.
      bool isBlocked =
          conv.getType().getElementType().isF32() || multipliesNarrow(conv);
      if (conv.isPadded() && isBlocked && !conv.isDepthwise() &&
          isWorthPadding(conv))
        convolutions.push_back(conv);
    });
    for (ConvOp conv : convolutions) {
      OpBuilder builder(conv);
      SmallVector<int64_t> none(conv.getPadLow().size(), 0);
      Value x = conv.getX();
      auto widened = x.getDefiningOp<CastOp>();
      bool isNarrow = multipliesNarrow(conv);
      if (isNarrow)
        x = widened.getX();
      x = padOperand(builder, conv, x, none);
      if (isNarrow) {
        auto type = cast<RankedTensorType>(x.getType());
        x = CastOp::create(builder, conv.getLoc(),
                           type.clone(builder.getI32Type()), x);
      }
      conv.getXMutable().assign(x);
      conv.setPadLow(none);
      conv.setPadHigh(none);
    }
    if (!permutes)
      return;
    SmallVector<GroupOp> groups;
    getOperation().walk([&](GroupOp group) { groups.push_back(group); });
    llvm::for_each(groups, permuteInCopy);
  }
};
} // namespace
