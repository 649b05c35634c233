//===- DnnEngines.cpp - The engines of graphs of nodes ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DnnEngines.h"
#include "HamKaas/Dialect/HamKaas/IR/DimensionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/EngineOps.h"
#include "HamKaas/Dialect/HamKaas/IR/MovementOps.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Driver/Registration.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/EngineRules.h"
#include "HamKaas/Engine/Passes.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Program/CollectProgramInfo.h"
#include "HamKaas/Support/DiagnosticText.h"
#include "HamKaas/Target/Pipelines.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace hamkaas;
using namespace hamkaas::capi;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using nodes::makeError;

int64_t DnnEngine::getId() const {
  return int64_t(rt::hashEngineId(name.c_str()));
}

bool DnnEngine::isOwn() const { return name == ownEngine; }

//===----------------------------------------------------------------------===//
// The engine of this compiler
//===----------------------------------------------------------------------===//

static const SharedDnnEngine &getOwnEngine() {
  static const SharedDnnEngine engine(new DnnEngine{
      ownEngine.str(),
      {{"hamkaas.max_workspace",
        "The results between kernels take no more bytes; 0 for no limit.",
        HamKaasDnnKnobInt64, 0, 0, INT64_MAX},
       {"hamkaas.no_optimize",
        "Optimizations of the graph to skip, as --no-optimize takes them.",
        HamKaasDnnKnobString},
       {"hamkaas.precision",
        "For a GPU: the arithmetic of large float32 products: exact, tf32, "
        "3xtf32 or bf16.",
        HamKaasDnnKnobString},
       {"hamkaas.target_cpu", "The ISA level of the program.",
        HamKaasDnnKnobString},
       {"hamkaas.winograd_error",
        "The largest error of a 3 x 3 convolution by Winograd's method; below "
        "7e-7 the method is off, and 0 stands for 1e-5.",
        HamKaasDnnKnobDouble, 0, 0, 0, 0, 0, 1}},
      {HamKaasDnnRuntimeCompilation, HamKaasDnnSerializesPlans}});
  return engine;
}

//===----------------------------------------------------------------------===//
// Engines of libraries
//===----------------------------------------------------------------------===//

static DnnKnob describeKnob(const HamKaasEngine &engine,
                            const HamKaasEngineKnob &given) {
  DnnKnob knob;
  knob.id = std::string(engine.id) + "." + given.id;
  knob.description = given.description ? given.description : "";
  knob.type = given.kind == HamKaasEngineInteger  ? HamKaasDnnKnobInt64
              : given.kind == HamKaasEngineNumber ? HamKaasDnnKnobDouble
                                                  : HamKaasDnnKnobString;
  knob.standard = given.integer;
  knob.least = given.minimum;
  knob.most = given.maximum;
  knob.realStandard = given.number;
  knob.realLeast = given.leastNumber;
  knob.realMost = given.greatestNumber;
  if (given.kind != HamKaasEngineText)
    return knob;
  knob.textStandard = given.text;
  knob.choices.assign(given.choices, given.choices + given.choiceCount);
  if (!knob.description.empty())
    knob.description += "; ";
  knob.description += "one of " + llvm::join(knob.choices, ", ");
  return knob;
}

static SharedDnnEngine describeEngine(const HamKaasEngine &given) {
  auto engine = std::make_shared<DnnEngine>();
  engine->name = given.id;
  for (int32_t i = 0; i < given.knobCount; ++i)
    engine->knobs.push_back(describeKnob(given, given.knobs[i]));
  // A plan needs the file of the engine, too.
  engine->notes = {HamKaasDnnRuntimeCompilation, HamKaasDnnNeedsLibrary,
                   HamKaasDnnSerializesPlans};
  if (!(given.notes & HamKaasEngineBitExact))
    engine->notes.push_back(HamKaasDnnBitsDependOnThreads);
  if (given.notes & HamKaasEngineAllocates)
    engine->notes.push_back(HamKaasDnnAllocatesInRuns);
  if (given.notes & HamKaasEngineOwnThreads)
    engine->notes.push_back(HamKaasDnnOwnThreads);
  return engine;
}

namespace {

struct EnginePath {
  std::mutex mutex;
  std::string text;
};

} // namespace

static EnginePath &getEnginePath() {
  // NOTE: never destroyed, because other threads may run when the process ends.
  static auto &path = *new EnginePath;
  return path;
}

static std::string readEnginePath() {
  EnginePath &path = getEnginePath();
  std::lock_guard<std::mutex> lock(path.mutex);
  return path.text;
}

Error capi::setDnnEnginePath(StringRef text) {
  if (Error error = checkEnginePath(text))
    return error;
  EnginePath &path = getEnginePath();
  std::lock_guard<std::mutex> lock(path.mutex);
  path.text = text.str();
  return Error::success();
}

/// In the order of the search.
static std::vector<const HamKaasEngine *> listEngines(const EngineHost &host) {
  std::vector<const HamKaasEngine *> engines;
  for (const EngineFile &file : host.getFiles())
    for (int32_t i = 0;
         file.problem.empty() && i < file.library.table->engineCount; ++i)
      engines.push_back(file.library.table->engines[i]);
  return engines;
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

static const mlir::DialectRegistry &getRegistry() {
  static const mlir::DialectRegistry registry = [] {
    mlir::DialectRegistry made;
    registerDialects(made);
    return made;
  }();
  return registry;
}

/// Returns whether the operation only moves elements, which is no part of a
/// node.
static bool isMovement(mlir::Operation *op) {
  if (mlir::isa<PermuteOp, BroadcastOp, StridedSliceOp, PadOp, GatherOp>(op))
    return true;
  auto kernelOp = mlir::dyn_cast<KernelOpInterface>(op);
  return !kernelOp || kernelOp.getKernelFamily() == KernelFamily::View ||
         kernelOp.getKernelFamily() == KernelFamily::Movement;
}

namespace {

/// The module of a graph, to ask engines for.
class EngineQuestion {
public:
  Error prepare(const DnnGraph &graph) {
    DiagnosticText diagnostics(&context);
    auto read = mlir::parseSourceString<mlir::ModuleOp>(
        graph.bytecode, mlir::ParserConfig(&context));
    mlir::PassManager manager(&context);
    buildGraphPipeline(manager, PipelineOptions());
    if (!read || failed(manager.run(*read)))
      return diagnostics.take();
    module = std::move(read);
    return Error::success();
  }

  bool isPrepared() const { return bool(module); }

  /// Gives groups to an engine: `rule` is one of --engine. The error says what
  /// stays ours.
  Error ask(StringRef name, StringRef rule, StringRef path) {
    // An engine that computes nothing is a warning.
    mlir::ScopedDiagnosticHandler quiet(
        &context, [](mlir::Diagnostic &) { return mlir::success(); });
    DiagnosticText diagnostics(&context);
    mlir::OwningOpRef<mlir::ModuleOp> copy(module->clone());
    mlir::PassManager manager(&context);
    UseEnginesOptions options;
    options.engines = rule.str();
    options.path = path.str();
    manager.addPass(createUseEngines(options));
    if (failed(manager.run(*copy)))
      return diagnostics.take();
    bool hasCall = false;
    mlir::Operation *own = nullptr;
    llvm::DenseMap<mlir::Block *, llvm::DenseSet<mlir::Operation *>> movable;
    // Computed before a run.
    auto isKnown = [&](mlir::Operation *op) {
      auto [ops, isNew] = movable.try_emplace(op->getBlock());
      if (isNew)
        ops->second = findMovableOps(*op->getBlock());
      return ops->second.contains(op);
    };
    copy->walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
      if (mlir::isa<GroupOp>(op)) {
        hasCall = true;
        return mlir::WalkResult::skip();
      }
      if (isMovement(op) || isKnown(op))
        return mlir::WalkResult::advance();
      own = op;
      return mlir::WalkResult::interrupt();
    });
    if (own)
      return makeError(HamKaasDnnNotSupported,
                       "engine '" + name + "' does not compute node " +
                           graph::quote(formatLocation(own->getLoc())) +
                           ": it leaves " + own->getName().stripDialect() +
                           " to this compiler");
    if (!hasCall)
      return makeError(HamKaasDnnNotSupported,
                       "engine '" + name +
                           "' computes nothing of the graph, which only moves "
                           "elements");
    return Error::success();
  }

private:
  mlir::MLIRContext context{getRegistry(),
                            mlir::MLIRContext::Threading::DISABLED};
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

/// Asks for the engines that the graph does not remember answers of.
static void askEngines(const DnnGraph &graph, const EngineHost &host,
                       StringRef path,
                       llvm::ArrayRef<const HamKaasEngine *> engines) {
  std::optional<EngineQuestion> question;
  for (const HamKaasEngine *engine : engines) {
    auto [answer, isNew] =
        graph.answers.try_emplace({&host, int64_t(engine->hash)});
    if (!isNew)
      continue;
    Error problem = host.find(engine->id).takeError();
    if (!problem && !(question && question->isPrepared()))
      problem = question.emplace().prepare(graph);
    if (!problem)
      problem = question->ask(engine->id, engine->id, path);
    if (problem)
      answer->second.problem = toString(std::move(problem));
    else
      answer->second.engine = describeEngine(*engine);
  }
}

std::vector<SharedDnnEngine> capi::findDnnEngines(const DnnGraph &graph) {
  std::string path = readEnginePath();
  const EngineHost &host = EngineHost::get(path);
  std::vector<const HamKaasEngine *> engines = listEngines(host);
  std::vector<SharedDnnEngine> found = {getOwnEngine()};
  std::lock_guard<std::mutex> lock(graph.mutex);
  askEngines(graph, host, path, engines);
  for (const HamKaasEngine *engine : engines)
    if (SharedDnnEngine known =
            graph.answers.at({&host, int64_t(engine->hash)}).engine)
      found.push_back(std::move(known));
  return found;
}

Expected<SharedDnnEngine> capi::findDnnEngine(const DnnGraph &graph,
                                              int64_t id) {
  if (id == getOwnEngine()->getId())
    return getOwnEngine();
  std::string path = readEnginePath();
  const EngineHost &host = EngineHost::get(path);
  for (const HamKaasEngine *engine : listEngines(host)) {
    if (int64_t(engine->hash) != id)
      continue;
    std::lock_guard<std::mutex> lock(graph.mutex);
    askEngines(graph, host, path, engine);
    const DnnEngineAnswer &answer = graph.answers.at({&host, id});
    if (answer.engine)
      return answer.engine;
    return makeError(HamKaasDnnNotSupported, answer.problem);
  }
  std::string names;
  for (const SharedDnnEngine &known : findDnnEngines(graph))
    names += " " + known->name + " (" + std::to_string(known->getId()) + ")";
  return createStringError(
      "expected the id of an engine that takes the graph, got " + Twine(id) +
      "; these do:" + names);
}

Error capi::checkDnnSettings(const DnnGraph &graph, const DnnEngine &engine,
                             const DnnSettings &settings) {
  // Without settings its answer is known.
  if (engine.isOwn() || settings.engine == engine.name)
    return Error::success();
  EngineQuestion question;
  if (Error error = question.prepare(graph))
    return error;
  return question.ask(engine.name, settings.engine, settings.enginePath);
}

//===----------------------------------------------------------------------===//
// Knobs
//===----------------------------------------------------------------------===//

static Error explainUnknownKnob(const DnnEngine &engine, StringRef id) {
  auto nearest =
      llvm::min_element(engine.knobs, [&](const DnnKnob &a, const DnnKnob &b) {
        return StringRef(a.id).edit_distance(id) <
               StringRef(b.id).edit_distance(id);
      });
  std::string text =
      "engine '" + engine.name + "' has no knob " + graph::quote(id);
  if (nearest != engine.knobs.end())
    text += "; the nearest is '" + nearest->id + "'";
  return createStringError(text);
}

/// Checks the type and the range of a value.
static Error checkKnobValue(const DnnKnob &knob, const DnnValue &value) {
  auto fail = [&](const Twine &expected) {
    return createStringError("knob '" + knob.id + "': expected " + expected);
  };
  switch (knob.type) {
  case HamKaasDnnKnobInt64:
    if (value.integers.size() != 1)
      return fail("one int64");
    if (value.integers.front() < knob.least ||
        value.integers.front() > knob.most)
      return fail("a number from " + Twine(knob.least) + " to " +
                  Twine(knob.most) + ", by default " + Twine(knob.standard) +
                  ", got " + Twine(value.integers.front()));
    return Error::success();
  case HamKaasDnnKnobDouble:
    if (value.reals.size() != 1)
      return fail("one double");
    if (!(value.reals.front() >= knob.realLeast &&
          value.reals.front() <= knob.realMost))
      return fail("a number from " + Twine(std::to_string(knob.realLeast)) +
                  " to " + std::to_string(knob.realMost) + ", by default " +
                  std::to_string(knob.realStandard) + ", got " +
                  std::to_string(value.reals.front()));
    return Error::success();
  case HamKaasDnnKnobString:
    if (value.type != HamKaasDnnTypeChar)
      return fail("a text");
    if (!knob.choices.empty() && !llvm::is_contained(knob.choices, value.text))
      return fail("one of " + Twine(llvm::join(knob.choices, ", ")) +
                  ", by default " + knob.textStandard + ", got " +
                  graph::quote(value.text));
    return Error::success();
  }
  llvm_unreachable("a knob has a type");
}

/// Sets a knob of our engine.
static void setOwnKnob(StringRef id, const DnnValue &value,
                       DnnSettings &settings) {
  if (id == "hamkaas.max_workspace")
    settings.maxWorkspace = value.integers.front();
  else if (id == "hamkaas.winograd_error")
    settings.winogradError = value.reals.front();
  else if (id == "hamkaas.no_optimize")
    settings.noOptimize = value.text;
  else if (id == "hamkaas.precision")
    settings.precision = value.text;
  else if (id == "hamkaas.target_cpu")
    settings.targetCpu = value.text;
}

/// "rows=64", as a rule of --engine has it.
static std::string printKnob(const DnnEngine &engine, const DnnKnob &knob,
                             const DnnValue &value) {
  std::string text = knob.id.substr(engine.name.size() + 1) + "=";
  llvm::raw_string_ostream stream(text);
  if (knob.type == HamKaasDnnKnobInt64)
    stream << value.integers.front();
  else if (knob.type == HamKaasDnnKnobDouble)
    stream << llvm::format("%.17g", value.reals.front());
  else
    stream << value.text;
  return text;
}

Expected<DnnSettings>
capi::readKnobChoices(const DnnEngine &engine,
                      llvm::ArrayRef<SharedDnnDescriptor> choices) {
  DnnSettings settings;
  if (!engine.isOwn()) {
    settings.engine = engine.name;
    settings.enginePath = readEnginePath();
  }
  llvm::StringSet<> seen;
  for (const SharedDnnDescriptor &choice : choices) {
    StringRef id = choice->find(HamKaasDnnAttrKnobId)->text;
    const DnnValue &value = *choice->find(HamKaasDnnAttrKnobValue);
    auto knob = llvm::find_if(
        engine.knobs, [&](const DnnKnob &knob) { return knob.id == id; });
    if (knob == engine.knobs.end())
      return explainUnknownKnob(engine, id);
    if (!seen.insert(id).second)
      return createStringError("knob '" + id + "' is set twice");
    if (Error error = checkKnobValue(*knob, value))
      return std::move(error);
    if (engine.isOwn())
      setOwnKnob(id, value, settings);
    else
      settings.engine += ":" + printKnob(engine, *knob, value);
  }
  return settings;
}
