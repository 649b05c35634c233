//===- HoistParameters.cpp - Moves parameter work to @prepare ---*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/HamKaas.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/IR/TensorViews.h"
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h"
#include "HamKaas/Dialect/HamKaas/Kernels/ProgramFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/StringSet.h"

namespace hamkaas {
#define GEN_PASS_DEF_HOISTPARAMETERS
#include "HamKaas/Dialect/HamKaas/Kernels/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;
using ml_program::GlobalLoadConstOp;
using ml_program::GlobalLoadOp;
using ml_program::GlobalOp;
using ml_program::GlobalStoreOp;

static bool isExternal(GlobalOp global) {
  return isa_and_nonnull<ml_program::ExternAttr>(
      global.getValue().value_or(nullptr));
}

/// Returns whether a program can have the contents of `global`.
static bool hasContents(GlobalOp global) {
  return isExternal(global) || isa_and_present<DenseElementsAttr>(
                                   global.getValue().value_or(nullptr));
}

static void eraseUnused(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===----------------------------------------------------------------------===//
// Attributes of arguments and results
//===----------------------------------------------------------------------===//

/// The place `index` in the constants region.
static SmallVector<NamedAttribute> getPlaceAttrs(MLIRContext *context,
                                                 int64_t index) {
  Builder builder(context);
  return {builder.getNamedAttr(HamKaasDialect::indexAttrName,
                               builder.getI64IntegerAttr(index)),
          builder.getNamedAttr(
              HamKaasDialect::regionAttrName,
              MemoryRegionAttr::get(context, MemoryRegion::Constants))};
}

static DictionaryAttr getConstantAttrs(MLIRContext *context, int64_t index) {
  return Builder(context).getDictionaryAttr(getPlaceAttrs(context, index));
}

/// Of a result of `@prepare`: its name is that of the state.
static DictionaryAttr getInitialStateAttrs(GlobalOp state, int64_t index,
                                           Type type) {
  Builder builder(state.getContext());
  SmallVector<NamedAttribute> attributes =
      getPlaceAttrs(state.getContext(), index);
  attributes.push_back(
      builder.getNamedAttr(HamKaasDialect::nameAttrName,
                           builder.getStringAttr(getGlobalName(state))));
  if (auto graphType =
          state->getAttrOfType<TypeAttr>(HamKaasDialect::typeAttrName))
    attributes.push_back(builder.getNamedAttr(
        HamKaasDialect::typeAttrName,
        TypeAttr::get(RankedTensorType::get(
            cast<RankedTensorType>(type).getShape(),
            cast<RankedTensorType>(graphType.getValue()).getElementType()))));
  return builder.getDictionaryAttr(attributes);
}

/// Of the argument that stands for `global`.
static SmallVector<NamedAttribute> getGlobalAttrs(GlobalOp global,
                                                  MemoryRegion region) {
  Builder builder(global.getContext());
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr(HamKaasDialect::nameAttrName,
                           builder.getStringAttr(getGlobalName(global))),
      builder.getNamedAttr(HamKaasDialect::regionAttrName,
                           MemoryRegionAttr::get(global.getContext(), region))};
  if (Attribute type = global->getAttr(HamKaasDialect::typeAttrName))
    attributes.push_back(
        builder.getNamedAttr(HamKaasDialect::typeAttrName, type));
  return attributes;
}

static DictionaryAttr getStateAttrs(GlobalOp global, bool writable) {
  Builder builder(global.getContext());
  SmallVector<NamedAttribute> attributes =
      getGlobalAttrs(global, MemoryRegion::State);
  if (writable)
    attributes.push_back(builder.getNamedAttr(
        bufferization::BufferizationDialect::kWritableAttrName,
        builder.getBoolAttr(true)));
  return builder.getDictionaryAttr(attributes);
}

//===----------------------------------------------------------------------===//
// One entry function
//===----------------------------------------------------------------------===//

namespace {

/// An entry function, whose globals become arguments.
class EntryFunction {
public:
  explicit EntryFunction(func::FuncOp function)
      : function(function), module(function->getParentOfType<ModuleOp>()),
        body(&function.getBody().front()) {}

  /// The globals disappear, so every use of them must be one that is replaced.
  LogicalResult verifyGlobals(const SymbolTable &symbols);
  /// Finds what depends on parameters only.
  void analyze(const SymbolTable &symbols);
  /// The values that `@prepare` hands to the function.
  ArrayRef<Value> getConstants() const { return constants; }
  /// Clones what computes them; `parameters` has the value of each global.
  void clonePreparation(OpBuilder &builder,
                        const llvm::StringMap<Value> &parameters,
                        SmallVectorImpl<Value> &results) const;
  /// Makes arguments of the constants, whose numbers are `indices`, and of the
  /// states.
  void passGlobals(ArrayRef<int64_t> indices);

private:
  void embedConstants(const SymbolTable &symbols);
  void foldViewsOfConstants();
  void classify();
  void addArguments(TypeRange types, ArrayRef<DictionaryAttr> attributes,
                    ArrayRef<Location> locations);
  void passConstants(ArrayRef<int64_t> indices);
  void passStates();
  void passStores();

  func::FuncOp function;
  ModuleOp module;
  Block *body;
  /// Ops that depend on parameters only.
  DenseSet<Operation *> movable;
  /// Ops that remain here; a view may also be copied to `@prepare`.
  llvm::SmallPtrSet<Operation *, 16> stays;
  /// In the order of the function.
  SmallVector<Value> constants;
};

} // namespace

LogicalResult EntryFunction::verifyGlobals(const SymbolTable &symbols) {
  WalkResult result = function.walk([&](Operation *op) {
    if (!isa<GlobalLoadConstOp, GlobalLoadOp, GlobalStoreOp>(op))
      return WalkResult::advance();
    auto name = op->getAttrOfType<FlatSymbolRefAttr>("global");
    auto global = name ? symbols.lookup<GlobalOp>(name.getValue()) : nullptr;
    if (global && op->getBlock() == body &&
        global.getIsMutable() != isa<GlobalLoadConstOp>(op) &&
        hasContents(global))
      return WalkResult::advance();
    op->emitError("expected a global of the module, used in the block of @")
        << function.getSymName() << ", got " << op->getAttr("global");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

void EntryFunction::analyze(const SymbolTable &symbols) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    function.setArgAttr(
        i, HamKaasDialect::regionAttrName,
        MemoryRegionAttr::get(function.getContext(), MemoryRegion::Input));
  embedConstants(symbols);
  foldViewsOfConstants();
  classify();
}

/// A global with contents is no input: it is part of the program.
void EntryFunction::embedConstants(const SymbolTable &symbols) {
  for (auto load :
       llvm::make_early_inc_range(body->getOps<GlobalLoadConstOp>())) {
    auto global = symbols.lookup<GlobalOp>(load.getGlobal().getRootReference());
    if (isExternal(global))
      continue;
    OpBuilder builder(load);
    load.replaceAllUsesWith(
        arith::ConstantOp::create(builder, load.getLoc(),
                                  cast<TypedAttr>(*global.getValue()))
            .getResult());
    load.erase();
  }
}

/// The elements that a view of a constant selects.
static DenseElementsAttr getViewedElements(Operation *view,
                                           DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(view->getResult(0).getType());
  if (elements.isSplat())
    return elements.resizeSplat(type);
  auto slice = dyn_cast<tensor::ExtractSliceOp>(view);
  if (!slice)
    return elements.reshape(type);
  // Rows of the first dimension: all that `hamkaas.slice` can take.
  int64_t bytes = getByteCount(type);
  int64_t rows = type.getShape().front();
  ArrayRef<char> part = elements.getRawData().slice(
      slice.getStaticOffset(0) * (bytes / rows), bytes);
  return DenseElementsAttr::getFromRawBuffer(type, part);
}

/// Constants have no views: the slice becomes a constant of its own.
void EntryFunction::foldViewsOfConstants() {
  for (Operation &op : llvm::make_early_inc_range(*body)) {
    if (!isTensorView(&op))
      continue;
    auto constant = op.getOperand(0).getDefiningOp<arith::ConstantOp>();
    if (!constant)
      continue;
    OpBuilder builder(&op);
    op.getResult(0).replaceAllUsesWith(arith::ConstantOp::create(
        builder, op.getLoc(),
        getViewedElements(&op, cast<DenseElementsAttr>(constant.getValue()))));
    op.erase();
  }
}

/// Finds the ops that can move, and those of them whose results the function
/// still reads.
void EntryFunction::classify() {
  movable = findMovableOps(*body);
  // From the end, so that each op's users are known.
  for (Operation &op : llvm::reverse(*body)) {
    bool isRead = llvm::any_of(
        op.getUsers(), [&](Operation *user) { return stays.contains(user); });
    // A constant stays where it is read: it is part of the program.
    bool isFree = isTensorView(&op) || isa<arith::ConstantOp>(op);
    if (!movable.contains(&op) || (isFree && isRead))
      stays.insert(&op);
    else if (!isFree && isRead)
      constants.push_back(op.getResult(0));
  }
  std::reverse(constants.begin(), constants.end());
}

void EntryFunction::clonePreparation(OpBuilder &builder,
                                     const llvm::StringMap<Value> &parameters,
                                     SmallVectorImpl<Value> &results) const {
  IRMapping mapping;
  for (Operation &op : *body) {
    if (!movable.contains(&op))
      continue;
    if (auto load = dyn_cast<GlobalLoadConstOp>(op))
      mapping.map(load.getResult(),
                  parameters.at(load.getGlobal().getRootReference()));
    else if (!stays.contains(&op) || isTensorView(&op) ||
             isa<arith::ConstantOp>(op))
      builder.clone(op, mapping);
  }
  for (Value constant : constants)
    results.push_back(mapping.lookup(constant));
}

void EntryFunction::passGlobals(ArrayRef<int64_t> indices) {
  passConstants(indices);
  passStates();
}

/// Adds arguments, all at once: each time, the function's type is made anew.
void EntryFunction::addArguments(TypeRange types,
                                 ArrayRef<DictionaryAttr> attributes,
                                 ArrayRef<Location> locations) {
  SmallVector<unsigned> indices(types.size(), function.getNumArguments());
  (void)function.insertArguments(indices, types, attributes, locations);
}

/// The function reads constants as arguments instead of computing them.
void EntryFunction::passConstants(ArrayRef<int64_t> indices) {
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Location> locations;
  for (auto [constant, index] : llvm::zip_equal(constants, indices)) {
    attributes.push_back(getConstantAttrs(function.getContext(), index));
    locations.push_back(constant.getLoc());
  }
  unsigned next = function.getNumArguments();
  addArguments(ValueRange(constants).getTypes(), attributes, locations);
  for (Value constant : constants)
    constant.replaceAllUsesWith(function.getArgument(next++));
  eraseUnused(*body);
}

/// States become arguments, writable if they are stored; what is stored
/// becomes a result. Those that the function does not use, too: all functions
/// of a program have one state region.
void EntryFunction::passStates() {
  llvm::StringSet<> stored;
  for (auto store : body->getOps<GlobalStoreOp>())
    stored.insert(store.getGlobal().getRootReference());
  SmallVector<Type> types;
  SmallVector<DictionaryAttr> attributes;
  SmallVector<Location> locations;
  llvm::StringMap<unsigned> indices;
  for (GlobalOp global : module.getOps<GlobalOp>()) {
    if (!global.getIsMutable())
      continue;
    indices[global.getSymName()] = function.getNumArguments() + types.size();
    types.push_back(global.getType());
    attributes.push_back(
        getStateAttrs(global, stored.contains(global.getSymName())));
    locations.push_back(global.getLoc());
  }
  addArguments(types, attributes, locations);
  for (GlobalLoadOp load :
       llvm::make_early_inc_range(body->getOps<GlobalLoadOp>())) {
    load.getResult().replaceAllUsesWith(
        function.getArgument(indices.at(load.getGlobal().getRootReference())));
    load.erase();
  }
  passStores();
}

void EntryFunction::passStores() {
  llvm::StringMap<DictionaryAttr> states;
  for (GlobalOp global : module.getOps<GlobalOp>())
    if (global.getIsMutable())
      states[global.getSymName()] = getStateAttrs(global, /*writable=*/false);
  SmallVector<Value> stored;
  SmallVector<DictionaryAttr> attributes;
  for (GlobalStoreOp store :
       llvm::make_early_inc_range(body->getOps<GlobalStoreOp>())) {
    stored.push_back(store.getValue());
    attributes.push_back(states.at(store.getGlobal().getRootReference()));
    store.erase();
  }
  unsigned end = function.getNumResults();
  (void)function.insertResults(SmallVector<unsigned>(stored.size(), end),
                               ValueRange(stored).getTypes(), attributes);
  body->getTerminator()->insertOperands(end, stored);
}

//===----------------------------------------------------------------------===//
// Initial contents of states
//===----------------------------------------------------------------------===//

static bool isNonzeroState(GlobalOp global) {
  if (!global.getIsMutable() || isExternal(global))
    return global.getIsMutable();
  auto elements = cast<DenseElementsAttr>(*global.getValue());
  // The bytes tell -0.0 from 0.0. No elements of memory are bits.
  return llvm::any_of(elements.getRawData(), [](char c) { return c != 0; });
}

/// The contents that `state` holds; of equal elements, one.
static Value createContents(OpBuilder &builder, GlobalOp state) {
  auto elements = cast<DenseElementsAttr>(*state.getValue());
  if (elements.isSplat())
    elements = elements.resizeSplat(
        RankedTensorType::get({1}, elements.getElementType()));
  return arith::ConstantOp::create(builder, state.getLoc(), elements);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct HoistParameters : hamkaas::impl::HoistParametersBase<HoistParameters> {
  void runOnOperation() override {
    auto found = findEntryFunctions(getOperation());
    if (failed(found))
      return signalPassFailure();
    SmallVector<EntryFunction, 1> entries(found->begin(), found->end());
    SymbolTable symbols(getOperation());
    for (EntryFunction &entry : entries)
      if (failed(entry.verifyGlobals(symbols)))
        return signalPassFailure();
    if (failed(verifyStates()))
      return signalPassFailure();
    for (EntryFunction &entry : entries)
      entry.analyze(symbols);
    OpBuilder builder(found->front());
    ArrayRef<int64_t> indices = createPrepare(builder, entries);
    for (EntryFunction &entry : entries) {
      size_t count = entry.getConstants().size();
      entry.passGlobals(indices.take_front(count));
      indices = indices.drop_front(count);
    }
    for (GlobalOp global :
         llvm::make_early_inc_range(getOperation().getOps<GlobalOp>()))
      global.erase();
  }

private:
  /// A state is part of the program whether a function uses it or not.
  LogicalResult verifyStates() {
    for (GlobalOp global : getOperation().getOps<GlobalOp>())
      if (global.getIsMutable() && !hasContents(global))
        return global.emitError("expected state @")
               << global.getSymName()
               << " to have initial contents of dense elements";
    return success();
  }

  /// Makes `@prepare` unless it would do nothing. Returns the number of each
  /// constant of each function.
  ArrayRef<int64_t> createPrepare(OpBuilder &builder,
                                  ArrayRef<EntryFunction> entries) {
    SmallVector<GlobalOp> globals =
        llvm::filter_to_vector(getOperation().getOps<GlobalOp>(), isExternal);
    bool hasConstants = llvm::any_of(entries, [](const EntryFunction &entry) {
      return !entry.getConstants().empty();
    });
    initialStates = llvm::filter_to_vector(getOperation().getOps<GlobalOp>(),
                                           isNonzeroState);
    if (globals.empty() && !hasConstants && initialStates.empty())
      return {};

    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    for (GlobalOp global : globals) {
      types.push_back(global.getType());
      attributes.push_back(builder.getDictionaryAttr(
          getGlobalAttrs(global, MemoryRegion::Parameter)));
    }
    Location loc = builder.getInsertionPoint()->getLoc();
    auto prepare = func::FuncOp::create(builder, loc, prepareName,
                                        builder.getFunctionType(types, {}),
                                        ArrayRef<NamedAttribute>(), attributes);
    builder.setInsertionPointToStart(prepare.addEntryBlock());
    llvm::StringMap<Value> parameters;
    for (auto [global, argument] :
         llvm::zip_equal(globals, prepare.getArguments()))
      parameters[global.getSymName()] = argument;
    SmallVector<Value> results;
    // The first constants, so that they have one place on all targets.
    for (GlobalOp state : initialStates)
      results.push_back(isExternal(state) ? parameters.at(state.getSymName())
                                          : createContents(builder, state));
    for (const EntryFunction &entry : entries)
      entry.clonePreparation(builder, parameters, results);
    func::ReturnOp::create(builder, loc, results);
    // The functions share what they compute alike, in the same layout.
    if (entries.size() > 1)
      mergeEqual(prepare);
    returnConstants(prepare);
    eraseUnused(prepare.getBody().front());
    return numbers;
  }

  static void mergeEqual(func::FuncOp prepare) {
    IRRewriter rewriter(prepare.getContext());
    DominanceInfo dominance(prepare);
    eliminateCommonSubExpressions(rewriter, dominance, prepare);
  }

  /// Returns the contents of states, then each constant once, and numbers the
  /// constants as the functions had them.
  void returnConstants(func::FuncOp prepare) {
    Operation *end = prepare.getBody().front().getTerminator();
    SmallVector<Value> results(
        end->getOperands().take_front(initialStates.size()));
    SmallVector<DictionaryAttr> attributes;
    for (auto [i, state] : llvm::enumerate(initialStates))
      attributes.push_back(
          getInitialStateAttrs(state, i, results[i].getType()));
    llvm::DenseMap<Value, int64_t> known;
    for (Value value : end->getOperands().drop_front(initialStates.size())) {
      auto [constant, isNew] = known.try_emplace(value, results.size());
      numbers.push_back(constant->second);
      if (!isNew)
        continue;
      attributes.push_back(getConstantAttrs(&getContext(), results.size()));
      results.push_back(value);
    }
    end->setOperands(results);
    prepare.setFunctionType(FunctionType::get(&getContext(),
                                              prepare.getArgumentTypes(),
                                              ValueRange(results).getTypes()));
    prepare.setAllResultAttrs(attributes);
  }

  /// Those whose initial contents `@prepare` writes.
  SmallVector<GlobalOp> initialStates;
  SmallVector<int64_t> numbers;
};

} // namespace
