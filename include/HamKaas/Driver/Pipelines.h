//===- Pipelines.h - The phases of a compilation ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_DRIVER_PIPELINES_H
#define HAMKAAS_DRIVER_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace hamkaas {

struct PipelineOptions {
  /// Instruction set level the code is for: "x86-64", "x86-64-v2", "x86-64-v3"
  /// or "x86-64-v4", or "warp", "warp-tf32" and the like for a GPU.
  std::string targetCpu = "x86-64-v3";
  /// Largest workspace allowed in bytes, 0 for no limit.
  uint64_t maxWorkspace = 0;
  /// The optimizations of the graph to leave out, by name, or "all".
  std::vector<std::string> disabledOptimizations = {};
  /// Largest error of a convolution by Winograd's method, in parts of its
  /// largest value.
  double winogradError = 1e-5;
  /// As CompileOptions has it.
  std::string engine = {};
  /// Passes that run on the graph when it is optimized, a pipeline of MLIR; it
  /// was checked by checkGraphPasses.
  std::string graphPasses = {};
  /// True if the calls of kernels are to be the same for a processor and a GPU.
  bool sameCalls = false;

  bool isEnabled(llvm::StringRef optimization) const;
};

/// The names of the optimizations of a graph that can be left out:
/// "move-layouts" for the pass `hamkaas-move-layouts`.
llvm::ArrayRef<llvm::StringRef> getGraphOptimizations();

/// Checks that each of `names` is known and the error a bound, as
/// PipelineOptions has them.
llvm::Error checkOptimizations(llvm::ArrayRef<std::string> names,
                               double winogradError);

/// An error if `pipeline` is not one of registered passes.
llvm::Error checkGraphPasses(llvm::StringRef pipeline);

/// Each function adds the passes of one phase; they follow each other in this
/// order. A phase ends with a pass that checks the form it promises.

/// Any graph -> GRAPH in canonical form.
void buildGraphPipeline(mlir::OpPassManager &manager,
                        const PipelineOptions &options);
/// GRAPH -> KERNELS.
void buildKernelsPipeline(mlir::OpPassManager &manager,
                          const PipelineOptions &options);
/// KERNELS -> PLANNED.
void buildPlannedPipeline(mlir::OpPassManager &manager,
                          const PipelineOptions &options);
/// PLANNED -> the LLVM dialect.
void buildTargetPipeline(mlir::OpPassManager &manager,
                         const PipelineOptions &options);

/// For a GPU that goes in two steps, between which the launches of the kernels
/// can be read: PLANNED -> a program whose kernels are in a `gpu.module`,
void buildDeviceKernelsPipeline(mlir::OpPassManager &manager);
/// then -> the LLVM and NVVM dialects, or code for the emulator.
void buildDeviceTargetPipeline(mlir::OpPassManager &manager, bool isEmulation);

/// Registers the phases as `hamkaas-to-graph`, `-kernels`, `-planned` and
/// `-llvm`, each with all phases before it, and those for a GPU as
/// `hamkaas-to-device-kernels` and `hamkaas-to-device-llvm`.
void registerPipelines();

} // namespace hamkaas

#endif // HAMKAAS_DRIVER_PIPELINES_H
