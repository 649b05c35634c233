//===- Comments.cpp - Comments of generated code ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Comments.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <string>

using llvm::StringRef;

/// True for a line that goes on with the paragraph before it, and not a row of
/// a table or an item of a list.
static bool isContinued(StringRef line) {
  return !line.trim().empty() && !StringRef(" |*").contains(line.front());
}

void hamkaas::tblgen::emitComment(StringRef text, llvm::raw_ostream &os,
                                  StringRef indent) {
  std::string current;
  auto flush = [&] {
    if (!current.empty())
      os << indent << current << '\n';
    current.clear();
  };
  bool mayContinue = false;
  for (StringRef line : llvm::split(text, '\n')) {
    bool isText = isContinued(line);
    if (!isText || !mayContinue)
      flush();
    mayContinue = isText;
    if (current.empty())
      current = "///";
    // A row of a table keeps its spaces.
    if (line.starts_with("|")) {
      current += (" " + line).str();
      continue;
    }
    llvm::SmallVector<StringRef> words;
    line.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (line.starts_with("  ") && !words.empty())
      current += "  ";
    for (StringRef word : words) {
      if (indent.size() + current.size() + 1 + word.size() > 80) {
        flush();
        current = "///";
      }
      current += " " + word.str();
    }
  }
  flush();
}
