//===- ChooseEngines.cpp - Engines by a file or by the clock --------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChooseEngines.h"
#include "CachedCompilation.h"
#include "HamKaas/Engine/Choices.h"
#include "HamKaas/Engine/EngineHost.h"
#include "HamKaas/Engine/GroupModels.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Program/CodeCache.h"
#include "HamKaas/Support/OutputFile.h"
#include "HamKaas/Support/ReportError.h"
#include "HamKaas/Target/Pipelines.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"
#include <cmath>

using namespace mlir;
using namespace hamkaas;

using std::chrono::steady_clock;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Seconds for all groups of a model, unless the user says.
static constexpr double usualSeconds = 60;

/// The seconds to measure; none for the cost model.
static llvm::Expected<std::optional<double>> parseChoose(StringRef text) {
  if (text.empty() || text == "model")
    return std::nullopt;
  StringRef rest = text;
  double seconds = usualSeconds;
  bool isRight =
      rest.consume_front("measure") &&
      (rest.empty() || (rest.consume_front("=") && !rest.getAsDouble(seconds) &&
                        seconds > 0 && std::isfinite(seconds)));
  if (isRight)
    return seconds;
  return makeOptionError(OptionId::choose,
                         "expected model, measure or measure=SECONDS, got '" +
                             text + "'");
}

bool hamkaas::measuresEngines(const CompileSettings &settings) {
  auto seconds = parseChoose(settings.choose);
  if (seconds)
    return seconds->has_value();
  llvm::consumeError(seconds.takeError());
  return false;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Nothing if `mayBeAbsent` and there is no such file.
static llvm::Expected<std::optional<Choices>> readChoices(StringRef path,
                                                          bool mayBeAbsent) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    if (mayBeAbsent && file.getError() == std::errc::no_such_file_or_directory)
      return std::nullopt;
    return makeOptionError(OptionId::choices, "cannot read '" + path + "': " +
                                                  file.getError().message());
  }
  auto choices = parseChoices((*file)->getBuffer());
  if (!choices)
    return makeOptionError(OptionId::choices,
                           "cannot read '" + path +
                               "': " + llvm::toString(choices.takeError()));
  return std::move(*choices);
}

static llvm::Error writeChoices(StringRef path, const Choices &choices) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printChoices(choices, stream);
  return writeOutputFile(path, text);
}

//===----------------------------------------------------------------------===//
// Measuring
//===----------------------------------------------------------------------===//

namespace {

/// Measures the groups of a model.
class Measurement {
public:
  Measurement(ModuleOp graph, const TargetCpu &host,
              const CompileOptions &options, CompileFunction compile,
              Deadline deadline)
      : graph(graph), host(host), options(options), compile(compile),
        deadline(deadline) {}

  /// Adds to `choices` what they lack.
  llvm::Error run(Choices &choices);

private:
  llvm::Expected<Choice> measure(GroupModel &model, Deadline until);
  llvm::Error compareWhole(Choices &choices);
  std::optional<CodeCache::Key> makeKey(const GroupModel &model) const;
  llvm::Error tell(const Twine &step, int done, int total) const;

  ModuleOp graph;
  const TargetCpu &host;
  const CompileOptions &options;
  CompileFunction compile;
  Deadline deadline;
  std::optional<CodeCache> cache;
};

} // namespace

llvm::Error Measurement::tell(const Twine &step, int done, int total) const {
  std::string text = step.str();
  if (!options.progress || options.progress(text, done, total))
    return llvm::Error::success();
  return llvm::createStringError("the compilation was stopped before its "
                                 "step '" +
                                 text + "'");
}

/// Everything that decides which engine is the fastest; nothing if that is
/// unknown.
std::optional<CodeCache::Key>
Measurement::makeKey(const GroupModel &model) const {
  auto compiler = getCompilerDigest();
  auto engines =
      getEnginesKey(llvm::join(model.engines, ","), options.enginePath);
  if (!compiler || !engines) {
    llvm::consumeError(engines.takeError());
    return std::nullopt;
  }
  std::string threads =
      std::to_string(llvm::hardware_concurrency().compute_thread_count());
  llvm::BLAKE3 hasher;
  hasher.update(*compiler);
  for (StringRef part :
       {StringRef("HamKaas choice 1"), StringRef(model.digest), host.name,
        llvm::sys::getHostCPUName(), StringRef(threads), StringRef(*engines)}) {
    hasher.update(part);
    hasher.update(StringRef("\0", 1));
  }
  for (const std::string &engine : model.engines)
    hasher.update(engine + '\n');
  return hasher.final<32>();
}

/// Three digits: what was measured has no more.
static double roundSeconds(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.2e", seconds);
  double rounded = seconds;
  (void)StringRef(text).getAsDouble(rounded);
  return rounded;
}

llvm::Expected<Choice> Measurement::measure(GroupModel &model, Deadline until) {
  CompileOptions own = options;
  own.parameters = nullptr;
  CandidateTimer timer(*model.module, own, compile);
  std::vector<StringRef> engines;
  for (const std::string &engine : model.engines) {
    // Compiling is half of the work.
    if (engines.size() > 1 && steady_clock::now() > until)
      break;
    if (llvm::Error error = timer.add(engine)) {
      if (engines.empty())
        return std::move(error);
      graph.emitWarning("not chosen for ")
          << model.ops << " at " << model.at << ": "
          << llvm::toString(std::move(error));
      continue;
    }
    engines.push_back(engine);
  }
  if (llvm::Error error = timer.run(until))
    return std::move(error);
  Choice choice;
  choice.group = model.digest;
  choice.ops = model.ops;
  choice.at = model.at;
  choice.engine = engines[timer.getBest()].str();
  for (auto [i, engine] : llvm::enumerate(engines))
    choice.tried.push_back({engine.str(), roundSeconds(timer.getSeconds(i))});
  return choice;
}

/// Engines that win alone may lose together: kernels of theirs are fused with
/// nothing. Then all groups stay ours.
llvm::Error Measurement::compareWhole(Choices &choices) {
  auto isOwn = [](const Choice &choice) { return choice.engine == ownEngine; };
  if (llvm::all_of(choices.groups, isOwn))
    return llvm::Error::success();
  CandidateTimer timer(graph, options, compile);
  if (llvm::Error error = timer.add(ownEngine)) {
    // A model that does not run on any inputs cannot be compared.
    llvm::consumeError(std::move(error));
    return llvm::Error::success();
  }
  llvm::Error error = timer.add("", encodeChoices(choices.groups));
  if (!error) {
    error = timer.run(deadline);
    if (!error && timer.getSeconds(1) <= timer.getSeconds(0))
      return error;
  }
  bool isSlower = !error;
  graph.emitWarning("the engines that were chosen are not used: ")
      << (isSlower ? "together they are slower than our own code"
                   : llvm::toString(std::move(error)));
  for (Choice &choice : choices.groups)
    choice.engine = ownEngine.str();
  return llvm::Error::success();
}

llvm::Error Measurement::run(Choices &choices) {
  auto settings = getCodeCacheOptions();
  if (!settings)
    return settings.takeError();
  if (!options.noCache && !settings->directory.empty())
    if (auto opened = CodeCache::open(*settings))
      cache.emplace(std::move(*opened));
  auto models = collectGroupModels(graph, {options.engine, options.enginePath,
                                           *lookupTarget(host.name),
                                           options.winogradError});
  if (!models)
    return models.takeError();
  llvm::erase_if(*models, [&](const GroupModel &model) {
    return choices.find(model.digest) != nullptr;
  });
  bool hasNew = false;
  for (auto [i, model] : llvm::enumerate(*models)) {
    std::optional<CodeCache::Key> key = makeKey(model);
    auto entry = cache && key ? cache->lookup(*key) : nullptr;
    auto known = entry ? parseChoices(entry->getBuffer())
                       : llvm::Expected<Choices>(Choices());
    if (known && known->find(model.digest)) {
      choices.set(*known->find(model.digest));
      hasNew = true;
      continue;
    }
    llvm::consumeError(known.takeError());
    if (llvm::Error error = tell("measuring " + model.ops + " at " + model.at,
                                 int(i), int(models->size())))
      return error;
    auto now = steady_clock::now();
    if (now > deadline)
      break;
    auto choice =
        measure(model, now + (deadline - now) / int64_t(models->size() - i));
    if (!choice)
      return choice.takeError();
    hasNew = true;
    if (cache && key) {
      Choices single;
      single.set(*choice);
      std::string text;
      llvm::raw_string_ostream stream(text);
      printChoices(single, stream);
      cache->store(*key, text);
    }
    choices.set(std::move(*choice));
  }
  return hasNew ? compareWhole(choices) : llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

/// The graph of the model as targets get it.
static llvm::Expected<OwningOpRef<ModuleOp>>
makeGraph(ModuleOp module, const CompileOptions &options) {
  PipelineOptions pipeline;
  static_cast<CompileSettings &>(pipeline) = options;
  OwningOpRef<ModuleOp> graph(module.clone());
  PassManager manager(module.getContext());
  buildGraphPipeline(manager, pipeline);
  if (failed(manager.run(*graph)))
    return llvm::make_error<ReportedError>();
  return graph;
}

llvm::Expected<std::string>
hamkaas::chooseEngines(ModuleOp module, const TargetCpu &host,
                       const CompileOptions &options, CompileFunction compile) {
  auto seconds = parseChoose(options.choose);
  if (!seconds)
    return seconds.takeError();
  Choices choices;
  choices.target = host.name.str();
  choices.device = llvm::sys::getHostCPUName().str();
  choices.threads = llvm::hardware_concurrency().compute_thread_count();
  if (!options.choices.empty()) {
    auto known = readChoices(options.choices, /*mayBeAbsent=*/bool(*seconds));
    if (!known)
      return known.takeError();
    if (*known && (*known)->target == choices.target)
      choices.groups = std::move((*known)->groups);
    else if (*known)
      module.emitWarning("the choices of '")
          << options.choices << "' are not used: they are for "
          << (*known)->target << ", the program is for " << choices.target;
  }
  if (*seconds) {
    Deadline deadline = steady_clock::now() +
                        std::chrono::duration_cast<steady_clock::duration>(
                            std::chrono::duration<double>(**seconds));
    auto graph = makeGraph(module, options);
    if (!graph)
      return graph.takeError();
    if (llvm::Error error =
            Measurement(**graph, host, options, compile, deadline).run(choices))
      return std::move(error);
    if (!options.choices.empty())
      if (llvm::Error error = writeChoices(options.choices, choices))
        return std::move(error);
  }
  return encodeChoices(choices.groups);
}
