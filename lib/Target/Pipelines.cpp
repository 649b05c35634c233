//===- Pipelines.cpp - The phases of a compilation --------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Target/Pipelines.h"
#include "HamKaas/CodeGen/Kernel/Passes.h"
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Dialect/HamKaas/Plan/Passes.h"
#include "HamKaas/Engine/Passes.h"
#include "HamKaas/Options/CompatibilityNames.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Target/TargetRegistry.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace hamkaas;

//===----------------------------------------------------------------------===//
// GRAPH
//===----------------------------------------------------------------------===//

ArrayRef<StringRef> hamkaas::getGraphOptimizations() {
  static constexpr StringRef names[] = {
      "fold-constants", "simplify",        "raise",
      "move-layouts",   "raise-attention", "fold-affine",
      "use-winograd",   "fuse-calls",      "multiply-integers"};
  return names;
}

/// The names of `noOptimize`; the empty text has none.
static SmallVector<StringRef> splitNames(StringRef text) {
  SmallVector<StringRef> names;
  if (!text.empty())
    text.split(names, ',');
  return names;
}

static llvm::Error checkOptimizations(StringRef text) {
  for (StringRef name : splitNames(text))
    if (name != "all" && !llvm::is_contained(getGraphOptimizations(), name))
      return makeOptionError(OptionId::no_optimize,
                             "expected all or some of " +
                                 llvm::join(getGraphOptimizations(), ", ") +
                                 ", got '" + name + "'");
  return llvm::Error::success();
}

static llvm::Error checkWinogradError(double bound) {
  if (bound >= 0)
    return llvm::Error::success();
  std::string text = "expected 0 or more, got ";
  llvm::raw_string_ostream(text) << llvm::format("%g", bound);
  return makeOptionError(OptionId::winograd_error, Twine(text));
}

static llvm::Error checkGraphPasses(StringRef pipeline) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPassManager manager(ModuleOp::getOperationName());
  if (pipeline.empty() ||
      succeeded(parsePassPipeline(updatePassNames(pipeline), manager, stream)))
    return llvm::Error::success();
  // MLIR quotes the pipeline below what is wrong with it.
  StringRef message = StringRef(text).split("error: ").second;
  return makeOptionError(OptionId::graph_passes,
                         Twine(message.split('\n').first));
}

static llvm::Error checkQuantizedProducts(StringRef text) {
  if (text == "exact" || text == "int8")
    return llvm::Error::success();
  return makeOptionError(OptionId::quantized_products,
                         "expected 'exact' or 'int8', got '" + text + "'");
}

/// Also where no program for GPUs is made: a misspelt one would show later, or
/// on another machine.
static llvm::Error checkGpuArch(StringRef text) {
  if (text == emulationArch)
    return llvm::Error::success();
  return resolveGpuArch(text).takeError();
}

llvm::Error hamkaas::checkPipelineOptions(const CompileSettings &settings) {
  if (llvm::Error error = checkGpuArch(settings.gpuArch))
    return error;
  if (llvm::Error error = checkOptimizations(settings.noOptimize))
    return error;
  if (llvm::Error error = checkWinogradError(settings.winogradError))
    return error;
  if (llvm::Error error = checkQuantizedProducts(settings.quantizedProducts))
    return error;
  return checkGraphPasses(settings.graphPasses);
}

/// NOTE: the empty text is no pipeline.
static void addGraphPasses(OpPassManager &manager, StringRef pipeline) {
  if (!pipeline.empty() &&
      failed(parsePassPipeline(updatePassNames(pipeline), manager)))
    llvm_unreachable("checkPipelineOptions has checked it");
}

bool PipelineOptions::isEnabled(StringRef optimization) const {
  assert(llvm::is_contained(getGraphOptimizations(), optimization));
  return llvm::none_of(splitNames(noOptimize), [&](StringRef name) {
    return name == optimization || name == "all";
  });
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
  if (options.checkNan)
    manager.addPass(createCheckNan());
  manager.addPass(createVerifyGraph());
}

//===----------------------------------------------------------------------===//
// KERNELS
//===----------------------------------------------------------------------===//

void Target::addEngineGroups(OpPassManager &manager, TargetAttr target,
                             const PipelineOptions &options) const {
  std::optional<HamKaasEngineDevice> device = getEngineDevice();
  // The CPU's part of a program for both has the calls of the GPU's, but its
  // own kernels.
  bool isBeside = options.sameCalls && device == HamKaasEngineCpu;
  bool hasEngines = !options.engine.empty() || !options.groupEngines.empty();
  if (!hasEngines || !device || isBeside)
    return;
  UseEnginesOptions use;
  use.engines = options.engine;
  use.path = options.enginePath;
  use.device = *device == HamKaasEngineCuda ? "cuda" : "cpu";
  use.precision = stringifyPrecision(target.getPrecision()).str();
  use.choices = options.groupEngines;
  // Trials that save memory have the same groups. Addresses of a GPU are of no
  // use to the interpreter.
  use.verify = options.verifyEngines && options.thrift == 0 &&
               *device == HamKaasEngineCpu;
  manager.addPass(createUseEngines(use));
  manager.addPass(createCSEPass());
}

void Target::buildKernelsPipeline(OpPassManager &manager, TargetAttr target,
                                  const PipelineOptions &options) const {
  addEngineGroups(manager, target, options);
  // Before differences of codes are computed as integers.
  if (unpacksInProducts(options))
    manager.addPass(createCPUPackQuantized(
        {/*integers=*/options.quantizedProducts == "int8"}));
  if (narrowsWeights(options)) {
    manager.addPass(createCPUWidenProducts());
    manager.addPass(createCPUNarrowWeights());
  }
  if (narrowsProducts(options) && options.isEnabled("multiply-integers"))
    manager.addPass(createMultiplyIntegers());
  if (narrowsProducts(options))
    manager.addPass(createNarrowProducts());
  PlanarConvolutionsOptions planar;
  planar.lanes = getPlanarLanes(target, options);
  manager.addPass(createPlanarConvolutions(planar));
  // Rounded factors would make the method's errors many times larger. Those of
  // convolutions on a CPU are exact.
  if ((target.getPrecision() == Precision::Exact || narrowsWeights(options)) &&
      options.isEnabled("use-winograd")) {
    UseWinogradOptions winograd;
    winograd.maxError = options.winogradError;
    winograd.maxBytes = getTransformedBytes(options);
    // They alone would take more.
    winograd.mostBytes = options.maxWorkspace;
    winograd.elementCost = getTransformedElementCost(target, options);
    if (multipliesBytes(target, options))
      winograd.wordCost = 2;
    manager.addPass(createUseWinograd(winograd));
  }
  manager.addPass(createSplitPermutes());
  PointwiseConvToMatMulOptions pointwise;
  pointwise.batches = repeatsLeftSides(options);
  manager.addPass(createPointwiseConvToMatMul(pointwise));
  // Blocks that are no weights of such products.
  manager.addPass(createExpandDequantize());
  // Once more: what became matmuls reads reshaped casts.
  if (narrowsProducts(options))
    manager.addPass(createNarrowProducts());
  if (multipliesBytes(target, options))
    manager.addPass(createMultiplyBytes());
  manager.addPass(createMatMulToReduction({getDotDepth(target, options)}));
  PadConvolutionsOptions copies;
  copies.permutes = permutesInCopies(options);
  manager.addPass(createPadConvolutions(copies));
  manager.addPass(createFuseHorizontalMatMuls());
  if (options.thrift > 0) {
    SliceUpdatesOptions updates;
    updates.maxBytes =
        std::max<uint64_t>(options.maxWorkspace >> (options.thrift + 1), 1);
    manager.addPass(createSliceUpdates(updates));
  }
  manager.addPass(createGatherToBroadcast());
  manager.addPass(createNestConcats());
  if (splitsWindows(options))
    manager.addPass(createSplitWindows());
  FormGroupsOptions groups;
  groups.computeRows = computesRows(options);
  groups.repeatLeft = repeatsLeftSides(options);
  groups.narrowProducts = narrowsProducts(options);
  groups.narrowWeights = narrowsWeights(options);
  groups.widenKeys = widensKeys(options);
  groups.rowsAcross = readsRowsAcross(options);
  manager.addPass(createFormGroups(groups));
  manager.addPass(createLowerGroups());
  addGroupPasses(manager, options);
  // Packing makes new work on parameters, which hoisting then moves.
  CPUPackParametersOptions pack;
  pack.sameCalls = options.sameCalls;
  pack.saveMemory = options.thrift > 0;
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

void Target::buildPlannedPipeline(OpPassManager &manager,
                                  const PipelineOptions &options) const {
  // Loops are formed on tensors, where no temporary has a place in memory yet.
  manager.addNestedPass<func::FuncOp>(createEmitKernels());
  manager.addPass(createBufferize());
  PlanMemoryOptions plan;
  plan.maxWorkspace = options.maxWorkspace;
  plan.mayExceed = options.mayExceedWorkspace;
  plan.shareRows = options.thrift > 0;
  manager.addPass(createPlanMemory(plan));
  manager.addPass(createVerifyPlanned());
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

std::optional<Phase> hamkaas::parsePhase(StringRef name) {
  return llvm::StringSwitch<std::optional<Phase>>(name)
      .Case("kernels", Phase::Kernels)
      .Case("planned", Phase::Planned)
      .Case("device", Phase::Device)
      .Case("llvm", Phase::Llvm)
      .Default(std::nullopt);
}

void hamkaas::buildPhase(OpPassManager &manager, Phase phase, TargetAttr attr,
                         const PipelineOptions &options) {
  const Target &target =
      *TargetRegistry::get(attr.getContext()).lookup(attr.getName());
  switch (phase) {
  case Phase::Kernels:
    return target.buildKernelsPipeline(manager, attr, options);
  case Phase::Planned:
    return target.buildPlannedPipeline(manager, options);
  case Phase::Device:
    return target.buildDevicePipeline(manager);
  case Phase::Llvm:
    target.buildLlvmPipeline(manager);
    if (options.debugInfo)
      manager.addPass(createAddLineTables());
    return;
  }
}
