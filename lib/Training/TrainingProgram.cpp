//===- TrainingProgram.cpp - The program that trains a model ----*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Training/TrainingProgram.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/IR/RowOps.h"
#include "HamKaas/Frontend/Builder/Diagnostics.h"
#include "HamKaas/Gradient/Differentiate.h"
#include "HamKaas/Options/OptionError.h"
#include "HamKaas/Training/Loss.h"
#include "HamKaas/Training/TrainingStep.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace hamkaas;
using graph::quote;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

static constexpr StringRef labelsName = "labels";
/// The state that random numbers are drawn from, the only one of a model.
static constexpr StringRef generatorName = "generator";

static Error makeError(OptionId option, const Twine &text) {
  return makeOptionError(option, OptionText(text));
}

namespace {

/// `main` of a model that becomes functions of the program.
class ProgramBuilder {
public:
  ProgramBuilder(const TrainedModel &model, const CompileSettings &settings,
                 Loss loss, Optimizer optimizer)
      : model(model), settings(settings), loss(loss),
        optimizer(std::move(optimizer)), graph(this->model.step.getContext()),
        location(this->model.step.getLoc()) {}

  Expected<OwningOpRef<ModuleOp>> run();

private:
  struct Function {
    SmallVector<uint32_t> results;
    uint32_t labels = 0;
    /// The new value of the generator, if the function draws numbers.
    std::optional<uint32_t> generator;
  };

  Error findMains();
  Error chooseOutput();
  Error readPatterns();
  Error addGlobals();
  Error addGlobal(ml_program::GlobalOp global);
  bool isFrozen(StringRef name);
  Expected<Function> begin(StringRef name, func::FuncOp main, bool hasLabels);
  Error storeGenerator(const Function &function);
  Expected<uint32_t> computeLoss(const Function &function);
  Error addStep();
  Error addEvaluation();
  Error addPrediction();

  TrainedModel model;
  const CompileSettings &settings;
  Loss loss;
  Optimizer optimizer;
  graph::UserGraph graph;
  Location location;
  func::FuncOp step, inference;
  unsigned output = 0;
  RankedTensorType labelType;
  std::vector<std::pair<llvm::GlobPattern, bool>> patterns;
  SmallVector<StringRef> patternTexts;
  /// The names of parameters that become states.
  llvm::StringSet<> changed;
  llvm::StringMap<uint32_t> values;
  bool isGeneratorState = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

static StringRef getName(ml_program::GlobalOp global) {
  auto name = global->getAttrOfType<StringAttr>(HamKaasDialect::nameAttrName);
  return name ? name.getValue() : global.getSymName();
}

static ml_program::GlobalOp getGlobal(Operation *load, SymbolRefAttr symbol) {
  return SymbolTable::lookupNearestSymbolFrom<ml_program::GlobalOp>(load,
                                                                    symbol);
}

static bool isGenerator(ml_program::GlobalOp global) {
  auto type = dyn_cast<RankedTensorType>(global.getType());
  return getName(global) == generatorName && type &&
         type.getShape() == ArrayRef<int64_t>{3} &&
         type.getElementType().isUnsignedInteger(64);
}

/// `main`, if it is the only function and the model keeps no state but that of
/// random numbers.
static Expected<func::FuncOp> findMain(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  if (!llvm::hasSingleElement(functions))
    return makeError(OptionId::train,
                     "expected a model with one function, got several");
  for (auto global : module.getOps<ml_program::GlobalOp>())
    if (global.getIsMutable() && !isGenerator(global))
      return makeError(OptionId::train,
                       "expected a model without states, got the state " +
                           quote(getName(global)));
  return *functions.begin();
}

Error ProgramBuilder::findMains() {
  if (Error error = findMain(model.step).moveInto(step))
    return error;
  return findMain(model.inference).moveInto(inference);
}

static StringRef getOutputName(func::FuncOp main, unsigned i) {
  auto name =
      main.getResultAttrOfType<StringAttr>(i, HamKaasDialect::nameAttrName);
  return name ? name.getValue() : StringRef("result");
}

static Value getOutput(func::FuncOp main, unsigned i) {
  return main.front().getTerminator()->getOperand(i);
}

Error ProgramBuilder::chooseOutput() {
  unsigned count = inference.getNumResults();
  StringRef wanted = settings.trainOutput;
  std::string known;
  std::optional<unsigned> found;
  for (unsigned i = 0; i < count; ++i) {
    StringRef name = getOutputName(inference, i);
    known += (i ? ", " : "") + quote(name);
    if (name == wanted || (wanted.empty() && count == 1))
      found = i;
  }
  if (!found)
    return makeError(OptionId::train_output,
                     "expected the output that the loss takes, one of " +
                         known + ", got " +
                         (wanted.empty() ? "none" : quote(wanted)));
  output = *found;
  Operation *last = getOutput(inference, output).getDefiningOp();
  if (loss.takesScores && isa_and_nonnull<SlicedSoftmaxOp>(last))
    return makeError(OptionId::loss,
                     loss.name.str() + ": expected an output of scores, got " +
                         quote(getOutputName(inference, output)) +
                         ", which ends in a softmax; this loss applies one "
                         "by itself, leave the softmax out of the model");
  auto type = getLabelType(loss, getOutput(inference, output));
  if (!type)
    return makeError(OptionId::loss,
                     loss.name.str() + ": " + toString(type.takeError()));
  labelType = *type;
  // Errors of the loss are about the operation that it takes.
  location = getOutput(step, output).getLoc();
  return Error::success();
}

Error ProgramBuilder::readPatterns() {
  SmallVector<StringRef> &texts = patternTexts;
  StringRef(settings.freeze).split(texts, ',', -1, /*KeepEmpty=*/false);
  constexpr size_t mostPatterns = 1024;
  for (StringRef text : texts) {
    auto pattern = llvm::GlobPattern::create(text, mostPatterns);
    if (!pattern)
      return makeError(OptionId::freeze, "expected a glob pattern, got " +
                                             quote(text) + ": " +
                                             toString(pattern.takeError()));
    patterns.emplace_back(std::move(*pattern), false);
  }
  return Error::success();
}

bool ProgramBuilder::isFrozen(StringRef name) {
  bool frozen = false;
  for (auto &[pattern, isUsed] : patterns)
    if (pattern.match(name))
      frozen = isUsed = true;
  return frozen;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Error ProgramBuilder::addGlobal(ml_program::GlobalOp global) {
  StringRef name = getName(global);
  bool isState = global.getIsMutable();
  if (values.count(name)) {
    if (isState == isGeneratorState || name != generatorName)
      return Error::success();
    return makeError(OptionId::train,
                     "expected no parameter " + quote(name) +
                         " beside random numbers, whose state has this name");
  }
  if (name == generatorName)
    isGeneratorState = isState;
  auto type = cast<RankedTensorType>(global.getType());
  Attribute contents = global.getValueAttr();
  auto value =
      isState || changed.contains(name)
          ? graph.declareState(name, type, contents, global.getLoc())
          : graph.declareParameter(name, type, contents, global.getLoc());
  return std::move(value).moveInto(values[name]);
}

Error ProgramBuilder::addGlobals() {
  Value y = getOutput(step, output);
  llvm::DenseSet<Value> differentiable = findDifferentiable(y);
  step.walk([&](ml_program::GlobalLoadConstOp load) {
    StringRef name = getName(getGlobal(load, load.getGlobal()));
    if (differentiable.contains(load.getResult()) && !isFrozen(name))
      changed.insert(name);
  });
  if (changed.empty())
    return makeError(
        settings.freeze.empty() ? OptionId::train : OptionId::freeze,
        "expected a parameter of floats to train, on which "
        "the output " +
            quote(getOutputName(inference, output)) + " depends, got none");
  for (StringRef name : model.updates)
    if (!isFrozen(name))
      changed.insert(name);
  for (auto [text, pattern] : llvm::zip_equal(patternTexts, patterns))
    if (!pattern.second)
      return makeError(OptionId::freeze,
                       "expected a pattern that matches the name of a "
                       "parameter, got " +
                           quote(text));
  for (ModuleOp module : {model.step, model.inference})
    for (auto global : module.getOps<ml_program::GlobalOp>())
      if (Error error = addGlobal(global))
        return error;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Begins a function with the inputs and all operations of `main`.
Expected<ProgramBuilder::Function>
ProgramBuilder::begin(StringRef name, func::FuncOp main, bool hasLabels) {
  if (Error error = graph.beginFunction(name))
    return std::move(error);
  IRMapping mapping;
  Function function;
  for (BlockArgument argument : main.getArguments()) {
    auto inputName = main.getArgAttrOfType<StringAttr>(
        argument.getArgNumber(), HamKaasDialect::nameAttrName);
    auto input = graph.addInput(
        inputName ? inputName.getValue() : StringRef("input"),
        cast<RankedTensorType>(argument.getType()), argument.getLoc());
    if (!input)
      return input.takeError();
    mapping.map(argument, graph.value(*input));
  }
  if (hasLabels) {
    auto labels = graph.addInput(labelsName, labelType, location);
    if (!labels)
      return makeError(OptionId::train, "the input of the labels: " +
                                            toString(labels.takeError()));
    function.labels = *labels;
  }
  auto results =
      graph.addValues([&](OpBuilder &place) -> Expected<SmallVector<Value>> {
        Value next;
        auto map = [&](Operation *load, SymbolRefAttr symbol) {
          StringRef name = getName(getGlobal(load, symbol));
          mapping.map(load->getResult(0), graph.value(values.lookup(name)));
        };
        for (Operation &op : main.front().without_terminator()) {
          if (auto load = dyn_cast<ml_program::GlobalLoadConstOp>(op))
            map(load, load.getGlobal());
          else if (auto load = dyn_cast<ml_program::GlobalLoadOp>(op))
            map(load, load.getGlobal());
          else if (auto store = dyn_cast<ml_program::GlobalStoreOp>(op))
            next = mapping.lookup(store.getValue());
          else
            place.clone(op, mapping);
        }
        auto copied = llvm::map_to_vector(
            main.front().getTerminator()->getOperands(),
            [&](Value value) { return mapping.lookup(value); });
        if (next)
          copied.push_back(next);
        return copied;
      });
  if (!results)
    return results.takeError();
  function.results.assign(results->begin(), results->end());
  if (function.results.size() > main.getNumResults())
    function.generator = function.results.pop_back_val();
  return function;
}

/// A run moves the generator on.
Error ProgramBuilder::storeGenerator(const Function &function) {
  if (!function.generator)
    return Error::success();
  return graph.storeState(values.lookup(generatorName), *function.generator,
                          location);
}

Expected<uint32_t> ProgramBuilder::computeLoss(const Function &function) {
  auto added =
      graph.addValues([&](OpBuilder &place) -> Expected<SmallVector<Value>> {
        auto value = addLoss(loss, graph.value(function.results[output]),
                             graph.value(function.labels), place, location);
        if (!value)
          return value.takeError();
        return SmallVector<Value>{*value};
      });
  if (!added)
    return makeError(OptionId::loss,
                     loss.name.str() + ": " + toString(added.takeError()));
  return added->front();
}

Error ProgramBuilder::addStep() {
  auto function = begin("train_step", step, /*hasLabels=*/true);
  if (!function)
    return function.takeError();
  auto value = computeLoss(*function);
  if (!value)
    return value.takeError();
  if (Error error = addTrainingStep(graph, {*value, optimizer}, location))
    return makeError(OptionId::optimizer, toString(std::move(error)));
  auto updated =
      ArrayRef(function->results).drop_front(inference.getNumResults());
  for (auto [name, result] : llvm::zip_equal(model.updates, updated))
    if (changed.contains(name))
      if (Error error = graph.storeState(values.lookup(name), result, location))
        return makeError(OptionId::train,
                         quote(name) + ": " + toString(std::move(error)));
  if (Error error = storeGenerator(*function))
    return error;
  return graph.setOutputs({{"loss", *value}});
}

Error ProgramBuilder::addEvaluation() {
  auto function = begin("evaluate", inference, /*hasLabels=*/true);
  if (!function)
    return function.takeError();
  auto value = computeLoss(*function);
  if (!value)
    return value.takeError();
  SmallVector<std::pair<StringRef, uint32_t>> outputs = {{"loss", *value}};
  if (loss.hasClasses) {
    auto correct = llvm::cantFail(
        graph.addValues([&](OpBuilder &place) -> Expected<SmallVector<Value>> {
          return SmallVector<Value>{
              countCorrect(graph.value(function->results[output]),
                           graph.value(function->labels), place, location)};
        }));
    outputs.emplace_back("correct", correct.front());
  }
  if (Error error = storeGenerator(*function))
    return error;
  return graph.setOutputs(outputs);
}

Error ProgramBuilder::addPrediction() {
  auto function = begin("predict", inference, /*hasLabels=*/false);
  if (!function)
    return function.takeError();
  SmallVector<std::pair<StringRef, uint32_t>> outputs;
  for (auto [i, result] : llvm::enumerate(function->results))
    outputs.emplace_back(getOutputName(inference, i), result);
  if (Error error = storeGenerator(*function))
    return error;
  return graph.setOutputs(outputs);
}

Expected<OwningOpRef<ModuleOp>> ProgramBuilder::run() {
  for (auto part : {&ProgramBuilder::findMains, &ProgramBuilder::chooseOutput,
                    &ProgramBuilder::readPatterns, &ProgramBuilder::addGlobals,
                    &ProgramBuilder::addStep, &ProgramBuilder::addEvaluation,
                    &ProgramBuilder::addPrediction})
    if (Error error = (this->*part)())
      return std::move(error);
  if (auto finished = graph.finish(); !finished)
    return finished.takeError();
  return graph.take();
}

//===----------------------------------------------------------------------===//
// The interface
//===----------------------------------------------------------------------===//

Error hamkaas::checkTrainingOptions(const CompileSettings &settings) {
  if (!settings.train) {
    for (auto [option, isGiven] :
         {std::pair(OptionId::loss, !settings.loss.empty()),
          std::pair(OptionId::optimizer,
                    settings.optimizer != CompileSettings().optimizer),
          std::pair(OptionId::freeze, !settings.freeze.empty()),
          std::pair(OptionId::train_output, !settings.trainOutput.empty())})
      if (isGiven)
        return makeOptionError(option, OptionText("expected ")
                                           << NamedOption{OptionId::train}
                                           << ", too");
    return Error::success();
  }
  if (settings.loss.empty())
    return makeOptionError(OptionId::train,
                           OptionText("expected ")
                               << NamedOption{OptionId::loss}
                               << ", too, one of " + listLosses());
  if (auto loss = findLoss(settings.loss); !loss)
    return makeError(OptionId::loss, toString(loss.takeError()));
  if (auto optimizer = Optimizer::parse(settings.optimizer); !optimizer)
    return makeError(OptionId::optimizer, toString(optimizer.takeError()));
  return Error::success();
}

Expected<OwningOpRef<ModuleOp>>
hamkaas::makeTrainingProgram(const TrainedModel &model,
                             const CompileSettings &settings) {
  if (Error error = checkTrainingOptions(settings))
    return std::move(error);
  return ProgramBuilder(model, settings,
                        llvm::cantFail(findLoss(settings.loss)),
                        llvm::cantFail(Optimizer::parse(settings.optimizer)))
      .run();
}
