//===- NarrowFloats.cpp - Products of 16-bit floats -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/CodeGen/Kernel/DescribeTarget.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ElementwiseOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/IR/ViewOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace hamkaas {
#define GEN_PASS_DEF_CPUNARROWWEIGHTS
#define GEN_PASS_DEF_CPUWIDENPRODUCTS
#include "HamKaas/CodeGen/Kernel/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

static RankedTensorType getType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool isNarrow(Type element) {
  return element.isF16() || element.isBF16();
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

namespace {
struct CPUWidenProducts
    : hamkaas::impl::CPUWidenProductsBase<CPUWidenProducts> {
  void runOnOperation() override {
    SmallVector<Operation *> products;
    getOperation().walk([&](Operation *op) {
      if (isa<MatMulOp, ConvOp>(op) &&
          isNarrow(getType(op->getResult(0)).getElementType()))
        products.push_back(op);
    });
    DenseMap<Value, Value> casts;
    for (Operation *product : products)
      widen(product, casts);
  }

private:
  /// All that read a value share its cast, one of `casts`.
  static void widen(Operation *product, DenseMap<Value, Value> &casts) {
    OpBuilder builder(product->getContext());
    Type wide = builder.getF32Type();
    auto castTo = [&](Value value, Type element) {
      builder.setInsertionPointAfterValue(value);
      return CastOp::create(builder, product->getLoc(),
                            getType(value).clone(element), value);
    };
    for (OpOperand &operand : product->getOpOperands()) {
      Value &cast = casts[operand.get()];
      if (!cast)
        cast = castTo(operand.get(), wide);
      operand.set(cast);
    }
    Value result = product->getResult(0);
    Type narrow = getType(result).getElementType();
    result.setType(getType(result).clone(wide));
    Value rounded = castTo(result, narrow);
    result.replaceAllUsesExcept(rounded, rounded.getDefiningOp());
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {

/// Finds 16-bit floats that are widened to values, or that values are rounded
/// to.
class Narrower {
public:
  /// Values are rounded to bfloat16 if this is what the user asks for.
  explicit Narrower(bool rounds) : rounds(rounds) {}

  /// Null if there are none.
  Value narrow(Value value);

private:
  Value build(Value value);
  Value rebuild(Operation *op);
  static Value round(Value value);

  bool rounds;
  DenseMap<Value, Value> known;
};

} // namespace

/// `op`, which moves elements, on narrow operands; null if they are not of one
/// type.
Value Narrower::rebuild(Operation *op) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(narrow(operand));
  if (!llvm::all_of(operands, [&](Value operand) {
        return operand && getType(operand).getElementType() ==
                              getType(operands.front()).getElementType();
      }))
    return nullptr;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Operation *clone = builder.clone(*op);
  clone->setOperands(operands);
  clone->getResult(0).setType(
      getType(op->getResult(0))
          .clone(getType(operands.front()).getElementType()));
  return clone->getResult(0);
}

Value Narrower::round(Value value) {
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Type element = builder.getBF16Type();
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)))
    return CastOp::create(builder, value.getLoc(),
                          getType(value).clone(element), value);
  return ConstantOp::create(
      builder, value.getLoc(),
      cast<DenseElementsAttr>(cast<DenseFPElementsAttr>(elements).mapValues(
          element, [](APFloat number) {
            bool losesInfo;
            number.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven,
                           &losesInfo);
            return number.bitcastToAPInt();
          })));
}

Value Narrower::build(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto cast = dyn_cast_or_null<CastOp>(op);
      cast && isNarrow(getType(cast.getX()).getElementType()))
    return cast.getX();
  if (isa_and_nonnull<ConcatOp, PermuteOp, ReshapeOp, SliceOp, StridedSliceOp>(
          op))
    if (Value rebuilt = rebuild(op))
      return rebuilt;
  return rounds ? round(value) : Value();
}

Value Narrower::narrow(Value value) {
  auto [place, isNew] = known.insert({value, nullptr});
  if (!isNew)
    return place->second;
  Value found = build(value);
  return known[value] = found;
}

static void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

namespace {
struct CPUNarrowWeights
    : hamkaas::impl::CPUNarrowWeightsBase<CPUNarrowWeights> {
  void runOnOperation() override {
    FailureOr<TargetDescription> target = describeTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    Narrower narrower(target->precision == Precision::BF16);
    getOperation().walk([&](Block *block) {
      SmallVector<MatMulOp> products = findProducts(*block);
      for (MatMulOp product : products)
        widen(product, narrower.narrow(product.getRhs()));
      if (!products.empty())
        eraseUnused(*block);
    });
  }

private:
  /// Products of float32 whose right side depends only on parameters.
  static SmallVector<MatMulOp> findProducts(Block &block) {
    SmallVector<MatMulOp> products;
    DenseSet<Operation *> parameterOps = findParameterOps(block);
    for (auto product : block.getOps<MatMulOp>())
      if (product.getType().getElementType().isF32() &&
          parameterOps.contains(product.getRhs().getDefiningOp()) &&
          !parameterOps.contains(product))
        products.push_back(product);
    return products;
  }

  /// Each product has a cast of its own, which becomes a part of its kernel.
  static void widen(MatMulOp product, Value narrow) {
    if (!narrow)
      return;
    OpBuilder builder(product);
    product.getRhsMutable().assign(
        CastOp::create(builder, product.getRhs().getLoc(),
                       product.getRhs().getType(), narrow));
  }
};
} // namespace
