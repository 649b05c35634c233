//===- SourceDiagnostics.h - Diagnostics with their lines -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_SOURCEDIAGNOSTICS_H
#define HAMKAAS_SUPPORT_SOURCEDIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"
#include <string>

namespace llvm {
class SourceMgr;
class raw_ostream;
} // namespace llvm

namespace hamkaas {

/// A diagnostic with its position and severity, as the tools print it:
/// "model.hk:3:4: error: ...", "model.onnx: node 'conv' (Conv): error: ...".
/// One without a position is its text alone.
std::string formatDiagnostic(mlir::Diagnostic &diagnostic);

/// Prints the diagnostics of a context while it lives, with the lines they are
/// about. Whatever the model holds, a message stays short and shows nothing
/// that a terminal would act upon.
///
/// NOTE: mlir::SourceMgrDiagnosticHandler prints whole lines, as they are.
class SourceDiagnostics {
public:
  /// Both outlive this object. Files that locations name and `sources` does
  /// not have are opened.
  SourceDiagnostics(llvm::SourceMgr &sources, mlir::MLIRContext *context,
                    llvm::raw_ostream &stream);

private:
  void print(mlir::Diagnostic &diagnostic);
  void printLine(mlir::Location location);
  unsigned findBuffer(llvm::StringRef file);

  llvm::SourceMgr &sources;
  llvm::raw_ostream &stream;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_SOURCEDIAGNOSTICS_H
