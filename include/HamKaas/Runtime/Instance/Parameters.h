//===- Parameters.h - Where a program's parameters are ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_RUNTIME_INSTANCE_PARAMETERS_H
#define HAMKAAS_RUNTIME_INSTANCE_PARAMETERS_H

#include "HamKaas/Runtime/Core/Device.h"
#include "HamKaas/Runtime/Files/Gguf.h"
#include "HamKaas/Runtime/Files/MappedFile.h"
#include "HamKaas/Runtime/Files/Safetensors.h"
#include "HamKaas/Runtime/Files/TensorFinder.h"
#include "HamKaas/Runtime/Files/WeightsFile.h"
#include "hamkaas-c/Runtime.h"

namespace hamkaas::rt {

/// Finds a program's parameters: among those that the caller gives by pointer,
/// else in a weights file, else embedded in the program.
class Parameters {
public:
  /// All must outlive this object.
  Parameters(const HamKaasProgram &program,
             const HamKaasInstanceOptions &options, const Device &device)
      : program(program), options(options), device(device),
        finder(program.name, "parameter", program.parameters,
               program.parameterCount) {}
  Parameters(const Parameters &) = delete;
  Parameters &operator=(const Parameters &) = delete;
  ~Parameters();

  /// Finds all of them. The error tells of all problems, one a line.
  Error resolve();

  /// One address a parameter in the order of the program's table, each aligned
  /// for its element type where the device's memory is the process's. Valid as
  /// long as this object.
  const void *const *addresses() const { return finder.addresses(); }

private:
  Error allocate();
  Error takeFiles();
  Error takeFile(const MappedFile &mapped, const char *path);
  bool needsOwnFile() const;
  void takeEmbedded();
  bool mayBeMisaligned() const;
  Error alignAll();

  const HamKaasProgram &program;
  const HamKaasInstanceOptions &options;
  const Device &device;

  // One of these is mapped, if any, and one of those reads it.
  WeightsFile ownFile;
  MappedFile givenFile;
  SafetensorsFile safetensors;
  GgufFile gguf;
  TensorFinder finder;
  void **alignedCopies = nullptr; // null where none is needed
};

} // namespace hamkaas::rt

#endif // HAMKAAS_RUNTIME_INSTANCE_PARAMETERS_H
