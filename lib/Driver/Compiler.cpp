//===- Compiler.cpp - From a graph to a program -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Compiler.h"
#include "CountNodes.h"
#include "HamKaas/Driver/CollectProgramInfo.h"
#include "HamKaas/Driver/Jit.h"
#include "HamKaas/Driver/OutputFile.h"
#include "HamKaas/Driver/Pipelines.h"
#include "HamKaas/Driver/ProgramInfo.h"
#include "HamKaas/Driver/Target.h"
#include "MachineCode.h"
#include "ProgramCache.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/WithColor.h"
#include <chrono>

using namespace mlir;
using namespace hamkaas;

char ReportedError::ID;

int hamkaas::reportError(llvm::Error error, StringRef tool) {
  int status = 0;
  llvm::handleAllErrors(
      llvm::joinErrors(std::move(error), flushStandardOutput()),
      [&](const ReportedError &) { status = 1; },
      [&](const llvm::ErrorInfoBase &info) {
        status = 1;
        // A text that begins with a source position stands for itself.
        std::string text = info.message();
        if (StringRef(text).contains(": error: "))
          llvm::errs() << text << '\n';
        else
          llvm::WithColor::error(llvm::errs(), tool) << text << '\n';
      });
  return status;
}

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

/// One compilation for one target.
class Compilation {
public:
  static llvm::Expected<Compilation> create(ModuleOp module,
                                            const CompileOptions &options) {
    auto cpu = resolveTargetCpu(options.targetCpu);
    if (!cpu)
      return cpu.takeError();
    if (llvm::Error error =
            checkOptimizations(options.disabledOptimizations, options.winogradError))
      return std::move(error);
    return Compilation(module, options, *cpu);
  }

  /// Runs the phases up to `form` that have not run yet.
  llvm::Error lowerTo(Form form) {
    for (; next <= form; next = Form(int(next) + 1))
      if (llvm::Error error = runPhase(next))
        return error;
    return llvm::Error::success();
  }

  /// Runs all phases, and tells what the program will say of itself.
  llvm::Expected<ProgramInfo> finish() {
    if (llvm::Error error = lowerTo(Form::Planned))
      return std::move(error);
    ProgramInfo info = collectProgramInfo(module);
    info.targetCpu = cpu.name.str();
    info.isaLevel = cpu.level;
    info.optimizations = optimizations;
    if (llvm::Error error = lowerTo(Form::Llvm))
      return std::move(error);
    if (llvm::Error error = beginStep("machine code"))
      return std::move(error);
    return info;
  }

  /// Runs all phases and compiles the result.
  llvm::Expected<ProgramCode> makeCode() {
    ProgramCode code;
    if (llvm::Error error = finish().moveInto(code.info))
      return std::move(error);
    if (llvm::Error error = emitCode(module, cpu).moveInto(code.objects))
      return std::move(error);
    return code;
  }

  /// The code of the program, made before or now.
  llvm::Expected<ProgramCode> getCode() {
    auto cache = ProgramCache::create(module, cpu, options);
    if (!cache)
      return cache.takeError();
    if (std::optional<ProgramCode> known = cache->lookup()) {
      known->info.isCached = true;
      stepsDone = totalSteps - 1;
      if (llvm::Error error = beginStep("cached code"))
        return std::move(error);
      return std::move(*known);
    }
    auto code = makeCode();
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

private:
  Compilation(ModuleOp module, const CompileOptions &options, TargetCpu cpu)
      : module(module), options(options), cpu(cpu) {}

  void identify(ProgramInfo &info) const {
    info.name = options.name;
    info.digest = sourceDigest(options.source);
  }

  DescriptorOptions getDescriptor() const {
    DescriptorOptions descriptor = options.descriptor;
    descriptor.embedParameters |= options.parameters != nullptr;
    return descriptor;
  }

  /// One for each form, and the machine code.
  static constexpr int totalSteps = int(Form::Llvm) + 2;

  llvm::Error beginStep(StringRef step) {
    if (!options.progress || options.progress(step, stepsDone++, totalSteps))
      return llvm::Error::success();
    return llvm::createStringError("the compilation was stopped before its "
                                   "step '" +
                                   step + "'");
  }

  llvm::Error runPhase(Form form) {
    PassManager manager(module.getContext());
    PipelineOptions pipeline;
    pipeline.targetCpu = cpu.name.str();
    pipeline.maxWorkspace = options.maxWorkspace;
    pipeline.disabledOptimizations = options.disabledOptimizations;
    pipeline.winogradError = options.winogradError;
    StringRef step;
    switch (form) {
    case Form::Graph:
      step = "graph";
      optimizations.clear();
      manager.addInstrumentation(std::make_unique<CountNodes>(optimizations));
      buildGraphPipeline(manager, pipeline);
      break;
    case Form::Kernels:
      step = "kernels";
      buildKernelsPipeline(manager, pipeline);
      break;
    case Form::Planned:
      step = "memory plan";
      buildPlannedPipeline(manager, pipeline);
      break;
    case Form::Llvm:
      step = "code";
      buildTargetPipeline(manager, pipeline);
      break;
    }
    if (llvm::Error error = beginStep(step))
      return error;
    if (failed(manager.run(module)))
      return llvm::make_error<ReportedError>();
    return llvm::Error::success();
  }

  ModuleOp module;
  const CompileOptions &options;
  TargetCpu cpu;
  /// The first form that is not reached yet.
  Form next = Form::Graph;
  int stepsDone = 0;
  std::vector<OptimizationInfo> optimizations;
};

} // namespace

llvm::Error hamkaas::lowerModel(ModuleOp module, Form form,
                                const CompileOptions &options) {
  auto compilation = Compilation::create(module, options);
  return compilation ? compilation->lowerTo(form) : compilation.takeError();
}

llvm::Expected<CompiledModel>
hamkaas::compileModel(ModuleOp module, const CompileOptions &options) {
  auto start = std::chrono::steady_clock::now();
  if (options.threads > CompileOptions::maxThreads)
    return llvm::createStringError(
        "expected 0 to " + llvm::Twine(CompileOptions::maxThreads) +
        " threads to compile on, got " + llvm::Twine(options.threads));
  auto compilation = Compilation::create(module, options);
  if (!compilation)
    return compilation.takeError();
  CompileThreads threads(*module.getContext(), options.threads);
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
