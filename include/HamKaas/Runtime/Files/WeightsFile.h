//===- WeightsFile.h - The weights that a program names ---------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_FILES_WEIGHTSFILE_H
#define HAMKAAS_RUNTIME_FILES_WEIGHTSFILE_H

#include "HamKaas/Runtime/Files/MappedFile.h"
#include "hamkaas-c/Runtime.h"

namespace hamkaas::rt {

/// The file that HamKaasProgram::weightsFile names: looked for beside the
/// program, then where it was when the program was compiled. Only one of the
/// size and digest that the program has is taken.
class WeightsFile {
public:
  WeightsFile() = default;
  WeightsFile(const WeightsFile &) = delete;
  WeightsFile &operator=(const WeightsFile &) = delete;
  ~WeightsFile();

  /// The error says what was expected, and what was found at each place.
  Error open(const HamKaasProgram &program,
             const HamKaasInstanceOptions &options);

  const MappedFile &file() const { return mapped; }
  /// The path that was opened.
  const char *path() const { return opened; }

private:
  bool tryPath(const HamKaasProgram &program,
               const HamKaasInstanceOptions &options, const char *path,
               TextBuilder &problems);

  MappedFile mapped;
  char *beside = nullptr;
  const char *opened = nullptr;
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_FILES_WEIGHTSFILE_H
