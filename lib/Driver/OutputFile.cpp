//===- OutputFile.cpp - Files that appear whole or not at all ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/OutputFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace hamkaas {
namespace {

Error cannotWrite(StringRef path, std::error_code code) {
  return createStringError(code, "cannot write '" + path +
                                     "': " + code.message());
}

Error cannotWrite(StringRef path, Error error) {
  return cannotWrite(path, errorToErrorCode(std::move(error)));
}

Error writeInPlace(StringRef path, StringRef contents) {
  std::error_code code;
  raw_fd_ostream stream(path, code, sys::fs::CD_OpenExisting,
                        sys::fs::FA_Write, sys::fs::OF_None);
  if (code)
    return cannotWrite(path, code);
  stream << contents;
  stream.close();
  code = stream.error();
  stream.clear_error();
  return code ? cannotWrite(path, code) : Error::success();
}

} // namespace

Expected<OutputFile> OutputFile::create(StringRef path) {
  // NOTE: a rename would put a regular file in the place of a device.
  sys::fs::file_status status;
  bool special = !sys::fs::status(path, status) &&
                 !sys::fs::is_regular_file(status);
  if (special && sys::fs::is_directory(status))
    return cannotWrite(path, make_error_code(std::errc::is_a_directory));

  SmallString<128> model(path);
  if (special)
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, model);
  if (special)
    sys::path::append(model, "hamkaas");
  model += ".tmp-%%%%%%%%";
  Expected<sys::fs::TempFile> file = sys::fs::TempFile::create(model);
  if (!file)
    return cannotWrite(path, file.takeError());
  return OutputFile(path.str(), std::move(*file), special);
}

OutputFile::~OutputFile() {
  if (file)
    consumeError(file->discard());
}

Error OutputFile::write(StringRef contents) {
  raw_fd_ostream stream(file->FD, /*shouldClose=*/false);
  stream << contents;
  stream.flush();
  std::error_code code = stream.error();
  stream.clear_error();
  return code ? cannotWrite(path, code) : Error::success();
}

Error OutputFile::commit() {
  if (!special) {
    Error error = file->keep(path);
    file.reset();
    return error ? cannotWrite(path, std::move(error)) : Error::success();
  }
  ErrorOr<std::unique_ptr<MemoryBuffer>> contents =
      MemoryBuffer::getFile(temporaryPath(), /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  if (!contents)
    return cannotWrite(path, contents.getError());
  return writeInPlace(path, (*contents)->getBuffer());
}

Error writeOutputFile(StringRef path, StringRef contents) {
  Expected<OutputFile> file = OutputFile::create(path);
  if (!file)
    return file.takeError();
  if (Error error = file->write(contents))
    return error;
  return file->commit();
}

} // namespace hamkaas
