//===- TrainingStep.cpp - The training step of a graph ----------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Training/TrainingStep.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Frontend/Builder/ComposedOperations.h"
#include "HamKaas/Gradient/Differentiate.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace hamkaas;
using graph::GraphBuilder;
using graph::quote;
using graph::Tensor;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

namespace {

/// A state that the step trains.
struct Parameter {
  uint32_t state;
  std::string name;
  Value value;
  RankedTensorType type;
};

/// Adds a step: all checks first, then the gradients, then the updates.
class StepBuilder {
public:
  StepBuilder(graph::UserGraph &graph, const TrainingRequest &request,
              Location location)
      : graph(graph), request(request), optimizer(request.optimizer),
        location(location) {}

  Error run();

private:
  Error findParameters();
  Error addParameter(uint32_t state, StringRef name);
  Error dropFrozen();
  Error checkStore(uint32_t state) const;
  Error checkRate() const;
  Error checkState(const Twine &name, RankedTensorType type);
  Error checkMoments();
  Error checkUpdate() const;
  Error checkCounter() const;
  Error checkNoDecay() const;
  Error checkGroups() const;
  Error checkUpdate(const Parameter &parameter) const;

  uint32_t getState(const Twine &name, RankedTensorType type, OpBuilder &place);
  void countStep(OpBuilder &place);
  Value getRate(const Parameter &parameter, OpBuilder &place, Type element);
  Value clipElements(OpBuilder &place, Value gradient);
  void clipTogether(SmallVectorImpl<Value> &gradients);
  OpBuilder getPlaceBehind(Value gradient, Value parameter) const;
  void update(const Parameter &parameter, Value gradient, OpBuilder &place);
  void replace(Value value, Value replacement);

  RankedTensorType getStepType() const {
    return RankedTensorType::get({}, IntegerType::get(context(), 64));
  }
  MLIRContext *context() const { return location.getContext(); }

  graph::UserGraph &graph;
  const TrainingRequest &request;
  const Optimizer &optimizer;
  Location location;
  llvm::StringMap<uint32_t> states;
  SmallVector<Parameter> parameters;
  /// The last operation before those of the step.
  Operation *before = nullptr;
  /// The number of this step, from 1.
  Value step;
};

} // namespace

/// The type that moments have, and in which the update is computed.
static RankedTensorType getMomentType(RankedTensorType parameter) {
  if (parameter.getElementType().isF64())
    return parameter;
  return parameter.clone(Float32Type::get(parameter.getContext()));
}

/// The value that `build` makes, at `place`. It cannot fail after the checks
/// before.
static Value build(OpBuilder &place, Location location,
                   llvm::function_ref<Tensor(GraphBuilder &)> build) {
  graph::Diagnostics diagnostics(location);
  GraphBuilder builder(place, location, diagnostics);
  Value value = builder.materialize(build(builder));
  assert(!builder.hasFailed() && "operands are checked");
  return value;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

Error StepBuilder::checkStore(uint32_t state) const {
  if (graph.canStore(state))
    return Error::success();
  return createStringError("expected the state " +
                           quote(graph.getStateName(state)) +
                           " not to be stored yet, got one that is");
}

Error StepBuilder::addParameter(uint32_t state, StringRef name) {
  if (Error error = checkStore(state))
    return error;
  Value value = graph.value(state);
  parameters.push_back(
      {state, name.str(), value, cast<RankedTensorType>(value.getType())});
  return Error::success();
}

Error StepBuilder::findParameters() {
  llvm::DenseSet<Value> differentiable =
      findDifferentiable(graph.value(request.loss));
  auto isTrainable = [&](uint32_t state) {
    return differentiable.contains(graph.value(state));
  };
  SmallVector<uint32_t> all = graph.getStates(), wanted;
  llvm::copy_if(all, std::back_inserter(wanted), isTrainable);
  for (uint32_t state : all)
    states[graph.getStateName(state)] = state;
  for (auto [i, state] : llvm::enumerate(request.states)) {
    std::string what = ("state " + Twine(i)).str();
    if (!llvm::is_contained(all, state))
      return createStringError(what + ": expected a state, got another value");
    if (!isTrainable(state))
      return createStringError(
          what +
          ": expected one that the loss depends on by operations on "
          "floats, got " +
          quote(graph.getStateName(state)) + ", on which it does not depend");
  }
  if (!request.states.empty())
    wanted.assign(request.states.begin(), request.states.end());
  for (uint32_t state : wanted)
    if (Error error = addParameter(state, graph.getStateName(state)))
      return error;
  return dropFrozen();
}

Error StepBuilder::dropFrozen() {
  if (!request.frozen.empty()) {
    auto pattern =
        llvm::GlobPattern::create(request.frozen, Optimizer::mostPatterns);
    if (!pattern)
      return createStringError(
          "expected a glob pattern of frozen states, got " +
          quote(request.frozen) + ": " + toString(pattern.takeError()));
    size_t before = parameters.size();
    llvm::erase_if(parameters, [&](const Parameter &parameter) {
      return pattern->match(parameter.name);
    });
    if (parameters.size() == before)
      return createStringError("expected a pattern that matches the name of a "
                               "state that would be trained, got " +
                               quote(request.frozen));
  }
  if (parameters.empty())
    return createStringError(
        "expected a loss that depends on a state of floats that is not "
        "frozen, got one that depends on none");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

Error StepBuilder::checkRate() const {
  if (!request.learningRate)
    return Error::success();
  auto type =
      cast<RankedTensorType>(graph.value(*request.learningRate).getType());
  if (type.getRank() == 0 && isa<FloatType>(type.getElementType()))
    return Error::success();
  return createStringError("expected a learning rate of one float, float32 [], "
                           "got " +
                           formatType(type));
}

/// A state of that name, if there is one, must be what the step needs.
Error StepBuilder::checkState(const Twine &name, RankedTensorType type) {
  auto state = states.find(name.str());
  if (state == states.end())
    return Error::success();
  Type given = graph.value(state->second).getType();
  if (given != type)
    return createStringError("expected the state " + quote(name.str()) +
                             " to be " + formatType(type) + ", got " +
                             formatType(given));
  return checkStore(state->second);
}

/// "adam.mean.w".
static std::string nameMoment(const Optimizer &optimizer, StringRef moment,
                              StringRef parameter) {
  return (optimizer.getLabel() + "." + moment + "." + parameter).str();
}

Error StepBuilder::checkMoments() {
  if (Error error = checkState(optimizer.getLabel() + ".step", getStepType()))
    return error;
  for (const Parameter &parameter : parameters)
    for (StringRef moment : optimizer.getMoments())
      if (Error error =
              checkState(nameMoment(optimizer, moment, parameter.name),
                         getMomentType(parameter.type)))
        return error;
  return Error::success();
}

/// Tries the update of a parameter in a graph of its own: values of attributes
/// may be wrong.
Error StepBuilder::checkUpdate(const Parameter &parameter) const {
  graph::UserGraph scratch(context());
  llvm::StringMap<Value> operands;
  auto give = [&](StringRef name, RankedTensorType type) {
    operands[name] =
        scratch.value(llvm::cantFail(scratch.addInput(name, type, location)));
  };
  RankedTensorType type = parameter.type;
  give("parameter", type);
  give("gradient", type);
  give("step", getStepType());
  give("learning_rate", RankedTensorType::get({}, Float32Type::get(context())));
  for (StringRef moment : optimizer.getMoments())
    give(moment, getMomentType(type));
  OpBuilder place = scratch.getPlace();
  return optimizer.addUpdate(operands, place, location, parameter.name)
      .takeError();
}

/// Tries one of each group.
Error StepBuilder::checkUpdate() const {
  llvm::SmallPtrSet<const Optimizer::Group *, 4> tried;
  for (const Parameter &parameter : parameters)
    if (tried.insert(optimizer.findGroup(parameter.name)).second)
      if (Error error = checkUpdate(parameter))
        return error;
  return Error::success();
}

/// True if `value` is computed of `source`.
static bool dependsOn(Value value, Value source) {
  SetVector<Value> found;
  found.insert(value);
  for (size_t i = 0; i < found.size(); ++i)
    if (Operation *op = found[i].getDefiningOp())
      found.insert(op->operand_begin(), op->operand_end());
  return found.contains(source);
}

/// The count would be wrong for states that only one of two functions trains.
Error StepBuilder::checkCounter() const {
  std::string name = (optimizer.getLabel() + ".step").str();
  const graph::UserGraph::Training *other = graph.findTraining(name);
  auto isShared = [&](const Parameter &parameter) {
    return other->states.contains(parameter.state);
  };
  if (!other || (other->states.size() == parameters.size() &&
                 llvm::all_of(parameters, isShared)))
    return Error::success();
  bool hasSchedule =
      request.learningRate && dependsOn(graph.value(*request.learningRate),
                                        graph.value(states.lookup(name)));
  if (!optimizer.usesStep() && !hasSchedule)
    return Error::success();
  return createStringError(
      "expected a step of exactly the states that the function " +
      quote(other->function) + " trains, whose steps " + quote(name) +
      " counts, or an optimizer of another name, such as 'name=second'");
}

Error StepBuilder::checkNoDecay() const {
  if (optimizer.getNoDecay().empty() ||
      !llvm::all_of(parameters, [&](const Parameter &parameter) {
        return optimizer.decays(parameter.name);
      }))
    return Error::success();
  return createStringError("expected 'no_decay' to match the name of a state "
                           "that is trained, got " +
                           quote(optimizer.getNoDecay()));
}

Error StepBuilder::checkGroups() const {
  for (const Optimizer::Group &group : optimizer.getGroups()) {
    std::string what = "group " + quote(group.pattern);
    if (llvm::none_of(parameters, [&](const Parameter &parameter) {
          return group.matches(parameter.name);
        }))
      return createStringError(what + ": expected a pattern that matches the "
                                      "name of a state that is trained");
    if (group.learningRate && request.learningRate)
      return createStringError(what + ": expected 'lr_scale', a factor of the "
                                      "learning rate of each run, got 'lr'");
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The step
//===----------------------------------------------------------------------===//

/// The state of that name, whose load is at `place` if it is new.
uint32_t StepBuilder::getState(const Twine &name, RankedTensorType type,
                               OpBuilder &place) {
  auto known = states.find(name.str());
  if (known != states.end())
    return known->second;
  // The name of a parameter makes a name, and no other state has it.
  uint32_t state =
      llvm::cantFail(graph.addState(name.str(), type, {}, location));
  Operation *load = graph.value(state).getDefiningOp();
  if (place.getInsertionPoint() != load->getIterator())
    load->moveBefore(place.getInsertionBlock(), place.getInsertionPoint());
  states[name.str()] = state;
  return state;
}

void StepBuilder::countStep(OpBuilder &place) {
  uint32_t state =
      getState(optimizer.getLabel() + ".step", getStepType(), place);
  step = build(place, location, [&](GraphBuilder &b) {
    return b.add(Tensor(graph.value(state)), b.constant({1}, {}));
  });
  graph.storeStateAt(place, state, step, location);
}

Value StepBuilder::getRate(const Parameter &parameter, OpBuilder &place,
                           Type element) {
  const Optimizer::Group *group = optimizer.findGroup(parameter.name);
  double scale = group ? group->rateScale : 1;
  if (request.learningRate && scale == 1)
    return graph.value(*request.learningRate);
  return build(place, location, [&](GraphBuilder &b) {
    if (request.learningRate)
      return b.mul(Tensor(graph.value(*request.learningRate)), scale);
    double rate = group && group->learningRate ? *group->learningRate
                                               : optimizer.getLearningRate();
    return b.scalar(element, rate * scale);
  });
}

Value StepBuilder::clipElements(OpBuilder &place, Value gradient) {
  std::optional<double> bound = optimizer.getClipValue();
  if (!bound)
    return gradient;
  return build(place, location, [&](GraphBuilder &b) {
    return b.min(b.max(Tensor(gradient), -*bound), *bound);
  });
}

/// Scales them, behind all operations.
void StepBuilder::clipTogether(SmallVectorImpl<Value> &gradients) {
  OpBuilder place = graph.getPlace();
  for (Value &gradient : gradients)
    gradient = clipElements(place, gradient);
  graph::Diagnostics diagnostics(location);
  GraphBuilder b(place, location, diagnostics);
  graph::Tensors operands = llvm::map_to_vector<1>(
      gradients, [](Value gradient) { return Tensor(gradient); });
  graph::Tensors clipped = compose(
      b, graph::compositions::ClipByNorm{operands, *optimizer.getClipNorm()});
  for (auto [gradient, result] :
       llvm::zip_equal(gradients, ArrayRef(clipped).drop_front()))
    gradient = b.materialize(result);
}

/// Directly behind the gradient, and behind all that reads the parameter, so
/// that the update may take place in its memory.
OpBuilder StepBuilder::getPlaceBehind(Value gradient, Value parameter) const {
  Operation *last = before;
  auto goBehind = [&](Operation *op) {
    if (op && last->isBeforeInBlock(op) &&
        !op->hasTrait<OpTrait::IsTerminator>())
      last = op;
  };
  goBehind(gradient.getDefiningOp());
  for (Operation *user : parameter.getUsers())
    goBehind(user);
  OpBuilder place(context());
  place.setInsertionPointAfter(last);
  return place;
}

void StepBuilder::update(const Parameter &parameter, Value gradient,
                         OpBuilder &place) {
  RankedTensorType type = getMomentType(parameter.type);
  llvm::StringMap<Value> operands = {
      {"parameter", parameter.value}, {"gradient", gradient}, {"step", step}};
  operands["learning_rate"] = getRate(parameter, place, type.getElementType());
  graph.setStateRole(parameter.state, "parameter");
  SmallVector<uint32_t> states = {parameter.state};
  for (StringRef moment : optimizer.getMoments()) {
    states.push_back(
        getState(nameMoment(optimizer, moment, parameter.name), type, place));
    graph.setStateRole(states.back(), "moment");
    operands[moment] = graph.value(states.back());
  }
  SmallVector<Value, 1> results = llvm::cantFail(
      optimizer.addUpdate(operands, place, location, parameter.name));
  for (auto [state, result] : llvm::zip_equal(states, results))
    graph.storeStateAt(place, state, result, location);
}

/// A loop gives way to one that also gives what its gradient needs.
void StepBuilder::replace(Value value, Value replacement) {
  graph.replaceValue(value, replacement);
  if (before == value.getDefiningOp())
    before = replacement.getDefiningOp();
}

Error StepBuilder::run() {
  if (Error error = findParameters())
    return error;
  if (Error error = checkMoments())
    return error;
  using Check = Error (StepBuilder::*)() const;
  for (Check check : {&StepBuilder::checkNoDecay, &StepBuilder::checkGroups,
                      &StepBuilder::checkRate, Check(&StepBuilder::checkUpdate),
                      &StepBuilder::checkCounter})
    if (Error error = (this->*check)())
      return error;
  OpBuilder place = graph.getPlace();
  before = &*std::prev(place.getInsertionPoint());
  SmallVector<Value> xs = llvm::map_to_vector(
      parameters, [](const Parameter &parameter) { return parameter.value; });
  auto gradients = differentiate(
      {graph.value(request.loss), Value(), xs,
       [&](Value value, Value replacement) { replace(value, replacement); }},
      place, location);
  if (!gradients)
    return gradients.takeError();
  place.setInsertionPointAfter(before);
  countStep(place);
  before = step.getDefiningOp();
  if (optimizer.getClipNorm())
    clipTogether(*gradients);
  for (auto [parameter, gradient] : llvm::zip_equal(parameters, *gradients)) {
    OpBuilder behind = getPlaceBehind(gradient, parameter.value);
    Value clipped =
        optimizer.getClipNorm() ? gradient : clipElements(behind, gradient);
    update(parameter, clipped, behind);
  }
  graph.addTraining(
      (optimizer.getLabel() + ".step").str(),
      llvm::map_to_vector(parameters, [](const Parameter &parameter) {
        return parameter.state;
      }));
  return Error::success();
}

Error hamkaas::addTrainingStep(graph::UserGraph &graph,
                               const TrainingRequest &request,
                               Location location) {
  if (graph.scanDepth() > 0)
    return createStringError("expected a training step outside of loops, got "
                             "one in the body of a loop");
  return StepBuilder(graph, request, location).run();
}
