//===- FindLibraries.h - What a program is linked with ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_PROGRAM_FINDLIBRARIES_H
#define HAMKAAS_LIB_PROGRAM_FINDLIBRARIES_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hamkaas {

/// The static library with the runtime: beside the running program where it is
/// installed or built, otherwise where this library was built.
llvm::Expected<std::string> findRuntimeArchive();

/// Paths of the C library, the mathematics library and the loader that this
/// process itself uses.
llvm::Expected<std::vector<std::string>> findSystemLibraries();

} // namespace hamkaas

#endif // HAMKAAS_LIB_PROGRAM_FINDLIBRARIES_H
