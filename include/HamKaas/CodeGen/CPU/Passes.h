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
/// Marks a loop whose writes go past the caches: of whole vectors, at multiples
/// of their size in memory.
inline constexpr llvm::StringLiteral streamLoopAttrName = "hamkaas.stream_loop";

#define GEN_PASS_DECL
#include "HamKaas/CodeGen/CPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/CodeGen/CPU/Passes.h.inc"

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_CPU_PASSES_H
