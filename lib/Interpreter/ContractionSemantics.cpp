//===- ContractionSemantics.cpp - Meaning of sums of products ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ContractionOps.h"
#include "WindowSemantics.h"

using namespace mlir;
using namespace hamkaas;

/// The type that products of `T` are formed in: integers wrap.
template <typename T>
using ProductOf = std::conditional_t<std::is_integral_v<T>, uint64_t, double>;

namespace {

struct MatMulSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<MatMulSemantics, MatMulOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &lhs = *operands[0], &rhs = *operands[1];
    int64_t k = lhs.shape().back(), n = rhs.shape().back();
    int64_t rows = lhs.type.getNumElements() / k;
    int64_t batches = rhs.type.getNumElements() / (k * n);
    result.withElements([&](auto &to) {
      using T = std::decay_t<decltype(to.front())>;
      const auto &from = getElements<T>(lhs), &weights = getElements<T>(rhs);
      SmallVector<ProductOf<T>> sums;
      for (int64_t row = 0; row < rows; ++row) {
        const T *x = &from[row * k];
        const T *w = &weights[row / (rows / batches) * k * n];
        sums.assign(n, 0);
        for (int64_t p = 0; p < k; ++p)
          for (int64_t j = 0; j < n; ++j)
            sums[j] += ProductOf<T>(x[p]) * w[p * n + j];
        llvm::copy(sums, to.begin() + row * n);
      }
    });
    return success();
  }
};

struct ConvSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<ConvSemantics, ConvOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    result.withElements([&](auto &to) {
      convolve(cast<ConvOp>(op), *operands[0], *operands[1], result, to);
    });
    return success();
  }

private:
  template <typename T>
  static void convolve(ConvOp conv, const ReferenceTensor &x,
                       const ReferenceTensor &w, const ReferenceTensor &result,
                       std::vector<T> &to) {
    const std::vector<T> &from = getElements<T>(x),
                         &weights = getElements<T>(w);
    ReferenceWindows windows{w.shape().drop_back(2), conv.getStrides(),
                             conv.getDilations(), conv.getPadLow()};
    int64_t channels = w.shape().drop_back().back();
    int64_t resultChannels = w.shape().back() / conv.getGroups();
    int64_t i = 0;
    forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
      ProductOf<T> sum = 0;
      int64_t group = index.back() / resultChannels;
      windows.forEachElement(
          x.shape(), index,
          [&](ArrayRef<int64_t> tap, ArrayRef<int64_t> at, bool isInside) {
            SmallVector<int64_t> source(at), weight(tap);
            weight.append({0, index.back()});
            for (int64_t c = 0; c < channels; ++c) {
              source.back() = group * channels + c;
              weight[tap.size()] = c;
              // A zero outside times an infinite weight is NaN, as it is for
              // an operand that was padded.
              T element = isInside ? from[getOffset(x.shape(), source)] : T(0);
              sum +=
                  ProductOf<T>(element) * weights[getOffset(w.shape(), weight)];
            }
          });
      to[i++] = sum;
    });
  }
};

} // namespace

void hamkaas::attachContractionSemantics(MLIRContext &context) {
  ConvOp::attachInterface<ConvSemantics>(context);
  MatMulOp::attachInterface<MatMulSemantics>(context);
}
