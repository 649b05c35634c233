//===- AttentionSemantics.cpp - Meaning of attention ---------- -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "Semantics.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;

namespace {

/// Reads an operand whose dimensions of size 1 are repeated.
struct Repeated {
  const ReferenceTensor &tensor;

  int64_t at(int64_t b, int64_t i, int64_t j) const {
    ArrayRef<int64_t> shape = tensor.shape();
    return (b % shape[0] * shape[1] + i % shape[1]) * shape[2] + j % shape[2];
  }
};

struct AttentionSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<AttentionSemantics,
                                                   AttentionOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto attention = cast<AttentionOp>(op);
    const ReferenceTensor &q = *operands[0], &v = *operands[2];
    int64_t queries = q.shape()[1], keys = v.shape()[1], width = v.shape()[2];
    std::vector<double> weights(keys), sums(width);
    for (int64_t b = 0; b < q.shape()[0]; ++b)
      for (int64_t i = 0; i < queries; ++i) {
        computeScores(attention, operands, b, i, weights);
        double largest = *llvm::max_element(weights), sum = 0;
        for (double &weight : weights) {
          weight = std::exp(weight - largest);
          sum += weight;
        }
        sums.assign(width, 0);
        for (int64_t j = 0; j < keys; ++j)
          for (int64_t e = 0; e < width; ++e)
            sums[e] += weights[j] / sum * v.f32[(b * keys + j) * width + e];
        llvm::copy(sums, result.f32.begin() + (b * queries + i) * width);
      }
    return success();
  }

private:
  /// The scores of query number `i`.
  static void computeScores(AttentionOp op, OperandTensors operands, int64_t b,
                            int64_t i, std::vector<double> &scores) {
    const ReferenceTensor &q = *operands[0], &k = *operands[1];
    const ReferenceTensor *mask = op.getMask() ? operands[3] : nullptr;
    const ReferenceTensor *bias = op.getBias() ? operands.back() : nullptr;
    double scale = op.getScale().convertToFloat();
    int64_t width = q.shape()[2], keys = k.shape()[1];
    const float *query = &q.f32[(b * q.shape()[1] + i) * width];
    for (int64_t j = 0; j < keys; ++j) {
      const float *key = &k.f32[(b * keys + j) * width];
      double sum = 0;
      for (int64_t d = 0; d < width; ++d)
        sum += double(query[d]) * key[d];
      scores[j] = scale * sum;
      if (bias)
        scores[j] += bias->f32[Repeated{*bias}.at(b, i, j)];
      if (mask && mask->i64[Repeated{*mask}.at(b, i, j)])
        scores[j] = op.getMaskedScore().convertToFloat();
    }
  }
};

} // namespace

void hamkaas::attachAttentionSemantics(MLIRContext &context) {
  AttentionOp::attachInterface<AttentionSemantics>(context);
}
