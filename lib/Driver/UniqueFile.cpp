//===- UniqueFile.cpp - New files under unused names ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UniqueFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace hamkaas {

ErrorOr<UniqueFile> createUniqueFile(StringRef prefix) {
  constexpr int attempts = 128;
  std::error_code code;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    UniqueFile file;
    file.path = (prefix + utohexstr(sys::Process::GetRandomNumber(),
                                    /*LowerCase=*/true, /*Width=*/8))
                    .str();
    code = sys::fs::openFileForWrite(file.path, file.descriptor,
                                     sys::fs::CD_CreateNew);
    if (!code)
      return file;
    if (code != std::errc::file_exists)
      break;
  }
  return code;
}

} // namespace hamkaas
