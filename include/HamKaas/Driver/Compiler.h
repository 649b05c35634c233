//===- Compiler.h - From a graph to a program -------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_COMPILER_H
#define HAMKAAS_DRIVER_COMPILER_H

#include "HamKaas/Driver/CompileOptions.h"
#include "HamKaas/Frontend/Builder/ParameterContents.h"
#include "HamKaas/Program/Descriptor.h"
#include "HamKaas/Program/LinkProgram.h"
#include "HamKaas/Program/ProgramInMemory.h"
#include "HamKaas/Support/ReportError.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace hamkaas {

/// Brings a graph to `form`, through all forms before it.
llvm::Error lowerModel(mlir::ModuleOp module, Form form,
                       const CompileOptions &options);

/// A compiled model that is not linked yet.
struct CompiledModel {
  ProgramInfo info;
  ProgramObjects objects;
};

/// Compiles a graph to objects, on all threads of the module's context. They
/// depend neither on the number of threads nor on chance. `module` is of no use
/// afterwards.
llvm::Expected<CompiledModel> compileModel(mlir::ModuleOp module,
                                           const CompileOptions &options);

/// The contents of the parameters in the order of `info`; `contents` has all of
/// them.
std::vector<llvm::ArrayRef<char>>
getParameterContents(const ProgramInfo &info,
                     const ParameterContents &contents);

/// Text of the LLVM IR, or of the assembler, for a graph.
llvm::Error printLlvmIr(mlir::ModuleOp module, const CompileOptions &options,
                        llvm::raw_ostream &stream);
llvm::Error printAssembly(mlir::ModuleOp module, const CompileOptions &options,
                          llvm::raw_ostream &stream);
/// The PTX of a graph's device code.
llvm::Error printPtx(mlir::ModuleOp module, const CompileOptions &options,
                     llvm::raw_ostream &stream);

/// A program ready to run in this process.
llvm::Expected<ProgramInMemory> compileInMemory(mlir::ModuleOp module,
                                                const CompileOptions &options);

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_COMPILER_H
