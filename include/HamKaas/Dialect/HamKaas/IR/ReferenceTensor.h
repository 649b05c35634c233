//===- ReferenceTensor.h - A tensor of the interpreter ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_REFERENCETENSOR_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_REFERENCETENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include <cstdlib>
#include <vector>

namespace hamkaas {

/// A dense tensor in row-major order. Only the vector of its element type is
/// used, and it has as many entries as the type has elements.
struct ReferenceTensor {
  mlir::RankedTensorType type;
  std::vector<float> f32;
  std::vector<int64_t> i64;

  ReferenceTensor() = default;

  /// Whether there is memory for all elements: the constructor aborts where
  /// there is not.
  static bool canAllocate(mlir::RankedTensorType type) {
    // NOTE: LLVM makes `new` abort, also the one that throws nothing; and an
    // optimizer removes a call of malloc whose result nobody can see.
    void *volatile probe = std::malloc(getBytes(type));
    std::free(probe);
    return probe;
  }

  static uint64_t getBytes(mlir::RankedTensorType type) {
    return type.getNumElements() *
           (type.getElementType().isF32() ? sizeof(float) : sizeof(int64_t));
  }

  /// All elements zero.
  explicit ReferenceTensor(mlir::RankedTensorType type) : type(type) {
    if (type.getElementType().isF32())
      f32.resize(type.getNumElements());
    else
      i64.resize(type.getNumElements());
  }

  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }
};

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_IR_REFERENCETENSOR_H
