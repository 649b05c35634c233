//===- EmulatedCalls.h - Calls of the emulator of GPUs ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_EMULATEDCALLS_H
#define HAMKAAS_LIB_CODEGEN_GPU_EMULATEDCALLS_H

#include "EmulatedImageBuilder.h"
#include "HamKaas/Emulation/EmulatedCode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace hamkaas {

/// Makes what a kernel calls and reads of its emulation::EmulatedThread.
class EmulatedCalls {
public:
  /// `context` is the argument of `kernel` for the thread. Errors name `ops` by
  /// their numbers among those of one name. The builder stands at the begin.
  EmulatedCalls(mlir::func::FuncOp kernel, mlir::Value context,
                llvm::ArrayRef<mlir::Operation *> ops,
                EmulatedImageBuilder &image);

  mlir::ImplicitLocOpBuilder builder;
  mlir::Value shared;                         ///< An address.
  mlir::Value thread, threads, block, blocks; ///< Of type index.
  int64_t sharedBytes = 0; ///< Those of the kernel, before the launch's.

  /// Reads the members of `thread`, which do not change.
  void loadMembers();

  mlir::Value integer(int64_t value, unsigned bits);
  mlir::Value index(int64_t value);
  /// `base` and so many bytes.
  mlir::Value offset(mlir::Value base, mlir::Value bytes);
  /// The address of an element of `memref`, as a pointer.
  mlir::Value address(mlir::Value memref, mlir::ValueRange indices);
  /// A memref of that type, which has a static shape and no memory space, at an
  /// address.
  mlir::Value memrefAt(mlir::MemRefType type, mlir::Value address);

  // The functions of emulation::EmulatedFunctions, for `op`, where the builder
  // stands. Numbers have the types that these have.
  void barrier(mlir::Operation *op);
  void syncWarp(mlir::Operation *op, mlir::Value mask);
  /// Returns the value and, as an i1, the predicate.
  std::pair<mlir::Value, mlir::Value>
  shuffle(mlir::Operation *op, mlir::Value value, emulation::ShuffleKind kind,
          mlir::Value mask, mlir::Value operand, mlir::Value clamp);
  /// Takes the values of all registers and returns those of the sums, as
  /// numbers of float32.
  llvm::SmallVector<mlir::Value>
  addProduct(mlir::Operation *op, emulation::ProductKind kind,
             llvm::ArrayRef<mlir::Value> registers);
  void access(mlir::Operation *op, mlir::Value address, int64_t bytes,
              int64_t alignment, emulation::AccessKind kind);
  void copyLater(mlir::Operation *op, mlir::Value to, int64_t bytes,
                 mlir::Value from, mlir::Value fromBytes);
  void commitCopies();
  void waitForCopies(int64_t pending);

private:
  mlir::Value member(mlir::Value base, int64_t offset, mlir::Type type);
  mlir::Value loadIndex(int64_t offset);
  mlir::Value call(int64_t function, mlir::Type result,
                   mlir::ValueRange arguments);
  /// Text that names `op` and where it comes from.
  mlir::Value place(mlir::Operation *op);

  /// The memory of the thread for the registers of a product.
  mlir::Value getRegisters();

  mlir::Value context, functions;
  mlir::Value productMemory; ///< Null before the first product.
  mlir::LLVM::LLVMPointerType pointer;
  EmulatedImageBuilder &image;
  llvm::DenseMap<mlir::Operation *, int64_t> numbers;
};

/// Replaces `op` if it is one that only a GPU has.
mlir::LogicalResult replaceDeviceOp(mlir::Operation *op, EmulatedCalls &calls,
                                    const EmulatedImageBuilder &image);

/// Bytes of an element in memory.
int64_t getElementBytes(mlir::Type type);

/// Puts a call of the emulator before each access to memory among `ops`.
mlir::LogicalResult addAccessCalls(llvm::ArrayRef<mlir::Operation *> ops,
                                   EmulatedCalls &calls);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_EMULATEDCALLS_H
