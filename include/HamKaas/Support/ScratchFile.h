//===- ScratchFile.h - Unnamed files for the linker -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_SUPPORT_SCRATCHFILE_H
#define HAMKAAS_SUPPORT_SCRATCHFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hamkaas {

/// A file without a name in any directory: it is gone when it is closed,
/// however the process ends. Others in this process read it through `path`.
class ScratchFile {
public:
  /// The file takes its space from the file system of `directory`.
  static llvm::Expected<ScratchFile> create(llvm::StringRef directory);
  ScratchFile(ScratchFile &&other);
  ~ScratchFile();

  std::string path() const;
  int descriptor() const { return fd; }

private:
  explicit ScratchFile(int fd) : fd(fd) {}

  int fd;
};

} // namespace hamkaas

#endif // HAMKAAS_SUPPORT_SCRATCHFILE_H
