//===- Arguments.cpp - What comes in from C, checked ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"
#include "HamKaas/Driver/Identifiers.h"
#include "llvm/Support/ConvertUTF.h"

using namespace llvm;
using namespace hamkaas;
using namespace hamkaas::capi;

char *capi::copyText(StringRef text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (!copy)
    return nullptr;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  return copy;
}

HamKaasError capi::fromError(Error error) {
  if (!error)
    return nullptr;
  if (char *text = copyText(toString(std::move(error))))
    return text;
  // The last that may fail, for want of a few bytes: there is no more to say.
  return copyText("");
}

HamKaasError capi::noPlace(StringRef what) {
  return fromError(
      createStringError("expected a place for " + what + ", got null"));
}

Error capi::checkText(const char *text, StringRef what) {
  if (!text)
    return createStringError("expected " + what + ", got null");
  auto *begin = reinterpret_cast<const UTF8 *>(text);
  const UTF8 *cursor = begin;
  if (isLegalUTF8String(&cursor, begin + std::strlen(text)))
    return Error::success();
  return createStringError("expected " + what + " in UTF-8, got the byte 0x" +
                           utohexstr(*cursor, /*LowerCase=*/true) +
                           " at offset " + Twine(cursor - begin));
}

static Error checkLines(const HamKaasCompileOptions &options) {
  if (options.lineCount < 0)
    return createStringError("expected a lineCount of at least 0, got " +
                             Twine(options.lineCount));
  if (options.lineCount > 0 && !options.lines)
    return createStringError("expected " + Twine(options.lineCount) +
                             " lines, got null");
  for (int32_t i = 0; i < options.lineCount; ++i) {
    const HamKaasSourceLine &line = options.lines[i];
    std::string what = ("the file of line " + Twine(i)).str();
    if (Error error = checkText(line.file, what))
      return error;
    if (line.line < 0 || line.line > UINT32_MAX)
      return createStringError("expected a line number of 0 to 2^32 - 1, got " +
                               Twine(line.line));
  }
  return Error::success();
}

Error capi::applyOptions(const HamKaasCompileOptions &options,
                         ModelSource &source) {
  if (Error error = checkLines(options))
    return error;
  if (options.name) {
    if (Error error = checkText(options.name, "a name of the model"))
      return error;
    source.name = modelIdentifier(options.name);
    if (source.file.empty())
      source.file = options.name;
  }
  if (options.targetCpu) {
    if (Error error = checkText(options.targetCpu, "a target CPU"))
      return error;
    source.targetCpu = options.targetCpu;
  }
  source.maxWorkspace = options.maxWorkspace;
  source.unchecked = options.unchecked != 0;
  for (const HamKaasSourceLine &line :
       ArrayRef(options.lines, options.lineCount))
    source.lines.push_back({line.file, line.line});
  return Error::success();
}

void capi::setProgress(const HamKaasCompileOptions &options,
                       CompileOptions &compileOptions) {
  if (!options.progress)
    return;
  compileOptions.progress =
      [function = options.progress,
       context = options.progressContext](StringRef step, int done, int total) {
        return function(context, step.str().c_str(), done, total) == 0;
      };
}
