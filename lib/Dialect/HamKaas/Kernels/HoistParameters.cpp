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
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
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

namespace {

struct HoistParameters : hamkaas::impl::HoistParametersBase<HoistParameters> {
  void runOnOperation() override {
    FailureOr<func::FuncOp> found = findMain(getOperation());
    if (failed(found))
      return signalPassFailure();
    main = *found;
    body = &main.getBody().front();
    if (failed(verifyGlobals()))
      return signalPassFailure();
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      setRegion(i, MemoryRegion::Input);
    embedConstants();
    foldViewsOfConstants();
    classify();
    createPrepare();
    passConstants();
    passStates();
    for (GlobalOp global :
         llvm::make_early_inc_range(getOperation().getOps<GlobalOp>()))
      global.erase();
  }

private:
  void setRegion(unsigned argument, MemoryRegion region) {
    main.setArgAttr(argument, HamKaasDialect::regionAttrName,
                    MemoryRegionAttr::get(&getContext(), region));
  }

  /// The globals disappear, so every use of them must be one that is replaced.
  LogicalResult verifyGlobals() {
    SymbolTable symbols(getOperation());
    WalkResult result = main.walk([&](Operation *op) {
      if (!isa<GlobalLoadConstOp, GlobalLoadOp, GlobalStoreOp>(op))
        return WalkResult::advance();
      auto name = op->getAttrOfType<FlatSymbolRefAttr>("global");
      auto global = name ? symbols.lookup<GlobalOp>(name.getValue()) : nullptr;
      if (global && op->getBlock() == body &&
          global.getIsMutable() != isa<GlobalLoadConstOp>(op) &&
          (isExternal(global) || isa_and_present<DenseElementsAttr>(
                                     global.getValue().value_or(nullptr))))
        return WalkResult::advance();
      op->emitError("expected a global of the module, used in the block of "
                    "@main, got ")
          << op->getAttr("global");
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  static bool isExternal(GlobalOp global) {
    return isa_and_nonnull<ml_program::ExternAttr>(
        global.getValue().value_or(nullptr));
  }

  /// A global with contents is no input: it is part of the program.
  void embedConstants() {
    SymbolTable symbols(getOperation());
    for (auto load :
         llvm::make_early_inc_range(body->getOps<GlobalLoadConstOp>())) {
      auto global =
          symbols.lookup<GlobalOp>(load.getGlobal().getRootReference());
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

  /// Constants have no views: the slice becomes a constant of its own.
  void foldViewsOfConstants() {
    for (Operation &op : llvm::make_early_inc_range(*body)) {
      if (!isTensorView(&op))
        continue;
      auto constant = op.getOperand(0).getDefiningOp<arith::ConstantOp>();
      if (!constant)
        continue;
      OpBuilder builder(&op);
      op.getResult(0).replaceAllUsesWith(arith::ConstantOp::create(
          builder, op.getLoc(),
          getViewedElements(&op,
                            cast<DenseElementsAttr>(constant.getValue()))));
      op.erase();
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

  /// Finds the ops that can move, and those of them whose results `@main` still
  /// reads.
  void classify() {
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

  void createPrepare() {
    OpBuilder builder(main);
    SmallVector<Type> parameterTypes;
    SmallVector<DictionaryAttr> attributes;
    llvm::StringMap<unsigned> indices;
    for (GlobalOp global : getOperation().getOps<GlobalOp>()) {
      if (isNonzeroState(global))
        initialStates.push_back(global);
      if (!isExternal(global))
        continue;
      indices[global.getSymName()] = parameterTypes.size();
      parameterTypes.push_back(global.getType());
      attributes.push_back(builder.getDictionaryAttr(
          getGlobalAttrs(global, MemoryRegion::Parameter)));
    }
    if (parameterTypes.empty() && constants.empty() && initialStates.empty())
      return;

    auto prepare =
        func::FuncOp::create(builder, main.getLoc(), prepareName,
                             builder.getFunctionType(parameterTypes, {}),
                             ArrayRef<NamedAttribute>(), attributes);
    builder.setInsertionPointToStart(prepare.addEntryBlock());
    SmallVector<Value> results;
    SmallVector<DictionaryAttr> resultAttributes;
    // The first constants, so that they have one place on all targets.
    for (GlobalOp state : initialStates) {
      auto index = indices.find(state.getSymName());
      results.push_back(index != indices.end()
                            ? prepare.getArgument(index->second)
                            : createContents(builder, state));
      resultAttributes.push_back(getInitialStateAttrs(
          state, results.size() - 1, results.back().getType()));
    }
    IRMapping mapping;
    for (Operation &op : *body) {
      if (!movable.contains(&op))
        continue;
      if (auto load = dyn_cast<GlobalLoadConstOp>(op))
        mapping.map(load.getResult(),
                    prepare.getArgument(
                        indices.at(load.getGlobal().getRootReference())));
      else if (!stays.contains(&op) || isTensorView(&op) ||
               isa<arith::ConstantOp>(op))
        builder.clone(op, mapping);
    }
    for (auto [i, constant] : llvm::enumerate(constants)) {
      results.push_back(mapping.lookup(constant));
      resultAttributes.push_back(getConstantAttrs(i));
    }
    prepare.setFunctionType(builder.getFunctionType(
        parameterTypes, ValueRange(results).getTypes()));
    prepare.setAllResultAttrs(resultAttributes);
    func::ReturnOp::create(builder, main.getLoc(), results);
    eraseUnused(prepare.getBody().front());
  }

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

  /// Adds arguments to `@main`, all at once: each time, its type is made anew.
  void addArguments(TypeRange types, ArrayRef<DictionaryAttr> attributes,
                    ArrayRef<Location> locations) {
    SmallVector<unsigned> indices(types.size(), main.getNumArguments());
    (void)main.insertArguments(indices, types, attributes, locations);
  }

  /// `@main` reads constants as arguments instead of computing them.
  void passConstants() {
    SmallVector<DictionaryAttr> attributes;
    SmallVector<Location> locations;
    for (auto [i, constant] : llvm::enumerate(constants)) {
      attributes.push_back(getConstantAttrs(i));
      locations.push_back(constant.getLoc());
    }
    unsigned next = main.getNumArguments();
    addArguments(ValueRange(constants).getTypes(), attributes, locations);
    for (Value constant : constants)
      constant.replaceAllUsesWith(main.getArgument(next++));
    eraseUnused(*body);
  }

  /// States become arguments, writable if they are stored; what is stored
  /// becomes a result.
  void passStates() {
    llvm::StringSet<> stored;
    for (auto store : body->getOps<GlobalStoreOp>())
      stored.insert(store.getGlobal().getRootReference());
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    SmallVector<Location> locations;
    llvm::StringMap<unsigned> indices;
    for (GlobalOp global : getOperation().getOps<GlobalOp>()) {
      if (!global.getIsMutable())
        continue;
      indices[global.getSymName()] = main.getNumArguments() + types.size();
      types.push_back(global.getType());
      attributes.push_back(
          getStateAttrs(global, stored.contains(global.getSymName())));
      locations.push_back(global.getLoc());
    }
    addArguments(types, attributes, locations);
    for (GlobalLoadOp load :
         llvm::make_early_inc_range(body->getOps<GlobalLoadOp>())) {
      load.getResult().replaceAllUsesWith(
          main.getArgument(indices.at(load.getGlobal().getRootReference())));
      load.erase();
    }
    passStores();
  }

  void passStores() {
    llvm::StringMap<DictionaryAttr> states;
    for (GlobalOp global : getOperation().getOps<GlobalOp>())
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
    unsigned end = main.getNumResults();
    (void)main.insertResults(SmallVector<unsigned>(stored.size(), end),
                             ValueRange(stored).getTypes(), attributes);
    body->getTerminator()->insertOperands(end, stored);
  }

  /// Of a value that `@prepare` hands to `@main`, one of `constants`.
  DictionaryAttr getConstantAttrs(int64_t constant) {
    return Builder(&getContext())
        .getDictionaryAttr(getPlaceAttrs(initialStates.size() + constant));
  }

  /// Of a result of `@prepare`: its name is that of the state.
  DictionaryAttr getInitialStateAttrs(GlobalOp state, int64_t index,
                                      Type type) {
    Builder builder(&getContext());
    SmallVector<NamedAttribute> attributes = getPlaceAttrs(index);
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

  /// The place `index` in the constants region.
  SmallVector<NamedAttribute> getPlaceAttrs(int64_t index) {
    Builder builder(&getContext());
    return {builder.getNamedAttr(HamKaasDialect::indexAttrName,
                                 builder.getI64IntegerAttr(index)),
            builder.getNamedAttr(
                HamKaasDialect::regionAttrName,
                MemoryRegionAttr::get(&getContext(), MemoryRegion::Constants))};
  }

  /// Of the argument that stands for `global`.
  static SmallVector<NamedAttribute> getGlobalAttrs(GlobalOp global,
                                                    MemoryRegion region) {
    Builder builder(global.getContext());
    SmallVector<NamedAttribute> attributes = {
        builder.getNamedAttr(HamKaasDialect::nameAttrName,
                             builder.getStringAttr(getGlobalName(global))),
        builder.getNamedAttr(
            HamKaasDialect::regionAttrName,
            MemoryRegionAttr::get(global.getContext(), region))};
    if (Attribute type = global->getAttr(HamKaasDialect::typeAttrName))
      attributes.push_back(
          builder.getNamedAttr(HamKaasDialect::typeAttrName, type));
    return attributes;
  }

  DictionaryAttr getStateAttrs(GlobalOp global, bool writable) {
    Builder builder(&getContext());
    SmallVector<NamedAttribute> attributes =
        getGlobalAttrs(global, MemoryRegion::State);
    if (writable)
      attributes.push_back(builder.getNamedAttr(
          bufferization::BufferizationDialect::kWritableAttrName,
          builder.getBoolAttr(true)));
    return builder.getDictionaryAttr(attributes);
  }

  static void eraseUnused(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  func::FuncOp main;
  Block *body = nullptr;
  /// Ops that depend on parameters only.
  DenseSet<Operation *> movable;
  /// Ops that remain in `@main`; a view may also be copied to `@prepare`.
  llvm::SmallPtrSet<Operation *, 16> stays;
  /// Values that `@prepare` hands to `@main`, in the order of `@main`.
  SmallVector<Value> constants;
  /// Those whose initial contents `@prepare` writes.
  SmallVector<GlobalOp> initialStates;
};

} // namespace
