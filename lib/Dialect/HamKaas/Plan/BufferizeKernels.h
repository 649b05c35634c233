//===- BufferizeKernels.h - Bufferizes kernels in parallel ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_BUFFERIZEKERNELS_H
#define HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_BUFFERIZEKERNELS_H

#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace hamkaas {

/// Bufferizes the functions of `module` for which `isKernel` holds, on as many
/// threads as the context has. They refer to no symbol, and no tensor of theirs
/// needs a copy any more. Equal constants become one global of `module`.
llvm::LogicalResult bufferizeKernels(
    mlir::ModuleOp module,
    const mlir::bufferization::OneShotBufferizationOptions &options,
    llvm::function_ref<bool(mlir::func::FuncOp)> isKernel);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DIALECT_HAMKAAS_PLAN_BUFFERIZEKERNELS_H
