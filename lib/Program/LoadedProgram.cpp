//===- LoadedProgram.cpp - A program in this process ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Program/LoadedProgram.h"
#include "HamKaas/Runtime/Core/Functions.h"
#include "HamKaas/Runtime/Core/TensorType.h"
#include "HamKaas/Runtime/Files/LibraryDigest.h"
#include "HamKaas/Support/Errors.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <dlfcn.h>

using namespace llvm;

namespace hamkaas {
namespace {

/// NOTE: dlopen maps segments as the headers say; in a truncated file they are
/// beyond its end, where any access is a SIGBUS.
Error checkSegments(StringRef path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(buffer.getError(),
                             "cannot load '" + path +
                                 "': " + buffer.getError().message());
  StringRef bytes = (*buffer)->getBuffer();
  auto notALibrary = [&](Error error) {
    return createStringError("cannot load '" + path +
                             "': " + toString(std::move(error)));
  };
  auto file = object::ELFFile<object::ELF64LE>::create(bytes);
  if (!file)
    return notALibrary(file.takeError());
  auto segments = file->program_headers();
  if (!segments)
    return notALibrary(segments.takeError());
  for (const auto &segment : *segments)
    if (segment.p_offset > bytes.size() ||
        segment.p_filesz > bytes.size() - segment.p_offset)
      return createStringError(
          "cannot load '" + path + "': truncated: expected " +
          Twine(segment.p_filesz) + " bytes at offset " +
          Twine(segment.p_offset) + ", the file has " + Twine(bytes.size()));
  return Error::success();
}

class SharedLibraryProgram : public LoadedProgram {
public:
  explicit SharedLibraryProgram(void *handle) : handle(handle) {}
  ~SharedLibraryProgram() override { dlclose(handle); }

  Error load(StringRef path) {
    void *address = dlsym(handle, HAMKAAS_PROGRAM_SYMBOL);
    if (!address)
      return createStringError("'" + path +
                               "' is not a compiled model: it "
                               "exports no " HAMKAAS_PROGRAM_SYMBOL);
    return adopt(address, path);
  }

private:
  void *handle;
};

} // namespace

LoadedProgram::~LoadedProgram() = default;

Error LoadedProgram::adopt(const void *address, StringRef origin) {
  const auto *program = static_cast<const HamKaasProgram *>(address);
  // NOTE: the size stands before the version, whose place it confirms.
  if (program->structSize < rt::minimalProgramSize ||
      program->version != HAMKAAS_PROGRAM_VERSION)
    return createStringError("'" + origin +
                             "' was compiled for another version of HamKaas: "
                             "expected a program of version " +
                             Twine(HAMKAAS_PROGRAM_VERSION) + " with " +
                             Twine(rt::minimalProgramSize) +
                             " bytes, got version " + Twine(program->version) +
                             " with " + Twine(program->structSize));
  if (rt::Error error = rt::checkElementTypes(*program))
    return toError(std::move(error));
  descriptor = program;
  return Error::success();
}

Expected<std::unique_ptr<LoadedProgram>>
LoadedProgram::fromSharedLibrary(StringRef path, bool verify) {
  if (verify)
    if (rt::Error error = rt::verifyLibrary(path.str().c_str(), /*threads=*/0))
      return toError(std::move(error));
  if (Error error = checkSegments(path))
    return std::move(error);
  // NOTE: dlopen would search a name without a directory on the system's path.
  SmallString<128> absolute(path);
  if (std::error_code code = sys::fs::make_absolute(absolute))
    return createStringError(code,
                             "cannot load '" + path + "': " + code.message());
  void *handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return createStringError("cannot load '" + path + "': " + dlerror());
  auto program = std::make_unique<SharedLibraryProgram>(handle);
  if (Error error = program->load(path))
    return std::move(error);
  return program;
}

} // namespace hamkaas
