//===- Passes.h - Groups for engine libraries -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_PASSES_H
#define HAMKAAS_ENGINE_PASSES_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hamkaas {

#define GEN_PASS_DECL
#include "HamKaas/Engine/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/Engine/Passes.h.inc"

} // namespace hamkaas

#endif // HAMKAAS_ENGINE_PASSES_H
