//===- RowSemantics.cpp - Meaning of operations on rows ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
#include "Semantics.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;

/// Calls `compute` with each row of the last dimension of `x` and the row of
/// `result` at the same place.
static void forEachRow(
    const ReferenceTensor &x, ReferenceTensor &result,
    llvm::function_ref<void(ArrayRef<float>, MutableArrayRef<float>)> compute) {
  int64_t size = x.shape().back();
  for (int64_t i = 0; i < x.type.getNumElements(); i += size)
    compute(ArrayRef(x.f32).slice(i, size),
            MutableArrayRef(result.f32).slice(i, size));
}

/// Writes the softmax of `from` to `to`.
static void computeSoftmax(ArrayRef<float> from, MutableArrayRef<float> to) {
  float largest = *llvm::max_element(from);
  double sum = 0;
  for (float x : from)
    sum += std::exp(double(x) - largest);
  for (auto [x, y] : llvm::zip_equal(from, to))
    y = std::exp(double(x) - largest) / sum;
}

namespace {

struct RmsNormSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<RmsNormSemantics,
                                                   RmsNormOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &w = *operands[1];
    double epsilon = cast<RmsNormOp>(op).getEpsilon().convertToDouble();
    forEachRow(*operands[0], result,
               [&](ArrayRef<float> from, MutableArrayRef<float> to) {
                 double squares = 0;
                 for (double x : from)
                   squares += x * x;
                 double root = std::sqrt(squares / from.size() + epsilon);
                 for (auto [y, x, scale] : llvm::zip_equal(to, from, w.f32))
                   y = scale * (x / root);
               });
    return success();
  }
};

struct LayerNormSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<LayerNormSemantics,
                                                   LayerNormOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    double epsilon = cast<LayerNormOp>(op).getEpsilon().convertToDouble();
    if (ReferenceTensor::holdsFloat32(result.type))
      normalize<float>(operands[0]->f32, result.f32, result.shape().back(),
                       epsilon);
    else
      normalize<double>(operands[0]->f64, result.f64, result.shape().back(),
                        epsilon);
    return success();
  }

private:
  template <typename T>
  static void normalize(ArrayRef<T> from, MutableArrayRef<T> to, size_t size,
                        double epsilon) {
    for (size_t begin = 0; begin < from.size(); begin += size) {
      ArrayRef<T> row = from.slice(begin, size);
      double sum = 0, squares = 0;
      for (double x : row)
        sum += x;
      double mean = sum / size;
      for (double x : row)
        squares += (x - mean) * (x - mean);
      double root = std::sqrt(squares / size + epsilon);
      for (auto [y, x] : llvm::zip_equal(to.slice(begin, size), row))
        y = (x - mean) / root;
    }
  }
};

struct LogSumExpSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<LogSumExpSemantics,
                                                   LogSumExpOp> {
  LogicalResult interpret(Operation *, OperandTensors operands,
                          ReferenceTensor &result) const {
    size_t size = operands[0]->shape().back();
    if (ReferenceTensor::holdsFloat32(result.type))
      reduce<float>(operands[0]->f32, result.f32, size);
    else
      reduce<double>(operands[0]->f64, result.f64, size);
    return success();
  }

private:
  template <typename T>
  static void reduce(ArrayRef<T> from, MutableArrayRef<T> to, size_t size) {
    for (size_t i = 0; i < to.size(); ++i) {
      ArrayRef<T> row = from.slice(i * size, size);
      double largest = *llvm::max_element(row), sum = 0;
      double shift = std::isfinite(largest) ? largest : 0;
      for (double x : row)
        sum += std::exp(x - shift);
      to[i] = shift + std::log(sum);
    }
  }
};

struct SlicedSoftmaxSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<SlicedSoftmaxSemantics,
                                                   SlicedSoftmaxOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    const ReferenceTensor &x = *operands[0];
    std::optional<int64_t> fixed = cast<SlicedSoftmaxOp>(op).getStaticPrefix();
    int64_t prefix = fixed ? *fixed : operands[1]->i64.front();
    // `unchecked` is a promise of the caller, but no reason to read elsewhere.
    if (prefix < 0 || prefix > x.shape().back())
      return emitError(op->getLoc(), "expected a prefix from 0 to ")
             << x.shape().back() << ", got " << prefix;
    forEachRow(x, result, [&](ArrayRef<float> from, MutableArrayRef<float> to) {
      llvm::copy(from, to.begin());
      if (prefix > 0)
        computeSoftmax(from.take_front(prefix), to.take_front(prefix));
    });
    return success();
  }
};

} // namespace

void hamkaas::attachRowSemantics(MLIRContext &context) {
  LayerNormOp::attachInterface<LayerNormSemantics>(context);
  LogSumExpOp::attachInterface<LogSumExpSemantics>(context);
  RmsNormOp::attachInterface<RmsNormSemantics>(context);
  SlicedSoftmaxOp::attachInterface<SlicedSoftmaxSemantics>(context);
}
