//===- ContractionSemantics.cpp - Meaning of sums of products ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Semantics.h"

using namespace mlir;
using namespace hamkaas;

namespace {

struct MatMulSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<MatMulSemantics, MatMulOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &lhs = *operands[0], &rhs = *operands[1];
    int64_t k = lhs.shape().back(), n = rhs.shape().back();
    int64_t rows = lhs.type.getNumElements() / k;
    int64_t batches = rhs.type.getNumElements() / (k * n);
    SmallVector<double> sums;
    for (int64_t row = 0; row < rows; ++row) {
      const float *x = &lhs.f32[row * k];
      const float *w = &rhs.f32[row / (rows / batches) * k * n];
      sums.assign(n, 0.0);
      for (int64_t p = 0; p < k; ++p)
        for (int64_t j = 0; j < n; ++j)
          sums[j] += double(x[p]) * w[p * n + j];
      llvm::copy(sums, &result.f32[row * n]);
    }
    return success();
  }
};

} // namespace

void hamkaas::attachContractionSemantics(MLIRContext &context) {
  MatMulOp::attachInterface<MatMulSemantics>(context);
}
