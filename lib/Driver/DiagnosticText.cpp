//===- DiagnosticText.cpp - Diagnostics as an llvm::Error -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/DiagnosticText.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

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
  llvm::raw_string_ostream stream(text);
  if (!text.empty())
    stream << '\n';
  StringRef severity =
      diagnostic.getSeverity() == DiagnosticSeverity::Note ? "note" : "error";
  auto loc = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>();
  if (loc) {
    stream << loc.getFilename().getValue() << ':' << loc.getLine() << ':';
    // A line that stands for a statement of a generated script has none.
    if (loc.getColumn() != 0)
      stream << loc.getColumn() << ':';
    stream << ' ' << severity << ": ";
  }
  stream << diagnostic;
}
