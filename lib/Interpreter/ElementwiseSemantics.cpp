//===- ElementwiseSemantics.cpp - Meaning on each element -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;

/// Sets each element of `result` to `compute` of those of `lhs` and `rhs`,
/// which is broadcast.
template <typename Fn>
static void mapBroadcast(OperandTensors operands, ReferenceTensor &result,
                         Fn compute) {
  const ReferenceTensor &lhs = *operands[0], &rhs = *operands[1];
  int64_t i = 0;
  forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
    result.f32[i] = compute(lhs.f32[i], rhs.f32[getOffset(rhs.shape(), index)]);
    ++i;
  });
}

namespace {

struct AddSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<AddSemantics, AddOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    mapBroadcast(operands, result, [](float l, float r) { return l + r; });
    return success();
  }
};

struct MulSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<MulSemantics, MulOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    mapBroadcast(operands, result, [](float l, float r) { return l * r; });
    return success();
  }
};

struct ReluSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<ReluSemantics, ReluOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    // Neither NaN nor -0.0 is below 0, so that both stay.
    llvm::transform(operands[0]->f32, result.f32.begin(),
                    [](float x) { return x < 0 ? 0 : x; });
    return success();
  }
};

struct SiluSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<SiluSemantics, SiluOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    llvm::transform(operands[0]->f32, result.f32.begin(), [](double x) {
      // The limit; the formula would give NaN.
      if (std::isinf(x) && x < 0)
        return 0.0;
      return x / (1 + std::exp(-x));
    });
    return success();
  }
};

struct ComplexMulSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<ComplexMulSemantics,
                                                   ComplexMulOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &lhs = *operands[0], &rhs = *operands[1];
    int64_t i = 0;
    forEachIndex(result.shape().drop_back(), [&](ArrayRef<int64_t> index) {
      int64_t j = 2 * getOffset(rhs.shape().drop_back(), index);
      double a = lhs.f32[i], b = lhs.f32[i + 1];
      double c = rhs.f32[j], d = rhs.f32[j + 1];
      result.f32[i] = a * c - b * d;
      result.f32[i + 1] = a * d + b * c;
      i += 2;
    });
    return success();
  }
};

} // namespace

void hamkaas::attachElementwiseSemantics(MLIRContext &context) {
  AddOp::attachInterface<AddSemantics>(context);
  ComplexMulOp::attachInterface<ComplexMulSemantics>(context);
  MulOp::attachInterface<MulSemantics>(context);
  ReluOp::attachInterface<ReluSemantics>(context);
  SiluOp::attachInterface<SiluSemantics>(context);
}
