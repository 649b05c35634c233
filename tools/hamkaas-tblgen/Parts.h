//===- Parts.h - Generated parts of files -----------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOOLS_TBLGEN_PARTS_H
#define HAMKAAS_TOOLS_TBLGEN_PARTS_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Record.h"

namespace hamkaas::tblgen {

/// Prints lines of a file, each with its end.
struct Part {
  llvm::StringRef name;
  void (*emit)(const llvm::RecordKeeper &records, llvm::raw_ostream &os);
};

/// Prints the file at `path` with its generated parts updated. A part is the
/// text between a line with "hamkaas-tblgen begin: NAME" and one with
/// "hamkaas-tblgen end".
llvm::Error updateParts(const llvm::RecordKeeper &records, llvm::StringRef path,
                        llvm::ArrayRef<Part> parts, llvm::raw_ostream &os);

} // namespace hamkaas::tblgen

#endif // HAMKAAS_TOOLS_TBLGEN_PARTS_H
