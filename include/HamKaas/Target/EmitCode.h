//===- EmitCode.h - From the form Llvm to objects ---------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TARGET_EMITCODE_H
#define HAMKAAS_TARGET_EMITCODE_H

#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Program/LinkProgram.h"
#include "HamKaas/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace hamkaas {

/// A program at the form Llvm.
struct ProgramModule {
  mlir::ModuleOp module;
  TargetCpu cpu;
  ProgramInfo info;
  DescriptorOptions descriptor;
};

/// As CompileOptions::kernelProgress; may be null.
using KernelProgress = std::function<void(int done, int total)>;

/// Compiles the kernels to objects, and what calls them, which is the first, on
/// all threads of the context. Takes the kernels out of `module`.
llvm::Expected<ProgramObjects> emitCode(mlir::ModuleOp module,
                                        const TargetCpu &cpu,
                                        const KernelProgress &progress);

/// The object with `bytes` as the image of the device code.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
emitImage(const TargetCpu &cpu, llvm::StringRef bytes);

/// The object with the descriptor, which refers to the code.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
emitDescriptor(const TargetCpu &cpu, const ProgramInfo &info,
               const DescriptorOptions &options);

/// Text of the LLVM IR, or of the assembler, of code and descriptor.
llvm::Error printLlvmIr(const ProgramModule &program,
                        llvm::raw_ostream &stream);
llvm::Error printAssembly(const ProgramModule &program,
                          llvm::raw_ostream &stream);

} // namespace hamkaas

#endif // HAMKAAS_TARGET_EMITCODE_H
