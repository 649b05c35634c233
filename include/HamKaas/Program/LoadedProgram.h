//===- LoadedProgram.h - A program in this process --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_LOADEDPROGRAM_H
#define HAMKAAS_PROGRAM_LOADEDPROGRAM_H

#include "hamkaas-c/Program.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace hamkaas {

/// A compiled model in memory, however it came there. Whoever runs it keeps
/// this object until the last instance is destroyed.
class LoadedProgram {
public:
  virtual ~LoadedProgram();

  const HamKaasProgram &program() const { return *descriptor; }

  /// Loads a `model.so`. The error says why the file is not one, or that it was
  /// made by a compiler whose programs this runtime does not know.
  /// With `verify` the file is compared with its digest before.
  /// NOTE: loading runs code of the file; load only what you would run.
  static llvm::Expected<std::unique_ptr<LoadedProgram>>
  fromSharedLibrary(llvm::StringRef path, bool verify = false);

protected:
  LoadedProgram() = default;

  /// Checks the version and takes the descriptor. `origin` names the program in
  /// an error.
  llvm::Error adopt(const void *address, llvm::StringRef origin);

private:
  const HamKaasProgram *descriptor = nullptr;
};

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_LOADEDPROGRAM_H
