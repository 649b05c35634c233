//===- RunLinker.h - The linker in this process -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_PROGRAM_RUNLINKER_H
#define HAMKAAS_LIB_PROGRAM_RUNLINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace hamkaas {

/// Runs `ld.lld -o output arguments...`; its messages are the text of the
/// error.
/// Links `output`, which becomes the file `path`, the one to name in errors.
llvm::Error runLinker(llvm::StringRef path, llvm::StringRef output,
                      llvm::ArrayRef<std::string> arguments);

} // namespace hamkaas

#endif // HAMKAAS_LIB_PROGRAM_RUNLINKER_H
