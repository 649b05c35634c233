//===- ProgramInMemory.h - A compiled program to run ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_PROGRAMINMEMORY_H
#define HAMKAAS_PROGRAM_PROGRAMINMEMORY_H

#include "HamKaas/Program/LoadedProgram.h"
#include "HamKaas/Program/ProgramInfo.h"

namespace hamkaas {

/// A program that was compiled in this process, ready to run in it.
struct ProgramInMemory {
  ProgramInfo info;
  std::unique_ptr<LoadedProgram> program;
};

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_PROGRAMINMEMORY_H
