//===- Passes.h - Passes that turn kernels into GPU code --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_GPU_PASSES_H
#define HAMKAAS_CODEGEN_GPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"

namespace hamkaas {

/// Threads of a warp.
inline constexpr int64_t warpSize = 32;

#define GEN_PASS_DECL
#include "HamKaas/CodeGen/GPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/CodeGen/GPU/Passes.h.inc"

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_GPU_PASSES_H
