//===- CandidateTimer.cpp - Programs compared by the clock ----------------===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateTimer.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Engine/Trial.h"
#include "HamKaas/Program/Difference.h"
#include "HamKaas/Program/ElementTypes.h"
#include "HamKaas/Support/DiagnosticText.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace hamkaas;

using std::chrono::steady_clock;

/// Seconds that a turn takes at least: many times what the clock and a wake-up
/// of threads cost.
static constexpr double turnSeconds = 2e-3;
static constexpr size_t minTurns = 5, maxTurns = 15;
/// After `turns` turns, a candidate that takes this many times as long as the
/// best has lost.
static double getLosingRatio(size_t turns) { return turns < 4 ? 1.5 : 1.15; }

struct CandidateTimer::Candidate {
  ProgramInMemory program;
  std::unique_ptr<Runner> runner;
  std::vector<Tensor> outputs;
  size_t runsPerTurn = 1;
  std::vector<double> seconds; ///< Of a run, one a turn.
  bool hasLost = false;

  double getMedian() const {
    std::vector<double> sorted = seconds;
    auto middle = sorted.begin() + sorted.size() / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
  }
};

/// Integers are often indices: zeros are valid ones.
static Tensor makeInput(RankedTensorType type, StringRef name) {
  return isa<FloatType>(type.getElementType()) ? makeRandomTensor(type, name)
                                               : Tensor(type);
}

/// Without all that is about the program of the user.
static CompileOptions makeTrialOptions(const CompileOptions &given) {
  CompileOptions options;
  static_cast<CompileSettings &>(options) = given;
  options.choose = options.choices = "";
  options.noCache = true;
  options.maxWorkspace = 0;
  options.compileThreads = 0;
  options.checkEachPass = options.debugInfo = options.checkNan = false;
  options.verifyEngines = false;
  options.graphPasses = "";
  options.name = "candidate";
  options.parameters = given.parameters;
  return options;
}

CandidateTimer::CandidateTimer(ModuleOp graph, const CompileOptions &given,
                               CompileFunction compile)
    : graph(graph), options(makeTrialOptions(given)), compile(compile) {
  if (options.parameters)
    return;
  auto parameters = std::make_shared<ParameterContents>();
  for (auto global : graph.getOps<ml_program::GlobalOp>()) {
    if (!isa_and_nonnull<ml_program::ExternAttr>(
            global.getValue().value_or(nullptr)))
      continue;
    std::string name = getGlobalName(global).str();
    contents.push_back(
        makeInput(cast<RankedTensorType>(global.getType()), name));
    const Tensor &tensor = contents.back();
    parameters->add(name, ArrayRef(static_cast<const char *>(tensor.data()),
                                   tensor.bytes()));
  }
  options.parameters = std::move(parameters);
}

CandidateTimer::~CandidateTimer() = default;

llvm::Error CandidateTimer::add(StringRef engine, StringRef choices) {
  auto candidate = std::make_unique<Candidate>();
  options.engine = engine.str();
  options.knownChoices = choices.str();
  OwningOpRef<ModuleOp> copy(graph.clone());
  // The errors are this function's, and warnings have been given.
  DiagnosticText diagnostics(graph.getContext());
  ScopedDiagnosticHandler quiet(graph.getContext(), [](Diagnostic &told) {
    return success(told.getSeverity() != DiagnosticSeverity::Error);
  });
  std::string name =
      engine.empty() ? "the program" : ("engine '" + engine + "'").str();
  auto explain = [&](llvm::Error error) -> llvm::Error {
    std::string text = llvm::toString(std::move(error));
    std::string told = llvm::toString(diagnostics.take());
    return llvm::createStringError(told.empty() ? text : told);
  };
  if (llvm::Error error = compile(*copy, options).moveInto(candidate->program))
    return explain(std::move(error));
  // Engines of others may crash or hang. The parent says what else is wrong.
  if (!candidate->program.info.engineCalls.empty())
    if (llvm::Error error = tryInChild([&](TrialStep step) {
          step(name + ": a run");
          llvm::consumeError(start(*candidate));
        }))
      return error;
  if (llvm::Error error = start(*candidate))
    return explain(std::move(error));
  if (llvm::Error error = checkResults(*candidate, name))
    return error;
  // The first run has page faults.
  auto seconds = takeTurn(*candidate);
  if (!seconds)
    return explain(seconds.takeError());
  candidate->runsPerTurn =
      std::clamp<double>(std::ceil(turnSeconds / *seconds), 1, 1000);
  candidates.push_back(std::move(candidate));
  return llvm::Error::success();
}

/// Loads the program, and runs it once.
llvm::Error CandidateTimer::start(Candidate &candidate) {
  auto runner = createProgramRunner(candidate.program.program->program(),
                                    graph.getContext(), {});
  if (!runner)
    return runner.takeError();
  candidate.runner = std::move(*runner);
  if (inputs.empty())
    for (const TensorDeclaration &input : candidate.runner->inputs())
      inputs.push_back(makeInput(input.type, input.name));
  for (const TensorDeclaration &output : candidate.runner->outputs())
    candidate.outputs.emplace_back(output.type);
  return candidate.runner->run(inputs, candidate.outputs);
}

llvm::Error CandidateTimer::checkResults(Candidate &candidate, StringRef name) {
  if (candidates.empty())
    return llvm::Error::success();
  for (auto [actual, expected] :
       llvm::zip_equal(candidate.outputs, candidates.front()->outputs)) {
    Difference difference = compare(decode(actual), decode(expected));
    if (!difference.isWithin(getElementType(actual.type()).tolerance))
      return llvm::createStringError(
          name + " gives wrong results: " +
          describeDifference(actual.type(), difference,
                             /*showTolerance=*/true));
  }
  return llvm::Error::success();
}

/// The seconds of a run.
llvm::Expected<double> CandidateTimer::takeTurn(Candidate &candidate) {
  auto start = steady_clock::now();
  for (size_t i = 0; i < candidate.runsPerTurn; ++i)
    if (llvm::Error error = candidate.runner->run(inputs, candidate.outputs))
      return std::move(error);
  return std::chrono::duration<double>(steady_clock::now() - start).count() /
         double(candidate.runsPerTurn);
}

/// One of each that has not lost.
llvm::Error CandidateTimer::takeTurns() {
  for (auto &candidate : candidates) {
    if (candidate->hasLost)
      continue;
    auto seconds = takeTurn(*candidate);
    if (!seconds)
      return seconds.takeError();
    candidate->seconds.push_back(*seconds);
  }
  return llvm::Error::success();
}

llvm::Error CandidateTimer::run(Deadline deadline) {
  for (size_t turn = 0; turn < maxTurns; ++turn) {
    if (turn >= minTurns && steady_clock::now() > deadline)
      break;
    if (llvm::Error error = takeTurns())
      return error;
    if (turn < 2)
      continue;
    double best = getSeconds(getBest());
    // The first is what the others are compared with.
    for (auto &candidate : llvm::drop_begin(candidates))
      candidate->hasLost |=
          candidate->getMedian() > getLosingRatio(turn) * best;
  }
  size_t best = getBest();
  if (best == 0 || candidates.size() == 2)
    return llvm::Error::success();
  for (auto [i, candidate] : llvm::enumerate(candidates)) {
    candidate->hasLost = i != 0 && i != best;
    if (!candidate->hasLost)
      candidate->seconds.clear();
  }
  for (size_t turn = 0; turn < maxTurns; ++turn)
    if (llvm::Error error = takeTurns())
      return error;
  return llvm::Error::success();
}

double CandidateTimer::getSeconds(size_t candidate) const {
  return candidates[candidate]->getMedian();
}

size_t CandidateTimer::getBest() const {
  double best = candidates.front()->getMedian();
  for (const auto &candidate : candidates)
    if (!candidate->hasLost)
      best = std::min(best, candidate->getMedian());
  auto isBest = [&](const auto &candidate) {
    return !candidate->hasLost && candidate->getMedian() <= noise * best;
  };
  return llvm::find_if(candidates, isBest) - candidates.begin();
}
