//===- Script.h - Models as script text -------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_SCRIPT_SCRIPT_H
#define HAMKAAS_FRONTEND_SCRIPT_SCRIPT_H

#include "HamKaas/Frontend/Script/SourceLine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
class raw_ostream;
} // namespace llvm

namespace hamkaas {

struct ScriptImportOptions {
  /// Marks every position that is known only at run time as vouched for, so
  /// that no kernel checks it.
  bool unchecked = false;
  /// Positions to use instead of those in the script: one a line of it. Lines
  /// beyond the last have their own.
  llvm::ArrayRef<SourceLine> lines = {};
};

/// Reads the script in the main buffer of `sources` as a module in the form
/// GRAPH. Errors and warnings go to the diagnostic engine of `context`, at the
/// file, line and column they are about; null after an error. Loads the
/// dialects it needs into `context`.
mlir::OwningOpRef<mlir::ModuleOp>
importScript(llvm::SourceMgr &sources, mlir::MLIRContext *context,
             const ScriptImportOptions &options = {});

struct ScriptExportOptions {
  /// Version 3 also where an older one can say the same.
  bool newest = false;
};

/// Writes a module in the form GRAPH as a script: of the oldest version that
/// can say it, with ids from 1 in order. What is no GRAPH is an error at the
/// op, and nothing is written then.
llvm::LogicalResult exportScript(mlir::ModuleOp module,
                                 llvm::raw_ostream &stream,
                                 const ScriptExportOptions &options = {});

} // namespace hamkaas

#endif // HAMKAAS_FRONTEND_SCRIPT_SCRIPT_H
