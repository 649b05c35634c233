//===- PointwiseConvToMatMul.cpp - Of windows of one element ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChannelOrders.h"
#include "HamKaas/Dialect/HamKaas/Graph/LayoutReshapes.h"
#include "HamKaas/Dialect/HamKaas/Graph/PermutableOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/Knobs.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace hamkaas {
#define GEN_PASS_DEF_POINTWISECONVTOMATMUL
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

/// Returns whether each position of the result is a product of one position of
/// `x`.
static bool isProduct(ConvOp conv) {
  ArrayRef<int64_t> window = conv.getW().getType().getShape().drop_back(2);
  Type type = conv.getType().getElementType();
  return (type.isF32() || type.isSignlessInteger(32)) && !conv.isPadded() &&
         !conv.isDepthwise() &&
         llvm::all_of(window, [](int64_t size) { return size == 1; });
}

/// The positions of the images `x` that the windows of `conv` are at. Their
/// dimensions begin at `first`.
static Value takePositions(OpBuilder &builder, ConvOp conv, Value x,
                           int64_t first) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<int64_t> sizes(type.getShape());
  SmallVector<int64_t> offsets(sizes.size(), 0), strides(sizes.size(), 1);
  ArrayRef<int64_t> positions =
      conv.getType().getShape().drop_front().drop_back();
  for (auto [i, size] : llvm::enumerate(positions)) {
    sizes[first + i] = size;
    strides[first + i] = conv.getStrides()[i];
  }
  if (type.getShape() == ArrayRef(sizes))
    return x;
  return StridedSliceOp::create(builder, conv.getLoc(), type.clone(sizes), x,
                                offsets, sizes, strides);
}

/// The matrix that `value` is but for dimensions of one element, if a permute
/// transposes it; null otherwise.
static Value findTransposed(OpBuilder &builder, Location loc, Value value) {
  auto permute = value.getDefiningOp<PermuteOp>();
  if (!permute)
    return nullptr;
  RankedTensorType type = permute.getX().getType();
  SmallVector<int64_t> dims;
  for (int64_t dim : permute.getPermutation())
    if (type.getDimSize(dim) != 1)
      dims.push_back(dim);
  if (dims.size() != 2 || dims[0] < dims[1])
    return nullptr;
  SmallVector<int64_t> shape{type.getDimSize(dims[1]),
                             type.getDimSize(dims[0])};
  return ReshapeOp::create(builder, loc, type.clone(shape), permute.getX());
}

static Value transpose(OpBuilder &builder, Location loc, Value matrix) {
  return PermuteOp::create(builder, loc, matrix, ArrayRef<int64_t>{1, 0});
}

/// `value` as a matrix whose columns are its last dimension. One that is
/// transposed can be packed as it was before.
static Value asMatrix(OpBuilder &builder, Location loc, Value value) {
  if (Value transposed = findTransposed(builder, loc, value))
    return transpose(builder, loc, transposed);
  auto type = cast<RankedTensorType>(value.getType());
  int64_t columns = type.getShape().back();
  SmallVector<int64_t> shape{getElementCount(type) / columns, columns};
  return ReshapeOp::create(builder, loc, type.clone(shape), value);
}

namespace {
/// The operations around a convolution of images whose channels come first.
struct ChannelsFirst {
  /// `[0, 2, ..., 1]`, and its inverse.
  PermuteOp before, after;
  /// The pointwise operations between the convolution and `after`.
  SmallVector<Operation *> pointwise;
};
} // namespace

/// More operations than an activation has.
static constexpr size_t maxPointwise = 16;

/// `operand` of a pointwise operation with the dimensions of an image moved by
/// `permutation`, if that moves no element; null otherwise.
static Value moveChannels(OpBuilder &builder, Value operand,
                          ArrayRef<int64_t> permutation) {
  auto type = cast<RankedTensorType>(operand.getType());
  auto permute = operand.getDefiningOp<PermuteOp>();
  if (permute && invertPermutationVector(permute.getPermutation()) ==
                     SmallVector<int64_t>(permutation))
    return permute.getX();
  if (type.getRank() == 0)
    return operand;
  if (type.getRank() != int64_t(permutation.size()) ||
      !keepsOrder(type.getShape(), permutation))
    return nullptr;
  return ReshapeOp::create(
      builder, operand.getLoc(),
      type.clone(applyPermutation(type.getShape(), permutation)), operand);
}

/// Moves the pointwise operations behind `images`, which replace `result` of
/// the convolution and have the channels first. Null if one of them would need
/// a permute.
static Value movePointwise(OpBuilder &builder, ChannelsFirst around,
                           Value result, Value images) {
  ArrayRef<int64_t> permutation = around.after.getPermutation();
  DenseMap<Value, Value> moved{{result, images}};
  for (Operation *op : around.pointwise) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value found = moved.lookup(operand);
      operands.push_back(found ? found
                               : moveChannels(builder, operand, permutation));
      if (!operands.back())
        return nullptr;
    }
    moved[op->getResult(0)] =
        createPermuted(op, builder, permutation, operands);
  }
  return moved.lookup(around.after.getX());
}

/// Returns whether the positions of an image fill the vectors of columns that
/// they would be. Otherwise permutes cost less: 7 x 7 positions of 960 x 256
/// channels take 1.2 times as long as columns (AMD Zen 3).
static bool fillColumns(ConvOp conv) {
  constexpr int64_t lanes = 16;
  constexpr double leastUse = 0.85;
  int64_t positions = ShapedType::getNumElements(
      conv.getType().getShape().drop_front().drop_back());
  return double(positions) >=
         leastUse * double(llvm::alignTo(positions, lanes));
}

/// Returns whether the weights, repeated for each image as those of several
/// groups are, take no more memory than the images.
static bool canRepeatWeights(ConvOp conv) {
  int64_t images = conv.getType().getDimSize(0);
  auto count = [](Value value) {
    return cast<ShapedType>(value.getType()).getNumElements();
  };
  return images == 1 || conv.getGroups() == 1 ||
         images * count(conv.getW()) <= count(conv.getX());
}

/// Nothing if `conv` does not read, and its result does not become, images
/// whose channels come first: one of one group, or with `batches` any number of
/// any number.
static std::optional<ChannelsFirst> findChannelsFirst(ConvOp conv,
                                                      bool batches) {
  ChannelsFirst around;
  around.before = conv.getX().getDefiningOp<PermuteOp>();
  int64_t images = conv.getType().getDimSize(0), groups = conv.getGroups();
  // The positions of integers would be packed in each run.
  if (!conv.getType().getElementType().isF32() || !around.before ||
      !around.before->hasOneUse() || !isChannelsLast(around.before) ||
      (!batches && images * groups > 1) || !canRepeatWeights(conv) ||
      !fillColumns(conv))
    return std::nullopt;
  llvm::SetVector<Operation *> ops;
  ops.insert(conv);
  for (size_t i = 0; i < ops.size(); ++i)
    for (Operation *user : ops[i]->getUsers()) {
      if (auto permute = dyn_cast<PermuteOp>(user);
          permute && (!around.after || around.after == permute)) {
        around.after = permute;
        continue;
      }
      auto kernelOp = dyn_cast<KernelOpInterface>(user);
      // One that nothing reads may stand behind the permute.
      if (!kernelOp || !kernelOp.isPointwise() || ops.size() > maxPointwise ||
          user->getResult(0).use_empty() ||
          user->getBlock() != conv->getBlock() ||
          cast<ShapedType>(user->getResult(0).getType()).getShape() !=
              conv.getType().getShape())
        return std::nullopt;
      ops.insert(user);
    }
  if (!around.after || around.after->getBlock() != conv->getBlock() ||
      !isChannelsFirst(around.after))
    return std::nullopt;
  around.pointwise = llvm::to_vector(llvm::drop_begin(ops));
  llvm::sort(around.pointwise,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return around;
}

static MatMulOp createProduct(OpBuilder &builder, ConvOp conv, Value lhs,
                              Value rhs) {
  auto product = MatMulOp::create(builder, conv.getLoc(), lhs, rhs);
  setKnobs(product, dropKnob(getKnobs(conv), winogradKnob));
  return product;
}

/// The weights times each image as a matrix with the positions as columns, or
/// those of each group times its channels of the image.
static Value createTransposedProduct(OpBuilder &builder, ConvOp conv,
                                     Value images) {
  Location loc = conv.getLoc();
  images = takePositions(builder, conv, images, /*first=*/2);
  auto type = cast<RankedTensorType>(images.getType());
  int64_t groups = conv.getGroups();
  int64_t count = type.getDimSize(0), channels = type.getDimSize(1) / groups;
  int64_t positions =
      getElementCount(type) / type.getDimSize(0) / type.getDimSize(1);
  Value w = findTransposed(builder, loc, conv.getW());
  if (!w)
    w = transpose(builder, loc, asMatrix(builder, loc, conv.getW()));
  auto weights = cast<RankedTensorType>(w.getType());
  int64_t rows = weights.getDimSize(0) / groups;
  SmallVector<int64_t> shape{channels, positions};
  if (count * groups > 1)
    shape.insert(shape.begin(), count * groups);
  if (count > 1) {
    SmallVector<int64_t> one{1, groups * rows, channels};
    SmallVector<int64_t> all{count, groups * rows, channels};
    w = ReshapeOp::create(builder, loc, weights.clone(one), w);
    w = BroadcastOp::create(builder, loc, weights.clone(all), w);
  }
  if (groups > 1) {
    SmallVector<int64_t> each{count * groups, rows, channels};
    w = ReshapeOp::create(builder, loc, weights.clone(each), w);
  }
  Value x = ReshapeOp::create(builder, loc, type.clone(shape), images);
  return createProduct(builder, conv, w, x);
}

/// Images whose channels come first stay so: nothing is permuted but the
/// weights. False if a pointwise operation behind the convolution reads other
/// images whose channels come last.
static bool replaceByTransposedProduct(ConvOp conv, ChannelsFirst around) {
  OpBuilder builder(around.after);
  Operation *last = around.after->getPrevNode();
  Value product = createTransposedProduct(builder, conv, around.before.getX());
  RankedTensorType type = conv.getType();
  Value images =
      ReshapeOp::create(builder, conv.getLoc(),
                        type.clone(applyPermutation(
                            type.getShape(), around.after.getPermutation())),
                        product);
  Value moved = movePointwise(builder, around, conv, images);
  if (!moved) {
    while (around.after->getPrevNode() != last)
      around.after->getPrevNode()->erase();
    return false;
  }
  around.after.replaceAllUsesWith(moved);
  around.after->erase();
  for (Operation *op : llvm::reverse(around.pointwise)) {
    // The operation may read one twice.
    llvm::SetVector<Operation *> permutes;
    for (Value operand : op->getOperands())
      if (auto permute = operand.getDefiningOp<PermuteOp>())
        permutes.insert(permute);
    op->erase();
    // Others read their operands by now.
    for (Operation *permute : permutes)
      if (permute->use_empty())
        permute->erase();
  }
  conv.erase();
  around.before->erase();
  return true;
}

static void replaceByProduct(ConvOp conv, bool batches) {
  std::optional<ChannelsFirst> around = findChannelsFirst(conv, batches);
  if ((around && replaceByTransposedProduct(conv, *around)) ||
      conv.getGroups() > 1)
    return;
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  Value x = asMatrix(builder, loc,
                     takePositions(builder, conv, conv.getX(), /*first=*/1));
  Value w = asMatrix(builder, loc, conv.getW());
  MatMulOp product = createProduct(builder, conv, x, w);
  conv.replaceAllUsesWith(
      ReshapeOp::create(builder, loc, conv.getType(), product).getResult());
  conv.erase();
}

namespace {
struct PointwiseConvToMatMul
    : hamkaas::impl::PointwiseConvToMatMulBase<PointwiseConvToMatMul> {
  using PointwiseConvToMatMulBase::PointwiseConvToMatMulBase;

  void runOnOperation() override {
    llvm::SetVector<Block *> changed;
    SmallVector<ConvOp> convolutions;
    getOperation().walk([&](ConvOp conv) {
      if (isProduct(conv))
        convolutions.push_back(conv);
    });
    for (ConvOp conv : convolutions) {
      changed.insert(conv->getBlock());
      replaceByProduct(conv, batches);
    }
    for (Block *block : changed)
      moveReshapesBehindPointwise(*block);
  }
};
} // namespace
