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

/// On a kernel whose lanes are distributed: what runs one of its tiles, "warp"
/// or "thread".
inline constexpr llvm::StringLiteral tileRunnerAttrName = "hamkaas.tile_runner";

/// On a kernel that blocks of threads run: the iterations of its tile loop in a
/// row, a warp each, that are one block.
inline constexpr llvm::StringLiteral blockWarpsAttrName = "hamkaas.block_warps";

/// On a `memref.store` of a kernel of the level "warp": each thread stores a
/// value of its own, and none where another one does.
inline constexpr llvm::StringLiteral laneStoreAttrName = "hamkaas.lane_store";

/// Name of the `gpu.module` that holds a program's device code.
inline constexpr llvm::StringLiteral deviceModuleName = "device";

/// Name of the global variable that holds the image of the device's code.
inline constexpr llvm::StringLiteral deviceImageName = "hamkaas_device_image";

#define GEN_PASS_DECL
#include "HamKaas/CodeGen/GPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/CodeGen/GPU/Passes.h.inc"

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_GPU_PASSES_H
