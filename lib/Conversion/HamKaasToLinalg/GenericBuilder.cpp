//===- GenericBuilder.cpp - Short forms of linalg.generic -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hamkaas;
using utils::IteratorType;

static Value buildGeneric(OpBuilder &builder, Location loc, ValueRange operands,
                          Value destination, ArrayRef<AffineMap> maps,
                          ArrayRef<IteratorType> iterators, BodyBuilder body) {
  auto generic = linalg::GenericOp::create(
      builder, loc, destination.getType(), operands, destination, maps,
      iterators, [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(nested, loc, body(nested, loc, arguments));
      });
  return generic.getResult(0);
}

Value hamkaas::buildParallel(OpBuilder &builder, Location loc,
                             RankedTensorType type, ValueRange operands,
                             ArrayRef<AffineMap> maps, BodyBuilder body) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<IteratorType> iterators(type.getRank(), IteratorType::parallel);
  return buildGeneric(builder, loc, operands, empty, allMaps, iterators, body);
}

Type hamkaas::getComputeType(Type type) {
  MLIRContext *context = type.getContext();
  if (type.isF16() || type.isBF16())
    return Float32Type::get(context);
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(context, integer.getWidth());
  return type;
}

Value hamkaas::decode(OpBuilder &builder, Location loc, Value value,
                      Type type) {
  if (type.isInteger(1)) {
    Value zero = buildNumber(builder, loc, value.getType(), 0);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  if (type.isF16() || type.isBF16())
    return arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return value;
}

Value hamkaas::encode(OpBuilder &builder, Location loc, Value value,
                      Type type) {
  if (type.isInteger(1))
    return arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value);
  if (type.isF16() || type.isBF16())
    return arith::TruncFOp::create(builder, loc, type, value);
  return value;
}

Value hamkaas::buildPointwise(OpBuilder &builder, Operation *op,
                              ValueRange operands, ArrayRef<AffineMap> maps,
                              BodyBuilder body) {
  Type resultType = op->getResult(0).getType();
  return buildParallel(
      builder, op->getLoc(), getStorageType(resultType), operands, maps,
      [&](OpBuilder &b, Location loc, ValueRange x) {
        SmallVector<Value> values;
        for (auto [value, operand] : llvm::zip(x, op->getOperands()))
          values.push_back(
              decode(b, loc, value, getElementTypeOrSelf(operand.getType())));
        return encode(b, loc, body(b, loc, values),
                      getElementTypeOrSelf(resultType));
      });
}

AffineMap hamkaas::getBroadcastMap(RankedTensorType type,
                                   RankedTensorType resultType) {
  MLIRContext *context = type.getContext();
  SmallVector<AffineExpr> results;
  for (int64_t i = 0; i < type.getRank(); ++i)
    results.push_back(type.getDimSize(i) == resultType.getDimSize(i)
                          ? getAffineDimExpr(i, context)
                          : getAffineConstantExpr(0, context));
  return AffineMap::get(resultType.getRank(), 0, results, context);
}

Value hamkaas::buildRowReduction(OpBuilder &builder, Location loc,
                                 ValueRange operands, Value initial,
                                 BodyBuilder body) {
  auto type = cast<RankedTensorType>(operands[0].getType());
  int64_t rank = type.getRank();
  Value filled = buildFilled(
      builder, loc,
      RankedTensorType::get(type.getShape().drop_back(), type.getElementType()),
      initial);
  SmallVector<AffineMap> maps(operands.size(),
                              builder.getMultiDimIdentityMap(rank));
  maps.push_back(getRowMap(builder.getContext(), rank));
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  iterators.back() = IteratorType::reduction;
  return buildGeneric(builder, loc, operands, filled, maps, iterators, body);
}

Value hamkaas::buildFilled(OpBuilder &builder, Location loc,
                           RankedTensorType type, Value value) {
  Value empty = tensor::EmptyOp::create(builder, loc, type.getShape(),
                                        type.getElementType());
  return linalg::FillOp::create(builder, loc, value, empty).getResult(0);
}

Value hamkaas::buildPosition(OpBuilder &builder, Location loc, Value tensor) {
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return tensor::ExtractOp::create(builder, loc, tensor, zero);
}

Value hamkaas::buildFloat(OpBuilder &builder, Location loc, float value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

Value hamkaas::buildNumber(OpBuilder &builder, Location loc, Type type,
                           double value) {
  TypedAttr attribute;
  if (isa<FloatType>(type))
    attribute = builder.getFloatAttr(type, value);
  else
    attribute = builder.getIntegerAttr(type, static_cast<int64_t>(value));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value hamkaas::buildInt64(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

AffineMap hamkaas::getRowMap(MLIRContext *context, int64_t rank) {
  return AffineMap::getMultiDimIdentityMap(rank, context).dropResult(rank - 1);
}
