//===- PlanarConvolutions.cpp - To few channels -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelOrders.h"
#include "Group.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "PlanarWindows.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

namespace hamkaas {
#define GEN_PASS_DEF_PLANARCONVOLUTIONS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// The most that channels of the result may use of the lanes of a vector, as a
/// part of what positions use. Winograd's method is no faster even at 6 of 8
/// channels: 256 to 6 channels of 64 x 64 take 1.3 ms instead of 3.1 (AMD Zen
/// 3).
static constexpr double maxUse = 0.75;
/// Fewer vectors of sums at once would wait for each other.
static constexpr int64_t minSums = 6;
/// Sums of a row of the result, which a kernel keeps on the stack.
static constexpr int64_t maxKept = 16384;
/// Elements of a window that pay for a permute of the image.
static constexpr int64_t minTaps = 9;

static int64_t countTaps(ConvOp conv) {
  return ShapedType::getNumElements(
      conv.getW().getType().getShape().drop_back(2));
}

/// Returns whether positions of images as lanes save multiply-adds.
static bool savesProducts(ConvOp conv, int64_t lanes) {
  RankedTensorType type = conv.getType();
  if (type.getRank() != 4 || conv.getGroups() != 1 || conv.getStrides()[1] != 1)
    return false;
  int64_t width = type.getDimSize(2), channels = type.getDimSize(3);
  int64_t vectors = llvm::divideCeil(width, lanes);
  int64_t sums = channels * vectors * lanes;
  return static_cast<double>(sums) <=
             maxUse * static_cast<double>(width * lanes) &&
         channels * vectors >= minSums && sums <= maxKept;
}

/// The permute behind `conv` that can be the last operation of its kernel, with
/// the pointwise ones between them; null if there is none.
static Operation *findLast(ConvOp conv) {
  llvm::SetVector<Operation *> ops;
  ops.insert(conv);
  for (size_t i = 0; i < ops.size() && i < maxGroupMembers; ++i)
    for (Operation *user : ops[i]->getUsers()) {
      if (isChannelsFirst(user))
        return llvm::is_contained(findPlanarWindows(user, maxGroupMembers),
                                  conv)
                   ? user
                   : nullptr;
      ops.insert(user);
    }
  return nullptr;
}

/// `x` in the order of `permutation`, by one permute.
static Value permute(OpBuilder &builder, Location loc, Value x,
                     ArrayRef<int64_t> permutation) {
  auto before = x.getDefiningOp<PermuteOp>();
  if (!before)
    return PermuteOp::create(builder, loc, x, permutation);
  return PermuteOp::create(
      builder, loc, before.getX(),
      applyPermutation(before.getPermutation(), permutation));
}

/// Makes a kernel of `conv` and the permutes around it. Later, what reads the
/// result could take in one of these.
static void makePlanar(ConvOp conv, DenseSet<Operation *> &parameterOps) {
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  Operation *before = conv.getX().getDefiningOp();
  if (!isChannelsLast(before) || !before->hasOneUse()) {
    Value images =
        isChannelsLast(before)
            ? cast<PermuteOp>(before).getX()
            : PermuteOp::create(builder, loc, conv.getX(), getChannelsFirst(4))
                  .getResult();
    conv.getXMutable().assign(
        PermuteOp::create(builder, loc, images, getChannelsLast(4)));
  }
  Value w = conv.getW();
  Value weights = permute(builder, loc, w, {2, 0, 1, 3});
  conv.getWMutable().assign(
      PermuteOp::create(builder, loc, weights, ArrayRef(planarWeights)));
  if (auto unused = w.getDefiningOp<PermuteOp>(); unused && w.use_empty()) {
    parameterOps.erase(unused);
    unused.erase();
  }
  conv->setAttr(planarAttrName, builder.getUnitAttr());
  Operation *last = findLast(conv);
  if (!last) {
    builder.setInsertionPointAfter(conv);
    last = PermuteOp::create(builder, loc, conv, getChannelsFirst(4));
    Value result =
        PermuteOp::create(builder, loc, last->getResult(0), getChannelsLast(4));
    conv.getResult().replaceAllUsesExcept(result, last);
  }
  Group(getKernelOp(last), parameterOps, FormGroupsOptions()).create();
}

namespace {
struct PlanarConvolutions
    : hamkaas::impl::PlanarConvolutionsBase<PlanarConvolutions> {
  using PlanarConvolutionsBase::PlanarConvolutionsBase;

  void runOnOperation() override {
    if (lanes == 0)
      return;
    // Collected first: groups are blocks, too.
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (isa<func::FuncOp, ScanOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks) {
      DenseSet<Operation *> parameterOps = findParameterOps(*block);
      for (auto conv : llvm::to_vector(block->getOps<ConvOp>()))
        if (!parameterOps.contains(conv) && isWorthwhile(conv))
          makePlanar(conv, parameterOps);
    }
  }

private:
  bool isWorthwhile(ConvOp conv) const {
    int64_t least = isChannelsLast(conv.getX().getDefiningOp()) ? 2 : minTaps;
    return countTaps(conv) >= least && arePlanarWindows(conv) &&
           !getKnobs(conv) && savesProducts(conv, lanes);
  }
};
} // namespace
