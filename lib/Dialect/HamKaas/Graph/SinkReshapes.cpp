//===- SinkReshapes.cpp - Reshapes behind roots of kernels ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/LayoutReshapes.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "SimplifyPatterns.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace hamkaas;

using Shape = ArrayRef<int64_t>;
using Dimensions = SmallVector<int64_t>;

static Shape getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The dimensions of `shape` that are not 1.
static Dimensions getPlaces(Shape shape) {
  return llvm::filter_to_vector(llvm::seq<int64_t>(0, shape.size()),
                                [&](int64_t dim) { return shape[dim] != 1; });
}

/// The shape of an operand of shape `operand`, each of whose dimensions is 1 or
/// that of `from`, where `from` has become `to`. Nothing if the operand is
/// repeated along a part of a dimension of `to`.
static std::optional<Dimensions> reshapeOperand(Shape operand, Shape from,
                                                Shape to) {
  Dimensions shape(to.size(), 1);
  Dimensions fromPlaces = getPlaces(from), toPlaces = getPlaces(to);
  size_t i = 0, j = 0;
  while (i < fromPlaces.size()) {
    // The dimensions up to where both shapes count as many elements.
    size_t firstTo = j;
    int64_t fromCount = from[fromPlaces[i]], toCount = to[toPlaces[j++]];
    int64_t count = operand[fromPlaces[i++]];
    while (fromCount != toCount) {
      if (fromCount > toCount) {
        toCount *= to[toPlaces[j++]];
        continue;
      }
      count *= operand[fromPlaces[i]];
      fromCount *= from[fromPlaces[i++]];
    }
    if (count != 1 && count != fromCount)
      return std::nullopt;
    for (int64_t place : ArrayRef(toPlaces).slice(firstTo, j - firstTo))
      shape[place] = count == 1 ? 1 : to[place];
  }
  return shape;
}

static Value createReshaped(OpBuilder &builder, Value value, Shape shape) {
  auto type = cast<RankedTensorType>(value.getType()).clone(shape);
  auto reshape = value.getDefiningOp<ReshapeOp>();
  if (reshape && reshape.getX().getType() == type)
    return reshape.getX();
  if (value.getType() == type)
    return value;
  if (DenseElementsAttr elements = getConstantElements(value))
    return ConstantOp::create(builder, value.getLoc(), elements.reshape(type));
  return ReshapeOp::create(builder, value.getLoc(), type, value);
}

/// Computes `op` in the shape of the operand of `reshape`, which it reads, and
/// reshapes the result. Null if another operand cannot have that shape.
static Value moveBehind(Operation *op, ReshapeOp reshape) {
  Shape from = reshape.getType().getShape(), to = getShape(reshape.getX());
  SmallVector<Dimensions> shapes;
  for (Value operand : op->getOperands()) {
    auto shape = reshapeOperand(getShape(operand), from, to);
    if (!shape)
      return nullptr;
    shapes.push_back(*shape);
  }
  OpBuilder builder(op);
  IRMapping mapping;
  for (auto [operand, shape] : llvm::zip_equal(op->getOperands(), shapes))
    mapping.map(operand, operand == reshape.getResult()
                             ? reshape.getX()
                             : createReshaped(builder, operand, shape));
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  Value result = builder.clone(*op, mapping)->getResult(0);
  result.setType(type.clone(to));
  op->getResult(0).replaceAllUsesWith(
      ReshapeOp::create(builder, reshape.getLoc(), type, result));
  op->erase();
  if (reshape.use_empty())
    reshape->erase();
  return result;
}

namespace {

/// Follows the results of contractions, of reductions and of operations on rows
/// through pointwise operations.
class Sinker {
public:
  void run(Block &block);

private:
  ReshapeOp findReshape(Operation *op) const;

  /// Values that the kernel of such an operation may compute, in its shape.
  DenseSet<Value> results;
};

} // namespace

/// Returns whether pointwise operations of its shape alone read `value`, or,
/// with `throughReshapes`, reshapes of it.
static bool isReadPointwise(Value value, bool throughReshapes = false) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    if (auto reshape = dyn_cast<ReshapeOp>(user))
      return throughReshapes && isReadPointwise(reshape);
    auto kernelOp = dyn_cast<KernelOpInterface>(user);
    return kernelOp && kernelOp.isPointwise() &&
           getShape(user->getResult(0)) == getShape(value);
  });
}

/// The reshape of a result that `op` reads, if pointwise operations alone read
/// the result; null if there is none.
ReshapeOp Sinker::findReshape(Operation *op) const {
  for (Value operand : op->getOperands()) {
    auto reshape = operand.getDefiningOp<ReshapeOp>();
    if (reshape && getShape(reshape) == getShape(op->getResult(0)) &&
        results.contains(reshape.getX()) &&
        isReadPointwise(reshape.getX(), /*throughReshapes=*/true))
      return reshape;
  }
  return nullptr;
}

void Sinker::run(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto kernelOp = dyn_cast<KernelOpInterface>(op);
    if (!kernelOp)
      continue;
    KernelFamily family = kernelOp.getKernelFamily();
    if (kernelOp.getColumnWeights() || family == KernelFamily::Row ||
        family == KernelFamily::Reduction) {
      results.insert(op.getResult(0));
      continue;
    }
    if (!kernelOp.isPointwise())
      continue;
    ReshapeOp reshape = findReshape(&op);
    if (Value moved = reshape ? moveBehind(&op, reshape) : Value())
      results.insert(moved);
    else if (!reshape && llvm::any_of(op.getOperands(), [&](Value operand) {
               return results.contains(operand) && isReadPointwise(operand) &&
                      getShape(operand) == getShape(op.getResult(0));
             }))
      results.insert(op.getResult(0));
  }
}

void hamkaas::moveReshapesBehindPointwise(Block &block) {
  Sinker().run(block);
  // Those that an operation read beside one that has moved.
  SmallVector<ReshapeOp> reshapes(block.getOps<ReshapeOp>());
  for (ReshapeOp reshape : llvm::reverse(reshapes))
    if (reshape.use_empty())
      reshape.erase();
}

//===----------------------------------------------------------------------===//
// Elements that move
//===----------------------------------------------------------------------===//

static bool isElementwise(Operation *op) {
  auto kernelOp = dyn_cast_or_null<KernelOpInterface>(op);
  return kernelOp && kernelOp.getKernelFamily() == KernelFamily::Elementwise;
}

/// Returns whether the kernel that computes `operand` of a pointwise operation
/// on `shape` can take that: a contraction's, or that of elements that nothing
/// else reads. A reshape would stand between.
static bool isOfTaker(Value operand, Shape shape) {
  bool isRead = operand.hasOneUse() && getShape(operand) == shape;
  while (auto reshape = operand.getDefiningOp<ReshapeOp>()) {
    operand = reshape.getX();
    isRead = false;
  }
  auto kernelOp = operand.getDefiningOp<KernelOpInterface>();
  return kernelOp && (isRead || !isElementwise(kernelOp));
}

/// Returns whether the kernel of a reduction, say, may compute `value` where it
/// reads it. That of a product may widen its operands.
static bool isReadByRoot(Value value) {
  Operation *op = value.getDefiningOp();
  auto getBits = [](Value value) {
    return cast<ShapedType>(value.getType()).getElementTypeBitWidth();
  };
  bool widens = op && op->getNumOperands() == 1 &&
                getBits(op->getOperand(0)) < getBits(value);
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto kernelOp = dyn_cast<KernelOpInterface>(user);
    return kernelOp && !isElementwise(user) &&
           (widens || kernelOp.readsInOrder());
  });
}

/// Returns whether the kernel of what `reshape` reshapes can take `user`.
static bool canTake(ReshapeOp reshape, Operation *user) {
  auto kernelOp = dyn_cast<KernelOpInterface>(user);
  return kernelOp && kernelOp.isPointwise() &&
         getShape(user->getResult(0)) == getShape(reshape) &&
         llvm::none_of(user->getOperands(),
                       [&](Value operand) {
                         return isOfTaker(operand, getShape(reshape));
                       }) &&
         !isReadByRoot(user->getResult(0));
}

void hamkaas::moveReshapesOfMovedElements(Block &block) {
  SmallVector<ReshapeOp> reshapes(block.getOps<ReshapeOp>());
  DenseSet<Operation *> parameterOps = findParameterOps(block);
  for (ReshapeOp reshape : reshapes) {
    Operation *source = reshape.getX().getDefiningOp();
    if (!isElementwise(source) || parameterOps.contains(source) ||
        cast<KernelOpInterface>(source).isPointwise() || !source->hasOneUse())
      continue;
    while (reshape && reshape->hasOneUse() &&
           canTake(reshape, *reshape->user_begin())) {
      Value moved = moveBehind(*reshape->user_begin(), reshape);
      reshape = moved ? cast<ReshapeOp>(*moved.user_begin()) : ReshapeOp();
    }
  }
}
