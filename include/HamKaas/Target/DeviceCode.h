//===- DeviceCode.h - Code for a GPU ----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TARGET_DEVICECODE_H
#define HAMKAAS_TARGET_DEVICECODE_H

#include "HamKaas/Program/ProgramInfo.h"
#include "HamKaas/Target/Target.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace hamkaas {

/// The kernels of device code that is in no instruction set yet, and how they
/// are launched.
std::vector<DeviceKernelInfo> collectDeviceKernels(mlir::gpu::GPUModuleOp code);

/// The PTX of functions of the NVVM dialect, which wait at their start if
/// `arch` has waits. What they call in libdevice becomes part of it; fails if
/// there is no such library.
llvm::Expected<std::string> emitPtx(mlir::gpu::GPUModuleOp code,
                                    const GpuArch &arch);

} // namespace hamkaas

#endif // HAMKAAS_TARGET_DEVICECODE_H
