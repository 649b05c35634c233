//===- MachineCode.h - From the form Llvm to objects ------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_MACHINECODE_H
#define HAMKAAS_LIB_DRIVER_MACHINECODE_H

#include "HamKaas/Driver/Descriptor.h"
#include "HamKaas/Driver/Link.h"
#include "HamKaas/Driver/Target.h"
#include "mlir/IR/BuiltinOps.h"

namespace hamkaas {

/// A program that was lowered to the form Llvm.
struct ProgramModule {
  mlir::ModuleOp module;
  TargetCpu cpu;
  ProgramInfo info;
  DescriptorOptions descriptor;
};

/// Compiles the kernels, each to an object, and the rest, which is the first
/// object, on all threads of the context. Takes the kernels out of the module.
llvm::Expected<ProgramObjects> emitObjects(const ProgramModule &program);

/// Text of the LLVM IR, or of the assembler, of all of it.
llvm::Error printLlvmIr(const ProgramModule &program,
                        llvm::raw_ostream &stream);
llvm::Error printAssembly(const ProgramModule &program,
                          llvm::raw_ostream &stream);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_MACHINECODE_H
