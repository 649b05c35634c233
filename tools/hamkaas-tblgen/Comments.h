//===- Comments.h - Comments of generated code ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOOLS_TBLGEN_COMMENTS_H
#define HAMKAAS_TOOLS_TBLGEN_COMMENTS_H

#include "llvm/Support/raw_ostream.h"

namespace hamkaas::tblgen {

/// Prints `text` as `///` comments of up to 80 columns, paragraph by paragraph.
void emitComment(llvm::StringRef text, llvm::raw_ostream &os,
                 llvm::StringRef indent = "");

} // namespace hamkaas::tblgen

#endif // HAMKAAS_TOOLS_TBLGEN_COMMENTS_H
