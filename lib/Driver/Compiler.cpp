//===- Compiler.cpp - From a graph to a program -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Compiler.h"
#include "CachedCompilation.h"
#include "HamKaas/Driver/Pipelines.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "HamKaas/Program/Jit.h"
#include "HamKaas/Program/ProgramInfo.h"
#include "HamKaas/Report/CountNodes.h"
#include "HamKaas/Run/CheckPasses.h"
#include "HamKaas/Target/DeviceCode.h"
#include "HamKaas/Target/EmitCode.h"
#include "HamKaas/Target/Fatbin.h"
#include "HamKaas/Target/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ThreadPool.h"
#include <chrono>

using namespace mlir;
using namespace hamkaas;

namespace {

/// Lets a context use as many threads as were asked for. Afterwards it uses
/// one, because MLIR has no way to take the pool from it again.
class CompileThreads {
public:
  /// 0 for as many as the context uses anyway.
  CompileThreads(MLIRContext &context, unsigned threads) : context(context) {
    if (threads == 0)
      return;
    context.disableMultithreading();
    if (threads == 1)
      return;
    pool.emplace(llvm::hardware_concurrency(threads));
    context.setThreadPool(*pool);
  }
  ~CompileThreads() {
    if (pool)
      context.disableMultithreading();
  }

private:
  MLIRContext &context;
  std::optional<llvm::DefaultThreadPool> pool;
};

/// The names in a text that separates them by commas.
std::vector<std::string> splitNames(StringRef text) {
  std::vector<std::string> names;
  if (!text.empty())
    for (StringRef name : llvm::split(text, ','))
      names.push_back(name.str());
  return names;
}

/// One compilation, for one target or both.
class Compilation {
public:
  static llvm::Expected<Compilation> create(ModuleOp module,
                                            const CompileOptions &options) {
    auto targets = parseTargets(options.target);
    if (!targets)
      return targets.takeError();
    auto arch = resolveGpuArch(options.gpuArch);
    if (!arch)
      return arch.takeError();
    auto level = resolvePrecision(options.precision, *targets);
    if (!level)
      return level.takeError();
    auto cpu = resolveTargetCpu(targets->cpu ? options.targetCpu : "x86-64");
    if (!cpu)
      return cpu.takeError();
    if (llvm::Error error = checkOptimizations(splitNames(options.noOptimize),
                                               options.winogradError))
      return std::move(error);
    if (llvm::Error error = checkGraphPasses(options.graphPasses))
      return std::move(error);
    if (llvm::Error error = checkEngine(options.engine, *targets))
      return std::move(error);
    return Compilation(module, options, *targets, *cpu, *arch, *level);
  }

  /// Runs the phases up to `form` that have not run yet.
  llvm::Error lowerTo(Form form) {
    if (form > Form::Graph)
      if (llvm::Error error = checkOneTarget())
        return error;
    for (; next <= form; next = Form(int(next) + 1))
      if (llvm::Error error = runPhase(next))
        return error;
    return llvm::Error::success();
  }

  /// The code of the program, made before or now.
  llvm::Expected<ProgramCode> getCode() {
    // Before the work that it would be needed for.
    auto assembler = findAssembler(targets.cuda ? arch : GpuArch());
    if (!assembler)
      return assembler.takeError();
    auto cache = CachedCompilation::create(module, cpu, *assembler, options);
    if (!cache)
      return cache.takeError();
    // Passes that do not run cannot be checked.
    if (std::optional<ProgramCode> known =
            options.checkEachPass ? std::nullopt : cache->lookup()) {
      known->info.isCached = true;
      stepsDone = getTotalSteps() - 1;
      if (llvm::Error error = beginStep("cached code"))
        return std::move(error);
      return std::move(*known);
    }
    auto code = targets.cpu && targets.cuda ? makeBoth() : makeCode();
    if (code)
      cache->store(*code);
    return code;
  }

  /// Adds what the code does not depend on.
  llvm::Expected<CompiledModel> compile() {
    auto code = getCode();
    if (!code)
      return code.takeError();
    CompiledModel compiled;
    compiled.info = std::move(code->info);
    identify(compiled.info);
    compiled.objects = std::move(code->objects);
    auto descriptor = emitDescriptor(cpu, compiled.info, getDescriptor());
    if (!descriptor)
      return descriptor.takeError();
    compiled.objects.insert(compiled.objects.begin(), std::move(*descriptor));
    return compiled;
  }

  /// The program as one module, for its text.
  llvm::Expected<ProgramModule> makeModule() {
    auto info = finish();
    if (!info)
      return info.takeError();
    identify(*info);
    return ProgramModule{module, cpu, std::move(*info), getDescriptor()};
  }

  /// The device code as PTX.
  llvm::Expected<std::string> makePtx() {
    if (targets.cpu || arch.isEmulation())
      return llvm::createStringError(
          "--emit=ptx: expected --target=cuda and an "
          "architecture of a GPU");
    if (llvm::Error error = lowerTo(Form::Llvm))
      return std::move(error);
    return emitPtx(*module.getOps<gpu::GPUModuleOp>().begin(), arch);
  }

private:
  Compilation(ModuleOp module, const CompileOptions &options,
              ProgramTargets targets, TargetCpu cpu, GpuArch arch,
              StringRef warpLevel)
      : module(module), options(options), targets(targets), cpu(cpu),
        arch(std::move(arch)), warpLevel(warpLevel) {}

  void identify(ProgramInfo &info) const {
    info.name = options.name;
    info.digest = sourceDigest(options.source);
  }

  DescriptorOptions getDescriptor() const {
    DescriptorOptions descriptor = options.descriptor;
    descriptor.embedParameters |= options.parameters != nullptr;
    return descriptor;
  }

  /// One for each form, and the machine code; of the second target those behind
  /// the graph.
  int getTotalSteps() const {
    int steps = int(Form::Llvm) + 2;
    return targets.cpu && targets.cuda ? 2 * steps - 1 : steps;
  }

  llvm::Error beginStep(StringRef step) {
    if (!options.progress ||
        options.progress(step, stepsDone++, getTotalSteps()))
      return llvm::Error::success();
    return llvm::createStringError("the compilation was stopped before its "
                                   "step '" +
                                   step + "'");
  }

  /// Beyond the graph, targets go different ways.
  llvm::Error checkOneTarget() const {
    if (isPart || !targets.cpu || !targets.cuda)
      return llvm::Error::success();
    return llvm::createStringError(
        "--emit: expected one target behind the form graph, got '" +
        options.target + "'");
  }

  llvm::Error runPhase(Form form);
  llvm::Error runPasses(llvm::function_ref<void(OpPassManager &)> build);
  llvm::Error runManager(PassManager &manager);
  llvm::Error lowerDevice();
  llvm::Expected<ProgramInfo> finish();
  llvm::Expected<ProgramCode> makeCode();
  llvm::Expected<ProgramCode> makeBoth();

  ModuleOp module;
  const CompileOptions &options;
  ProgramTargets targets;
  TargetCpu cpu;
  GpuArch arch;
  StringRef warpLevel; ///< Of kernels for a GPU.
  /// True if this is one target of two.
  bool isPart = false;
  /// The first form that is not reached yet.
  Form next = Form::Graph;
  int stepsDone = 0;
  std::vector<OptimizationInfo> optimizations;
  std::vector<DeviceKernelInfo> deviceKernels;
  std::vector<DeviceMatmul> deviceMatmuls;
};

llvm::Error
Compilation::runPasses(llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  build(manager);
  return runManager(manager);
}

/// Beyond the graph there is nothing to interpret, so no pass is checked there.
llvm::Error Compilation::runManager(PassManager &manager) {
  auto check = std::make_shared<PassCheckResult>();
  KnownTensors known = options.checkedTensors;
  if (options.parameters)
    known.parameters = options.parameters;
  if (options.checkEachPass)
    manager.addInstrumentation(createPassCheck(check, std::move(known)));
  if (failed(manager.run(module)) || check->isError())
    return llvm::make_error<ReportedError>();
  if (check->checkedPasses > 0)
    module.emitRemark("passes that changed the graph, and not what it "
                      "computes: ")
        << check->checkedPasses;
  return llvm::Error::success();
}

/// PLANNED -> Llvm for a GPU.
llvm::Error Compilation::lowerDevice() {
  if (llvm::Error error = runPasses(buildDeviceKernelsPipeline))
    return error;
  deviceKernels =
      collectDeviceKernels(*module.getOps<gpu::GPUModuleOp>().begin());
  deviceMatmuls = collectDeviceMatmuls(module);
  return runPasses([&](OpPassManager &manager) {
    buildDeviceTargetPipeline(manager, arch.isEmulation());
  });
}

llvm::Error Compilation::runPhase(Form form) {
  PipelineOptions pipeline;
  pipeline.targetCpu = (targets.cuda ? warpLevel : cpu.name).str();
  pipeline.maxWorkspace = options.maxWorkspace;
  pipeline.disabledOptimizations = splitNames(options.noOptimize);
  pipeline.winogradError = options.winogradError;
  pipeline.engine = options.engine;
  pipeline.graphPasses = options.graphPasses;
  pipeline.sameCalls = isPart;
  auto run = [&](StringRef step,
                 llvm::function_ref<void(OpPassManager &)> build) {
    if (llvm::Error error = beginStep(step))
      return error;
    return runPasses(build);
  };
  switch (form) {
  case Form::Graph: {
    if (llvm::Error error = beginStep("graph"))
      return error;
    optimizations.clear();
    PassManager manager(module.getContext());
    manager.addInstrumentation(std::make_unique<CountNodes>(optimizations));
    buildGraphPipeline(manager, pipeline);
    return runManager(manager);
  }
  case Form::Kernels:
    return run("kernels", [&](OpPassManager &manager) {
      buildKernelsPipeline(manager, pipeline);
    });
  case Form::Planned:
    return run("memory plan", [&](OpPassManager &manager) {
      buildPlannedPipeline(manager, pipeline);
    });
  case Form::Llvm:
    break;
  }
  if (targets.cuda) {
    if (llvm::Error error = beginStep("code"))
      return error;
    return lowerDevice();
  }
  return run("code", [&](OpPassManager &manager) {
    buildTargetPipeline(manager, pipeline);
  });
}

/// Runs all phases, and tells what the program will say of itself.
llvm::Expected<ProgramInfo> Compilation::finish() {
  if (llvm::Error error = lowerTo(Form::Planned))
    return std::move(error);
  ProgramInfo info = collectProgramInfo(module);
  info.targetCpu = cpu.name.str();
  info.isaLevel = cpu.level;
  info.runsOnCpu = targets.cpu;
  info.optimizations = optimizations;
  if (llvm::Error error = lowerTo(Form::Llvm))
    return std::move(error);
  if (targets.cuda) {
    info.device.architecture = arch.name;
    info.device.machineCode = arch.machineCode;
    info.device.precision = options.precision;
    info.device.kernels = deviceKernels;
    addMatmuls(deviceMatmuls, info);
  }
  if (llvm::Error error = beginStep("machine code"))
    return std::move(error);
  return info;
}

/// Runs all phases and compiles the result.
llvm::Expected<ProgramCode> Compilation::makeCode() {
  ProgramCode code;
  if (llvm::Error error = finish().moveInto(code.info))
    return std::move(error);
  const KernelProgress &progress = options.kernelProgress;
  auto objects = targets.cuda
                     ? emitDeviceCode(module, cpu, arch, code.info, progress)
                     : emitCode(module, cpu, progress);
  if (llvm::Error error = std::move(objects).moveInto(code.objects))
    return std::move(error);
  return code;
}

/// Returns whether a call of one program can have the number of that of the
/// other: they say the same in an error and in a profile.
static bool areAlike(const CallInfo &a, const CallInfo &b) {
  return a.ops == b.ops && a.location == b.location && a.check == b.check &&
         a.repetitions == b.repetitions;
}

/// Makes `program` one for the GPU, too. Regions have the size of the larger
/// ones; each of the two has its own places in them, but for states.
static llvm::Error addDevice(ProgramCode &program, ProgramCode device) {
  ProgramInfo &info = program.info;
  auto sameState = [](const TensorInfo &a, const TensorInfo &b) {
    return a.name == b.name && a.offset == b.offset && a.shape == b.shape;
  };
  if (!std::equal(info.calls.begin(), info.calls.end(),
                  device.info.calls.begin(), device.info.calls.end(),
                  areAlike) ||
      !std::equal(info.states.begin(), info.states.end(),
                  device.info.states.begin(), device.info.states.end(),
                  sameState))
    return llvm::createStringError(
        "--target=cpu,cuda: expected the same calls of kernels on both, which "
        "this model does not have: compile it for one of them");
  info.device = std::move(device.info.device);
  for (auto [call, onDevice] : llvm::zip_equal(info.calls, device.info.calls))
    call.engine = std::move(onDevice.engine);
  auto raise = [&](uint64_t ProgramInfo::*bytes) {
    info.*bytes = std::max(info.*bytes, device.info.*bytes);
  };
  raise(&ProgramInfo::constantsBytes);
  raise(&ProgramInfo::stateBytes);
  raise(&ProgramInfo::workspaceBytes);
  raise(&ProgramInfo::workspaceLowerBound);
  raise(&ProgramInfo::prepareWorkspaceBytes);
  std::move(device.objects.begin(), device.objects.end(),
            std::back_inserter(program.objects));
  return llvm::Error::success();
}

/// The two targets share the graph.
llvm::Expected<ProgramCode> Compilation::makeBoth() {
  if (llvm::Error error = lowerTo(Form::Graph))
    return std::move(error);
  OwningOpRef<ModuleOp> copy(module.clone());
  isPart = true;
  Compilation onDevice = *this;
  onDevice.module = *copy;
  onDevice.targets.cpu = false;
  targets.cuda = false;
  auto program = makeCode();
  if (!program)
    return program;
  // The calls go on to be counted for both.
  onDevice.stepsDone = stepsDone;
  auto device = onDevice.makeCode();
  if (!device)
    return device;
  if (llvm::Error error = addDevice(*program, std::move(*device)))
    return std::move(error);
  return program;
}

} // namespace

llvm::Error hamkaas::lowerModel(ModuleOp module, Form form,
                                const CompileOptions &options) {
  auto compilation = Compilation::create(module, options);
  return compilation ? compilation->lowerTo(form) : compilation.takeError();
}

llvm::Expected<CompiledModel>
hamkaas::compileModel(ModuleOp module, const CompileOptions &options) {
  auto start = std::chrono::steady_clock::now();
  if (options.compileThreads > CompileOptions::maxThreads)
    return makeOptionError(OptionId::compile_threads,
                           "expected 0 to " +
                               llvm::Twine(CompileOptions::maxThreads) +
                               ", got " + llvm::Twine(options.compileThreads));
  auto compilation = Compilation::create(module, options);
  if (!compilation)
    return compilation.takeError();
  CompileThreads threads(*module.getContext(), options.compileThreads);
  auto compiled = compilation->compile();
  if (compiled)
    compiled->info.compileSeconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
            .count();
  return compiled;
}

/// The program as one module, for its text.
static llvm::Expected<ProgramModule> makeModule(ModuleOp module,
                                                const CompileOptions &options) {
  auto compilation = Compilation::create(module, options);
  if (!compilation)
    return compilation.takeError();
  return compilation->makeModule();
}

llvm::Error hamkaas::printLlvmIr(ModuleOp module, const CompileOptions &options,
                                 llvm::raw_ostream &stream) {
  auto program = makeModule(module, options);
  return program ? printLlvmIr(*program, stream) : program.takeError();
}

llvm::Error hamkaas::printAssembly(ModuleOp module,
                                   const CompileOptions &options,
                                   llvm::raw_ostream &stream) {
  auto program = makeModule(module, options);
  return program ? printAssembly(*program, stream) : program.takeError();
}

llvm::Error hamkaas::printPtx(ModuleOp module, const CompileOptions &options,
                              llvm::raw_ostream &stream) {
  auto compilation = Compilation::create(module, options);
  if (!compilation)
    return compilation.takeError();
  auto ptx = compilation->makePtx();
  if (!ptx)
    return ptx.takeError();
  stream << *ptx;
  return llvm::Error::success();
}

std::vector<ArrayRef<char>>
hamkaas::getParameterContents(const ProgramInfo &info,
                              const ParameterContents &contents) {
  std::vector<ArrayRef<char>> found;
  for (const TensorInfo &parameter : info.parameters) {
    found.push_back(contents.lookup(parameter.name));
    assert(found.back().size() == parameter.bytes() && "of another model");
  }
  return found;
}

static std::vector<EmbeddedData>
embedParameters(const ProgramInfo &info, const CompileOptions &options) {
  std::vector<EmbeddedData> data;
  if (options.parameters)
    for (ArrayRef<char> bytes : getParameterContents(info, *options.parameters))
      data.push_back({parameterSymbol(data.size()), bytes});
  return data;
}

llvm::Expected<ProgramInMemory>
hamkaas::compileInMemory(ModuleOp module, const CompileOptions &options) {
  auto compiled = compileModel(module, options);
  if (!compiled)
    return compiled.takeError();
  auto program = JitProgram::load(std::move(compiled->objects),
                                  embedParameters(compiled->info, options));
  if (!program)
    return program.takeError();
  return ProgramInMemory{std::move(compiled->info), std::move(*program)};
}
