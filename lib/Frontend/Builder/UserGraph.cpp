//===- UserGraph.cpp - A graph that is built call by call -------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Frontend/Builder/UserGraph.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/FormatType.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Frontend/Builder/Elements.h"
#include "HamKaas/Frontend/Builder/GraphBuilder.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"

using namespace mlir;
using namespace hamkaas;
using namespace hamkaas::graph;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

/// Larger tensors are parameters: a constant is copied, and is part of the code
/// of the program.
static constexpr int64_t largestConstant = GraphBuilder::largestConstant;

static Error checkName(StringRef what, StringRef name) {
  if (isValidName(name))
    return Error::success();
  return createStringError("expected the name of " + what +
                           " to be UTF-8 text without control characters, and "
                           "not empty, got " +
                           quote(name));
}

UserGraph::UserGraph(MLIRContext *context)
    : module(ModuleOp::create(UnknownLoc::get(context))), builder(context) {
  context->loadDialect<HamKaasDialect, func::FuncDialect,
                       ml_program::MLProgramDialect>();
  createFunction(mainName);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void UserGraph::createFunction(StringRef name) {
  Location location = module->getLoc();
  builder.setInsertionPointToEnd(module->getBody());
  main = func::FuncOp::create(builder, location, name,
                              builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(main.addEntryBlock());
  builder.setInsertionPoint(func::ReturnOp::create(builder, location));
}

/// Returns whether the function has parameters and states at most.
bool UserGraph::isEmptyFunction() {
  return inputNames.empty() && !hasOutputs &&
         llvm::all_of(main.front().without_terminator(),
                      llvm::IsaPred<ml_program::GlobalLoadOp,
                                    ml_program::GlobalLoadConstOp>);
}

/// Returns whether createGlobal may give such a name.
static bool isGlobalName(StringRef name) {
  return (name.consume_front("parameter_") || name.consume_front("state_")) &&
         !name.empty() && llvm::all_of(name, llvm::isDigit);
}

static Error checkFunctionName(ModuleOp module, func::FuncOp current,
                               StringRef name) {
  if (Error error = checkName("a function", name))
    return error;
  if (isReservedFunctionName(name) || isGlobalName(name))
    return createStringError("expected another name than " + quote(name) +
                             " for a function: the compiler uses it");
  Operation *other = module.lookupSymbol(name);
  if (other && other != current)
    return createStringError("expected a function with a name of its own, "
                             "another one is called " +
                             quote(name));
  return Error::success();
}

Error UserGraph::beginFunction(StringRef name) {
  if (Error error = checkOutsideScans("a function begins"))
    return error;
  bool isFirst = isEmptyFunction() &&
                 llvm::hasSingleElement(module->getOps<func::FuncOp>());
  if (Error error =
          checkFunctionName(*module, isFirst ? main : func::FuncOp(), name))
    return error;
  if (isFirst) {
    main.setSymName(name);
    return Error::success();
  }
  if (Error error = finishFunction())
    return error;
  createFunction(name);
  inputNames.clear();
  outputNames.clear();
  hasOutputs = false;
  names[Inputs].clear();
  unstored.clear();
  // Globals that the function does not use are dropped by the compiler.
  for (auto [number, global] : globals) {
    Value old = values[number];
    values[number] = loadGlobal(
        global, old.getType(),
        isa_and_present<ml_program::GlobalLoadOp>(old.getDefiningOp()),
        old.getLoc());
  }
  return Error::success();
}

bool UserGraph::isVisible(uint32_t value) const {
  Value defined = values[value];
  if (!defined)
    return false;
  Block *block = defined.getParentBlock();
  return block->getParentOp() == main ||
         llvm::any_of(
             scans, [&](const Scan &scan) { return scan.body.get() == block; });
}

Value UserGraph::loadGlobal(FlatSymbolRefAttr global, Type type, bool isState,
                            Location location) {
  if (!isState)
    return ml_program::GlobalLoadConstOp::create(builder, location, type,
                                                 global);
  Value load =
      ml_program::GlobalLoadOp::create(builder, location, type, global);
  unstored[load] = global;
  return load;
}

/// Gives the function the types and names of its inputs and outputs.
Error UserGraph::finishFunction() {
  if (Error error = checkOutsideScans("the graph is read"))
    return error;
  if (!hasOutputs) {
    bool isOnly = llvm::hasSingleElement(module->getOps<func::FuncOp>());
    return createStringError(isOnly
                                 ? "expected a graph with outputs, got none"
                                 : "expected outputs of function " +
                                       quote(main.getSymName()) + ", got none");
  }
  Block &body = main.front();
  main.setFunctionType(builder.getFunctionType(
      body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  main.setArgAttrsAttr(builder.getArrayAttr(inputNames));
  main.setResAttrsAttr(builder.getArrayAttr(outputNames));
  return Error::success();
}

uint32_t UserGraph::define(Value value) {
  values.push_back(value);
  return values.size() - 1;
}

/// The user's name of an argument, a result or a global.
static DictionaryAttr makeNameAttributes(OpBuilder &builder, StringRef name) {
  return builder.getDictionaryAttr(builder.getNamedAttr(
      HamKaasDialect::nameAttrName, builder.getStringAttr(name)));
}

Error UserGraph::claimName(ArrayRef<Namespace> spaces, StringRef what,
                           StringRef name) {
  if (Error error = checkOutsideScans((what + " is added").str()))
    return error;
  if (Error error = checkName(what, name))
    return error;
  if (llvm::any_of(
          spaces, [&](Namespace space) { return names[space].contains(name); }))
    return createStringError("expected " + what +
                             " with a name of its own, another one is called " +
                             quote(name));
  for (Namespace space : spaces)
    names[space].insert(name);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Expected<uint32_t> UserGraph::addInput(StringRef name, RankedTensorType type,
                                       Location location) {
  if (Error error = claimName(Inputs, "an input", name))
    return std::move(error);
  inputNames.push_back(makeNameAttributes(builder, name));
  return define(main.front().addArgument(type, location));
}

FlatSymbolRefAttr UserGraph::createGlobal(StringRef kind, StringRef name,
                                          RankedTensorType type,
                                          Attribute value, bool isMutable,
                                          Location location) {
  OpBuilder before(main);
  // No symbol is a name, so that none needs to make room for another.
  auto global = ml_program::GlobalOp::create(
      before, location, (kind + "_" + Twine(globalCount++)).str(), type,
      isMutable, value, builder.getStringAttr("private"));
  global->setDiscardableAttrs(makeNameAttributes(builder, name));
  return FlatSymbolRefAttr::get(global);
}

Expected<uint32_t> UserGraph::declareParameter(StringRef name,
                                               RankedTensorType type,
                                               Attribute contents,
                                               Location location) {
  if (Error error = claimName(Parameters, "a parameter", name))
    return std::move(error);
  FlatSymbolRefAttr global = createGlobal("parameter", name, type, contents,
                                          /*isMutable=*/false, location);
  globals.emplace_back(values.size(), global);
  return define(loadGlobal(global, type, /*isState=*/false, location));
}

Expected<uint32_t> UserGraph::addParameter(StringRef name,
                                           RankedTensorType type,
                                           ArrayRef<char> contents,
                                           Location location) {
  Expected<uint32_t> value = declareParameter(
      name, type, ml_program::ExternAttr::get(builder.getContext(), type),
      location);
  if (value)
    parameters.emplace_back(name, contents);
  return value;
}

/// Checks that these are all the bytes of a tensor, or those of one element.
static Error checkBytes(RankedTensorType type, ArrayRef<char> bytes) {
  size_t size = getElementBytes(type.getElementType());
  if (bytes.size() == size || bytes.size() == type.getNumElements() * size)
    return Error::success();
  return createStringError("expected the " +
                           Twine(type.getNumElements() * size) +
                           " bytes of all elements or the " + Twine(size) +
                           " of one, got " + Twine(bytes.size()));
}

/// Elements of the right number of bytes, copied.
static DenseElementsAttr readElements(RankedTensorType type,
                                      ArrayRef<char> bytes) {
  bool isAll = bytes.size() == size_t(type.getNumElements()) *
                                   getElementBytes(type.getElementType());
  auto given = isAll ? type : RankedTensorType::get({}, type.getElementType());
  DenseElementsAttr elements = getCompactElements(decodeElements(given, bytes));
  return isAll ? elements
               : DenseElementsAttr::get(type,
                                        elements.getSplatValue<Attribute>());
}

static bool isLarge(RankedTensorType type, ArrayRef<char> bytes) {
  return int64_t(bytes.size()) >
         largestConstant * getElementBytes(type.getElementType());
}

Expected<uint32_t> UserGraph::declareState(StringRef name,
                                           RankedTensorType type,
                                           Attribute contents,
                                           Location location) {
  bool isGiven = isa<ml_program::ExternAttr>(contents);
  if (Error error = isGiven ? claimName({States, Parameters},
                                        "a state with contents", name)
                            : claimName(States, "a state", name))
    return std::move(error);
  FlatSymbolRefAttr global = createGlobal("state", name, type, contents,
                                          /*isMutable=*/true, location);
  globals.emplace_back(values.size(), global);
  return define(loadGlobal(global, type, /*isState=*/true, location));
}

Expected<uint32_t> UserGraph::addState(StringRef name, RankedTensorType type,
                                       ArrayRef<char> contents,
                                       Location location) {
  if (!contents.empty())
    if (Error error = checkBytes(type, contents))
      return std::move(error);
  bool isLater = !contents.empty() && !contents.data();
  if (isLater &&
      int64_t(contents.size()) !=
          type.getNumElements() * getElementBytes(type.getElementType()))
    return createStringError("expected the bytes of all elements where they "
                             "are given later, got " +
                             Twine(contents.size()));
  bool isGiven = isLater || isLarge(type, contents);
  Attribute initial =
      isGiven
          ? Attribute(ml_program::ExternAttr::get(builder.getContext(), type))
      : contents.empty() ? Attribute(builder.getZeroAttr(type))
                         : readElements(type, contents);
  Expected<uint32_t> value = declareState(name, type, initial, location);
  if (value && isGiven)
    parameters.emplace_back(name, contents);
  return value;
}

Error UserGraph::storeState(uint32_t state, uint32_t value, Location location) {
  if (Error error = checkOutsideScans("a state is stored"))
    return error;
  auto global = unstored.find(values[state]);
  if (global == unstored.end())
    return createStringError(
        values[state].getDefiningOp<ml_program::GlobalLoadOp>()
            ? "expected a state that gets its value once, this one has it "
              "already"
            : "expected a state, got another value");
  if (values[value].getType() != values[state].getType())
    return createStringError("expected a value of the type of the state, " +
                             formatType(values[state].getType()) + ", got " +
                             formatType(values[value].getType()));
  storeStateAt(builder, state, values[value], location);
  return Error::success();
}

void UserGraph::storeStateAt(OpBuilder &place, uint32_t state, Value value,
                             Location location) {
  auto global = unstored.find(values[state]);
  assert(global != unstored.end() && "a state is stored once");
  ml_program::GlobalStoreOp::create(place, location, global->second, value);
  unstored.erase(global);
}

SmallVector<uint32_t> UserGraph::getStates() {
  SmallVector<uint32_t> states;
  for (auto [number, global] : globals)
    if (values[number].getDefiningOp<ml_program::GlobalLoadOp>())
      states.push_back(number);
  return states;
}

StringRef UserGraph::getStateName(uint32_t state) {
  auto load = values[state].getDefiningOp<ml_program::GlobalLoadOp>();
  Operation *global = module->lookupSymbol(load.getGlobalAttr());
  return global->getAttrOfType<StringAttr>(HamKaasDialect::nameAttrName)
      .getValue();
}

void UserGraph::setStateRole(uint32_t state, StringRef role) {
  auto load = values[state].getDefiningOp<ml_program::GlobalLoadOp>();
  Operation *global = module->lookupSymbol(load.getGlobalAttr());
  global->setAttr(HamKaasDialect::roleAttrName, builder.getStringAttr(role));
}

const UserGraph::Training *UserGraph::findTraining(StringRef counter) const {
  auto found = trainings.find(counter);
  return found == trainings.end() ? nullptr : &found->second;
}

void UserGraph::addTraining(StringRef counter, ArrayRef<uint32_t> states) {
  Training &training = trainings[counter];
  if (training.states.empty())
    training.function = functionName().str();
  training.states.insert_range(states);
}

Expected<uint32_t> UserGraph::addConstant(RankedTensorType type,
                                          ArrayRef<char> bytes,
                                          Location location) {
  if (Error error = checkBytes(type, bytes))
    return std::move(error);
  if (isLarge(type, bytes))
    return createStringError("expected a constant of at most " +
                             Twine(largestConstant) + " elements, got " +
                             Twine(type.getNumElements()) +
                             ", which a parameter may have");
  return addConstant(readElements(type, bytes), location);
}

uint32_t UserGraph::addConstant(DenseElementsAttr contents, Location location) {
  return define(
      ConstantOp::create(builder, location, contents.getType(), contents));
}

Expected<SmallVector<uint32_t, 1>>
UserGraph::addOperation(const UserOperation &request, Location location) {
  auto results = addUserOperation(request, builder, location);
  if (!results)
    return results.takeError();
  return llvm::map_to_vector<1>(*results,
                                [&](Value value) { return define(value); });
}

Expected<SmallVector<uint32_t>> UserGraph::addValues(
    llvm::function_ref<Expected<SmallVector<Value>>(OpBuilder &)> add) {
  auto added = add(builder);
  if (!added)
    return added.takeError();
  return llvm::map_to_vector(*added,
                             [&](Value value) { return define(value); });
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

Error UserGraph::setOutputs(ArrayRef<std::pair<StringRef, uint32_t>> outputs) {
  if (Error error = checkOutsideScans("outputs are set"))
    return error;
  llvm::StringSet<> seen;
  SmallVector<Value> results;
  std::vector<Attribute> attributes;
  for (const auto &[name, value] : outputs) {
    if (Error error = checkName("an output", name))
      return error;
    if (!seen.insert(name).second)
      return createStringError("expected outputs with names of their own, got "
                               "two that are called " +
                               quote(name));
    results.push_back(values[value]);
    attributes.push_back(makeNameAttributes(builder, name));
  }
  main.front().getTerminator()->setOperands(results);
  outputNames = std::move(attributes);
  hasOutputs = true;
  return Error::success();
}

Error UserGraph::beginFunction(StringRef name, Location location) {
  bool isFirst = !loads;
  if ((!isFirst || name != mainName) && module->lookupSymbol(name))
    return createStringError("expected a function with a name of its own, "
                             "another one is called " +
                             quote(name));
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, location, name,
                                       builder.getFunctionType({}, {}));
  if (isFirst) {
    main->remove();
    loads = main;
  }
  main = function;
  builder.setInsertionPointToEnd(main.addEntryBlock());
  builder.setInsertionPoint(func::ReturnOp::create(builder, location));
  // The parameters and states are the first values.
  for (auto [i, load] : llvm::enumerate(loads->front().without_terminator())) {
    Operation *clone = builder.clone(load);
    values[i] = clone->getResult(0);
    if (auto state = dyn_cast<ml_program::GlobalLoadOp>(clone))
      unstored[values[i]] =
          cast<FlatSymbolRefAttr>(Attribute(state.getGlobal()));
  }
  inputNames.clear();
  names[Inputs].clear();
  hasOutputs = false;
  return Error::success();
}

Error UserGraph::endFunction() {
  Expected<ModuleOp> finished = finish();
  if (!finished)
    return finished.takeError();
  if (!loads)
    return Error::success();
  for (Operation &op : llvm::make_early_inc_range(main.front()))
    if (isa<ml_program::GlobalLoadOp, ml_program::GlobalLoadConstOp>(op) &&
        op.use_empty())
      op.erase();
  unstored.clear();
  return Error::success();
}

Expected<ModuleOp> UserGraph::finish() {
  if (Error error = finishFunction())
    return std::move(error);
  return *module;
}

Expected<std::shared_ptr<const ParameterContents>> UserGraph::contents() const {
  auto contents = std::make_shared<ParameterContents>();
  const std::string *with = nullptr, *without = nullptr;
  for (const auto &[name, bytes] : parameters) {
    contents->add(name, bytes);
    (bytes.data() ? with : without) = &name;
  }
  if (with && without)
    return createStringError("expected data for all parameters or for none, "
                             "got it for " +
                             quote(*with) + " and not for " + quote(*without));
  return with ? contents : nullptr;
}
