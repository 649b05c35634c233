//===- ProgramFile.h - Where a program was loaded from ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_RUNTIME_FILES_PROGRAMFILE_H
#define HAMKAAS_LIB_RUNTIME_FILES_PROGRAMFILE_H

#include "hamkaas-c/Program.h"

namespace hamkaas::rt {

/// The library or executable that a program is part of, by the path that it was
/// loaded with.
class ProgramFile {
public:
  explicit ProgramFile(const HamKaasProgram &program);
  ProgramFile(const ProgramFile &) = delete;
  ProgramFile &operator=(const ProgramFile &) = delete;
  ~ProgramFile();

  /// Null for a program that was made in memory.
  const char *path() const { return file; }

  /// The path of a file beside it with the file name of `other`; the caller
  /// frees it. Null if there is no such path, or no memory.
  char *pathBeside(const char *other) const;

private:
  char *file = nullptr;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_LIB_RUNTIME_FILES_PROGRAMFILE_H
