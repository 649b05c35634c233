//===- LoadedModel.h - The model and its runners ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TOOLS_HAMKAAS_RUN_LOADEDMODEL_H
#define HAMKAAS_TOOLS_HAMKAAS_RUN_LOADEDMODEL_H

#include "HamKaas/Driver/Model.h"
#include "HamKaas/Driver/ToolCommandLine.h"
#include "HamKaas/Program/LoadedProgram.h"
#include "HamKaas/Run/Runner.h"

namespace hamkaas {

/// The model of the command line, in the forms that were asked for.
struct LoadedModel {
  std::unique_ptr<ModelFile> file;
  mlir::ModuleOp graph; ///< Null for a compiled model.
  std::unique_ptr<LoadedProgram> program;
  ProgramInfo info;
  /// The entry function to run, and `info` with that one as the first.
  std::string function;
  ProgramInfo running;
  /// The runner of the model, and the one its outputs are compared with, if
  /// any.
  std::unique_ptr<Runner> runner, expected;
};

/// Returns whether the device is one that only tools have: the interpreter, or
/// the emulator of GPUs.
bool runsReference(const ToolCommandLine &line);
bool runsEmulation(const ToolCommandLine &line);

/// The value of --emulation-order.
llvm::Expected<emulation::ThreadOrder>
parseThreadOrder(const ToolCommandLine &line);

/// Loads a compiled model, or parses another and compiles it unless the
/// reference runs it, and makes the runners.
llvm::Error loadModel(const ToolCommandLine &line, LoadedModel &loaded);

} // namespace hamkaas

#endif // HAMKAAS_TOOLS_HAMKAAS_RUN_LOADEDMODEL_H
