//===- DeviceFunctions.h - Kernels as functions of a GPU --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_CODEGEN_GPU_DEVICEFUNCTIONS_H
#define HAMKAAS_LIB_CODEGEN_GPU_DEVICEFUNCTIONS_H

#include "ArgumentFacts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace hamkaas {

/// How a kernel is launched.
struct Launch {
  int64_t blocks = 1;
  int64_t threads = 1; /* of a block */
  int64_t sharedBytes = 0;
};

/// Adds a function with the arguments of `kernel`, `failure` and the call to
/// the end of a `gpu.module`, without a body but its end.
mlir::gpu::GPUFuncOp createDeviceFunction(mlir::OpBuilder &builder,
                                          mlir::func::FuncOp kernel,
                                          llvm::StringRef name,
                                          const Launch &launch);

/// Returns whether no check has failed, by the argument `failure` of
/// `function`.
mlir::Value isWithoutFailure(mlir::OpBuilder &builder,
                             mlir::gpu::GPUFuncOp function);

/// Adds the function `name` that runs the tiles of `kernels`, whose bodies it
/// takes; their checks must be gone. All have the same arguments, with these
/// `facts`. Several kernels run side by side: the number of a block says whose
/// it is. With `asksFailure` the function does nothing after a failure. Fails
/// if the scratch memory of one warp exceeds that of a block.
mlir::LogicalResult addTileFunction(mlir::OpBuilder &builder,
                                    llvm::StringRef name,
                                    llvm::ArrayRef<mlir::func::FuncOp> kernels,
                                    llvm::ArrayRef<ArgumentFacts> facts,
                                    bool asksFailure);

/// Adds the function with a copy of the checks of `kernel`.
void addCheckFunction(mlir::OpBuilder &builder, mlir::func::FuncOp kernel);

} // namespace hamkaas

#endif // HAMKAAS_LIB_CODEGEN_GPU_DEVICEFUNCTIONS_H
