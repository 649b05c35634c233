//===- ReportError.cpp - Errors that end a tool -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/ReportError.h"
#include "HamKaas/Support/OutputFile.h"
#include "HamKaas/Support/Signals.h"
#include "HamKaas/Support/VisibleText.h"
#include "llvm/Support/WithColor.h"
#include <cstdlib>
#include <string>

using namespace hamkaas;
using llvm::StringRef;

char ReportedError::ID;

int hamkaas::reportError(llvm::Error error, StringRef tool) {
  int status = 0;
  llvm::handleAllErrors(
      llvm::joinErrors(std::move(error), flushStandardOutput()),
      [&](const ReportedError &) { status = 1; },
      [&](const llvm::ErrorInfoBase &info) {
        status = 1;
        // Whoever reads the output wants no more of it.
        if (info.convertToErrorCode() == std::errc::broken_pipe)
          endByBrokenPipe();
        // A text that begins with a source position stands for itself.
        std::string text = makeLinesVisible(info.message());
        if (StringRef(text).contains(": error: "))
          llvm::errs() << text << '\n';
        else
          llvm::WithColor::error(llvm::errs(), tool) << text << '\n';
      });
  return status;
}

void hamkaas::reportUnwrittenOutputAtExit(StringRef tool) {
  static std::string name;
  name = tool.str();
  // NOTE: makes the stream first, so that it is destroyed last.
  llvm::outs();
  std::atexit([] {
    if (int status = reportError(llvm::Error::success(), name))
      std::_Exit(status);
  });
}
