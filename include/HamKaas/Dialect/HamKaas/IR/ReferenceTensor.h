//===- ReferenceTensor.h - A tensor of the interpreter ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_REFERENCETENSOR_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_REFERENCETENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cstdlib>
#include <vector>

namespace hamkaas {

/// A dense tensor in row-major order. One of the vectors is used, with as many
/// entries as the type has elements: `f32` for floats of up to 32 bits, `f64`,
/// or `i64` for integers and booleans (those of `ui64` by their bits).
struct ReferenceTensor {
  mlir::RankedTensorType type;
  std::vector<float> f32;
  std::vector<double> f64;
  std::vector<int64_t> i64;

  ReferenceTensor() = default;

  /// Returns whether there is memory for all elements: the constructor aborts
  /// where there is not.
  static bool canAllocate(mlir::RankedTensorType type) {
    // NOTE: LLVM makes `new` abort, also the one that throws nothing; and an
    // optimizer removes a call of malloc whose result nobody can see.
    void *volatile probe = std::malloc(getBytes(type));
    std::free(probe);
    return probe;
  }

  static uint64_t getBytes(mlir::RankedTensorType type) {
    return type.getNumElements() *
           (holdsFloat32(type) ? sizeof(float) : sizeof(int64_t));
  }

  /// All elements zero.
  explicit ReferenceTensor(mlir::RankedTensorType type) : type(type) {
    if (holdsFloat32(type))
      f32.resize(type.getNumElements());
    else if (type.getElementType().isF64())
      f64.resize(type.getNumElements());
    else
      i64.resize(type.getNumElements());
  }

  /// Returns whether the elements are in `f32`.
  static bool holdsFloat32(mlir::RankedTensorType type) {
    return llvm::isa<mlir::FloatType>(type.getElementType()) &&
           !type.getElementType().isF64();
  }

  /// Calls `visit` with the vector that is used.
  template <typename Fn> decltype(auto) withElements(Fn visit) {
    if (holdsFloat32(type))
      return visit(f32);
    if (type.getElementType().isF64())
      return visit(f64);
    return visit(i64);
  }
  template <typename Fn> decltype(auto) withElements(Fn visit) const {
    if (holdsFloat32(type))
      return visit(f32);
    if (type.getElementType().isF64())
      return visit(f64);
    return visit(i64);
  }

  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
};

/// Rounds or wraps the elements to values of the tensor's element type.
void roundToType(ReferenceTensor &tensor);

/// The elements of a constant.
ReferenceTensor getReferenceTensor(mlir::DenseElementsAttr elements);

/// A constant of the elements of `tensor`.
mlir::DenseElementsAttr getElements(const ReferenceTensor &tensor);

/// The same of one element if all are equal, by their bits: passes look for
/// such.
mlir::DenseElementsAttr getCompactElements(const ReferenceTensor &tensor);

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_REFERENCETENSOR_H
