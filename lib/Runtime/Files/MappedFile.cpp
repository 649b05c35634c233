//===- MappedFile.cpp - A file's contents in memory -----------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/MappedFile.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hamkaas::rt;

static Error cannotRead(const char *path, int code) {
  return Error::format("cannot read '%s': %s", path, ErrnoText(code).c_str());
}

static Error mapDescriptor(int descriptor, const char *path,
                           const uint8_t *&contents, size_t &length) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    return cannotRead(path, errno);
  if (!S_ISREG(status.st_mode))
    return Error::format("cannot read '%s': not a regular file", path);
  // mmap refuses a length of zero.
  if (status.st_size == 0)
    return Error();
  size_t size = static_cast<size_t>(status.st_size);
  void *address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (address == MAP_FAILED)
    return cannotRead(path, errno);
  contents = static_cast<const uint8_t *>(address);
  length = size;
  return Error();
}

Error MappedFile::open(const char *path) {
  close();
  // O_NONBLOCK keeps a pipe without a writer from blocking the open.
  int descriptor = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return cannotRead(path, errno);
  Error error = mapDescriptor(descriptor, path, contents, length);
  ::close(descriptor);
  return error;
}

void MappedFile::close() {
  if (contents)
    munmap(const_cast<uint8_t *>(contents), length);
  contents = nullptr;
  length = 0;
}
