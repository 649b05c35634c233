//===- OutputFile.cpp - Files that appear whole or not at all ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/OutputFile.h"
#include "UniqueFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace hamkaas {
namespace {

Error cannotWrite(StringRef path, std::error_code code) {
  return createStringError(code,
                           "cannot write '" + path + "': " + code.message());
}

Error writeInPlace(StringRef path, StringRef contents) {
  std::error_code code;
  raw_fd_ostream stream(path, code, sys::fs::CD_OpenExisting, sys::fs::FA_Write,
                        sys::fs::OF_None);
  if (code)
    return cannotWrite(path, code);
  stream << contents;
  stream.close();
  code = stream.error();
  stream.clear_error();
  return code ? cannotWrite(path, code) : Error::success();
}

Error writeStandardOutput(StringRef contents) {
  raw_fd_ostream &stream = outs();
  stream << contents;
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  if (!code)
    return Error::success();
  return createStringError(code,
                           "cannot write standard output: " + code.message());
}

} // namespace

Expected<OutputFile> OutputFile::create(StringRef path) {
  // NOTE: a rename would put a regular file in the place of a device.
  sys::fs::file_status status;
  bool special =
      !sys::fs::status(path, status) && !sys::fs::is_regular_file(status);
  if (special && sys::fs::is_directory(status))
    return cannotWrite(path, make_error_code(std::errc::is_a_directory));

  SmallString<128> prefix(path);
  if (special) {
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, prefix);
    sys::path::append(prefix, "hamkaas");
  }
  // NOTE: a relative path can look like an option or a response file.
  if (std::error_code code = sys::fs::make_absolute(prefix))
    return cannotWrite(path, code);
  prefix += ".tmp-";
  ErrorOr<UniqueFile> file = createUniqueFile(prefix);
  if (std::error_code code = file.getError())
    return cannotWrite(path, code);
  return OutputFile(path, std::move(file->path), file->descriptor, special);
}

OutputFile::OutputFile(StringRef path, std::string temporary, int descriptor,
                       bool special)
    : path(path), temporary(std::move(temporary)), descriptor(descriptor),
      special(special) {
  sys::RemoveFileOnSignal(this->temporary);
}

OutputFile::OutputFile(OutputFile &&other)
    : path(std::move(other.path)),
      temporary(std::exchange(other.temporary, std::string())),
      descriptor(std::exchange(other.descriptor, -1)), special(other.special) {}

OutputFile::~OutputFile() { remove(); }

void OutputFile::remove() {
  if (descriptor >= 0)
    close(std::exchange(descriptor, -1));
  if (temporary.empty())
    return;
  sys::fs::remove(temporary);
  sys::DontRemoveFileOnSignal(temporary);
  temporary.clear();
}

Error OutputFile::write(StringRef contents) {
  raw_fd_ostream stream(descriptor, /*shouldClose=*/false);
  stream << contents;
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return code ? cannotWrite(path, code) : Error::success();
}

Error OutputFile::commit() {
  if (!special) {
    if (std::error_code code = sys::fs::rename(temporary, path))
      return cannotWrite(path, code);
    sys::DontRemoveFileOnSignal(temporary);
    temporary.clear();
    return Error::success();
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> contents =
      MemoryBuffer::getFile(temporary, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!contents)
    return cannotWrite(path, contents.getError());
  return writeInPlace(path, (*contents)->getBuffer());
}

Error writeOutputFile(StringRef path, StringRef contents) {
  if (path == "-")
    return writeStandardOutput(contents);
  Expected<OutputFile> file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  if (Error error = file->write(contents))
    return error;
  return file->commit();
}

} // namespace hamkaas
