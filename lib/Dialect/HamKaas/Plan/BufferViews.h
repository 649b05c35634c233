//===- BufferViews.h - Parts of buffers -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_BUFFERVIEWS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_BUFFERVIEWS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace hamkaas {

/// The slice of a buffer that a chain of view operations selects, known at
/// compile time even where a type (`strided<[?], offset: ?>`) does not show it.
struct BufferView {
  /// Not the result of a view.
  mlir::Value buffer;
  /// Offset from the start of the buffer and strides, in elements.
  int64_t offset = 0;
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<int64_t, 4> strides;

  /// True if the elements lie one after the other in row-major order.
  bool isDense() const;
  int64_t getByteOffset() const;
};

/// All of `buffer`, whose type has a static shape.
BufferView getWholeBuffer(mlir::Value buffer);

/// True for an op whose result shares the storage of its first operand.
bool isBufferView(mlir::Operation *op);

/// The selection of the view operation `op` if its first operand selects
/// `source`. Emits an error if that is not known at compile time.
mlir::FailureOr<BufferView> applyBufferView(mlir::Operation *op,
                                            const BufferView &source);

/// The part of `buffer` that `operand` is of another one of its type.
mlir::Value cloneView(mlir::OpBuilder &builder, mlir::Value operand,
                      mlir::Value buffer);

/// The strides of a dense row-major buffer.
llvm::SmallVector<int64_t, 4> getDenseStrides(llvm::ArrayRef<int64_t> sizes);

/// The size of a buffer, or nothing if it is dynamic, not a whole number of
/// bytes, or 2^63 bytes and more.
std::optional<int64_t> getBufferBytes(mlir::MemRefType type);

/// Returns whether `step` is a loop.
bool isLoop(mlir::Operation *step);

/// Returns whether the step writes to `operand`, which it may read as well.
bool writesTo(mlir::OpOperand &operand);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_BUFFERVIEWS_H
