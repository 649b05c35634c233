//===- Elementwise.cpp - Lowering of elementwise operations -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace hamkaas;

/// From the indices of the result to those of an operand of `type`, whose
/// dimensions of size 1 are repeated.
static AffineMap getBroadcastMap(OpBuilder &builder, RankedTensorType type,
                                 RankedTensorType resultType) {
  SmallVector<AffineExpr> results;
  for (int64_t i = 0; i < type.getRank(); ++i)
    results.push_back(type.getDimSize(i) == resultType.getDimSize(i)
                          ? builder.getAffineDimExpr(i)
                          : builder.getAffineConstantExpr(0));
  return AffineMap::get(resultType.getRank(), 0, results, builder.getContext());
}

static Value buildBroadcasting(OpBuilder &builder, Operation *op,
                               ValueRange operands, BodyBuilder body) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<AffineMap> maps;
  for (Value operand : operands)
    maps.push_back(getBroadcastMap(
        builder, cast<RankedTensorType>(operand.getType()), type));
  return buildParallel(builder, op->getLoc(), type, operands, maps, body);
}

namespace {

struct LowerAdd : LinalgLoweringOpInterface::ExternalModel<LowerAdd, AddOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    return buildBroadcasting(
        builder, op, operands,
        [](OpBuilder &b, Location loc, ValueRange x) -> Value {
          return arith::AddFOp::create(b, loc, x[0], x[1]);
        });
  }
};

struct LowerMul : LinalgLoweringOpInterface::ExternalModel<LowerMul, MulOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    return buildBroadcasting(
        builder, op, operands,
        [](OpBuilder &b, Location loc, ValueRange x) -> Value {
          return arith::MulFOp::create(b, loc, x[0], x[1]);
        });
  }
};

struct LowerRelu : LinalgLoweringOpInterface::ExternalModel<LowerRelu, ReluOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    return buildBroadcasting(
        builder, op, operands,
        [](OpBuilder &b, Location loc, ValueRange x) -> Value {
          // `x < 0 ? 0 : x` is one instruction where arith.maximumf is four.
          // NaN and -0.0 stay because they are not below 0.
          Value zero = buildFloat(b, loc, 0);
          Value negative = arith::CmpFOp::create(
              b, loc, arith::CmpFPredicate::OLT, x[0], zero);
          return arith::SelectOp::create(b, loc, negative, zero, x[0]);
        });
  }
};

struct LowerSilu : LinalgLoweringOpInterface::ExternalModel<LowerSilu, SiluOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    return buildBroadcasting(
        builder, op, operands,
        [](OpBuilder &b, Location loc, ValueRange x) -> Value {
          // With t = exp(-|x|) <= 1 nothing overflows: x / (1 + t) for x >= 0,
          // otherwise x * t / (1 + t). Below -128, t is 0 and so is the result;
          // the clamp keeps -inf * 0 from becoming NaN. NaN is not below -128.
          Value zero = buildFloat(b, loc, 0), one = buildFloat(b, loc, 1);
          Value limit = buildFloat(b, loc, -128);
          Value below = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                              x[0], limit);
          Value clamped = arith::SelectOp::create(b, loc, below, limit, x[0]);
          Value absolute = math::AbsFOp::create(b, loc, clamped);
          Value t = math::ExpOp::create(
              b, loc, arith::NegFOp::create(b, loc, absolute));
          Value negative = arith::CmpFOp::create(
              b, loc, arith::CmpFPredicate::OLT, clamped, zero);
          Value scale = arith::SelectOp::create(b, loc, negative, t, one);
          Value numerator = arith::MulFOp::create(b, loc, clamped, scale);
          Value denominator = arith::AddFOp::create(b, loc, one, t);
          return arith::DivFOp::create(b, loc, numerator, denominator);
        });
  }
};

struct LowerComplexMul
    : LinalgLoweringOpInterface::ExternalModel<LowerComplexMul, ComplexMulOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    int64_t last = type.getRank() - 1;
    // Each operand is read twice, at its real and at its imaginary part.
    SmallVector<Value> parts;
    SmallVector<AffineMap> maps;
    for (Value operand : operands) {
      AffineMap map = getBroadcastMap(
          builder, cast<RankedTensorType>(operand.getType()), type);
      for (int64_t part : {0, 1}) {
        SmallVector<AffineExpr> results(map.getResults());
        results[last] = builder.getAffineConstantExpr(part);
        parts.push_back(operand);
        maps.push_back(
            AffineMap::get(type.getRank(), 0, results, builder.getContext()));
      }
    }
    return buildParallel(
        builder, op->getLoc(), type, parts, maps,
        [&](OpBuilder &b, Location loc, ValueRange x) -> Value {
          auto multiply = [&](Value l, Value r) -> Value {
            return arith::MulFOp::create(b, loc, l, r);
          };
          Value real = arith::SubFOp::create(b, loc, multiply(x[0], x[2]),
                                             multiply(x[1], x[3]));
          Value imaginary = arith::AddFOp::create(b, loc, multiply(x[0], x[3]),
                                                  multiply(x[1], x[2]));
          Value part = linalg::IndexOp::create(b, loc, last);
          Value zero = arith::ConstantIndexOp::create(b, loc, 0);
          Value isReal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                               part, zero);
          return arith::SelectOp::create(b, loc, isReal, real, imaginary);
        });
  }
};

struct LowerPermute
    : LinalgLoweringOpInterface::ExternalModel<LowerPermute, PermuteOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    // Dimension i of the result is dimension permutation[i] of x.
    ArrayRef<int64_t> permutation = cast<PermuteOp>(op).getPermutation();
    AffineMap map = inversePermutation(
        AffineMap::getPermutationMap(permutation, builder.getContext()));
    return buildParallel(
        builder, op->getLoc(),
        cast<RankedTensorType>(op->getResult(0).getType()), operands, map,
        [](OpBuilder &, Location, ValueRange x) { return x[0]; });
  }
};

} // namespace

void hamkaas::registerElementwiseLowerings(MLIRContext *context) {
  AddOp::attachInterface<LowerAdd>(*context);
  ComplexMulOp::attachInterface<LowerComplexMul>(*context);
  MulOp::attachInterface<LowerMul>(*context);
  PermuteOp::attachInterface<LowerPermute>(*context);
  ReluOp::attachInterface<LowerRelu>(*context);
  SiluOp::attachInterface<LowerSilu>(*context);
}
