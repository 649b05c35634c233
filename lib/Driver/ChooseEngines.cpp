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
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;
using namespace hamkaas;

using std::chrono::steady_clock;

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// Seconds for all groups of a model, unless the user says.
static constexpr double usualSeconds = 60, mostSeconds = 24 * 3600;

/// The seconds to measure; none for the cost model.
static llvm::Expected<std::optional<double>> parseChoose(StringRef text) {
  if (text.empty() || text == "model")
    return std::nullopt;
  StringRef rest = text;
  double seconds = usualSeconds;
  bool isRight =
      rest.consume_front("measure") &&
      (rest.empty() || (rest.consume_front("=") && !rest.getAsDouble(seconds) &&
                        seconds > 0 && seconds <= mostSeconds));
  if (isRight)
    return seconds;
  return makeOptionError(OptionId::choose,
                         "expected model, measure or measure=SECONDS, at most "
                         "86400, got '" +
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
  auto fail = [&](const Twine &reason) {
    return makeOptionError(OptionId::choices,
                           "cannot read '" + path + "': " + reason);
  };
  llvm::sys::fs::file_status status;
  std::error_code problem = llvm::sys::fs::status(path, status);
  if (problem == std::errc::no_such_file_or_directory && mayBeAbsent)
    return std::nullopt;
  if (problem)
    return fail(problem.message());
  if (!llvm::sys::fs::is_regular_file(status))
    return fail("not a regular file");
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return fail(file.getError().message());
  auto choices = parseChoices((*file)->getBuffer());
  if (!choices)
    return fail(llvm::toString(choices.takeError()));
  return std::move(*choices);
}

static std::string formatChoices(const Choices &choices) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  printChoices(choices, stream);
  return text;
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
  llvm::Expected<Choice> measure(GroupModel &model, Deadline until,
                                 bool &isComplete /* out */);
  llvm::Expected<std::optional<Choice>> findChoice(GroupModel &model,
                                                   int64_t left);
  std::optional<Choice> lookup(const CodeCache::Key &key,
                               const GroupModel &model) const;
  llvm::Error compareWhole(Choices &choices);
  std::optional<CodeCache::Key> makeKey(const GroupModel &model) const;
  llvm::Error tell(const Twine &step) const;

  ModuleOp graph;
  const TargetCpu &host;
  const CompileOptions &options;
  CompileFunction compile;
  Deadline deadline;
  std::optional<CodeCache> cache;
  llvm::StringSet<> measured; ///< The digests of groups.
  size_t groupCount = 0, groupsDone = 0;
};

} // namespace

/// Asks the user whether to go on.
llvm::Error Measurement::tell(const Twine &step) const {
  std::string text = step.str();
  if (!options.progress ||
      options.progress(text, int(groupsDone), int(groupCount)))
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

/// `isComplete` unless engines were left out for want of time.
llvm::Expected<Choice> Measurement::measure(GroupModel &model, Deadline until,
                                            bool &isComplete /* out */) {
  isComplete = true;
  CompileOptions own = options;
  own.parameters = nullptr;
  CandidateTimer timer(*model.module, own, compile);
  std::vector<StringRef> engines;
  for (const std::string &engine : model.engines) {
    // Compiling takes as long as the turns do.
    if (engines.size() > 1 && steady_clock::now() > until) {
      isComplete = false;
      break;
    }
    if (llvm::Error error = tell("measuring " + model.ops + " at " + model.at))
      return std::move(error);
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
  choice.engine = engines[timer.getBest()].str();
  for (auto [i, engine] : llvm::enumerate(engines))
    choice.tried.push_back({engine.str(), timer.getSeconds(i)});
  return choice;
}

/// Engines that win alone may lose together: kernels of theirs are fused with
/// nothing. Then the groups that were measured now stay ours.
llvm::Error Measurement::compareWhole(Choices &choices) {
  Choices own = choices;
  for (Choice &choice : own.groups)
    if (measured.contains(choice.group))
      choice.engine = ownEngine.str();
  std::string chosenText = encodeChoices(choices.groups);
  std::string ownText = encodeChoices(own.groups);
  if (chosenText == ownText)
    return llvm::Error::success();
  CandidateTimer timer(graph, options, compile);
  if (llvm::Error error = tell("measuring the program"))
    return error;
  if (llvm::Error error = timer.add(options.engine, ownText)) {
    // A model that does not run on any inputs cannot be compared.
    llvm::consumeError(std::move(error));
    return llvm::Error::success();
  }
  if (llvm::Error error = tell("measuring the program"))
    return error;
  std::string reason = "together they are slower than our own code";
  if (llvm::Error error = timer.add(options.engine, chosenText)) {
    reason = llvm::toString(std::move(error));
  } else {
    if (llvm::Error failure = timer.run(deadline))
      return failure;
    // Less than that is noise, and the groups by themselves were faster.
    if (timer.getSeconds(1) <= CandidateTimer::noise * timer.getSeconds(0))
      return llvm::Error::success();
  }
  graph.emitWarning("the engines that were chosen are not used: ") << reason;
  choices = std::move(own);
  return llvm::Error::success();
}

/// The choice that was measured before; nothing if there is none.
std::optional<Choice> Measurement::lookup(const CodeCache::Key &key,
                                          const GroupModel &model) const {
  auto entry = cache ? cache->lookup(key) : nullptr;
  if (!entry)
    return std::nullopt;
  auto known = parseChoices(entry->getBuffer());
  if (!known) {
    llvm::consumeError(known.takeError());
    return std::nullopt;
  }
  const Choice *choice = known->find(model.digest);
  return choice ? std::optional(*choice) : std::nullopt;
}

llvm::Expected<std::optional<Choice>> Measurement::findChoice(GroupModel &model,
                                                              int64_t left) {
  std::optional<CodeCache::Key> key = makeKey(model);
  std::optional<Choice> choice = key ? lookup(*key, model) : std::nullopt;
  if (choice)
    return choice;
  auto now = steady_clock::now();
  if (now > deadline)
    return std::nullopt;
  bool isComplete = false;
  auto found = measure(model, now + (deadline - now) / left, isComplete);
  if (!found)
    return found.takeError();
  if (cache && key && isComplete) {
    Choices single;
    single.set(*found);
    cache->store(*key, formatChoices(single));
  }
  return std::optional(std::move(*found));
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
  groupCount = models->size();
  for (GroupModel &model : *models) {
    auto choice = findChoice(model, groupCount - groupsDone);
    if (!choice)
      return choice.takeError();
    if (!*choice)
      break;
    // The cache knows it from another model, perhaps.
    (*choice)->at = model.at;
    measured.insert(model.digest);
    choices.set(std::move(**choice));
    ++groupsDone;
  }
  if (groupsDone < groupCount)
    graph.emitWarning() << groupCount - groupsDone << " of " << groupCount
                        << " groups were not measured: the time was over";
  return compareWhole(choices);
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
    bool isForOther = *known && (*known)->target != choices.target;
    if (isForOther && *seconds)
      return makeOptionError(OptionId::choices,
                             "expected a file for " + Twine(choices.target) +
                                 ", which measuring would add to, got '" +
                                 options.choices + "' for " + (*known)->target);
    if (*known && !isForOther)
      choices.groups = std::move((*known)->groups);
    else if (isForOther)
      module.emitWarning("the choices of '")
          << options.choices << "' are not used: they are for "
          << (*known)->target << ", the program is for " << choices.target;
  }
  if (*seconds) {
    // One that cannot be written is an error at once.
    std::optional<OutputFile> file;
    if (!options.choices.empty()) {
      auto created = OutputFile::create(options.choices);
      if (!created)
        return created.takeError();
      file.emplace(std::move(*created));
    }
    Deadline deadline = steady_clock::now() +
                        std::chrono::duration_cast<steady_clock::duration>(
                            std::chrono::duration<double>(**seconds));
    auto graph = makeGraph(module, options);
    if (!graph)
      return graph.takeError();
    if (llvm::Error error =
            Measurement(**graph, host, options, compile, deadline).run(choices))
      return std::move(error);
    if (file) {
      if (llvm::Error error = file->write(formatChoices(choices)))
        return std::move(error);
      if (llvm::Error error = file->commit())
        return std::move(error);
    }
  }
  return encodeChoices(choices.groups);
}
