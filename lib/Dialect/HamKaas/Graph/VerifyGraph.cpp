//===- VerifyGraph.cpp - Checks the form GRAPH ------------------*- C++ -*-===//
//
// Part of HamKaas, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HamKaas/Dialect/HamKaas/Graph/Passes.h"
#include "HamKaas/Dialect/HamKaas/IR/ConstantOps.h"
#include "HamKaas/Dialect/HamKaas/IR/GraphRules.h"
#include "HamKaas/Dialect/HamKaas/IR/MathOps.h"
#include "HamKaas/Dialect/HamKaas/IR/ProgramSymbols.h"
#include "HamKaas/Dialect/HamKaas/IR/RegionOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/StringSet.h"

namespace hamkaas {
#define GEN_PASS_DEF_VERIFYGRAPH
#include "HamKaas/Dialect/HamKaas/Graph/Passes.h.inc"
} // namespace hamkaas

using namespace mlir;
using namespace hamkaas;
using ml_program::GlobalLoadConstOp;
using ml_program::GlobalLoadOp;
using ml_program::GlobalOp;
using ml_program::GlobalStoreOp;

namespace {

struct VerifyGraph : hamkaas::impl::VerifyGraphBase<VerifyGraph> {
  void runOnOperation() override {
    if (failed(verifyModule()))
      signalPassFailure();
  }

private:
  LogicalResult verifyModule() {
    for (Operation &op : *getOperation().getBody()) {
      if (!isa<GlobalOp, func::FuncOp>(op))
        return op.emitError("expected only globals and functions in a model, "
                            "got ")
               << op.getName();
      if (auto global = dyn_cast<GlobalOp>(op))
        if (failed(verifyGlobal(global)))
          return failure();
    }
    auto functions = getOperation().getOps<func::FuncOp>();
    if (functions.empty())
      return getOperation().emitError("expected a function @main");
    SymbolTable symbols(getOperation());
    bool isOnlyFunction = llvm::hasSingleElement(functions);
    for (func::FuncOp function : functions)
      if (failed(verifyFunction(function, symbols, isOnlyFunction)))
        return failure();
    return success();
  }

  LogicalResult verifyFunction(func::FuncOp function,
                               const SymbolTable &symbols,
                               bool isOnlyFunction) {
    auto fail = [&]() {
      return function.emitError("expected @") << function.getSymName();
    };
    if (!function.isPublic())
      return fail() << " to be public, as an entry function";
    if (isReservedFunctionName(function.getSymName()))
      return fail() << " to have another name: the compiler uses this one";
    if (function.isExternal())
      return fail() << " to have a body";
    if (!function.getBody().hasOneBlock())
      return fail() << " to have one block";
    // The one function of a model may do nothing: all results of an ONNX model
    // can be without elements.
    if (!isOnlyFunction && function.getNumResults() == 0 &&
        function.getOps<GlobalStoreOp>().empty())
      return fail() << " to return a result or to store a state";
    return failed(verifySignature(function)) ? failure()
                                             : verifyBody(function, symbols);
  }

  LogicalResult verifyGlobal(GlobalOp global) {
    if (failed(verifyTensorType(global.getLoc(), global.getType())))
      return failure();
    bool isState = global.getIsMutable();
    std::string kind = isState ? "state" : "parameter";
    Attribute name = global->getAttr(HamKaasDialect::nameAttrName);
    Attribute symbol = FlatSymbolRefAttr::get(global.getSymNameAttr());
    if (failed(verifyName(global, kind + " " + debugString(symbol),
                          name ? name : global.getSymNameAttr(), kind,
                          isState ? stateNames : parameterNames)))
      return failure();
    return verifyContents(global);
  }

  /// Parameters and the initial contents of states are given from outside, by
  /// names of their own, or the global holds the elements itself.
  LogicalResult verifyContents(GlobalOp global) {
    if (!global.getValue())
      return global.emitError("expected state @")
             << global.getSymName() << " to have initial contents, got none";
    auto given = dyn_cast<ml_program::ExternAttr>(*global.getValue());
    if (!given)
      return verifyElements(global.getLoc(), *global.getValue(),
                            global.getType());
    if (!isa<NoneType>(given.getType()) && given.getType() != global.getType())
      return global.emitError("expected an external value of type ")
             << global.getType() << ", got one of type " << given.getType();
    StringRef name = getGlobalName(global);
    if (global.getIsMutable() && !parameterNames.insert(name).second)
      return global.emitError("expected the contents of state ")
             << "'" << name << "' to be given by a name of their own, got that "
             << "of a parameter";
    return success();
  }

  LogicalResult verifySignature(func::FuncOp function) {
    llvm::StringSet<> inputNames, outputNames;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (failed(
              verifySlot(function, "argument", i,
                         function.getArgAttr(i, HamKaasDialect::nameAttrName),
                         function.getArgumentTypes()[i], inputNames)))
        return failure();
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (failed(verifySlot(
              function, "result", i,
              function.getResultAttr(i, HamKaasDialect::nameAttrName),
              function.getResultTypes()[i], outputNames)))
        return failure();
    return success();
  }

  /// Checks one argument or result.
  static LogicalResult verifySlot(func::FuncOp function, StringRef kind,
                                  unsigned i, Attribute name, Type type,
                                  llvm::StringSet<> &names) {
    std::string owner = (" of @" + function.getSymName()).str();
    if (failed(verifyName(function, (kind + " " + Twine(i) + owner).str(), name,
                          kind.str() + owner, names)))
      return failure();
    return verifyTensorType(function.getLoc(), type);
  }

  /// Checks the user's name of `what`, one of the things called `kind`.
  static LogicalResult verifyName(Operation *op, StringRef what,
                                  Attribute attribute, StringRef kind,
                                  llvm::StringSet<> &names) {
    auto name = dyn_cast_or_null<StringAttr>(attribute);
    if (!name)
      return op->emitError("expected ")
             << what << " to have a string attribute "
             << HamKaasDialect::nameAttrName;
    if (!isValidName(name.getValue()))
      return op->emitError("expected the name of ")
             << what
             << " to be UTF-8 text without control characters, and not empty, "
                "got "
             << name;
    if (!names.insert(name.getValue()).second)
      return op->emitError("expected each ")
             << kind << " to have a name of its own, got " << name << " twice";
    return success();
  }

  static LogicalResult verifyBody(func::FuncOp function,
                                  const SymbolTable &symbols) {
    llvm::StringMap<Operation *> loads, stores;
    for (Operation &op : function.getBody().front()) {
      if (auto load = dyn_cast<GlobalLoadConstOp>(op)) {
        if (failed(
                verifyAccess(load, load.getGlobal(), load.getType(), symbols)))
          return failure();
      } else if (auto load = dyn_cast<GlobalLoadOp>(op)) {
        if (failed(verifyState(load, load.getGlobal(), load.getType(), symbols,
                               loads)))
          return failure();
      } else if (auto store = dyn_cast<GlobalStoreOp>(op)) {
        if (failed(verifyState(store, store.getGlobal(),
                               store.getValue().getType(), symbols, stores)))
          return failure();
      } else if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
        if (failed(verifyTensorType(constant.getLoc(), constant.getType())) ||
            failed(verifyElements(constant.getLoc(), constant.getValue(),
                                  constant.getType())))
          return failure();
      } else if (auto scan = dyn_cast<ScanOp>(op)) {
        if (failed(verifyScan(scan)))
          return failure();
      } else if (!isa<func::ReturnOp, KernelOpInterface, ConstantOp,
                      CustomGradientOp>(op)) {
        return emitUnknown(op);
      }
    }
    for (auto &entry : stores)
      if (Operation *load = loads.lookup(entry.getKey()))
        if (entry.getValue()->isBeforeInBlock(load))
          return load->emitError("expected the load of state @")
                 << entry.getKey() << " to stand before its store";
    return success();
  }

  static LogicalResult verifyScan(ScanOp scan) {
    WalkResult result = scan.getBody().walk([](Operation *op) {
      if (isa<KernelOpInterface, ConstantOp, CustomGradientOp, ScanOp, YieldOp>(
              op))
        return WalkResult::advance();
      (void)emitUnknown(*op);
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  static LogicalResult emitUnknown(Operation &op) {
    return op.emitError("expected an operation of a graph, got ")
           << op.getName();
  }

  static LogicalResult verifyAccess(Operation *op, SymbolRefAttr symbol,
                                    Type type, const SymbolTable &symbols) {
    bool isMutable = !isa<GlobalLoadConstOp>(op);
    auto global = symbols.lookup<GlobalOp>(symbol.getRootReference());
    if (!global || global.getIsMutable() != isMutable ||
        global.getType() != type)
      return op->emitError("expected ")
             << symbol << " to be a global that is "
             << (isMutable ? "mutable" : "immutable") << ", of type " << type;
    return success();
  }

  static LogicalResult verifyState(Operation *op, SymbolRefAttr symbol,
                                   Type type, const SymbolTable &symbols,
                                   llvm::StringMap<Operation *> &seen) {
    StringRef name = symbol.getRootReference();
    if (!seen.try_emplace(name, op).second)
      return op->emitError("expected at most one ")
             << op->getName() << " of state @" << name;
    return verifyAccess(op, symbol, type, symbols);
  }

  llvm::StringSet<> parameterNames, stateNames;
};

} // namespace
