//===- GroupGraph.h - Groups of engines as graphs ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_ENGINE_GROUPGRAPH_H
#define HAMKAAS_ENGINE_GROUPGRAPH_H

#include "hamkaas-c/Engine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

/// Adds what the interpreter needs to run graphs of groups.
void registerGroupDialects(mlir::DialectRegistry &registry);

/// A module in the form GRAPH whose `@main` computes `group` from its inputs in
/// order. An error if there is no such graph, as for a group that was made up.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
buildGroupGraph(const HamKaasEngineGroup &group, mlir::MLIRContext *context);

} // namespace hamkaas

#endif // HAMKAAS_ENGINE_GROUPGRAPH_H
