//===- WindowOperand.cpp - Elements that windows cover ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowOperand.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hamkaas;

bool WindowOperand::isPadded() const {
  return llvm::any_of(llvm::seq(spatialRank()),
                      [&](int64_t dim) { return isPadded(dim); });
}

AffineExpr WindowOperand::getPosition(int64_t dim) const {
  MLIRContext *context = channel.getContext();
  return getAffineDimExpr(1 + dim, context) * strides[dim] +
         getAffineDimExpr(firstTap + dim, context) * dilations[dim] -
         padLow[dim];
}

void WindowOperand::addTo(SmallVectorImpl<Value> &operands,
                          SmallVectorImpl<AffineMap> &maps,
                          unsigned loops) const {
  if (isPadded())
    return;
  SmallVector<AffineExpr> exprs{getAffineDimExpr(0, channel.getContext())};
  for (int64_t dim = 0; dim < spatialRank(); ++dim)
    exprs.push_back(getPosition(dim));
  exprs.push_back(channel);
  operands.push_back(tensor);
  maps.push_back(AffineMap::get(loops, 0, exprs, channel.getContext()));
}

/// Computes a sum of multiples of loops in the body of a linalg operation.
static Value buildIndex(OpBuilder &b, Location loc, AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return linalg::IndexOp::create(b, loc, dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return arith::ConstantIndexOp::create(b, loc, constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value l = buildIndex(b, loc, binary.getLHS());
  Value r = buildIndex(b, loc, binary.getRHS());
  if (binary.getKind() == AffineExprKind::Add)
    return arith::AddIOp::create(b, loc, l, r);
  return arith::MulIOp::create(b, loc, l, r);
}

Value WindowOperand::buildContribution(OpBuilder &b, Location loc,
                                       ValueRange arguments,
                                       const CombinerBuilder &combiner,
                                       TypedAttr outside) const {
  if (!isPadded())
    return combiner.buildContribution(b, arguments.front());
  auto type = cast<RankedTensorType>(tensor.getType());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value isInside;
  SmallVector<Value> indices{linalg::IndexOp::create(b, loc, 0)};
  for (int64_t dim = 0; dim < spatialRank(); ++dim) {
    Value at = buildIndex(b, loc, getPosition(dim));
    int64_t size = type.getDimSize(1 + dim);
    if (isPadded(dim)) {
      // One unsigned comparison also finds negative positions.
      Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, at,
                                         constant(size));
      isInside =
          isInside ? arith::AndIOp::create(b, loc, isInside, here) : here;
      at = arith::MaxSIOp::create(b, loc, at, constant(0));
      at = arith::MinSIOp::create(b, loc, at, constant(size - 1));
    }
    indices.push_back(at);
  }
  indices.push_back(buildIndex(b, loc, channel));
  Value element = tensor::ExtractOp::create(b, loc, tensor, indices);
  // NOTE: of contributions, because LLVM has no selection of 16-bit floats but
  // through conversions that some processors call a library for.
  return arith::SelectOp::create(b, loc, isInside,
                                 combiner.buildContribution(b, element),
                                 arith::ConstantOp::create(b, loc, outside));
}
