//===- ElementSemantics.h - Meaning of one element --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_INTERPRETER_ELEMENTSEMANTICS_H
#define HAMKAAS_LIB_INTERPRETER_ELEMENTSEMANTICS_H

#include "Semantics.h"

namespace hamkaas {

/// Sets each element of `result`, in the vector `to`, to `compute` of those of
/// the vectors `from`, which belong to `operands` and are repeated where their
/// size is 1.
template <typename To, typename Fn, typename... From>
void mapElements(OperandTensors operands, const ReferenceTensor &result, To &to,
                 Fn compute, const From &...from) {
  int64_t i = 0;
  forEachIndex(result.shape(), [&](llvm::ArrayRef<int64_t> index) {
    size_t operand = 0;
    auto at = [&](const auto &vector) {
      return vector[getOffset(operands[operand++]->shape(), index)];
    };
    // NOTE: braces keep the order, which arguments of a call do not have.
    std::tuple values{at(from)...};
    to[i++] = std::apply(compute, values);
  });
}

/// The meaning of an operation by `Fn`, which is called with the elements of
/// the operands (doubles for floats, else int64_t) and the element type of the
/// first operand.
template <typename OpTy, typename Fn>
struct UnarySemantics
    : ReferenceSemanticsOpInterface::ExternalModel<UnarySemantics<OpTy, Fn>,
                                                   OpTy> {
  llvm::LogicalResult interpret(mlir::Operation *op, OperandTensors operands,
                                ReferenceTensor &result) const {
    const ReferenceTensor &x = *operands[0];
    mlir::Type type = x.type.getElementType();
    auto compute = [&](auto element) { return Fn()(element, type); };
    if (ReferenceTensor::holdsFloat32(x.type))
      llvm::transform(x.f32, result.f32.begin(),
                      [&](double element) { return compute(element); });
    else if (type.isF64())
      llvm::transform(x.f64, result.f64.begin(), compute);
    else
      llvm::transform(x.i64, result.i64.begin(), compute);
    return llvm::success();
  }
};

/// As UnarySemantics for two operands.
template <typename OpTy, typename Fn>
struct BinarySemantics
    : ReferenceSemanticsOpInterface::ExternalModel<BinarySemantics<OpTy, Fn>,
                                                   OpTy> {
  llvm::LogicalResult interpret(mlir::Operation *op, OperandTensors operands,
                                ReferenceTensor &result) const {
    const ReferenceTensor &l = *operands[0], &r = *operands[1];
    mlir::Type type = l.type.getElementType();
    auto compute = [&](auto a, auto b) { return Fn()(a, b, type); };
    if (ReferenceTensor::holdsFloat32(l.type))
      mapElements(
          operands, result, result.f32,
          [&](double a, double b) { return compute(a, b); }, l.f32, r.f32);
    else if (type.isF64())
      mapElements(operands, result, result.f64, compute, l.f64, r.f64);
    else
      mapElements(operands, result, result.i64, compute, l.i64, r.i64);
    return llvm::success();
  }
};

/// Attaches the meaning that `Fn`, a lambda without captures, gives.
template <typename OpTy, typename Fn>
void attachUnary(mlir::MLIRContext &context, Fn) {
  OpTy::template attachInterface<UnarySemantics<OpTy, Fn>>(context);
}
template <typename OpTy, typename Fn>
void attachBinary(mlir::MLIRContext &context, Fn) {
  OpTy::template attachInterface<BinarySemantics<OpTy, Fn>>(context);
}

/// For operations on floats or integers alone, which inference made sure of.
template <typename T> constexpr bool isFloating = std::is_floating_point_v<T>;

} // namespace hamkaas

#endif // HAMKAAS_LIB_INTERPRETER_ELEMENTSEMANTICS_H
