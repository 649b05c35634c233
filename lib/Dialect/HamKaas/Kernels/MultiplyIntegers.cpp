//===- MultiplyIntegers.cpp - Products of dequantized integers --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ArithmeticOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "NarrowProducts.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

namespace hamkaas {
#define GEN_PASS_DEF_MULTIPLYINTEGERS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

namespace {

/// A float32 tensor that is `integers * scale`.
struct Dequantized {
  /// Of 16 bits, in the shape of the tensor.
  Value integers;
  /// In a shape that repeats it over the tensor; null for 1.
  Value scale;
  /// The largest absolute value of the integers.
  int64_t most;
};

/// Finds the integers that tensors are made of.
class Dequantizer {
public:
  std::optional<Dequantized> find(Value value);

private:
  std::optional<Dequantized> build(Value value);
  std::optional<Dequantized> findCast(CastOp cast);
  std::optional<Dequantized> findDifference(SubOp sub);
  std::optional<Dequantized> findScaled(MulOp mul);
  std::optional<Dequantized> findMoved(Operation *op);

  DenseMap<Value, std::optional<Dequantized>> known;
};

} // namespace

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Integers in floats
//===----------------------------------------------------------------------===//

/// The largest absolute value of a byte; none for another type.
static std::optional<int64_t> getMostByte(Type type) {
  if (!type.isInteger(8))
    return std::nullopt;
  return type.isUnsignedInteger() ? 255 : 128;
}

std::optional<Dequantized> Dequantizer::findCast(CastOp cast) {
  std::optional<int64_t> most =
      getMostByte(getTensorType(cast.getX()).getElementType());
  if (!most)
    return std::nullopt;
  OpBuilder builder(cast);
  return Dequantized{CastOp::create(builder, cast.getLoc(),
                                    cast.getType().clone(builder.getI16Type()),
                                    cast.getX()),
                     nullptr, *most};
}

/// The integers less a zero point. Floats that read them read the difference,
/// so that nothing else needs the bytes in memory.
std::optional<Dequantized> Dequantizer::findDifference(SubOp sub) {
  std::optional<Dequantized> x = find(sub.getLhs());
  if (!x || x->scale)
    return std::nullopt;
  OpBuilder builder(sub);
  Value zero;
  int64_t mostZero = 0;
  DenseFPElementsAttr constant;
  if (matchPattern(sub.getRhs(), m_Constant(&constant)) && constant.isSplat()) {
    double number = constant.getSplatValue<APFloat>().convertToDouble();
    mostZero = int64_t(std::abs(number));
    if (!(std::abs(number) <= 255) || double(int64_t(number)) != number)
      return std::nullopt;
    RankedTensorType type =
        getTensorType(sub.getRhs()).clone(builder.getI16Type());
    zero = ConstantOp::create(
        builder, sub.getLoc(),
        DenseElementsAttr::get(
            type, APInt(16, uint64_t(int64_t(number)), /*isSigned=*/true)));
  } else if (std::optional<Dequantized> y = find(sub.getRhs());
             y && !y->scale) {
    zero = y->integers;
    mostZero = y->most;
  } else {
    return std::nullopt;
  }
  // A byte less a byte is within these bounds.
  Value difference = SubOp::create(builder, sub.getLoc(), x->integers, zero);
  Value floats =
      CastOp::create(builder, sub.getLoc(), sub.getType(), difference);
  sub.replaceAllUsesWith(floats);
  Dequantized found{difference, nullptr, x->most + mostZero};
  known[floats] = found;
  return found;
}

std::optional<Dequantized> Dequantizer::findScaled(MulOp mul) {
  Value x = mul.getLhs(), scale = mul.getRhs();
  std::optional<Dequantized> found = find(x);
  if (!found) {
    std::swap(x, scale);
    found = find(x);
  }
  if (!found || getTensorType(x) != mul.getType())
    return std::nullopt;
  if (found->scale) {
    OpBuilder builder(mul);
    scale = MulOp::create(builder, mul.getLoc(), found->scale, scale);
  }
  found->scale = scale;
  return found;
}

static bool isOneNumber(Value value) {
  return getTensorType(value).getNumElements() == 1;
}

std::optional<Dequantized> Dequantizer::findMoved(Operation *op) {
  std::optional<Dequantized> found = find(op->getOperand(0));
  if (!found)
    return std::nullopt;
  if (found->scale && isa<PermuteOp>(op)) {
    OpBuilder builder(op);
    found->scale = PermuteOp::create(builder, op->getLoc(), found->scale,
                                     cast<PermuteOp>(op).getPermutation());
  } else if (found->scale) {
    // One number for all elements, wherever they are.
    if (!isOneNumber(found->scale))
      return std::nullopt;
    OpBuilder builder(op);
    RankedTensorType type = getTensorType(found->scale);
    SmallVector<int64_t> ones(getTensorType(op->getResult(0)).getRank(), 1);
    if (type.getShape() != ArrayRef(ones))
      found->scale = ReshapeOp::create(builder, op->getLoc(), type.clone(ones),
                                       found->scale);
  }
  found->integers = moveAlike(op, found->integers);
  return found;
}

std::optional<Dequantized> Dequantizer::build(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !getTensorType(value).getElementType().isF32())
    return std::nullopt;
  if (auto cast = dyn_cast<CastOp>(op))
    return findCast(cast);
  if (auto sub = dyn_cast<SubOp>(op))
    return findDifference(sub);
  if (auto mul = dyn_cast<MulOp>(op))
    return findScaled(mul);
  if (movesElements(op))
    return findMoved(op);
  return std::nullopt;
}

std::optional<Dequantized> Dequantizer::find(Value value) {
  if (auto place = known.find(value); place != known.end())
    return place->second;
  std::optional<Dequantized> found = build(value);
  known[value] = found;
  return found;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Returns whether the scale of the right side is one number a column.
static bool isOfColumns(Value scale) {
  return llvm::all_of(getTensorType(scale).getShape().drop_back(),
                      [](int64_t size) { return size == 1; });
}

/// The products of a sum.
static int64_t getDepth(Operation *product) {
  RankedTensorType right = getTensorType(product->getOperand(1));
  if (isa<MatMulOp>(product))
    return right.getDimSize(right.getRank() - 2);
  return getElementCount(right) / right.getShape().back();
}

/// The type that `product` sums up integers in; null if none has all sums, as
/// floats have. A convolution of each channel alone waits for memory: float32
/// is as fast as integers, and its windows run along the lanes.
static Type getSumType(Operation *product, const Dequantized &left,
                       const Dequantized &right) {
  auto conv = dyn_cast<ConvOp>(product);
  bool isAlone = conv && conv.getGroups() > 1 &&
                 conv.getW().getType().getShape().drop_back().back() == 1;
  int64_t most = isAlone ? int64_t(1) << 24 : INT32_MAX;
  if (getDepth(product) > most / (left.most * right.most))
    return nullptr;
  OpBuilder builder(product->getContext());
  return isAlone ? Type(builder.getF32Type()) : builder.getI32Type();
}

/// A scale in the shape of a result of rank `rank`: that of one column, or of
/// one number.
static Value alignScale(OpBuilder &builder, Location loc, Value scale,
                        int64_t rank) {
  RankedTensorType type = getTensorType(scale);
  SmallVector<int64_t> shape(rank, 1);
  shape.back() = type.getNumElements();
  if (type.getShape() == ArrayRef(shape))
    return scale;
  return ReshapeOp::create(builder, loc, type.clone(shape), scale);
}

static void replaceProduct(Operation *product, const Dequantized &left,
                           const Dequantized &right, Type sumType) {
  OpBuilder builder(product);
  Location loc = product->getLoc();
  RankedTensorType type = getTensorType(product->getResult(0));
  Operation *integers = builder.clone(*product);
  Value operands[] = {left.integers, right.integers};
  for (auto [i, operand] : llvm::enumerate(operands)) {
    RankedTensorType wide = getTensorType(operand).clone(sumType);
    integers->setOperand(i, CastOp::create(builder, loc, wide, operand));
  }
  builder.setInsertionPointAfter(product);
  integers->getResult(0).setType(type.clone(sumType));
  integers->moveBefore(product);
  Value result = integers->getResult(0);
  if (result.getType() != type)
    result = CastOp::create(builder, loc, type, result);
  SmallVector<Value> scales;
  for (Value scale : {left.scale, right.scale})
    if (scale)
      scales.push_back(alignScale(builder, loc, scale, type.getRank()));
  if (!scales.empty()) {
    Value scale = scales.front();
    if (scales.size() == 2)
      scale = MulOp::create(builder, loc, scales.back(), scale);
    result = MulOp::create(builder, loc, result, scale);
  }
  product->getResult(0).replaceAllUsesWith(result);
}

/// A quotient that is rounded to steps of a scale, as a product: a division
/// takes as long as the products of a short sum.
static void multiplyByReciprocal(RoundOp round) {
  auto quotient = round.getX().getDefiningOp<DivOp>();
  DenseFPElementsAttr scale;
  if (!quotient || !matchPattern(quotient.getRhs(), m_Constant(&scale)) ||
      !scale.isSplat() || !quotient.getType().getElementType().isF32())
    return;
  APFloat reciprocal(1.0f);
  reciprocal.divide(scale.getSplatValue<APFloat>(),
                    APFloat::rmNearestTiesToEven);
  if (!reciprocal.isFiniteNonZero() || reciprocal.isDenormal())
    return;
  OpBuilder builder(quotient);
  Value factor =
      ConstantOp::create(builder, quotient.getLoc(),
                         DenseElementsAttr::get(scale.getType(), reciprocal));
  round.getXMutable().assign(
      MulOp::create(builder, quotient.getLoc(), quotient.getLhs(), factor));
}

namespace {
struct MultiplyIntegers
    : hamkaas::impl::MultiplyIntegersBase<MultiplyIntegers> {
  void runOnOperation() override {
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isa<MatMulOp, ConvOp>(op) &&
          getTensorType(op->getResult(0)).getElementType().isF32())
        products.push_back(op);
    });
    bool isQuantized = false;
    for (Operation *product : products) {
      std::optional<Dequantized> left = find(product->getOperand(0));
      std::optional<Dequantized> right = find(product->getOperand(1));
      if (!left || !right || (left->scale && !isOneNumber(left->scale)) ||
          (right->scale && !isOfColumns(right->scale)))
        continue;
      Type sumType = getSumType(product, *left, *right);
      if (!sumType)
        continue;
      replaceProduct(product, *left, *right, sumType);
      isQuantized = true;
    }
    if (isQuantized)
      getOperation().walk([](RoundOp round) { multiplyByReciprocal(round); });
    eraseUnused();
  }

private:
  std::optional<Dequantized> find(Value value) {
    return dequantizer.find(value);
  }

  void eraseUnused() {
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isOpTriviallyDead(op))
            op->erase();
        });
  }

  Dequantizer dequantizer;
};
} // namespace
