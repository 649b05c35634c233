//===- AtomicFile.h - Write a file whole or not at all ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_ATOMICFILE_H
#define HAMKAAS_RUNTIME_FILES_ATOMICFILE_H

#include "HamKaas/Runtime/Core/Error.h"

#include <cstddef>

namespace hamkaas::rt {

/// A file under construction. It is written under a temporary name beside its
/// final one; `commit` gives it the final name, the destructor removes it. So
/// whoever opens the path sees the old contents or all of the new.
///
/// It goes where a plain write would: through a symbolic link to the file it
/// leads to, not over a file that denies writing, and an old file's mode stays.
/// Pipes and devices, which are no regular files, are written directly.
///
/// NOTE: llvm::sys::fs::TempFile, and llvm::writeToOutput, which uses it, do
/// none of this, and they replace each "%" in the path by a digit. Compiled
/// models write files too, and hold no LLVM.
class AtomicFile {
public:
  AtomicFile() = default;
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;
  ~AtomicFile();

  /// Once for each object. All errors name `path` and the reason.
  Error open(const char *path);

  /// Where others may write the contents instead: a file that exists and is
  /// empty. They may replace it by another of this name. Null if `path` is
  /// written directly.
  const char *temporaryPath() const { return temporary; }

  Error write(const void *data, size_t size);
  Error commit();
  /// The same for a file that must survive a crash of the system: when it
  /// returns, contents and name are on the disk. Before, the old ones are.
  Error commitDurably();

private:
  Error openFile();
  Error createTarget();
  Error syncFolder() const;
  Error cannotWrite(int code) const;
  void discard();

  char *path = nullptr;      // as the caller gave it, for messages
  char *target = nullptr;    // the file to replace, without links
  char *temporary = nullptr; // null after the commit, too
  int descriptor = -1;
  int oldMode = -1;           // -1 if there was no file
  bool createdTarget = false; // it did not exist, and is empty so far
};

/// Creates a file of a name that was free before and begins with `prefix`,
/// which may hold any characters, or with the beginning of its last name where
/// that is too long. Returns a descriptor to write to, and the
/// name from malloc; or -1 with the reason in errno.
int createUniqueFile(const char *prefix, char *&name /* out */);

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_ATOMICFILE_H
