//===- DiagnosticText.cpp - Diagnostics as an llvm::Error -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/DiagnosticText.h"
#include "HamKaas/Support/SourceDiagnostics.h"

using namespace mlir;
using namespace hamkaas;

DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return failure();
        add(diagnostic);
        for (Diagnostic &note : diagnostic.getNotes())
          add(note);
        return success();
      }) {}

void DiagnosticText::add(Diagnostic &diagnostic) {
  if (!text.empty())
    text += '\n';
  text += formatDiagnostic(diagnostic);
}
