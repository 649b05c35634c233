//===- Graphviz.cpp - Drawings by the program dot ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/Graphviz.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace hamkaas;
using llvm::SmallString;
using llvm::StringRef;
using llvm::Twine;

/// Creates an empty file whose name ends in `suffix`.
static llvm::Expected<std::string> createTemporaryFile(StringRef suffix) {
  SmallString<128> path;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("hamkaas", suffix, path))
    return llvm::createStringError(code, "cannot create a temporary file: " +
                                             code.message());
  return path.str().str();
}

static llvm::Error writeFile(StringRef path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << text;
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return llvm::createStringError(code, "cannot write " + path + ": " +
                                             code.message());
  return llvm::Error::success();
}

llvm::Error hamkaas::runGraphviz(StringRef text, llvm::raw_ostream &os) {
  llvm::ErrorOr<std::string> dot = llvm::sys::findProgramByName("dot");
  if (!dot)
    return llvm::createStringError(
        "drawing a graph needs the program 'dot' in PATH: install Graphviz "
        "(Debian: apt-get install graphviz)");
  llvm::Expected<std::string> input = createTemporaryFile("dot");
  if (!input)
    return input.takeError();
  llvm::FileRemover inputRemover(*input);
  llvm::Expected<std::string> output = createTemporaryFile("svg");
  if (!output)
    return output.takeError();
  llvm::FileRemover outputRemover(*output);
  if (llvm::Error error = writeFile(*input, text))
    return error;

  std::string message;
  StringRef arguments[] = {*dot, "-Tsvg", "-o", *output, *input};
  int status = llvm::sys::ExecuteAndWait(*dot, arguments, std::nullopt, {},
                                         /*SecondsToWait=*/0,
                                         /*MemoryLimit=*/0, &message);
  if (status != 0)
    return llvm::createStringError("'dot' ended with status " + Twine(status) +
                                   (message.empty() ? "" : ": " + message));
  auto buffer = llvm::MemoryBuffer::getFile(*output);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read the output of 'dot': " +
                                       buffer.getError().message());
  os << (*buffer)->getBuffer();
  return llvm::Error::success();
}
