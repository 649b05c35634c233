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

/// The position of a diagnostic, followed by ": "; empty for an unknown one.
static std::string formatPosition(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << file.getFilename().getValue() << ':';
  // A file without lines has nodes: the name of one is around its operator.
  if (file.getLine() == 0) {
    if (auto node = location->findInstanceOf<NameLoc>()) {
      stream << " node '" << node.getName().getValue() << "'";
      if (auto op = dyn_cast<NameLoc>(node.getChildLoc()))
        stream << " (" << op.getName().getValue() << ")";
      stream << ':';
    }
    return text + ' ';
  }
  stream << file.getLine() << ':';
  // A line that stands for a statement of a generated script has none.
  if (file.getColumn() != 0)
    stream << file.getColumn() << ':';
  return text + ' ';
}

std::string hamkaas::formatDiagnostic(Diagnostic &diagnostic) {
  std::string position = formatPosition(diagnostic.getLocation());
  if (position.empty())
    return diagnostic.str();
  StringRef severity;
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Error:
    severity = "error: ";
    break;
  case DiagnosticSeverity::Warning:
    severity = "warning: ";
    break;
  case DiagnosticSeverity::Remark:
    severity = "remark: ";
    break;
  case DiagnosticSeverity::Note:
    severity = "note: ";
    break;
  }
  return position + severity.str() + diagnostic.str();
}

void DiagnosticText::add(Diagnostic &diagnostic) {
  if (!text.empty())
    text += '\n';
  text += formatDiagnostic(diagnostic);
}
