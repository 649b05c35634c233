//===- WindowOperand.cpp - Elements that windows cover ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowOperand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hamkaas;

AffineMap WindowOperand::getMap(unsigned loops) const {
  MLIRContext *context = channel.getContext();
  SmallVector<AffineExpr> exprs{getAffineDimExpr(0, context)};
  for (auto [dim, stride, dilation] : llvm::enumerate(strides, dilations))
    exprs.push_back(getAffineDimExpr(1 + dim, context) * stride +
                    getAffineDimExpr(firstTap + dim, context) * dilation);
  exprs.push_back(channel);
  return AffineMap::get(loops, 0, exprs, context);
}

/// `value` as memory holds it: sums may be of a wider type.
static TypedAttr toStored(TypedAttr value, Type stored) {
  auto number = dyn_cast<FloatAttr>(value);
  if (!number || number.getType() == stored)
    return value;
  bool isInexact;
  APFloat converted = number.getValue();
  converted.convert(cast<FloatType>(stored).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &isInexact);
  return FloatAttr::get(stored, converted);
}

Value WindowOperand::buildPadded(OpBuilder &builder, Location loc,
                                 TypedAttr outside) const {
  auto isZero = [](int64_t padding) { return padding == 0; };
  if (llvm::all_of(padLow, isZero) && llvm::all_of(padHigh, isZero))
    return tensor;
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> low(shape.size(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> high(low);
  for (auto [dim, before, after] : llvm::enumerate(padLow, padHigh)) {
    shape[1 + dim] += before + after;
    low[1 + dim] = builder.getIndexAttr(before);
    high[1 + dim] = builder.getIndexAttr(after);
  }
  Value padding = arith::ConstantOp::create(
      builder, loc, toStored(outside, type.getElementType()));
  return tensor::PadOp::create(builder, loc, type.clone(shape), tensor, low,
                               high, padding);
}
