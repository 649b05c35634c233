//===- GraphDrawing.h - A module in GRAPH as a picture ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_GRAPHDRAWING_H
#define HAMKAAS_DRIVER_GRAPHDRAWING_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace hamkaas {

/// Draws the `@main` of a module in GRAPH as SVG: a node an operation, with its
/// shape and source position. Runs Graphviz's `dot`; fails if there is none in
/// PATH or the graph has more than 2000 operations, and then prints nothing.
llvm::Error drawGraph(mlir::ModuleOp module, llvm::raw_ostream &os);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_GRAPHDRAWING_H
