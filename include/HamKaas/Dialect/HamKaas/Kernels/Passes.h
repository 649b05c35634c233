//===- Passes.h - Passes from GRAPH to KERNELS ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_KERNELS_PASSES_H
#define HAMKAAS_DIALECT_HAMKAAS_KERNELS_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hamkaas {

#define GEN_PASS_DECL
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_KERNELS_PASSES_H
