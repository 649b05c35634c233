//===- Jit.h - Programs that are compiled and run at once -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_JIT_H
#define HAMKAAS_PROGRAM_JIT_H

#include "HamKaas/Program/LinkProgram.h"
#include "HamKaas/Program/LoadedProgram.h"
#include "llvm/Support/MemoryBuffer.h"

namespace hamkaas {

/// A program in memory, loaded from the objects that would otherwise go into
/// `model.so`: so both run the same machine code.
class JitProgram : public LoadedProgram {
public:
  /// `data` are the symbols that the objects have from embedded parameters;
  /// the bytes are used in place and outlive the program.
  static llvm::Expected<std::unique_ptr<JitProgram>>
  load(ProgramObjects objects, llvm::ArrayRef<EmbeddedData> data = {});
  ~JitProgram() override;

private:
  struct Session;
  explicit JitProgram(std::unique_ptr<Session> session);

  std::unique_ptr<Session> session;
};

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_JIT_H
