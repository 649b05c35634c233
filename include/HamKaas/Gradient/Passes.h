//===- Passes.h - Passes that differentiate ---------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_GRADIENT_PASSES_H
#define HAMKAAS_GRADIENT_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hamkaas {

#define GEN_PASS_DECL
#include "HamKaas/Gradient/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/Gradient/Passes.h.inc"

} // namespace hamkaas

#endif // HAMKAAS_GRADIENT_PASSES_H
