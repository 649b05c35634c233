//===- LoopSemantics.cpp - Meaning of going through elements ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/LoopOps.h"
#include "Semantics.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace hamkaas;

static bool isUnsigned(Type type) {
  return type.isUnsignedInteger() || type.isInteger(1);
}

/// Returns whether `l` is less than `r`; NaN is larger than all numbers.
template <typename T> static bool isLess(T l, T r, Type type) {
  if constexpr (std::is_floating_point_v<T>)
    return !std::isnan(l) && (std::isnan(r) || l < r);
  else
    return isUnsigned(type) ? uint64_t(l) < uint64_t(r) : l < r;
}

namespace {

struct ScatterSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<ScatterSemantics,
                                                   ScatterOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto scatter = cast<ScatterOp>(op);
    int64_t rows = result.shape().front();
    SmallVector<int64_t> positions;
    for (int64_t index : operands[1]->i64) {
      FailureOr<int64_t> position = resolveIndex(op, index, rows);
      if (failed(position))
        return failure();
      positions.push_back(*position);
    }
    change(scatter, positions, operands[0]->f32, operands[2]->f32, result.f32);
    change(scatter, positions, operands[0]->f64, operands[2]->f64, result.f64);
    change(scatter, positions, operands[0]->i64, operands[2]->i64, result.i64);
    roundToType(result);
    return success();
  }

private:
  template <typename T>
  static void change(ScatterOp op, ArrayRef<int64_t> positions,
                     const std::vector<T> &target,
                     const std::vector<T> &updates, std::vector<T> &result) {
    result = target;
    size_t rowSize = updates.size() / positions.size();
    for (auto [j, position] : llvm::enumerate(positions))
      for (size_t i = 0; i < rowSize; ++i) {
        T &element = result[position * rowSize + i];
        element = combine(op, element, updates[j * rowSize + i]);
      }
  }

  template <typename T> static T combine(ScatterOp op, T old, T value) {
    Type type = op.getType().getElementType();
    switch (op.getReduction()) {
    case ScatterReduction::None:
      return value;
    case ScatterReduction::Add:
      return round(calculate(old, value, /*adds=*/true), type);
    case ScatterReduction::Mul:
      return round(calculate(old, value, /*adds=*/false), type);
    case ScatterReduction::Max:
      return std::max(old, value, [&](T l, T r) { return isLess(l, r, type); });
    case ScatterReduction::Min:
      if (old != old || value != value)
        return old + value;
      return std::min(old, value, [&](T l, T r) { return isLess(l, r, type); });
    }
    llvm_unreachable("unknown reduction");
  }

  /// Integers wrap.
  template <typename T> static T calculate(T l, T r, bool adds) {
    if constexpr (std::is_floating_point_v<T>)
      return adds ? l + r : l * r;
    else
      return adds ? uint64_t(l) + uint64_t(r) : uint64_t(l) * uint64_t(r);
  }

  /// Each change of an element is rounded to the type.
  template <typename T> static T round(T value, Type type) {
    ReferenceTensor scalar(RankedTensorType::get({}, type));
    T rounded = value;
    scalar.withElements([&](auto &elements) {
      elements.front() = value;
      roundToType(scalar);
      rounded = elements.front();
    });
    return rounded;
  }
};

struct CumsumSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<CumsumSemantics, CumsumOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto cumsum = cast<CumsumOp>(op);
    add<double>(cumsum, operands[0]->f32, result.f32);
    add<double>(cumsum, operands[0]->f64, result.f64);
    add<uint64_t>(cumsum, operands[0]->i64, result.i64);
    return success();
  }

private:
  template <typename Sum, typename T>
  static void add(CumsumOp op, const std::vector<T> &x,
                  std::vector<T> &result) {
    ArrayRef<int64_t> shape = op.getType().getShape();
    int64_t dim = op.getDim(), size = shape[dim];
    int64_t step = ShapedType::getNumElements(shape.drop_front(dim + 1));
    for (size_t i = 0; i < x.size(); ++i) {
      // Each line begins with the element whose index is 0.
      if (int64_t(i) / step % size != 0)
        continue;
      Sum sum = 0;
      for (int64_t k = 0; k < size; ++k) {
        size_t at = i + (op.getReverse() ? size - 1 - k : k) * step;
        Sum before = sum;
        sum += x[at];
        result[at] = op.getExclusive() ? before : sum;
      }
    }
  }
};

struct ArgsortSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<ArgsortSemantics,
                                                   ArgsortOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    operands[0]->withElements(
        [&](const auto &x) { sort(cast<ArgsortOp>(op), x, result.i64); });
    return success();
  }

private:
  template <typename T>
  static void sort(ArgsortOp op, const std::vector<T> &x,
                   std::vector<int64_t> &indices) {
    Type type = op.getX().getType().getElementType();
    int64_t size = op.getX().getType().getShape().back();
    int64_t first = op.getType().getShape().back();
    std::vector<int64_t> order(size);
    auto result = indices.begin();
    for (size_t row = 0; row < x.size(); row += size) {
      std::iota(order.begin(), order.end(), 0);
      llvm::stable_sort(order, [&](int64_t l, int64_t r) {
        if (op.getDescending())
          std::swap(l, r);
        return isLess(x[row + l], x[row + r], type);
      });
      result = std::copy_n(order.begin(), first, result);
    }
  }
};

} // namespace

void hamkaas::attachLoopSemantics(MLIRContext &context) {
  ArgsortOp::attachInterface<ArgsortSemantics>(context);
  CumsumOp::attachInterface<CumsumSemantics>(context);
  ScatterOp::attachInterface<ScatterSemantics>(context);
}
