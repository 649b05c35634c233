//===- DiagnosticText.h - Diagnostics as an llvm::Error ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_DIAGNOSTICTEXT_H
#define HAMKAAS_SUPPORT_DIAGNOSTICTEXT_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hamkaas {

/// Collects the errors that are reported while it lives, with their notes, one
/// a line. Warnings and remarks go where they would have gone.
class DiagnosticText {
public:
  explicit DiagnosticText(mlir::MLIRContext *context);

  llvm::Error take() { return llvm::createStringError(text); }

private:
  void add(mlir::Diagnostic &diagnostic);

  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_DIAGNOSTICTEXT_H
