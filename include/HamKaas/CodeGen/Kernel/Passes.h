//===- Passes.h - Passes that emit kernels ----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_CODEGEN_KERNEL_PASSES_H
#define HAMKAAS_CODEGEN_KERNEL_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace hamkaas {

#define GEN_PASS_DECL
#include "HamKaas/CodeGen/Kernel/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/CodeGen/Kernel/Passes.h.inc"

} // namespace hamkaas

#endif // HAMKAAS_CODEGEN_KERNEL_PASSES_H
