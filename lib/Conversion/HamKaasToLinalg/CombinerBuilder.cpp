//===- CombinerBuilder.cpp - What reductions combine ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CombinerBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace hamkaas;

Type CombinerBuilder::getSumType() const {
  return getComputeType(type.isInteger(1) ? builder.getI8Type() : type);
}

static bool isUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

/// The least or the greatest value of `type`.
static TypedAttr getLimit(Builder &b, Type type, bool isUnsigned,
                          bool isLeast) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return b.getFloatAttr(
        type, APFloat::getInf(floatType.getFloatSemantics(), isLeast));
  unsigned width = type.getIntOrFloatBitWidth();
  if (isUnsigned)
    return b.getIntegerAttr(type, isLeast ? APInt::getZero(width)
                                          : APInt::getAllOnes(width));
  return b.getIntegerAttr(type, isLeast ? APInt::getSignedMinValue(width)
                                        : APInt::getSignedMaxValue(width));
}

static TypedAttr getNumber(Builder &b, Type type, int64_t value) {
  if (isa<FloatType>(type))
    return b.getFloatAttr(type, value);
  return b.getIntegerAttr(type, value);
}

TypedAttr CombinerBuilder::getNeutral() const {
  Type sum = getSumType();
  switch (combiner) {
  case Combiner::Sum:
    return getNumber(builder, sum, 0);
  case Combiner::Prod:
    return getNumber(builder, sum, 1);
  case Combiner::Max:
    return getLimit(builder, sum, isUnsigned(type), /*isLeast=*/true);
  case Combiner::Min:
    return getLimit(builder, sum, isUnsigned(type), /*isLeast=*/false);
  }
}

Value CombinerBuilder::buildContribution(OpBuilder &b, Value element) const {
  Value value = decode(b, loc, element, type);
  if (type.isInteger(1))
    return arith::ExtUIOp::create(b, loc, getSumType(), value);
  return value;
}

Value CombinerBuilder::buildProduct(OpBuilder &b, Value lhs, Value rhs) const {
  if (isa<FloatType>(getSumType()))
    return arith::MulFOp::create(b, loc, lhs, rhs);
  return arith::MulIOp::create(b, loc, lhs, rhs);
}

Value CombinerBuilder::combine(OpBuilder &b, Value l, Value r) const {
  bool isFloat = isa<FloatType>(getSumType());
  switch (combiner) {
  case Combiner::Sum:
    if (isFloat)
      return arith::AddFOp::create(b, loc, l, r);
    return arith::AddIOp::create(b, loc, l, r);
  case Combiner::Prod:
    if (isFloat)
      return arith::MulFOp::create(b, loc, l, r);
    return arith::MulIOp::create(b, loc, l, r);
  case Combiner::Max:
    if (isFloat)
      return arith::MaximumFOp::create(b, loc, l, r);
    if (isUnsigned(type))
      return arith::MaxUIOp::create(b, loc, l, r);
    return arith::MaxSIOp::create(b, loc, l, r);
  case Combiner::Min:
    if (isFloat)
      return arith::MinimumFOp::create(b, loc, l, r);
    if (isUnsigned(type))
      return arith::MinUIOp::create(b, loc, l, r);
    return arith::MinSIOp::create(b, loc, l, r);
  }
}

Value CombinerBuilder::build(ArrayRef<int64_t> shape, ValueRange operands,
                             ArrayRef<AffineMap> maps,
                             ArrayRef<utils::IteratorType> iterators,
                             BodyBuilder contribution) const {
  auto sumType = RankedTensorType::get(shape, getSumType());
  Value initial =
      buildFilled(builder, loc, sumType,
                  arith::ConstantOp::create(builder, loc, getNeutral()));
  Value sums =
      linalg::GenericOp::create(
          builder, loc, sumType, operands, initial, maps, iterators,
          [&](OpBuilder &b, Location loc, ValueRange x) {
            Value value = contribution(b, loc, x.drop_back());
            linalg::YieldOp::create(b, loc, combine(b, x.back(), value));
          })
          .getResult(0);
  Type stored = getStorageElementType(type);
  if (stored == getSumType())
    return sums;
  return buildParallel(builder, loc, RankedTensorType::get(shape, stored), sums,
                       builder.getMultiDimIdentityMap(shape.size()),
                       [&](OpBuilder &b, Location loc, ValueRange x) {
                         return encode(b, loc, x[0], type);
                       });
}
