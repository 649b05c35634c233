//===- Pipelines.h - The phases of a compilation ----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef HAMKAAS_TARGET_PIPELINES_H
#define HAMKAAS_TARGET_PIPELINES_H

#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Options/CompileSettings.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace hamkaas {

/// The options of a compilation, and what follows from its targets.
struct PipelineOptions : CompileSettings {
  /// True if the calls of kernels are to be the same for all targets.
  bool sameCalls = false;

  /// Engines of groups, as `hamkaas-use-engines` takes them.
  std::string groupEngines = {};

  /// How much time pipelines give for memory, from 0 to `maxThrift`.
  unsigned thrift = 0;
  static constexpr unsigned maxThrift = 3;

  /// True if a plan may exceed `maxWorkspace`: it is a trial then.
  bool mayExceedWorkspace = false;

  /// Returns whether `noOptimize` leaves the optimization in.
  bool isEnabled(llvm::StringRef optimization) const;
};

/// The names of the optimizations of a graph that can be left out:
/// "move-layouts" for the pass `hamkaas-move-layouts`.
llvm::ArrayRef<llvm::StringRef> getGraphOptimizations();

/// An error unless noOptimize, winogradError and graphPasses are what pipelines
/// can be built for.
llvm::Error checkPipelineOptions(const CompileSettings &settings);

/// Adds the passes that bring any graph to GRAPH in canonical form. The phases
/// that follow are those of a Target.
void buildGraphPipeline(mlir::OpPassManager &manager,
                        const PipelineOptions &options);

/// The phases after GRAPH. Each ends with a pass that checks the form it
/// promises, but for Device, which is a step on the way to LLVM.
enum class Phase { Kernels, Planned, Device, Llvm };

/// The phase named "kernels", "planned", "device" or "llvm".
std::optional<Phase> parsePhase(llvm::StringRef name);

/// Adds the passes of `phase` for `target`, which is registered.
void buildPhase(mlir::OpPassManager &manager, Phase phase, TargetAttr target,
                const PipelineOptions &options);

#define GEN_PASS_DECL
#include "HamKaas/Target/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "HamKaas/Target/Passes.h.inc"

/// Registers the phases as `hamkaas-to-graph`, `-kernels`, `-planned`,
/// `-device` and `-llvm`, each with all phases before it, for the target that
/// the module has or that their options name.
void registerPipelines();

} // namespace hamkaas

#endif // HAMKAAS_TARGET_PIPELINES_H
