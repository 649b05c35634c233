//===- SourceDiagnostics.cpp - Diagnostics with their lines -----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/SourceDiagnostics.h"
#include "HamKaas/Support/VisibleText.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace hamkaas;

static std::string visible(StringAttr name) {
  return makeVisible(name.getValue());
}

/// The position of a diagnostic, followed by ": "; empty for an unknown one.
static std::string formatPosition(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  if (!file)
    return "";
  std::string text = visible(file.getFilename()) + ":";
  // A file without lines has nodes: the name of one is around its operator.
  if (file.getLine() == 0) {
    if (auto node = location->findInstanceOf<NameLoc>()) {
      text += " node '" + visible(node.getName()) + "'";
      if (auto op = dyn_cast<NameLoc>(node.getChildLoc()))
        text += " (" + visible(op.getName()) + ")";
      text += ':';
    }
    return text + ' ';
  }
  text += std::to_string(file.getLine()) + ":";
  // A line that stands for a statement of a generated script has none.
  if (file.getColumn() != 0)
    text += std::to_string(file.getColumn()) + ":";
  return text + ' ';
}

static std::pair<StringRef, llvm::HighlightColor>
describeSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return {"error: ", llvm::HighlightColor::Error};
  case DiagnosticSeverity::Warning:
    return {"warning: ", llvm::HighlightColor::Warning};
  case DiagnosticSeverity::Remark:
    return {"remark: ", llvm::HighlightColor::Remark};
  case DiagnosticSeverity::Note:
    return {"note: ", llvm::HighlightColor::Note};
  }
  llvm_unreachable("all severities are handled");
}

std::string hamkaas::formatDiagnostic(Diagnostic &diagnostic) {
  std::string position = formatPosition(diagnostic.getLocation());
  std::string text = makeLinesVisible(diagnostic.str());
  if (position.empty())
    return text;
  return position + describeSeverity(diagnostic.getSeverity()).first.str() +
         text;
}

SourceDiagnostics::SourceDiagnostics(llvm::SourceMgr &sources,
                                     MLIRContext *context, raw_ostream &stream)
    : sources(sources), stream(stream),
      handler(context, [this](Diagnostic &diagnostic) {
        print(diagnostic);
        for (Diagnostic &note : diagnostic.getNotes())
          print(note);
      }) {}

void SourceDiagnostics::print(Diagnostic &diagnostic) {
  auto [severity, color] = describeSeverity(diagnostic.getSeverity());
  stream << formatPosition(diagnostic.getLocation());
  llvm::WithColor(stream, color) << severity;
  stream << makeLinesVisible(diagnostic.str()) << '\n';
  printLine(diagnostic.getLocation());
}

/// The place of a generated statement is a line, without a caret.
void SourceDiagnostics::printLine(Location location) {
  auto file = location->findInstanceOf<FileLineColLoc>();
  if (!file || file.getLine() == 0)
    return;
  unsigned id = findBuffer(file.getFilename());
  if (id == 0)
    return;
  const char *begin =
      sources.FindLocForLineAndColumn(id, file.getLine(), 0).getPointer();
  if (!begin)
    return;
  StringRef text = sources.getMemoryBuffer(id)->getBuffer();
  StringRef line =
      text.drop_front(begin - text.begin()).split('\n').first.rtrim('\r');
  // The file may be another than the one that was compiled.
  size_t place = std::max(file.getColumn(), 1u) - 1;
  if (place > line.size())
    return;
  Excerpt excerpt = makeExcerpt(line, place);
  stream << excerpt.text << '\n';
  if (file.getColumn() != 0)
    stream.indent(excerpt.column) << "^\n";
}

/// The number of the buffer with a file's contents, 0 if there is none.
unsigned SourceDiagnostics::findBuffer(StringRef file) {
  for (unsigned id = 1; id <= sources.getNumBuffers(); ++id)
    if (sources.getMemoryBuffer(id)->getBufferIdentifier() == file)
      return id;
  // Reading a pipe would wait for whoever writes to it.
  std::string path;
  return llvm::sys::fs::is_regular_file(file)
             ? sources.AddIncludeFile(file.str(), llvm::SMLoc(), path)
             : 0;
}
