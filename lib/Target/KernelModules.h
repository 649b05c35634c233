//===- KernelModules.h - A module for each kernel ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_TARGET_KERNELMODULES_H
#define HAMKAAS_LIB_TARGET_KERNELMODULES_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace hamkaas {

/// Returns whether LLVM is to leave the addresses in the loops of a function as
/// they were emitted. Loop strength reduction takes longest where a loop reads
/// many rows, and does not make such kernels faster.
bool hasPlainAddresses(mlir::LLVM::LLVMFuncOp function);

/// Kernels in a module of their own, with what they refer to.
struct KernelModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  /// Of all of them.
  bool arePlain = false;
  int kernels = 0;
  /// In the bodies of the kernels.
  size_t operations = 0;
};

/// Moves the kernels of `module`, which is at the form Llvm, to modules of
/// their own, in their order, and leaves declarations of them behind. Small
/// neighbours that LLVM treats alike share a module. No two modules share
/// anything, so they can be compiled at once, and what becomes of one depends
/// on it alone.
llvm::SmallVector<KernelModule> takeKernels(mlir::ModuleOp module);

} // namespace hamkaas

#endif // HAMKAAS_LIB_TARGET_KERNELMODULES_H
