//===- AtomicFile.cpp - Write a file whole or not at all ------------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Runtime/Files/AtomicFile.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace hamkaas::rt;

// Room for two numbers and what stands around them.
static constexpr size_t suffixSize = 64;

// How much of `prefix` leaves room for a suffix within the longest name of a
// file.
static size_t shortenedLength(const char *prefix) {
  const char *slash = strrchr(prefix, '/');
  size_t directory = slash ? static_cast<size_t>(slash + 1 - prefix) : 0;
  size_t length = strlen(prefix);
  size_t longest = directory + NAME_MAX - suffixSize;
  return length < longest ? length : longest;
}

// mkstemp is not used because it denies the file to others than its owner.
int hamkaas::rt::createUniqueFile(const char *prefix, char *&name) {
  static std::atomic<unsigned> counter{0};
  size_t length = shortenedLength(prefix);
  size_t size = length + suffixSize;
  name = static_cast<char *>(malloc(size));
  int descriptor = -1;
  for (int attempt = 0; name && descriptor < 0 && attempt < 100; ++attempt) {
    snprintf(name, size, "%.*s.%ld-%u.tmp", static_cast<int>(length), prefix,
             static_cast<long>(getpid()), counter.fetch_add(1));
    descriptor = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST)
      break;
  }
  if (descriptor < 0) {
    int code = errno;
    free(name);
    name = nullptr;
    errno = code;
  }
  return descriptor;
}

AtomicFile::~AtomicFile() {
  discard();
  free(path);
  free(target);
}

void AtomicFile::discard() {
  if (descriptor >= 0)
    close(descriptor);
  descriptor = -1;
  if (temporary)
    unlink(temporary);
  free(temporary);
  temporary = nullptr;
  if (createdTarget)
    unlink(target);
  createdTarget = false;
}

Error AtomicFile::cannotWrite(int code) const {
  return Error::format("cannot write '%s': %s", path, ErrnoText(code).c_str());
}

Error AtomicFile::open(const char *given) {
  path = strdup(given);
  if (!path)
    return Error::format("cannot write '%s': out of memory", given);
  Error error = openFile();
  if (error)
    discard();
  return error;
}

Error AtomicFile::openFile() {
  struct stat status;
  bool exists = stat(path, &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor = ::open(path, O_WRONLY | O_CLOEXEC);
    return descriptor < 0 ? cannotWrite(errno) : Error();
  }
  // Write access to the folder suffices to replace a file, but the file's own
  // mode should decide.
  if (exists && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0)
    return cannotWrite(errno);
  if (Error error = createTarget())
    return error;
  descriptor = createUniqueFile(target, temporary);
  if (descriptor < 0)
    return cannotWrite(errno);
  if (exists)
    oldMode = status.st_mode & 0777;
  return Error();
}

// Resolves `path`. A link may lead to a file that does not exist yet, and only
// the path of an existing file can be resolved.
Error AtomicFile::createTarget() {
  target = realpath(path, nullptr);
  if (target)
    return Error();
  struct stat status;
  if (errno != ENOENT || lstat(path, &status) != 0) {
    target = strdup(path);
    return target ? Error() : cannotWrite(ENOMEM);
  }
  int created = ::open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (created < 0)
    return cannotWrite(errno);
  close(created);
  target = realpath(path, nullptr);
  createdTarget = target != nullptr;
  return target ? Error() : cannotWrite(errno);
}

Error AtomicFile::write(const void *data, size_t size) {
  const char *next = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t written = ::write(descriptor, next, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return cannotWrite(errno);
    next += written;
    size -= static_cast<size_t>(written);
  }
  return Error();
}

// Pipes, devices and some file systems have nothing to synchronise.
static bool synchronise(int descriptor) {
  return fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP ||
         errno == EROFS;
}

// Makes the entry of the new file durable.
Error AtomicFile::syncFolder() const {
  // `target` is ours, and its last name is not needed any more.
  char *slash = strrchr(target, '/');
  if (slash)
    slash[slash == target] = '\0';
  int folder = ::open(slash ? target : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  // A folder may be closed to readers and open to writers.
  if (folder < 0)
    return errno == EACCES ? Error() : cannotWrite(errno);
  int code = synchronise(folder) ? 0 : errno;
  close(folder);
  return code ? cannotWrite(code) : Error();
}

Error AtomicFile::commitDurably() {
  if (!synchronise(descriptor))
    return cannotWrite(errno);
  bool isReplaced = temporary != nullptr;
  if (Error error = commit())
    return error;
  return isReplaced ? syncFolder() : Error();
}

Error AtomicFile::commit() {
  int written = descriptor;
  descriptor = -1;
  // Some file systems report a full disk only here.
  if (close(written) != 0)
    return cannotWrite(errno);
  if (!temporary)
    return Error();
  // By name, because the file may have been exchanged.
  if (oldMode >= 0 && chmod(temporary, static_cast<mode_t>(oldMode)) != 0)
    return cannotWrite(errno);
  if (rename(temporary, target) != 0)
    return cannotWrite(errno);
  createdTarget = false;
  free(temporary);
  temporary = nullptr;
  return Error();
}
