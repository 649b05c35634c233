//===- Pipelines.cpp - The phases of a compilation --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Pipelines.h"
#include "HamKaas/CodeGen/CPU/Passes.h"
#include "HamKaas/CodeGen/CPU/Pipelines.h"
#include "HamKaas/CodeGen/GPU/Passes.h"
#include "HamKaas/CodeGen/GPU/Pipelines.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/CodeGen/Kernel/TargetDescription.h"
#include "HamKaas/Conversion/ProgramToLLVM/Passes.h"
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "HamKaas/Target/Target.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// GRAPH
//===----------------------------------------------------------------------===//

ArrayRef<StringRef> hamkaas::getGraphOptimizations() {
  static constexpr StringRef names[] = {
      "fold-constants",  "simplify",    "raise",       "move-layouts",
      "raise-attention", "fold-affine", "use-winograd"};
  return names;
}

llvm::Error hamkaas::checkOptimizations(ArrayRef<std::string> names,
                                        double winogradError) {
  for (StringRef name : names)
    if (name != "all" && !llvm::is_contained(getGraphOptimizations(), name))
      return llvm::createStringError("--no-optimize: expected all or some of " +
                                     llvm::join(getGraphOptimizations(), ", ") +
                                     ", got '" + name + "'");
  if (!(winogradError >= 0))
    return llvm::createStringError(
        "--winograd-error: expected a number of 0 or more, got %g",
        winogradError);
  return llvm::Error::success();
}

llvm::Error hamkaas::checkGraphPasses(StringRef pipeline) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPassManager manager(ModuleOp::getOperationName());
  if (pipeline.empty() ||
      succeeded(parsePassPipeline(pipeline, manager, stream)))
    return llvm::Error::success();
  // MLIR quotes the pipeline below what is wrong with it.
  StringRef message = StringRef(text).split("error: ").second;
  return llvm::createStringError("--graph-passes: " +
                                 message.split('\n').first);
}

/// NOTE: the empty text is no pipeline.
static void addGraphPasses(OpPassManager &manager, StringRef pipeline) {
  if (!pipeline.empty() && failed(parsePassPipeline(pipeline, manager)))
    llvm_unreachable("checkGraphPasses has checked it");
}

bool PipelineOptions::isEnabled(StringRef optimization) const {
  assert(llvm::is_contained(getGraphOptimizations(), optimization));
  return !llvm::is_contained(disabledOptimizations, optimization) &&
         !llvm::is_contained(disabledOptimizations, "all");
}

void hamkaas::buildGraphPipeline(OpPassManager &manager,
                                 const PipelineOptions &options) {
  manager.addPass(createVerifyGraph());
  // Drops what the results do not need, and computes equal things once.
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  if (options.isEnabled("fold-constants"))
    manager.addPass(createFoldConstants());
  if (options.isEnabled("simplify"))
    manager.addPass(createSimplify());
  if (options.isEnabled("raise"))
    manager.addPass(createRaise());
  if (options.isEnabled("move-layouts"))
    manager.addPass(createMoveLayouts());
  if (options.isEnabled("raise-attention"))
    manager.addPass(createRaiseAttention());
  // No permute stands between a convolution and its scale any more.
  if (options.isEnabled("fold-affine"))
    manager.addPass(createFoldAffine());
  // Both leave operations on constants behind.
  if (options.isEnabled("fold-constants"))
    manager.addPass(createFoldConstants());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  addGraphPasses(manager, options.graphPasses);
  manager.addPass(createVerifyGraph());
}

//===----------------------------------------------------------------------===//
// KERNELS
//===----------------------------------------------------------------------===//

void hamkaas::buildKernelsPipeline(OpPassManager &manager,
                                   const PipelineOptions &options) {
  const TargetDescription *target = lookupTarget(options.targetCpu);
  bool isExact = !target || target->precision == Precision::Exact;
  // Rounded factors would make the method's errors many times larger.
  if (isExact && options.isEnabled("use-winograd")) {
    UseWinogradOptions winograd;
    winograd.maxError = options.winogradError;
    manager.addPass(createUseWinograd(winograd));
  }
  manager.addPass(createConvolutionsToProducts());
  manager.addPass(createProductsToReductions());
  manager.addPass(createPadConvolutions());
  manager.addPass(createMergeProducts());
  manager.addPass(createNestConcats());
  manager.addPass(createFormGroups());
  // The library has nothing between float32 and the one product of tf32.
  if (options.engine == cublasLtEngine && target && target->isWarp &&
      target->precision != Precision::TF32x3)
    manager.addPass(createUseCublasLt());
  manager.addPass(createLowerGroups());
  // Packing makes new work on parameters, which hoisting then moves.
  CPUPackParametersOptions pack;
  pack.level = options.targetCpu;
  pack.sameCalls = options.sameCalls;
  manager.addPass(createCPUPackParameters(pack));
  manager.addPass(createHoistParameters());
  // Parameters have places of their own by now.
  manager.addPass(createSplitConcats());
  // NOTE: no CSE from here to bufferization: it would merge the empty tensors
  // that stand for different buffers.
  manager.addPass(createOutlineKernels());
  manager.addPass(createVerifyKernels());
}

//===----------------------------------------------------------------------===//
// PLANNED
//===----------------------------------------------------------------------===//

void hamkaas::buildPlannedPipeline(OpPassManager &manager,
                                   const PipelineOptions &options) {
  // Loops are formed on tensors, where no temporary has a place in memory yet.
  const TargetDescription *target = lookupTarget(options.targetCpu);
  if (target && target->isWarp) {
    EmitDeviceKernelsOptions emit;
    emit.level = options.targetCpu;
    manager.addNestedPass<func::FuncOp>(createEmitDeviceKernels(emit));
  }
  EmitKernelsOptions emit;
  emit.level = options.targetCpu;
  manager.addNestedPass<func::FuncOp>(createEmitKernels(emit));
  manager.addPass(createBufferize());
  PlanMemoryOptions plan;
  plan.maxWorkspace = options.maxWorkspace;
  manager.addPass(createPlanMemory(plan));
  manager.addPass(createVerifyPlanned());
}

//===----------------------------------------------------------------------===//
// TARGET
//===----------------------------------------------------------------------===//

void hamkaas::buildTargetPipeline(OpPassManager &manager,
                                  const PipelineOptions &options) {
  manager.addPass(createLowerProgram());
  // Nothing calls a kernel as a function any more: its tiles may be split.
  manager.addPass(createDistributeTiles());
  LowerKernelsOptions lower;
  lower.level = options.targetCpu;
  buildLowerKernelsPipeline(manager, lower);
  manager.addPass(createLinkKernels());
  manager.addPass(createVerifyTarget());
}

void hamkaas::buildDeviceKernelsPipeline(OpPassManager &manager) {
  buildOutlineKernelsPipeline(manager);
}

void hamkaas::buildDeviceTargetPipeline(OpPassManager &manager,
                                        bool isEmulation) {
  manager.addPass(createLowerDeviceProgram());
  if (isEmulation) {
    buildEmulatePipeline(manager, EmulateOptions());
    manager.addPass(createLinkKernels());
  } else {
    buildLowerDevicePipeline(manager);
  }
  manager.addPass(createVerifyTarget());
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace {

/// PipelineOptions on the command line of `hamkaas-opt`.
struct CommandLineOptions : PassPipelineOptions<CommandLineOptions> {
  Option<std::string> targetCpu{
      *this, "target-cpu",
      llvm::cl::desc("Instruction set level, x86-64 to x86-64-v4"),
      llvm::cl::init("x86-64-v3")};
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
      llvm::cl::desc("Library that computes what it can on a GPU: cublaslt"),
      llvm::cl::init("")};

  PipelineOptions get() const {
    return {
        targetCpu,         maxWorkspace, {noOptimize.begin(), noOptimize.end()},
        winogradError,     engine,
        /*graphPasses=*/{}};
  }
};

using BuildPhase = void (*)(OpPassManager &, const PipelineOptions &);

} // namespace

static void registerPipeline(StringRef name, StringRef description,
                             ArrayRef<BuildPhase> phases) {
  registerPassPipeline(
      name, description,
      [phases = llvm::to_vector(phases)](
          OpPassManager &manager, StringRef text,
          function_ref<LogicalResult(const Twine &)> errorHandler) {
        CommandLineOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        PipelineOptions values = options.get();
        if (llvm::Error error = checkOptimizations(values.disabledOptimizations,
                                                   values.winogradError))
          return errorHandler(llvm::toString(std::move(error)));
        for (BuildPhase build : phases)
          build(manager, values);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(CommandLineOptions());
      });
}

// The phases for a GPU, whatever level of processors the options name.

static PipelineOptions forWarps(const PipelineOptions &options) {
  PipelineOptions changed = options;
  const TargetDescription *target = lookupTarget(options.targetCpu);
  if (!target || !target->isWarp)
    changed.targetCpu = "warp";
  return changed;
}

static void buildKernelsForWarps(OpPassManager &manager,
                                 const PipelineOptions &options) {
  buildKernelsPipeline(manager, forWarps(options));
}

static void buildPlannedForWarps(OpPassManager &manager,
                                 const PipelineOptions &options) {
  buildPlannedPipeline(manager, forWarps(options));
}

static void buildKernelsOfDevice(OpPassManager &manager,
                                 const PipelineOptions &) {
  buildDeviceKernelsPipeline(manager);
}

static void buildTargetOfDevice(OpPassManager &manager,
                                const PipelineOptions &) {
  buildDeviceTargetPipeline(manager, /*isEmulation=*/false);
}

void hamkaas::registerPipelines() {
  static constexpr BuildPhase phases[] = {
      buildGraphPipeline, buildKernelsPipeline, buildPlannedPipeline,
      buildTargetPipeline};
  static constexpr std::pair<StringRef, StringRef> names[] = {
      {"hamkaas-to-graph", "Bring a model to the form GRAPH"},
      {"hamkaas-to-kernels", "Bring a model to the form KERNELS"},
      {"hamkaas-to-planned", "Bring a model to the form PLANNED"},
      {"hamkaas-to-llvm", "Bring a model to the LLVM dialect"}};
  for (auto [i, name] : llvm::enumerate(names))
    registerPipeline(name.first, name.second,
                     ArrayRef(phases).take_front(i + 1));
  static constexpr BuildPhase devicePhases[] = {
      buildGraphPipeline, buildKernelsForWarps, buildPlannedForWarps,
      buildKernelsOfDevice, buildTargetOfDevice};
  registerPipeline("hamkaas-to-device-kernels",
                   "Bring a model to kernels for a GPU",
                   ArrayRef(devicePhases).drop_back());
  registerPipeline("hamkaas-to-device-llvm",
                   "Bring a model to the LLVM and NVVM dialects", devicePhases);
}
