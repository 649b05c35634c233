//===- RunPhase.cpp - The passes of a target --------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/Pipelines.h"
#include "HamKaas/Target/TargetRegistry.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

namespace hamkaas {
#define GEN_PASS_DEF_RUNPHASE
#include "HamKaas/Target/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct RunPhasePass : hamkaas::impl::RunPhaseBase<RunPhasePass> {
  using RunPhaseBase::RunPhaseBase;

  void runOnOperation() override {
    std::optional<Phase> known = parsePhase(phase);
    if (!known) {
      getOperation().emitError("expected a phase of kernels, planned, device "
                               "or llvm, got '")
          << phase << "'";
      return signalPassFailure();
    }
    FailureOr<TargetAttr> target = getTarget(getOperation());
    if (failed(target))
      return signalPassFailure();
    if (!TargetRegistry::get(&getContext()).lookup(target->getName())) {
      getOperation().emitError("expected a registered target, got ") << *target;
      return signalPassFailure();
    }
    PipelineOptions options;
    options.maxWorkspace = maxWorkspace;
    options.noOptimize = llvm::join(noOptimize, ",");
    options.winogradError = winogradError;
    options.engine = engine;
    options.enginePath = enginePath;
    options.verifyEngines = verifyEngines;
    options.debugInfo = debugInfo;
    OpPassManager manager(ModuleOp::getOperationName());
    buildPhase(manager, *known, *target, options);
    if (failed(runPipeline(manager, getOperation())))
      signalPassFailure();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Pipelines
//===----------------------------------------------------------------------===//

namespace {

/// The options of `hamkaas-opt`: those of the graph, of AttachTarget, which
/// runs if one of them is given, and of RunPhase.
struct CommandLineOptions : PassPipelineOptions<CommandLineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("Target: cpu, cuda or "
                                            "cuda-emulation")};
  Option<std::string> targetCpu{
      *this, "target-cpu",
      llvm::cl::desc("ISA level: host, or x86-64 to x86-64-v4")};
  Option<std::string> gpuArch{
      *this, "gpu-arch",
      llvm::cl::desc("NVIDIA GPUs, as hamkaas-compile takes them")};
  Option<std::string> precision{
      *this, "precision",
      llvm::cl::desc("Large products of float32 on a GPU: exact, tf32, 3xtf32 "
                     "or bf16")};
  Option<uint64_t> maxWorkspace{
      *this, "max-workspace",
      llvm::cl::desc("Largest workspace allowed in bytes, 0 for no limit"),
      llvm::cl::init(0)};
  ListOption<std::string> noOptimize{
      *this, "no-optimize",
      llvm::cl::desc("Optimizations of the graph to leave out, or 'all'")};
  Option<double> winogradError{
      *this, "winograd-error",
      llvm::cl::desc("Largest error of convolutions by Winograd's method"),
      llvm::cl::init(1e-5)};
  Option<std::string> engine{
      *this, "engine",
      llvm::cl::desc("Engines that compute what they can, as hamkaas-compile "
                     "takes them; more than one in quotes"),
      llvm::cl::init("")};
  Option<std::string> enginePath{
      *this, "engine-path",
      llvm::cl::desc("Folders and files with engine libraries"),
      llvm::cl::init("")};
  Option<bool> verifyEngines{
      *this, "verify-engines",
      llvm::cl::desc("Compare what engines compute with the interpreter"),
      llvm::cl::init(false)};
  Option<bool> debugInfo{*this, "debug-info", llvm::cl::desc("Add line tables"),
                         llvm::cl::init(false)};
};

} // namespace

static void addAttachTarget(OpPassManager &manager,
                            const CommandLineOptions &options) {
  AttachTargetOptions attach;
  bool isGiven = false;
  auto take = [&](std::string &field, const std::string &value) {
    if (value.empty())
      return;
    field = value;
    isGiven = true;
  };
  take(attach.target, options.target);
  take(attach.targetCpu, options.targetCpu);
  take(attach.gpuArch, options.gpuArch);
  take(attach.precision, options.precision);
  if (isGiven)
    manager.addPass(createAttachTarget(attach));
}

static void addPhase(OpPassManager &manager, StringRef phase,
                     const CommandLineOptions &options) {
  RunPhaseOptions run;
  run.phase = phase.str();
  run.maxWorkspace = options.maxWorkspace;
  run.noOptimize.assign(options.noOptimize.begin(), options.noOptimize.end());
  run.winogradError = options.winogradError;
  run.engine = options.engine;
  run.enginePath = options.enginePath;
  run.verifyEngines = options.verifyEngines;
  run.debugInfo = options.debugInfo;
  manager.addPass(createRunPhase(std::move(run)));
}

/// GRAPH, then `phases`.
static void registerPipeline(StringRef name, StringRef description,
                             ArrayRef<StringRef> phases) {
  registerPassPipeline(
      name, description,
      [phases = llvm::to_vector(phases)](
          OpPassManager &manager, StringRef text,
          function_ref<LogicalResult(const Twine &)> errorHandler) {
        CommandLineOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        PipelineOptions graph;
        graph.noOptimize = llvm::join(options.noOptimize, ",");
        graph.winogradError = options.winogradError;
        if (llvm::Error error = checkPipelineOptions(graph))
          return errorHandler(llvm::toString(std::move(error)));
        addAttachTarget(manager, options);
        buildGraphPipeline(manager, graph);
        for (StringRef phase : phases)
          addPhase(manager, phase, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(CommandLineOptions());
      });
}

void hamkaas::registerPipelines() {
  static constexpr StringRef phases[] = {"kernels", "planned", "device",
                                         "llvm"};
  static constexpr std::pair<StringRef, StringRef> names[] = {
      {"hamkaas-to-graph", "Bring a model to the form GRAPH"},
      {"hamkaas-to-kernels", "Bring a model to the form KERNELS"},
      {"hamkaas-to-planned", "Bring a model to the form PLANNED"},
      {"hamkaas-to-device", "Bring a model to kernels in device code"},
      {"hamkaas-to-llvm", "Bring a model to dialects that become LLVM IR"}};
  for (auto [i, name] : llvm::enumerate(names))
    registerPipeline(name.first, name.second, ArrayRef(phases).take_front(i));
}
