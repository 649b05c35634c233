//===- TextTable.cpp - Columns of text --------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/TextTable.h"
#include "llvm/Support/Locale.h"
#include <algorithm>
#include <utility>

using namespace hamkaas;

/// Columns that `text` takes on a terminal; names may hold any UTF-8.
static size_t getWidth(llvm::StringRef text) {
  int width = llvm::sys::locale::columnWidth(text);
  return width < 0 ? text.size() : width;
}

void TextTable::addRow(llvm::SmallVector<std::string> cells) {
  rows.push_back(std::move(cells));
}

void TextTable::print(llvm::raw_ostream &os) const {
  llvm::SmallVector<size_t> widths(alignments.size());
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], getWidth(row[i]));
  for (const auto &row : rows) {
    // Blanks are held back, so that no line ends in them.
    size_t blanks = 2;
    for (size_t i = 0; i < row.size(); ++i) {
      size_t padding = widths[i] - getWidth(row[i]);
      if (alignments[i] == 'r')
        blanks += padding;
      if (!row[i].empty())
        os.indent(std::exchange(blanks, 0)) << row[i];
      blanks += (alignments[i] == 'r' ? 0 : padding) + 2;
    }
    os << '\n';
  }
}
