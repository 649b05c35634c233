//===- TargetCompilation.h - A graph for one target -------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_LIB_DRIVER_TARGETCOMPILATION_H
#define HAMKAAS_LIB_DRIVER_TARGETCOMPILATION_H

#include "HamKaas/Program/ProgramCode.h"
#include "HamKaas/Target/Pipelines.h"
#include "HamKaas/Target/TargetRegistry.h"
#include "PhaseRunner.h"

namespace hamkaas {

/// Takes a graph through the forms that follow, for one target.
class TargetCompilation {
public:
  /// `module` is GRAPH; `host` is what code on the host is for.
  TargetCompilation(PhaseRunner &runner, mlir::ModuleOp module,
                    TargetAttr target, const TargetCpu &host,
                    const PipelineOptions &options)
      : runner(runner), module(module), attr(target),
        target(
            *TargetRegistry::get(module.getContext()).lookup(target.getName())),
        host(host), options(options) {}

  llvm::Error lowerToKernels();
  llvm::Error lowerToPlanned();
  /// Also fills in the facts about the program.
  llvm::Expected<ProgramInfo> lowerToLlvm();

  llvm::Expected<ProgramCode> makeCode(const KernelProgress &progress);
  llvm::Expected<std::string> printDeviceCode();

private:
  llvm::Error run(Phase phase);
  llvm::Error lowerThriftily(mlir::ModuleOp graph, unsigned thrift,
                             bool mayExceed);
  llvm::Error saveMemory(mlir::ModuleOp graph);

  PhaseRunner &runner;
  mlir::ModuleOp module;
  TargetAttr attr;
  const Target &target;
  TargetCpu host;
  PipelineOptions options;
};

/// Adds the code of another target to `program`. Regions get the larger size;
/// each target has its own offsets in them, except for states. An error if the
/// two cannot be one program.
llvm::Error joinCode(ProgramCode &program, ProgramCode part);

} // namespace hamkaas

#endif // HAMKAAS_LIB_DRIVER_TARGETCOMPILATION_H
