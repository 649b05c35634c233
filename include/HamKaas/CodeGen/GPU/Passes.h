//===- Passes.h - Passes that turn kernels into GPU code --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_GPU_PASSES_H
#define HAMKAAS_CODEGEN_GPU_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hamkaas {

/// Name of the global variable that holds the image of the device's code.
inline constexpr llvm::StringLiteral deviceImageName = "hamkaas_device_image";

#define GEN_PASS_DECL
#include "HamKaas/CodeGen/GPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/CodeGen/GPU/Passes.h.inc"

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_GPU_PASSES_H
