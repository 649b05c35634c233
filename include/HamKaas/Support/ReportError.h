//===- ReportError.h - Errors that end a tool -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_REPORTERROR_H
#define HAMKAAS_SUPPORT_REPORTERROR_H

#include "llvm/Support/Error.h"

namespace hamkaas {

/// A failure whose reason went to the diagnostics of the MLIRContext.
class ReportedError : public llvm::ErrorInfo<ReportedError> {
public:
  static char ID;
  void log(llvm::raw_ostream &stream) const override {
    stream << "an error that was reported";
  }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
};

/// Prints the error for the user of `tool`, unless it was reported before, and
/// returns the exit status: 0 for success, 1 for an error or if standard output
/// could not be written.
int reportError(llvm::Error error, llvm::StringRef tool);

/// Reports at the end of the process what `main` could not: LLVM's --help and
/// --version end a tool while its command line is parsed. Without this, output
/// that was not written brings an error of LLVM's own.
void reportUnwrittenOutputAtExit(llvm::StringRef tool);

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_REPORTERROR_H
