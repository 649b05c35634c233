//===- SourceLine.h - Where a line of a script comes from -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_FRONTEND_SCRIPT_SOURCELINE_H
#define HAMKAAS_FRONTEND_SCRIPT_SOURCELINE_H

#include "llvm/ADT/StringRef.h"

namespace hamkaas {

/// Where a line of a script that was generated comes from.
struct SourceLine {
  llvm::StringRef file;
  unsigned line = 0; ///< From 1.
};

} // namespace hamkaas

#endif // HAMKAAS_FRONTEND_SCRIPT_SOURCELINE_H
