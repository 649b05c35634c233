//===- KernelModules.h - A module for each kernel ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_TARGET_KERNELMODULES_H
#define HAMKAAS_LIB_TARGET_KERNELMODULES_H

#include "mlir/IR/BuiltinOps.h"

namespace hamkaas {

/// Moves the kernels of `module`, which is at the form Llvm, to modules of
/// their own, in their order, and leaves declarations of them behind. Each
/// module has what its kernel refers to. No two of them share anything, so they
/// can be compiled at once, and what becomes of one depends on it alone.
llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>>
takeKernels(mlir::ModuleOp module);

} // namespace hamkaas

#endif // HAMKAAS_LIB_TARGET_KERNELMODULES_H
