//===- OutputFile.cpp - Files that appear whole or not at all ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/OutputFile.h"
#include "HamKaas/Runtime/Files/AtomicFile.h"
#include "HamKaas/Support/Errors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <utility>

using namespace llvm;

namespace hamkaas {
namespace {

Error cannotWrite(StringRef path, std::error_code code) {
  return createStringError(code,
                           "cannot write '" + path + "': " + code.message());
}

Expected<std::unique_ptr<rt::AtomicFile>> openFile(StringRef path) {
  auto file = std::make_unique<rt::AtomicFile>();
  if (Error error = toError(file->open(path.str().c_str())))
    return std::move(error);
  return file;
}

} // namespace

Expected<OutputFile> OutputFile::create(StringRef path) {
  auto target = openFile(path);
  if (!target)
    return target.takeError();
  if ((*target)->temporaryPath())
    return OutputFile(path, std::move(*target), /*contents=*/nullptr);
  // The linker cannot write to a device.
  SmallString<128> elsewhere;
  sys::path::system_temp_directory(/*ErasedOnReboot=*/true, elsewhere);
  sys::path::append(elsewhere, "hamkaas");
  auto contents = openFile(elsewhere);
  if (!contents)
    return contents.takeError();
  return OutputFile(path, std::move(*target), std::move(*contents));
}

OutputFile::OutputFile(StringRef path, std::unique_ptr<rt::AtomicFile> target,
                       std::unique_ptr<rt::AtomicFile> contents)
    : path(path), target(std::move(target)), contents(std::move(contents)) {
  // NOTE: a relative path can look like an option or a response file.
  SmallString<128> absolute(file().temporaryPath());
  (void)sys::fs::make_absolute(absolute);
  temporary = absolute.str();
  sys::RemoveFileOnSignal(temporary);
}

OutputFile::OutputFile(OutputFile &&other)
    : path(std::move(other.path)), target(std::move(other.target)),
      contents(std::move(other.contents)),
      temporary(std::exchange(other.temporary, std::string())) {}

OutputFile::~OutputFile() {
  if (!temporary.empty())
    sys::DontRemoveFileOnSignal(temporary);
}

Error OutputFile::write(StringRef text) {
  return toError(file().write(text.data(), text.size()));
}

Error OutputFile::write(function_ref<rt::Error(rt::AtomicFile &)> writer) {
  return toError(writer(file()));
}

Error OutputFile::commit() {
  if (contents) {
    auto buffer = MemoryBuffer::getFile(temporary, /*IsText=*/false,
                                        /*RequiresNullTerminator=*/false);
    if (!buffer)
      return cannotWrite(path, buffer.getError());
    StringRef bytes = (*buffer)->getBuffer();
    if (Error error = toError(target->write(bytes.data(), bytes.size())))
      return error;
  }
  if (Error error = toError(target->commit()))
    return error;
  if (!contents)
    sys::DontRemoveFileOnSignal(std::exchange(temporary, std::string()));
  return Error::success();
}

void OutputFile::remove() {
  if (!contents)
    sys::fs::remove(path);
}

Error flushStandardOutput() {
  raw_fd_ostream &stream = outs();
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  if (!code)
    return Error::success();
  return createStringError(code,
                           "cannot write standard output: " + code.message());
}

Error writeOutputFile(StringRef path, StringRef contents) {
  if (path == "-") {
    outs() << contents;
    return flushStandardOutput();
  }
  Expected<OutputFile> file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  if (Error error = file->write(contents))
    return error;
  return file->commit();
}

} // namespace hamkaas
