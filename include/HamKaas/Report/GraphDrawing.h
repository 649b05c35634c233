//===- GraphDrawing.h - A module in GRAPH as a drawing ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_REPORT_GRAPHDRAWING_H
#define HAMKAAS_REPORT_GRAPHDRAWING_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace hamkaas {

/// Draws the first function of a module in GRAPH as SVG: a node an operation,
/// with its shape and source position. In a long graph, equal blocks in a row,
/// such as the layers of a transformer, are one frame with their number, unless
/// `unfold` is set. Runs Graphviz's `dot`; fails if there is none in PATH or
/// more than 2000 operations are left to draw, and then prints nothing.
llvm::Error drawGraph(mlir::ModuleOp module, llvm::raw_ostream &os,
                      bool unfold = false);

} // namespace hamkaas

#endif // HAMKAAS_REPORT_GRAPHDRAWING_H
