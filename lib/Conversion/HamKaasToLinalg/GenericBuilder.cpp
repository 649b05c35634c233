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

Value hamkaas::buildInt64(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

AffineMap hamkaas::getRowMap(MLIRContext *context, int64_t rank) {
  return AffineMap::getMultiDimIdentityMap(rank, context).dropResult(rank - 1);
}
