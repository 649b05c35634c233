//===- PadConvolutions.cpp - Copies what convolutions pad -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PadConvolutions.h"
#include "ChannelOrders.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
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
static constexpr int64_t maxGrowth = 9;

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
  SmallVector<int64_t> channelsLast = getChannelsLast(rank);
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

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// With fewer channels of a group, its lines would be short, and lanes are
/// channels of several groups.
static constexpr int64_t minGroupChannels = 16;

/// `[1, ..., rank - 2, 0, rank - 1]`.
static SmallVector<int64_t> getGroupsPermutation(int64_t rank) {
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(1, rank - 1));
  permutation.append({0, rank - 1});
  return permutation;
}

static bool movesGroups(PermuteOp permute, ConvOp conv) {
  RankedTensorType type = permute.getType();
  ArrayRef<int64_t> shape = type.getShape();
  return type.getRank() == conv.getType().getRank() + 1 && shape.back() > 1 &&
         shape.drop_back(2) == conv.getX().getType().getShape().drop_back() &&
         shape.drop_back().back() == int64_t(conv.getGroups()) &&
         permute.getPermutation() ==
             ArrayRef(getGroupsPermutation(type.getRank()));
}

SmallVector<Operation *, 2> hamkaas::findMovedGroups(ConvOp conv) {
  auto merged = conv.getX().getDefiningOp<ReshapeOp>();
  auto permute = merged ? merged.getX().getDefiningOp<PermuteOp>() : nullptr;
  if (!permute || !merged->hasOneUse() || !permute->hasOneUse() ||
      !movesGroups(permute, conv))
    return {};
  return {permute, merged};
}

bool hamkaas::copiesGroups(ConvOp conv) {
  ArrayRef<int64_t> weights = conv.getW().getType().getShape();
  auto groups = static_cast<int64_t>(conv.getGroups());
  return groups != 1 && conv.getType().getElementType().isF32() &&
         std::min(weights.drop_back().back(), weights.back() / groups) >=
             minGroupChannels;
}

/// The order `g, n, ..., c` of the dimensions of `x`, images whose channels are
/// split into groups: `n, g, c, ...` where channels come first, or else `n,
/// ..., g, c`.
static SmallVector<int64_t> getGroupsFirst(int64_t rank, bool channelsFirst) {
  SmallVector<int64_t> order{channelsFirst ? 1 : rank - 2, 0};
  llvm::append_range(order, channelsFirst ? llvm::seq<int64_t>(3, rank)
                                          : llvm::seq<int64_t>(1, rank - 2));
  order.push_back(channelsFirst ? 2 : rank - 1);
  return order;
}

Value hamkaas::padGroups(OpBuilder &builder, ConvOp conv,
                         ArrayRef<int64_t> more) {
  int64_t rank = conv.getType().getRank();
  auto groups = static_cast<int64_t>(conv.getGroups());
  Value x = conv.getX();
  auto permute = x.getDefiningOp<PermuteOp>();
  bool channelsFirst =
      permute && permute->hasOneUse() &&
      permute.getPermutation() == ArrayRef(getChannelsLast(rank));
  if (channelsFirst)
    x = permute.getX();
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> shape(type.getShape());
  auto channels = shape.begin() + (channelsFirst ? 1 : rank - 1);
  *channels /= groups;
  shape.insert(channels, groups);
  SmallVector<int64_t> low{0, 0}, high{0, 0};
  llvm::append_range(low, conv.getPadLow());
  for (auto [padding, elements] : llvm::zip_equal(conv.getPadHigh(), more))
    high.push_back(padding + elements);
  low.push_back(0);
  high.push_back(0);
  Location loc = conv.getLoc();
  x = ReshapeOp::create(builder, loc, type.clone(shape), x);
  return buildPadded(builder, loc, x, low, high, /*number=*/0,
                     getGroupsFirst(rank + 1, channelsFirst));
}

/// Lets `conv` read `x`, a copy with zeros for its padding.
static void readPadded(ConvOp conv, Value x) {
  ArrayRef<int64_t> low = conv.getPadLow(), high = conv.getPadHigh();
  if (conv.getType().getElementType().isF32() && low.front() + high.front() > 0)
    conv->setAttr(
        zeroRowsAttrName,
        DenseI64ArrayAttr::get(conv.getContext(), {low.front(), high.front()}));
  SmallVector<int64_t> none(low.size(), 0);
  conv.getXMutable().assign(x);
  conv.setPadLow(none);
  conv.setPadHigh(none);
}

/// Lets `conv` read a copy of its groups.
static void readGroups(ConvOp conv) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  SmallVector<int64_t> none(conv.getPadLow().size(), 0);
  Value groups = padGroups(builder, conv, none);
  auto moved = PermuteOp::create(
      builder, loc, groups, getGroupsPermutation(conv.getType().getRank() + 1));
  RankedTensorType type = moved.getType();
  SmallVector<int64_t> shape(type.getShape());
  shape.truncate(shape.size() - 2);
  shape.push_back(conv.getX().getType().getShape().back());
  Operation *permute = conv.getX().getDefiningOp();
  readPadded(conv, ReshapeOp::create(builder, loc, type.clone(shape), moved));
  if (isa_and_nonnull<PermuteOp>(permute) && permute->use_empty())
    permute->erase();
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
          !conv->hasAttr(planarAttrName) && isWorthPadding(conv))
        convolutions.push_back(conv);
    });
    for (ConvOp conv : convolutions) {
      if (permutes && copiesGroups(conv)) {
        readGroups(conv);
        continue;
      }
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
      readPadded(conv, x);
    }
    if (!permutes)
      return;
    SmallVector<GroupOp> groups;
    getOperation().walk([&](GroupOp group) { groups.push_back(group); });
    llvm::for_each(groups, permuteInCopy);
  }
};
} // namespace
