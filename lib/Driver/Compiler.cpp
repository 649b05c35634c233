//===- Compiler.cpp - From a graph to a program -----------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Driver/Compiler.h"
#include "CachedCompilation.h"
#include "ChooseEngines.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Engine/Choices.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Program/Jit.h"
#include "HamKaas/Report/CollectMissed.h"
#include "HamKaas/Report/CountNodes.h"
#include "HamKaas/Target/EmitCode.h"
#include "HamKaas/Target/TargetRegistry.h"
#include "PhaseRunner.h"
#include "TargetCompilation.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ThreadPool.h"
#include <chrono>

using namespace mlir;
using namespace hamkaas;

namespace {

/// Sets the number of threads of a context. Afterwards it uses one, because
/// MLIR cannot take the pool from it again.
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

/// One compilation, for one target or several.
class Compilation {
public:
  static llvm::Expected<Compilation> create(ModuleOp module,
                                            const CompileOptions &options);

  /// Runs the phases up to `form`.
  llvm::Error lowerTo(Form form);
  /// Runs all phases, or takes the code from the cache.
  llvm::Expected<ProgramCode> getCode();
  /// Adds what the code does not depend on.
  llvm::Expected<CompiledModel> compile();
  /// The program as one module, for its text.
  llvm::Expected<ProgramModule> makeModule();
  /// The text of the device code.
  llvm::Expected<std::string> makePtx();

private:
  Compilation(ModuleOp module, const CompileOptions &options,
              SmallVector<TargetAttr> targets);

  llvm::Error findEngines();

  void identify(ProgramInfo &info) const {
    info.name = options.name;
    info.digest = digestOfSource();
    for (TensorInfo &state : info.states)
      state.role = roles.lookup(state.name);
  }

  /// The program that trains a model is made of its source and these options.
  std::array<uint8_t, 32> digestOfSource() const {
    auto digest = sourceDigest(options.source, options.compileThreads);
    if (!options.train)
      return digest;
    std::string text(reinterpret_cast<const char *>(digest.data()),
                     digest.size());
    for (const std::string &option :
         {options.loss, options.optimizer, options.freeze, options.trainOutput})
      text += option + '\0';
    return sourceDigest(text);
  }

  DescriptorOptions getDescriptor() const {
    DescriptorOptions descriptor = options.descriptor;
    descriptor.embedParameters |=
        options.parameters && descriptor.weightsFile.empty();
    return descriptor;
  }

  llvm::Expected<std::string> findTools() const;
  llvm::Error lowerToGraph();
  llvm::Error checkOneTarget() const;
  llvm::Expected<ProgramCode> makeCode();
  TargetCompilation makeTargetCompilation(ModuleOp graph, TargetAttr target) {
    return {runner, graph, target, host, pipeline};
  }

  ModuleOp module;
  const CompileOptions &options;
  SmallVector<TargetAttr> targets;
  TargetCpu host;
  PipelineOptions pipeline;
  PhaseRunner runner;
  std::vector<OptimizationInfo> optimizations;
  std::vector<MissedInfo> missed;
  /// Of states by their names: KERNELS has no globals any more.
  llvm::StringMap<std::string> roles;
};

} // namespace

static const Target &getTarget(TargetAttr target) {
  return *TargetRegistry::get(target.getContext()).lookup(target.getName());
}

/// The CPU of the first target with CPU code. Host code of the others only
/// launches kernels and targets baseline x86-64.
static TargetCpu chooseHost(ArrayRef<TargetAttr> targets) {
  for (TargetAttr target : targets)
    if (std::optional<TargetCpu> host = getTarget(target).getHost(target))
      return *host;
  return *findTargetCpu("x86-64");
}

static llvm::StringMap<std::string> collectRoles(ModuleOp module) {
  llvm::StringMap<std::string> roles;
  for (auto global : module.getOps<ml_program::GlobalOp>()) {
    auto name = global->getAttrOfType<StringAttr>(HamKaasDialect::nameAttrName);
    auto role = global->getAttrOfType<StringAttr>(HamKaasDialect::roleAttrName);
    if (name && role)
      roles[name] = role.str();
  }
  return roles;
}

/// The graph, then the other forms and the machine code of each target.
static int countSteps(size_t targets) {
  return 1 + targets * (int(Form::Llvm) + 1);
}

Compilation::Compilation(ModuleOp module, const CompileOptions &options,
                         SmallVector<TargetAttr> targets)
    : module(module), options(options), targets(std::move(targets)),
      host(chooseHost(this->targets)),
      runner(options, countSteps(this->targets.size())),
      roles(collectRoles(module)) {
  static_cast<CompileSettings &>(pipeline) = options;
  pipeline.sameCalls = this->targets.size() > 1;
}

llvm::Expected<Compilation> Compilation::create(ModuleOp module,
                                                const CompileOptions &options) {
  MLIRContext *context = module.getContext();
  auto targets = TargetRegistry::get(context).select(options, context);
  if (!targets)
    return targets.takeError();
  if (llvm::Error error = checkPipelineOptions(options))
    return std::move(error);
  Compilation compilation(module, options, std::move(*targets));
  if (llvm::Error error = compilation.findEngines())
    return std::move(error);
  return compilation;
}

/// Those that a choices file or the clock chooses.
llvm::Error Compilation::findEngines() {
  pipeline.groupEngines = options.knownChoices;
  if (options.choices.empty() && options.choose.empty())
    return llvm::Error::success();
  return chooseEngines(module, host, options, compileInMemory)
      .moveInto(pipeline.groupEngines);
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

/// Targets share the graph.
llvm::Error Compilation::lowerToGraph() {
  if (llvm::Error error = runner.beginStep("graph"))
    return error;
  PassManager manager(module.getContext());
  manager.addInstrumentation(std::make_unique<CountNodes>(optimizations));
  CollectMissed collector(*module.getContext(), missed);
  buildGraphPipeline(manager, pipeline);
  return runner.run(module, manager);
}

/// After the graph, targets diverge.
llvm::Error Compilation::checkOneTarget() const {
  if (targets.size() == 1)
    return llvm::Error::success();
  return makeOptionError(
      OptionId::target,
      Twine("expected one target for forms behind graph, got '") +
          options.target + "'");
}

llvm::Error Compilation::lowerTo(Form form) {
  if (form > Form::Graph)
    if (llvm::Error error = checkOneTarget())
      return error;
  if (llvm::Error error = lowerToGraph())
    return error;
  TargetCompilation target = makeTargetCompilation(module, targets.front());
  switch (form) {
  case Form::Graph:
    return llvm::Error::success();
  case Form::Kernels:
    return target.lowerToKernels();
  case Form::Planned:
    return target.lowerToPlanned();
  case Form::Llvm:
    return target.lowerToLlvm().takeError();
  }
}

llvm::Expected<ProgramModule> Compilation::makeModule() {
  if (llvm::Error error = checkOneTarget())
    return std::move(error);
  if (llvm::Error error = lowerToGraph())
    return std::move(error);
  auto info = makeTargetCompilation(module, targets.front()).lowerToLlvm();
  if (!info)
    return info.takeError();
  identify(*info);
  return ProgramModule{module, host, std::move(*info), getDescriptor()};
}

llvm::Expected<std::string> Compilation::makePtx() {
  if (llvm::Error error = checkOneTarget())
    return std::move(error);
  if (llvm::Error error = lowerToGraph())
    return std::move(error);
  return makeTargetCompilation(module, targets.front()).printDeviceCode();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

llvm::Expected<std::string> Compilation::findTools() const {
  std::string text;
  for (TargetAttr target : targets) {
    auto tools = getTarget(target).findTools(target);
    if (!tools)
      return tools;
    text += *tools;
  }
  text += pipeline.groupEngines + '\0';
  // Another version of an engine library may plan otherwise.
  if (!options.engine.empty()) {
    auto engines = getEnginesKey(options.engine, options.enginePath);
    if (!engines)
      return engines.takeError();
    text += *engines;
  }
  auto choices = decodeChoices(pipeline.groupEngines);
  if (!choices)
    return choices.takeError();
  for (const Choice &choice : *choices) {
    auto engine = getEnginesKey(choice.engine, options.enginePath);
    if (!engine)
      return engine.takeError();
    text += *engine;
  }
  return text;
}

/// Runs all phases for one target after the other.
llvm::Expected<ProgramCode> Compilation::makeCode() {
  if (llvm::Error error = lowerToGraph())
    return std::move(error);
  std::optional<ProgramCode> program;
  for (TargetAttr target : targets) {
    // The last target needs no copy.
    OwningOpRef<ModuleOp> copy(target == targets.back() ? ModuleOp()
                                                        : module.clone());
    auto part = makeTargetCompilation(copy ? *copy : module, target)
                    .makeCode(options.kernelProgress);
    if (!part)
      return part.takeError();
    if (!program)
      program = std::move(*part);
    else if (llvm::Error error = joinCode(*program, std::move(*part)))
      return std::move(error);
  }
  program->info.optimizations = std::move(optimizations);
  program->info.missed = std::move(missed);
  return std::move(*program);
}

llvm::Expected<ProgramCode> Compilation::getCode() {
  // Fail before doing work that needs them.
  auto tools = findTools();
  if (!tools)
    return tools.takeError();
  auto cache = CachedCompilation::create(module, host, *tools, options);
  if (!cache)
    return cache.takeError();
  // Passes and engines that do not run cannot be checked.
  bool hasEngines = !options.engine.empty() || !pipeline.groupEngines.empty();
  bool isChecked =
      options.checkEachPass || (options.verifyEngines && hasEngines);
  if (std::optional<ProgramCode> known =
          isChecked ? std::nullopt : cache->lookup()) {
    known->info.isCached = true;
    if (llvm::Error error = runner.beginLastStep("cached code"))
      return std::move(error);
    return std::move(*known);
  }
  auto code = makeCode();
  if (code)
    cache->store(*code);
  return code;
}

llvm::Expected<CompiledModel> Compilation::compile() {
  auto code = getCode();
  if (!code)
    return code.takeError();
  CompiledModel compiled;
  compiled.info = std::move(code->info);
  identify(compiled.info);
  compiled.objects = std::move(code->objects);
  auto descriptor = emitDescriptor(host, compiled.info, getDescriptor());
  if (!descriptor)
    return descriptor.takeError();
  compiled.objects.insert(compiled.objects.begin(), std::move(*descriptor));
  return compiled;
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

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
