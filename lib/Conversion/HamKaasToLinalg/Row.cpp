//===- Row.cpp - Lowering of operations on rows -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/OperandFacts.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/FormatVariadic.h"
#include <limits>

using namespace mlir;
using namespace hamkaas;

namespace {

struct LowerRmsNorm
    : LinalgLoweringOpInterface::ExternalModel<LowerRmsNorm, RmsNormOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    Location loc = op->getLoc();
    MLIRContext *context = builder.getContext();
    int64_t rank = type.getRank();
    Value x = operands[0], w = operands[1];
    double epsilon = cast<RmsNormOp>(op).getEpsilon().convertToDouble();

    Value squares = buildRowReduction(
        builder, loc, x, buildFloat(builder, loc, 0),
        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
          Value square = arith::MulFOp::create(b, loc, v[0], v[0]);
          return arith::AddFOp::create(b, loc, v[1], square);
        });
    auto rowType = cast<RankedTensorType>(squares.getType());
    Value scale = buildParallel(
        builder, loc, rowType, squares,
        builder.getMultiDimIdentityMap(rank - 1),
        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          Value count = buildFloat(b, loc, type.getShape().back());
          Value mean = arith::DivFOp::create(b, loc, v[0], count);
          Value sum =
              arith::AddFOp::create(b, loc, mean, buildFloat(b, loc, epsilon));
          Value root = math::SqrtOp::create(b, loc, sum);
          return arith::DivFOp::create(b, loc, buildFloat(b, loc, 1), root);
        });
    AffineMap identity = builder.getMultiDimIdentityMap(rank);
    AffineMap rows = getRowMap(context, rank);
    AffineMap last =
        AffineMap::get(rank, 0, builder.getAffineDimExpr(rank - 1), context);
    return buildParallel(
        builder, loc, type, {x, scale, w}, {identity, rows, last},
        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
          Value normal = arith::MulFOp::create(b, loc, v[0], v[1]);
          return arith::MulFOp::create(b, loc, normal, v[2]);
        });
  }
};

/// The rows of `x` as numbers to compute with.
static Value buildDecoded(OpBuilder &builder, Location loc, Value x,
                          Type element) {
  auto type = cast<RankedTensorType>(x.getType());
  Type compute = getComputeType(element);
  if (type.getElementType() == compute)
    return x;
  return buildParallel(builder, loc, type.clone(compute), x,
                       builder.getMultiDimIdentityMap(type.getRank()),
                       [&](OpBuilder &b, Location loc, ValueRange v) {
                         return decode(b, loc, v[0], element);
                       });
}

struct LowerLayerNorm
    : LinalgLoweringOpInterface::ExternalModel<LowerLayerNorm, LayerNormOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto type = cast<LayerNormOp>(op).getType();
    Type element = type.getElementType(), compute = getComputeType(element);
    Location loc = op->getLoc();
    int64_t rank = type.getRank();
    AffineMap identity = builder.getMultiDimIdentityMap(rank);
    AffineMap rows = getRowMap(builder.getContext(), rank);
    Value x = buildDecoded(builder, loc, operands[0], element);
    Value zero = buildNumber(builder, loc, compute, 0);

    Value sum = buildRowReduction(
        builder, loc, x, zero,
        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
          return arith::AddFOp::create(b, loc, v[1], v[0]);
        });
    Value mean = buildMean(builder, loc, sum, type.getShape().back());
    // The differences are computed again by each pass over the row.
    Value centered = buildParallel(
        builder, loc, type.clone(compute), {x, mean}, {identity, rows},
        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
          return arith::SubFOp::create(b, loc, v[0], v[1]);
        });
    Value squares = buildRowReduction(
        builder, loc, centered, zero,
        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
          Value square = arith::MulFOp::create(b, loc, v[0], v[0]);
          return arith::AddFOp::create(b, loc, v[1], square);
        });
    Value variance = buildMean(builder, loc, squares, type.getShape().back());
    Value scale = buildParallel(
        builder, loc, cast<RankedTensorType>(variance.getType()), variance,
        builder.getMultiDimIdentityMap(rank - 1),
        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          double epsilon = cast<LayerNormOp>(op).getEpsilon().convertToDouble();
          Value sum = arith::AddFOp::create(
              b, loc, v[0], buildNumber(b, loc, compute, epsilon));
          Value root = math::SqrtOp::create(b, loc, sum);
          return arith::DivFOp::create(b, loc, buildNumber(b, loc, compute, 1),
                                       root);
        });
    return buildParallel(
        builder, loc, getStorageType(type), {centered, scale}, {identity, rows},
        [&](OpBuilder &b, Location loc, ValueRange v) {
          return encode(b, loc, arith::MulFOp::create(b, loc, v[0], v[1]),
                        element);
        });
  }

private:
  static Value buildMean(OpBuilder &builder, Location loc, Value sum,
                         int64_t count) {
    auto type = cast<RankedTensorType>(sum.getType());
    return buildParallel(
        builder, loc, type, sum, builder.getMultiDimIdentityMap(type.getRank()),
        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          return arith::DivFOp::create(
              b, loc, v[0], buildNumber(b, loc, type.getElementType(), count));
        });
  }
};

struct LowerLogSumExp
    : LinalgLoweringOpInterface::ExternalModel<LowerLogSumExp, LogSumExpOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    auto result = cast<LogSumExpOp>(op).getType();
    Type element = result.getElementType(), compute = getComputeType(element);
    Location loc = op->getLoc();
    int64_t rank = result.getRank() + 1;
    AffineMap identity = builder.getMultiDimIdentityMap(rank);
    AffineMap rows = getRowMap(builder.getContext(), rank);
    AffineMap row = builder.getMultiDimIdentityMap(rank - 1);
    Value x = buildDecoded(builder, loc, operands[0], element);
    RankedTensorType rowType = result.clone(compute);

    Value shift =
        buildParallel(builder, loc, rowType,
                      buildLargest(builder, loc, x, compute), row, chooseShift);
    Value exponentials =
        buildParallel(builder, loc, cast<RankedTensorType>(x.getType()),
                      {x, shift}, {identity, rows},
                      [](OpBuilder &b, Location loc, ValueRange v) -> Value {
                        Value difference =
                            arith::SubFOp::create(b, loc, v[0], v[1]);
                        return math::ExpOp::create(b, loc, difference);
                      });
    Value sum = buildRowReduction(
        builder, loc, exponentials, buildNumber(builder, loc, compute, 0),
        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
          return arith::AddFOp::create(b, loc, v[1], v[0]);
        });
    return buildParallel(
        builder, loc, getStorageType(result), {sum, shift}, {row, row},
        [&](OpBuilder &b, Location loc, ValueRange v) {
          Value log = math::LogOp::create(b, loc, v[0]);
          return encode(b, loc, arith::AddFOp::create(b, loc, log, v[1]),
                        element);
        });
  }

private:
  /// maxnumf, which is cheaper than maximumf: NaN anywhere makes the sum of the
  /// exponentials NaN.
  static Value buildLargest(OpBuilder &builder, Location loc, Value x,
                            Type compute) {
    Value least = buildNumber(builder, loc, compute,
                              -std::numeric_limits<double>::infinity());
    return buildRowReduction(
        builder, loc, x, least,
        [](OpBuilder &b, Location loc, ValueRange v) -> Value {
          return arith::MaxNumFOp::create(b, loc, v[0], v[1]);
        });
  }

  /// The largest entry of a row if it is finite: the difference of infinities
  /// is NaN.
  static Value chooseShift(OpBuilder &b, Location loc, ValueRange v) {
    Type type = v[0].getType();
    double infinity = std::numeric_limits<double>::infinity();
    auto isOrdered = [&](arith::CmpFPredicate predicate, double bound) {
      return arith::CmpFOp::create(b, loc, predicate, v[0],
                                   buildNumber(b, loc, type, bound));
    };
    Value finite = arith::AndIOp::create(
        b, loc, isOrdered(arith::CmpFPredicate::OLT, infinity),
        isOrdered(arith::CmpFPredicate::OGT, -infinity));
    return arith::SelectOp::create(b, loc, finite, v[0],
                                   buildNumber(b, loc, type, 0));
  }
};

/// Builds the parts of a softmax over the first `prefix` entries of each row.
class SoftmaxBuilder {
public:
  /// `prefix` is an index, or null for the whole row.
  SoftmaxBuilder(OpBuilder &builder, Location loc, Value x, Value prefix)
      : builder(builder), loc(loc), x(x), prefix(prefix),
        type(cast<RankedTensorType>(x.getType())),
        identity(builder.getMultiDimIdentityMap(type.getRank())),
        rows(getRowMap(builder.getContext(), type.getRank())) {}

  Value build() {
    Value infinity =
        buildFloat(builder, loc, -std::numeric_limits<float>::infinity());
    Value zero = buildFloat(builder, loc, 0);
    Value largest = buildRowReduction(
        builder, loc, x, infinity,
        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          // maxnumf, which is cheaper than maximumf: NaN anywhere makes the sum
          // of the exponentials NaN, and with it the row.
          return arith::MaxNumFOp::create(
              b, loc, selectPrefix(b, v[0], infinity), v[1]);
        });
    // Entries beyond the prefix are carried along as they are.
    Value exponentials =
        buildParallel(builder, loc, type, {x, largest}, {identity, rows},
                      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                        Value difference =
                            arith::SubFOp::create(b, loc, v[0], v[1]);
                        auto e = math::ExpOp::create(b, loc, difference);
                        e->setAttr(nonPositiveAttrName, b.getUnitAttr());
                        return selectPrefix(b, e, v[0]);
                      });
    Value sum = buildRowReduction(
        builder, loc, exponentials, zero,
        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          return arith::AddFOp::create(b, loc, v[1],
                                       selectPrefix(b, v[0], zero));
        });
    // One division a row instead of one an entry, each of which takes as long
    // as its exponential. The sum is at least 1, or that of no entry, where the
    // reciprocal is not used.
    auto rowType = cast<RankedTensorType>(sum.getType());
    Value scale = buildParallel(
        builder, loc, rowType, sum,
        builder.getMultiDimIdentityMap(rowType.getRank()),
        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          return arith::DivFOp::create(b, loc, buildFloat(b, loc, 1), v[0]);
        });
    return buildParallel(
        builder, loc, type, {exponentials, scale}, {identity, rows},
        [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
          Value quotient = arith::MulFOp::create(b, loc, v[0], v[1]);
          return selectPrefix(b, quotient, v[0]);
        });
  }

private:
  /// `inside` in the first `prefix` entries of a row, otherwise `outside`.
  Value selectPrefix(OpBuilder &b, Value inside, Value outside) {
    if (!prefix)
      return inside;
    Value index = linalg::IndexOp::create(b, loc, type.getRank() - 1);
    Value below =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, prefix);
    return arith::SelectOp::create(b, loc, below, inside, outside);
  }

  OpBuilder &builder;
  Location loc;
  Value x, prefix;
  RankedTensorType type;
  AffineMap identity, rows;
};

struct LowerSlicedSoftmax
    : LinalgLoweringOpInterface::ExternalModel<LowerSlicedSoftmax,
                                               SlicedSoftmaxOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    Value prefix = buildPrefix(cast<SlicedSoftmaxOp>(op), builder, operands);
    return SoftmaxBuilder(builder, op->getLoc(), operands[0], prefix).build();
  }

private:
  /// The prefix as an index, checked; null if it is the whole row.
  static Value buildPrefix(SlicedSoftmaxOp op, OpBuilder &builder,
                           ValueRange operands) {
    Location loc = op.getLoc();
    int64_t size = op.getType().getShape().back();
    if (std::optional<int64_t> prefix = op.getStaticPrefix())
      return *prefix == size
                 ? Value()
                 : arith::ConstantIndexOp::create(builder, loc, *prefix);
    Value prefix = buildPosition(builder, loc, operands[1]);
    if (!op.getUnchecked()) {
      // One unsigned comparison also finds negative values.
      Value valid =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ule, prefix,
                                buildInt64(builder, loc, size));
      CheckOp::create(
          builder, loc, valid,
          llvm::formatv("expected a prefix from 0 to {0}, got {{0}", size)
              .str(),
          prefix);
    }
    return arith::IndexCastOp::create(builder, loc, builder.getIndexType(),
                                      prefix);
  }
};

} // namespace

void hamkaas::registerRowLowerings(MLIRContext *context) {
  LayerNormOp::attachInterface<LowerLayerNorm>(*context);
  LogSumExpOp::attachInterface<LowerLogSumExp>(*context);
  RmsNormOp::attachInterface<LowerRmsNorm>(*context);
  SlicedSoftmaxOp::attachInterface<LowerSlicedSoftmax>(*context);
}
