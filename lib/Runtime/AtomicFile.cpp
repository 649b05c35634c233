//===- AtomicFile.cpp - Write a file whole or not at all ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/AtomicFile.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hamkaas::rt;

static Error cannotWrite(const char *path, int code) {
  return Error::format("cannot write '%s': %s", path, ErrnoText(code).c_str());
}

// Returns 0 or an errno value.
static int writePart(int descriptor, const FilePart &part) {
  const char *next = static_cast<const char *>(part.data);
  size_t left = part.size;
  while (left > 0) {
    ssize_t written = write(descriptor, next, left);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return errno;
    next += written;
    left -= static_cast<size_t>(written);
  }
  return 0;
}

// Closes the descriptor in any case. Returns 0 or an errno value.
static int writeAndClose(int descriptor, const FilePart *parts,
                         size_t partCount) {
  int code = 0;
  for (size_t i = 0; i < partCount && code == 0; ++i)
    code = writePart(descriptor, parts[i]);
  // Some file systems report a full disk only here.
  if (close(descriptor) != 0 && code == 0)
    code = errno;
  return code;
}

static Error writeDirectly(const char *path, const FilePart *parts,
                           size_t partCount) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0)
    return cannotWrite(path, errno);
  if (int code = writeAndClose(descriptor, parts, partCount))
    return cannotWrite(path, code);
  return Error();
}

// Opens a file of a name that was free before, "<target>.<process>-<n>.tmp".
// mkstemp is not used because it denies the file to others than its owner.
static int createTemporary(const char *target, char *name, size_t nameSize) {
  static std::atomic<unsigned> counter{0};
  for (int attempt = 0; attempt < 100; ++attempt) {
    snprintf(name, nameSize, "%s.%ld-%u.tmp", target,
             static_cast<long>(getpid()), counter.fetch_add(1));
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST)
      return descriptor;
  }
  return -1;
}

static Error writeAndRename(const char *path, const char *target,
                            const FilePart *parts, size_t partCount) {
  // Room for two numbers and the dots between them.
  size_t nameSize = strlen(target) + 64;
  char *temporary = static_cast<char *>(malloc(nameSize));
  if (!temporary)
    return cannotWrite(path, ENOMEM);
  int descriptor = createTemporary(target, temporary, nameSize);
  int code = descriptor < 0 ? errno : 0;
  if (descriptor >= 0) {
    code = writeAndClose(descriptor, parts, partCount);
    if (code == 0 && rename(temporary, target) != 0)
      code = errno;
    if (code != 0)
      unlink(temporary);
  }
  free(temporary);
  return code == 0 ? Error() : cannotWrite(path, code);
}

Error hamkaas::rt::writeFileAtomically(const char *path, const FilePart *parts,
                                       size_t partCount) {
  struct stat status;
  if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
    return writeDirectly(path, parts, partCount);
  // A symbolic link stays one: the file it leads to is replaced. The path of a
  // new file cannot be resolved and is taken as it is.
  char *resolved = realpath(path, nullptr);
  Error error =
      writeAndRename(path, resolved ? resolved : path, parts, partCount);
  free(resolved);
  return error;
}
