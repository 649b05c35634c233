//===- ScratchFile.cpp - Unnamed files for the linker -----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Support/ScratchFile.h"
#include "HamKaas/Runtime/Files/AtomicFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/Path.h"
#include <cstdlib>
#include <unistd.h>
#include <utility>

using namespace llvm;

namespace hamkaas {

Expected<ScratchFile> ScratchFile::create(StringRef directory) {
  SmallString<128> prefix(directory);
  sys::path::append(prefix, ".hamkaas");
  char *name;
  int descriptor = rt::createUniqueFile(prefix.c_str(), name);
  if (descriptor < 0) {
    std::error_code code = errnoAsErrorCode();
    return createStringError(code, "cannot write a temporary file in '" +
                                       directory + "': " + code.message());
  }
  unlink(name);
  free(name);
  return ScratchFile(descriptor);
}

ScratchFile::ScratchFile(ScratchFile &&other)
    : fd(std::exchange(other.fd, -1)) {}

ScratchFile::~ScratchFile() {
  if (fd >= 0)
    close(fd);
}

std::string ScratchFile::path() const {
  return "/proc/self/fd/" + std::to_string(fd);
}

} // namespace hamkaas
