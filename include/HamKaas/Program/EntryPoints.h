//===- EntryPoints.h - The C functions of a compiled model ------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_PROGRAM_ENTRYPOINTS_H
#define HAMKAAS_PROGRAM_ENTRYPOINTS_H

#include "HamKaas/Program/Descriptor.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace hamkaas {

/// Names of the functions that `model.h` declares for `info`.
std::vector<std::string> entryPointNames(const ProgramInfo &info,
                                         const DescriptorOptions &options);

/// A module with these functions. They call the runtime, and refer to the
/// HamKaasModelProgram that addProgramDescriptor made with the same options.
std::unique_ptr<llvm::Module>
createEntryPoints(llvm::LLVMContext &context,
                  const llvm::TargetMachine &machine, const ProgramInfo &info,
                  const DescriptorOptions &options);

} // namespace hamkaas

#endif // HAMKAAS_PROGRAM_ENTRYPOINTS_H
