//===- UniqueFile.h - New files under unused names --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_UNIQUEFILE_H
#define HAMKAAS_LIB_DRIVER_UNIQUEFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include <string>

namespace hamkaas {

struct UniqueFile {
  int descriptor; ///< Open for writing; the caller closes it.
  std::string path;
};

/// Creates a file whose name begins with `prefix`. Unlike LLVM's function it
/// takes a prefix with a "%" as it is.
llvm::ErrorOr<UniqueFile> createUniqueFile(llvm::StringRef prefix);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_UNIQUEFILE_H
