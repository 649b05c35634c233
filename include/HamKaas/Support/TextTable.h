//===- TextTable.h - Columns of text ----------------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_TEXTTABLE_H
#define HAMKAAS_SUPPORT_TEXTTABLE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace hamkaas {

/// Rows of cells, printed with columns as wide as their widest cell.
class TextTable {
public:
  /// One letter a column: 'l' aligns its cells left, 'r' right.
  explicit TextTable(llvm::StringRef alignments) : alignments(alignments) {}

  /// Appends a row; cells that are missing at its end are empty.
  void addRow(llvm::SmallVector<std::string> cells);

  /// Prints each row on a line, indented by two spaces.
  void print(llvm::raw_ostream &os) const;

private:
  std::string alignments;
  llvm::SmallVector<llvm::SmallVector<std::string>> rows;
};

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_TEXTTABLE_H
