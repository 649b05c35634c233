//===- CheckNan.cpp - Lowering of the check for NaN -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericBuilder.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramOps.h"
#include "IndexBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace hamkaas;

static Value isNumber(const IndexBuilder &b, Value element) {
  if (cast<FloatType>(element.getType()).getWidth() < 32)
    element = arith::ExtFOp::create(b.builder, b.loc, b.builder.getF32Type(),
                                    element);
  return arith::CmpFOp::create(b.builder, b.loc, arith::CmpFPredicate::ORD,
                               element, element);
}

/// Finds the first element that is no number. NOTE: the initial values of the
/// loops pass the check, as for buildIndexCheck.
static void buildCheck(const IndexBuilder &b, CheckNanOp op, Value x) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(x.getType()).getShape();
  SmallVector<Value> found = b.forEach(
      shape,
      {arith::ConstantIntOp::create(b.builder, b.loc, 1, 1), b.constant(0)},
      [&](IndexBuilder inner, ValueRange at, ValueRange values) {
        Value element =
            tensor::ExtractOp::create(inner.builder, inner.loc, x, at);
        Value linear = inner.constant(0);
        for (auto [place, size] : llvm::zip_equal(at, shape))
          linear = inner.add(inner.multiply(linear, size), place);
        return SmallVector<Value>{
            inner.both(values[0], isNumber(inner, element)),
            inner.select(values[0], linear, values[1])};
      });
  CheckOp::create(b.builder, b.loc, found[0],
                  "expected numbers in " + op.getValue().str() +
                      ", got NaN as element {0}",
                  b.toInteger(found[1]));
}

namespace {

struct LowerCheckNan
    : LinalgLoweringOpInterface::ExternalModel<LowerCheckNan, CheckNanOp> {
  Value lowerToLinalg(Operation *op, OpBuilder &builder,
                      ValueRange operands) const {
    buildCheck({builder, op->getLoc()}, cast<CheckNanOp>(op), operands[0]);
    auto type = cast<RankedTensorType>(operands[0].getType());
    return buildParallel(
        builder, op->getLoc(), type, operands,
        builder.getMultiDimIdentityMap(type.getRank()),
        [](OpBuilder &, Location, ValueRange x) { return x[0]; });
  }
};

} // namespace

void hamkaas::registerCheckNanLowering(MLIRContext *context) {
  CheckNanOp::attachInterface<LowerCheckNan>(*context);
}
