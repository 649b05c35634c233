//===- NarrowProducts.cpp - Products of 16-bit integers ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NarrowProducts.h"
#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace hamkaas {
#define GEN_PASS_DEF_NARROWPRODUCTS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

static Type getElementType(Value value) {
  return cast<RankedTensorType>(value.getType()).getElementType();
}

/// A convolution with one channel a group has nothing to block.
static bool isOneChannel(ConvOp conv) {
  ArrayRef<int64_t> weights = conv.getW().getType().getShape();
  return conv.getGroups() > 1 && weights[weights.size() - 2] == 1;
}

bool hamkaas::movesElements(Operation *op) {
  return isa<PermuteOp, ReshapeOp, StridedSliceOp, SliceOp>(op);
}

Value hamkaas::moveAlike(Operation *op, Value operand) {
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *moved = builder.clone(*op);
  moved->setOperand(0, operand);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  moved->getResult(0).setType(type.clone(getElementType(operand)));
  return moved->getResult(0);
}

/// The type that `operand` has been cast to 32-bit integers from; null if it is
/// no such cast.
static Type getWidenedType(Value operand) {
  auto cast = operand.getDefiningOp<CastOp>();
  if (!cast || !getElementType(operand).isSignlessInteger(32))
    return nullptr;
  return getElementType(cast.getX());
}

bool hamkaas::multipliesNarrow(Operation *product) {
  return llvm::all_of(product->getOperands().take_front(2), [](Value operand) {
    Type type = getWidenedType(operand);
    return type && type.isSignlessInteger(16);
  });
}

bool hamkaas::multipliesBytes(Operation *product) {
  Type left = getWidenedType(product->getOperand(0));
  Type right = getWidenedType(product->getOperand(1));
  return left && right && left.isUnsignedInteger(8) &&
         right.isSignlessInteger(8);
}

bool hamkaas::isNarrowContraction(Operation *op) {
  auto conv = dyn_cast<ConvOp>(op);
  bool isBlocked = conv && !conv.isPadded() && !isOneChannel(conv);
  return (isa<MatMulOp>(op) || isBlocked) &&
         (multipliesNarrow(op) || multipliesBytes(op));
}

namespace {

/// Finds values of 16 bits that have the same numbers.
class Narrower {
public:
  /// Null if there is none.
  Value narrow(Value value);

private:
  Value build(Value value);
  Value rebuild(Operation *op);

  DenseMap<Value, Value> known;
};

} // namespace

static std::optional<Interval> getRange(IntegerType type) {
  unsigned width = type.getWidth();
  if (width == 1 || width > 16)
    return std::nullopt;
  if (type.isUnsigned())
    return Interval{0, (int64_t(1) << width) - 1};
  int64_t half = int64_t(1) << (width - 1);
  return Interval{-half, half - 1};
}

static Interval getRange(const DenseIntElementsAttr &elements) {
  Interval range{INT64_MAX, INT64_MIN};
  auto type = cast<IntegerType>(elements.getElementType());
  for (const APInt &element : elements) {
    int64_t number = type.isUnsigned() ? element.getLimitedValue(INT32_MAX)
                                       : element.getSExtValue();
    range = {std::min(range.least, number), std::max(range.most, number)};
  }
  return range;
}

static std::optional<Interval> findRange(Value value, int64_t depth);

/// The range of the result of `op` as far as its operands tell.
static std::optional<Interval> getComputedRange(Operation *op, int64_t depth) {
  DenseIntElementsAttr elements;
  if (matchPattern(op, m_Constant(&elements)))
    return elements.empty() ? std::nullopt : std::optional(getRange(elements));
  if (depth == 0)
    return std::nullopt;
  if (isa<CastOp, ReshapeOp, SliceOp, PermuteOp, BroadcastOp, StridedSliceOp>(
          op))
    return findRange(op->getOperand(0), depth - 1);
  if (!isa<SubOp, AddOp>(op))
    return std::nullopt;
  std::optional<Interval> left = findRange(op->getOperand(0), depth - 1);
  std::optional<Interval> right = findRange(op->getOperand(1), depth - 1);
  if (!left || !right || !left->fits() || !right->fits())
    return std::nullopt;
  if (isa<SubOp>(op))
    return Interval{left->least - right->most, left->most - right->least};
  return Interval{left->least + right->least, left->most + right->most};
}

/// Looks at operations up to `depth` apart: a sum of a sum of ... with itself
/// has exponentially many paths.
static std::optional<Interval> findRange(Value value, int64_t depth) {
  auto type = dyn_cast<IntegerType>(getElementType(value));
  if (!type || type.isInteger(1))
    return std::nullopt;
  std::optional<Interval> limits = getRange(type);
  Operation *op = value.getDefiningOp();
  std::optional<Interval> range =
      op ? getComputedRange(op, depth) : std::nullopt;
  // Numbers wrap that the type does not have.
  bool wraps = range && (limits ? range->least < limits->least ||
                                      range->most > limits->most
                                : type.isUnsigned() && range->least < 0);
  return range && !wraps ? range : limits;
}

std::optional<Interval> hamkaas::getRange(Value value) {
  return findRange(value, /*depth=*/12);
}

/// `op` on narrowed operands; null if one has no such value.
Value Narrower::rebuild(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(narrow(operand));
  if (llvm::is_contained(operands, Value()))
    return nullptr;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  clone->getResult(0).setType(type.clone(builder.getI16Type()));
  return clone->getResult(0);
}

Value Narrower::build(Value value) {
  std::optional<Interval> range = getRange(value);
  if (!range || !range->fits())
    return nullptr;
  auto type = cast<RankedTensorType>(value.getType());
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  RankedTensorType narrow = type.clone(builder.getI16Type());
  if (type == narrow)
    return value;
  Operation *op = value.getDefiningOp();
  auto cast = dyn_cast_or_null<CastOp>(op);
  if (cast && cast.getX().getType() == narrow)
    return cast.getX();
  if (isa_and_nonnull<ReshapeOp, SliceOp, PermuteOp, BroadcastOp,
                      StridedSliceOp, SubOp, AddOp>(op))
    if (Value rebuilt = rebuild(op))
      return rebuilt;
  DenseIntElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return ConstantOp::create(
        builder, value.getLoc(),
        elements.mapValues(builder.getI16Type(), [](const APInt &element) {
          return element.zextOrTrunc(16);
        }));
  if (cast && isa<IntegerType>(getElementType(cast.getX())))
    value = cast.getX();
  return CastOp::create(builder, value.getLoc(), narrow, value);
}

Value Narrower::narrow(Value value) {
  auto [place, isNew] = known.insert({value, nullptr});
  if (!isNew)
    return place->second;
  Value found = build(value);
  return known[value] = found;
}

/// The largest absolute value that elements may have; none if nothing is known.
static std::optional<int64_t> getMost(Value value) {
  std::optional<Interval> range = getRange(value);
  if (!range || !range->fits())
    return std::nullopt;
  return std::max(std::abs(range->least), std::abs(range->most));
}

/// Computes with float32 if that has all sums: its windows run along the lanes
/// in the order of memory.
static void computeAsFloats(ConvOp conv) {
  constexpr int64_t mostExact = int64_t(1) << 24;
  std::optional<int64_t> left = getMost(conv.getX());
  std::optional<int64_t> right = getMost(conv.getW());
  ArrayRef<int64_t> window = conv.getW().getType().getShape().drop_back(2);
  if (!left || !right ||
      ShapedType::getNumElements(window) * *left * *right > mostExact)
    return;
  OpBuilder builder(conv);
  Location loc = conv.getLoc();
  auto castTo = [&](Value value, Type element) {
    auto type = cast<RankedTensorType>(value.getType());
    return CastOp::create(builder, loc, type.clone(element), value);
  };
  IRMapping floats;
  for (Value operand : {Value(conv.getX()), Value(conv.getW())})
    floats.map(operand, castTo(operand, builder.getF32Type()));
  Operation *sums = builder.clone(*conv, floats);
  sums->getResult(0).setType(conv.getType().clone(builder.getF32Type()));
  conv.getResult().replaceAllUsesWith(
      castTo(sums->getResult(0), builder.getI32Type()));
}

namespace {
struct NarrowProducts : hamkaas::impl::NarrowProductsBase<NarrowProducts> {
  void runOnOperation() override {
    SmallVector<Operation *> products;
    SmallVector<ConvOp> others;
    getOperation().walk([&](Operation *op) {
      if (!isa<MatMulOp, ConvOp>(op) ||
          !getElementType(op->getResult(0)).isSignlessInteger(32))
        return;
      auto conv = dyn_cast<ConvOp>(op);
      if (conv && isOneChannel(conv))
        others.push_back(conv);
      else
        products.push_back(op);
    });
    llvm::for_each(others, computeAsFloats);
    Narrower narrower;
    for (Operation *product : products) {
      Value left = narrower.narrow(product->getOperand(0));
      Value right = narrower.narrow(product->getOperand(1));
      if (!left || !right)
        continue;
      OpBuilder builder(product);
      Value operands[] = {left, right};
      for (auto [i, narrow] : llvm::enumerate(operands))
        product->setOperand(i, CastOp::create(builder, product->getLoc(),
                                              product->getOperand(i).getType(),
                                              narrow));
    }
    eraseUnused();
  }

private:
  /// Erases what the products read before, and what one side alone needed.
  void eraseUnused() {
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
  }
};
} // namespace
