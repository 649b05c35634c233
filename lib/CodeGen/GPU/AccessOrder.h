//===- AccessOrder.h - Memory that the threads of a warp share --*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_ACCESSORDER_H
#define HAMKAAS_LIB_CODEGEN_GPU_ACCESSORDER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hamkaas {

/// Finds the reads and writes of a kernel, on vectors still, before which the
/// threads of a warp must wait for each other: because one accesses memory that
/// another one has accessed, and one of the two writes.
///
/// Different arguments are different memory. An argument that shares the
/// destination's is read, by `hamkaas.inplace`, only at the index that is
/// written next, hence by the thread that writes.
class AccessOrder {
public:
  explicit AccessOrder(mlir::func::FuncOp kernel) : kernel(kernel) {}

  /// The operations, in the order of the text.
  llvm::SetVector<mlir::Operation *> findWaits();

private:
  /// Accesses of a buffer since the last barrier: reads and writes where
  /// element j of a row belongs to lane j modulo the lanes or to that lane's
  /// share, writes of each lane to places of its own, and others.
  enum Event : unsigned {
    AlignedRead = 1,
    OtherRead = 2,
    AlignedWrite = 4,
    OwnWrite = 8,
    OtherWrite = 16
  };
  using State = llvm::SmallDenseMap<mlir::Value, unsigned>;

  bool sharesMemory();
  void visit(mlir::Block &block, State &state);
  void visitRegions(mlir::Operation *op, State &state);
  void visitAccess(mlir::Operation *op, State &state);
  static bool conflicts(unsigned before, Event event);
  static bool join(State &state, const State &other);

  mlir::func::FuncOp kernel;
  llvm::SetVector<mlir::Operation *> waits;
  /// Buffers of which threads have shares of several sizes: an element is not
  /// always the same thread's.
  llvm::SmallPtrSet<mlir::Value, 4> mixed;
};

/// The buffer that `memref` is a view of.
mlir::Value getBuffer(mlir::Value memref);

/// Returns whether `index` is known to be a multiple of `number`.
bool isMultipleOf(mlir::Value index, int64_t number);

/// The elements that a thread has of a vector.
int64_t getLaneShare(mlir::VectorType type);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_ACCESSORDER_H
