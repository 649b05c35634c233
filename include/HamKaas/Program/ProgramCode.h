//===- ProgramCode.h - Compiled code and what is known of it ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_PROGRAMCODE_H
#define HAMKAAS_PROGRAM_PROGRAMCODE_H

#include "HamKaas/Program/LinkProgram.h"
#include "HamKaas/Program/ProgramInfo.h"

namespace hamkaas {

/// A compiled program without its descriptor: what follows from the graph and
/// the target, not from the name of the model or where its weights are.
struct ProgramCode {
  /// All but the name, the digest and the time of compilation.
  ProgramInfo info;
  ProgramObjects objects;
};

/// As bytes, and back. Nothing if the bytes are none of this version.
std::string saveCode(ProgramCode &code);
std::optional<ProgramCode> loadCode(llvm::StringRef bytes);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_PROGRAMCODE_H
