//===- Passes.h - Passes that turn kernels into CPU code --------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_CPU_PASSES_H
#define HAMKAAS_CODEGEN_CPU_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace hamkaas {

/// Marks the outermost loop of a kernel.
inline constexpr llvm::StringLiteral tileLoopAttrName = "hamkaas.tile_loop";
/// Number of iterations of the tile loop, on the kernel.
inline constexpr llvm::StringLiteral tilesAttrName = "hamkaas.tiles";
/// On an argument of a kernel that may share the destination's storage.
inline constexpr llvm::StringLiteral mayAliasAttrName =
    "hamkaas.may_alias_result";

#define GEN_PASS_DECL
#include "HamKaas/CodeGen/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/CodeGen/CPU/Passes.h.inc"

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_CPU_PASSES_H
