//===- ReductionSemantics.cpp - Meaning of reductions -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/ReductionOps.h"
#include "Semantics.h"
#include "WindowSemantics.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace hamkaas;

namespace {
/// Combines doubles for floats, else integers as the interpreter holds them.
template <typename T> struct Combination {
  Combiner combiner;
  /// Element type, for the order of unsigned integers and limits.
  Type type;

  bool isUnsigned() const {
    return type.isUnsignedInteger() || type.isInteger(1);
  }

  T start() const {
    switch (combiner) {
    case Combiner::Sum:
      return 0;
    case Combiner::Prod:
      return 1;
    case Combiner::Max:
      return limit(/*isLeast=*/true);
    case Combiner::Min:
      return limit(/*isLeast=*/false);
    }
  }

  T operator()(T a, T b) const {
    switch (combiner) {
    case Combiner::Sum:
      return add(a, b);
    case Combiner::Prod:
      return multiply(a, b);
    case Combiner::Max:
      return isLess(a, b) || isNaN(b) ? b : a;
    case Combiner::Min:
      return isLess(b, a) || isNaN(b) ? b : a;
    }
  }

private:
  static bool isNaN(T value) { return value != value; }

  bool isLess(T a, T b) const {
    if constexpr (std::is_integral_v<T>)
      if (isUnsigned())
        return static_cast<uint64_t>(a) < static_cast<uint64_t>(b);
    return a < b;
  }

  static T add(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<uint64_t>(a) + static_cast<uint64_t>(b);
    else
      return a + b;
  }
  static T multiply(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<uint64_t>(a) * static_cast<uint64_t>(b);
    else
      return a * b;
  }

  T limit(bool isLeast) const {
    if constexpr (std::is_integral_v<T>) {
      unsigned width = type.getIntOrFloatBitWidth();
      if (isUnsigned())
        return isLeast ? 0 : APInt::getAllOnes(width).getZExtValue();
      return (isLeast ? APInt::getSignedMinValue(width)
                      : APInt::getSignedMaxValue(width))
          .getSExtValue();
    } else {
      return isLeast ? -std::numeric_limits<T>::infinity()
                     : std::numeric_limits<T>::infinity();
    }
  }
};

/// The type that sums of `T` are formed in.
template <typename T>
using SumOf = std::conditional_t<std::is_integral_v<T>, int64_t, double>;

struct ReduceSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<ReduceSemantics, ReduceOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto reduce = cast<ReduceOp>(op);
    const ReferenceTensor &x = *operands[0];
    x.withElements([&](const auto &elements) {
      using T = std::decay_t<decltype(elements.front())>;
      Combination<SumOf<T>> combine{reduce.getCombiner(),
                                    x.type.getElementType()};
      std::vector<SumOf<T>> sums(result.type.getNumElements(), combine.start());
      int64_t i = 0;
      forEachIndex(x.shape(), [&](ArrayRef<int64_t> index) {
        SmallVector<int64_t> kept;
        for (auto [dim, position] : llvm::enumerate(index))
          if (!llvm::is_contained(reduce.getDims(), static_cast<int64_t>(dim)))
            kept.push_back(position);
        SumOf<T> &sum = sums[getOffset(result.shape(), kept)];
        sum = combine(sum, elements[i++]);
      });
      result.withElements([&](auto &to) { llvm::copy(sums, to.begin()); });
    });
    return success();
  }
};

struct PoolSemantics
    : ReferenceSemanticsOpInterface::ExternalModel<PoolSemantics, PoolOp> {
  LogicalResult interpret(Operation *op, OperandTensors operands,
                          ReferenceTensor &result) const {
    auto pool = cast<PoolOp>(op);
    const ReferenceTensor &x = *operands[0];
    ReferenceWindows windows{pool.getWindow(), pool.getStrides(),
                             pool.getDilations(), pool.getPadLow()};
    x.withElements([&](const auto &elements) {
      using T = std::decay_t<decltype(elements.front())>;
      Combination<SumOf<T>> combine{pool.getCombiner(),
                                    x.type.getElementType()};
      std::vector<SumOf<T>> values;
      forEachIndex(result.shape(), [&](ArrayRef<int64_t> index) {
        SumOf<T> value = combine.start();
        windows.forEachElement(
            x.shape(), index,
            [&](ArrayRef<int64_t>, ArrayRef<int64_t> from, bool isInside) {
              if (isInside)
                value = combine(value, elements[getOffset(x.shape(), from)]);
            });
        values.push_back(value);
      });
      result.withElements([&](auto &to) { llvm::copy(values, to.begin()); });
    });
    return success();
  }
};

} // namespace

void hamkaas::attachReductionSemantics(MLIRContext &context) {
  PoolOp::attachInterface<PoolSemantics>(context);
  ReduceOp::attachInterface<ReduceSemantics>(context);
}
