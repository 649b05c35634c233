//===- Semantics.h - Parts of the operations' meaning -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_INTERPRETER_SEMANTICS_H
#define HAMKAAS_LIB_INTERPRETER_SEMANTICS_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"

namespace hamkaas {

using OperandTensors = llvm::ArrayRef<const ReferenceTensor *>;

void attachContractionSemantics(mlir::MLIRContext &context);
void attachElementwiseSemantics(mlir::MLIRContext &context);
void attachIndexingSemantics(mlir::MLIRContext &context);
void attachLoopSemantics(mlir::MLIRContext &context);
void attachMathSemantics(mlir::MLIRContext &context);
void attachMovementSemantics(mlir::MLIRContext &context);
void attachQuantizationSemantics(mlir::MLIRContext &context);
void attachRandomSemantics(mlir::MLIRContext &context);
void attachReductionSemantics(mlir::MLIRContext &context);
void attachRowSemantics(mlir::MLIRContext &context);
void attachAttentionSemantics(mlir::MLIRContext &context);
void attachWinogradSemantics(mlir::MLIRContext &context);

/// The position in a dimension of `size` that `index` means, which may count
/// from the end. Emits an error at `op` if there is none.
mlir::FailureOr<int64_t> resolveIndex(mlir::Operation *op, int64_t index,
                                      int64_t size);

/// The elements of `tensor`, which are held as `T`.
template <typename T>
const std::vector<T> &getElements(const ReferenceTensor &tensor) {
  if constexpr (std::is_same_v<T, float>)
    return tensor.f32;
  else if constexpr (std::is_same_v<T, double>)
    return tensor.f64;
  else
    return tensor.i64;
}

/// The row-major position of `index` in a tensor of the shape `shape`, in which
/// a dimension of size 1 is repeated.
inline int64_t getOffset(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [size, position] : llvm::zip_equal(shape, index))
    offset = offset * size + (size == 1 ? 0 : position);
  return offset;
}

/// Calls `visit` with each index of `shape` in row-major order.
inline void
forEachIndex(llvm::ArrayRef<int64_t> shape,
             llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    visit(index);
    size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

} // namespace hamkaas

#endif // HAMKAAS_LIB_INTERPRETER_SEMANTICS_H
