//===- Passes.h - Passes from GRAPH to GRAPH --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DIALECT_HAMKAAS_GRAPH_PASSES_H
#define HAMKAAS_DIALECT_HAMKAAS_GRAPH_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace hamkaas {

#define GEN_PASS_DECL
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h.inc"

} // namespace hamkaas

#endif // HAMKAAS_DIALECT_HAMKAAS_GRAPH_PASSES_H
