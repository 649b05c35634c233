//===- ReferenceTensor.h - A tensor of the reference interpreter -*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_IR_REFERENCETENSOR_H
#define HAMKAAS_DIALECT_HAMKAAS_IR_REFERENCETENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include <vector>

namespace hamkaas {

/// A dense tensor in row-major order. Only the vector of its element type is
/// used, and it has as many entries as the type has elements.
struct ReferenceTensor {
  mlir::RankedTensorType type;
  std::vector<float> f32;
  std::vector<int64_t> i64;

  ReferenceTensor() = default;

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
